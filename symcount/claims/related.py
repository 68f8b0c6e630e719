"""What the relations of a passage claim: an expression and its figure, terms and theirs, a chain over several."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from symcount.claims.chains import HEDGES, LINKS
from symcount.claims.expressions import Node, UnreadableError, ends, measured, names, value
from symcount.claims.figures import Figure
from symcount.claims.page import Claim, chained, introduced, words
from symcount.claims.units import BYTES, WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.chains import Relation, Side
    from symcount.claims.page import Page, Read

_RUNNING = 1000  # from so large a figure on, an equation may run on: a·b = c + d = e
# Amounts that are printed in two ways
_CONVERTED = ("byte", "bit", "flop", "multiply-add", "second", "parameter", "token")


def of_passage(read: Read, page: Page) -> Iterator[Claim]:
    """The claims of a passage, or of a cell, in order; symbols that it defines have their values from then on."""
    defined = {figure.start: name for name, figure in chained(read.relations)}
    label, exact = "", None
    for i, relation in enumerate(read.relations):
        left, right = relation.left, relation.right
        if not (i and read.relations[i - 1].right is left):
            label, exact = left.label or left.name or words(read, left.first) or introduced(read, page), None
        if left.figure is None or left.figure.exact:
            exact = left
        if right.node is None:
            continue
        rounded = exact if exact is not None and exact.node is not None else left  # a = 16.1 GB = 14.96 GiB: of a both
        yield from (claim._replace(label=label) for claim in _pair(relation._replace(left=rounded), read))
        if left.label:
            yield from (claim._replace(label=label) for claim in _continued(read, i))
        if right.figure and right.figure.start in defined:
            page.define(defined[right.figure.start], right.figure)


def _pair(relation: Relation, read: Read) -> Iterator[Claim]:
    """The claims of one relation: an expression and a figure, or two expressions that agree term by term."""
    left, right = relation.left, relation.right
    if left.node is None or right.node is None or left.name or right.name:
        return
    if left.figure and right.figure and not _alike(left.figure, right.figure):
        return  # 3 = 4, 42 = 8.5: a pair, a size in two systems, not arithmetic
    if right.figure:
        node = measured(left.node, right.figure.unit)
        yield Claim("relation", node, right.figure, relation.sign, read.passage, follows=right.follows)
    elif left.figure and _ends(right) and left.figure.mark not in ("K", "k"):  # 4K = 3840 x 2160 is a name
        yield Claim("relation", right.node, left.figure, relation.sign, read.passage)
    else:
        found = list(_term_by_term(left.node, right.node, relation.sign, read))
        yield from found or _both(left.node, right, relation.sign, read)


def _ends(side: Side) -> bool:
    """Whether an expression ends where its side does: 8 bytes of header − 20 bytes may go on."""
    return side.follows.lower() in LINKS


def _alike(left: Figure, right: Figure) -> bool:
    """Whether two figures are one amount in two ways: in units of one kind, or one of them rounded."""
    if left.unit and right.unit:
        return {left.counts, right.counts} <= {*WORK} or (
            left.counts == right.counts and left.counts in _CONVERTED)
    large = min(abs(left.value), abs(right.value)) >= 1000
    return large and (left.unit or right.unit or BYTES).kind in _CONVERTED and (left.place > 1 or right.place > 1)


def _term_by_term(left: Node, right: Node, sign: str, read: Read) -> Iterator[Claim]:
    """a·b + c·d = 12 + 30: each term of the one is a figure of the other."""
    if left.kind == right.kind == "sum" and len(left.parts) == len(right.parts):
        for ours, theirs in zip(left.parts, right.parts, strict=True):
            if theirs.kind == "figure" and ours.kind != "figure":
                yield Claim("relation", ours, theirs.parts, sign, read.passage)


def _both(left: Node, right: Side, sign: str, read: Read) -> Iterator[Claim]:
    """Two expressions of figures: the second is taken for one figure, as precise as its own figures."""
    node = right.node
    first = node.parts[0] if node.kind in ("sum", "product") else node
    runs = node is not first and first.kind == "figure" and left.kind != "figure"
    if runs and (_worth(left) == first.parts.value or (
            first.parts.value >= _RUNNING and _worth(node) != _worth(left))):
        yield Claim("relation", left, first.parts, sign, read.passage)  # a·b = c + d = e
        return
    if not _ends(right) or [*names(left), *names(node)] or (_shapes(left) and _shapes(node)):
        return  # (2 × 2)(2 × 1) = 2 × 1 are shapes of matrices
    middle = _worth(node)
    with suppress(UnreadableError):
        low, high = ends(node, _nothing)
        if middle is not None:
            printed = Figure(node.start, node.end, middle, high - low or Fraction(1), exact=low == high,
                             scale=Fraction(1), unit=None, mark="")
            yield Claim("relation", left, printed, sign, read.passage)


def _worth(node: Node) -> Fraction | None:
    """The value of an expression of figures, as printed."""
    try:
        return value(node, lambda figure: figure.value, _nothing)
    except UnreadableError:
        return None


def _nothing(_: str) -> None:
    """No symbol has a value."""


def _shapes(node: Node) -> bool:
    """Whether an expression is one of shapes: products of two small figures, side by side."""
    if node.kind == "sum" and len(node.parts) == 1:
        return _shapes(node.parts[0])
    if node.kind != "product":
        return False
    return all(_shapes(part) for part in node.parts) or (
        len(node.parts) == 2 and all(part.kind == "figure" for part in node.parts))


def _continued(read: Read, at: int) -> Iterator[Claim]:
    """`Total = a + b` and, directly after it, `Total = c`: one chain."""
    relation, label = read.relations[at], read.relations[at].left.label
    start = at - 1
    while start >= 0 and read.relations[start].right is not None and start and (
            read.relations[start].left is read.relations[start - 1].right):
        start -= 1
    if start < 0 or read.relations[start].left.label.split()[-1:] != label.split()[-1:] or not relation.right.figure:
        return
    before = read.relations[at - 1].right
    between = read.tokens[before.last:relation.left.first]
    if before.node and not before.figure and label.endswith(read.relations[start].left.label) and not any(
            token.kind == "stop" for token in between):
        yield Claim("relation", before.node, relation.right.figure, relation.sign, read.passage)


def as_printed(read: Read, at: int) -> Figure:
    """The figure at a token; behind "about" or "~" its trailing zeros carry no information."""
    figure: Figure = read.tokens[at].figure
    return figure.rounded() if at and read.tokens[at - 1].text.lower() in HEDGES else figure


