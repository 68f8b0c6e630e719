"""Architectures, found by name. Families that share a forward pass share a file; a new one is one new file here."""

from __future__ import annotations

from symcount.entries import entries
from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Architecture


def files() -> list[str]:
    """The files that there are.

    >>> "llama" in files()
    True
    """
    return [name for name in entries("architectures") if name != "index"]


def family(file: str) -> tuple[Architecture, ...]:
    """The architectures of one file; no other is imported."""
    from importlib import import_module

    found: tuple[Architecture, ...] = import_module(f"symcount.architectures.{file}").ARCHITECTURES
    if found[0].name.replace("-", "_") != file:
        raise ModelError(f"architectures/{file}.py begins with '{found[0].name}': name and file must agree")
    return found


def types() -> dict[str, str]:
    """{architecture: its file}, from the generated index, or from the files if one is newer.

    >>> types()["llama"]
    'llama'
    """
    return _index().TYPES if _is_new() else read_types()


def names() -> dict[str, tuple[str, str, int]]:
    """{published name: (architecture, class, parameters)}, from the index, or from the files if one is newer.

    >>> names()["llama-7b"]
    ('llama', 'LlamaForCausalLM', 6738415616)
    """
    return _index().PUBLISHED if _is_new() else read_published()


def _index() -> Any:
    from symcount.architectures import index

    return index


_checked: list[bool] = []  # once in a process


def _is_new() -> bool:
    """Whether the index knows all files."""
    if not _checked:
        _checked.append(tuple(files()) == _index().FILES)
    return _checked[0]


def agreed() -> dict[str, tuple[int, int, int]]:
    """{type: (measured models exact, refused, configurations exact that were made to break it)}."""
    from symcount.architectures import _agreed

    return _agreed.ROWS


def load(name: str) -> Architecture:
    """The architecture of this name."""
    return next(one for one in family(types()[name]) if one.name == name)


def read_types() -> dict[str, str]:
    """What `types` says, read from every file."""
    found: dict[str, str] = {}
    for file in files():
        for one in family(file):
            if one.name in found:
                raise ModelError(f"'{one.name}' is in {found[one.name]}.py and in {file}.py")
            found[one.name] = file
    return dict(sorted(found.items()))


def read_published() -> dict[str, tuple[str, str, int]]:
    """What `names` says, read from every file."""
    found: dict[str, tuple[str, str, int]] = {}
    for file in files():
        for one in family(file):
            for name, entry in one.published.items():
                if name in found:
                    raise ModelError(f"'{name}' is published for {found[name][0]} and for {one.name}")
                found[name] = (one.name, entry.cls, entry.count)
    return found
