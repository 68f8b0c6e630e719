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
PICTURE = ROOT / "docs" / "pictures" / "crossing.svg"
DRAWN = ["plot", "llama-7b", "--for", "s=2^7..16", "--of", "flops@scores+flops@mix,flops@mlp"]
IDENTITIES = ROOT / "docs" / "identities.md"
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


def identities_page() -> str:
    """The page of all identities, each as `prove` derives it."""
    from symcount import identities, prove

    head = ["# The identities", "", "Written by `python tests/documents.py`; each is `symcount prove NAME`.",
            "How to read, use and add them: [proofs](proofs.md).", ""]
    names = identities()
    listed = [f"- [{name}](#{name})" for name in names]
    return "\n".join([*head, *listed, "", *(
        f"## {name}\n\n{prove(name).to_markdown()}" for name in names)])


def check_pages() -> dict[Path, str]:
    """The page of every check, from its module."""
    from symcount.checks import checks, listed

    pages = {}
    for module, (code, name, _) in zip(checks(), listed(), strict=True):
        head, *parts = re.split(r"\n\n(?=[A-Z][a-z ]+\n    )", module.__doc__.strip())
        lines = [f"# {code} {name}", "", head[len(name) + 2].upper() + head[len(name) + 3:], ""]
        for part in parts:
            title, _, body = part.partition("\n")
            text = re.sub(r"^    ", "", body, flags=re.MULTILINE).strip()
            example = title in ("Bad", "Good")
            ignored = ["<!-- symcount: ignore -->", ""] if title == "Bad" else []
            lines += [f"## {title}", "", *ignored, *(["```text", text, "```"] if example else [text]), ""]
        pages[ROOT / "docs" / "checks" / f"{code}-{name}.md"] = "\n".join(lines)
    return pages


if __name__ == "__main__":  # own-network.md needs a file of its own, which the tests make: mend it by hand
    readme = ROOT / "README.md"
    added = ROOT / "docs" / "add-an-architecture.md"
    added.write_text(example_anew(written_anew(added.read_text(encoding="utf-8"))), encoding="utf-8")
    for page in (readme, ROOT / "docs" / "proofs.md", ROOT / "docs" / "conventions.md", ROOT / "docs" / "scaling.md",
                 ROOT / "docs" / "check.md"):
        page.write_text(printed_anew(written_anew(page.read_text(encoding="utf-8"))), encoding="utf-8")
    main([*DRAWN, "-o", str(PICTURE)])
    for page, text in check_pages().items():
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, encoding="utf-8")
    IDENTITIES.write_text(identities_page(), encoding="utf-8")
