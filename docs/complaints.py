r"""What XeLaTeX's log says that a reader of the document would miss or stumble over.

The template lets one point stand out of a line (\hfuzz) or a page (\vfuzz): whatever TeX then calls overfull counts. A
display is one box, so that rows below the end of the page are lost, and TeX says so when it puts the page out.
"""

from __future__ import annotations

import re

from refusals import TEX

_FAILED = re.compile(r"^(?:\S*?:(\d+): |! )(.+)$", re.MULTILINE)
_WRONG = re.compile(r"^Overfull \\([hv])box \(([\d.]+)pt too .*?\)(?: \S+){1,3}? (?:at lines?|line) (\d+)|"
                    r"^Overfull \\([hv])box \(([\d.]+)pt too .*?\) has occurred while \\output is active|"
                    r"^Missing character: There is no (\S+)", re.MULTILINE)
_FILE = re.compile(r"File [`'](.+?)' not found")
_PLACE = ("%% ", "@ ")


def complaints(log: str, document: str, name: str) -> list[str]:
    r"""Each thing that is wrong, with the line of the source of the cell in which it is, as far as the log tells.

    >>> complaints(r"Overfull \hbox (31.5pt too wide) detected at line 3", "\n%% deep.md:7\n", "deep.tex")
    ['deep.md:7: 31.5 pt wider than the page (deep.tex, line 3)']
    """
    failed = _FAILED.search(log)
    if failed:
        absent = _FILE.search(failed[2])
        more = f": install the part of TeX that has {absent[1]}, with Debian's packages {TEX}" if absent else ""
        return [f"{place(document, int(failed[1] or 0)) or name}: {failed[2]}{more}"]
    found = []
    for wrong in _WRONG.finditer(log):
        box, much, line, whole, higher, sign = wrong.groups()
        if sign:
            line = next((i for i, one in enumerate(document.splitlines(), 1) if sign in one), 0)
            said = f"no font has the sign {sign}"
        else:
            said = f"{much or higher} pt {'wider' if 'h' in (box, whole) else 'higher'} than the page"
        if whole:  # a page is put out soon after it is full, perhaps when the next cell is read
            found.append(f"{place(log, log.count(chr(10), 0, wrong.start())) or name}: {said}, here or right before")
        else:
            found.append(f"{place(document, int(line)) or name}: {said} ({name}, line {line})")
    return list(dict.fromkeys(found))


def place(document: str, line: int) -> str:
    """What the template wrote before the cell in which a line is, of the document or of the log."""
    before = [one for one in document.splitlines()[:line] if one.startswith(_PLACE)]
    return before[-1].split(" ", 1)[1] if before else ""
