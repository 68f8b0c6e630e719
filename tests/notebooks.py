"""What must hold of the notebooks in derivations/: each function tells what does not, notebook and cell by name."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parents[1]

LARGEST = 300_000  # bytes of a notebook
# A number as it is written: in prose, in code (40_000), in TeX (40{,}000), with what scales it
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:(?:,|_|\{,\})\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:e[+]?(?P<power>\d+)| ?(?:×|\*|\\times|\\cdot|·) ?10\^\{?(?P<tens>\d+)\}?|[ ~]?\\?(?P<scale>"
    r"%|percent|thousand|million|billion|trillion|[kMGTP]i?B|bytes|[kKmMbBT])(?![A-Za-z]))?")
_SCALES = {"%": Fraction(1, 100), "percent": Fraction(1, 100), "thousand": 10**3, "million": 10**6, "billion": 10**9,
           "trillion": 10**12, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "bytes": 1,
           **{f"{sign}b": 1000**i for i, sign in enumerate("kmgtp", 1)},
           **{f"{sign}ib": 1024**i for i, sign in enumerate("kmgtp", 1)}}
_APART = re.compile(r"\[[^\]]*\]\([^)]*\.md\)|\]\([^)]*\)|https?://\S+"    # titles of notebooks, where links lead
                    r"|(?:arXiv:)?\b\d{4}\.\d{4,5}\b"
                    r"|(?:[A-Z][\w'’-]*|al\.),?\s+\(?(?:19\d|20[0-2])\d\b"  # (Kaplan et al., 2020)
                    r"|[A-Za-z]-\d[\w.]*")                                 # GPT-2, LLaMA-7B
_MACHINE = re.compile(r"0x[0-9a-fA-F]{6,}|(?:/(?:home|root|tmp|usr|Users|opt|var|mnt|work)/|[A-Z]:\\\\)\S*|\x1b\[")
_PICTURES = ("image/png", "image/svg+xml")
_TEXTS = ("text/plain", "text/latex", "text/markdown")


def numbers(text: str) -> list[tuple[str, Fraction, Fraction, Fraction]]:
    """(as written, value, what its last digit counts, scale) of each number in a text.

    >>> numbers("6.74 billion")
    [('6.74 billion', Fraction(6740000000, 1), Fraction(10000000, 1), Fraction(1000000000, 1))]
    """
    found = []
    for one in _NUMBER.finditer(text):
        digits = re.sub(r"[,_{}]", "", one["digits"])
        power = int(one["power"] or one["tens"] or 0)
        scale = Fraction(10**min(power, 99) * _SCALES[(one["scale"] or "bytes").lower()])
        last = Fraction(1, 10 ** len(digits.partition(".")[2]))
        found.append((one[0].strip(), Fraction(digits) * scale, last * scale, scale))
    return found


def shown(cell) -> list[tuple[str, str]]:
    """(kind, text) of each thing that a cell shows."""
    found = []
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            found.append((output.name, output.text))
        else:
            found += sorted((mime, data) for mime, data in output.get("data", {}).items())
    return found


def unlike(fresh, stored, name: str) -> list[str]:
    """Where a notebook as it stands differs from what its source makes now."""
    if [(cell.cell_type, cell.source, cell.id) for cell in fresh.cells] != [
            (cell.cell_type, cell.source, cell.get("id")) for cell in stored.cells]:
        return [f"{name}: its cells are not those of its source: python docs/build.py notebooks"]
    found = []
    for i, (new, old) in enumerate(zip(fresh.cells, stored.cells, strict=True), 1):
        kinds, before = ([kind for kind, _ in shown(cell)] for cell in (new, old))
        if kinds != before:
            found.append(f"{name}, cell {i}: it shows {kinds} now, and {before} stands there")
            continue
        found += [f"{name}, cell {i}, {kind}: {_first(now, then)}"
                  for (kind, now), (_, then) in zip(shown(new), shown(old), strict=True) if now != then]
    return found


def _first(now: str, then: str) -> str:
    """The first line in which two texts differ."""
    a, b = now.splitlines(), then.splitlines()
    i = next((i for i, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
    new, old = ((some[i:i + 1] or ["nothing"])[0] for some in (a, b))
    return f"line {i + 1} is {new!r} now, and {old!r} stands there"


def unclean(notebook, name: str, size: int = 0) -> list[str]:
    """Errors, traces of a machine, pictures that PDF cannot take, and a notebook that is too large."""
    found = [f"{name}: {size:,} bytes; at most {LARGEST:,}"] if size > LARGEST else []
    for i, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                found.append(f"{name}, cell {i}: {output.ename}: {output.evalue}")
            found += [f"{name}, cell {i}: shows {mime}" for mime in output.get("data", {})
                      if mime not in (*_TEXTS, *_PICTURES)]
        for kind, text in [("source", cell.source), *shown(cell)]:
            if kind == "stderr":
                found.append(f"{name}, cell {i}: writes to stderr: {text.splitlines()[0]}")
            found += [f"{name}, cell {i}, {kind}: {trace[0]!r}" for trace in _MACHINE.finditer(text)
                      if kind not in _PICTURES]
    return found


def untraced(notebook, name: str) -> list[str]:
    """Numbers in prose that neither the code nor an output has, exactly or before rounding.

    Asked of each with separators, four digits and more, or something that scales it: 6.74 billion, 40 %, 12.55 GiB.
    """
    known: set[Fraction] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            for text in (cell.source, *(text for _, text in shown(cell))):
                # A name has its numbers too: llama-7b
                for _, value, _, scale in numbers(re.sub(r"(?<=[A-Za-z])-(?=\d)", " ", text)):
                    known |= {value, value / scale}
    found = []
    for i, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "markdown":
            continue
        for written, value, last, scale in numbers(_APART.sub(" ", cell.source)):
            if not ("," in written or re.search(r"\d{4}", written) or scale != 1 or written.endswith("bytes")):
                continue
            if not _traced(value, last, scale, known):
                found.append(f"{name}, cell {i}: {written!r} is in no output and no code: "
                             f"…{_around(cell.source, written)}…")
    return found


def _traced(value: Fraction, last: Fraction, scale: Fraction, known: set[Fraction]) -> bool:
    """Whether a known number is this one, or is rounded to it; of 110 million the zeros may be rounded ones."""
    if value in known or value / scale in known:
        return True
    if scale > 1:
        while not value % (last * 10):
            last *= 10
    return any(abs(one - value) * 2 <= last for one in known)


def _around(text: str, part: str) -> str:
    at = text.find(part)
    return " ".join(text[max(0, at - 30):at + len(part) + 30].split())


def unfinished(notebook, name: str, following: str | None) -> list[str]:
    """What a notebook lacks of its form: one title first; exercises, an answer to each; the name of the next."""
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    heads = re.findall(r"^(#+) (.+)$", "\n".join(prose), re.MULTILINE)
    found = []
    if [depth for depth, _ in heads[:1]] != ["#"] or [depth for depth, _ in heads].count("#") != 1 or (
            notebook.cells[0].cell_type != "markdown" or not notebook.cells[0].source.startswith("# ")):
        found.append(f"{name}: it does not begin with a title, and have only that one")
    sections = [words for depth, words in heads if depth == "##"]
    if sections[-2:] != ["Exercises", "Answers"]:
        return [*found, f"{name}: its last sections are {sections[-2:]}, not Exercises and Answers"]
    asked, _, answers = "\n".join(prose).rpartition("\n## Exercises")[2].partition("\n## Answers")
    wanted = re.findall(r"^(\d+)\. ", asked, re.MULTILINE)
    answered = re.findall(r"^\*\*(\d+)\.\*\*", answers, re.MULTILINE)
    if not wanted or wanted != answered:
        found.append(f"{name}: exercises {wanted}, answers {answered}")
    if following and f"]({following})" not in prose[-1]:
        found.append(f"{name}: its last cell does not lead to {following}")
    return found
