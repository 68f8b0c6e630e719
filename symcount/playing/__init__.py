"""A page to play with: one HTML file in which sizes are changed and every count follows, exact to the last digit."""

from __future__ import annotations

from symcount import __version__
from symcount.errors import clipped
from symcount.naming import model
from symcount.playing.structures import playable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any

    from symcount.architecture import Model

_SCRIPTS = ("exact.js", "mathml.js", "fields.js", "page.js")  # in this order: each uses those before it
_LONGEST = 120  # characters of a name in a heading


def page(subject: str | PathLike[str] | Model | Callable[[Any], Any], of: str = "", *, convention: str | None = None,
         phase: str | None = None) -> str:
    """One self-contained HTML file that counts `of` (params, flops, kv, memory) of a model for any sizes.

    The page evaluates the closed forms themselves in whole numbers of any length. What must hold of sizes is said in
    words where it does not, and no number stands beside it. Every number is that of the same question asked here:
    of `model.replace(…)`, of the sizes of a run those that the quantity depends on. Only a size may be longer there: it
    has up to 30 digits.

    >>> page("mlp:784-128-10").startswith("<!doctype html>")
    True

    Raises ModelError for a quantity, convention or phase that does not exist, and for a model with too many sizes.
    """
    one = model(subject)
    data = playable(one, of, convention, phase)
    return _filled(_file("page.html"), {
        "title": _escaped(clipped(one.title, _LONGEST)), "version": __version__, "style": _file("page.css"),
        "data": _data(data), "script": "\n".join(map(_file, _SCRIPTS))})


def _file(name: str) -> str:
    import os

    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _filled(template: str, told: dict[str, str]) -> str:
    """The template with what belongs in its {{places}}, in one pass: what is put in is not read again."""
    import re

    return re.sub(r"\{\{(\w+)\}\}", lambda place: told[place[1]], template)


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)


def _data(data: dict[str, Any]) -> str:
    r"""JSON that no text in it can end or open: a < is written as an escape.

    >>> _data({"name": "</script><!--"})
    '{"name":"\\u003c/script>\\u003c!--"}'
    """
    import json

    written = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return written.replace("<", "\\u003c")
