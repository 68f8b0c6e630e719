"""Work: what every operation costs under a named convention, in multiply-adds or in FLOPs."""

from __future__ import annotations

from math import prod

from symcount.conventions import Convention, convention
from symcount.errors import ModelError, nearest
from symcount.kinds import COMMON, ROLES, activates
from symcount.ledger import KINDS, Ledger, Term
from symcount.masks import pairs
from symcount.network import walk, weights
from symcount.polynomials import added
from symcount.readers import account, bounds
from symcount.readers.parameters import chosen_rows
from symcount.readers.roles import mask_of, operation, products
from symcount.scopes import matches, repeats
from symcount.sizes import is_one, least, same
from symcount.tensors import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from symcount.masks import Mask
    from symcount.polynomials import Size
    from symcount.readers import Network
    from symcount.tensors import Tensor

    # (axes of an operation, its mask) -> factors whose product is how many elements it has
    Elements = Callable[[dict[Any, Size], Mask | None], tuple[Size, ...]]

PHASES = {
    "forward": "s tokens at once: a prompt, an encoder, an image",
    "decode": "one token, or s, after others that a cache remembers: t in all",
    "backward": "one product of the same size for each operand of a product that needs a gradient",
    "train": "forward and backward",
    "recompute": "train, and the forward pass of every repeated part once more",
    "selective": "train, and attention's two products once more",
    "flash": "train, and attention's scores once more, as the backward pass of FlashAttention does",
    "generate": "a prompt of s tokens, then `new` tokens one by one, of which the last is not read again",
}


def multiply_adds(subject: Any, convention: str | Convention = "matmul", phase: str = "forward",
                  **sizes: Any) -> Ledger:
    """The multiply-adds of a pass: for every contraction the product of all its axes.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> multiply_adds(linear(tensor(b=64, d=784), "layer", h=128))
    <6,422,528 multiply-adds>
    """
    return _read(subject, convention, phase, sizes, alone=True)


def flops(subject: Any, convention: str | Convention = "matmul", phase: str = "forward", **sizes: Any) -> Ledger:
    """The FLOPs of a pass; the convention says how many a multiply-add is, and what else counts.

    `PHASES` says what each phase counts (`symcount explain phases`). A convention of a tool that prints multiply-adds
    makes a ledger of multiply-adds.

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> flops(linear(tensor(b=64, d=784), "layer", h=128))
    <12,845,056 FLOPs>

    Raises ModelError for an unknown convention or phase, and for a phase that the convention does not count.
    """
    return _read(subject, convention, phase, sizes, alone=False)


def known_phase(phase: str) -> None:
    """Raise ModelError for a phase that there is not."""
    if phase not in PHASES:
        raise ModelError(f"unknown phase '{phase}'; {nearest(str(phase), list(PHASES))}")


def _read(subject: Any, name: str | Convention, phase: str, sizes: dict[str, Any], *, alone: bool) -> Ledger:
    known_phase(phase)
    rule = convention(name)
    if rule.sizes and hasattr(subject, "network"):
        subject = subject.replace(**{size: how for size, how in rule.sizes.items() if size in subject.asked})
    unmasked = getattr(getattr(subject, "architecture", None), "unmasked", "")
    if unmasked and rule.pairs != "all" and phase != "decode":
        raise ModelError(f"{subject.title}: {unmasked}, so {rule.name} cannot say how many pairs of tokens meet")
    if phase != "generate" and ("new" in sizes or "new" in getattr(subject, "given", ())):
        raise ModelError(f"new, tokens to come after a prompt, is read by the phase generate, not by {phase}")
    if phase == "forward":
        net, values, title, notes, parts = account(subject, **sizes)
        held, terms = bounds(net), forward(net, rule, alone=alone)
    else:
        from symcount.readers.phases import run  # the other phases are made of forward passes

        held, values, title, notes, parts, terms = run(subject, rule, phase, sizes, alone=alone)
    if alone and not terms and rule.beside:
        raise ModelError(f"{rule.name} counts no product of this network; ask for its flops")
    unit, says = ("multiply-add", f"{rule.name}: {rule.says}") if alone else (rule.unit, rule.line)
    return Ledger(unit, terms, values, title, (says, *notes), held, convention=rule.name).where(*parts)


def forward(net: Network, rule: Convention, *, alone: bool = False, step: bool = False,
            elements: Elements | None = None) -> list[Term]:
    """The terms of one forward pass; `alone`: of its products only, each multiply-add counted once.

    `step`: what a cache remembers is not made again. `elements` counts those of an operation, where they are not
    simply all pairs that the convention counts.
    """
    elements, roles = elements or counted(rule), dict(products(net, step=step))
    paths = {x.path for x in roles}
    terms = list(_weighed(net, rule, 1 if alone else rule.multiply_add, elements)) if rule.weights else []
    for x in walk(net, step=step):
        if x.verb == "contract":
            if not (rule.weights and roles[x][0] == "weight"):
                terms += product(x, roles[x], rule, 1 if alone else rule.multiply_add, elements)
        elif rule.rates and not alone:
            terms += _rated(x, paths, rule, elements)
    for term in rule.beside(net) if rule.beside and not alone else ():
        terms.append(Term(term.path, elements(dict(enumerate(term.factors)), None), term.scopes, term.kinds))
    return together(terms)


def product(x: Tensor, kinds: tuple[str, ...], rule: Convention, factor: Any, elements: Elements) -> list[Term]:
    """The term of one contraction, or none where the convention leaves it out."""
    return _term(x.path, kinds, factor, dict(x.details["all"]), x, rule, elements)


def counted(rule: Convention) -> Elements:
    """The sizes of all axes, of s·t pairs those that the convention counts."""
    def sizes(axes: dict[str, Size], mask: Mask | None) -> tuple[Size, ...]:
        if rule.pairs == "all" or mask is None or not {"s", "t"} <= axes.keys():
            return tuple(axes.values())
        s, t = axes["s"], axes["t"]
        others = tuple(size for axis, size in axes.items() if axis not in ("s", "t"))
        if rule.pairs == "masked":
            return (*others, pairs(mask, s, t))
        if rule.pairs == "window":
            return (*others, s, t if mask.window is None else least(t, mask.window))
        return (*others, s, t * rule.pairs if mask.causal else t)
    return sizes


def together(terms: Iterable[Term]) -> list[Term]:
    """Terms of which each path has one: elementwise operations of one path, as two sums of a block, are added up."""
    found: dict[Any, list[Term]] = {}
    for i, term in enumerate(terms):
        found.setdefault(term.path if "elementwise" in term.kinds else i, []).append(term)
    joined = []
    for several in found.values():
        first = several[0]
        alike = all(list(map(str, term.factors)) == list(map(str, first.factors)) for term in several)
        factors = (len(several), *first.factors) if alike else (added(prod(term.factors) for term in several),)
        joined.append(first if len(several) == 1 else Term(first.path, factors, first.scopes, first.kinds))
    return joined


def _term(path: str, kinds: tuple[str, ...], factor: Any, axes: dict[str, Size], x: Tensor, rule: Convention,
          elements: Elements) -> list[Term]:
    factor, axes = _otherwise(path, kinds, factor, axes, rule)
    if isinstance(factor, int) and factor == 0:
        return []
    sizes = elements(axes, mask_of(x))
    scopes = () if rule.runs == "once" else repeats(x.scope)
    return [Term(path, sizes if is_one(factor) else (factor, *sizes), scopes, kinds)]


def _otherwise(path: str, kinds: tuple[str, ...], factor: Any, axes: dict[str, Size],
               rule: Convention) -> tuple[Any, dict[str, Size]]:
    """The factor and the axes by which the convention counts something."""
    for key, how in rule.counts.items():
        if _meant(key, path, kinds):
            if isinstance(how, dict):
                axes = {**axes, **{axis: size for axis, size in how.items() if axis in axes}}
            else:
                factor = factor * how
    return factor, axes


def _meant(key: str, path: str, kinds: tuple[str, ...]) -> bool:
    """Whether a key of a convention means a term: a kind, as attention, means no path that has a part of its name."""
    return key in kinds or (key not in KINDS and key not in ROLES and matches(path, key))


def _rated(x: Tensor, paths: set[str], rule: Convention, elements: Elements) -> list[Term]:
    """The term of an operation element by element: it has all axes of what it reads."""
    name = operation(x)
    usual = (rule.rates.get("activation", _unrated(name, rule)) if activates(name) else
             rule.rates.get("bias", 0) if name in ("kernel bias", "conv1d bias") else 0)
    rate = rule.rates.get(name, usual)
    if rate is None:
        raise ModelError(f"{x.path}: what {rule.name} counts for {name} is not written")
    if not rate:
        return []
    axes = {axis: size for y in x.inputs for axis, size in y.axes.items()} if x.verb == "pointwise" else {}
    path = f"{x.path}.{name.replace(' ', '_')}" if x.path in paths else x.path  # a bias is named as its product
    axes |= x.axes
    paired = ("attention",) if {"s", "t"} <= axes.keys() else ()
    return _term(path, ("elementwise", name, *paired), rate, axes, x, rule, elements)


def _unrated(name: str, rule: Convention) -> int | None:
    """What an activation without a rate counts: nothing, but of those that no tool was measured with, nobody knows."""
    return 0 if name in COMMON or not any(map(activates, rule.rates)) else None


def _weighed(net: Network, rule: Convention, each: int, elements: Elements) -> Iterable[Term]:
    """Each parameter, as often as there are tokens."""
    inputs = [x for x in walk(net) if x.verb == "input"]
    read = next((x for x in inputs if "s" in x.axes), None)
    if read is None or any("s" not in x.axes or not same(x.axes["s"], read.axes["s"]) for x in inputs):
        raise ModelError(f"{rule.name} counts parameters for every token of one text, and this network reads "
                         + listed(inputs))
    met = chosen_rows(net) if rule.weights == "active" else {}
    for path, (x, *_) in weights(net).items():
        kinds = x.details["kinds"]
        factor, tokens = _otherwise(path, kinds, each, dict(read.axes), rule)
        if x.details["stored"] != "buffer" and not (isinstance(factor, int) and factor == 0):
            yield Term(path, (factor, *elements(tokens, None), *(met.get(path) or x.axes.values())),
                       repeats(x.scope.home if x.scope else None), kinds)
