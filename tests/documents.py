"""The commands and their outputs in our documents: read by the tests; those of the README this file writes anew.

    python tests/documents.py        after a change of output, then read the difference before you commit it
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from symcount.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def run(command: str) -> str:
    """What `symcount …` prints."""
    program, *words = shlex.split(command)
    assert program == "symcount", command
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(words)
    assert status == 0, command
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


if __name__ == "__main__":  # the pages of docs/ need files of their own, which the tests make: mend them by hand
    readme = ROOT / "README.md"
    readme.write_text(written_anew(readme.read_text(encoding="utf-8")), encoding="utf-8")
