"""Memory traffic: the bytes that operations read and write, under one model of what stays on the chip.

    nothing      fused: every operation reads each operand once from memory, and writes its result once
    elementwise  fused: only products move data, their operands and their results; what is between them is done on the
                 way
    attention    fused too: scores, and what a softmax makes of them, never leave the chip

Every time that an operation runs, it reads its weights once. To rename, join or cut moves nothing: what is repeated is
read once, a window reads once all that it slides over, and new rows of a cache are written where they stay. A look-up
takes no row twice, and of a mask nothing is read: scores of all pairs are there, also those that it hides.

Source: Williams et al. 2009, "Roofline: an insightful visual performance model"; Ivanov et al. 2021, "Data movement is
all you need", section 3; scores on the chip: Dao et al. 2022, "FlashAttention".
"""

from __future__ import annotations

from math import prod

from symcount.errors import ModelError, ShapeError, clipped, nearest
from symcount.given import amount
from symcount.ledger import Ledger, Term
from symcount.masks import within_window
from symcount.network import walk
from symcount.polynomials import added
from symcount.readers import RELABEL, VIEWS, account, bounds, chosen, written
from symcount.readers.again import is_weight
from symcount.readers.roles import operation, products
from symcount.readers.work import known_phase
from symcount.scopes import repeats
from symcount.sizes import least

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size
    from symcount.readers import Network
    from symcount.tensors import Tensor

FUSED = {
    "nothing": "every operation reads its operands once and writes its result",
    "elementwise": "only products move data, elementwise work is fused into them",
    "attention": "only products move data, elementwise work is fused into them, and scores stay on the chip",
}
PHASES = ("forward", "decode")
_SHAPED = ("zeros", "band", "adapt")  # kinds of elementwise work whose first operand says only how large the result is
_VIEWS = (*VIEWS, "concat", "cached")  # they move nothing


def traffic(subject: Any, width: Any = 2, phase: str = "forward", fused: str = "nothing", **sizes: Any) -> Ledger:
    """The bytes that a pass moves between memory and chip, numbers of `width` bytes: 2, or 1/2 for four bits.

    One product x[n, d]·W[d, h] moves width·(nd + dh + nh) bytes. The path of a term ends in what moves: `weights`,
    `from_NAME` for another operand, or the `result`, which is written. `by("kind")` tells weights from activations.

    Of E experts a product reads those that b·s·K choices can be, least(b·s·K, E): no pass reads more, and one whose
    tokens agree reads fewer. Ids, of words or of experts, are not counted. Phases: forward; decode (one token, or s,
    after others, whose rows are read from caches).

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> traffic(linear(tensor(b=64, d=784), "layer", h=128, bias=False))
    <317,440 bytes>

    Raises ModelError for an unknown phase or a word that `fused` does not take, and for decoding with a state that no
    cache holds; SizeError for a width that is no positive number.
    """
    known_phase(phase)
    if phase not in PHASES:
        raise ModelError(f"traffic has the phases {' and '.join(PHASES)}, not {phase}")
    if fused not in FUSED:
        raise ModelError(f"fused = '{clipped(str(fused))}'; {nearest(str(fused), list(FUSED))}")
    if "new" in sizes or "new" in getattr(subject, "given", ()):
        raise ModelError("new, tokens to come after a prompt, is not read by traffic; say t for a decode step")
    if fused == "nothing":
        written(subject, "what every operation moves")
    number = amount("width", width)
    if phase == "forward":
        net, values, title, notes, parts = account(subject, **sizes)
    else:
        from symcount.readers.phases import decoding  # a forward pass does without

        net, values, title, notes, parts = decoding(subject, sizes)
    said = [f"{FUSED[fused]}, {number} byte{'' if number == 1 else 's'} a number, no ids"]
    step = phase == "decode"
    if any(chosen(x) for x in walk(net, step=step)):
        said.append("of the experts the most that the tokens can choose")
    return Ledger("byte", _terms(net, number, fused, step=step), values, f"{title}, traffic" if title else title,
                  (*said, *notes), bounds(net, step=step), convention=f"traffic, fused: {fused}").where(*parts)


def named(x: Tensor, products_at: set[str]) -> str:
    """The path of an operation; elementwise work at the path of a product has its own name below it."""
    inside = x.verb != "contract" and x.path in products_at
    return f"{x.path}.{operation(x).replace(' ', '_')}" if inside else x.path


def operation_of(path: str) -> str:
    """The path of the operation that a term of traffic is a part of.

    >>> operation_of("layers.attention.mix.from_value")
    'layers.attention.mix'
    """
    return path.rpartition(".")[0]


def _terms(net: Network, width: Any, fused: str, *, step: bool) -> list[Term]:
    """The terms of all operations, in the order of the forward pass."""
    roles = dict(products(net, step=step))
    paths = {x.path for x in roles}
    unread, unwritten = _on_chip(net, step=step) if fused == "attention" else (set(), set())
    seen = _windows(net) if step else {}
    found: dict[str, tuple[Tensor, tuple[str, ...], list[Size]]] = {}
    for x in walk(net, step=step):
        if step and x.details.get("kind") == "place":
            continue  # of one more word, nothing stands in the row
        product, most = x.verb == "contract", seen.get(x.serial)
        if not product and (fused != "nothing" or x.verb not in ("pointwise", "lookup") or chosen(x)):
            continue
        result = _numbers(x, most)
        if isinstance(result, int) and not result:
            continue  # it does not run: in a step that fills no chunk
        kinds = roles[x][1:] if product else ("elementwise", operation(x))
        moves = _rows(x) if x.verb == "lookup" else [
            piece for i, y in enumerate(x.inputs) if (x.serial, i) not in unread and not (
                i == 0 and operation(x) in _SHAPED) for piece in _shown(y, seen, most)]
        for what, size in [*moves, *([("result", result)] if x.serial not in unwritten else [])]:
            kind = ("weight" if what == "weights" else "activation", "written" if what == "result" else "read")
            found.setdefault(f"{named(x, paths)}.{what}", (x, (*kind, *kinds), []))[2].append(size)
    return [Term(path, (width, added(sums)), repeats(x.scope), kinds) for path, (x, kinds, sums) in found.items()]


def _shown(x: Tensor, seen: dict[int, Size], most: Size | None) -> list[tuple[str, Size]]:
    """What an operand shows, each number of it once: ("weights" or "from_NAME", how many).

    `most`: the rows of t that its operation has, where they are fewer.
    """
    if x.verb == "concat":
        return [piece for y in x.inputs for piece in _shown(y, seen, None if x.details["axis"] == "t" else most)]
    if chosen(x):
        return _rows(x)
    if _whole(x):
        return _shown(x.inputs[0], seen, most)
    if x.verb in _VIEWS and x.verb != "cached":
        _shown_once(x)
    return [(_called(x), _numbers(x, seen.get(x.serial, most)))]


def _shown_once(x: Tensor) -> None:
    """Raise ShapeError for a part of what shows a number more than once: how many it shows is not written."""
    todo = [] if _handed(x) else list(x.inputs)
    while todo:
        y = todo.pop()
        if y.verb in ("repeat", "window") or chosen(y):
            raise ShapeError(f"{x.path}: of {y}, whose numbers are shown more than once, a part {x} is read: traffic "
                             "counts only the whole of it")
        todo += y.inputs if y.verb in _VIEWS and y.verb != "cached" and not _handed(y) else ()


def _whole(x: Tensor) -> bool:
    """Whether it shows all the numbers of its input, and no others."""
    if x.verb in ("enter", "leave"):
        return x.axes.keys() == x.inputs[0].axes.keys() and not _handed(x)
    return x.verb in ("rename", "merge", "split", "repeat", "window", "idle")


def _rows(x: Tensor) -> list[tuple[str, Size]]:
    """The rows that a look-up takes, none twice."""
    ids, table = x.inputs
    rows, *rest = table.axes.values()
    return [(_called(table), least(prod(ids.axes.values()), rows) * prod(rest))]


def _called(x: Tensor) -> str:
    """The part of an operation that reading this is."""
    return "weights" if _learned(x) else f"from_{x.name.replace('.', '_')}"


def _numbers(x: Tensor, most: Size | None) -> Size:
    """The numbers of a tensor, which may have fewer rows than t."""
    return prod(most if axis == "t" and most is not None else size for axis, size in x.axes.items())


def _windows(net: Network) -> dict[int, Size]:
    """{serial: rows} of what has fewer than t rows in a step, since a cache holds no more than a window sees."""
    seen: dict[int, Size] = {}
    for x in walk(net, step=True):
        of = next((y for y in x.inputs if y.serial in seen), None)
        mask = x.details["mask"] if x.verb == "contract" else None
        if mask and mask.window is not None:
            s, t = (next(y.axes[axis] for y in x.inputs if axis in y.axes) for axis in ("s", "t"))
            seen[x.serial] = within_window(t, mask.window, s)
        elif of is None or "t" not in x.axes or x.verb not in ("pointwise", *_VIEWS) or x.verb in ("cut", "keep"):
            continue
        elif x.verb == "concat" and x.details["axis"] == "t":
            seen[x.serial] = added(seen.get(y.serial, y.axes["t"]) for y in x.inputs)
        else:
            seen[x.serial] = seen[of.serial]
    return seen


def _handed(x: Tensor) -> bool:
    """Whether a repeated part hands it to its next run."""
    return x.verb == "enter" and "loop" in x.details


def _learned(x: Tensor) -> bool:
    """Whether it is a weight, or a part of one, and not what a loop is handed."""
    while (x.verb in RELABEL or x.verb == "select") and not _handed(x):
        x = x.inputs[0]
    return x.verb == "weight"


def _on_chip(net: Network, *, step: bool) -> tuple[set[tuple[int, int]], set[int]]:
    """What attention as one operation does not read, as (product, operand), and what it does not write.

    Scores are products of activations that a softmax is taken of, element by element; a product that reads what became
    of them belongs to the same attention. Where something else reads them too, they are written.
    """
    ops = walk(net, step=step)
    scores: set[int] = set()
    for x in ops:
        if x.verb == "pointwise" and x.details["kind"] == "softmax":
            scores |= {y.serial for y in _made_of(x) if not any(map(is_weight, y.inputs))}
    made: dict[int, set[int]] = {}  # of which scores a tensor is made, element by element
    unread, elsewhere = set(), set()
    for x in ops:
        before = [made.get(y.serial, set()) for y in x.inputs]
        made[x.serial] = {x.serial} if x.serial in scores else set()
        if x.verb == "pointwise" or x.verb in _VIEWS:
            made[x.serial] |= set().union(*before)
        elif x.verb == "contract" and not any(map(is_weight, x.inputs)):
            unread |= {(x.serial, i) for i, of in enumerate(before) if of}
        else:
            elsewhere |= set().union(*before)
    ends = [*(net if isinstance(net, tuple) else (net,)), *(y for x in ops if _handed(x) for y in x.details["loop"])]
    elsewhere |= set().union(*(made.get(y.serial, set()) for y in ends))
    return unread, scores - elsewhere


def _made_of(x: Tensor) -> list[Tensor]:
    """The products that a tensor is made of, element by element."""
    todo, met, found = [x], set(), []
    while todo:
        y = todo.pop()
        if y.serial in met:
            continue
        met.add(y.serial)
        if y.verb == "contract":
            found.append(y)
        elif y.verb == "pointwise" or y.verb in _VIEWS:
            todo += y.inputs
    return found
