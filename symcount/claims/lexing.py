r"""A passage as tokens: figures, names, words, signs, relations, each with its place.

TeX and prose are one stream: `$2 \times 8$ bytes $\approx 16$ B` reads on through the dollars. What is not understood
becomes a token "odd", next to which nothing is judged.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import namedtuple
from fractions import Fraction

from symcount.claims.figures import RAISED, Figure, figure
from symcount.claims.siunitx import quantity
from symcount.claims.units import TABLE, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcount.documents.passages import Passage


class Token(namedtuple("Token", "kind text start end figure tight math", defaults=(None, False, False))):
    """One token: kind "figure", "name" a symbol, "word", "op", "rel", "stop", "newline", "currency", "about", "odd".

    figure   of a figure, what it says
    tight    whether no blank stands before it
    math     whether it stands in TeX mathematics
    """

    __slots__ = ()

    @property
    def ends(self) -> bool:
        """Whether a sentence ends with it."""
        return self.kind == "stop" and self.text in _ENDS


_ENDS = (".", "\n\n", "?", "!", ";")  # the stops that end a sentence
# TeX commands by what they are; whoever is in none of these tables makes what stands beside it unreadable.
_SIGNS = {"times": "*", "cdot": "*", "ast": "*", "div": "/", "pm": None}
_RELATIONS = {"approx": "≈", "simeq": "≈", "sim": "≈", "cong": "≈", "doteq": "≈", "equiv": None, "to": None}
_BLANK = {"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "Bigg", "biggl", "biggr", "textstyle",
          "displaystyle", "quad", "qquad", "allowbreak", "nonumber", "notag", "limits", "hfill", "thinspace", "boxed",
          "mathbin", "mathrel", "underbrace", "overbrace"}
_TEXT = {"text", "mathrm", "textrm", "textbf", "textit", "operatorname", "mathsf", "mathit", "texttt", "mathtt", "mbox",
         "textsf", "emph"}
_LETTERS = {"mathbf", "boldsymbol", "bm", "mathcal", "mathbb", "vec", "hat", "bar", "tilde"}
_GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "sigma", "tau", "phi", "omega",
          "Phi", "Psi", "Theta", "Omega", "Delta", "rho", "pi", "xi", "zeta", "kappa", "nu", "varepsilon", "ell"}
_ROWS = {"aligned", "align", "alignat", "alignedat", "split", "gather", "gathered", "equation", "multline", "eqnarray",
         "displaymath", "math"}  # environments that set equations, no matrices or cases
_SPACES = {",", ";", ":", "!", " ", ">", "/"}
_PROSE_RELATIONS = {"=": "=", "≈": "≈", "≃": "≈", "≅": "≈", "～": "≈"}
_OPERATIONS = {"+": "+", "*": "*", "/": "/", "^": "^", "(": "(", ")": ")", "×": "*", "·": "*", "⋅": "*", "÷": "/",
                "−": "-", "-": "-", "✕": "*", "∙": "*"}
_CURRENCY = "$€£¥₹"
_NAME = re.compile(r"[A-Za-z](?:_(?:\{[A-Za-z0-9, ]{1,24}\}|\\(?:text|mathrm|mathit|textrm)\{[A-Za-z0-9, -]{1,24}\}"
                   r"|\{\\(?:text|mathrm|mathit|textrm|mathsf) ?\{[A-Za-z0-9, -]{1,24}\}\}|[A-Za-z0-9]))?")
_WORD = re.compile(r"[^\W\d_²³¹⁰⁴-⁹](?:[^\W_²³¹⁰⁴-⁹]|[_'’](?=\w)|-(?=[^\W\d_]))*|[万億亿]")
_LONG = re.compile(r"==|!=|<=|>=|:=|\+=|-=|\*=|/=|=>|->|<-|\*\*|=~|\.\.+|…|\+\+|--+|//|<<|>>|&&|\|\|")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_GROUP = re.compile(r"\s*\{([^{}]{0,200})\}")
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+|⁻[¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]*")
_BETWEEN = re.compile(r"(?:[^\S\n]|\\[,;:! ]|~|\{\}|\\allowbreak(?![A-Za-z]))*")  # a unit stands on the figure's line
_BELOW = re.compile(r"_\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_RAISING = ("^", "²", "³", "⁴", "(", "_")  # behind a letter, that make it a symbol
_TEN = re.compile(r"\*n\^(?:\(-?n\)|-?n)")  # × 10^8, × 10^{-8}: signs, and n for a figure
_POWER = 60
_NO_WORD = frozenset(("", "\n", *"|=+*/-()<>,.;:×·÷≈0123456789"))  # which begin no word and no command
_made = tuple.__new__  # a token in half the time
_JOINED = re.compile(r"[0-9]+(?:-[0-9]+){2,}(?![0-9])")
_PROSE = re.compile(r" ?([A-Za-z][a-z]+)(?=[ ,;:])")
_NUMBER = re.compile(r"\s*[0-9(]")
_LABELLED = re.compile(r"\\(?:text|mathrm|textrm|operatorname|mathsf|,)\s*\{\s*")


def tokens(passage: Passage) -> list[Token]:
    """The tokens of a passage, with their offsets in the document.

    >>> from symcount.documents.passages import Passage
    >>> [token.text for token in tokens(Passage("text", 0, "2 x 80 = 160 bytes"))]
    ['2', '*', '80', '=', '160', 'bytes']
    """
    return _merged(_Lexer(passage).run())


def _merged(found: list[Token]) -> list[Token]:
    """The tokens with 6.7 × 10^8 as the one figure that it is."""
    if not any(token.figure and token.text == "10" for token in found):
        return found
    result: list[Token] = []
    at = 0
    while at < len(found):
        power, end = _power_of_ten(found, at)
        if end:
            word = found[end] if end < len(found) and found[end].kind == "word" else None
            unit = TABLE.get(word.text.strip()) if word else None
            scale, mantissa = unit.factor if unit else Fraction(1), found[at].figure
            last = word.end if word and scale != 1 else found[end - 1].end
            times = Fraction(10) ** power * scale
            figure = mantissa._replace(end=last, value=mantissa.value * times, place=mantissa.place * times,
                                       scale=scale, exact=mantissa.exact and scale == 1, unit=unit,
                                       mark=word.text.strip() if word and scale != 1 else "")
            result.append(found[at]._replace(end=last, figure=figure))
            at = end + (scale != 1)
        else:
            result.append(found[at])
            at += 1
    return result


def _power_of_ten(found: Sequence[Token], at: int) -> tuple[int, int]:
    """The exponent of the power of ten that multiplies the figure here, and where it ends; 0, 0 if none does."""
    mantissa = found[at].figure
    if mantissa is None or at + 1 == len(found) or found[at + 1].text != "*":
        return 0, 0
    signs = "".join(token.text if token.kind == "op" else "n" if token.figure else "?"
                    for token in found[at + 1:at + 8])
    shape = _TEN.match(signs)
    if mantissa.mark or mantissa.unit or mantissa.value >= 1000 or shape is None:
        return 0, 0
    ten, exponent = found[at + 2].figure, found[at + shape.end() - (shape[0][-1] == ")")].figure
    if ten.value != 10 or ten.mark or ten.unit or exponent.mark:
        return 0, 0
    if exponent.value.denominator != 1 or exponent.value > _POWER:
        return 0, 0
    return (-1 if "-" in shape[0] else 1) * int(exponent.value), at + 1 + shape.end()


class _Lexer:
    __slots__ = ("at", "cells", "ends", "found", "lines", "offset", "square", "starts", "text")

    def __init__(self, passage: Passage) -> None:
        self.text, self.at, self.square, self.offset = passage.text, 0, 0, passage.start
        self.starts, self.ends = [span[0] for span in passage.math], [span[1] for span in passage.math]
        self.cells = [end for _, end in passage.cells]
        self.lines = passage.kind in ("code", "output")
        self.found: list[Token] = []

    def math(self, at: int) -> bool:
        """Whether a place stands within TeX mathematics."""
        if not self.starts:
            return False
        index = bisect_right(self.starts, at) - 1
        return index >= 0 and at < self.ends[index]

    def run(self) -> list[Token]:
        text, prose = self.text, not self.starts
        while self.at < len(text):
            if prose and (word := _PROSE.match(text, self.at)):  # most of most documents
                self.at, end = word.span(1)
                self.add("word", word[1], end)
                continue
            sign = text[self.at]
            if sign == " ":
                self.at += 1
            elif sign.isspace():
                self.space()
            elif sign.isascii() and (sign.isdigit() or (sign == "." and text[self.at + 1:self.at + 2].isdigit())):
                self.number()
            elif sign == "\\":
                self.command()
            elif self.math(self.at) and (symbol := _NAME.match(text, self.at)):
                self.name(symbol)
            elif word := _WORD.match(text, self.at):
                self.word(word)
            else:
                self.sign(sign)
        return self.found

    def add(self, kind: str, token: str, end: int, figure: Figure | None = None) -> None:
        start, math = self.at + self.offset, bool(self.starts) and self.math(self.at)
        tight = bool(self.found) and self.found[-1][3] == start
        self.found.append(_made(Token, (kind, token, start, end + self.offset, figure, tight, math)))
        self.at = end

    def space(self) -> None:
        """Blanks; a line's end, and a paragraph's, end what stands before them unless a sign goes on."""
        end = self.at
        while end < len(self.text) and self.text[end].isspace():
            end += 1
        lines = self.text.count("\n", self.at, end)
        if lines and (lines > 1 or self.lines) and not self.math(self.at):
            self.add("stop", "\n\n", end)
        elif lines and not self.math(self.at):
            self.add("newline", "\n", end)
        self.at = end

    def next_word(self, at: int) -> tuple[str, int]:
        """The word after a place, past blanks and TeX's text commands, and where it ends; "" if there is none."""
        blank = _BETWEEN.match(self.text, at)
        before, at = at, blank.end() if blank else at
        if bisect_left(self.cells, at) > bisect_left(self.cells, before):
            return "", before  # it stands in the next cell of a row
        if self.text[at:at + 1] in _NO_WORD:
            return "", at
        label = _LABELLED.match(self.text, at)
        at = label.end() if label else at
        if self.text[at:at + 1] == "%" or self.text[at:at + 2] == "\\%":
            return "%", at + 1 + (self.text[at] == "\\")
        word = _WORD.match(self.text, at)
        if word is None:
            return "", at
        said, end = word[0], word.end()
        if len(said) == 1 and self.text[end:end + 1] in _RAISING:
            return "", at  # 4h² is no time
        if not label and self.math(at) and not self.measures(said, at, end):
            return "", at
        if self.text[end:end + 2] == "/s" and said + "/s" in TABLE:
            said, end = said + "/s", end + 2
        if "-" in said and said not in TABLE and said.lower() not in TABLE:
            said = said.partition("-")[0]
            end = at + len(said)
        if label and self.text[end:end + 1] == "}":
            end += 1
        return said, end

    def measures(self, said: str, at: int, end: int) -> bool:
        """Whether letters after a number in mathematics are its unit, as in 13.5 GB and 110M, and no symbols."""
        if len(said) == 1:
            return said in "MBGKk" and self.text[at - 1].isdigit() and self.text[end:end + 1] not in ("^", "_", "(")
        return said in TABLE and TABLE[said].kind in ("byte", "flop", "multiply-add") and said[0].isupper()

    def number(self) -> None:
        text, before = self.text, self.text[self.at - 1:self.at]
        if before and (before.isalnum() or before in "_#@") and self.at:  # GPT2, x_1, #12
            return self.odd_number()
        if self.sizes():
            return None
        found = figure(text, self.at, self.next_word, self.offset)
        if found is None:
            return self.odd_number()
        end = found.end - self.offset
        after = text[end:end + 1]
        if found.mark == "" and ((after.isalpha() and after.isascii()) or after == "_") and not self.math(self.at):
            word = _WORD.match(text, end)
            if word is None or not (word[0].lower() in TABLE or word[0] in TABLE or word[0] in ("x", "d")):
                return self.odd_number()  # 3rd, 2D, 4o: no number; 22ms and 2x80 are
        if self.found and self.found[-1].kind == "currency":
            found = found._replace(unit=Unit(self.found.pop().text, Fraction(1), ""))
        return self.add("figure", text[self.at:end], end, found)

    def sizes(self) -> bool:
        """Whether numbers joined by hyphens begin here: 784-128-10 are widths, no difference."""
        found = _JOINED.match(self.text, self.at)
        if found:
            self.add("odd", found[0], found.end())
        return bool(found)

    def odd_number(self) -> None:
        end = self.at
        while end < len(self.text) and (self.text[end].isalnum() or (
                self.text[end] in ".,_:/'’" and self.text[end + 1:end + 2].isalnum())):
            end += 1
        self.add("odd", self.text[self.at:end], max(end, self.at + 1))

    def name(self, found: re.Match[str]) -> None:
        """A symbol of mathematics: one letter and its index."""
        self.add("name", re.sub(r"\\(?:text|mathrm|mathit|textrm|mathsf)|[{}\s]", "", found[0]), found.end())

    def word(self, found: re.Match[str]) -> None:
        said, end = found[0], found.end()
        before, after = self.text[self.at - 1:self.at], self.text[end:end + 1]
        if said.lower() == "x" and self.found and (self.found[-1].kind in ("figure", "op") or (
                is_unit(self.found, len(self.found) - 1) and _NUMBER.match(self.text, end))):
            return self.add("op", "*", end)
        if said[0] == "x" and said[1:].isdigit() and self.found and self.found[-1].kind == "figure":
            return self.add("op", "*", self.at + 1)
        if before == "_" or after == "_":
            return self.add("odd", said, end)
        return self.add("word", said, end)

    def command(self) -> None:
        r"""A TeX command: a sign, blank space, a text, a letter, or nothing we know."""
        found = _COMMAND.match(self.text, self.at)
        if found is None:
            return self.add("odd", "\\", self.at + 1)
        name, end = found[1], found.end()
        if name in ("num", "qty", "SI") and (read := quantity(self.text, self.at, self.offset)):
            return self.add("figure", self.text[self.at:read[1]], read[1], read[0])
        if name in _SPACES or name in _BLANK:
            self.at = end
            return None
        if name == "\\":
            return self.add("newline", "\\", end)
        if name in _SIGNS or name in _RELATIONS:
            sign = _SIGNS.get(name) or _RELATIONS.get(name)
            return self.add("odd" if sign is None else "op" if name in _SIGNS else "rel", sign or name, end)
        if name in ("{", "}"):
            return self.add("odd", name, end)
        if name in ("frac", "tfrac", "dfrac"):
            return self.add("frac", name, end)
        if name == "%":
            return self.add("word", "%", end)
        group = _GROUP.match(self.text, end)
        if name in _TEXT and group:
            return self.add("word", group[1].strip() or " ", group.end())
        if name in _LETTERS and group:
            return self.add("name", group[1].strip(), group.end())
        if name in _GREEK:
            return self.add("name", name, end)
        if name in ("begin", "end") and group:
            return self.add("newline" if group[1].strip("*") in _ROWS else "odd", "\\", group.end())
        return self.add("odd", name, end)

    def sign(self, sign: str) -> None:
        text, at = self.text, self.at
        long = _LONG.match(text, at)
        if long:
            if long[0] == "**":
                return self.add("op", "^", long.end())
            return self.add("odd", long[0], long.end())
        if sign in _PROSE_RELATIONS:
            return self.add("rel", _PROSE_RELATIONS[sign], at + 1)
        if raised := _RAISED.match(text, at):
            self.add("op", "^", at)
            exponent, end, by = Fraction(int(raised[0][:8].translate(RAISED))), raised.end(), self.offset
            return self.add("figure", raised[0], end, Figure(at + by, end + by, exponent, Fraction(1), exact=True,
                                                             scale=Fraction(1), unit=None, mark=""))
        if self.math(at) and sign in "{}[]":
            return self.add("op", "(" if sign in "{[" else ")", at + 1)
        if self.math(at) and sign == "_" and (below := _BELOW.match(text, at)):
            self.at = below.end()  # what stands under a brace
            return None
        if self.math(at) and sign == "~":
            self.at += 1
            return None
        if sign == "~" and text[at - 1:at].strip() and at and text[at - 1] not in "(*|≈=":
            return self.add("odd", sign, at + 1)  # a version: v4.10~2
        if sign == "~":
            return self.add("rel" if self.found and self.found[-1].kind in ("figure", "op") else "about", "≈", at + 1)
        if sign == "&" and self.math(at):
            self.at += 1
            return None
        if sign == "[" and self.found and self.found[-1].kind == "op" and self.found[-1].text != ")":
            self.square += 1
            return self.add("op", "(", at + 1)
        if sign == "]" and self.square:
            self.square -= 1
            return self.add("op", ")", at + 1)
        if sign in _OPERATIONS:
            return self.add("op", _OPERATIONS[sign], at + 1)
        if sign in _CURRENCY:
            return self.add("currency", sign, at + 1)
        if sign in ".,;:?" or sign in "\"“”„«»—":
            return self.add("stop", sign, at + 1)
        if sign == "!" and not (self.found and self.found[-1].kind in ("figure", "op")
                                and self.found[-1].end == at + self.offset):
            return self.add("stop", sign, at + 1)
        return self.add("odd", sign, at + 1)


def is_unit(tokens: Sequence[Token], at: int) -> bool:
    """Whether the word at a position is the unit of the figure, or of the bracket or power, before it."""
    before = tokens[at - 1] if at else None
    unit = TABLE.get(tokens[at].text.strip())
    if before and unit and unit.factor == 1 and (before.text == ")" or (before.figure and at > 1 and (
            tokens[at - 2].text == "^"))):
        return True
    return bool(before and before.figure and before.figure.unit and before.figure.end <= tokens[at].start
                and before.figure.unit.shown.lower() == tokens[at].text.strip().lower())
