"""`symcount check` on whole documents: the faulty ones to the line and the exact value, the clean ones in silence.

    python tests/test_check_corpus.py        precision and recall for each verdict
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter

import pytest

import corpus
from documents import DOCUMENTS

VERDICTS = ("right", "wrong", "carried", "convention", "approx", "external")
ALARMS = ("error", "carried")
FAULTY, CLEAN = corpus.documents("faulty"), corpus.documents("clean")
ALL = [*FAULTY, *CLEAN]
STATED = [(path, statement) for path in ALL for statement in corpus.statements(path)]


def named(path) -> str:
    return path.name


# ---------------------------------------------------------------- the answers, before anything is checked with them

def test_there_is_enough_of_both():
    assert len(FAULTY) >= 16
    assert len(CLEAN) >= 24
    assert {path.suffix for path in CLEAN} == {".md", ".tex", ".txt", ".ipynb"}
    assert {statement.verdict for _, statement in STATED} == set(VERDICTS)
    stems = [path.stem for path in ALL]
    assert len(set(stems)) == len(stems)  # a sidecar belongs to one document


@pytest.mark.parametrize("path", ALL, ids=named)
def test_answers_are_on_their_lines(path):
    lines = corpus.text_of(path).split("\n")
    for statement in corpus.statements(path):
        assert statement.printed in lines[statement.line - 1], statement


@pytest.mark.parametrize("path", ALL, ids=named)
def test_answers_are_true(path):
    for statement in corpus.statements(path):
        if statement.verdict == "external":
            assert statement.expected is None is statement.expr, statement
            continue
        true = corpus.exact(statement.expr)
        assert true == corpus.exact(statement.expected), statement
        if statement.verdict == "right":
            assert corpus.holds(statement.figure, true), statement
        if statement.verdict in ("wrong", "carried"):
            assert not corpus.holds(statement.figure, true), statement


@pytest.mark.parametrize("path", FAULTY, ids=named)
def test_what_is_carried_comes_from_a_root(path):
    stated = corpus.statements(path)
    wrong = {statement.line for statement in stated if statement.verdict == "wrong"}
    assert 25 <= len(corpus.text_of(path).splitlines()) <= 50
    for statement in stated:
        assert (statement.root in wrong) if statement.verdict == "carried" else statement.root is None, statement


@pytest.mark.parametrize("path", CLEAN, ids=named)
def test_clean_documents_are_clean(path):
    assert not [statement for statement in corpus.statements(path) if statement.verdict in ("wrong", "carried")]


# ---------------------------------------------------------------- what is found

def faults(findings) -> set:
    return {(found.line, found.severity, found.expected) for found in findings if found.severity in ALARMS}


@pytest.mark.parametrize("path", FAULTY, ids=named)
def test_faults_are_found_and_nothing_else(path):
    severities = {"wrong": "error", "carried": "carried"}
    wanted = {(statement.line, severities[statement.verdict], corpus.exact(statement.expected))
              for statement in corpus.statements(path) if statement.verdict in severities and not statement.missed}
    assert faults(corpus.inspected(path)) == wanted


@pytest.mark.parametrize("path", FAULTY, ids=named)
def test_faults_are_marked_where_they_are_printed(path):
    lines = corpus.text_of(path).split("\n")
    stated = [statement for statement in corpus.statements(path) if statement.verdict in ("wrong", "carried")]
    for found in corpus.inspected(path):
        assert found.source == lines[found.line - 1].rstrip("\r"), found
        assert 1 <= found.column < found.end_column <= len(found.source) + 1, found
        if found.severity in ALARMS:
            assert any(found in corpus.told(statement, [found]) for statement in stated), found


@pytest.mark.parametrize("path", FAULTY, ids=named)
def test_rewrites_print_what_is_true(path):
    for found in corpus.inspected(path):
        if found.fix is not None:
            assert corpus.figure(found.fix) is not None, found
            assert corpus.holds(found.fix, found.expected), found


@pytest.mark.parametrize("path", [*CLEAN, *DOCUMENTS], ids=named)
def test_clean_documents_stay_silent(path):
    assert not [found for found in corpus.inspected(path) if found.severity in ALARMS]


# ---------------------------------------------------------------- the table

def table() -> str:
    """What was said about each statement of the faulty documents and of the clean ones, against what is so."""
    seen: Counter[tuple[str, str]] = Counter()
    values, read, loose = 0, 0, 0
    for path in ALL:
        stated, findings = corpus.statements(path), corpus.inspected(path)
        used = set()
        for statement in stated:
            about = corpus.told(statement, findings)
            used.update(map(id, about))
            word = corpus.verdict(about)
            seen[statement.verdict, word] += 1
            read += word != "external"
            if word == statement.verdict in ("wrong", "carried"):
                values += any(found.expected == corpus.exact(statement.expected) for found in about)
        loose += sum(id(found) not in used and found.severity in ALARMS for found in findings)
    rows = [f"{'verdict':12}{'stated':>8}{'said':>8}{'agree':>8}{'precision':>11}{'recall':>9}"]
    for word in VERDICTS:
        stated = sum(seen[word, other] for other in VERDICTS)
        said = sum(seen[other, word] for other in VERDICTS)
        agree = seen[word, word]
        rows.append(f"{word:12}{stated:8}{said:8}{agree:8}{agree / said if said else 1:11.3f}"
                    f"{agree / stated if stated else 1:9.3f}")
    mixed = [f"{count} {stated} said to be {word}" for (stated, word), count in sorted(seen.items()) if stated != word]
    found = sum(seen[word, word] for word in ("wrong", "carried"))
    return "\n".join([*rows, "", f"{read} of {sum(seen.values())} statements were read as claims",
                      f"{values} of {found} faults have the exact value; {loose} alarms belong to no statement",
                      *itertools.chain(mixed)])


if __name__ == "__main__":
    print(table())
    sys.exit(0)
