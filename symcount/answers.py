"""Answers to exercises, in the ways people write them: a number, a percentage, a shape, a matrix, a letter with one.

Each kind of answer knows what is expected, how it is read, and what small slips make of it.
"""

from __future__ import annotations

import re
from collections import namedtuple
from fractions import Fraction

from symcount.derivation import Figure
from symcount.digits import differing
from symcount.errors import ModelError, clipped
from symcount.forms import Number, Sum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Amount = namedtuple("Amount", "number unit", defaults=("",))  # a whole number; the unit in the plural
Percent = namedtuple("Percent", "share places", defaults=(2,))  # a Fraction, told in percent with so many decimals
Shape = namedtuple("Shape", "sizes")  # a tuple of whole numbers, or () for an error
Rows = namedtuple("Rows", "rows")  # a matrix of whole numbers
Picked = namedtuple("Picked", "letter value")  # a line, and one of the above

_LONGEST, _DIGITS = 400, 40  # characters of an answer, digits of a number in it
_NAMED = r"(?:[A-Za-z][\w ]{0,30})?[=≈]\s*"  # what people write before an answer: h =
_NUMBER = re.compile(rf"(?:{_NAMED})?([-−+]?)\s*(\d{{1,3}}(?:[,_ \u00a0\u202f']\d{{3}})+|\d+)(?:\.0+)?"
                     r"(?:\s*([A-Za-z][A-Za-z -]*))?\.?")
_PERCENT = re.compile(rf"(?:{_NAMED})?(\d{{1,3}})\.(\d{{1,20}})\s*(?:%|percent|per cent)?\.?")
_TIMES = re.compile(r"[x×*]|\bby\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SIGNED = re.compile(r"[-−]?\d{1,12}")
_ROW = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_LETTER = re.compile(r"(?:line\s+)?\(?([a-z])\)?(?:\s*[:,;.=]\s*|\s+)(?:is\s+)?(.+)", re.IGNORECASE | re.DOTALL)
_ERROR = ("error", "none", "undefined", "not defined", "impossible", "not possible")


def expected(answer: Any) -> str:
    """What form of answer is expected."""
    kind = type(answer)
    if kind is Amount:
        return f"a whole number{' of ' + answer.unit if answer.unit else ''}, as 12,345"
    if kind is Percent:
        return "a percentage with two decimals, as 12.34 %"
    if kind is Shape:
        return "a shape, as 3 x 5, or the word error"
    if kind is Rows:
        return "a matrix row by row, as [[1, 2], [3, 4]]"
    return f"a letter and {expected(answer.value)}: c, {_example(answer.value)}"


def _example(answer: Any) -> str:
    return "3 x 5" if type(answer) is Shape else "12,345"


def shown(answer: Any) -> tuple[Any, ...]:
    """The answer as pieces."""
    kind = type(answer)
    if kind is Amount:
        number = Number(abs(answer.number))
        return (Sum(((-1, number),)) if answer.number < 0 else number, *([" " + answer.unit] if answer.unit else []))
    if kind is Percent:
        whole, rest = divmod(_rounded(answer.share, answer.places), 10**answer.places)
        return (f"{whole}.{rest:0{answer.places}} %",)
    if kind is Shape:
        return (sizes(answer.sizes),)
    if kind is Rows:
        return (Figure(answer.rows),)
    return (f"({answer.letter}), ", *shown(answer.value))


def sizes(shape: Any) -> str:
    """A shape in words: `3 × 5` of a matrix, `(2, 3, 5)` of another array; `error` where there is none."""
    if not shape:
        return "error"
    if len(shape) == 2:
        return f"{shape[0]:,} × {shape[1]:,}"
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def read(text: str, like: Any) -> Any:
    """The answer that a text gives, of the kind that is expected.

    >>> read("101,770 parameters", Amount(7, "parameters")), read("(3, 5)", Shape((1, 2)))
    (Amount(number=101770, unit='parameters'), Shape(sizes=(3, 5)))
    >>> read("W = [[1, -2], [3, 4]]", Rows([[0, 0]]))
    Rows(rows=[[1, -2], [3, 4]])

    Raises ModelError, with the form that is expected, for what cannot be read.
    """
    found = _read(text.strip(), like) if len(text) <= _LONGEST else None
    if found is None:
        raise ModelError(f"cannot read '{clipped(text)}'; expected is {expected(like)}")
    return found


def _read(text: str, like: Any) -> Any:
    kind = type(like)
    if kind is Amount:
        number = _number(text, like.unit)
        return None if number is None else Amount(number, like.unit)
    if kind is Percent:
        return _percent(text)
    if kind is Shape:
        return _shape(text)
    if kind is Rows:
        return _rows(text)
    told = _LETTER.fullmatch(text)
    value = _read(told[2].strip(), like.value) if told else None
    return Picked(told[1].lower(), value) if told and value is not None else None


def _number(text: str, unit: str) -> int | None:
    told = _NUMBER.fullmatch(text)
    if not told or len(text) > 2 * _DIGITS:
        return None
    word, whole = ((one or "").strip().lower().replace("-", " ") for one in (told[3], unit))
    # A word that scales, as million or M, is none of the unit: what it makes of the number would have to be guessed.
    begun = whole.startswith(word) and (len(word) > 2 or whole == "bytes")
    if word and not (begun or (word, whole) in (("params", "parameters"), ("macs", "multiply adds"))):
        return None
    number = int(re.sub(r"\D", "", told[2]))
    return -number if told[1] in ("-", "−") else number


def _percent(text: str) -> Percent | None:
    told = _PERCENT.fullmatch(text)
    if not told or len(told[2]) < 2:
        return None
    places = len(told[2])
    return Percent(Fraction(int(told[1] + told[2]), 10 ** (places + 2)), places)


def _shape(text: str) -> Shape | None:
    if re.sub(r"^(it is |it's )?(an )?|\.$", "", text.lower()) in _ERROR:
        return Shape(())
    text = re.sub(rf"^{_NAMED}", "", text)
    bare = text[1:-1] if (text[:1], text[-1:]) in (("(", ")"), ("[", "]")) else text
    bare = bare.strip().removesuffix(",")
    if _TIMES.search(bare):  # then a comma is none between sizes: 27 × 32,670
        parts = [_THOUSANDS.sub("", part.strip()) for part in _TIMES.split(bare)]
    else:
        parts = [part.strip() for part in bare.split(",")]
    if len(parts) > 8 or not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in parts):
        return None
    return Shape(tuple(map(int, parts)))


def _rows(text: str) -> Rows | None:
    """Rows in brackets of their own, or one after another with semicolons."""
    bare = re.sub(r"\b[A-Za-z][A-Za-z_0-9]*\s*=", " ", text.replace("−", "-"))
    bare = re.sub(r"\band\b", " ", bare)
    if _ROW.search(bare):
        if bare.count("[") != bare.count("]") or bare.count("(") != bare.count(")"):
            return None
        groups, left = _ROW.findall(bare), _ROW.sub("", bare)
        if re.sub(r"[\[\](),;\s]", "", left):
            return None
    else:
        groups = [bare]
    rows = []
    for group in groups:
        for line in re.split(r"[;\n]", group):
            entries = line.replace(",", " ").split()
            if not entries or not all(_SIGNED.fullmatch(entry) for entry in entries):
                return None
            rows.append(list(map(int, entries)))
    return Rows(rows)


def same(given: Any, answer: Any) -> bool:
    """Whether an answer is this one; a percentage is when both are one number with the decimals that are given."""
    if type(answer) is Percent:
        return _rounded(given.share, given.places) == _rounded(answer.share, given.places)
    if type(answer) is Picked:
        return bool(given.letter == answer.letter and same(given.value, answer.value))
    return bool(given == answer)


def _rounded(share: Fraction, places: int) -> int:
    """A share in percent, counted in units of its last decimal; halves are rounded up."""
    return int((2 * share * 10 ** (places + 2) + 1) // 2)


def looks(given: Any, answer: Any) -> str:
    """What an answer that is not right has to do with the right one, of any exercise; "" where nothing is seen."""
    kind = type(answer)
    if kind is Amount and answer.number:
        return _near(given.number, answer.number)
    if kind is Percent:
        share, places = given
        if places > 3 and same(Percent(100 * share, places - 2), answer):
            return "that is the share as a number, which is a hundred times as much in percent"
        return "that is the rest: 100 % less the share" if same(Percent(1 - share, places), answer) else ""
    if kind is Shape and answer.sizes and given.sizes:
        return ("the order of the sizes is reversed: is something transposed?" if given.sizes == answer.sizes[::-1] else
                "the right sizes in another order" if sorted(given.sizes) == sorted(answer.sizes) else
                f"it has {len(answer.sizes)} sizes" if len(given.sizes) != len(answer.sizes) else "")
    if kind is Rows:
        return _matrix_near(given.rows, answer.rows)
    if kind is Picked and given.letter == answer.letter:
        return "the letter is right, what stands beside it is not"
    if kind is Picked and given.letter != answer.letter:
        return "it is another letter"
    return ""


def _near(given: int, right: int) -> str:
    if given == 2 * right:
        return "it is twice as much as it should be: is a factor of 2 too many?"
    if 2 * given == right:
        return "it is half of what it should be: is a factor of 2 missing?"
    if given == -right:
        return "the sign is wrong"
    said = differing(given, right) if abs(right) > 999 else ""
    return f"it differs in {said}: compute it once more" if said else ""


def _matrix_near(given: list[list[int]], right: list[list[int]]) -> str:
    if [len(row) for row in given] != [len(row) for row in right]:
        if [list(column) for column in zip(*right, strict=True)] == given:
            return "it is transposed"
        return f"it has {len(right)} row{'s' if len(right) > 1 else ''} of {len(right[0])}"
    if [list(column) for column in zip(*right, strict=True)] == given:
        return "it is transposed"
    wrong = sum(a != b for one, other in zip(given, right, strict=True) for a, b in zip(one, other, strict=True))
    return "one entry is wrong" if wrong == 1 else f"{wrong} entries are wrong"
