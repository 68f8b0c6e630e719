"""Memory in bytes: weights, and with them the cache of a decoding model, or all that a training step holds.

    forward                         weights
    decode                          weights and cache of t tokens
    train, selective, recompute,    weights, gradients, what the optimizer keeps, and saved activations: all of them,
    flash                           those without attention's inner ones, or the layers' inputs alone
"""

from __future__ import annotations

from symcount.errors import ModelError, nearest
from symcount.ledger import Ledger, Term
from symcount.network import walk
from symcount.polynomials import Polynomial, letter, lift, merged
from symcount.readers import bounds, origin
from symcount.readers.parameters import each
from symcount.readers.phases import absorbed, tokens_of
from symcount.readers.roles import products
from symcount.sizes import conditions, is_one, per
from symcount.storage import Storage, Width
from symcount.storage import storage as named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from symcount.polynomials import Condition, Size
    from symcount.readers import Network
    from symcount.tensors import Tensor

# What is saved for the backward pass in each phase that has one, in the words of `activations`
SAVED = {"train": "all", "selective": "selective", "recompute": "full", "flash": "flash"}
PHASES = ("forward", "decode", *SAVED)
# Tensor parallelism splits heads, the width of an MLP and the vocabulary; of the others every device has a copy
_SPLIT, _WHOLE = ("V", "h", "g"), frozenset(("d", "d'", "P", "types", "E", "k", "r", "rank", "c"))


def memory(subject: Any, storage: str | Storage | None = None, phase: str | None = None, **sizes: Any) -> Ledger:
    """The bytes that one device holds, as a sum of its parts: weights, cache, gradients, optimizer, activations.

    `storage` is a format (nf4, …; bf16 unless told otherwise) or a recipe for training (adam, zero3, …; mixed unless
    told otherwise). `phase` is decode where t is given, train where a recipe and s are, else forward. Devices that
    share the work are sizes too: tp splits every product of heads, of an MLP and of the vocabulary; pp the layers,
    while all that stands outside of them is counted once, and activations are those of the first stage, which holds
    as many of them as there are stages; dp what a recipe divides, and stays open where nobody gives it.

    >>> from symcount import model
    >>> memory(model("llama-7b")), memory(model("llama-7b"), "mixed").total == 2 * 6_738_415_616
    (<llama-7b (LlamaForCausalLM), memory: 13,476,831,232 bytes>, True)

    Raises ModelError for an unknown storage or phase, and for one that does not train where training is asked for.
    """
    held = named(storage or ("mixed" if phase in SAVED else "bf16"))
    model = sized(subject, sizes)
    phase = phase or ("decode" if "t" in model.given else
                      "train" if held.gradients is not None and "s" in model.given else "forward")
    known_phase(phase)
    if phase in SAVED and held.divided and "dp" not in model.given:
        model = model.replace(dp="dp")
    says = {"forward": "weights alone: the phase decode adds a cache, train all that training holds",
            "decode": "weights and a cache"}.get(phase, "")
    terms = _of_weights(model, held, "weights", None)
    kept: tuple[Condition, ...] = ()
    if phase == "decode":
        model = _at(model)
        terms += [term.under("cache") for term in cache_bytes(model.whole(), held).terms]
    elif phase != "forward":
        if held.gradients is None:
            raise ModelError(f"{held.name} says how numbers are stored, and nothing of training; of the recipes that "
                             "do, mixed is the commonest")
        for name, width in (("gradients", held.gradients), *((f"optimizer.{n}", w) for n, w in held.optimizer.items())):
            terms += _of_weights(model, held, name, width)
        saved = activation_bytes(model.whole(), held, phase)
        terms += [term.under("activations") for term in saved.terms]
        says, kept = saved.notes[1], saved.bounds
    return _ledger(model, held, "memory", terms, says, kept)


def known_phase(phase: str) -> None:
    """Raise ModelError for a phase that memory has not."""
    if phase not in PHASES:
        raise ModelError(f"memory has no phase '{phase}'; {nearest(phase, list(PHASES))}")


def sized(subject: Any, sizes: Mapping[str, Any]) -> Any:
    """The model with these sizes."""
    if not hasattr(subject, "network"):
        raise ModelError("memory is that of a model; of a network of tensors, count the parameters")
    return subject.replace(**sizes) if sizes else subject


def cache_bytes(subject: Any, storage: str | Storage = "bf16", **sizes: Any) -> Ledger:
    """The bytes of what a decoding model remembers of t tokens.

    >>> from symcount import model
    >>> cache_bytes(model("llama-3-8b"), t=8192).total == 2**30
    True
    """
    from symcount.readers.cache import kv_cache  # weights alone do without

    held = named(storage)
    model = sized(subject, sizes)
    model = _at(model)
    granted = {size: how for size, how in held.sizes.items() if model.architecture.knows(size)}
    model = model.replace(**granted) if granted else model
    elements = kv_cache(model.whole())
    rows = {x.path: x.details["kept"] or x.axes for x in walk(model.network()) if x.verb == "cached"}
    tp, pp = _devices(model, "tp"), _devices(model, "pp")
    terms = [Term(term.path, (held.cache.bytes(_heads(term, list(rows[term.path]), tp)),), _stages(term.scopes, pp),
                  term.kinds) for term in elements.terms]
    return _ledger(model, held, "cache", terms, elements.notes[-1])


def _at(model: Any) -> Any:
    """The model at a decode step, after t tokens, which stay open unless it was told how many."""
    tokens = tokens_of(model)
    told: dict[str, Any] = {} if tokens == "s" or "u" in model.given else {"u": 1}
    if "t" not in model.given and (tokens != "s" or "s" not in model.given):
        told["t"] = "t"
    return absorbed(model.replace(**told) if told else model)


def activation_bytes(subject: Any, storage: str | Storage = "bf16", phase: str = "train", **sizes: Any) -> Ledger:
    """The bytes of what a training step saves for its backward pass."""
    from symcount.readers.activations import activations  # weights alone do without

    if phase not in SAVED:
        raise ModelError(f"activations are saved for a backward pass: no phase '{phase}'; "
                         f"{nearest(phase, list(SAVED))}")
    held = named(storage)
    model = sized(subject, sizes)
    saved = activations(model.whole(), SAVED[phase], width=held.activations.bits // 8)
    return _ledger(model, held, "activations", saved.terms, "; ".join(saved.notes[-2:]), saved.bounds)


def _ledger(model: Any, held: Storage, what: str, terms: Iterable[Term], says: str,
            kept: tuple[Condition, ...] = ()) -> Ledger:
    """The ledger; `kept`: what must hold for what is saved, beside what must for the network."""
    shared = [letter for letter in ("tp", "pp", "dp") if letter in model.given]
    one = (f"one device of those that {' and '.join(shared)} count",) if shared else ()
    return Ledger("byte", terms, model.values, f"{model.title}, {what}", (held.line, says, *one, *model.conventions),
                  merged(bounds(model.network()), kept), convention=held.name).where(*model.parts)


def _of_weights(model: Any, held: Storage, name: str, width: Width | None) -> list[Term]:
    """So many bytes for each weight, or for each that is trained, on one device."""
    tp, pp, dp = (_devices(model, letter) for letter in ("tp", "pp", "dp"))
    dp = dp if name.split(".", maxsplit=1)[0] in held.divided else 1
    terms, maps = [], _maps(model.network())
    for x, term in each(model.network()):
        matrix = term.path in maps and any(not is_one(runs) for _, runs in term.scopes)
        if width is not None and "frozen" in term.kinds:
            continue
        if width is not None and matrix and held.matrices != held.weights:
            raise ModelError(f"{held.name}: {term.path} is trained, which weights of {held.matrices.bits} bits cannot "
                             "be; train adapters beside them, as in lora=8@query+value")
        bits = width or (held.trained if "adapter" in term.kinds else held.matrices if matrix else held.weights)
        size = bits.bytes(_split(x, term, tp) if not is_one(tp) else term.factors)
        held_by_one = size if is_one(dp) else _shared(size, dp)
        terms.append(Term(term.path, (held_by_one,), _stages(term.scopes, pp), term.kinds).under(name))
    return terms


def _maps(net: Network) -> set[str]:
    """The paths of the matrices of linear maps: weights that a product is taken with, or chosen rows of which."""
    operands = [origin(y) for x, kinds in products(net) if kinds[0] == "weight" and "kernel" not in kinds
                for y in x.inputs]
    whole = [origin(y.inputs[1]) if y.verb == "lookup" else y for y in operands]  # of an expert, all experts
    return {y.path for y in whole if y.verb == "weight" and y.details["kinds"][0] == "weight"}


def _stages(scopes: tuple[tuple[str, Size], ...], pp: Size) -> tuple[tuple[str, Size], ...]:
    """The scopes on one of pp devices: of the outermost that is repeated, a share of the runs."""
    layers = [path for path, runs in scopes if not is_one(runs)]
    return scopes if is_one(pp) else tuple((path, per(runs, pp) if path in layers[:1] else runs)
                                         for path, runs in scopes)


def _heads(term: Term, axes: list[str], tp: Size) -> tuple[Size, ...]:
    """The factors of remembered rows on one of tp devices: key-value heads are split, latents are not."""
    if is_one(tp):
        return term.factors
    if "g" not in axes and not set(axes) <= {"b", "t", "c", "k"}:
        raise ModelError(f"tp: how {term.path} [{' '.join(axes)}] is split over devices is not stated; stated are "
                         "key-value heads and latents")
    return tuple(per(size, tp) if axis == "g" else size for axis, size in zip(axes, term.factors, strict=True))


def _devices(model: Any, name: str) -> Size:
    """How many devices share the work in this way: 1 unless the model was told."""
    return letter(name) if name in model.given else 1


def _split(x: Tensor, term: Term, tp: Size) -> tuple[Size, ...]:
    """The factors of a weight on one of tp devices: one of its axes is split, or none."""
    at = next((axis for axis in _SPLIT if axis in x.axes), None)
    if at is None and not x.axes.keys() <= _WHOLE:
        raise ModelError(f"tp: how {term.path} [{' '.join(x.axes)}] is split over devices is not stated; "
                         "stated are heads, the width of an MLP and the vocabulary")
    return tuple(per(size, tp) if axis == at else size for axis, size in x.axes.items())


def _shared(size: Size, dp: Size) -> Size:
    """One of dp shares; a share need not be whole, for what fills it up is left out."""
    share = per(size, dp)
    return Polynomial(lift(share).terms, conditions(size))
