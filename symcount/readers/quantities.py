"""Quantities by the short names that a command line and a relation use: params, active, buffers, macs, flops."""

from __future__ import annotations

from symcount.conventions import convention as as_named
from symcount.errors import ModelError, clipped, nearest
from symcount.readers.parameters import active_parameters, buffers, parameters
from symcount.readers.work import flops, known_phase, multiply_adds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.ledger import Ledger

# name: (model, convention, phase) -> ledger
QUANTITIES: dict[str, Callable[[Any, str, str], Ledger]] = {
    "params": lambda model, *_: parameters(model),
    "active": lambda model, *_: active_parameters(model),
    "buffers": lambda model, *_: buffers(model),
    "macs": lambda model, convention, _: multiply_adds(model, convention),
    "flops": flops,
}


def read(model: Any, quantity: str, *, convention: str = "matmul", phase: str = "forward") -> Ledger:
    """The ledger of `params`, `active`, `buffers`, `macs` or `flops`, or of a part: `flops@layers.attention.scores`.

    Raises ModelError for another name, and for a convention or phase that is not known, also where it changes nothing.
    """
    name, at, part = quantity.partition("@")
    if name not in QUANTITIES or (at and not part):
        raise ModelError(f"unknown quantity '{clipped(quantity)}'; {nearest(name, list(QUANTITIES))}")
    as_named(convention)
    known_phase(phase)
    ledger = QUANTITIES[name](model, convention, phase)
    return ledger.where(part) if part else ledger
