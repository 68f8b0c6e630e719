"""Every format says the same: numbers of each step, what strangers write, whole files that open as they are."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest

import symcount as sc
from symcount.cli import FORMATS, main
from symcount.counting import formula as formula_of
from symcount.counting import table
from symcount.derivation import Declared, Derivation, Listing, Remark, Rounded, Table
from symcount.render import html, ipynb, latex, markdown, pdf, text, typst
from symcount.render.boxes import letter
from symcount.symbols import TABLE

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_APART = {ord(sign): f" {digit} " for sign, digit in zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)}
VOID = ("meta", "mspace")


class Page(HTMLParser):
    """A page as its elements: what is open where text stands, the attributes of all, whether they close in order."""

    def __init__(self, source):
        super().__init__()
        self.open, self.said, self.tags = [], [], []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open and "head" not in self.open:
            self.said.append(data)


def of_text(shown):
    return re.sub(r"(?m)^(total .*?)  \([^()]*\)$", r"\1", shown)


def of_markdown(shown):
    return of_latex(shown)


def of_latex(shown):
    bare = re.sub(r"\\begin\{array\}\{\w+\}|\\rule\{0pt\}\{2.6ex\}|\[T1\]\{fontenc\}", "", shown)
    return bare.replace("{,}", ",").replace(r"\,", " ").replace(r"\_", "_")


def of_html(shown):
    return " ".join(Page(shown).said)


def of_typst(shown):
    bare = re.sub(r"\\u\{200b\}", "", shown)
    return " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', bare))


READ = [(latex, of_latex), (markdown, of_markdown), (html, of_html), (typst, of_typst)]


def numbers(said):
    return Counter(_NUMBER.findall(said.translate(_APART)))


def same(kind, *shown):
    """The numbers of what is shown, which are the same in every format."""
    wanted = numbers(of_text(getattr(text, kind)(*shown)))
    for render, read in READ:
        assert numbers(read(getattr(render, kind)(*shown))) == wanted, render.__name__
    return wanted


DERIVED = {
    "784-128-10": (lambda: sc.derive(sc.parameters(sc.model("mlp:784-128-10"))), "101,770"),
    "llama-7b": (lambda: sc.derive(sc.parameters(sc.model("llama-7b"))), "6,738,415,616"),
    "deepseek-v3": (lambda: sc.derive(sc.parameters(sc.model("deepseek-v3"))), "671,026,404,352"),
    "mixtral": (lambda: sc.derive(sc.active_parameters(sc.model("mixtral-8x7b"))), "12,879,925,248"),
    "bert": (lambda: sc.derive(sc.parameters(sc.model("bert-base-uncased"))), "109,482,240"),
    "distilbert": (lambda: sc.derive(sc.parameters(sc.model("distilbert-base-uncased"))), "66,362,880"),
    "resnet-50": (lambda: sc.derive(sc.parameters(sc.model("resnet-50"))), "25,557,032"),
    "gpt2 FLOPs": (lambda: sc.derive(sc.flops(sc.model("gpt2"), s=1024)), "291,648,307,200"),
    "cache": (lambda: sc.derive(sc.kv_cache(sc.model("llama-3-8b"), t=8192)), "536,870,912"),
    "training": (lambda: sc.derive(sc.memory(sc.model("gpt2"), "adam", s=128)), "497,759,232"),
    "swin": (lambda: sc.derive(sc.parameters(sc.model("swin-tiny-patch4-window7-224"))), "28,288,354"),
    "open": (lambda: sc.derive(sc.parameters(sc.model("llama:"))), "3"),
    "collapse": (lambda: sc.prove("layer_collapse"), "6.1"),
    "tower": (lambda: sc.prove("residual_tower"), "2016"),
    "law": (lambda: sc.prove("palm_training"), "87,784,836,562,944"),
    "refuted": (lambda: sc.refute("relu(X*W1)*W2 = X*(W1*W2)", shapes="X: n x d, W1: d x r, W2: r x m"), "0"),
    "budget": (lambda: sc.solve("params <= 350e6", "L", sc.model("gpt2", d=1024, heads=16)).derivation(), "23.6171"),
    "root": (lambda: sc.solve("12*L*d^2 + V*d = N", "d").derivation(), "48"),
    "less": (lambda: sc.compare(sc.model("bert-base-uncased"), sc.model("distilbert-base-uncased")).derivation(),
             "43,119,360"),
}


@pytest.mark.parametrize("name", DERIVED)
def test_a_derivation_says_the_same_numbers_in_every_format(name):
    made, known = DERIVED[name]
    derived = made()
    assert known in same("derivation", derived)
    for step in derived.steps:
        same("derivation", Derivation("", [step]))
    cells = json.loads(ipynb.document([text.derivation(derived)], derived.title, [("it", derived)], []))["cells"]
    data = cells[-1]["outputs"][0]["data"]
    assert numbers(of_text("".join(data["text/plain"]))) == numbers(of_text(derived.to_text()))
    assert numbers(of_latex("".join(data["text/markdown"]))) == numbers(of_text(derived.to_text()))


LISTED = {
    "solved": lambda: sc.solve("params <= 350e6", "L", sc.model("gpt2", d=1024, heads=16)).listing(),
    "compared": lambda: sc.compare(sc.model("llama-7b"), sc.model("llama-13b")).listing(),
    "trained": lambda: sc.train(sc.model("llama-7b", s=2048), "1e12", devices=2048, peak="312e12", mfu="40%"),
    "roofs": lambda: sc.roofline(sc.model("gpt2", s=64), "312e12", "2.039e12").listing(),
}


@pytest.mark.parametrize("name", LISTED)
def test_a_listing_says_the_same_numbers_in_every_format(name):
    assert same("listing", LISTED[name]())


@pytest.mark.parametrize("name", ["llama-7b", "gpt2", "swin-tiny-patch4-window7-224"])
def test_a_table_and_a_formula_say_the_same_numbers_in_every_format(name):
    ledger = sc.parameters(sc.model(name))
    assert same("table", table(ledger))
    assert same("formula", "", formula_of(ledger), ["holds when 2 divides d"])


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed")
@pytest.mark.parametrize("name", ["784-128-10", "llama-7b", "collapse", "refuted", "deepseek-v3", "law"])
def test_a_pdf_says_the_same_numbers(name, tmp_path):
    pytest.importorskip("typst")
    derived = DERIVED[name][0]()
    made = pdf.document([pdf.derivation(derived)], derived.title)
    assert made == pdf.document([pdf.derivation(derived)], derived.title)
    assert b"CreationDate" not in made
    (tmp_path / "x.pdf").write_bytes(made)
    done = subprocess.run(["pdftotext", "-layout", "x.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = re.sub(r"(?m)^ *\d+ / \d+$", "", done.stdout).replace("\u200b", "")
    plain = re.sub(r"(?m)^(total .*?)  \([^()]*\)$", r"\1", derived.to_text()).translate(_RAISED)
    wanted = {number for number in numbers(plain) if len(number) > 3}
    assert wanted <= set(numbers(said))


HOSTILE = ["<script>alert(1)</script>", '"]#eval("1/0")', "\\input{/etc/passwd}", "$x$ %y & #z ~ ^", "模型 — ä", "]] --> <!--",
           "'\"`{}_", "a\x1b[31mb", "\\u{41}", "$$", "&lt;"]


def hostile(words):
    says = (words, Remark("note", (words,)))
    steps = [sc.derive(sc.parameters(sc.model("mlp:3-2"))).steps[0], sc.prove("lora_merge").steps[0]]
    steps[0].name = words
    return Derivation(words, steps, symbols=(Declared(letter_of("X"), _three(), _three(), words),), notes=(words,),
                      table=Table(words, words, (), table(sc.parameters(sc.model("mlp:3-2"))).total, ()),
                      remarks=(says[1],))


def letter_of(name):
    from symcount.algebra.terms import Letter

    return Letter(name, 3, 3)


def _three():
    from symcount.forms import Number

    return Number(3)


@pytest.mark.parametrize("words", HOSTILE)
def test_what_strangers_write_is_only_words(words):
    derived = hostile(words)
    page = Page(derived.to_html())
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "iframe", "link", "object"})
    assert words in "".join(page.said)
    listed = Listing(words, ("a",), (words,), ((words,), (Rounded(1, words),)), (words,), (words,))
    assert "".join(Page(html.document([html.listing(listed)], words)).said).count(words) >= 5
    source = typst.document([typst.derivation(derived), typst.listing(listed)], words)
    outside = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", source)
    assert "eval" not in outside
    assert "script" not in outside
    book = json.loads(ipynb.document([text.derivation(derived)], words, [("it", derived)], []))
    assert book["nbformat_minor"] == 5
    pytest.importorskip("typst")
    assert pdf.document([typst.derivation(derived), typst.listing(listed)], words).startswith(b"%PDF")


@pytest.mark.skipif(not shutil.which("pdflatex") or not shutil.which("xelatex"), reason="no TeX is installed")
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_standalone_latex_compiles_and_nothing_sticks_out(engine, tmp_path):
    shown = [*map(hostile, HOSTILE), *(made() for made, _ in DERIVED.values())]
    listed = [made() for made in LISTED.values()]
    latin = " ".join(map(chr, (*range(0xA1, 0x250), *range(0x2010, 0x2040), *range(0x3040, 0x3050), 0x1F600)))
    blocks = [*map(latex.derivation, shown), *map(latex.listing, listed), latex.formula(latin, _three(), [latin])]
    (tmp_path / "x.tex").write_text(latex.standalone(blocks, "x"), encoding="utf-8")
    subprocess.run([engine, "-interaction=batchmode", "x.tex"], cwd=tmp_path, capture_output=True, check=True,
                   timeout=120)
    log = (tmp_path / "x.log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"^(?:!|Overfull|Missing character).*", log, re.MULTILINE)
