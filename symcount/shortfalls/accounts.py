"""What a formula may be a count of: what is asked for, or what some authors count under the same name.

Source: with each account.
"""

from __future__ import annotations

from collections import namedtuple
from contextlib import suppress
from functools import partial

from symcount.conventions import convention as rule_of
from symcount.errors import ModelError, SymcountError, nearest
from symcount.ledger import Ledger
from symcount.readers.parameters import buffers, parameters
from symcount.readers.quantities import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# quantity, convention, phase: as `readers.quantities.read` takes them; unit: in which the author counts (FLOP,
# multiply-add, byte, element), share: "token", "layer" or "token layer" where it is for one of these, "" for all, both
# None where the author says nothing of it; kind: of which kind of terms alone, "" for all
Asked = namedtuple("Asked", "quantity convention phase unit share kind", defaults=(None, None, None, None, ""))

# ledger: what is counted; says: what is unusual about it, "" for what is asked; source: whose convention that is;
# alone: whether no other may stand beside it: a head may happen to be as large as what is left out elsewhere
Account = namedtuple("Account", "ledger says source alone", defaults=("", "", False))

# Conventions of work whose authors print formulas; the first that a formula is, is named
PAPERS = ("causal", "kaplan", "palm", "folk", "chinchilla")


def account(model: Any, asked: Asked) -> Account:
    """What is asked for.

    ModelError for a quantity, part, kind, convention or phase that there is not.
    """
    ledger = _ledger(model, asked)
    if asked.kind:
        kinds = {kind for term in ledger.terms for kind in term.kinds}
        if asked.kind not in kinds:
            raise ModelError(f"{ledger.subject} has no terms of the kind '{asked.kind}'; {nearest(asked.kind, kinds)}")
        ledger = ledger.of([term for term in ledger.terms if asked.kind in term.kinds])
    return Account(ledger)


def others(model: Any, asked: Asked) -> Iterator[Account]:
    """What some authors count under the same name, where the model has it and nothing was said against it."""
    name, at, part = asked.quantity.partition("@")
    counts: list[tuple[Callable[[], Ledger], str, str, bool]] = []
    if name in ("params", "active"):
        other, says = (("active", "counts the parameters that one token meets") if name == "params" else
                       ("params", "counts all experts, not only those that one token meets"))
        counts.append((lambda: _routed(read(model, other + at + part)), says,
                       "Jiang et al. 2024, Mixtral of experts, section 2.1: total and active", False))
    if name == "params" and not part:
        counts += [(partial(parameters, model.replace(head=cls)), f"counts {cls}", "the classes of transformers", True)
                   for cls in model.architecture.classes if cls != model.cls]
        counts += _biases(model)
        counts.append((lambda: _with_statistics(model), "counts the running statistics of batch norms too",
                       "keras.Model.summary: parameters that are not trained", True))
    if name == "flops" and not asked.convention:
        counts += [(partial(_ledger, model, asked._replace(convention=paper)),
                    f"counts as {paper} does: {rule_of(paper).says}", rule_of(paper).source, False) for paper in PAPERS]
    if name == "flops" and not asked.phase:
        counts += [(partial(_ledger, model, asked._replace(phase=phase)), f"counts a training step{more}",
                    "Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters, equation 3",
                    False)
                   for phase, more in (("train", ""), ("recompute", ", with the forward pass of the layers once more"))]
    for count, says, source, alone in () if asked.kind else counts:
        with suppress(SymcountError):  # a convention of models of text, for another; a class without this part
            yield Account(count(), says, source, alone)


def _ledger(model: Any, asked: Asked) -> Ledger:
    return read(model, asked.quantity, convention=asked.convention, phase=asked.phase)


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
