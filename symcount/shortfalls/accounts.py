"""What a formula may be a count of: what is asked for, or what some authors count under the same name.

Source: with each account.
"""

from __future__ import annotations

from collections import namedtuple
from contextlib import suppress
from functools import lru_cache, partial

from symcount.conventions import convention as rule_of
from symcount.errors import ModelError, SymcountError, nearest
from symcount.ledger import Ledger
from symcount.readers.parameters import buffers, parameters
from symcount.readers.quantities import read
from symcount.shortfalls.parts import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

# quantity, convention, phase: as `readers.quantities.read` takes them; unit: in which the author counts (FLOP,
# multiply-add, byte, element), share: "token", "layer" or "token layer" where it is for one of these, "" for all, both
# None where the author says nothing of it; kind: of which kind of terms alone, as "norm", "trainable" for what is not
# frozen, "" for all; without: what is left out, by the names of `parts.RULES`
Asked = namedtuple("Asked", "quantity convention phase unit share kind without",
                   defaults=(None, None, None, None, "", ()))

# ledger: what is counted; says: what is unusual about it, "" for what is asked; source: whose convention that is;
# alone: whether no other may stand beside it: a head may happen to be as large as what is left out elsewhere
Account = namedtuple("Account", "ledger says source alone", defaults=("", "", False))

_MEGATRON = "Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters, equation 3"
# (phase, what more than a training step, source) of what may be meant where no phase, or only training, is named
_STEPS = (("train", "", _MEGATRON), ("recompute", ", with the forward pass of the layers once more", _MEGATRON),
          ("selective", ", with attention's products once more", "Korthikanti et al. 2022, Reducing activation "
           "recomputation in large transformer models, appendix A"))
_TRAINED = "trainable"
# Conventions of work whose authors print formulas; the first that a formula is, is named
PAPERS = ("causal", "kaplan", "palm", "folk", "chinchilla")


@lru_cache(maxsize=32)  # a text says much of few models
def account(model: Any, asked: Asked) -> Account:
    """What is asked for.

    ModelError for a quantity, part, kind, convention or phase that there is not.
    """
    ledger = _ledger(model, asked)
    if asked.kind == _TRAINED and ledger.unit == "parameter":
        ledger = _trained(ledger)
    elif asked.kind:
        kinds = {kind for term in ledger.terms for kind in term.kinds}
        if asked.kind not in kinds:
            raise ModelError(f"{ledger.subject} has no terms of the kind '{asked.kind}'; {nearest(asked.kind, kinds)}")
        ledger = ledger.of([term for term in ledger.terms if asked.kind in term.kinds])
    return Account(_reduced(ledger, asked.without))


def granted(asked: Asked, ledger: Ledger) -> str:
    """What is not said of a count and authors take for granted, "" where there is nothing of the kind.

    How many bytes a number has; and whether full recomputation runs the logits once more.
    """
    name = asked.quantity.partition("@")[0]
    if ledger.unit == "byte" and not asked.convention and asked.unit is None:
        said: str = "; ".join(ledger.notes[:2] if name == "activations" else ledger.notes[:1])
        return said
    return "runs the layers once more, and not the logits" if (name, asked.phase) == ("flops", "recompute") else ""


@lru_cache(maxsize=32)
def others(model: Any, asked: Asked) -> tuple[Account, ...]:
    """What some authors count under the same name, where the model has it and nothing was said against it."""
    return tuple(_others(model, asked))


def _others(model: Any, asked: Asked) -> Iterator[Account]:
    name, at, part = asked.quantity.partition("@")
    counts: list[tuple[Callable[[], Ledger], str, str, bool]] = []
    if name in ("params", "active"):
        other, says = (("active", "counts the parameters that one token meets") if name == "params" else
                       ("params", "counts all experts, not only those that one token meets"))
        counts.append((lambda: _routed(read(model, other + at + part)), says,
                       "Jiang et al. 2024, Mixtral of experts, section 2.1: total and active", False))
    if name == "params" and model.given.get("lora"):
        counts.append((lambda: _trained(_ledger(model, asked)), "counts what is trained alone",
                       "Hu et al. 2021, LoRA, section 4.2", False))
    if name == "params" and not part:
        counts += [(partial(parameters, model.replace(head=cls)), f"counts {cls}", "the classes of transformers", True)
                   for cls in model.architecture.classes if cls != model.cls]
        counts += _biases(model)
        counts.append((lambda: _with_statistics(model), "counts the running statistics of batch norms too",
                       "keras.Model.summary: parameters that are not trained", True))
    if name == "flops" and not asked.convention:
        counts += [(partial(_ledger, model, asked._replace(convention=paper)),
                    f"counts as {paper} does: {rule_of(paper).says}", rule_of(paper).source, True) for paper in PAPERS]
    if name == "flops":
        counts += [(partial(_ledger, model, asked._replace(phase=phase)), f"counts a training step{more}", source,
                    False) for phase, more, source in _STEPS if asked.phase in (None, "train") and asked.phase != phase]
        if asked.phase == "recompute":
            counts.append((lambda: _all_again(model, asked), "runs all of the forward pass once more, the logits too",
                           _STEPS[1][2], False))
    if name == "activations" and asked.phase in (None, "train"):
        counts += [(partial(_ledger, model, asked._replace(phase=phase)), f"keeps what {how} leaves to keep",
                    "Korthikanti et al. 2022, Reducing activation recomputation in large transformer models, table 2",
                    False) for phase, how in (("selective", "selective recomputation"), ("flash", "FlashAttention"),
                                              ("recompute", "full recomputation"))]
    for count, says, source, alone in () if asked.kind else counts:
        with suppress(SymcountError):  # a convention of models of text, for another; a class without this part
            yield Account(_reduced(count(), asked.without), says, source, alone)


def _ledger(model: Any, asked: Asked) -> Ledger:
    return read(model, asked.quantity, convention=asked.convention, phase=asked.phase)


def _reduced(ledger: Ledger, without: Sequence[str]) -> Ledger:
    """The count without what these rules name; ModelError where it has nothing of the kind."""
    for says in without:
        rule = next(one for one in RULES if one.says == says)
        gone = {term.path for term in rule.of(ledger.terms)} if not rule.units or ledger.unit in rule.units else set()
        if not gone:
            raise ModelError(f"{ledger.subject or 'the count'} has not {says}")
        ledger = ledger.of([term for term in ledger.terms if term.path not in gone])
    return ledger


def _trained(ledger: Ledger) -> Ledger:
    """What is not frozen."""
    return ledger.of([term for term in ledger.terms if "frozen" not in term.kinds])


def _all_again(model: Any, asked: Asked) -> Ledger:
    """A training step, and one forward pass more."""
    step, again = (_ledger(model, asked._replace(phase=phase)) for phase in ("train", "forward"))
    return step.of([*step.terms, *(term.under("recomputed") for term in again.terms)])


def _routed(ledger: Ledger) -> Ledger:
    """The count, of a model with experts; ModelError for another, of which it is nothing else."""
    if not {"E", "K"} & {*ledger.letters}:
        raise ModelError(f"{ledger.subject} has no experts")
    return ledger


def _biases(model: Any) -> list[tuple[Callable[[], Ledger], str, str, bool]]:
    """A recurrent layer with one bias vector for each gate, or with two."""
    flags = model.architecture.flags
    if "biases" not in flags:
        return []
    one = model.given.get("biases", flags["biases"]) == "two"
    says = "one bias vector for each gate, as Keras has it" if one else "two bias vectors for each gate, as in PyTorch"
    return [(lambda: parameters(model.replace(biases="one" if one else "two")), f"counts {says}",
             "keras.layers.LSTM, torch.nn.LSTM", True)]


def _with_statistics(model: Any) -> Ledger:
    """The parameters, and the running mean and variance of batch norms; ModelError where there are none."""
    ledger = parameters(model)
    running = [term for term in buffers(model).terms if term.path.rpartition(".")[2] in ("running_mean", "running_var")]
    if not running:
        raise ModelError(f"{model.name} has no batch norm")
    return Ledger(ledger.unit, (*ledger.terms, *running), ledger.values, ledger.subject, ledger.notes, ledger.bounds)
