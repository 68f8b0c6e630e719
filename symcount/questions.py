"""The verbs for questions of scale: each calls the library, and gives what is to be printed, or data for JSON."""

from __future__ import annotations

import re

from symcount.errors import ModelError
from symcount.verbs import models, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.solutions import Solution

_RELATION = re.compile(r"[<>≤≥≈~]|\s=|=\s|±|\+-|^[^:]*=")  # a change of a model has a colon before it, and no blanks


def _solve(asked: Any) -> Any:
    from symcount.naming import read_changes
    from symcount.solving import solve

    relations = [text for text in asked.models if _RELATION.search(text)]
    if len(relations) != 1:
        raise ModelError("solve needs one relation, with blanks around its sign, as in "
                         "symcount solve gpt2 \"params <= 350e6\" --for L")
    _needs_for(asked, "L, or d=128*1..,L")
    asked.models.remove(relations[0])
    options: dict[str, Any] = {"convention": asked.convention, "phase": asked.phase}
    if asked.head and not asked.models:
        raise ModelError("--head is of a model, and none is named")
    changes, asked.set = read_changes(asked.set or ""), None  # what follows an unknown cannot be set before it
    named = models(asked) if asked.models else [None]
    return _solutions(asked, [solve(relations[0], asked.unknowns, one, **options, **changes) for one in named])


def _cross(asked: Any) -> Any:
    from symcount.naming import read_changes
    from symcount.solving import crossover

    if len(asked.models) != 3:
        raise ModelError("cross takes a model and two sides, as in "
                         "symcount cross llama-7b \"flops@scores + flops@mix\" flops@mlp --for s")
    _needs_for(asked, "s")
    *asked.models, one, other = asked.models
    changes, asked.set = read_changes(asked.set or ""), None
    return _solutions(asked, [crossover(one, other, asked.unknowns, each, convention=asked.convention,
                                        phase=asked.phase, **changes) for each in models(asked)])


def _needs_for(asked: Any, example: str) -> None:
    if not asked.unknowns:
        raise ModelError(f"{asked.verb}: for which size? say --for {example}")


def _solutions(asked: Any, found: list[Solution]) -> Any:
    asked.status = 1 if any(not one.reached for one in found) else 0
    return shown(asked, found, [_data(one) for one in found] if asked.format == "json" else [])


def _data(one: Solution) -> dict[str, Any]:
    """A solution beside its rows: closed forms as SymPy reads them, the root with its digits."""
    from symcount.render.data import amount, code
    from symcount.render.text import cell
    from symcount.solutions import near

    return {"relation": one.relation.text, "unknowns": list(one.names), "sizes": one.sizes,
            "solutions": sum(row.holds for row in one.found),
            "left": amount(one.best.left) if one.best else None,
            "closed_form": [code(each.form) for each in one.closed],
            "root": None if one.root is None else cell(near(one.root)).replace(",", "")}


RUN = {"solve": _solve, "cross": _cross}
