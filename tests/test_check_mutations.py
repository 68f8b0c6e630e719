"""One digit of a clean document is changed, a few hundred times: symcount finds it, or lists the statement as skipped.

What may be changed belongs to a statement of the sidecar: a figure that it prints, or a number of the expression before
it. Where nothing is said, the changed statement must still be true, which is evaluated here and not by symcount.

    python tests/test_check_mutations.py        how many of how many, by document
"""

from __future__ import annotations

import random
import re
from collections import Counter, namedtuple
from fractions import Fraction

import pytest

import corpus

# the clean documents that count networks: numbers of the others (prices, dates) state nothing that could be found
NETWORKS = ("adapters_and_bits.md", "bert_by_hand.md", "budget_note.tex", "cache_notes.md", "formula_paper.tex",
            "gates_qa.txt", "gpt2_sizes.md", "llama2_card.md", "mixture_counts.tex", "sizing.ipynb", "vision_counts.md")
EACH = 28  # changes of each document
PATHS = [path for path in corpus.documents("clean") if path.name in NETWORKS]
_TOKEN = re.compile(r"(?P<number>\d+(?:(?:\{,\}|\\,|,)\d{3})*(?:\.\d+)?)|(?P<times>\\{1,2}(?:cdot|times)|[x×·*](?!\*))"
                    r"|(?P<power>\^|\*\*)|(?P<plain>[-+/()])|(?P<blank>\s+|\\,)|(?P<brace>[{}])|(?P<square>²)")
_RELATION = re.compile(r"(?:=|≈|\\{1,2}approx|\|)[\s&$*{}]*$")

Change = namedtuple("Change", "text line before after statement column")


def tokens(text: str) -> list[tuple[str, str]]:
    """(kind, text) of the arithmetic that ends a text: what stands after the last sign that is none."""
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            found, at = [], at + 1
        else:
            found.append((token.lastgroup, token[0]))
            at = token.end()
    return found


def python(parts: list[tuple[str, str]]) -> str:
    kinds = {"times": "*", "power": "**", "blank": " ", "square": "**2"}
    written = []
    for kind, text in parts:
        if kind == "number":
            written.append(re.sub(r"[^\d.]", "", text))
        elif kind == "brace":
            written.append("(" if text == "{" else ")")
        else:
            written.append(kinds.get(kind, text))
    return "".join(written).strip()


def before(line: str, end: int, printed: str) -> tuple[int, str]:
    """(where it begins, the expression) of what equals the figure printed at `end`; (end, "") where nothing does."""
    relation = _RELATION.search(line, 0, end)
    if relation is None:
        return end, ""
    left = line[:relation.start()]
    parts = tokens(left)
    while parts:
        try:
            value = corpus.exact(python(parts))
        except (SyntaxError, AssertionError, TypeError, AttributeError, KeyError, ZeroDivisionError):
            value = None
        if value is not None and corpus.holds(printed, value):
            return len(left) - sum(len(text) for _, text in parts), python(parts)
        parts = parts[1:]
    return end, ""


def places(path) -> list[tuple[int, int, corpus.Statement]]:
    """(line, column, statement) of every digit that belongs to a statement which is right."""
    lines = corpus.text_of(path).split("\n")
    found = {}
    for statement in corpus.statements(path):
        if statement.verdict != "right" or corpus.figure(statement.printed) is None:
            continue
        line = lines[statement.line - 1]
        for shown in re.finditer(rf"(?<![\d.,]){re.escape(statement.printed)}(?![\d])", line):
            begin, _ = before(line, shown.start(), statement.printed)
            for column in range(begin, shown.end()):
                if line[column].isascii() and line[column].isdigit():
                    found.setdefault((statement.line, column), statement)
    return [(line, column, statement) for (line, column), statement in found.items()]


def changes(path) -> list[Change]:
    """The same ones in every run."""
    draw = random.Random(path.name)
    text = corpus.text_of(path)
    lines = text.split("\n")
    possible = places(path)
    made = []
    for line, column, statement in draw.sample(possible, min(EACH, len(possible))):
        old = lines[line - 1]
        first = column == 0 or not (old[column - 1].isdigit() or old[column - 1] in ".,}")
        digit = draw.choice([digit for digit in "0123456789"[first:] if digit != old[column]])
        new = old[:column] + digit + old[column + 1:]
        made.append(Change("\n".join([*lines[:line - 1], new, *lines[line:]]), line, old, new, statement, column))
    return made


def still_true(change: Change) -> bool:
    """Whether the statement holds after all, by the expression and the figure that are printed now."""
    old = change.before
    for shown in re.finditer(rf"(?<![\d.,]){re.escape(change.statement.printed)}(?![\d])", old):
        begin, expression = before(old, shown.start(), change.statement.printed)
        if not begin <= change.column < shown.end():
            continue
        printed = change.after[shown.start():shown.end()]
        true = corpus.exact(change.statement.expr)
        if change.column >= shown.start():  # a digit of the figure itself: what was exact must be so, 510 is not 512
            was_exact = corpus.figure(change.statement.printed)[0] == true
            return corpus.figure(printed)[0] == true if was_exact else corpus.holds(printed, true)
        relation = _RELATION.search(old, 0, shown.start())
        value = corpus.exact(python(tokens(change.after[begin:relation.start()])))
        return bool(expression) and corpus.holds(printed, value)
    return False


def said(findings) -> Counter:
    return Counter((found.line, found.column, found.severity, found.code, found.message) for found in findings)


def answered(change: Change, path, clean: Counter) -> str:
    """"found", "skipped" or "true" of a change that was dealt with; "missed"."""
    findings = corpus.inspected(path, change.text)
    new = said(findings) - clean
    if any(severity != "skipped" for _, _, severity, _, _ in new):
        return "found"
    # of a notebook, lines count within a cell: the source of a finding says which line it is
    if any(found.severity == "skipped" and found.source.strip() and (
            found.source.strip() in change.after or
            (path.suffix != ".ipynb" and found.line == change.line)) for found in findings):
        return "skipped"
    return "true" if still_true(change) else "missed"


# ---------------------------------------------------------------- the changes, before anything is checked with them

def test_there_are_a_few_hundred():
    assert len(PATHS) == len(NETWORKS)
    assert 250 <= sum(len(changes(path)) for path in PATHS) <= 400


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_changes_are_of_one_digit_and_break_most_statements(path):
    text, made = corpus.text_of(path), changes(path)
    for change in made:
        assert len(change.text) == len(text)
        assert sum(old != new for old, new in zip(text, change.text, strict=True)) == 1
    assert sum(still_true(change) for change in made) < len(made) / 5


def test_expressions_are_read_as_they_are_printed():
    assert before("12 x 768^2 + 13 x 768 = 7,087,872", 24, "7,087,872") == (0, "12 * 768**2 + 13 * 768")
    assert before(r"is $4 \cdot (3 + 1) = 16$", 22, "16") == (4, "4 * (3 + 1)")
    assert before("| words | 3 x 5 | 15 |", 18, "15") == (9, "3 * 5")
    assert before("| heads | 12 | 124,439,808 |", 15, "124,439,808") == (15, "")
    assert corpus.exact("12 * 768**2 + 13 * 768") == Fraction(7_087_872)


# ---------------------------------------------------------------- what is found

@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_changed_digit_is_found_or_skipped(path):
    clean = said(corpus.inspected(path))
    missed = [(change.line, change.before, change.after) for change in changes(path)
              if answered(change, path, clean) == "missed"]
    assert not missed


if __name__ == "__main__":
    whole: Counter[str] = Counter()
    for document in PATHS:
        baseline = said(corpus.inspected(document))
        outcome = Counter(answered(change, document, baseline) for change in changes(document))
        whole += outcome
        print(f"{document.name:24}", dict(outcome))
    print(f"{'together':24}", dict(whole))
