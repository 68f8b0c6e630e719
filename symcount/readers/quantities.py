"""Quantities by the short names that a command line and a relation use: params, flops, memory, kv and others."""

from __future__ import annotations

from symcount.errors import ModelError, clipped, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.ledger import Ledger

# name: the module and the function that read it, its option for a convention and that for a phase ("": it has none),
# what it is called
QUANTITIES = {
    "params": ("parameters", "parameters", "", "", "parameters"),
    "active": ("parameters", "active_parameters", "", "", "active parameters"),
    "buffers": ("parameters", "buffers", "", "", "buffers"),
    "macs": ("work", "multiply_adds", "convention", "phase", "multiply-adds"),
    "flops": ("work", "flops", "convention", "phase", "FLOPs"),
    "memory": ("memory", "memory", "storage", "phase", "memory"),
    "kv": ("memory", "cache_bytes", "storage", "", "KV cache"),
    "activations": ("memory", "activation_bytes", "storage", "phase", "activations"),
    "traffic": ("traffic", "traffic", "", "phase", "traffic"),
}


def read(model: Any, quantity: str, *, convention: str | None = None, phase: str | None = None) -> Ledger:
    """The ledger of a quantity, or of a part: `flops@layers.attention.scores`.

    Raises ModelError for another name, for a convention or phase where the quantity has none, and for a size of the run
    that it does not read.
    """
    module, function, options, part = reader(quantity, convention, phase)
    ledger = _function(module, function)(model, **options)
    return ledger.where(part) if part else ledger


def reader(quantity: str, convention: str | None, phase: str | None) -> tuple[str, str, dict[str, str], str]:
    """The module and the function that read a quantity, the options to give it, and the part that is asked for, or "".

    >>> reader("memory@layers", "fp32", None)
    ('memory', 'memory', {'storage': 'fp32'}, 'layers')
    """
    name, at, part = quantity.partition("@")
    if name not in QUANTITIES or (at and not part):
        raise ModelError(f"unknown quantity '{clipped(quantity)}'; {nearest(name, list(QUANTITIES))}")
    module, function, *takes, _ = QUANTITIES[name]
    options: dict[str, str] = {}
    for asked, told, option in zip(("convention", "phase"), (convention, phase), takes, strict=True):
        if told is not None and not option:
            raise ModelError(f"{name} takes no {asked}")
        options |= {option: told} if told else {}
    return module, function, options, part


def called(quantity: str) -> str:
    """A quantity in words; of an unknown one its name.

    >>> called("params@layers"), called("kv")
    ('parameters of layers', 'KV cache')
    """
    name, _, part = quantity.partition("@")
    said = QUANTITIES[name][-1] if name in QUANTITIES else name
    return f"{said} of {part}" if part else said


def fitting(quantities: list[str], convention: str | None, phase: str | None) -> dict[str, dict[str, str]]:
    """{quantity: its options} where a convention and a phase were named for all of them.

    Each goes to the quantities that take it: a convention of work to flops, a storage to memory. ModelError where one
    goes to none.
    """
    found: dict[str, dict[str, str]] = {quantity: {} for quantity in quantities}
    for quantity, options in found.items():
        module, _, counted, phased, _ = QUANTITIES.get(quantity.partition("@")[0], ("",) * 5)
        if convention and counted and convention in _named(module):
            options["convention"] = convention
        if phase and phased and phase in _phases(module):
            options["phase"] = phase
    for option, told, among in (("convention", convention, _named), ("phase", phase, _phases)):
        if told and not any(option in options for options in found.values()):
            modules = {QUANTITIES[name][0] for name in (each.partition("@")[0] for each in found) if name in QUANTITIES
                       and QUANTITIES[name][2 if option == "convention" else 3]}
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
