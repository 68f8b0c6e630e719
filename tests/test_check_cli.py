"""`symcount check` as it is called: what is read, selected, shown, mended and refused, and with which status.

Most of it is judged with an inspector of a few lines, which knows products of two numbers; the last part is real.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from symcount import checks
from symcount.cli import main
from symcount.diagnostics import Diagnostic
from symcount.entries import entries
from symcount.errors import ModelError
from symcount.lint import Examined

PRODUCT = re.compile(r"(\d+)\*(\d+) = ([\d,]+)( again| GiB| or so)?")
KINDS = {" again": ("SC201", "carried"), " GiB": ("SC301", "convention"), " or so": ("SC401", "note")}


def inspect(text, path="<text>", model=None, notation=None):
    """Products that are wrong, and lines with "faster", which nobody can judge; a notebook cell by cell."""
    if path.endswith(".ipynb"):
        try:
            cells = json.loads(text)["cells"]
        except ValueError:
            raise ModelError(f"{path}: no notebook") from None
        return [one for number, cell in enumerate(cells, start=1)
                for one in inspect("".join(cell["source"]), f"{path}:cell {number}")]
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        source = line.rstrip("\r")
        for one in PRODUCT.finditer(source):
            value = int(one[1]) * int(one[2])
            code, severity = KINDS.get(one[4], ("SC101", "error"))
            if value != int(one[3].replace(",", "")):
                found.append(Diagnostic(path, number, one.start(3) + 1, one.end(3) + 1, code, severity,
                                        f"{one[1]} × {one[2]} is {value:,}", value, f"write {value:,}", f"{value:,}",
                                        source))
        if "faster" in source:
            at = source.index("faster") + 1
            found.append(Diagnostic(path, number, at, at + 6, "", "skipped", "a speed is measured", source=source))
    return found


def examine(text, path="<text>", model=None, notation=None):
    """The findings of the inspector, and how many products it has judged."""
    return Examined(inspect(text, path), len(PRODUCT.findall(text)))


PAGES = {"wrong_value": ("SC101", "A value.\n\nWhat it does\n    It multiplies."), "wrong_sum": ("SC201", "A sum."),
         "other_unit": ("SC301", "A unit."), "rounded": ("SC401", "A rounding.")}


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """The inspector above, and four checks, in an empty folder."""
    monkeypatch.setattr("symcount.lint.examine", examine)
    monkeypatch.setattr("symcount.checks.entries", lambda package: sorted(PAGES))
    monkeypatch.setattr("symcount.checks.entry", lambda package, name, unknown: SimpleNamespace(
        CODE=PAGES[name][0], __doc__=PAGES[name][1]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(capsys, *words):
    """(status, standard output, standard error) of one call."""
    status = main(list(words))
    told = capsys.readouterr()
    return status, told.out, told.err


RIGHT, WRONG = "2*3 = 6\n", "we get 20*30 = 500 in all\n"
ALL = WRONG + "3*3 = 8 again\n4*4 = 15 GiB\n5*5 = 24 or so\n60 % faster\n"
SHOWN = """\
a.md:1:16: SC101 error: 20 × 30 is 600
    1 | we get 20*30 = 500 in all
      |                ^^^
   help: write 600
"""


def test_clean(capsys, toy):
    for name in ("a.md", "b.tex", "c.txt"):
        (toy / name).write_text(RIGHT)
    assert ask(capsys, "check", "a.md", "b.tex", "c.txt") == (0, "3 files, nothing wrong in 3 statements\n", "")
    assert ask(capsys, "check", "a.md", "./a.md") == (0, "1 file, nothing wrong in 1 statement\n", "")


def test_nothing_to_judge_is_not_called_right(capsys, toy):
    (toy / "a.md").write_text("60 % faster\n")
    assert ask(capsys, "check", "a.md") == (0, "1 file, nothing was judged\n1 not judged: --skipped\n", "")


def test_wrong(capsys, toy):
    (toy / "a.md").write_text(WRONG)
    assert ask(capsys, "check", "a.md") == (1, f"{SHOWN}\n1 error\n", "")
    assert ask(capsys, "check", "a.md", "-o", "found.txt") == (1, "", "")
    assert (toy / "found.txt").read_text() == f"{SHOWN}\n1 error\n"


@pytest.mark.parametrize(("words", "status", "codes", "last"), [
    ("", 1, "SC101 SC201", "1 error, 1 carried; 2 notes not shown: --notes; 1 not judged: --skipped"),
    ("--notes", 1, "SC101 SC201 SC301 SC401", "1 error, 1 carried, 1 convention, 1 note; 1 not judged: --skipped"),
    ("--notes --skipped", 1, "SC101 SC201 SC301 SC401 skipped",
     "1 error, 1 carried, 1 convention, 1 note, 1 not judged"),
    ("--select SC1", 1, "SC101", "1 error; 1 not judged: --skipped"),
    ("--select SC2,SC401", 1, "SC201", "1 carried; 1 note not shown: --notes; 1 not judged: --skipped"),
    ("--select SC4 --notes", 0, "SC401", "1 note; 1 not judged: --skipped"),
    ("--ignore SC101,SC2", 0, "", "2 notes not shown: --notes; 1 not judged: --skipped"),
    ("--ignore SC101 --select SC", 1, "SC201", "1 carried; 2 notes not shown: --notes; 1 not judged: --skipped"),
    ("--ignore SC1,SC2,SC3,SC4", 0, "", "1 not judged: --skipped"),
])
def test_selection(capsys, toy, words, status, codes, last):
    (toy / "a.md").write_text(ALL)
    told = ask(capsys, "check", "a.md", *words.split())
    assert (told[0], told[2]) == (status, "")
    assert re.findall(r"^a\.md:\d+:\d+: (\w+)", told[1], re.MULTILINE) == codes.split()
    assert told[1].splitlines()[-1] == last
    assert (told[1].splitlines()[0] == "1 file, nothing wrong in 4 statements") == (status == 0)
    _, shown, _ = ask(capsys, "check", "a.md", *words.split(), "--format", "json")
    assert [one["code"] or one["severity"] for one in json.loads(shown)] == codes.split()


def test_formats(capsys, toy):
    (toy / "a.md").write_text(WRONG)
    (toy / "b.md").write_text(RIGHT)
    status, shown, _ = ask(capsys, "check", "a.md", "--format", "json")
    assert (status, json.loads(shown)) == (1, [
        {"path": "a.md", "line": 1, "column": 16, "end_column": 19, "code": "SC101", "severity": "error",
         "message": "20 × 30 is 600", "expected": 600, "help": "write 600", "fix": "600"}])
    assert ask(capsys, "check", "b.md", "--format", "json") == (0, "[]\n", "")
    assert ask(capsys, "check", "a.md", "--format", "github") == (
        1, "::error title=SC101,file=a.md,line=1,col=16,endColumn=19::20 × 30 is 600%0Ahelp: write 600\n", "")
    assert ask(capsys, "check", "b.md", "--format", "github") == (0, "1 file, nothing wrong in 1 statement\n", "")
    status, shown, _ = ask(capsys, "check", "a.md", "--format", "sarif")
    run, = json.loads(shown)["runs"]
    assert (status, [one["ruleId"] for one in run["results"]]) == (1, ["SC101"])
    assert run["tool"]["driver"]["rules"] == [
        {"id": "SC101", "name": "wrong-value", "shortDescription": {"text": "A value."}}]
    status, shown, _ = ask(capsys, "check", "b.md", "--format", "sarif")
    assert (status, json.loads(shown)["runs"][0]["results"]) == (0, [])


def test_folders(capsys, toy):
    for name in ("d/b.md", "d/a.TEX", "d/sub/c.rst", "d/sub/x.py", "d/.hidden/a.md", "d/node_modules/p/a.md",
                 "d/.venv/a.md", "d/LICENSE", "d/z.txt", "d/nb.ipynb"):
        (toy / name).parent.mkdir(parents=True, exist_ok=True)
        (toy / name).write_text(json.dumps({"cells": [{"source": WRONG}]}) if name.endswith("ipynb") else WRONG)
    _, shown, _ = ask(capsys, "check", "d", "--format", "json")
    told = [one["path"] for one in json.loads(shown)]
    assert told == ["d/a.TEX", "d/b.md", "d/nb.ipynb:cell 1", "d/z.txt", "d/sub/c.rst"]
    _, shown, _ = ask(capsys, "check", "d/z.txt", ".", "d/.hidden", "--format", "json")
    assert [one["path"] for one in json.loads(shown)] == ["d/z.txt", *told[:3], told[4], "d/.hidden/a.md"]
    assert ask(capsys, "check", "d/node_modules/p/../../LICENSE")[0] == 1  # what is named is read


def test_what_is_met_and_cannot_be_read_is_not_judged(capsys, toy):
    (toy / "d").mkdir()
    for name, data in (("a.md", RIGHT.encode()), ("b.txt", b"caf\xe9"), ("c.txt", b"\0"), ("d.ipynb", b"{")):
        (toy / "d" / name).write_bytes(data)
    (toy / "d" / "gone.md").symlink_to("nowhere")
    assert ask(capsys, "check", "d") == (0, "4 files, nothing wrong in 1 statement\n3 not judged: --skipped\n", "")
    status, shown, _ = ask(capsys, "check", "d", "--skipped", "--format", "json")
    assert (status, [(one["path"], one["message"]) for one in json.loads(shown)]) == (0, [
        ("d/b.txt", "byte 4 is no UTF-8; save it as UTF-8"), ("d/c.txt", "character 1 is NUL, so this is no text"),
        ("d/d.ipynb", "no notebook")])


@pytest.mark.parametrize(("words", "line"), [
    ([], "check needs a file, a folder or -, as in symcount check notes.md, or else one --claim"),
    (["a.md", "--claim", "1*1 = 1"],
     "check needs a file, a folder or -, as in symcount check notes.md, or else one --claim"),
    (["a.md", "nope.md"], "nope.md: no such file"), (["a.md", "latin.txt"],
                                                     "latin.txt: byte 4 is no UTF-8; save it as UTF-8"),
    (["nul.md"], "nul.md: character 3 is NUL, so this is no text"), (["bad.ipynb"], "bad.ipynb: no notebook"),
    (["empty"], "empty: no document in this folder (.md .tex .ipynb .rst .txt)"),
    (["a.md", "--select", "SC102"], "--select: no check 'SC102'; did you mean 'SC101'?"),
    (["a.md", "--ignore", "SC101,wrong"], "--ignore: no check 'wrong'; known: SC101, SC201, SC301, SC401"),
    (["a.md", "--select", "SC101,"], "--select: no check ''; known: SC101, SC201, SC301, SC401"),
    (["a.md", "--format", "latex"], "--format latex: check prints text, json, github, sarif"),
    (["a.md", "--format", "markdown"], "--format markdown: check prints text, json, github, sarif"),
    (["a.md", "--model", "gpt22"], "no model 'gpt22'; did you mean 'gpt2'?"),
    (["a.md", "--set", "s=3"], "check takes no --set"),
    (["--claim", "1*1 = 1", "--select", "SC1"], "--claim takes no --select"),
    (["--claim", "1*1 = 1", "--ignore", "SC1"], "--claim takes no --ignore"),
    (["--claim", "1*1 = 1", "--fix"], "--claim takes no --fix"),
    (["--claim", "1*1 = 1", "--diff"], "--claim takes no --diff"), (["--claim", ""], "--claim is followed by nothing"),
    (["a.md", "--diff", "--notes"], "--diff takes no --notes"),
    (["a.md", "--diff", "--format", "json"], "--diff shows no findings, and takes no --format json"),
    (["-", "--fix"], "--fix writes files; of standard input --diff shows what would change"),
    (["a.md", "--fix", "nope.md"], "nope.md: no such file"),
    (["a.md", "--fix", "latin.txt"], "latin.txt: byte 4 is no UTF-8; save it as UTF-8"),
], ids=str)
def test_refused(capsys, toy, words, line):
    (toy / "a.md").write_text(WRONG)
    (toy / "latin.txt").write_bytes(b"caf\xe9 20*30 = 500")
    (toy / "nul.md").write_bytes(b"ab\0")
    (toy / "bad.ipynb").write_text("{")
    (toy / "empty").mkdir()
    assert ask(capsys, "check", *words) == (2, "", f"symcount: {line}\n")
    assert (toy / "a.md").read_text() == WRONG


@pytest.mark.parametrize(("words", "line"), [
    ("count gpt2 --format sarif", "--format sarif: count prints text, markdown, latex, html, typst, pdf, ipynb, json"),
    ("derive gpt2 --format github",
     "--format github: derive prints text, markdown, latex, html, typst, pdf, ipynb, json"),
    ("count gpt2 --claim x", "count takes no --claim"), ("count gpt2 --notes", "count takes no --notes"),
    ("models --fix", "models takes no --fix"),
])
def test_other_verbs_take_none_of_it(capsys, words, line):
    assert ask(capsys, *words.split()) == (2, "", f"symcount: {line}\n")


def test_a_document_has_an_end(capsys, toy, monkeypatch):
    monkeypatch.setattr("symcount.checking.LARGEST_DOCUMENT", 20)
    (toy / "a.md").write_text("x" * 21)
    assert ask(capsys, "check", "a.md") == (2, "", "symcount: a.md: a document has at most 20 bytes\n")
    (toy / "a.md").write_text("x" * 20)
    assert ask(capsys, "check", "a.md")[0] == 0


def test_model_and_notation_are_handed_on(capsys, toy, monkeypatch):
    told = []
    monkeypatch.setattr("symcount.lint.examine", lambda text, **more: told.append((text, more)) or Examined([], 0))
    (toy / "a.md").write_text(RIGHT)
    assert ask(capsys, "check", "a.md", "--model", "gpt2:L=6", "--notation", "megatron")[0] == 0
    (text, more), = told
    assert (text, more["path"], more["notation"], more["model"].values["L"]) == (RIGHT, "a.md", "megatron", 6)
    assert ask(capsys, "check", "a.md")[0] == 0
    assert told[1] == (RIGHT, {"path": "a.md", "notation": None, "model": None})


@pytest.mark.parametrize("stream", [io.StringIO(WRONG), SimpleNamespace(buffer=io.BytesIO(WRONG.encode()))])
def test_standard_input(capsys, toy, monkeypatch, stream):
    monkeypatch.setattr(sys, "stdin", stream)
    assert ask(capsys, "check", "-") == (1, f"{SHOWN}\n1 error\n".replace("a.md", "<stdin>"), "")


def test_standard_input_that_cannot_be_read(capsys, toy, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"caf\xe9")))
    assert ask(capsys, "check", "-") == (2, "", "symcount: standard input: byte 4 is no UTF-8; save it as UTF-8\n")
    monkeypatch.setattr(sys, "stdin", None)
    assert ask(capsys, "check", "-") == (2, "", "symcount: standard input is closed\n")


def test_fix(capsys, toy):
    (toy / "a.md").write_bytes("\ufeff2*3 = 5\r\nü 20*30 = 500\r\n3*3 = 8 again".encode())
    (toy / "b.md").write_text(RIGHT)
    assert ask(capsys, "check", "a.md", "b.md", "--fix") == (
        0, "2 files, nothing wrong in 4 statements\na.md: 3 mended\n", "")
    assert (toy / "a.md").read_bytes() == "\ufeff2*3 = 6\r\nü 20*30 = 600\r\n3*3 = 9 again".encode()
    assert ask(capsys, "check", "a.md", "b.md", "--fix") == (0, "2 files, nothing wrong in 4 statements\n", "")


def test_fix_tells_what_is_left(capsys, toy):
    (toy / "a.md").write_text(ALL)
    assert ask(capsys, "check", "a.md", "--fix", "--ignore", "SC2") == (
        0, "1 file, nothing wrong in 4 statements\n2 notes not shown: --notes; 1 not judged: --skipped\n"
           "a.md: 1 mended\n", "")
    assert (toy / "a.md").read_text() == ALL.replace("500", "600")


def test_a_root_that_is_not_selected_keeps_what_was_carried(capsys, toy):
    (toy / "a.md").write_text(ALL)
    status, shown, _ = ask(capsys, "check", "a.md", "--fix", "--select", "SC2")
    assert (status, "mended" in shown) == (1, False)
    assert (toy / "a.md").read_text() == ALL


DIFFERENCE = """\
--- a.md
+++ a.md
@@ -1,5 +1,5 @@
-we get 20*30 = 500 in all
-3*3 = 8 again
+we get 20*30 = 600 in all
+3*3 = 9 again
 4*4 = 15 GiB
 5*5 = 24 or so
 60 % faster
"""


@pytest.mark.parametrize("words", [["--diff"], ["--fix", "--diff"]], ids=str)
def test_diff_writes_nothing(capsys, toy, monkeypatch, words):
    (toy / "a.md").write_text(ALL)
    (toy / "b.md").write_text(RIGHT)
    assert ask(capsys, "check", "a.md", "b.md", *words) == (1, DIFFERENCE, "")
    assert (toy / "a.md").read_text() == ALL
    assert ask(capsys, "check", "b.md", *words) == (0, "1 file, nothing to mend\n", "")
    monkeypatch.setattr(sys, "stdin", io.StringIO(ALL))
    assert ask(capsys, "check", "-", *words) == (1, DIFFERENCE.replace("a.md", "<stdin>"), "")


def test_fix_of_a_notebook(capsys, toy):
    text = json.dumps({"cells": [{"cell_type": "code", "source": ["2*3 = 5"]},
                                 {"cell_type": "markdown", "source": ["# x\n", "20*30 = 500\n", "ü"]}]}, indent=3)
    (toy / "nb.ipynb").write_text(text)
    status, shown, _ = ask(capsys, "check", "nb.ipynb", "--fix")
    assert (status, shown.splitlines()[0], shown.splitlines()[-1]) == (
        1, "nb.ipynb:cell 1:1:7: SC101 error: 2 × 3 is 6", "nb.ipynb: 1 mended")
    assert (toy / "nb.ipynb").read_text() == text.replace("500", "600")


CLAIMS = [  # a claim, the status, what is printed
    ("20*30 = 600", 0, "right\n"),
    ("20*30 = 500", 1, "<claim>:1:9: SC101 error: 20 × 30 is 600\n    1 | 20*30 = 500\n      |         ^^^\n"
                       "   help: write 600\n\n1 error\n"),
    ("4*4 = 15 GiB", 0, "right, under a convention\n\n<claim>:1:7: SC301 convention: 4 × 4 is 16\n"
                        "    1 | 4*4 = 15 GiB\n      |       ^^\n   help: write 16\n\n1 convention\n"),
    ("5*5 = 24 or so", 0, "right\n\n<claim>:1:7: SC401 note: 5 × 5 is 25\n    1 | 5*5 = 24 or so\n      |       ^^\n"
                          "   help: write 25\n\n1 note\n"),
    ("60 % faster", 1, "not judged, or not all of it\n\n<claim>:1:6: skipped: a speed is measured\n"
                       "    1 | 60 % faster\n      |      ^^^^^^\n\n1 not judged\n"),
    ("it has 12 layers", 1, "not judged, or not all of it\n\n<claim>:1:1: skipped: nothing in it is read as a claim\n"
                            "    1 | it has 12 layers\n      | ^^^^^^^^^^^^^^^^\n   help: say what equals what, as in "
                            "30522*768 = 23,440,896 or 124M is parameters of gpt2\n\n1 not judged\n"),
]


@pytest.mark.parametrize(("claim", "status", "shown"), CLAIMS, ids=[claim for claim, *_ in CLAIMS])
def test_claims(capsys, toy, claim, status, shown):
    assert ask(capsys, "check", "--claim", claim) == (status, shown, "")
    found, told, _ = ask(capsys, "check", "--claim", claim, "--format", "json")
    assert (found, [one["severity"] for one in json.loads(told)]) == (
        status, re.findall(r"^<claim>.*?(error|convention|note|skipped):", shown, re.MULTILINE))


def test_a_claim_in_which_nothing_is_judged_is_not_right(capsys, toy):
    assert ask(capsys, "check", "--claim", "V*d is it")[0] == 1
    assert ask(capsys, "check", "--claim", "\n")[0] == 1


def test_explain(capsys, toy):
    assert ask(capsys, "explain", "checks") == (
        0, "SC101  wrong-value  A value.\nSC201  wrong-sum    A sum.\nSC301  other-unit   A unit.\n"
           "SC401  rounded      A rounding.\n", "")
    assert ask(capsys, "explain", "SC101") == (0, "SC101 wrong-value\n\nA value.\n\nWhat it does\n    It multiplies.\n",
                                               "")
    assert ask(capsys, "explain", "sc101") == (2, "", "symcount: no check 'sc101'; did you mean 'SC101'?\n")
    assert ask(capsys, "explain", "SC109")[2] == "symcount: no check 'SC109'; did you mean 'SC101'?\n"
    assert ask(capsys, "explain", "SC999999")[0] == 2


def test_every_check_has_a_page(capsys):
    names = entries("checks")
    known = checks.codes()
    assert sorted(known.values()) == names  # no two have one code
    assert list(known) == sorted(known)
    rows = ask(capsys, "explain", "checks")[1].splitlines() if names else []
    assert [row.split()[:2] for row in rows] == [[code, name.replace("_", "-")] for code, name in known.items()]
    for code, name in known.items():
        assert re.fullmatch(r"SC\d{3}", code)
        status, page, _ = ask(capsys, "explain", code)
        assert status == 0
        lines = page.splitlines()
        assert lines[0] == f"{code} {name.replace('_', '-')}"
        places = [next((i for i, line in enumerate(lines) if line.strip(" #*").startswith(heading)), -1)
                  for heading in ("What it does", "Why it matters", "Bad", "Good", "Source")]
        assert places == sorted(places)
        assert places[0] > 0, f"{name}: its page has no heading 'What it does'"


def test_other_verbs_do_not_import_it():
    ours = ["checking", "checks", "diagnostics", "documents", "lint", "mending", "render.findings"]
    for words in (["count", "gpt2"], ["--help"], ["solve", "llama-7b", "params <= 7e9", "--for", "L"]):
        script = f"import sys; from symcount.cli import main; main({words!r}); " \
                 f"print([one for one in {ours!r} if f'symcount.{{one}}' in sys.modules], file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.stderr.strip() == "[]"


# The real inspector.

@pytest.mark.parametrize(("claim", "status", "first"), [
    ("30522*768 = 23,440,896", 0, "right"), ("30522*768 = 23,408,256", 1, "<claim>:1:13: SC"),
    ("12 * 768^2 * 12 = 84,934,656", 0, "right"), ("we are glad to see you", 1, "not judged, or not all of it"),
    ("9^9^9^9 = 7", 1, ""),
])
def test_real_claims(capsys, claim, status, first):
    found, shown, error = ask(capsys, "check", "--claim", claim)
    assert (found, error) == (status, "")
    assert shown.startswith(first)


def test_a_real_document(capsys, tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes(b"The table has $30522 \\times 768 = 23{,}408{,}256$ numbers.\r\n")
    status, shown, _ = ask(capsys, "check", str(page), "--format", "json")
    one, = json.loads(shown)
    assert (status, one["severity"], one["line"], one["expected"]) == (1, "error", 1, 30522 * 768)
    _, shown, _ = ask(capsys, "check", str(page))
    line, carets = (row[8:] for row in shown.splitlines()[1:3])
    assert line[carets.index("^"):len(carets)] == "23{,}408{,}256"
    assert ask(capsys, "check", str(page), "--fix")[0] == 0
    assert page.read_bytes() == b"The table has $30522 \\times 768 = 23{,}440{,}896$ numbers.\r\n"
