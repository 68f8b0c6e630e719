"""What a comment tells this program about a document: its model, its notation, what to ignore.

    <!-- symcount: model=gpt2:L=24 notation=megatron -->
    % symcount: ignore SC101

A document comes from a stranger: it may name a published model or an architecture, and no file.
"""

from __future__ import annotations

import re

from symcount.architectures import names, types
from symcount.errors import FormulaError, ModelError, clipped, nearest
from symcount.naming import model, read_changes
from symcount.notations import notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.architecture import Model
    from symcount.documents.passages import Directive

_KEYS = ("ignore", "model", "notation")
_USAGE = "a directive is model=NAME, notation=NAME or ignore SC101"
_CODE = re.compile(r"SC[0-9]{3}")


def instructions(directive: Directive) -> dict[str, str | tuple[str, ...]]:
    """What a directive says: the text of a model, the name of a notation, the codes to ignore (none given: all).

    >>> from symcount.documents.passages import Directive
    >>> instructions(Directive(0, "model=gpt2 notation=megatron", True))
    {'model': 'gpt2', 'notation': 'megatron'}
    >>> instructions(Directive(0, "ignore SC101 SC104", False))
    {'ignore': ('SC101', 'SC104')}

    Raises FormulaError for what is no directive, ModelError for a model or a notation that there is not.
    """
    says = f"'symcount: {clipped(directive.says)}'"
    found: dict[str, str | tuple[str, ...]] = {}
    words = directive.says.split()
    while words:
        key, equals, value = words.pop(0).partition("=")
        if key not in _KEYS or (equals and not value) or (key != "ignore" and not equals):
            raise FormulaError(f"{says}: '{clipped(key)}' says nothing here; {_USAGE}; {nearest(key, _KEYS)}")
        if key in found:
            raise FormulaError(f"{says}: {key} is said twice")
        if key == "ignore":
            codes = value.split(",") if equals else []
            while words and "=" not in words[0]:
                codes += words.pop(0).strip(",").split(",")
            for code in codes:
                if not _CODE.fullmatch(code):
                    raise FormulaError(f"{says}: '{clipped(code)}' is no code; codes are like SC101")
            found[key] = tuple(codes)
            continue
        if key == "model":
            directed(value)
        else:
            notation(value)
        found[key] = value
    if not found:
        raise FormulaError(f"{says} says nothing; {_USAGE}")
    return found


def directed(text: str) -> Model:
    """The model that a document asks for: a published name or an architecture, with changes; never a file.

    >>> directed("gpt2:L=24").values["L"]
    24

    Raises ModelError for another name, and what `Model.replace` raises for a change.
    """
    name = re.split("[:@]", text, maxsplit=1)[0]
    path, colon, changes = text[len(name):].partition(":")
    if name not in names() and name not in types():
        raise ModelError(f"no model '{clipped(name)}', and a document names no file; "
                         + nearest(name, {*names(), *types()}))
    found = model(f"{name}:" if colon and (name not in names() or not changes) else name)
    for part in path.split("@")[1:]:
        found = found.part(part)
    return found.replace(**read_changes(changes)) if changes else found
