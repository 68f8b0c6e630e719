"""The verb `check`: documents are read, their findings selected, shown and mended; a single claim gets a verdict."""

from __future__ import annotations

from symcount.diagnostics import Diagnostic
from symcount.errors import ModelError, SymcountError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from symcount.lint import Examined

    Examiner = Callable[[str, str], Examined]  # of a path and its text

LARGEST_DOCUMENT = 2**26  # bytes
_SUFFIXES = (".md", ".tex", ".ipynb", ".rst", ".txt")  # what is read of a folder
_STREAM, _CLAIM = "<stdin>", "<claim>"
_WRONG, _NOTES = ("error", "carried"), ("convention", "note")
_MARK = "\ufeff"  # of byte order; some editors put it before a text


def check(asked: Any) -> Any:
    """What is wrong in documents, in the format asked for; `asked.status` is 1 where an error was found.

    A file that is named and cannot be read is refused before anything is written; one that is met in a folder is
    listed as not judged.
    """
    _refuse(asked)
    examined = _examiner(asked)
    if asked.claim:
        return _claim(asked, examined)
    kept, texts, found, judged = _selection(asked), {}, {}, {}
    for path in _paths(asked.models):
        try:
            texts[path] = _read(path)
            found[path], judged[path] = examined(path, texts[path].removeprefix(_MARK))
        except SymcountError as error:
            if path in asked.models or path == _STREAM or "pip install" in str(error):  # a library is missing
                raise
            found[path] = [Diagnostic(path, 1, 1, 1, "", "skipped", str(error).removeprefix(f"{path}: "))]
    mended = _mended(texts, found, kept) if asked.fix or asked.diff else {}
    if asked.fix and not asked.diff:
        from symcount.output import write

        for path, (text, _) in mended.items():
            write(path, text)
            found[path], judged[path] = examined(path, text.removeprefix(_MARK))
    told = [one for here in found.values() for one in here if kept(one)]
    asked.status = 1 if any(one.severity in _WRONG for one in told) else 0
    if asked.diff:
        from symcount.mending import difference

        changed = [difference(texts[path], text, path) for path, (text, _) in mended.items()]
        return "\n".join(changed) or f"{_files(found)}, nothing to mend"
    says = [f"{clipped(path, 200)}: {count:,} mended" for path, (_, count) in mended.items()]
    count = sum(judged.values())
    clean = f"nothing wrong in {count:,} statement{'' if count == 1 else 's'}" if count else "nothing was judged"
    return _shown(asked, told, [] if asked.status else [f"{_files(found)}, {clean}"], says)


def _refuse(asked: Any) -> None:
    """Refuse what makes no sense together."""
    if bool(asked.claim) == bool(asked.models):
        raise ModelError("check needs a file, a folder or -, as in symcount check notes.md, or else one --claim")
    alone = ("select", "ignore", "fix", "diff") if asked.claim else ("notes", "skipped") if asked.diff else ()
    for option in alone:
        if getattr(asked, option):
            raise ModelError(f"--{'claim' if asked.claim else 'diff'} takes no --{option}")
    if asked.diff and asked.format != "text":
        raise ModelError(f"--diff shows no findings, and takes no --format {asked.format}")
    if asked.fix and not asked.diff and "-" in asked.models:
        raise ModelError("--fix writes files; of standard input --diff shows what would change")


def _examiner(asked: Any) -> Examiner:
    from symcount import lint

    model = None
    if asked.model:
        from symcount.naming import model as named

        model = named(asked.model)
    return lambda path, text: lint.examine(text, path=path, model=model, notation=asked.notation)


def _selection(asked: Any) -> Callable[[Diagnostic], bool]:
    """Whether a finding is of the checks asked for; what was not judged is of none, and is kept."""
    select = _codes("select", asked.select) if asked.select else ("",)
    ignore = _codes("ignore", asked.ignore) if asked.ignore else ()
    return lambda one: not one.code or (one.code.startswith(select) and not one.code.startswith(ignore))


def _codes(option: str, told: str) -> tuple[str, ...]:
    """The beginnings of codes that are told, each of which some check has."""
    from symcount.checks import codes

    known, parts = codes(), tuple(part.strip() for part in told.split(","))
    for part in parts:
        if not part or not any(code.startswith(part) for code in known):
            raise ModelError(f"--{option}: no check '{clipped(part)}'; {nearest(part, list(known))}")
    return parts


def _paths(words: Sequence[str]) -> list[str]:
    """The files that are named, and those in folders that are, each once; "<stdin>" for "-"."""
    import os

    found: dict[str, str] = {}
    for word in words:
        if word == "-":
            found[_STREAM] = _STREAM
            continue
        if not os.path.exists(word):
            raise ModelError(f"{clipped(word, 200)}: no such file")
        inside = list(_walked(word)) if os.path.isdir(word) else [word]
        if not inside:
            raise ModelError(f"{clipped(word, 200)}: no document in this folder ({' '.join(_SUFFIXES)})")
        for path in inside:
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _walked(folder: str) -> Iterator[str]:
    """The documents in a folder, in order; hidden folders and those of packages are left out."""
    import os

    def refused(error: OSError) -> None:
        raise ModelError(f"cannot read {clipped(error.filename, 200)}: {error.strerror}") from None

    for place, folders, files in os.walk(folder, onerror=refused):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in ("node_modules", "venv"))
        for name in sorted(files):
            path = os.path.join(place, name).removeprefix("./")
            if name.lower().endswith(_SUFFIXES) and os.path.isfile(path):
                yield path


def _read(path: str) -> str:
    """A text as it stands in its file, line ends and all."""
    import sys

    where = "standard input" if path == _STREAM else clipped(path, 200)
    try:
        if path == _STREAM:
            if sys.stdin is None:
                raise ModelError("standard input is closed")
            data = getattr(sys.stdin, "buffer", sys.stdin).read(LARGEST_DOCUMENT + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST_DOCUMENT + 1)
        if len(data) > LARGEST_DOCUMENT:
            raise ModelError(f"{where}: a document has at most {LARGEST_DOCUMENT:,} bytes")
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise ModelError(f"{where}: this is UTF-16; save it as UTF-8")
        text = data if isinstance(data, str) else data.decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"{where}: byte {error.start + 1:,} is no UTF-8; save it as UTF-8") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        raise ModelError(f"{where}: {getattr(error, 'strerror', None) or error}") from None
    if "\0" in text:
        raise ModelError(f"{where}: character {text.index(chr(0)) + 1:,} is NUL, so this is no text")
    return text


def _mended(texts: dict[str, str], found: dict[str, list[Diagnostic]],
            kept: Callable[[Diagnostic], bool]) -> dict[str, tuple[str, int]]:
    """What each file that changes would hold, and how many fixes; a root that is not asked for is not mended."""
    from symcount.mending import applied

    mended = {}
    for path, text in texts.items():
        mark = _MARK if text.startswith(_MARK) else ""
        after, count = applied(text.removeprefix(_MARK), [one if kept(one) else one._replace(fix=None)
                                                          for one in found[path]])
        if count:
            mended[path] = mark + after, count
    return mended


def _claim(asked: Any, examined: Examiner) -> Any:
    """The verdict about one claim; one of which anything is not judged is not called right."""
    found, judged = examined(_CLAIM, asked.claim)
    if not found and not judged:
        line = asked.claim.splitlines()[0] if asked.claim.splitlines() else ""
        found = [Diagnostic(_CLAIM, 1, 1, len(line) + 1, "", "skipped", "nothing in it is read as a claim",
                            help="say what equals what, as in 30522*768 = 23,440,896 or 124M is parameters of gpt2",
                            source=line)]
    from symcount.claims.leftover import GIVEN

    severities = {one.severity for one in found if one.message != GIVEN}
    asked.status = 1 if severities.intersection((*_WRONG, "skipped")) else 0
    verdict = ("" if severities.intersection(_WRONG) else "not judged, or not all of it" if "skipped" in severities else
               "right, under a convention" if "convention" in severities else "right")
    asked.notes = asked.skipped = True
    return _shown(asked, found, [verdict] if verdict else [], [])


def _shown(asked: Any, found: Sequence[Diagnostic], before: list[str], after: list[str]) -> Any:
    """Findings in the format asked for; in text with lines before and after them."""
    from symcount.render import findings

    severities = (*_WRONG, *(_NOTES if asked.notes else ()), *(("skipped",) if asked.skipped else ()))
    visible = [one for one in found if one.severity in severities]
    if asked.format == "json":
        return findings.data(visible)
    if asked.format == "sarif":
        from symcount.checks import listed
        from symcount.render import sarif

        return sarif.findings(visible, listed())
    if asked.format == "github":
        from symcount.render import github

        return github.findings(visible) or "\n".join(before)
    told = findings.text(visible, [one for one in found if one.severity not in severities])
    gap = "\n\n" if visible else "\n"
    return gap.join(filter(None, ["\n".join(before), told, "\n".join(after)]))


def _files(found: dict[str, Any]) -> str:
    return f"{len(found):,} file{'' if len(found) == 1 else 's'}"
