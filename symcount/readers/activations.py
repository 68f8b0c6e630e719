"""Activations: what training keeps of a forward pass for the backward pass, in bytes.

A tensor that several operations need is kept once. A contraction needs each of its operands for the gradient of the
others; what else is done to numbers needs what the table says.

Source: Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models", sections 4 and 5 and
table 2; FlashAttention: Dao et al. 2022, section 3.1. Which operation keeps its input and which its result is as in
PyTorch.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import ModelError, SizeError, nearest
from symcount.kinds import ACTIVATIONS
from symcount.ledger import Ledger, Term
from symcount.network import walk
from symcount.polynomials import letter, lift
from symcount.readers import account, bounds, trained, written
from symcount.readers.again import NORMS, attention, is_weight, layers
from symcount.readers.distinct import but_first, distinct, loops, nowhere, owner, runs_at_least
from symcount.readers.gradients import handed, with_gradient
from symcount.scopes import repeats
from symcount.sizes import per
from symcount.symbols import symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

    from symcount.polynomials import Condition, Size
    from symcount.tensors import Tensor

    Kinds = tuple[str, ...]

# What the backward pass needs of a `pointwise`, by its kind. A norm needs two numbers a row more, mean and deviation,
# and a maximum needs to know where it was: the paper counts neither, and they are not counted here.
NEEDS = {
    # sums, constant factors, rearrangements, and rotations by position, whose angles are the same for all
    **dict.fromkeys(("adapt", "add", "attention_scale", "band", "bias", "fourier", "gather", "last", "mean",
                     "partial_rotary", "pick", "place", "relative", "resize", "rotary", "sinusoids", "subtract", "sum",
                     "zeros"),
                    "nothing"),
    **dict.fromkeys((*NORMS, *ACTIVATIONS, "asinh", "deviation", "glu", "max", "sines", "softplus", "swiglu",
                     "weight_norm", "xielu"),
                    "inputs"),
    **dict.fromkeys(("exp", "relu", "sigmoid", "softmax", "tanh"), "output"),
    # each for the gradient of the others
    **dict.fromkeys(("affine", "mix", "multiply", "scale", "token_shift"), "factors"),
    "dropout": "mask",
}
# The words of `keep`
KEEP = {
    "all": "all that the backward pass needs",
    "flash": "all that the backward pass needs, but between scores and values only one number for each softmax",
    "selective": "all that the backward pass needs, but nothing between scores and values",
    "full": "of repeated parts only what comes in, of the rest all that the backward pass needs",
}
LOSSES = ("cross_entropy",)
SPLIT, STREAM = ("g", "h", "V"), "d"  # axes that tensor parallelism divides, and the one that it does not
_PLAIN = ("b", "s", "t", "q", "k")  # and those that may stand beside them

# path: where it is needed; bytes of one number; axes of it, and the scopes that it repeats in
Kept = namedtuple("Kept", "path bytes axes scopes kinds")


def activations(subject: Any, keep: str = "all", *, width: Any = 2, loss: str | None = None, tp: Any = None,
                sequence_parallel: bool = False, **sizes: Any) -> Ledger:
    """The bytes that training keeps for the backward pass: s·b(34d + 5·heads·s) for each layer of GPT with h = 4d.

    keep   "all"; "selective": what attention has between its scores and its values is made again, 34·s·b·d;
           "flash": so too, but the logarithm of the sum of each softmax is kept, in 4 bytes (kind "log_sum_exp");
           "full": a repeated part runs again, and only what comes in is kept, 2·s·b·d for each layer
    width  bytes of a number: 2, or 4 in single precision; a number of a mask of dropout has 1
    loss   "cross_entropy": the network returns logits, and they are kept in 4 bytes: 4·s·b·V (kind "loss")
    tp     how many devices divide heads, h and V by tensor parallelism, but not d: a number, "tp" to leave it open,
           or that of the model;
           `sequence_parallel`: they divide the tokens of what is d wide. What one of them keeps is counted.

    Which families drop out is written in their layers. At a rate of 0, leave it out: `.without("dropout")` is without
    masks, and without the copies that they make of what is kept. Token ids, indices, and means and deviations of norms
    are never counted.

    >>> from symcount import model
    >>> activations(model("gpt2"), s=1024).where("layers")
    <gpt2 (GPT2LMHeadModel): 1,075,838,976 bytes>

    Raises ModelError for an unknown `keep` or `loss`, an operation that the table does not know, and a tensor of which
    it is not known how it is divided; SizeError for a width or a tp that is none.
    """
    _one_of("keep", keep, KEEP)
    _one_of("loss", loss, (*LOSSES, None))
    if sequence_parallel and tp is None:
        raise ModelError("sequence_parallel divides tokens among the devices of tensor parallelism; say how many: tp=…")
    written(subject, "what training keeps")
    trained(subject, "what training keeps")
    if tp is None and "tp" in getattr(subject, "given", ()):
        tp = subject.values.get("tp", "tp")
    net, values, title, said, parts = account(subject, ("tp", "pp", "dp"), **sizes)
    ops = walk(net)
    kept, held = _kept(ops, keep, _width(width), title)
    if loss is not None:
        kept += [Kept("loss.logits", 4, _logits(x, title).axes, repeats(x.scope), ("loss",))
                 for x in (net if isinstance(net, tuple) else (net,))]
    kept = _apart(kept)
    held = (*bounds(net), *held)
    whole = Ledger("byte", [Term(one.path, tuple(one.axes.values())) for one in kept], values, title)
    paths = {term.path for term in whole.where(*parts).terms}
    if tp is not None:
        values = {**values, **_devices(tp, values)}
    terms = [Term(one.path, (one.bytes, *(one.axes if tp is None else _share(one, tokens=sequence_parallel)).values()),
                  one.scopes, one.kinds) for one in kept if one.path in paths]
    said = (*said, *_notes(ops, kept, keep, width, tp, tokens=sequence_parallel))
    return Ledger("byte", terms, values, title, said, held)


def _one_of(what: str, given: Any, known: Any) -> None:
    if given not in known:
        raise ModelError(f"{what} = {given!r}: {nearest(str(given), [one for one in known if one])}")


def _width(width: Any) -> Any:
    """Bytes of a number: an int, or a Fraction."""
    exact = isinstance(getattr(width, "denominator", None), int) and not isinstance(width, bool)
    if not exact or width <= 0:
        raise SizeError(f"width = {width!r}: the bytes of a number are a whole number or a Fraction above 0")
    return width


def _devices(tp: Any, values: dict[str, int]) -> dict[str, int]:
    """The value of tp, where it has one."""
    if str(tp) == "tp":
        return {}
    if type(tp) is not int or tp < 1 or values.get("tp", tp) != tp:
        raise SizeError(f"tp = {tp!r}: a whole number of devices is needed, or 'tp' to leave it open")
    return {"tp": tp}


def _share(one: Kept, *, tokens: bool) -> dict[str, Size]:
    """What one of tp devices has of each axis; `tokens`: they divide those of what is d wide.

    Source: Shoeybi et al. 2019, "Megatron-LM", section 3; Korthikanti et al. 2022, section 4.2.
    """
    split = [axis for axis in SPLIT if axis in one.axes]
    stream = STREAM in one.axes
    divided = split if not stream else ["s"] if tokens else []
    plain = all(axis in (*SPLIT, STREAM, *_PLAIN) for axis in one.axes)
    if not plain or len(split) + stream != 1 or any(axis not in one.axes for axis in divided):
        tokens_of = " but for its tokens s" if tokens else ""
        raise ModelError(f"{one.path} has the axes {' '.join(one.axes)}: it is not known how devices divide it; known: "
                         f"one of {', '.join(SPLIT)} is divided, and what has {STREAM} stands whole{tokens_of}")
    return {axis: per(size, symbol("tp") if lift(size) is NotImplemented else letter("tp")) if axis in divided else size
            for axis, size in one.axes.items()}


def _logits(x: Tensor, title: str) -> Tensor:
    """The result of a network, if a linear map made it."""
    made = owner(x)
    while made.verb == "pointwise" and made.details["kind"] == "bias":
        made = owner(made.inputs[0])
    if made.verb != "contract" or not any(is_weight(operand) for operand in made.inputs):
        raise ModelError(f"{title or 'the network'}: a loss is taken of logits, and {x} is not the result of a linear "
                         "map; choose a class with a head")
    return x


def _kept(ops: list[Tensor], keep: str, width: Any, title: str) -> tuple[list[Kept], tuple[Condition, ...]]:
    """All that is kept, each value once, in the order in which it is first needed; and what must hold for that."""
    again, over = (attention(ops) if keep in ("flash", "selective") else
                   (layers(ops, title), {}) if keep == "full" else (set(), {}))
    entered = {x for op in again for x in op.inputs if x.verb == "enter" and x not in again}
    grads = with_gradient(ops)
    needed = _needed(ops, again, grads)
    late, without, at_least = _late(ops, again, grads, needed)
    found, held = distinct(needed, late)
    held += at_least
    listed: list[tuple[Tensor, Kept]] = []
    for x, scopes in ((x, scopes) for x, several in found.items() for scopes in several):
        op, label, kinds = needed.get(x) or (x, "output", ("activation",))
        # A value from outside is kept if the part that needs it runs.
        held += runs_at_least(1, (scope for scope in loops(op.scope) if scope not in loops(x.scope)))
        path = f"{op.path}.{label}" if loops(op.scope) == loops(x.scope) and x not in entered else _place(x)
        kinds += ("dropout",) if _undropped(x) is not x and _undropped(x) in needed else ()
        listed.append((op, Kept(path, width, x.axes, scopes, kinds)))
    for op in ops:
        if op not in grads or nowhere(op.scope):
            continue
        scopes = but_first(repeats(op.scope)) if op in without else repeats(op.scope)
        if op in over and keep == "flash":
            if not over[op]:
                raise ModelError(f"{op.path}: it is not known over which axis of {op} it sums; keep='selective' does "
                                 "not ask")
            axes = {axis: size for axis, size in op.axes.items() if axis not in over[op]}
            listed.append((op, Kept(f"{op.path}.log_sum_exp", 4, axes, scopes, ("log_sum_exp",))))
        if NEEDS.get(op.details.get("kind", "")) == "mask" and op not in again:
            listed.append((op, Kept(f"{op.path}.mask", 1, op.axes, scopes, ("dropout",))))
    return [one for _, one in sorted(listed, key=lambda pair: pair[0].serial)], held


def _needed(ops: list[Tensor], again: set[Tensor], grads: set[Tensor]) -> dict[Tensor, tuple[Tensor, str, Kinds]]:
    """{owner: (the operation that needs it first, what it is to it, kinds)}."""
    found: dict[Tensor, tuple[Tensor, str, Kinds]] = {}
    for op in ops:
        if op in grads and not nowhere(op.scope):
            for x, label, kinds in _needs(op, again, grads):
                if not is_weight(x):
                    found.setdefault(owner(x), (op, label, kinds))
    return found


def _late(ops: list[Tensor], again: set[Tensor], grads: set[Tensor],
          needed: Container[Tensor]) -> tuple[set[Tensor], set[Tensor], tuple[Condition, ...]]:
    """What the first run of a repeated part does not keep, for what comes in has no gradient yet: owners, operations.

    What must hold for that is returned with it. Raises ModelError where runs differ in another way.
    """
    owners: set[Tensor] = set()
    without: set[Tensor] = set()
    held: tuple[Condition, ...] = ()
    for scope, entered in handed(ops).items():
        around = loops(scope)
        for x in entered:
            if x.inputs[0] in grads and x.details["loop"][0] not in grads:
                raise ModelError(f"{x.path}: what comes in has a gradient, and what the next run is given has none")
        if any(x.inputs[0] not in grads and x in grads for x in entered):
            held += runs_at_least(1, around[-1:])  # of no run, what comes out has no gradient
        first = with_gradient(ops, around)
        then = grads if grads <= first else with_gradient(ops, around, first)
        before = _needed(ops, again, first) if then is not grads else needed
        missing = [x for x in ops if x in needed and x not in before]
        inside = [x for x in ops if scope in loops(x.scope) and x in grads and x not in first]
        unlike = [x for x in missing if scope in loops(x.scope)] + [
            x for x in inside if x.details.get("kind") in ("dropout", "softmax")]
        for x in unlike:
            if len(loops(x.scope)) > 1 or not grads <= then:
                raise ModelError(f"{x.path}: some runs keep less than others, for what comes in has no gradient yet; "
                                 "which is counted of a first run only, and not where parts repeat within others")
        owners.update(x for x in missing if scope in loops(x.scope))
        without.update(inside)
        held += () if all(scope in loops(x.scope) for x in missing) else runs_at_least(2, around[-1:])
    return owners, without, held


def _needs(op: Tensor, again: set[Tensor], grads: set[Tensor]) -> Iterator[tuple[Tensor, str, Kinds]]:
    """(tensor, what it is to the operation, kinds) of all that an operation keeps, of what is made again its sources.

    Raises ModelError for an operation that the table does not know.
    """
    operands = op.inputs[1:] if op.verb == "lookup" else op.inputs
    if op in again:
        yield from ((x, x.name, ("activation",)) for x in operands if x not in again)
        return
    if op.verb not in ("contract", "pointwise"):
        return
    kind = op.details.get("kind", "")
    if kind and kind not in NEEDS:
        raise ModelError(f"{op.path}: what the backward pass needs of '{kind}' is not known; {nearest(kind, [*NEEDS])}")
    rule = NEEDS[kind] if kind else "factors"
    main = kind or ("weight" if any(is_weight(x) for x in operands) else "activation")
    kinds = ("norm", kind) if kind in NORMS else (main,)
    if rule == "output":
        yield op, "output", kinds
    elif rule in ("inputs", "factors"):
        numbers = [x for x in operands if not is_weight(x)]
        for i, x in enumerate(operands):
            if rule == "inputs" or any(other in grads for j, other in enumerate(operands) if j != i):
                yield x, "input" if len(numbers) == 1 else x.name, kinds


def _undropped(x: Tensor) -> Tensor:
    """What x is a copy of, if nothing is dropped out."""
    while x.details.get("kind") == "dropout":
        x = owner(x.inputs[0])
    return x


def _place(x: Tensor) -> str:
    """Where a value is that comes into a part, or is made outside of the one that needs it."""
    if x.verb == "enter" and x.scope:
        return ".".join([*(scope.name for scope in x.scope.chain()), "input"])
    return x.path if x.verb == "input" else f"{x.path}.output"


def _apart(kept: list[Kept]) -> list[Kept]:
    """The same, the second of one path with .2, and so on."""
    seen: dict[str, int] = {}
    named = []
    for one in kept:
        seen[one.path] = n = seen.get(one.path, 0) + 1
        named.append(one if n == 1 else one._replace(path=f"{one.path}.{n}"))
    return named


def _notes(ops: list[Tensor], kept: list[Kept], keep: str, width: Any, tp: Any, *, tokens: bool) -> tuple[str, str]:
    """What is said of dropout, and last of all else."""
    masks = any("dropout" in one.kinds for one in kept)
    bytes_ = ["1 byte a number" if width == 1 else f"{width} bytes a number"]
    bytes_ += ["1 in a mask of dropout"] if masks else []
    bytes_ += ["4 of a softmax"] if any("log_sum_exp" in one.kinds for one in kept) else []
    bytes_ += ["4 of a logit"] if any("loss" in one.kinds for one in kept) else []
    beside = "" if keep != "full" else "; the part that is run again, one at a time, comes on top"
    shared = "" if tp is None else "; one of tp devices, " + (
        "which divide heads, h, V, and the tokens of what is d wide" if tokens else "which divide heads, h and V")
    left = "no" if any("loss" in one.kinds for one in kept) else "no logits of a loss, no"
    drops = any(x.details.get("kind") == "dropout" for x in ops)
    return (
        "dropout at a rate above 0; without dropout, it is left out" if drops else
        "at a rate of dropout of 0",
        f"kept: {KEEP[keep]}; {', '.join(bytes_)}; {left} token ids, no indices, no means or deviations of norms"
        f"{beside}{shared}",
    )
