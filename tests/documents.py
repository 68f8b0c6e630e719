"""The commands and their outputs in our documents, read by the tests; this file writes them, and generated pages, anew.

    python tests/documents.py        after a change of output, then read the difference before you commit it
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import architecture_pages
import pages
from symcount.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PICTURE = ROOT / "docs" / "pictures" / "crossing.svg"
DRAWN = ["plot", "llama-7b", "--for", "s=2^7..16", "--of", "flops@scores+flops@mix,flops@mlp"]
OWN = [ROOT / "docs" / "own-network.md", ROOT / "docs" / "add-an-architecture.md"]
EXAMPLE = ROOT / "symcount" / "architectures" / "gpt_neox.py"
PRINTED = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)  # a block, and what it prints
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def run(command: str) -> str:
    """What `symcount …` prints."""
    program, *words = shlex.split(command)
    assert program == "symcount", command
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(words)
    wrong = " --activation" in command or " error: " in shown.getvalue() or "::error " in shown.getvalue()
    assert status == wrong, command  # what is refuted is not proved, and an error was found: status 1
    return shown.getvalue()


def sessions(text: str) -> list[tuple[str, str]]:
    """(command, printed output) for every console block of a document."""
    found = []
    for block in CONSOLE.findall(text):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            found.append((command, output))
    return found


def written_anew(text: str) -> str:
    """The document with every console block as the commands print it now."""
    def again(block: re.Match[str]) -> str:
        shown = "".join(f"$ {command}\n{run(command)}" for command, _ in sessions(block[0]))
        return f"```console\n{shown}```"
    return CONSOLE.sub(again, text)


def executed(text: str) -> list[tuple[str, str, str]]:
    """(Python block, what the document says it prints, what it prints) for every Python block, in one namespace."""
    scope: dict[str, object] = {}
    found = []
    for code, printed in PRINTED.findall(text):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(code, "document", "exec"), scope)  # noqa: S102 - our own document, run as a reader would
        found.append((code, printed, shown.getvalue()))
    return found


def printed_anew(text: str) -> str:
    """The document with what its Python blocks print now."""
    made = iter(executed(text))

    def again(block: re.Match[str]) -> str:
        code, _, output = next(made)
        return block[0] if block[2] is None else f"```python\n{code}```\n\n```text\n{output}```"
    return PRINTED.sub(again, text)


def example_anew(text: str) -> str:
    """The page about adding an architecture, with the file that it shows as it is now."""
    code = EXAMPLE.read_text(encoding="utf-8")
    return re.sub(r"```python\n.*?```", lambda _: f"```python\n{code}```", text, count=1, flags=re.DOTALL)


def generated() -> dict[Path, str]:
    """{file: text} for every page that is made from the library alone."""
    return {**pages.pages(), **architecture_pages.architecture_pages()}


def told() -> list[Path]:
    """The documents whose commands and Python blocks are run as they stand; the others are made, or need files."""
    return [page for page in DOCUMENTS if page.name not in pages.FLAT and page not in OWN]


if __name__ == "__main__":  # own-network.md needs a file of its own, which the tests make: mend it by hand
    added = ROOT / "docs" / "add-an-architecture.md"
    added.write_text(example_anew(written_anew(added.read_text(encoding="utf-8"))), encoding="utf-8")
    for page in told():
        page.write_text(printed_anew(written_anew(page.read_text(encoding="utf-8"))), encoding="utf-8")
    main([*DRAWN, "-o", str(PICTURE)])
    for page, text in generated().items():
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, encoding="utf-8")
