"""What is put into a document, and what is left: judged by plain replacing of text, by JSON, nbformat and git."""

from __future__ import annotations

import json
import random
import re
import subprocess
from difflib import unified_diff

import pytest

from symcount.diagnostics import Diagnostic
from symcount.mending import applied, difference


def ended(text):
    """The text with a line end for every lone carriage return, as documents are read."""
    return re.sub(r"\r(?!\n)", "\n", text)


def finding(text, line, marked, fix, *, code="SC101", severity="error", path="a.md"):
    """What is marked in a line of a text, and what would replace it."""
    source = ended(text).split("\n")[line - 1].rstrip("\r")
    column = source.index(marked) + 1
    return Diagnostic(path, line, column, column + len(marked), code, severity, "no", None, "", fix, source)


SUMS = "2*3 = 5\n4*5 = 21\n5 + 21 = 26\n26*3 = 78\n"
CASES = {  # a text; (line, marked, fix, code, severity) of each finding; what it becomes
    "an error": (SUMS, [(1, "5", "6", "SC101", "error")], SUMS.replace("= 5", "= 6"), 1),
    "two errors": (SUMS, [(1, "5", "6", "SC101", "error"), (2, "21", "20", "SC101", "error")],
                   SUMS.replace("= 5", "= 6").replace("= 21", "= 20"), 2),
    "no fix": (SUMS, [(1, "5", None, "SC101", "error")], SUMS, 0),
    "a note": (SUMS, [(1, "5", "6", "SC401", "note"), (2, "21", "20", "SC301", "convention")], SUMS, 0),
    "carried after its root": (SUMS, [(1, "5", "6", "SC101", "error"), (3, "26", "27", "SC201", "carried")],
                               SUMS.replace("= 5", "= 6").replace("= 26", "= 27"), 2),
    "carried after a root without a fix": (
        SUMS, [(1, "5", "6", "SC101", "error"), (2, "21", None, "SC102", "error"), (3, "26", "27", "SC201", "carried")],
        SUMS.replace("= 5", "= 6"), 1),
    "carried before a root without a fix": (
        SUMS, [(1, "5", "6", "SC101", "error"), (3, "26", "27", "SC201", "carried"), (4, "78", None, "SC101", "error")],
        SUMS.replace("= 5", "= 6").replace("= 26", "= 27"), 2),
    "carried after an error of another kind": (
        SUMS, [(2, "21", None, "SC301", "error"), (3, "26", "27", "SC201", "carried")],
        SUMS.replace("= 26", "= 27"), 1),
    "in any order": (SUMS, [(3, "26", "27", "SC201", "carried"), (2, "21", None, "SC101", "error")], SUMS, 0),
    "the first of two that overlap": (SUMS, [(3, "21 = 26", "20 = 26", "SC101", "error"),
                                             (3, "26", "27", "SC101", "error")], SUMS.replace("21 = 26", "20 = 26"), 1),
    "carried after a root that was not put in": (
        SUMS, [(3, "21 = 26", "20 = 26", "SC101", "error"), (3, "26", "27", "SC101", "error"),
               (4, "78", "81", "SC201", "carried")], SUMS.replace("21 = 26", "20 = 26"), 1),
    "carried that overlaps an error": (
        SUMS, [(3, "21 = 26", "20 = 26", "SC101", "error"), (3, "26", "27", "SC201", "carried")],
        SUMS.replace("21 = 26", "20 = 26"), 1),
    "carried that begins before an error and overlaps it": (
        SUMS, [(3, "21 = 26", "20 = 26", "SC201", "carried"), (3, "26", "27", "SC101", "error")],
        SUMS.replace("= 26", "= 27"), 1),
    "the same twice": (SUMS, [(1, "5", "6", "SC101", "error"), (1, "5", "6", "SC102", "error"),
                              (3, "26", "27", "SC201", "carried")],
                       SUMS.replace("= 5", "= 6").replace("= 26", "= 27"), 2),
    "side by side": ("5,6", [(1, "5", "7", "SC101", "error"), (1, ",", ";", "SC101", "error"),
                             (1, "6", "8", "SC101", "error")], "7;8", 3),
    "line ends stay": ("2*3 = 5\r\nü = 5\r\n\r\n", [(2, "5", "6", "SC101", "error")], "2*3 = 5\r\nü = 6\r\n\r\n", 1),
    "a fix that is no line": (SUMS, [(1, "5", "6\n7", "SC101", "error"), (2, "21", "20\r", "SC101", "error")], SUMS, 0),
    "odd line ends": ("a\x0b\u2028\x85 = 5\r= 5\r\n= 5", [(1, "5", "6", "SC101", "error"),
                                                        (2, "5", "7", "SC101", "error"),
                                                        (3, "5", "8", "SC101", "error")],
                      "a\x0b\u2028\x85 = 6\r= 7\r\n= 8", 3),
}


@pytest.mark.parametrize("name", CASES)
def test_applied(name):
    text, told, becomes, count = CASES[name]
    found = [finding(text, line, marked, fix, code=code, severity=severity)
             for line, marked, fix, code, severity in told]
    assert applied(text, found) == (becomes, count)


@pytest.mark.parametrize("change", [
    {"line": 0}, {"line": 9}, {"column": 0}, {"end_column": 7}, {"end_column": 99}, {"source": "2*3 = 4"},
    {"source": ""}, {"source": "2*3 = 5 "}, {"line": 2}, {"column": 8, "end_column": 8}, {"column": 8},
], ids=str)
def test_what_was_not_read_is_not_mended(change):
    one = finding(SUMS, 1, "5", "6")._replace(**change)
    assert applied(SUMS, [one]) == (SUMS, 0)


def test_against_replacing_from_behind():
    """Fixes that do not overlap, put in one by one from the last to the first."""
    luck = random.Random(7)
    for _ in range(50):
        text = "".join(luck.choice("12 =\n×二\r") for _ in range(200))
        found, expected, read = [], list(text), ended(text)
        at = 0
        while (at := at + luck.randrange(1, 20)) < len(text) - 3:
            size = luck.randrange(1, 3)
            if "\n" in text[at:at + size + 1] or "\r" in text[at:at + size + 1]:
                continue
            line = read.count("\n", 0, at) + 1
            column = at - read.rfind("\n", 0, at)
            fix = luck.choice(["6", "77", "二二二"])
            found.append(Diagnostic("a.md", line, column, column + size, "SC101", "error", "no", None, "", fix,
                                    read.split("\n")[line - 1].rstrip("\r")))
            expected[at:at + size] = [fix, *[""] * (size - 1)]
            at += size
        luck.shuffle(found)
        assert applied(text, found) == ("".join(expected), len(found))


def notebook(*cells, indent=1, ascii_only=False):
    told = {"cells": [{"cell_type": kind, "id": f"c{i}", "metadata": {}, "source": source,
                       **({"execution_count": 1, "outputs": [{"name": "stdout", "output_type": "stream",
                                                             "text": ["2*3 = 5\n"]}]} if kind == "code" else {})}
                      for i, (kind, source) in enumerate(cells)],
            "metadata": {"zz": 1, "cells": {"source": "2*3 = 5"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(told, indent=indent, ensure_ascii=ascii_only, sort_keys=True)


PROSE = "# Ü \"quoted\" \\times\r\n\rwe get 🙂 2\\cdot 3 = 5 here\nand 4*5 = 21\n"
CODE = ("code", ["2*3 = 5"])


@pytest.mark.parametrize("source", [PROSE.splitlines(keepends=True), PROSE, list(PROSE),
                                    [PROSE[:30], PROSE[30:50], "", PROSE[50:]]],
                         ids=["lines", "one string", "signs", "pieces"])
@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_notebook_keeps_all_but_the_number(source, indent, ascii_only):
    text = notebook(CODE, ("markdown", source), CODE, indent=indent, ascii_only=ascii_only)
    marked, right = "5", "6\\,×"
    mended, count = applied(text, [finding(PROSE, 3, marked, right, path="d/nb.ipynb:cell 2"),
                                   finding(PROSE, 4, "1", "0", path="d/nb.ipynb:cell 2")])
    assert count == 2
    written = json.dumps(right, ensure_ascii=ascii_only)[1:-1]
    here = json.loads(text)["cells"][1]["source"]
    told = json.loads(mended)
    assert "".join(told["cells"][1]["source"]) == PROSE.replace("= 5", "= 6\\,×").replace("21", "20")
    assert len(told["cells"][1]["source"]) == len(here) if isinstance(here, list) else True
    told["cells"][1]["source"] = here
    assert told == json.loads(text)
    assert len(mended) == len(text) + len(written) - len(marked)
    assert mended.isascii() == ascii_only
    import nbformat

    nbformat.validate(nbformat.reads(mended, as_version=4))


@pytest.mark.parametrize(("path", "text"), [
    ("nb.ipynb:cell 1", notebook(CODE)),  # a program is no statement
    ("nb.ipynb:cell 1 output 1", notebook(("markdown", ["2*3 = 5"]))),
    ("nb.ipynb:cell 2", notebook(("markdown", ["2*3 = 5"]))),  # no such cell
    ("nb.ipynb:cell 1", notebook(("raw", ["2*3 = 5"]))),
    ("nb.ipynb:cell 1", notebook(("markdown", ["2*3 = 4"]))),  # says another thing
    ("nb.ipynb:cell 1", notebook(("markdown", []))),
    ("nb.ipynb:cell 1", "2*3 = 5"), ("nb.ipynb:cell 1", ""), ("nb.ipynb:cell 1", "[]"), ("nb.ipynb:cell 1", "{}"),
    ("nb.ipynb:cell 1", '{"cells": {"a": 1}}'), ("nb.ipynb:cell 1", '{"cells": [1]}'),
    ("nb.ipynb:cell 1", '{"cells": [{"cell_type": "markdown"}]}'), ("nb.ipynb:cell 1", '{"cells": 5}'),
    ("nb.ipynb:cell 1", '{"cells": [{"cell_type": "markdown", "source": 5}]}'),
    ("nb.ipynb:cell 1", '{"cells": [{"cell_type": "markdown", "source": [5]}]}'),
    ("nb.ipynb:cell 1", '{"cells": ' + "[" * 100_000), ("nb.ipynb:cell 1", notebook(("markdown", "2*3 = 5"))[:-9]),
], ids=range(18))
def test_what_cannot_be_mended_in_a_notebook_is_left(path, text):
    assert applied(text, [finding("2*3 = 5", 1, "5", "6", path=path)]) == (text, 0)


def test_what_is_marked_over_two_strings_is_left():
    text = notebook(("markdown", ["2*3 = 1", "5\n", "2*3 = 15"]))
    source = "2*3 = 15\n2*3 = 15"
    told = [finding(source, line, "15", "6", path="nb.ipynb:cell 1") for line in (1, 2)]
    mended, count = applied(text, told)
    assert (json.loads(mended)["cells"][0]["source"], count) == (["2*3 = 1", "5\n", "2*3 = 6"], 1)


def test_roots_are_those_of_all_cells_before():
    cells = [("markdown", SUMS.splitlines(keepends=True)), CODE, ("markdown", SUMS)]
    text = notebook(*cells)
    carried = [finding(SUMS, 3, "26", "27", code="SC201", severity="carried", path=f"nb.ipynb:cell {number}")
               for number in (1, 3)]
    printed = finding("2*3 = 5", 1, "5", "6", path="nb.ipynb:cell 2 output 1")
    mended, count = applied(text, [*carried, printed])
    assert count == 1
    assert "".join(json.loads(mended)["cells"][0]["source"]) == SUMS.replace("= 26", "= 27")
    assert json.loads(mended)["cells"][2]["source"] == SUMS
    assert applied(text, carried)[1] == 2


def changed(text, lines):
    return "".join(f"{i} {line}" if i in lines else line for i, line in enumerate(text.splitlines(keepends=True)))


@pytest.mark.parametrize("lines", [(), (0,), (9,), (19,), (0, 19), (3, 4, 5), (3, 5), (3, 10), (3, 11), (2, 9, 16),
                                   tuple(range(20))], ids=str)
@pytest.mark.parametrize("end", ["\n", ""])
def test_difference_is_that_of_difflib(lines, end):
    text = "".join(f"line {i}\n" for i in range(19)) + "last" + end
    mended = changed(text, lines)
    judged = unified_diff(text.splitlines(keepends=True), mended.splitlines(keepends=True), "a.md", "a.md")
    rows = [row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in judged]
    assert difference(text, mended, "a.md") == "".join(rows).removesuffix("\n")


@pytest.mark.parametrize("text", ["a = 5\n", "a = 5", "x\r\na = 5\r\ny\x0cz\n\n", "ü\n" * 20 + "= 5\n" + "二\n" * 20])
def test_git_puts_in_the_difference(tmp_path, text):
    mended = text.replace("5", "6")
    (tmp_path / "a.md").write_bytes(text.encode())
    patch = difference(text, mended, "a.md").encode() + b"\n"
    subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn", "-"], input=patch, cwd=tmp_path, check=True)
    assert (tmp_path / "a.md").read_bytes() == mended.encode()
