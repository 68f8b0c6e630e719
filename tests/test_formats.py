"""Every format says the same: numbers of each step, what strangers write, whole files that open as they are."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

import symcount as sc
from symcount.cli import main
from symcount.counting import formula as formula_of
from symcount.counting import table
from symcount.derivation import Declared, Derivation, Listing, Remark, Rounded, Table
from symcount.forms import Number, Power, Product, Quotient, Sum, Symbol
from symcount.render import html, ipynb, latex, markdown, mathml, pdf, text, typst
from symcount.render.boxes import letter
from symcount.symbols import TABLE, row

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_APART = {ord(sign): f" {digit} " for sign, digit in zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)}
ROOT = Path(__file__).parents[1]
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
        assert not {"href", "src", "srcset", "xlink:href", "action", "onclick"} & {name for name, _ in attrs}

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open and "head" not in self.open:
            self.said.append(data)


def of_text(shown):
    return re.sub(r"(?m)^(total .*?)  \([^()]*\)$", r"\1", shown)


def of_latex(shown):
    bare = re.sub(r"\\begin\{array\}\{\w+\}|\\rule\{0pt\}\{2.6ex\}|\[4pt\]|\[T1\]\{fontenc\}", "", shown)
    return bare.replace("{,}", ",").replace(r"\,", " ").replace(r"\_", "_")


def of_html(shown):
    return " ".join(Page(shown).said)


def of_typst(shown):
    bare = re.sub(r"\\u\{200b\}", "", shown)
    return " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', bare))


READ = [(latex, of_latex), (markdown, of_latex), (html, of_html), (typst, of_typst)]


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
    cells = json.loads(ipynb.document([("it", derived)], derived.title, []))["cells"]
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
    done = subprocess.run(["pdftotext", "-layout", "x.pdf", "-"], cwd=tmp_path, capture_output=True, text=True,
                          check=True)
    said = re.sub(r"(?m)^ *\d+ / \d+$", "", done.stdout).replace("\u200b", "")
    plain = re.sub(r"(?m)^(total .*?)  \([^()]*\)$", r"\1", derived.to_text()).translate(_RAISED)
    wanted = {number for number in numbers(plain) if len(number) > 3}
    assert wanted <= set(numbers(said))
    assert all(sign.isascii() for number in numbers(said) for sign in number)  # bold digits too can be searched for


HOSTILE = ["<script>alert(1)</script>", '"]#eval("1/0")', "\\input{/etc/passwd}", "$x$ %y & #z ~ ^", "模型 — ä",
           "]] --> <!--", "'\"`{}_", "a\x1b[31mb", "\\u{41}", "$$", "&lt;", "a" * 230, "é" * 120, "模型" * 40,
           "/data/of/somebody/models/checkpoints/a-very-long-name/another-very-long-name/of-a-folder/config.json"]


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
    book = json.loads(ipynb.document([("it", derived)], words, []))
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


@pytest.mark.parametrize("name", [*TABLE, "n_3", "heads_0", "h_e_1"])
def test_a_letter_is_typeset_as_the_table_says(name):
    assert latex.math(letter(name)) == row(name).latex
    assert html.document([mathml.math(letter(name))], "x").count("<math") == 1


def test_a_sentence_keeps_its_words():
    said = ("fails ", letter_of("X"), " = ", _three(), ", ", "and", ": 1", letter_of("W1"), ", or", " not", ".")
    shown = Derivation("", [], remarks=(Remark("why", said),))
    bare = re.sub(r"\s+", " ", "".join(Page(shown.to_html()).said))
    assert "why fails X = 3, and: 1W1, or not." in bare.replace("why", "why ").replace("  ", " ")


def test_a_page_is_whole_and_can_be_read_aloud():
    page = Page(sc.derive(sc.parameters(sc.model("llama-7b"))).to_html())
    tags = Counter(tag for tag, _ in page.tags)
    assert (tags["html"], tags["title"], tags["main"], tags["h1"], tags["caption"]) == (1, 1, 1, 1, 2)
    assert dict(page.tags)["html"] == {"lang": "en"}
    assert all(told.get("scope") in ("col", "row") for tag, told in page.tags if tag == "th")
    scrolls = [told for _, told in page.tags if told.get("class") == "scrolls"]
    assert all(told["role"] == "group" and told["aria-label"] for told in scrolls)
    assert ("mn", {}) in page.tags
    assert "6,738,415,616" in page.said  # one number is one token
    assert not {"script", "link", "img"} & set(tags)


@pytest.mark.parametrize("start", range(8))
def test_every_model_has_a_page_and_a_typst_source(start):
    for name in sc.models()[start::8]:
        if name == "mlp:":
            continue  # its widths are missing
        derived = sc.derive(sc.parameters(sc.model(name)))
        page, source = derived.to_html(), derived.to_typst()
        assert page.count('<table class="step"') == source.count("#step(") == len(derived.steps), name
        assert page.count("<math") == page.count("</math>") > 0, name
        assert source.count("$display(") * 2 == source.count("$"), name


FAMILIES = [
    "mlp:784-128-10", "lenet-5", "vgg-16", "resnet-50", "gpt2", "bert-base-uncased", "t5-small", "bart-large", "llama:",
    "mixtral:", "deepseek-v4-pro", "mamba-130m", "jamba-v0.1", "zamba-7b", "swin:", "segformer:",
    "vit-base-patch16-224",
    "whisper-tiny", "clip-vit-base-patch32", "deberta-base", "xlnet-base-cased", "funnel-small", "rwkv-4-169m",
    "convnext-tiny", "lstm:d=300,m=512,biases=two", "nemotron-h-8b", "longcat_flash:", "minimax:"]


def test_families_compile_to_pdf():
    pytest.importorskip("typst")
    for name in FAMILIES:
        derived = sc.derive(sc.parameters(sc.model(name)))
        assert pdf.document([pdf.derivation(derived)], derived.title)[:5] == b"%PDF-"


def test_what_does_not_fit_on_a_page_of_latex_is_split():
    shown = sc.derive(sc.parameters(sc.model("deepseek-v3"))).to_latex()
    tables = [display for display in shown.split("$$") if r"\text{part}" in display]
    assert len(tables) == 2
    assert r"\mathbf{671{,}026{,}404{,}352}" in tables[1]


SPACED = [  # a product in text, and typeset
    (Product((Symbol("d"), Sum([(1, Number(3)), (1, Number(4))]))), "d(3 + 4)", "d (3 + 4)"),
    (Product((Number(2), Sum([(1, Number(3)), (1, Number(4))]))), "2 × (3 + 4)", r"2 \times (3 + 4)"),
    (Product((Number(2), Quotient(Number(5), Number(3)))), "2 × (5/3)", r"2 \times \frac{5}{3}"),
    (Product((Number(2), Power(Number(3), 2))), "2·3²", r"2 \cdot 3^{2}"),
    (Product((Number(2), Symbol("d"), Symbol("heads"))), "2d·heads", r"2 d \, n_{\mathrm{heads}}"),
    (Product((Symbol("k"), Symbol("v"))), "k·v", "k v"),
]


@pytest.mark.parametrize(("shown", "plain", "typeset"), SPACED, ids=[row[1] for row in SPACED])
def test_factors_stand_apart_alike_in_text_and_typeset(shown, plain, typeset):
    assert (text.form(shown), latex.form(shown)) == (plain, typeset)


WITHIN = [("attention_norm", r"\text{attention}\_\text{norm}"), ("Wₖ₋₁", r"\text{W}_{k-1} "),
          ("x₁₂", r"\text{x}_{12} "), ("A⁻¹", r"\text{A}^{-1} "), ("A⁻ᵀ₂", r"\text{A}^{-\top} _2 "),
          ("n² + 1", r"\text{n}^2 \text{ + 1}")]


@pytest.mark.parametrize(("said", "typeset"), WITHIN, ids=[row[0] for row in WITHIN])
def test_indices_within_words(said, typeset):
    assert latex.words(said) == typeset


ASKED = ["count gpt2", "formula gpt2", "flops gpt2 --set s=64", "memory gpt2 --phase train --set s=64", "derive gpt2",
         "kv gpt2 --set t=64", "solve gpt2 'params <= 350e6' --for L",
         "solve gpt2 'params <= 350e6' --for L --derive",
         "cross llama-7b 'flops@scores + flops@mix' flops@mlp --for s", "compare gpt2 gpt2-medium",
         "compare gpt2 gpt2-medium --derive",
         "train gpt2 --set s=64 --tokens 1e9", "roofline gpt2 --set s=64 --peak 312e12 --bandwidth 2e12",
         "prove lora_merge", "prove 'A*B = B*A' --shapes 'A: d x d, B: d x d'", "formula gpt2 --share layers.mlp",
         "flops gpt2 --set s=64 --convention kaplan --against matmul", "count gpt2 bert-base-uncased --by kind"]
STARTS = {"latex": "\\documentclass", "html": "<!DOCTYPE html>", "typst": "#set document(", "pdf": "%PDF-",
          "ipynb": "{"}


@pytest.mark.parametrize("asked", ASKED)
def test_every_verb_prints_every_format(asked, tmp_path, capsys):
    for shape, start in STARTS.items():
        if shape == "pdf":
            pytest.importorskip("typst")
        target = tmp_path / f"x.{shape}"
        status = main([*shlex.split(asked), "--format", shape, "--standalone", "-o", str(target)])
        said = capsys.readouterr()
        if (shape, asked) == ("ipynb", "formula gpt2"):
            assert (status, "no code for a notebook" in said.err) == (2, True)
            continue
        assert (status, said.out, said.err) == (int("A*B" in asked), "", "")
        assert target.read_bytes().startswith(start.encode())


REFUSED = [
    ("derive gpt2 --standalone", "it goes with --format latex, not text"),
    ("derive gpt2 --format markdown --standalone", "not markdown"),
    ("derive gpt2 --format json --standalone", "not json"),
    ("models --standalone", "models takes no --standalone"), ("models --format html", "models prints text, json"),
    ("identities --format typst", "identities prints text, json"),
    ("formula gpt2 --format ipynb", "no code for a notebook"),
    ("count tests/data/llama-7b.json --keys --format html", "--keys are listed in text or json"),
    ("prove lora_merge --certificate coq --format html", "takes no --format html"),
    ("count gpt2 -o x.pdf", "say --format pdf"), ("derive gpt2 -o x.HTML", "say --format html"),
    ("prove lora_merge -o a/x.ipynb", "say --format ipynb"), ("practice -o x.pdf", "say --format pdf"),
    ("count - --format ipynb", "cannot read standard input again"),
    ("prove layer_collapse --activation relu --format ipynb", "no code for a notebook that gives this answer"),
    ("sweep gpt2 --for L=1..3 --format ipynb", "sweep prints text"),
    ("sweep gpt2 --for d=768*1..101,L=1..50 --format pdf -o x.pdf", "5,050 points are too many for a PDF"),
]


@pytest.mark.parametrize(("asked", "says"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_has_no_such_format_is_refused(asked, says, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    with (ROOT / "tests/data/llama-7b.json").open("rb") as given:
        monkeypatch.setattr("sys.stdin", given)
        assert main(shlex.split(asked)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert says in said.err


@pytest.mark.parametrize(("asked", "start", "says"), [
    ("count gpt2 --format pdf", b"%PDF-", "a PDF is nothing for a terminal: say -o FILE.pdf"),
    ("page mlp:3-2", b"<!doctype html>", "a page is nothing for a terminal: say -o FILE.html"),
])
def test_what_nobody_reads_goes_to_a_pipe_and_not_to_a_terminal(asked, start, says, monkeypatch, capsys):
    if "pdf" in asked:
        pytest.importorskip("typst")
    done = subprocess.run([sys.executable, "-m", "symcount", *asked.split()], capture_output=True, check=True, cwd=ROOT)
    assert done.stdout.startswith(start)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(asked.split()) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(("verb", "says"), [
    ("practice", "text, markdown, latex, html, typst, pdf or json"), ("check", "text, json, github or sarif"),
    ("models", "text or json"), ("derive", "text, markdown, latex, html, typst, pdf, ipynb or json")])
def test_help_lists_the_formats_of_the_verb(verb, says, capsys):
    assert main([verb, "--help"]) == 0
    assert f"--format NAME         {says}\n" in capsys.readouterr().out


def test_standard_input_is_read_once(monkeypatch, capsys):
    with (ROOT / "tests/data/llama-7b.json").open("rb") as given:
        monkeypatch.setattr("sys.stdin", given)
        assert main(["count", "-", "--of", "params,active", "--by", "name"]) == 0
    assert capsys.readouterr().out.count("6,738,415,616") == 2


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_standard_output_has_a_name(target):
    done = subprocess.run([sys.executable, "-m", "symcount", "derive", "gpt2", "--format", "html", "-o", target],
                          capture_output=True, check=True, cwd=ROOT)
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert not (ROOT / "-").exists()


def test_without_typst_a_pdf_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(sc.SymcountError, match=r"pip install 'symcount\[pdf\]'"):
        pdf.document([], "x")


RUN = ["derive tests/data/llama-7b.json --set L=2", "prove layer_collapse --layers 3",
       "flops gpt2 --set s=128,b=2 --phase train --convention kaplan --without bias",
       "count qwen3-30b-a3b --of params,active --by 1", "solve gpt2 'params <= 350e6' --for L --set d=1024,heads=16"]


@pytest.mark.filterwarnings("ignore")
def test_a_notebook_gives_its_answers_when_it_is_run(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    books = []
    for i, asked in enumerate(RUN):
        assert main([*shlex.split(asked.replace("tests/data", str(ROOT / "tests/data"))), "--format", "ipynb", "-o",
                     str(tmp_path / f"{i}.ipynb")]) == 0
        books.append(nbformat.read(tmp_path / f"{i}.ipynb", 4))
        nbformat.validate(books[-1])
    whole = nbformat.v4.new_notebook(cells=[cell for book in books for cell in book.cells])
    written = [[dict(output.data) for output in cell.outputs] for cell in whole.cells if cell.cell_type == "code"]
    for cell in whole.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    for i, cell in enumerate(whole.cells):
        cell.id = f"cell-{i}"
    nbclient.NotebookClient(whole, timeout=120, kernel_name="python3").execute()
    run = [[dict(output.data) for output in cell.outputs] for cell in whole.cells if cell.cell_type == "code"]
    assert run == written
    assert sum(map(len, run)) == 6
