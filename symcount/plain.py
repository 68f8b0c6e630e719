r"""A text in plain words: numbers as #4096 however their digits are set, the signs of TeX and Markdown left out.

So one pattern of words finds what is said, whether it was typeset in TeX, Markdown or not at all.

    "a vocabulary of $V = 32{,}000$"  ->  " a vocabulary of V = #32000 "

A number that is none, or not a whole one, is @: 4.5, 128K, the 2 of GPT-2. Words are in lower case, but for single
letters and names with an underscore, which TeX's subscripts become too: `d_{\text{model}}` is d_model.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BETWEEN = r",|\{,\}|\\[,;: ]|\{\\,\}|[\u00a0\u202f\u2009'_ ]"  # digits in threes
_PIECES = re.compile(
    rf"(?P<number>[0-9]{{1,3}}(?P<between>{_BETWEEN})[0-9]{{3}}(?:(?P=between)[0-9]{{3}}){{0,5}}(?![0-9])|[0-9]+)"
    r"(?P<more>(?:[.,][0-9]+)*%?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]*(?:\\?_[A-Za-z0-9]+)+)"
    r"|(?P<base>[A-Za-z]+)_(?:\{ ?)?(?:\\[a-z]+ ?\{ ?)?(?P<below>[A-Za-z]+)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*)"
    r"|\\(?P<command>[A-Za-z]+)|(?P<space>\\[,;:! \\])"
    r"|(?P<sign>\*\*|[-‑+*/^×·÷−–—<>≤≥≈~±→&=|,;:()\[\]\\.?!])")
_SIGNS = {"times": "×", "cdot": "·", "ast": "*", "div": "÷", "to": "→", "rightarrow": "→", "approx": "≈", "simeq": "≈",
          "sim": "≈", "pm": "±", "leq": "<", "geq": ">", "le": "<", "ge": ">", "ll": "<", "gg": ">"}
_SILENT = frozenset(("text", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "textbf", "textit", "texttt", "emph",
                     "operatorname", "quad", "qquad", "left", "right", "displaystyle", "allowbreak", "item", "rm",
                     "bf"))
_SAME = {"−": "-", "—": ",", "≤": "<", "≥": ">", "&": "|", "**": "^", "‑": "-"}
_ENDS = frozenset((".", "?", "!"))
_BLANK_BEHIND = frozenset(("=", ":", "of", "is", "size", "width"))  # 40 000 is one number behind these


class Plain:
    """A text in plain words.

    text       all words, with one blank between them, before the first and behind the last
    words      one by one; `spans` are where they stand in the source, `sentences` the number of the sentence of each
    """

    __slots__ = ("_starts", "sentences", "spans", "text", "words")

    def __init__(self, source: str) -> None:
        words = list(_words(source))
        self.words = [word for word, _ in words]
        self.spans = [span for _, span in words]
        ends = [word in _ENDS for word in self.words]
        self.sentences = list(accumulate([False, *ends[:-1]]))
        self.text = f" {' '.join(self.words)} "
        self._starts = list(accumulate((len(word) + 1 for word in self.words), initial=1))

    def index(self, place: int) -> int:
        """Which word stands at a place of the plain text.

        >>> plain = Plain("has 12 layers")
        >>> plain.text, plain.index(plain.text.index("#12"))
        (' has #12 layers ', 1)
        """
        return bisect_right(self._starts, place) - 1

    def word(self, index: int) -> str:
        """The word of this number, "" before the first and behind the last."""
        return self.words[index] if 0 <= index < len(self.words) else ""


def _words(source: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every word, and where it begins and ends."""
    last = ""
    for piece in _PIECES.finditer(source):
        kind = piece.lastgroup
        if kind == "word":
            word = piece[0]
            if len(word) > 1:
                word = word.lower()
            elif word == "x" and last[:1] in ("#", "@", ")"):
                word = "×"
        elif kind == "more":
            word = _number(source, piece, last)
        elif kind == "name":
            word = piece[0].replace("\\", "")
        elif kind == "below":
            word = f"{piece['base']}_{piece['below'].lower()}"
        elif kind == "command":
            word = _SIGNS.get(piece["command"], "" if piece["command"] in _SILENT else "\\")
        elif kind == "space":
            word = ""
        else:
            word = _sign(source, piece[0], *piece.span())
        if word:
            yield word, piece.span()
            last = word


def _number(source: str, piece: re.Match[str], last: str) -> str:
    """#N for a whole number that stands alone, else @ with its digits."""
    start, end = piece.span()
    before, behind = source[start - 1:start], source[end:end + 1]
    digits = "".join(sign for sign in piece["number"] if "0" <= sign <= "9")
    part = (before.isalnum() or before in ("_", ".", "^")
            or (before in ("-", "‑") and source[start - 2:start - 1].isalpha()))
    split = piece["between"] == " " and last not in _BLANK_BEHIND
    if part or split or piece["more"] or len(digits) > 20 or (behind.isalpha() and source[end:end + 2] != "px"):
        return "@" + digits[:20]
    return "#" + digits


def _sign(source: str, sign: str, start: int, end: int) -> str:
    """A sign, "" where it only joins two words."""
    before, behind = source[start - 1:start], source[end:end + 1]
    if sign in ("-", "‑", "–"):
        return "" if behind.isalpha() and before.isalnum() else "-" if behind.isdigit() or sign != "–" else ","
    if sign == ".":
        return "" if behind.isalnum() else "."
    if sign == "~":
        return "" if before.isalnum() else "≈"
    return _SAME.get(sign, sign)
