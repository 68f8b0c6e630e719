"""symcount: neural networks written once, as a forward pass over named axes, from which everything is read.

Names only; each is imported when it is first used, so that counting does not pay for what it does not use.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HOMES = {
    "symcount.errors": ("ConfigError", "FormulaError", "ModelError", "ProofError", "ShapeError", "SizeError",
                        "SymcountError", "UnitError"),
    "symcount.sizes": ("ceil", "least", "letter", "per", "same", "up"),
    "symcount.tensors": ("Tensor",),
    "symcount.network": ("cached", "concat", "contract", "cut", "idle", "keep", "lookup", "merge",
                         "pointwise", "rename", "repeat", "select", "split", "tensor", "top", "walk", "weight",
                         "window", "within"),
    "symcount.scopes": ("Shared",),
    "symcount.masks": ("Mask",),
    "symcount.layers": ("attention", "embed", "gated", "linear", "norm", "positions"),
    "symcount.ledger": ("Ledger", "Term"),
    "symcount.derivation": ("Derivation",),
    "symcount.conventions": ("Convention",),
    "symcount.readers.parameters": ("active_parameters", "parameters"),
    "symcount.readers.work": ("flops", "multiply_adds"),
    "symcount.readers.traffic": ("traffic",),
    "symcount.readers.cache": ("kv_cache",),
    "symcount.readers.activations": ("activations",),
    "symcount.readers.memory": ("memory",),
    "symcount.storage": ("Storage", "Width"),
    "symcount.differing": ("differences",),
    "symcount.comparing": ("compare",),
    "symcount.training": ("train",),
    "symcount.architecture": ("Architecture", "Model", "Published"),
    "symcount.naming": ("model", "models"),
    "symcount.config": ("read_config",),
    "symcount.counting": ("derive",),
    "symcount.readers.evaluation": ("evaluate",),
    "symcount.theorems": ("identities",),
    "symcount.laws": ("ledger_laws",),
    "symcount.proving": ("certify", "prove", "refute"),
    "symcount.fusing": ("fusable",),
    "symcount.roofs": ("intensity", "roofline"),
    "symcount.solving": ("crossover", "solve"),
    "symcount.sweeping": ("sweep",),
    "symcount.fronts": ("frontier",),
    "symcount.lint": ("check",),
    "symcount.playing": ("page",),
    "symcount.scaling": ("elasticity", "limit", "share"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [*_HOME, "symbols"]  # noqa: PLE0604 - a computed list of literals


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "symbols":
        return import_module("symcount.symbols")
    if name not in _HOME:
        raise AttributeError(f"module 'symcount' has no attribute '{name}'")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found  # the next use finds it at once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
