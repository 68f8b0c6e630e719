"""Architectures, one file each, found by file name. A new one is one new file here."""

from __future__ import annotations

from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.architecture import Architecture


def files() -> list[str]:
    """The architectures that there are.

    >>> "llama" in files()
    True
    """
    from os import listdir
    from os.path import dirname

    return sorted(f[:-3] for f in listdir(dirname(__file__)) if f.endswith(".py") and f[0] != "_" and f != "index.py")


def load(file: str) -> Architecture:
    """The architecture of one file; no other is imported."""
    from importlib import import_module

    found: Architecture = import_module(f"symcount.architectures.{file}").ARCHITECTURE
    if found.name != file:
        raise ModelError(f"architectures/{file}.py describes '{found.name}': name and file must agree")
    return found


def names() -> dict[str, tuple[str, str, int]]:
    """{published name: (file, class, parameters)}, from the generated index, or from the files if one is newer.

    >>> names()["llama-7b"]
    ('llama', 'LlamaForCausalLM', 6738415616)
    """
    from symcount.architectures import index

    return index.PUBLISHED if tuple(files()) == index.FILES else published()


def published() -> dict[str, tuple[str, str, int]]:
    """The same, read from every file."""
    found: dict[str, tuple[str, str, int]] = {}
    for file in files():
        for name, entry in load(file).published.items():
            if name in found:
                raise ModelError(f"'{name}' is published in {found[name][0]}.py and in {file}.py")
            found[name] = (file, entry.cls, entry.count)
    return found
