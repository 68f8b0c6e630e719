"""Our documents are true: every command prints what stands below it, every Python block runs, every link exists."""

from __future__ import annotations

import doctest
import re
import shlex
from itertools import accumulate
from pathlib import Path

import pytest

import architecture_pages
import documents
import pages

README = documents.ROOT / "README.md"
DOCS = documents.ROOT / "docs"
PAGES = {page.name: page for page in documents.DOCUMENTS}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page].read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(("command", "output"), documents.sessions(README.read_text(encoding="utf-8")),
                         ids=lambda text: text.splitlines()[0] if text else "")
def test_readme_commands_print_what_stands_there(command, output):
    assert documents.run(command) == output


def test_readme_python_session():
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for session in blocks("README.md", "pycon"):
        test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
        runner.run(test)
    assert runner.summarize(verbose=False) == (0, 7)


def test_readme_has_the_two_commands():
    first, second, *_ = (block.strip().splitlines()[-1] for block in blocks("README.md", "sh"))
    assert first.endswith("symcount derive llama-7b")
    assert second.endswith("python -m pytest -n auto")


def test_own_network(tmp_path, monkeypatch):
    (network, *_), *uses = documents.executed(PAGES["own-network.md"].read_text(encoding="utf-8"))
    assert len(network.splitlines()) <= 15
    assert len(uses) == len(blocks("own-network.md", "text"))
    for _, printed, shown in uses:
        assert printed
        assert shown == printed
    (tmp_path / "net.py").write_text(network, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = documents.sessions(PAGES["own-network.md"].read_text(encoding="utf-8"))
    assert len(shown) == 2
    for command, output in shown:
        assert documents.run(command) == output


def test_add_an_architecture():
    """The page shows a real file as it is, and what the command prints."""
    page = PAGES["add-an-architecture.md"].read_text(encoding="utf-8")
    assert documents.example_anew(page) == documents.written_anew(page) == page


@pytest.mark.parametrize(("command", "output"), [
    session for page in documents.told() if page != README
    for session in documents.sessions(page.read_text(encoding="utf-8"))],
                         ids=lambda text: text.splitlines()[0] if text else "")
def test_commands_of_pages_print_what_stands_there(command, output):
    assert documents.run(command) == output


@pytest.mark.parametrize("page", [page.name for page in documents.told() if "```python" in page.read_text("utf-8")])
def test_python_of_pages(page):
    text = PAGES[page].read_text(encoding="utf-8")
    assert len(documents.executed(text)) == text.count("```python")
    assert documents.printed_anew(text) == text


@pytest.mark.parametrize("written", [pages.pages, architecture_pages.architecture_pages],
                         ids=["tables", "architectures"])
def test_pages_that_are_made_are_as_they_would_be_made_now(written):
    made = written()
    assert [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text] == []
    for folder in {path.parent for path in made} - {DOCS}:
        assert {path for path in made if path.parent == folder} == set(folder.iterdir())


def test_every_page_has_its_place_in_the_index():
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    above = {"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}
    assert set(listed) == {page.name for page in DOCS.glob("*.md")} - {"index.md"} | above


def number(tex, sizes):
    """What a sum of products in TeX is for these sizes, read without the library."""
    tex = re.sub(r"n_\{\\mathrm\{(\w+)\}\}", r" \1 ", tex)
    tokens = re.findall(r"\^\{(\d+)\}|(\d+|[A-Za-z]+|[-+()])", tex.replace(r"\,", " "))
    words, python = [f"**{power}" if power else word for power, word in tokens], ""
    for word in words:
        times = python[-1:] not in ("", "(", "+", "-") and word[0] not in "+-)*"
        python += ("*" if times else "") + (str(sizes[word]) if word in sizes else word)
    return eval(python, {"__builtins__": {}})  # noqa: S307 - sizes, signs and brackets of our own page


@pytest.mark.parametrize(("page", "sizes", "count"), [
    # the sizes and counts that the papers and the real implementations print
    ("llama", {"V": 32000, "d": 4096, "h": 11008, "L": 32, "heads": 32, "kv": 32, "k": 128}, 6_738_415_616),
    ("llama", {"V": 128256, "d": 8192, "h": 28672, "L": 80, "heads": 64, "kv": 8, "k": 128}, 70_553_706_496),
    ("gpt2", {"V": 50257, "P": 1024, "d": 768, "h": 3072, "L": 12, "heads": 12}, 124_439_808),
    ("bert", {"V": 30522, "P": 512, "types": 2, "d": 1024, "h": 4096, "L": 24, "heads": 16}, 335_141_888),
    ("mixtral", {"V": 32000, "d": 4096, "h": 14336, "L": 32, "heads": 32, "kv": 8, "k": 128, "E": 8}, 46_702_792_704),
])
def test_the_formula_of_a_page_gives_the_published_count(page, sizes, count):
    text = (DOCS / "architectures" / f"{page}.md").read_text(encoding="utf-8")
    shown = re.search(r"\\text\{parameters\} &= (.*?)\n\\end", text, re.DOTALL)[1]
    assert number(re.sub(r"\\\\\n&\\quad \{\}", "", shown), sizes) == count
    assert f"{count:,}" in text


BRACED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
TWICE = re.compile(rf"_{BRACED}_|\^{BRACED}\^")  # no TeX takes a second subscript


@pytest.mark.parametrize("folder", ["architectures", "identities"])
def test_formulas_of_pages_are_tex(folder):
    wrong = {}
    for page in sorted((DOCS / folder).glob("*.md")):
        for found in re.finditer(r"\$\$\n(.*?)\n\$\$|\$([^$\n]+)\$", page.read_text(encoding="utf-8"), re.DOTALL):
            tex = found[1] or found[2]
            levels = list(accumulate((sign == "{") - (sign == "}") for sign in re.sub(r"\\[{}]", "", tex)))
            if TWICE.search(tex) or min(levels, default=0) < 0 or levels[-1:] not in ([], [0]):
                wrong[page.name] = tex
    assert wrong == {}


@pytest.mark.parametrize(("name", "said"), [
    ("layer_collapse", ["X (W_{1} W_{2})", "a ReLU stands between", "Goodfellow", "product is associative"]),
    ("palm_training", ["b s (6 N + 12 L", "87{,}784{,}836{,}562{,}944", "Chowdhery", "all weights are trained"]),
])
def test_a_page_of_an_identity_has_all_its_parts(name, said):
    text = (DOCS / "identities" / f"{name}.md").read_text(encoding="utf-8")
    assert [part for part in said if part not in text] == []
    heads = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert [head for head in heads if head not in ("What it saves", "In numbers")] == [
        "Statement", "When", "Proof", "Mistaken for it", "Source"]


@pytest.mark.parametrize(("said", "shown"), [
    ("One *line*\nof `a*b`.", ["One \\*line\\* of `a*b`.", ""]),
    (">>> 1 < 2\nTrue", ["```pycon", ">>> 1 < 2", "True", "```", ""]),
    ("of    what it\n      counts\nto    where", ["- `of`: what it counts", "- `to`: where", ""]),
])
def test_a_docstring_as_markdown(said, shown):
    assert pages.docstring(said) == shown


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_exist(page):
    path = PAGES.get(page, documents.ROOT / page)
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_the_pictures_of_the_page_are_drawn_as_it_says(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for block in blocks("scaling.md", "sh") for line in block.splitlines()]
    for _, *words in commands:
        assert documents.main(words) == 0
        assert Path(words[-1]).stat().st_size > 10_000
    assert documents.DRAWN in [words[1:-2] for words in commands]  # the one that the page shows


def test_the_page_of_checks_links_to_each():
    shown = PAGES["check.md"].read_text(encoding="utf-8")
    assert all(f"checks/{page.name}" in shown for page in (DOCS / "checks").glob("*.md"))
