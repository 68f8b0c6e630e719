"""Phases: one more token, a backward pass, a training step with or without recomputation, generation of a text.

    decode     the forward pass of s = 1 (or s) of t tokens; what caches hold of the others is not made again; latent
               attention is absorbed unless the model says mla=expanded or heads
    backward   one product of the same size for each operand of a product that needs a gradient
    train      forward and backward
    recompute  train, and the forward pass of every repeated part once more, from its input
    selective  train, and attention's two products, with what is rated between them, once more
    flash      train, and attention's scores once more, as FlashAttention's backward pass makes them again
    generate   forward for s tokens, then decode for each of new - 1 others: token i attends to s + i

Source: Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models", sections 4 and 5;
Dao et al. 2022, "FlashAttention", algorithm 4; backward: Rumelhart et al. 1986: of y = xW the gradients dy·Wᵀ, xᵀ·dy.
"""

from __future__ import annotations

from symcount.conventions import Convention
from symcount.errors import ModelError
from symcount.ledger import Term
from symcount.masks import Mask, pairs, within_window
from symcount.network import walk
from symcount.polynomials import Condition, letter
from symcount.readers import account, bounds, trained
from symcount.readers.distinct import nowhere
from symcount.readers.gradients import read, with_gradient
from symcount.readers.roles import products
from symcount.readers.work import PHASES, counted, forward, product
from symcount.sizes import is_one, letters, same
from symcount.substitution import substitute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size
    from symcount.readers import Network
    from symcount.readers.work import Elements
    from symcount.scopes import Scope
    from symcount.tensors import Tensor

    # conditions, values, title, notes, parts and terms
    Run = tuple[tuple[Condition, ...], dict[str, int], str, tuple[str, ...], tuple[str, ...], list[Term]]


def run(subject: Any, rule: Convention, phase: str, sizes: dict[str, Any], *, alone: bool) -> Run:
    """Conditions, values, title, notes, parts and terms of a phase that is not one forward pass."""
    if phase in ("decode", "generate"):
        return (_decode if phase == "decode" else _generate)(subject, rule, sizes, alone=alone)
    if rule.backward == "operands":
        trained(subject, "a backward pass")
    net, values, title, notes, parts = account(subject, **sizes)
    ahead = forward(net, rule, alone=alone)
    back = backward(net, rule, ahead, alone=alone)
    if phase == "backward":
        return bounds(net), values, title, (f"{phase}: {PHASES[phase]}", *notes), parts, back
    again = [] if phase == "train" else [term for term in ahead if _again(term, phase)]
    terms = [term.under(name) for name, those in (("forward", ahead), ("recomputed", again), ("backward", back))
             for term in those]
    return bounds(net), values, title, (f"{phase}: {PHASES[phase]}", *notes), parts, terms


def backward(net: Network, rule: Convention, ahead: list[Term], *, alone: bool = False) -> list[Term]:
    """The terms of a backward pass, as the convention has it: so often the forward pass, or one for each operand.

    Operand by operand, only those that need a gradient count: weights that are trained, and what was made from one.
    What is rated element by element is not counted then, as no two implementations agree on it.
    """
    if rule.backward is None:
        raise ModelError(f"{rule.name} has no rule for a backward pass")
    if rule.backward != "operands":
        return [Term(term.path, (rule.backward, *term.factors), term.scopes, term.kinds) for term in ahead]
    ops = walk(net)
    if solved := [x for x in ops if x.details.get("kind") == "solve"]:
        raise ModelError(f"{solved[0].path}: the gradient of a triangular system is a product that is not written; "
                         "count a forward pass")
    later, first = with_gradient(ops), with_gradient(ops, {x.scope for x in ops if x.verb == "enter"})
    runs = _Runs(ops)
    terms = []
    for x, kinds in products(net):
        always = sum(y in first for y in x.inputs)
        mostly = sum(y in later for y in x.inputs)
        factor = 1 if alone else rule.multiply_add
        if mostly and x in later:  # else nothing reads it
            made = product(x, kinds, rule, factor, counted(rule))
            terms += [_fewer(term, x, always, mostly, runs) for term in made]
    return terms


class _Runs:
    """In which runs of the scopes around it an operation has fewer gradients: in the first of one, in the last."""

    def __init__(self, ops: list[Tensor]) -> None:
        self.ops = ops
        self.first: dict[Scope, set[Tensor]] = {}
        self.last: dict[Scope, set[Tensor]] = {}

    def unlike(self, x: Tensor, always: int, mostly: int) -> tuple[list[int], list[int]]:
        """The scopes in whose first run only `always` operands have a gradient, and in whose last nothing reads it."""
        fewer, unread = [], []
        for i, scope in enumerate(x.scope.chain() if x.scope else ()):
            if is_one(scope.runs):
                continue
            if scope not in self.last:  # each looks at the whole network, and once is enough
                self.first[scope], self.last[scope] = with_gradient(self.ops, {scope}), read(self.ops, {scope})
            fewer += [i] if always != mostly and sum(y in self.first[scope] for y in x.inputs) == always else []
            unread += [i] if x not in self.last[scope] else []
        return fewer, unread


def _fewer(term: Term, x: Tensor, always: int, mostly: int, runs: _Runs) -> Term:
    """The term for `mostly` operands, of which `always` count in the first run of a scope, and none in an unread last.

    Raises ModelError where more than one run is unlike the others.
    """
    fewer, unread = runs.unlike(x, always, mostly)
    if nowhere(x.scope) or (always == mostly and not unread):
        return Term(term.path, (mostly, *term.factors), term.scopes, term.kinds)
    if len(fewer) + len(unread) != 1:
        raise ModelError(f"{x.path}: in the first or last runs of several repeated scopes other gradients are needed "
                         "than in between; that is counted where it is so in one run of one of them")
    i, = fewer or unread
    path, n = term.scopes[i]
    scopes = (*term.scopes[:i], (path, 1), *term.scopes[i + 1:])
    gone = mostly - always if fewer else mostly
    return Term(term.path, (n * mostly - gone, *term.factors), scopes, term.kinds)


def _decode(model: Any, rule: Convention, sizes: dict[str, Any], *, alone: bool) -> Run:
    net, values, title, notes, parts = decoding(model, sizes)
    terms = forward(net, rule, alone=alone, step=True, elements=_remembered(rule))
    return bounds(net, step=True), values, title, notes, parts, terms


def decoding(model: Any, sizes: dict[str, Any]) -> tuple[Network, dict[str, int], str, tuple[str, ...],
                                                         tuple[str, ...]]:
    """The `account` of a decode step: of one token after t - 1 others, unless told otherwise.

    Raises ModelError for a model that does not go on from what it remembers, and for one with states: how a state takes
    one more token in is another computation than that of a text, and is not written.
    """
    from symcount.readers.cache import kv_cache  # only a step asks what is remembered

    _chooses(model, "decode")
    model, tokens = model.replace(**sizes) if sizes else model, tokens_of(model)
    model = absorbed(model.replace(**{name: size for name, size in ((tokens, 1), ("t", "t"))
                                       if name not in model.given}))
    kv_cache(model.whole())  # refuses a model that remembers nothing
    account(model, ("new",))
    net = _stepping(model, tokens)
    for x in walk(net, step=True):
        if x.verb == "input" and "b" in x.axes and "s" not in x.axes and not x.axes.keys() <= {"b", "m"}:
            raise ModelError(f"{model.title}: a step of text would read {x.name} [{' '.join(x.axes)}] again, which is "
                             "another input; count a forward pass")
        if x.verb == "cached" and x.details["kept"] is not None:
            raise ModelError(f"{model.title}: {x.path} is a state: what one more token costs it is not written; "
                             "count a forward pass of s tokens")
    return net, model.values, model.title, ("decoding with a cache", *model.conventions), model.parts


def _chooses(subject: Any, phase: str) -> None:
    """Raise ModelError for a network of tensors, whose sizes are chosen already."""
    if not hasattr(subject, "network"):
        raise ModelError(f"{phase} needs a model, whose sizes s and t it can choose")


def absorbed(model: Any) -> Any:
    """Latent attention at a step as it is run: queries go into the latents, unless the model was told a form."""
    return model.replace(mla="absorbed") if "mla" in model.architecture.flags and "mla" not in model.given else model


def _stepping(model: Any, tokens: str) -> Any:
    """The network over letters, but for one token, which is written as 1."""
    return model.network(lambda name: 1 if name == tokens and model.values.get(tokens) == 1 else letter(name))


def tokens_of(model: Any) -> str:
    """The letter of the tokens that a step processes: s, or u where a decoder has its own."""
    follows: str = model.architecture.follows.get("t", "s")
    return follows


def _remembered(rule: Convention) -> Elements:
    """All pairs of what a cache holds: of a window, no more than its tokens, whatever else a convention counts."""
    masked = counted(rule)

    def sizes(axes: dict[str, Size], mask: Mask | None) -> tuple[Size, ...]:
        if rule.pairs == "masked" or mask is None or not {"s", "t"} <= axes.keys():
            return masked(axes, mask)
        return tuple(within_window(size, mask.window, axes["s"]) if axis == "t" and mask.window is not None else size
                     for axis, size in axes.items())
    return sizes


def _generate(model: Any, rule: Convention, sizes: dict[str, Any], *, alone: bool) -> Run:
    """The prompt at once; then every token but the last is read, one by one."""
    _chooses(model, "generate")
    model, tokens = model.replace(**sizes) if sizes else model, tokens_of(model)
    if "t" in model.given:
        raise ModelError("generate: t follows the prompt; say s (tokens of the prompt) and new (tokens to come)")
    model = model.replace(**{name: of for name, of in ((tokens, 1), ("new", "new"))
                             if name not in model.given and not (name == tokens == "s")})
    prompt = 1 if model.values.get(tokens) == 1 else letter(tokens)
    steps = letter("new") - 1
    last = {"t": prompt + steps}

    def summed(axes: dict[str, Size], mask: Mask | None) -> tuple[Size, ...]:
        """How many elements all steps have together: where t tokens are met, what a causal mask leaves of them."""
        met = [axis for axis, size in axes.items() if "t" in letters(size)]
        if not met:
            return (steps, *axes.values())
        if len(met) > 1 or not same(axes[met[0]], letter("t")):
            raise ModelError(f"generate: {' × '.join(str(axes[axis]) for axis in met)} has no sum over t that is "
                             "written; count a decode step at each t")
        seen = Mask(causal=True, window=mask.window if mask and {"s", "t"} <= axes.keys() else None)
        window = None if seen.window is None or same(seen.window, letter("t")) else seen.window
        return (*(size for axis, size in axes.items() if axis != met[0]),
                pairs(Mask(causal=True, window=window), steps, last["t"]))

    net, values, title, notes, parts = account(model, ("new",))
    step, *_ = decoding(model, {tokens: 1, "t": "t"})
    terms = [*(term.under("prompt") for term in forward(net, rule, alone=alone)),
             *(term.under("steps") for term in forward(step, rule, alone=alone, step=True, elements=summed))]
    held = [Condition(*(side if isinstance(side, str) else substitute(side, lambda name: last.get(name, letter(name)))
                        for side in c)) for c in bounds(step, step=True)]
    return ((*bounds(net), *held), values, title,
            ("a prompt, then new tokens with a cache, of which the last is not read", *notes), parts, terms)


def _again(term: Term, phase: str) -> bool:
    """Whether recomputation runs it once more: all of a repeated part, attention, or its scores."""
    if phase == "recompute":
        return any(not is_one(runs) for _, runs in term.scopes)
    return {"selective": "attention", "flash": "scores"}[phase] in term.kinds
