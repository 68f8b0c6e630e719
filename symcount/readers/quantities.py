"""Quantities by the short names that a command line and a relation use: params, flops, memory, kv and others."""

from __future__ import annotations

from symcount.errors import ModelError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.ledger import Ledger

# name: the module and the function that read it, the convention it is read under unless told otherwise (None: it takes
# none; "": it chooses), its phase (likewise)
QUANTITIES = {
    "params": ("parameters", "parameters", None, None),
    "active": ("parameters", "active_parameters", None, None),
    "buffers": ("parameters", "buffers", None, None),
    "macs": ("work", "multiply_adds", "matmul", "forward"),
    "flops": ("work", "flops", "matmul", "forward"),
    "memory": ("memory", "memory", "", ""),
    "kv": ("memory", "cache_bytes", "bf16", None),
    "activations": ("memory", "activation_bytes", "bf16", "train"),
    "traffic": ("traffic", "traffic", None, "forward"),
}


def read(model: Any, quantity: str, *, convention: str | None = None, phase: str | None = None) -> Ledger:
    """The ledger of a quantity, or of a part: `flops@layers.attention.scores`.

    Raises ModelError for another name, for a convention or phase where the quantity has none, and for a size of the run
    that it does not read.
    """
    name, at, part = quantity.partition("@")
    if name not in QUANTITIES or (at and not part):
        raise ModelError(f"unknown quantity '{clipped(quantity)}'; {nearest(name, list(QUANTITIES))}")
    module, function, usual, first = QUANTITIES[name]
    for option, told, default in (("convention", convention, usual), ("phase", phase, first)):
        if told is not None and default is None:
            raise ModelError(f"{name} takes no {option}")
    options: dict[str, Any] = {}
    if usual is not None:
        options["convention" if module == "work" else "storage"] = convention or usual
    if first is not None:
        options["phase"] = phase or first or None
    ledger = _function(module, function)(model, **options)
    return ledger.where(part) if part else ledger


def fitting(quantities: list[str], convention: str | None, phase: str | None) -> dict[str, dict[str, str]]:
    """{quantity: its options} where a convention and a phase were named for all of them.

    Each goes to the quantities that take it: a convention of work to flops, a storage to memory. ModelError where one
    goes to none.
    """
    found: dict[str, dict[str, str]] = {quantity: {} for quantity in quantities}
    for quantity, options in found.items():
        module, _, usual, first = QUANTITIES.get(quantity.partition("@")[0], ("", "", None, None))
        if convention and usual is not None and convention in _named(module):
            options["convention"] = convention
        if phase and first is not None and phase in _phases(module):
            options["phase"] = phase
    for option, told, among in (("convention", convention, _named), ("phase", phase, _phases)):
        if told and not any(option in options for options in found.values()):
            modules = {QUANTITIES[name][0] for name in (each.partition("@")[0] for each in found) if name in QUANTITIES
                       and QUANTITIES[name][2 if option == "convention" else 3] is not None}
            if not modules:
                raise ModelError(f"{', '.join(found)} takes no --{option}")
            known = sorted({name for module in modules for name in among(module)})
            if option == "convention" and told in {*_named("work"), *_named("memory")}:
                raise ModelError(f"{told} is a convention for {'work' if told in _named('work') else 'memory'}, and "
                                 f"{', '.join(found)} takes one for {'memory' if told in _named('work') else 'work'}")
            raise ModelError(f"unknown {option} '{clipped(told)}'; {nearest(told, known)}")
    return found


def _named(module: str) -> list[str]:
    """The conventions that the readers of a module take."""
    if module == "work":
        from symcount.conventions import names
    else:
        from symcount.storage import names
    return names()


def _phases(module: str) -> list[str]:
    from importlib import import_module

    return list(import_module(f"symcount.readers.{module}").PHASES)


def _function(module: str, name: str) -> Callable[..., Ledger]:
    from importlib import import_module  # a count of parameters does not pay for the readers that it does not use

    found: Callable[..., Ledger] = getattr(import_module(f"symcount.readers.{module}"), name)
    return found
