"""What was found in documents: as text with carets under what is marked, and as data for JSON."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import accumulate
from unicodedata import category, east_asian_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from symcount.diagnostics import Diagnostic

_WIDTH = 100  # of a line that is shown; a longer one is clipped around what is marked
_TAB = " " * 4
_DIGITS = 15  # a decimal of so many comes back from JSON as it was


def text(diagnostics: Sequence[Diagnostic], hidden: Sequence[Diagnostic] = ()) -> str:
    """Each finding with the line that it is in; at the end how many there are, and of what is hidden how many.

    >>> from symcount.diagnostics import Diagnostic
    >>> print(text([Diagnostic("a.md", 7, 7, 8, "SC101", "error", "2 × 3 is 6", 6, "write 6", "6", "2*3 = 5")]))
    a.md:7:7: SC101 error: 2 × 3 is 6
        7 | 2*3 = 5
          |       ^
       help: write 6
    <BLANKLINE>
    1 error
    """
    return "\n\n".join([*map(_finding, diagnostics), *filter(None, [_summary(diagnostics, hidden)])])


def data(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """Findings for JSON, without the source line; `expected` as `exact` gives it, `fix` what would be written."""
    return [{"path": one.path, "line": one.line, "column": one.column, "end_column": one.end_column, "code": one.code,
             "severity": one.severity, "message": one.message, "expected": exact(one.expected), "help": one.help,
             "fix": one.fix}
            for one in diagnostics]


def exact(number: int | Fraction | None) -> Any:
    """An exact number as every reader of JSON gets it back: a number, digits beyond 2**53, else "a/b".

    >>> exact(6), exact(2**60), exact(Fraction(27, 2)), exact(Fraction(1, 3))
    (6, '1152921504606846976', 13.5, '1/3')
    """
    if number is None:
        return None
    whole = int(number)
    if whole == number:
        return whole if abs(whole) <= 2**53 else str(whole)
    try:
        near = float(number)
    except OverflowError:
        return str(number)
    digits = repr(near).partition("e")[0].replace(".", "").lstrip("-0")
    return near if len(digits) <= _DIGITS and Fraction(repr(near)) == number else str(number)


def parted(path: str) -> tuple[str, str]:
    """The file of a path, and the cell of it.

    >>> parted("a.ipynb:cell 3"), parted("a.md")
    (('a.ipynb', 'cell 3'), ('a.md', ''))
    """
    at = path.lower().rfind(".ipynb:cell ") + len(".ipynb")
    return (path[:at], path[at + 1:]) if at >= len(".ipynb") else (path, "")


def said(one: Diagnostic) -> str:
    """The message, after the place in a cell, which no line of the file is, and before what to do."""
    cell = parted(one.path)[1]
    return "".join([f"{cell}, line {one.line}, column {one.column}: " if cell else "", one.message,
                    f"\nhelp: {one.help}" if one.help else ""])


def region(one: Diagnostic) -> tuple[int, int, int]:
    """Line, column and end of what is marked; of a cell the beginning of the file."""
    return (1, 1, 1) if parted(one.path)[1] else (one.line, one.column, one.end_column)


def shown(words: str) -> str:
    r"""A stranger's text as a terminal may have it: tabs are four blanks, other control characters are escaped.

    >>> shown("\tH₂\x1b[31m")
    '    H₂\\x1b[31m'
    """
    return "".join(sign if sign.isprintable() or category(sign) == "Zs" else _TAB if sign == "\t" else repr(sign)[1:-1]
                   for sign in words)


def _finding(one: Diagnostic) -> str:
    kind = f"{one.code} {one.severity}" if one.code else one.severity
    rows = [f"{one.path}:{one.line}:{one.column}: {kind}: {one.message}"]
    if one.source:
        line, before, marked = _excerpt(one.source, one.column - 1, one.end_column - 1)
        number = f"{one.line:>5}"
        rows += [f"{number} | {line}", f"{' ' * len(number)} | {' ' * before}{'^' * marked}"]
    if one.help:
        rows.append(f"   help: {one.help}")
    return "\n".join(shown(row).rstrip() for row in rows)


def _excerpt(source: str, start: int, end: int) -> tuple[str, int, int]:
    """The line around source[start:end], and how many columns are before the mark and in it, which is at least one."""
    start = min(start, len(source))
    low = max(0, start - _WIDTH)
    near = [shown(sign) for sign in source[low:start + 2 * _WIDTH]]  # a line of a megabyte is not walked
    columns = [0, *accumulate(sum(map(_columns, signs)) for signs in near)]  # before each sign
    at, to = start - low, max(start, min(end, low + len(near))) - low
    first, last = 0, len(near)
    if low or low + len(near) < len(source) or columns[-1] > _WIDTH:
        first, last = _window(columns, at, to)
    left, right = "…" if low + first else "", "…" if low + last < len(source) else ""
    line = left + "".join(near[first:last]) + right
    return line, len(left) + columns[at] - columns[first], max(1, columns[min(to, last)] - columns[at])


def _window(columns: list[int], at: int, to: int) -> tuple[int, int]:
    """From where to where a long line is shown: what is marked, a little after it, and as much before it as fits."""
    room = _WIDTH - 2  # "…" at both ends
    last = bisect_right(columns, min(columns[to] + room // 4, columns[at] + room)) - 1
    first = bisect_left(columns, columns[last] - room)
    return first, bisect_right(columns, columns[first] + room) - 1


def _columns(sign: str) -> int:
    """How many columns of a terminal a character takes."""
    return 0 if category(sign) in ("Mn", "Me") else 2 if east_asian_width(sign) in ("W", "F") else 1


# A severity as it is counted: of one, and of several
_COUNTED = {"error": ("error", "errors"), "carried": ("carried", "carried"),
            "convention": ("convention", "conventions"), "note": ("note", "notes"),
            "skipped": ("not judged", "not judged")}


def _summary(diagnostics: Sequence[Diagnostic], hidden: Sequence[Diagnostic]) -> str:
    counts = [(sum(one.severity == severity for one in diagnostics), words) for severity, words in _COUNTED.items()]
    notes = sum(one.severity in ("convention", "note") for one in hidden)
    skipped = sum(one.severity == "skipped" for one in hidden)
    told = [", ".join(f"{count:,} {words[count > 1]}" for count, words in counts if count),
            f"{notes:,} {_COUNTED['note'][notes > 1]} not shown: --notes" if notes else "",
            f"{skipped:,} not judged: --skipped" if skipped else ""]
    return "; ".join(filter(None, told))
