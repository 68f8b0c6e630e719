"""Each check by its Markdown test: what is expected stands in a comment at the end of the line that is wrong."""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from symcount.checks import checks
from symcount.lint import inspect
from symcount.storage import storage

HERE = Path(__file__).parent / "checks"
BLOCK = re.compile(r"^```(markdown|tex|text|claim)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(r"[ ]?<!-- (SC[^>]*?) -->$", re.MULTILINE)
SUFFIX = {"markdown": "md", "tex": "tex", "text": "txt", "claim": "claim"}
FILES = sorted(HERE.glob("*.md"))
BLOCKS = [(file, kind, text) for file in FILES for kind, text in BLOCK.findall(file.read_text(encoding="utf-8"))]


def expectations(text):
    """The lines with what is expected of them: (line, code, severity, the value or None)."""
    found = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        for one in (EXPECTED.search(line) or ["", ""])[1].split(";"):
            if one.strip():
                code, severity, *value = one.split()
                found[number, code, severity, Fraction(value[0]) if value else None] += 1
    return found


@pytest.mark.parametrize(("file", "kind", "text"), BLOCKS,
                         ids=[f"{file.stem}-{i}" for i, (file, *_) in enumerate(BLOCKS)])
def test_page(file, kind, text):
    found = Counter((one.line, one.code, one.severity, one.expected)
                    for one in inspect(EXPECTED.sub("", text), f"page.{SUFFIX[kind]}") if one.severity != "skipped")
    wanted = expectations(text)
    blind = {(line, code, severity) for line, code, severity, value in wanted if value is None}
    found = Counter({(*key[:3], None if key[:3] in blind else key[3]): count for key, count in found.items()})
    assert found == wanted


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.CODE)
def test_each_check_has_its_page_and_its_examples_hold(check):
    name = check.__name__.rpartition(".")[2].replace("_", "-")
    assert HERE / f"{check.CODE}-{name}.md" in FILES
    parts = dict(re.findall(r"^(What it does|Why it matters|Bad|Good|Source)\n(.*?)(?=^\S|\Z)", check.__doc__,
                            re.MULTILINE | re.DOTALL))
    assert list(parts) == ["What it does", "Why it matters", "Bad", "Good", "Source"]
    assert check.__doc__.startswith(f"{name}: ")
    bad, good = (re.sub(r"^    ", "", parts[key], flags=re.MULTILINE) for key in ("Bad", "Good"))
    assert check.CODE in {one.code for one in inspect(bad, "bad.md")}
    assert not [one for one in inspect(good, "good.md")
                if one.code == check.CODE or one.severity in ("error", "carried")]


@pytest.mark.parametrize(("name", "bits"), [("fp32", 32), ("fp16", 16), ("bf16", 16), ("fp8", 8), ("int8", 8),
                                            ("nf4", 4), ("mxfp4", 4)])
def test_the_name_of_a_type_ends_with_the_bits_that_its_storage_has(name, bits):
    assert storage(name).matrices.bits == bits == int(re.search(r"[0-9]+$", name)[0])


def test_what_is_carried_names_the_lines_of_its_own_roots_only():
    text = ("$a = 3 \\times 500 = 1{,}510$\n\n$c = 7 \\times 900 = 6{,}400$\n\n"
            "Now 151 x 100 = 15,200 and 15,200 x 2 = 30,400.\n")
    found = [one for one in inspect(text, "page.md") if one.severity in ("error", "carried")]
    assert [(one.line, one.severity) for one in found] == [(1, "error"), (3, "error"), (5, "error"), (5, "carried")]
    assert found[-1].expected == 30_200
    assert "the error of line 5:" in found[-1].message


def test_formulas_of_models_are_bounded(monkeypatch):
    """Each takes time, and a stranger may write thousands: the first are judged, and one line says why no others."""
    monkeypatch.setattr("symcount.checks.wrong_formula._MOST", 2)
    text = "".join(f"{i}*L*d^2 is parameters of gpt2.\n\n" for i in (12, 13, 14, 15))
    found = inspect(text)
    assert [(one.line, one.severity) for one in found] == [(1, "convention"), (3, "error"), (5, "skipped"),
                                                           (7, "skipped")]
    assert "after 2 formulas of models" in found[2].message
