"""What is remembered between decoding steps: keys and values, latents, the states of recurrences and convolutions.

Source: Shazeer 2019, "Fast transformer decoding: one write-head is all you need", section 2.4; of windows: Jiang et al.
2023, "Mistral 7B", section 2 (rolling buffer cache).
"""

from __future__ import annotations

from symcount.errors import ModelError, ShapeError
from symcount.ledger import Ledger, Term
from symcount.network import walk
from symcount.readers import RELABEL, account, bounds, learned
from symcount.scopes import repeats
from symcount.sizes import least, same
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size

    Users = dict[int, list[Tensor]]


def kv_cache(subject: Any, **sizes: Any) -> Ledger:
    """The elements that a model remembers of t tokens in order to write the next: of each tensor b·t·(its other axes).

    Keys and values: 2·L·b·t·k·kv; latents: L·b·t(r_kv + rope); of s tokens that an encoder read: 2·L_dec·b·s·k·heads. A
    state does not grow with t: w rows of a convolution over w tokens, and the last state of a recurrence.

    Where every product of a layer's rows sees only a window of them, least(t, window) rows are remembered. These, and
    the w of a convolution, are the rows that the newest token was computed from, its own among them. The caches of
    transformers hold as many but for three cases: `DynamicCache` drops the oldest row of a window once it was used, and
    has window - 1 between two steps (`StaticCache` has the window); it keeps all t rows of a model whose windows its
    configuration calls by another name (GPT-Neo); and it keeps twice what is both key and value (DeepSeek-V4, of layers
    with a window alone).

    >>> from symcount import model
    >>> kv_cache(model("llama-3-8b"), t=8192)
    <llama-3-8b (LlamaForCausalLM), KV cache: 536,870,912 elements>
    >>> kv_cache(model("bert-base-uncased"))
    Traceback (most recent call last):
    symcount.errors.ModelError: bert-base-uncased (BertModel): no KV cache: no attention is causal and nothing recurs

    Raises ModelError where nothing is remembered, and where layers see fewer tokens than the network says.
    """
    net, values, title, notes, parts = account(subject, ("new", "tp", "pp", "dp"), **sizes)  # of all devices together
    _shown(subject)
    ops = walk(net)
    users: Users = {}
    for op in ops:
        for x in op.inputs:
            users.setdefault(x.serial, []).append(op)
    kept = {op: found for op in ops if op.verb == "cached" and (found := _remembered(op, users)) is not None}
    if all(op.details["remembered"] for op in kept):  # rows that are read, and nobody who would write after them
        raise ModelError(f"{title + ': ' if title else ''}no KV cache: no attention is causal and nothing recurs"
                         + ("" if title else "; mask=Mask(causal=True) says that scores are causal"))
    terms = [Term(op.path, tuple(axes.values()), repeats(op.scope), ("activation", "cache"))
             for op, axes in kept.items()]
    return Ledger("element", terms, values, f"{title}, KV cache" if title else title, (*notes, _says(kept)),
                  bounds(net, step=True)).where(*parts)


def _shown(subject: Any) -> None:
    """Raise ModelError for a model some of whose layers see fewer tokens than its network shows."""
    hides = getattr(getattr(subject, "architecture", None), "hides", {})
    told = {key: value for key, value, _ in getattr(subject, "keys", ())}
    for key, harmless in hides.items():
        if not harmless or (told and told.get(key, "absent") not in harmless):
            raise ModelError(f"{subject.name}: its KV cache is not written: {key} = {told.get(key, 'absent')} limits "
                             "which tokens some layers see, and the network does not say which layers")


def _remembered(row: Tensor, users: Users) -> dict[str, Size] | None:
    """The axes of what is remembered of rows; None of rows that a later token would change."""
    axis, state = row.details["into"], row.details["kept"]
    if state is not None or row.details["remembered"]:  # the latter were read, not written
        return row.axes if state is None else state
    products = _products(row, axis, users)
    if not any(mask is not None and mask.causal for mask, _ in products):
        return None
    windows = [None if mask is None else mask.window for mask, direct in products if direct]
    if not windows or any(window is None for window in windows):
        return row.axes
    if not all(same(windows[0], window) for window in windows):
        raise ShapeError(f"{row.path}: its rows are seen through windows of unlike sizes: "
                         + ", ".join(map(str, windows)))
    return {**row.axes, axis: least(row.axes[axis], windows[0])}


def _products(row: Tensor, axis: str, users: Users) -> list[tuple[Any, bool]]:
    """(mask, whether of the rows themselves) of every product of activations on the way of these rows.

    What is made from rows is followed as long as it has one number or more for each of them.
    """
    found, seen, todo = [], set(), [(row, axis, True)]
    while todo:
        x, axis, direct = todo.pop()
        if (x.serial, axis, direct) in seen:
            continue
        seen.add((x.serial, axis, direct))
        for user in users.get(x.serial, ()):
            product = user.verb == "contract" and not any(learned(operand) for operand in user.inputs)
            if product:
                found.append((_mask(user), direct))
            todo += [(user, name, direct and not product) for name in _names(user, axis) if name in user.axes]
    return found


def _mask(product: Tensor) -> Any:
    """The mask of a product, or of the scores by which it mixes: what their softmax left out counts as nothing."""
    seen, todo = set(), [*product.inputs]
    if product.details["mask"] is not None:
        return product.details["mask"]
    while todo:
        x = todo.pop()
        if x.serial in seen:
            continue
        seen.add(x.serial)
        if x.verb == "pointwise" or x.verb in RELABEL:
            todo.extend(x.inputs)
        elif x.verb == "contract" and x.details["mask"] is not None and {"s", "t"} <= x.axes.keys():
            return x.details["mask"]
    return None


def _names(user: Tensor, axis: str) -> tuple[str, ...]:
    """What an axis of its operand is called in a tensor, if it is still there."""
    details = user.details
    if user.verb == "rename":
        return (details["names"].get(axis, axis),)
    if user.verb == "merge":
        return (details["into"] if axis in details["parts"] else axis,)
    if user.verb == "split" and axis == details["axis"]:
        return tuple(details["parts"])
    if user.verb in ("top", "cached") and axis == details["axis"]:
        return (details["into"],)
    return (axis,)


def _says(kept: dict[Tensor, dict[str, Size]]) -> str:
    """What was counted, for the line of conventions."""
    rows = [op for op in kept if op.details["kept"] is None]
    said = ["keys and values of t tokens, once for each key-value head or as latents"] if rows else []
    if any(kept[op] is not op.axes for op in rows):
        said.append("of a window its rows, the newest token's among them")
    if len(rows) < len(kept):
        said.append("states after the newest token")
    return "; ".join(said)
