"""The derivations as documents: executes derivations/*.md, and makes HTML, LaTeX and PDF of what was executed.

    python docs/build.py notebooks [NAME…]              executes the sources, writes the notebooks beside them
    python docs/build.py html|latex|pdf [NAME…]         converts the notebooks, all of them without a NAME
      -o FOLDER                                         where to; build/ without it
      --source FOLDER                                   where sources and notebooks are; derivations/ without it

A NAME is the start of a file's name: 03, or 03-mlp. What each output needs stands in docs/notebooks.md. Status 1
where a document is wrong (a cell fails, a line is too wide for the page), 2 where a tool is missing or a name unknown.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import executing
from refusals import MissingError, WrongError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]


def chosen(folder: Path, names: list[str]) -> list[Path]:
    """The sources in a folder, in their order: all, or those whose names begin as asked.

    Raises MissingError for a name that none has.
    """
    every = sorted(folder.glob("[0-9]*.md"))
    if not every:
        raise MissingError(f"{folder}: no source here, as 01-name.md")
    for name in names:
        if not any(source.name.startswith(name) for source in every):
            raise MissingError(f"{name}: no source begins so; there are {', '.join(source.stem for source in every)}")
    return [source for source in every if not names or any(source.name.startswith(name) for name in names)]


def notebooks(sources: list[Path]) -> list[Path]:
    """Executes each source, in kernels of their own, and writes its notebook where it changed."""
    made = [source.with_suffix(".ipynb") for source in sources]
    for target, text in zip(made, side_by_side(lambda source: executing.written(executing.executed(source)), sources),
                            strict=True):
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    return made


def side_by_side(work: Callable[[Path], object], sources: list[Path]) -> list:
    """What `work` makes of each source, as many at a time as there are processors.

    Raises WrongError with what is wrong in all of them.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(work, source) for source in sources]
    wrong = [str(one.exception()) for one in waiting if isinstance(one.exception(), WrongError)]
    if wrong:
        raise WrongError("\n".join(wrong))
    return [one.result() for one in waiting]


def main(words: list[str] | None = None) -> int:
    """The command; returns its status."""
    parser = argparse.ArgumentParser(prog="docs/build.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["notebooks", "html", "latex", "pdf"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build", metavar="FOLDER")
    parser.add_argument("--source", type=Path, default=ROOT / "derivations", metavar="FOLDER")
    asked = parser.parse_args(words)
    try:
        sources = chosen(asked.source, asked.names)
        if asked.what == "notebooks":
            made = notebooks(sources)
        else:
            import converting

            made = getattr(converting, asked.what)(sources, asked.output)
    except (MissingError, WrongError) as refused:
        print(refused, file=sys.stderr)
        return 2 if isinstance(refused, MissingError) else 1
    for path in made:
        print(os.path.relpath(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
