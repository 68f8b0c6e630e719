"""What a user may call a model: NAME | FILE | FOLDER, then [@PATH], then [:CHANGE,…].

A published name wins over an architecture; an existing file wins over a colon; `NAME:` is the architecture
with all sizes free. A CHANGE is SIZE=EXPR, FLAG=true|false|none|WORD, `tied`, `untied`, widths (784-128-10),
or lora=RANK@PATH+PATH (r for the rank: a letter). `-` is a configuration on standard input.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Model
from symcount.architectures import load, names, types
from symcount.config import LARGEST_FILE, parse, read_config
from symcount.errors import ConfigError, FormulaError, ModelError, SymcountError, clipped, nearest
from symcount.given import WIDTHS
from symcount.polynomials import letter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any


def models() -> list[str]:
    """The published models, and the architectures as `NAME:`.

    >>> "llama-7b" in models(), "llama:" in models()
    (True, True)
    """
    return [*names(), *(f"{name}:" for name in types())]


def model(name_or_path: str | PathLike[str] | Model | Callable[[Any], Any], **changes: Any) -> Model:
    """A model by published name, architecture, `config.json`, folder, `.py` file or forward function.

    Changes are ints, texts such as `"4d"`, or SymPy expressions; `head` chooses the class.

    >>> from symcount import parameters
    >>> parameters(model("mlp:784-128-10"))
    <mlp:784-128-10: 101,770 parameters>
    >>> model("bert", h="4d").network() and parameters(model("bert", h="4d")).letters
    ['V', 'd', 'P', 'types', 'L']

    Raises ModelError for a name that nothing has, and what `Model.replace` raises for a change.
    """
    if isinstance(name_or_path, Model):
        return name_or_path.replace(**changes) if changes else name_or_path
    if callable(name_or_path):
        name = getattr(name_or_path, "__name__", "network")
        return Model(Architecture(name, classes={name: name_or_path}), {}).replace(**changes)
    import os

    text = os.fspath(name_or_path)
    found, rest = _base(text, changes.pop("head", None))
    parts, _, listed = rest.partition(":")
    if parts and not parts.startswith("@"):
        raise ModelError(f"'{text}': after the model comes @PATH or :CHANGES, not '{parts}'")
    for part in parts.split("@")[1:]:
        if not part:
            raise ModelError(f"'{text}': @ is followed by a path, as in llama-7b@layers.mlp")
        found = found.part(part)
    told = read_changes(listed)
    return found.replace(**{**told, **changes}) if told or changes else found


def read_changes(text: str) -> dict[str, Any]:
    """The changes that a text lists: `L=8,heads=8`, `784-128-10`, `untied`, `h=up(8d/3,256)`.

    Raises FormulaError for what is no change.
    """
    found: dict[str, Any] = {}
    for change in _split(text):
        name, equals, formula = (part.strip() for part in change.partition("="))
        told: Any = formula
        if equals and not (name and formula):
            raise FormulaError(f"'{change}' is no change: SIZE=EXPR, as in L=8 or h=4d")
        if equals and name == WIDTHS:
            told = _widths(formula)
        elif change in ("tied", "untied"):
            name, told = "tied", change == "tied"
        elif not equals and "-" in change and change.replace("-", "").isdigit():
            name, told = WIDTHS, _widths(change)
        elif not equals:
            late = f"; @PATH comes before the changes, as in NAME@{change.partition('@')[2]}:…" if "@" in change else ""
            raise FormulaError(f"'{change}' is no change: SIZE=EXPR (L=8), widths (784-128-10), tied or untied{late}")
        if name in found:
            raise FormulaError(f"{name} is changed twice in '{clipped(text)}'")
        found[name] = told
    return found


def _base(text: str, head: str | None) -> tuple[Model, str]:
    """The model that the text begins with, and what is left of the text."""
    import os

    if text == "-" or text[:2] in ("-:", "-@"):
        return _standard_input(head), text[1:]
    ends = sorted({len(text), *(i for i, sign in enumerate(text) if sign in "@:")}, reverse=True)
    for end in ends:
        if os.path.exists(text[:end]) and ("/" in text[:end] or "." in text[:end] or os.path.isdir(text[:end])):
            if _known(text[:end]) and "/" not in text[:end]:
                continue  # a folder that happens to be called gpt2
            return _file(text[:end], head), text[end:]
    name = text[:min(ends)]
    rest = text[len(name):]
    owner, _, last = name.partition("/")
    as_file = name.endswith((".json", ".py"))
    if last and "/" not in last and owner not in ("", ".", "..") and not as_file and not os.path.exists(name):
        raise ModelError(f"{clipped(name)}: no such file, and nothing is downloaded: give its config.json, or one of "
                         f"the published names; {nearest(last.lower().removesuffix('-hf'), set(names()))}")
    if "/" in name or as_file:
        return (_file(name, head), rest)
    if name in names():
        architecture = load(names()[name][0])
        if not (rest.startswith(":") and not rest[1:] and name in types()):
            entry = architecture.published[name]
            return Model(architecture, entry.sizes, name=name, cls=head or entry.cls,
                         published=entry if head in (None, entry.cls) else None), rest
    if name in types():
        architecture = load(name)
        single = (size for size in architecture.sizes if size != WIDTHS and size not in architecture.stages)
        free = {size: letter(size) for size in single} if rest.startswith(":") else {}
        usual = next((entry.cls for entry in architecture.published.values()), "")
        return Model(architecture, free, cls=head or usual), rest
    raise ModelError(f"no model '{clipped(name)}'; {nearest(name, {*names(), *types()})}")


def _standard_input(head: str | None) -> Model:
    import sys

    if sys.stdin is None:
        raise ConfigError("standard input is closed")
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    text = stream.read(LARGEST_FILE + 1)
    return read_config(parse(text.encode() if isinstance(text, str) else text, "standard input"), head)


def _known(name: str) -> bool:
    return name in names() or name in types()


def _file(path: str, head: str | None) -> Model:
    if not path.endswith(".py"):
        return read_config(path, head)
    import os
    import runpy

    if not os.path.isfile(path):
        raise ModelError(f"{path}: no such file")
    defined = _guarded(path, runpy.run_path)(path)
    forward, sizes = defined.get("forward"), defined.get("SIZES", {})
    if not callable(forward):
        raise ModelError(f"{path}: defines no function 'forward(z)'")
    if not isinstance(sizes, dict) or not all(isinstance(size, str) for size in sizes):
        raise ModelError(f"{path}: SIZES is a dictionary from letters to sizes")
    name = os.path.basename(path)[:-3]
    architecture = Architecture(name, classes={name: _guarded(path, forward)})
    given = Model(architecture, {}).replace(**sizes).given
    return Model(architecture, given, cls=head or name)


def _guarded(path: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """f, whose faults are told with the line of the user's file, on one line."""
    def call(*args: Any) -> Any:
        try:
            return f(*args)
        except SymcountError:
            raise
        except (Exception, SystemExit) as error:
            line, trace = 0, error.__traceback__
            while trace:
                line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == path else line
                trace = trace.tb_next
            where = f"{path}, line {line}" if line else path
            raise ModelError(f"{where}: {type(error).__name__}: {error}") from error
    return call


def _split(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if any(not part.strip() for part in parts) and text:
        raise FormulaError(f"'{clipped(text)}': a change is missing between commas")
    return [part.strip() for part in parts if part.strip()]


def _widths(text: str) -> tuple[int, ...]:
    widths = text.split("-")
    if not all(width.isascii() and width.isdigit() and len(width) < 16 for width in widths) or len(widths) < 2:
        raise FormulaError(f"'{text}': widths are whole numbers joined by '-', as in 784-128-10")
    return tuple(map(int, widths))
