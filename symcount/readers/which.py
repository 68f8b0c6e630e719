"""Which N: what authors call the number of parameters of a model differs, and their closed forms hold for one of them.

Source: Kaplan et al. 2020, section 2.1 (no embeddings); Chowdhery et al. 2022, appendix B (all); nanoGPT, model.py,
`get_num_params` (no positions); Jiang et al. 2024, "Mixtral of experts", section 2.1 (active).
"""

from __future__ import annotations

from collections import namedtuple

from symcount.ledger import Ledger
from symcount.network import weights
from symcount.readers import account, chosen, origin
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.roles import products

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.tensors import Tensor

# says: which parameters, in words; count(model): their ledger
Which = namedtuple("Which", "says count")


def multiplied(subject: Any, *leaving: str) -> Ledger:
    """The weights that products are taken with, each once, of experts only those chosen; `leaving` out some products.

    A table that is only looked up, biases and norms are not among them; a table that makes the logits too is.

    >>> from symcount.naming import model
    >>> multiplied(model("llama-7b")).total, multiplied(model("llama-7b"), "logits").total
    (6607077376, 6476005376)
    """
    met = {_table(y) for x, kinds in products(account(subject)[0]) if not {*leaving} & {*kinds} for y in x.inputs}
    without = f", without {' and '.join(leaving)}" if leaving else ""
    return _those(active_parameters(subject), met, f"the weights that products are taken with{without}")


def placeless(subject: Any) -> Ledger:
    """All parameters but the tables of positions.

    >>> from symcount.naming import model
    >>> placeless(model("gpt2"))
    <gpt2 (GPT2LMHeadModel): 123,653,376 parameters>
    """
    ledger = parameters(subject)
    tables = {path for path, (x, *_) in weights(account(subject)[0]).items()
              if "embedding" in x.details["kinds"] and "P" in x.axes}
    return _those(ledger, {term.path for term in ledger.terms} - tables, "without tables of positions")


MATMUL = Which("weights that products are taken with", multiplied)
LAYERS = Which("weights that products are taken with, but for the logits", lambda one: multiplied(one, "logits"))
ALL = Which("all parameters", parameters)
ACTIVE = Which("all parameters that a token meets", active_parameters)
PLACELESS = Which("all parameters but positions", placeless)
NO_TABLES = Which("all parameters but embeddings", lambda one: parameters(one).without("embedding"))


def _table(x: Tensor) -> str:
    """The path of the weight that an operand is, or chosen rows of; "" where it is none."""
    x = origin(x)
    while chosen(x):
        x = origin(x.inputs[1])
    return x.path if x.verb == "weight" else ""


def _those(ledger: Ledger, paths: set[str], note: str) -> Ledger:
    return Ledger(ledger.unit, [term for term in ledger.terms if term.path in paths], ledger.values, ledger.subject,
                  (*ledger.notes, note), ledger.bounds)
