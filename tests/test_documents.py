"""Our documents are true: every command prints what stands below it, every Python block runs, every link exists."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
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
    assert second.endswith("python -m pytest")


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


def test_add_an_architecture(tmp_path, monkeypatch):
    """The page's file, put where it says, is found, counted as its source says, and prints what the page shows."""
    import symcount.architectures as home

    if "gpt_neo" not in home.files():  # nobody has followed the page yet
        (tmp_path / "gpt_neo.py").write_text(blocks("add-an-architecture.md", "python")[0], encoding="utf-8")
        monkeypatch.setattr(home, "__path__", [*home.__path__, str(tmp_path)])
        files = sorted([*home.files(), "gpt_neo"])
        monkeypatch.setattr(home, "files", lambda: files)
        monkeypatch.setattr("symcount.naming.files", home.files)
    try:
        from symcount import model, parameters, read_config

        for name, count in {"gpt-neo-125m": 125_198_592}.items():  # measured on transformers 5.23.0, meta device
            assert parameters(model(name)).total == count
        config = {"model_type": "gpt_neo", "vocab_size": 101, "max_position_embeddings": 520, "hidden_size": 48,
                  "num_layers": 2, "num_heads": 3, "attention_types": [[["global", "local"], 1]], "window_size": 64}
        monkeypatch.setattr("symcount.config.files", home.files)
        assert parameters(read_config(config)).total == 86_160
        (command, output), = documents.sessions(PAGES["add-an-architecture.md"].read_text(encoding="utf-8"))
        assert documents.run(command) == output
    finally:
        sys.modules.pop("symcount.architectures.gpt_neo", None)


@pytest.mark.parametrize(("command", "output"), documents.sessions(PAGES["proofs.md"].read_text(encoding="utf-8")),
                         ids=lambda text: text.splitlines()[0] if text else "")
def test_proofs_commands_print_what_stands_there(command, output):
    assert documents.run(command) == output


def test_proofs_python():
    page = PAGES["proofs.md"].read_text(encoding="utf-8")
    assert len(documents.executed(page)) == 2
    assert documents.printed_anew(page) == page


def test_the_page_of_identities_is_as_they_are():
    assert documents.IDENTITIES.read_text(encoding="utf-8") == documents.identities_page()


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_exist(page):
    path = PAGES.get(page, documents.ROOT / page)
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
