"""Quantities by the short names that a command line and a relation use: params, active, macs, flops."""

from __future__ import annotations

from symcount.conventions import convention as as_named
from symcount.errors import ModelError, nearest
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.work import flops, known_phase, multiply_adds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.ledger import Ledger

NAMES = ("params", "active", "macs", "flops")


def read(model: Any, quantity: str, *, convention: str = "matmul", phase: str = "forward") -> Ledger:
    """The ledger of `params`, `active`, `macs` or `flops`, or of a part: `flops@layers.attention.scores`.

    Raises ModelError for another name.
    """
    name, _, part = quantity.partition("@")
    if name not in NAMES:
        raise ModelError(f"unknown quantity '{name}'; {nearest(name, NAMES)}")
    as_named(convention)  # also where it changes nothing: a word that is not understood is refused
    known_phase(phase)
    if name == "params":
        ledger = parameters(model)
    elif name == "active":
        ledger = active_parameters(model)
    elif name == "macs":
        ledger = multiply_adds(model, convention)
    else:
        ledger = flops(model, convention, phase)
    return ledger.where(part) if part else ledger
