"""The checks of `symcount check`, one file each: its page, its code, and what it says.

    judge(claim, page)     what is wrong with one claim
    overhear(read, page)   what is wrong with a passage, after its claims
    review(page)           what is wrong with a document, after its passages

A file has any of the three. Each gives diagnostics, made by `page.report`.
"""

from __future__ import annotations

from symcount.entries import entries, entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def checks() -> list[ModuleType]:
    """All checks, in order of their codes."""
    return sorted((entry("checks", name, "no check") for name in entries("checks")), key=lambda one: one.CODE)
