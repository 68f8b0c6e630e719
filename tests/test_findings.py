"""Findings as they are shown: text with carets, annotations, SARIF and data."""

from __future__ import annotations

import json
import unicodedata
from fractions import Fraction

import pytest

from symcount import __version__
from symcount.diagnostics import SEVERITIES, Diagnostic
from symcount.render import findings, github, sarif


def finding(source, marked, *, path="notes.md", line=24, code="SC101", severity="error", message="no", **more):
    """What is marked in a line, found by what it says."""
    column = source.index(marked) + 1
    return Diagnostic(path, line, column, column + len(marked), code, severity, message, source=source, **more)


LONG = r"$\text{Attention Params} = " + "3 \\times 768 \\times 96 \\times 8 + " * 5 + r"768 \times 768 = 1,769,472$"

ROWS = [  # a finding, the rows below its first
    (finding("2 * 3 = 5", "5"),
     ["   24 | 2 * 3 = 5",
      "      |         ^"]),
    (finding("2 * 3 = 5,000", "5,000", line=7, help="write 6"),
     ["    7 | 2 * 3 = 5,000",
      "      |         ^^^^^",
      "   help: write 6"]),
    (finding("\t- 2 *\t3 = 5", "5", line=1234567),
     ["1234567 |     - 2 *    3 = 5",
      "        |                  ^"]),
    (finding("参数 2 × 3 = 五 5", "五 5"),
     ["   24 | 参数 2 × 3 = 五 5",
      "      |              ^^^^"]),
    (finding("e\u0301te\u0301 2\u202f×\xa03 = 5 🙂", "5 🙂"),
     ["   24 | e\u0301te\u0301 2\u202f×\xa03 = 5 🙂",
      "      |             ^^^^"]),
    (finding("a\x1b[31m\u202e\u200b = 5\r", "5"),
     ["   24 | a\\x1b[31m\\u202e\\u200b = 5\\r",
      "      |                         ^"]),
    (finding("a\x07b", "\x07"),
     ["   24 | a\\x07b",
      "      |  ^^^^"]),
    (finding("x" * 99 + "5", "5"),
     ["   24 | " + "x" * 99 + "5",
      "      | " + " " * 99 + "^"]),
    (finding("x" * 100 + "5", "5"),
     ["   24 | …" + "x" * 97 + "5",
      "      | " + " " * 98 + "^"]),
    (finding("5" + "x" * 100, "5"),
     ["   24 | 5" + "x" * 97 + "…",
      "      | ^"]),
    (finding("x" * 1000 + "5" + "y" * 1000, "5"),
     ["   24 | …" + "x" * 73 + "5" + "y" * 24 + "…",
      "      | " + " " * 74 + "^"]),
    (finding("x" * 1000 + "5" * 300 + "y" * 1000, "5" * 300),
     ["   24 | …" + "5" * 98 + "…",
      "      |  " + "^" * 98]),
    (finding("二" * 300 + "5" + "y" * 9, "5"),
     ["   24 | …" + "二" * 44 + "5" + "y" * 9,
      "      | " + " " * 89 + "^"]),
    (finding(LONG, "1,769,472"),
     ["   24 | … + 3 \\times 768 \\times 96 \\times 8 + 3 \\times 768 \\times 96 \\times 8 + 768 \\times 768 = "
      "1,769,472$",
      "      | " + " " * 89 + "^^^^^^^^^"]),
    (Diagnostic("a.md", 3, 1, 1, "", "skipped", "not read", source=""), []),
    (Diagnostic("a.md", 3, 5, 9, "SC101", "error", "ends early", source="abcd"),
     ["    3 | abcd",
      "      |     ^"]),
    (Diagnostic("a.md", 3, 50, 40, "SC101", "error", "stands nowhere", source="abcd"),
     ["    3 | abcd",
      "      |     ^"]),
]


@pytest.mark.parametrize(("one", "rows"), ROWS, ids=range(len(ROWS)))
def test_rows(one, rows):
    shown = findings.text([one]).split("\n\n")[0].split("\n")
    assert shown[1:] == rows


def wide(words):
    """Columns of a terminal, another way: by name of the character's properties."""
    return sum((unicodedata.east_asian_width(sign) in "WF") + 1 for sign in words if not unicodedata.combining(sign))


@pytest.mark.parametrize("shift", range(0, 400, 7))
@pytest.mark.parametrize("signs", ["x", "二", "ab二", "\ta", "e\u0301", "\x1b二"])
def test_a_long_line_is_clipped_around_the_mark(signs, shift):
    before, after = (signs * 400)[:shift], (signs * 400)[:400 - shift]
    one = finding(before + "«42»" + after, "«42»")
    row, carets = (line[8:] for line in findings.text([one]).split("\n")[1:3])
    assert wide(row) <= 100
    at = row.index("«")
    assert carets == " " * wide(row[:at]) + "^^^^"


def test_heads_and_summary():
    told = [Diagnostic("a\x1b.md", 1, 2, 3, "SC101", "error", "two\nlines"),
            Diagnostic("nb.ipynb:cell 3", 4, 5, 6, "SC201", "carried", "right"),
            Diagnostic("a.md", 1, 2, 3, "", "skipped", "who knows")]
    assert findings.text(told).split("\n\n") == [
        "a\\x1b.md:1:2: SC101 error: two\\nlines", "nb.ipynb:cell 3:4:5: SC201 carried: right",
        "a.md:1:2: skipped: who knows", "1 error, 1 carried, 1 not judged"]


@pytest.mark.parametrize(("severities", "hidden", "line"), [
    ("", "", ""), ("error", "", "1 error"), ("error error carried", "", "2 errors, 1 carried"),
    ("error error carried carried carried carried carried", "note convention note",
     "2 errors, 5 carried; 3 notes not shown: --notes"),
    ("convention note note skipped", "", "1 convention, 2 notes, 1 not judged"),
    ("", "note", "1 note not shown: --notes"),
    ("error", "skipped skipped", "1 error; 2 not judged: --skipped"),
    ("", "note skipped", "1 note not shown: --notes; 1 not judged: --skipped"),
])
def test_summaries(severities, hidden, line):
    shown, others = ([Diagnostic("a.md", 1, 1, 2, "SC101", one, "no") for one in words.split()]
                     for words in (severities, hidden))
    assert findings.text(shown, others).split("\n\n")[-1] == line


def test_a_megabyte_in_a_line_is_quick():
    """Each finding looks at what is around it: ten thousand of them in one line walk a few signs each."""
    source = "1,234 = 5; " * 100_000
    told = [Diagnostic("a.md", 1, at, at + 1, "SC101", "error", "no", source=source) for at in range(1, 10**6, 100)]
    assert findings.text(told).count("^") == len(told)


COMMANDS = [
    (Diagnostic("a.md", 24, 7, 9, "SC101", "error", "50 % of a::b\r\nis, no", help="write 6"),
     "::error title=SC101,file=a.md,line=24,col=7,endColumn=9::50 %25 of a::b%0D%0Ais, no%0Ahelp: write 6"),
    (Diagnostic("a,b:c 100%.md", 1, 2, 3, "SC201", "carried", "right"),
     "::warning title=SC201,file=a%2Cb%3Ac 100%25.md,line=1,col=2,endColumn=3::right"),
    (Diagnostic("a.md", 1, 2, 3, "SC301", "convention", "as PaLM counts"),
     "::notice title=SC301,file=a.md,line=1,col=2,endColumn=3::as PaLM counts"),
    (Diagnostic("a.md", 1, 2, 3, "SC401", "note", "110\xa0M \x1b[31m"),
     "::notice title=SC401,file=a.md,line=1,col=2,endColumn=3::110\xa0M %1B[31m"),
    (Diagnostic("a.md", 1, 2, 3, "", "skipped", "who knows"),
     "::notice title=skipped,file=a.md,line=1,col=2,endColumn=3::who knows"),
    (Diagnostic("d/NB.IPYNB:cell 3 output", 4, 5, 6, "SC401", "note", "no"),
     "::notice title=SC401,file=d/NB.IPYNB,line=1,col=1,endColumn=1::cell 3 output, line 4, column 5: no"),
    (Diagnostic("d/nb.ipynb:cell 3", 4, 5, 6, "SC101", "error", "no"),
     "::error title=SC101,file=d/nb.ipynb,line=1,col=1,endColumn=1::cell 3, line 4, column 5: no"),
]


@pytest.mark.parametrize(("one", "line"), COMMANDS, ids=range(len(COMMANDS)))
def test_github(one, line):
    assert github.findings([one]) == line


def test_github_has_a_line_for_each():
    told = [one for one, _ in COMMANDS]
    assert github.findings(told).split("\n") == [line for _, line in COMMANDS]
    assert github.findings([]) == ""


RULES = [("SC101", "wrong-value", "A value that is not the expression's."), ("SC201", "wrong-sum", "A sum."),
         ("SC999", "unused", "Nothing was found by it.")]


def test_sarif():
    told = sarif.findings([one for one, _ in COMMANDS], RULES)
    assert json.loads(json.dumps(told)) == told
    assert told["version"] == "2.1.0"
    run, = told["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["tool"]["driver"] == {"name": "symcount", "version": __version__, "rules": [
        {"id": "SC101", "name": "wrong-value", "shortDescription": {"text": "A value that is not the expression's."}},
        {"id": "SC201", "name": "wrong-sum", "shortDescription": {"text": "A sum."}}]}
    assert [one.get("ruleIndex") for one in run["results"]] == [0, 1, None, None, None, None, 0]
    assert [one.get("ruleId") for one in run["results"]] == ["SC101", "SC201", "SC301", "SC401", None, "SC401", "SC101"]
    assert [(one.get("kind", "fail"), one["level"]) for one in run["results"]] == [
        ("fail", "error"), ("fail", "warning"), ("fail", "note"), ("fail", "note"), ("open", "none"), ("fail", "note"),
        ("fail", "error")]
    assert [one["message"]["text"] for one in run["results"][::6]] == [
        "50 % of a::b\r\nis, no\nhelp: write 6", "cell 3, line 4, column 5: no"]
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    assert places[0] == {"artifactLocation": {"uri": "a.md"},
                         "region": {"startLine": 24, "startColumn": 7, "endColumn": 9}}
    assert places[1]["artifactLocation"]["uri"] == "a%2Cb%3Ac%20100%25.md"
    assert places[6] == {"artifactLocation": {"uri": "d/nb.ipynb"},
                         "region": {"startLine": 1, "startColumn": 1, "endColumn": 1}}


@pytest.mark.parametrize(("path", "uri"), [
    ("a b/ü.md", "a%20b/%C3%BC.md"), ("../x.md", "../x.md"), ("/x/y z.md", "file:///x/y%20z.md"),
    ("<stdin>", "%3Cstdin%3E"), ("c:x.md", "c%3Ax.md"), ("\udcff.md", "%FF.md"), ("a?b#c.md", "a%3Fb%23c.md"),
])
def test_sarif_addresses(path, uri):
    told = sarif.findings([Diagnostic(path, 1, 1, 2, "SC101", "error", "no")], [])
    assert told["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize("severity", SEVERITIES)
def test_every_severity_is_shown(severity):
    one = Diagnostic("a.md", 1, 1, 2, "SC101", severity, "no")
    assert findings.text([one]).startswith(f"a.md:1:1: SC101 {severity}: no")
    assert github.findings([one]).endswith("::no")
    assert sarif.findings([one], [])["runs"][0]["results"][0]["level"] in ("error", "warning", "note", "none")
    assert findings.data([one])[0]["severity"] == severity


EXACT = [  # a number, and the JSON it is written as
    (None, "null"), (0, "0"), (2_359_296, "2359296"), (2**53, "9007199254740992"), (2**53 + 1, '"9007199254740993"'),
    (-2**53 - 1, '"-9007199254740993"'), (Fraction(27, 2), "13.5"), (Fraction(-1, 8), "-0.125"),
    (Fraction(6, 1), "6"), (Fraction(1, 3), '"1/3"'), (Fraction(123_456_789_012_345, 10**6), "123456789.012345"),
    (Fraction(1_234_567_890_123_457, 10**6), '"1234567890123457/1000000"'),
    (Fraction(1, 10**7), "1e-07"), (Fraction(10**400 + 1, 2), f'"1{"0" * 399}1/2"'),
    (Fraction(1, 2**60), '"1/1152921504606846976"'), (Fraction(1, 10**400), f'"1/1{"0" * 400}"'),
]


@pytest.mark.parametrize(("number", "written"), EXACT, ids=[written[:24] for _, written in EXACT])
def test_expected_is_exact(number, written):
    told, = findings.data([Diagnostic("a.md", 1, 2, 3, "SC101", "error", "no", number, "do", "6", "line")])
    shown = json.dumps(told["expected"])
    assert shown == written
    if number is not None:
        assert Fraction(json.loads(shown, parse_float=Fraction)) == number
    assert {**told, "expected": None} == {
        "path": "a.md", "line": 1, "column": 2, "end_column": 3, "code": "SC101", "severity": "error",
        "message": "no", "expected": None, "help": "do", "fix": "6"}
