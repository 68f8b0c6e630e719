"""Our documents are true: every command prints what stands below it, every Python block runs, every link exists."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("documents", HERE / "documents.py")
documents = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(documents)
README = documents.ROOT / "README.md"
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
    first, second = (block.strip().splitlines()[-1] for block in blocks("README.md", "sh"))
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
    session for page in ("proofs.md", "conventions.md", "scaling.md", "check.md")
    for session in documents.sessions(PAGES[page].read_text(encoding="utf-8"))],
                         ids=lambda text: text.splitlines()[0] if text else "")
def test_commands_of_pages_print_what_stands_there(command, output):
    assert documents.run(command) == output


@pytest.mark.parametrize("page", ["proofs.md", "conventions.md", "scaling.md"])
def test_python_of_pages(page):
    text = PAGES[page].read_text(encoding="utf-8")
    assert len(documents.executed(text)) == 2
    assert documents.printed_anew(text) == text


def test_the_page_of_identities_is_as_they_are():
    assert documents.IDENTITIES.read_text(encoding="utf-8") == documents.identities_page()


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


def test_pages_of_checks_are_those_of_their_modules():
    pages = documents.check_pages()
    assert set(pages) == set((documents.ROOT / "docs" / "checks").glob("*.md"))
    assert all(page.read_text(encoding="utf-8") == text for page, text in pages.items())
    shown = PAGES["check.md"].read_text(encoding="utf-8")
    assert all(f"checks/{page.name}" in shown for page in pages)


def test_python_of_the_page_of_checks():
    text = PAGES["check.md"].read_text(encoding="utf-8")
    assert documents.printed_anew(text) == text
    assert len(documents.executed(text)) == 1
