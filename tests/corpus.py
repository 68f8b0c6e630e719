"""Documents and claims with known answers, for the tests of `symcount check`: see data/documents/README.md.

What is printed and what is true are read here by other code than the one under test: an evaluator of a few lines over
Python's own grammar, and the rule of rounding.
"""

from __future__ import annotations

import ast
import json
import re
from collections import namedtuple
from fractions import Fraction
from pathlib import Path

DATA = Path(__file__).parent / "data"
# printed figures: separators, then what stands for a power of ten
_SEPARATORS = re.compile(r"(?<=\d)(?:\{,\}|\\,|[,_' ])(?=\d{3}(?!\d))")
_FIGURE = re.compile(r"[-−]?\d+(?:\.\d+)?")
_POWER = re.compile(r"(?:e\+?|\s*(?:\\times|\\cdot|x|×|·)\s*10(?:\^|\*\*)\{?)(\d+)")
_OPERATIONS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
               ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a ** int(b)}


class Statement(namedtuple("Statement", "line printed verdict expected root expr value missed",
                           defaults=(None, None, None))):
    """What a document states, one line of its sidecar.

    line      where it is printed, from 1; of a notebook, the line of its JSON
    printed   the text to find on that line
    verdict   right, wrong, carried, convention, approx or external
    expected  the exact number in the unit that is printed, "a/b" where no decimal ends; None for external
    root      of what is carried, the line of the wrong statement that it comes from
    expr      what `expected` is the value of
    value     the printed figure in plain digits, where a text writes it in its country's way
    missed    why the linter does not find it, though a reader would
    """

    __slots__ = ()

    @property
    def figure(self) -> str:
        return self.value or self.printed


Claim = namedtuple("Claim", "id text model verdict expected could printed expr also why otherwise",
                   defaults=(None, None, None, None, None, None, None, None, None, None))


def documents(kind: str) -> list[Path]:
    """The texts of data/documents/faulty or clean, without their sidecars."""
    return sorted(path for path in (DATA / "documents" / kind).iterdir() if path.suffix != ".jsonl")


def statements(path: Path) -> list[Statement]:
    """What the sidecar of a document says; nothing where it has none."""
    sidecar = path.with_suffix(".jsonl")
    if not sidecar.exists():
        return []
    return [Statement(**json.loads(row)) for row in sidecar.read_text(encoding="utf-8").splitlines()]


def claims() -> list[Claim]:
    rows = (DATA / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [Claim(**json.loads(row)) for row in rows]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def exact(expression: str) -> Fraction:
    """The value of `3*768*96*8 + 768**2`, of `87.737856` or of `1/3`, as a fraction.

    >>> exact("2*3**2 + 0.1")
    Fraction(181, 10)
    """
    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant):
            return Fraction(ast.get_source_segment(expression, node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        assert isinstance(node, ast.BinOp), expression
        return _OPERATIONS[type(node.op)](value(node.left), value(node.right))
    return value(ast.parse(expression, mode="eval").body)


def figure(printed: str) -> tuple[Fraction, Fraction] | None:
    r"""(value, what its last digit counts) of the first figure in a text, None where there is none.

    Trailing zeros of a whole number are not significant, those after a point are.

    >>> figure("30{,}720"), figure("110M")
    ((Fraction(30720, 1), Fraction(10, 1)), (Fraction(110, 1), Fraction(10, 1)))
    >>> figure(r"6.7 \times 10^{8}")
    (Fraction(670000000, 1), Fraction(10000000, 1))
    """
    plain = _SEPARATORS.sub("", printed)
    found = _FIGURE.search(plain)
    if found is None:
        return None
    digits = found[0].replace("−", "-")
    whole, _, after = digits.partition(".")
    place = -len(after) if after else len(whole) - len(whole.rstrip("0")) if whole.strip("-0") else 0
    power = _POWER.match(plain, found.end())
    shift = int(power[1]) if power else 0
    return Fraction(digits) * Fraction(10) ** shift, Fraction(10) ** (place + shift)


def holds(printed: str, true: Fraction) -> bool:
    """Whether the exact number rounds to the figure; a text without a figure says nothing that could fail.

    >>> holds("110M", exact("109.48")), holds("8.1B", exact("8.03")), holds("two thirds", exact("0.64"))
    (True, False, True)
    """
    shown = figure(printed)
    return shown is None or abs(true - shown[0]) <= shown[1] / 2


def inspected(path: Path, text: str | None = None) -> list:
    """What symcount says about a document, or about a text in its place."""
    from symcount.lint import inspect

    return inspect(text_of(path) if text is None else text, path=path.name)


def marked(finding) -> str:
    return finding.source[finding.column - 1:finding.end_column - 1]


def bare(text: str) -> str:
    """The digits and the point of the first figure, however they are separated."""
    found = re.search(r"\d+(?:\.\d+)?", _SEPARATORS.sub("", text))
    return found[0] if found else text


def told(statement: Statement, findings: list) -> list:
    """The findings whose mark holds what the statement prints, or a figure of it."""
    wanted = bare(statement.printed)
    return [found for found in findings if found.line == statement.line
            and re.search(rf"(?<![\d.]){re.escape(wanted)}(?![\d]|\.\d)", _SEPARATORS.sub("", marked(found)))]


def verdict(findings: list) -> str:
    """The word for what was found about one statement, the gravest first.

    >>> verdict([])
    'right'
    """
    grave = {found.severity for found in findings}
    words = {"error": "wrong", "carried": "carried", "note": "approx", "convention": "convention",
             "skipped": "external"}
    return next((word for severity, word in words.items() if severity in grave), "right")
