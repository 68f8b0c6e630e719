"""The claims of a document, in its order: relations first, then rows and totals of tables."""

from __future__ import annotations

from symcount.claims.chains import HEDGES
from symcount.claims.expressions import Node
from symcount.claims.page import Claim, chained, words
from symcount.claims.tables import table_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from symcount.claims.chains import Relation
    from symcount.claims.page import Page, Read


def claims(page: Page) -> Iterator[tuple[Read, list[Claim]]]:
    """Each passage with its claims, in order; what the caller finds wrong in one is known in the next."""
    seen: set[int] = set()
    for read in page.reads:
        table = read.passage.table[0] if read.passage.table else None
        if table is None:
            yield read, list(_of_passage(read, page))
        elif table not in seen:
            seen.add(table)
            rows = [one for one in page.reads if one.passage.table and one.passage.table[0] == table]
            yield from table_claims(rows, page)


def _of_passage(read: Read, page: Page) -> Iterator[Claim]:
    names = {figure.start: name for name, figure in chained(read.relations)}
    label = ""
    for i, relation in enumerate(read.relations):
        left, right = relation.left, relation.right
        if not (i and read.relations[i - 1].right is left):
            label = left.label or left.name or words(read, left.first)
        if right.node is None:
            continue
        yield from (claim._replace(label=label) for claim in _pair(relation, read))
        if left.label:
            yield from (claim._replace(label=label) for claim in _continued(read, i))
        if right.figure and right.figure.start in names:
            page.define(names[right.figure.start], right.figure)


def _pair(relation: Relation, read: Read) -> Iterator[Claim]:
    """The claims of one relation: an expression and a figure, or two expressions that agree term by term."""
    left, right = relation.left, relation.right
    if left.node is None or right.node is None or left.name or right.name:
        return
    if left.figure and right.figure and not (_told(left.figure) or _told(right.figure)):
        return  # 3 = 4 without any unit: a pair, a number and its name, not arithmetic
    if right.figure:
        yield Claim("relation", left.node, right.figure, relation.sign, read.passage, follows=right.follows)
    elif left.figure and not right.follows:  # what follows may go on: 8 bytes header − 20 bytes
        yield Claim("relation", right.node, left.figure, relation.sign, read.passage)
    else:
        yield from _term_by_term(left.node, right.node, relation.sign, read)


def _told(figure: object) -> bool:
    return figure.unit is not None or figure.scale != 1 or not figure.exact  # type: ignore[attr-defined]


def _term_by_term(left: Node, right: Node, sign: str, read: Read) -> Iterator[Claim]:
    """a·b + c·d = 12 + 30: each term of the one is a figure of the other."""
    if left.kind == right.kind == "sum" and len(left.parts) == len(right.parts):
        for ours, theirs in zip(left.parts, right.parts, strict=True):
            if theirs.kind == "figure" and ours.kind != "figure":
                yield Claim("relation", ours, theirs.parts, sign, read.passage)


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


def hedged(read: Read, at: int) -> bool:
    """Whether the figure at a token is printed as an approximation: about, roughly, ~."""
    return at > 0 and (read.tokens[at - 1].text.lower() in HEDGES or read.tokens[at - 1].kind in ("about", "rel"))


