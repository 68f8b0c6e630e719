"""N in a formula of work or of bytes: a number of parameters, of which authors mean one or another.

Source: Kaplan et al. 2020, section 2.1, and `readers.which`, with each.
"""

from __future__ import annotations

from contextlib import suppress

from symcount.errors import SymcountError
from symcount.polynomials import added, bare, letter, lift, quotient
from symcount.readers.which import ACTIVE, ALL, LAYERS, MATMUL, NO_TABLES, PLACELESS
from symcount.shortfalls.readings import substituted
from symcount.sizes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.ledger import Ledger
    from symcount.polynomials import Size
    from symcount.shortfalls.accounts import Asked

# What N may be; the first that makes a formula true is named
WHICH = {"multiplied": MATMUL, "all": ALL, "layers": LAYERS, "active": ACTIVE, "no tables": NO_TABLES,
         "no positions": PLACELESS}
_TOKENS = frozenset(("b", "s", "t", "D"))
_RATES = {None: 2, "forward": 2, "backward": 4, "train": 6}  # FLOPs a token for each weight


def counts_parameters(theirs: Size, asked: Asked) -> bool:
    """Whether N in a formula is a number of parameters: of all layers, and with nothing but tokens beside it.

    Who writes N for layers, heads or tokens has widths beside it, or asks for what one layer has; D counts tokens
    beside N alone, and is a width elsewhere. All that training holds is more than so many bytes for each parameter.
    """
    name, _, part = asked.quantity.partition("@")
    if part or "layer" in (asked.share or "") or not (
            name in ("flops", "macs") or (name == "memory" and asked.phase is None)):
        return False
    terms = [dict(powers) for powers, _ in lift(theirs).terms.values()]
    with_n = [powers for powers in terms if "N" in powers]
    return bool(with_n) and not any("D" in powers for powers in terms if powers not in with_n) and all(
        powers.keys() <= {"N", *_TOKENS} and {*powers.values()} == {1} for powers in with_n)


def meanings(model: Any, theirs: Size, which: Sequence[str]) -> Iterator[tuple[str, Size]]:
    """(which parameters N may be, the formula with their number for N), the likeliest first; `which` of them alone.

    D is the tokens of all texts, b·s.
    """
    met: list[Size] = []
    for name in which or WHICH:
        with suppress(SymcountError):  # a model that has no weights of the kind, or no products
            number = bare(WHICH[name].count(model.whole()).size)
            if not any(same(number, one) for one in met):
                met.append(number)
                yield name, substituted([theirs], {"N": number, "D": letter("b") * letter("s")})[0]


def rate(model: Any, asked: Asked, ledger: Ledger) -> str:
    """What products with weights cost, in N; "" where it is no multiple of that."""
    if asked.phase not in _RATES or ledger.unit not in ("FLOP", "multiply-add"):
        return ""
    each = quotient(_RATES[asked.phase], 1 if ledger.unit == "FLOP" else 2)
    with suppress(SymcountError):
        products = added(bare(term.size) for term in ledger.terms if "weight" in term.kinds)
        tokens = [letter(name) for name in ("b", "s") if name in ledger.letters]
        number = lift(bare(MATMUL.count(model.whole()).size))
        for one in tokens:
            number = number * one
        if same(products, number * each):
            return f"products with weights cost {'' if each == 1 else int(each)}N for each token"
    return ""
