"""The checks of `symcount check`, one file each, found by the file's name; each has a CODE.

Its docstring is its page: under headings what it does, why that matters, what is bad, what is good, and its source.
It has any of four functions, each of which gives diagnostics, made by `page.report`:

    announce(read, page)   what a passage says that is no claim, before its claims
    judge(claim, page)     what is wrong with one claim
    overhear(read, page)   what is wrong with a passage, after its claims
    review(page)           what is wrong with a document, after its passages
"""

from __future__ import annotations

from symcount.entries import entries, entry
from symcount.errors import ModelError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def checks() -> list[ModuleType]:
    """All checks, in order of their codes."""
    return [entry("checks", name, "no check") for name in codes().values()]


def codes() -> dict[str, str]:
    """The module of each code, in order of the codes.

    >>> all(name in entries("checks") for name in codes().values())
    True
    """
    return dict(sorted((entry("checks", name, "no check").CODE, name) for name in entries("checks")))


def page(code: str) -> str:
    """The page of a check: its code and name, and below what its module says. Raises ModelError for another code."""
    known = codes()
    if code not in known:
        raise ModelError(f"no check '{clipped(code)}'; " + (nearest(code, list(known)) if known else "none is known"))
    return f"{code} {named(known[code])}\n\n{_says(known[code])}"


def listed() -> list[tuple[str, str, str]]:
    """Code, name and first line of every check."""
    return [(code, named(module), _says(module).partition("\n")[0]) for code, module in codes().items()]


def named(module: str) -> str:
    """The name of the check in a module.

    >>> named("wrong_value")
    'wrong-value'
    """
    return module.replace("_", "-")


def _says(module: str) -> str:
    return (entry("checks", module, "no check").__doc__ or "").strip().removeprefix(f"{named(module)}: ")
