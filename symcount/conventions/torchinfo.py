"""torchinfo's "mult-adds": the parameters of every module times the batch, whatever the length of the text.

Source: torchinfo 1.8.0, layer_info.py, calculate_macs (issue 226). A module whose class has Conv in its name counts
times its output without the second dimension: for Conv1D of transformers, batch times width.
"""

from __future__ import annotations

from math import prod

from symcount.conventions import Convention
from symcount.conventions._beside import table_of, words
from symcount.ledger import Term
from symcount.network import walk
from symcount.polynomials import added
from symcount.scopes import repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size
    from symcount.readers import Network
    from symcount.tensors import Tensor


def modules(net: Network) -> list[Term]:
    """Each weight and bias as often as its module runs, times the first size of what the module returns.

    That is b, but 1 for a table of positions and b·s for a router. Experts are parameters of no module that runs.
    A tied table is one of the output matrix too.
    """
    (b, *rest), *_ = words(net)
    wide, terms = widths(net), []
    for x in walk(net):
        if x.verb == "weight" and x.details["stored"] != "buffer" and x.name.rpartition(".")[2] in ("weight", "bias"):
            first = wide.get(x.path.rpartition(".")[0], 1)
            times = (() if "P" in x.axes else (b,) if "E" not in x.axes else (b, *rest) if routes(x) else (0,))
            terms.append(Term(x.path, (*times, first, *x.axes.values()), repeats(x.scope), x.details["kinds"]))
        elif x.verb == "contract" and (table := table_of(x)) is not None:
            terms.append(Term(f"{x.path}.tied", (b, *table.axes.values()), repeats(x.scope), table.details["kinds"]))
    return terms


def routes(x: Tensor) -> bool:
    """Whether this weight, which has an axis of experts, is one of their router."""
    return list(x.axes) == ["E"] or x.details["out"] == ("E",)


def widths(net: Network) -> dict[str, Size]:
    """{path of a Conv1D: how wide its output is}: maps of one input, as query, key and value, are one module."""
    groups: dict[int, list[Tensor]] = {}
    for x in walk(net):
        if x.verb == "contract" and any("conv1d" in y.details["kinds"] for y in x.inputs if y.verb == "weight"):
            groups.setdefault(x.inputs[0].serial, []).append(x)
    found = {}
    for maps in groups.values():
        wide = added(prod(y.axes[axis] for axis in y.details["out"]) for x in maps for y in x.inputs
                     if y.verb == "weight")
        found.update({x.path: wide for x in maps})
    return found


CONVENTION = Convention(
    "torchinfo",
    unit="multiply-add",
    multiply_add=1,
    counts={"weight": 0, "activation": 0},
    beside=modules,
    says="parameters of modules times the batch, tables too, whatever s; a Conv1D times its width",
    leaves="no product is counted and s is left out, as only the first size of an output is multiplied with a "
           "weight; experts are no modules; a class that joins batch and tokens before a module, as OPT does, has "
           "more than is counted here",
    source="torchinfo 1.8.0, summary(...).total_mult_adds; measured 2026-11 on LLaMA, Gemma, BERT, ALBERT, GPT-2 and "
           "Mixtral",
    backward=None,
)
