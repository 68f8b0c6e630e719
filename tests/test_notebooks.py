"""The notebooks in derivations/ are what their sources make now, say nothing that they do not show, and convert."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import build
import complaints
import converting
import executing
import notebooks
from browser import browser
from symcount.cli import main

nbformat = pytest.importorskip("nbformat", reason="notebooks need the extra 'notebooks'")
for _name in ("jupytext", "nbclient", "ipykernel", "nbconvert"):
    pytest.importorskip(_name, reason="notebooks need the extra 'notebooks'")
SOURCES = sorted((notebooks.ROOT / "derivations").glob("*.md"))
STORED = [source.with_suffix(".ipynb") for source in SOURCES]
TEX = pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("xelatex")),
                         reason="pandoc or xelatex is not installed: docs/notebooks.md says what installs them")
SHOWN = """
const done = arguments[0], every = mark => [...document.querySelectorAll(mark)];
MathJax.startup.promise.then(() => {
    const counted = {
        loaded: every("[src], link[href]").map(one => one.src || one.href),
        inline: every("mjx-container:not([display])").length, displayed: every("mjx-container[display]").length,
        wrong: every("[data-mjx-error]").map(one => one.dataset.mjxError)};
    every("pre, code, script, style, mjx-container").forEach(one => one.remove());
    done({...counted, prose: document.body.textContent});
});
"""
HEAD = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""
pytestmark = pytest.mark.filterwarnings("ignore")  # what Jupyter's libraries deprecate among themselves


def stem(path):
    return path.stem


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str) -> Path:
        path = tmp_path / f"{name}.md"
        path.write_text(HEAD + text, encoding="utf-8")
        return path
    return write


def code(*lines: str) -> str:
    return "\n".join(["```{code-cell} ipython3", *lines, "```", ""])


@pytest.mark.parametrize("source", SOURCES, ids=stem)
def test_a_notebook_is_what_its_source_makes_now(source):
    fresh, stored = executing.executed(source), source.with_suffix(".ipynb")
    assert notebooks.unlike(fresh, read(stored), stored.name) == []
    assert stored.read_text(encoding="utf-8") == executing.written(fresh)  # metadata, ids and the rest too


@pytest.mark.parametrize(("stored", "following"), list(zip(STORED, [*SOURCES[1:], None], strict=True)),
                         ids=lambda path: path and path.stem)
def test_a_notebook_is_whole_and_traces_its_numbers(stored, following):
    notebook = read(stored)
    assert notebooks.unclean(notebook, stored.name, stored.stat().st_size) == []
    assert notebooks.untraced(notebook, stored.name) == []
    assert notebooks.unfinished(notebook, stored.name, following and following.name) == []


@pytest.mark.parametrize("path", [*SOURCES, *STORED], ids=lambda path: path.name)
def test_our_own_linter_is_silent(path):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(["check", str(path)])
    assert (status, [line for line in shown.getvalue().splitlines() if path.name in line]) == (0, [])


def test_there_is_a_notebook_for_each_source_and_no_other():
    assert len(SOURCES) >= 13
    assert sorted((notebooks.ROOT / "derivations").glob("*.ipynb")) == STORED


# What the tests above are made of finds what it is for


def test_a_changed_digit_is_found(write):
    fresh = executing.executed(write("01-a", "# A\n\n" + code("print(784 * 128)") + "\n" + code("784 * 128 + 128")))
    stored = nbformat.reads(executing.written(fresh), as_version=4)
    assert notebooks.unlike(fresh, stored, "01-a") == []
    stored.cells[1].outputs[0].text = "100353\n"
    stored.cells[2].outputs[0].data["text/plain"] = "100481"
    assert notebooks.unlike(fresh, stored, "01-a") == [
        "01-a, cell 2, stdout: line 1 is '100352' now, and '100353' stands there",
        "01-a, cell 3, text/plain: line 1 is '100480' now, and '100481' stands there"]
    stored.cells[0].source += " and B"
    assert notebooks.unlike(fresh, stored, "01-a") == [
        "01-a: its cells are not those of its source: python docs/build.py notebooks"]


@pytest.mark.parametrize(("prose", "found"), [
    ("It has 100,480 weights, 100.5 thousand, $100{,}480$, 0.1 million, 12 layers and 7 rows.", []),
    ("Of 6,738,415,616 it is 6.74 billion, 6.7B, 13.48 GB and 12.55 GiB.", []),
    ("A third is 33.3 %, or 33 %, of $6.74 \\cdot 10^9$.", []),
    ("See (Kaplan et al., 2020), Hoffmann et al.\n2022, arXiv:2001.08361 and GPT-2.", []),
    ("[The 175B model](02-b.md) comes next.", []),
    ("It has 100,481 weights.", ["100,481"]),
    ("It has 6.73 billion.", ["6.73 billion"]),
    ("It takes 13.47 GB, or 13.48 GiB.", ["13.47 GB", "13.48 GiB"]),
    ("A third is 33.4 %.", ["33.4 %"]),
    ("Some $1{,}234$ and 2048 rows.", ["1{,}234", "2048"]),
])
def test_a_number_in_prose_that_nothing_shows_is_found(prose, found):
    from nbformat import v4

    shown = ["100,480", "6,738,415,616 is 6.74 billion", "13,476,831,232 bytes", str(1 / 3)]
    notebook = v4.new_notebook(cells=[
        v4.new_markdown_cell(prose),
        v4.new_code_cell("print(answer)", outputs=[v4.new_output("stream", text="\n".join(shown))])])
    told = notebooks.untraced(notebook, "01-a")
    assert [re.match(r"01-a, cell 1: '(.*?)' is in no output and no code", line)[1].replace("\\\\", "\\")
            for line in told] == found


@pytest.mark.parametrize(("output", "found"), [
    ({"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}, "cell 1: ValueError: no"),
    ({"output_type": "stream", "name": "stdout", "text": "<X object at 0x7f00aa11bb22>"}, "0x7f00aa11bb22"),
    ({"output_type": "stream", "name": "stdout", "text": "in /" + "home/someone/x.py"}, "stdout: '/" + "home/"),
    ({"output_type": "stream", "name": "stderr", "text": "a warning"}, "writes to stderr: a warning"),
    ({"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b>x</b>"}}, "shows text/html"),
])
def test_an_output_that_must_not_be_is_found(output, found):
    from nbformat import v4

    notebook = v4.new_notebook(cells=[v4.new_code_cell("x", outputs=[nbformat.from_dict(output)])])
    told = notebooks.unclean(notebook, "01-a", 1000)
    assert len(told) == 1
    assert found in told[0]
    assert len(notebooks.unclean(notebook, "01-a", 300_001)) == 2


@pytest.mark.parametrize(("prose", "found"), [
    ("# A\n\n## Exercises\n\n1. One?\n2. Two?\n\n## Answers\n\n**1.** Yes.\n\n**2.** No.\n\nNext: [b](02-b.md)", []),
    ("# A\n\n## Exercises\n\n1. One?\n2. Two?\n\n## Answers\n\n**1.** Yes.\n\nNext: [b](02-b.md)",
     ["01-a: exercises ['1', '2'], answers ['1']"]),
    ("# A\n\n# B\n\n## Exercises\n\n1. One?\n\n## Answers\n\n**1.** Yes.",
     ["01-a: it does not begin with a title, and have only that one", "01-a: its last cell does not lead to 02-b.md"]),
    ("# A\n\nText.", ["01-a: its last sections are [], not Exercises and Answers"]),
])
def test_what_a_notebook_lacks_is_found(prose, found):
    from nbformat import v4

    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(prose)])
    assert notebooks.unfinished(notebook, "01-a", "02-b.md") == found


# The tool


def test_executing_leaves_nothing_of_the_machine_or_the_hour(write):
    source = write("01-a", "# A\n\n" + code("1 + 1") + "\nText.\n\n+++\n\nText.\n\n" + code("1 + 1"))
    assert build.main(["notebooks", "--source", str(source.parent)]) == 0
    stored = source.with_suffix(".ipynb")
    first = stored.read_bytes(), stored.stat().st_mtime_ns
    assert build.main(["notebooks", "01", "--source", str(source.parent)]) == 0
    assert (stored.read_bytes(), stored.stat().st_mtime_ns) == first
    ids = [cell.id for cell in read(stored).cells]
    assert len(set(ids)) == len(ids) == 5
    source.write_text(source.read_text().replace("# A\n", "# A\n\nMore.\n\n+++\n\nAnd more.\n"))
    assert [cell.id for cell in executing.unexecuted(source).cells][-4:] == ids[-4:]


@pytest.mark.parametrize(("lines", "said"), [
    (["x = 1", "x / 0"], "01-a.md:15: ZeroDivisionError: division by zero"),
    (["import warnings", "warnings.warn('old')"], "01-a.md:15: the cell writes to stderr, as a warning does"),
])
def test_a_cell_that_fails_is_named(write, capfd, lines, said):
    source = write("01-a", "# A\n\n" + code(*lines))
    assert build.main(["notebooks", "--source", str(source.parent)]) == 1
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 1
    assert told[0].endswith(said)
    assert not source.with_suffix(".ipynb").exists()


@pytest.mark.parametrize(("words", "gone", "said"), [
    (["latex"], "pandoc", "apt-get install pandoc"),
    (["pdf"], "xelatex", "texlive-xetex texlive-fonts-recommended texlive-plain-generic"),
    (["html"], "sphinx-mathjax-offline", "pip install -e '.[notebooks]'"),
    (["html"], "nbconvert", "converting notebooks needs nbconvert: pip install -e '.[notebooks]'"),
    (["notebooks"], "nbclient", "executing notebooks needs nbclient: pip install -e '.[notebooks]'"),
    (["notebooks"], "jupytext", "reading notebooks' sources needs jupytext: pip install -e '.[notebooks]'"),
    (["html", "77"], "", "77: no source begins so; there are 01-dense-layer"),
    (["html", "--source", "nowhere"], "", "nowhere: no source here"),
])
def test_what_is_missing_is_one_line(words, gone, said, monkeypatch, capsys, tmp_path):
    which, spec = shutil.which, converting.find_spec
    monkeypatch.setattr(shutil, "which", lambda name: None if name == gone else which(name) or name)
    if gone in ("nbconvert", "nbclient", "jupytext"):
        monkeypatch.setitem(sys.modules, gone, None)
    monkeypatch.setattr(converting, "find_spec", lambda name: None if name == gone else spec(name))
    assert build.main([*words, "-o", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert (told.out, len(told.err.splitlines())) == ("", 1)
    assert said in told.err


def test_a_notebook_that_is_not_of_its_source_is_not_converted(write, tmp_path, capsys):
    source = write("01-a", "# A\n\nText.\n")
    assert build.main(["html", "--source", str(tmp_path), "-o", str(tmp_path)]) == 1
    assert "it was not executed yet: python docs/build.py notebooks 01-a" in capsys.readouterr().err
    source.with_suffix(".ipynb").write_text(executing.written(executing.unexecuted(source)))
    source.write_text(source.read_text().replace("Text", "Other text"))
    assert build.main(["html", "--source", str(tmp_path), "-o", str(tmp_path)]) == 1
    assert "a cell does not stand in 01-a.md" in capsys.readouterr().err


@TEX
def test_what_does_not_fit_on_a_page_is_an_error(write, tmp_path, capsys):
    """Lines too wide, displays too high, signs that no font has, and what TeX does not know; and what does fit."""
    rows = " \\\\\n".join(f"x_{{{i}}} &= {i}" for i in range(80))
    line = " + ".join(f"x_{{{i}}}" for i in range(60))
    texts = {
        "01-bad": f"# Bad\n\nA snowman \N{SNOWMAN}.\n\n+++\n\n$${line}$$\n\n"
                  f"+++\n\nText.\n\n$$\\begin{{aligned}}\n{rows}\n\\end{{aligned}}$$\n\nAfter.\n",
        "02-macro": "# Macro\n\nA $\\nosuchmacro$.\n",
        "03-good": "# Good: 40 % of $d^2$ & a_b\n\nSigns 2 × 3 − 1 ≥ 4 · x₀², \"quoted\".\n\n"
                   f"| a | b |\n| --- | ---: |\n| {'words ' * 30} | 1,000,000 |\n\n- one\n- `two ≥ ²`\n",
    }
    sources = [write(name, text) for name, text in texts.items()]
    for source in sources:
        source.with_suffix(".ipynb").write_text(executing.written(executing.unexecuted(source)), encoding="utf-8")
    assert build.main(["pdf", "--source", str(tmp_path), "-o", str(tmp_path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4
    for line, (where, said) in zip(told, [
            ("01-bad.md:12", "no font has the sign \N{SNOWMAN}"), ("01-bad.md:18", r"[\d.]+ pt wider than the page"),
            ("01-bad.md:22", r"[\d.]+ pt higher than the page"), ("02-macro.md:12", "Undefined control sequence"),
            ], strict=True):
        assert re.search(f"{where}: {said}", line), line
    assert (tmp_path / "pdf" / "03-good.pdf").stat().st_size > 5_000


class Asked(HTMLParser):
    """What a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.loaded += [value for name, value in attrs if name in ("src", "srcset", "data", "poster")
                        or (tag == "link" and name == "href")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    assert build.main(["html", "-o", str(folder)]) == 0
    return folder / "html"


def test_pages_ask_no_host_and_lead_to_pages(pages):
    for page in pages.glob("*.html"):
        text, asked = page.read_text(encoding="utf-8"), Asked()
        asked.feed(text)
        assert [one for one in asked.loaded if not one.startswith("data:image/")] in ([], ["tex-svg-full.js"])
        assert not re.search(r"@import|url\(|require\(|cdn", text)
        assert all((pages / where).exists() for where in re.findall(r'href="([^"#:]+)"', text)), page.name
    contents = (pages / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', contents) == [f"{source.stem}.html" for source in SOURCES]
    assert (pages / "tex-svg-full.js").stat().st_size > 2_000_000


def test_mathematics_is_typeset_and_nothing_else_is_loaded(pages):
    """Inline and displayed: in a browser no dollar sign and no error remains, and each page reads MathJax alone."""
    with browser() as driver:
        for source in SOURCES:
            driver.get((pages / f"{source.stem}.html").as_uri())
            shown = driver.execute_async_script(SHOWN)
            assert [Path(name).name for name in shown["loaded"]] == ["tex-svg-full.js"], source.stem
            assert shown["inline"] > 5, source.stem
            assert shown["displayed"] > 0, source.stem
            assert shown["wrong"] == [], source.stem
            assert "$" not in shown["prose"], source.stem
            assert "\\" not in shown["prose"], source.stem
            assert driver.get_log("browser") == [], source.stem


@pytest.mark.parametrize("module", [build, complaints, converting, executing, notebooks], ids=lambda one: one.__name__)
def test_examples_of_the_scripts(module):
    assert doctest.testmod(module).failed == 0
