"""Relations that a passage states: the two sides of each = and ≈, read as far as they can be read.

`a = b = c ≈ d` is three relations, one after the other; a side that cannot be read is None, and nothing is said of it.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.claims.expressions import Reader, UnreadableError, figures, label_end, qualified
from symcount.claims.lexing import is_unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcount.claims.figures import Figure
    from symcount.claims.lexing import Token

Relation = namedtuple("Relation", "left sign right at")
"""Two sides and the sign between them, "=" or "≈"; `at` is the number of its token."""


class Side(namedtuple("Side", "node first last label follows")):
    """One side of a relation.

    node         the expression, None where the side is a label or cannot be read
    first, last  the numbers of its first token, and of the one after it
    label        the text that stands in its place: "FFN", "F_layer", "" for none
    follows      the word after it that is no unit we know: "each", "" for none
    """

    __slots__ = ()

    @property
    def figure(self) -> Figure | None:
        """The figure that is all of the side, None for another side."""
        return self.node.parts if self.node and self.node.kind == "figure" else None

    @property
    def name(self) -> str:
        """The symbol that is all of the side, "" for another side."""
        return self.node.parts if self.node and self.node.kind == "name" else ""

    def written(self) -> list[Figure]:
        """Its figures."""
        return list(figures(self.node)) if self.node else []


LINKS = {"", "and", "so", "which", "that", "is", "are", "for", "per", "each", "in", "on", "at", "by", "with", "as",
         "because", "since", "then", "while", "but"}  # words behind an expression that do not go on with it
HEDGES = {"about", "roughly", "approximately", "approx", "around", "circa", "ca", "nearly", "almost", "some", "≈", "~"}
_NONE = Side(None, 0, 0, "", "")
# Words that do arithmetic: next to one, an expression is not all of what is said.
_ARITHMETIC = {
    "x", "plus", "minus", "times", "over", "divided", "multiplied", "by", "log", "log2", "log10", "ln", "mod", "modulo",
    "mod.", "sqrt", "root", "half", "twice", "double", "triple", "square", "squared", "cubed", "choose", "than",
    "dozen", "hundred", "hundreds", "dozens", "lakh", "crore", "factorial", "exp", "average", "mean", "max",
    "min", "sin", "cos", "tan", "gcd", "lcm", "base", "binary", "hex", "octal", "xor", "not", "if", "unless", "rem",
    "remainder", "div", "median", "abs", "every", "version", "v", "no", "nr", "table", "figure", "fig", "section",
    "chapter", "equation", "eq", "question", "step", "part", "item", "exercise", "problem", "example", "page", "day",
    "round", "level", "type", "note", "appendix",
}
_AFTER = {
    "plus", "minus", "divided", "multiplied", "log", "mod", "modulo", "mod.", "choose", "dozen", "hundred",
    "hundreds", "dozens", "lakh", "crore", "factorial", "base", "binary", "hex", "octal", "or", "to", "remainder",
    "rem", "squared", "cubed",
}
_JOINING = {"or", "to", "by", "of", "from", "–"}  # between two figures they make one thing of both


def relations(tokens: Sequence[Token]) -> list[Relation]:
    """The relations of a passage, in order.

    >>> from symcount.claims.lexing import tokens
    >>> from symcount.documents.passages import Passage
    >>> found, = relations(tokens(Passage("text", 0, "in all 2 x 80 = 160 bytes")))
    >>> found.left.node.kind, found.sign, int(found.right.figure.value)
    ('product', '=', 160)
    """
    found: list[Relation] = []
    for at, token in enumerate(tokens):
        if token.kind != "rel":
            continue
        before = found[-1].right if found and found[-1].right.last == at and found[-1].right.node else None
        left, right = before or _left(tokens, at), _right(tokens, at)
        hedged = right.first > at + 1 and tokens[right.first - 1].text.lower() in HEDGES
        found.append(Relation(left, "≈" if hedged else token.text, right, at))
    return found


def _skipped(tokens: Sequence[Token], at: int, step: int) -> int:
    """The position of the next token from here on that is no line's end beside a sign."""
    while 0 <= at < len(tokens) and tokens[at].kind in ("newline", "about"):
        at += step
    return at


def _right(tokens: Sequence[Token], at: int) -> Side:
    start = _skipped(tokens, at + 1, 1)
    while start < len(tokens) and tokens[start].text.lower() in HEDGES:
        start += 1
    reader = Reader(tokens, start, len(tokens))
    try:
        node = reader.sum()
    except UnreadableError:
        return _NONE._replace(first=start)
    reader.labels()
    end = reader.at
    clean, follows = _closed(tokens, end)
    if not clean:
        return _NONE._replace(first=start)
    after = _skipped(tokens, end, 1)
    last = after if after < len(tokens) and tokens[after].kind == "rel" else end
    return Side(node, start, last, "", follows)


def _closed(tokens: Sequence[Token], end: int) -> tuple[bool, str]:
    """Whether an expression may end here, and the unknown word that follows."""
    if end >= len(tokens):
        return True, ""
    token = tokens[end]
    if token.kind in ("odd", "figure", "name", "frac", "currency"):
        return False, ""
    if token.kind == "op" and token.text == "(" and not (token.tight or token.math):  # a remark
        return not {one.text.lower() for one in tokens[end + 1:end + 3]} & (_AFTER - {"or", "to"}), ""
    if token.kind == "op" and token.text == "/" and end + 1 < len(tokens) and tokens[end + 1].kind == "word":
        return tokens[end + 1].tight and is_unit(tokens, end - 1), ""  # bytes/token
    if token.kind == "op":
        joins = token.text == "-" and token.start - tokens[end - 1].end < 2 and end + 1 < len(tokens)
        return token.text == ")" or (joins and tokens[end + 1].kind == "word" and tokens[end + 1].tight), ""
    if token.kind == "newline" and end + 1 < len(tokens) and tokens[end + 1].kind == "op" and (
            tokens[end + 1].text != "("):
        return False, ""
    if token.kind == "word":
        return token.text.lower() not in _AFTER and not (token.tight and token.text != "%"), token.text
    return True, ""


def _left(tokens: Sequence[Token], at: int) -> Side:
    """The side that ends before a relation."""
    last = _skipped(tokens, at - 1, -1) + 1
    if last and tokens[last - 1].kind == "word" and tokens[at].tight and not tokens[at].math and (
            at + 1 < len(tokens) and tokens[at + 1].tight):
        return Side(None, last, at, "", "")  # key=value
    first, depth = last, 0
    while first > 0:
        token = tokens[first - 1]
        if token.kind == "op" and token.text in "()":
            if token.text == "(" and not depth:
                break
            depth += 1 if token.text == ")" else -1
        elif token.kind == "word":
            if first < last and tokens[first].kind == "figure":
                break  # in 32 layers 32 x 18 MB
            if not (is_unit(tokens, first - 1) or _labels(tokens, first - 1, depth) or _noun(tokens, first - 1)):
                break
        elif token.kind == "newline":
            goes_on = first < last and tokens[first].kind == "op" and tokens[first].text in "+-*/"
            before = tokens[first - 2] if first > 1 else token
            if not goes_on and not (before.kind == "op" and before.text not in "()"):
                break
        elif token.kind not in ("figure", "name", "op", "frac"):
            break
        first -= 1
    begins = first
    while labelled := label_end(tokens, first, last):  # MLP (SwiGLU) 3 x 5120 = 15,360
        first = labelled
    label = _label(tokens, first, last)
    if first == last or label:
        return Side(None, first, at, label, "")
    if begins == first and not _opened(tokens, first):
        return _NONE._replace(last=at)
    rest = [token for token in tokens[first:last] if token.kind != "newline"]
    reader = Reader(rest, 0, len(rest))
    try:
        node = reader.sum()
        reader.labels()
    except UnreadableError:
        return _NONE._replace(last=at)
    if reader.at < len(rest):
        return _NONE._replace(last=at)
    return Side(node, first, at, "", "")


def _labels(tokens: Sequence[Token], at: int, depth: int) -> bool:
    """Whether a word belongs to a bracket of nothing but words."""
    while depth and at > 0 and tokens[at].kind == "word":
        at -= 1
    return bool(depth and label_end(tokens, at, len(tokens)))


def _noun(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word belongs to a noun of several words that counts a figure: 8 KV heads * 128."""
    start = at
    while start and tokens[start - 1].kind == "word" and at - start < 3:
        start -= 1
    return qualified(tokens, start, len(tokens)) > at


def _label(tokens: Sequence[Token], first: int, last: int) -> str:
    """The words that stand in place of a side, directly before a relation."""
    if first < last or not first or tokens[first - 1].kind != "word":
        return ""
    start = first
    while start and tokens[start - 1].kind == "word" and first - start < 8:
        start -= 1
    if start and tokens[start - 1].kind in ("op", "figure") and tokens[start - 1].text != ")":
        return ""  # the last letter of an expression
    return " ".join(token.text for token in tokens[start:first])


def _opened(tokens: Sequence[Token], first: int) -> bool:
    """Whether an expression may begin here: nothing before it that would change it."""
    if first == 0:
        return True
    before, here = tokens[first - 1], tokens[first]
    if before.kind in ("odd", "currency", "figure", "name", "frac"):
        return False
    if before.kind == "op":
        return before.text == "("
    if before.kind == "word":
        if here.kind == "name" and tokens[first + 1].kind in ("rel", "newline"):
            return True  # and d = 1024
        near = tokens[max(0, first - (4 if before.text.lower() == "of" else 2)):first - 1]  # 8 sectors of 512 bytes
        joined = before.text.lower() in _JOINING and any(one.kind in ("figure", "odd") for one in near)
        changed = here.kind == "op" and (here.tight or here.text != "(")  # f(2), x + 2
        return not joined and not changed and before.text.lower() not in _ARITHMETIC
    return before.kind != "rel"
