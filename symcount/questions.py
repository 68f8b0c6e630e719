"""The verbs for questions of scale: each calls the library, and gives what is to be printed, or data for JSON."""

from __future__ import annotations

import re

from symcount.errors import ModelError
from symcount.verbs import ledgers, listings, models, renderer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.solutions import Solution

_RELATION = re.compile(r"[<>≤≥]|\s=\s|=\s|\s=|±|\+-")  # a change of a model has no blanks


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
    if not asked.models:
        if asked.head:
            raise ModelError("--head is of a model, and none is named")
        return _solutions(asked, [solve(relations[0], asked.unknowns, **options, **read_changes(asked.set or ""))])
    return _solutions(asked, [solve(relations[0], asked.unknowns, one, **options) for one in models(asked)])


def _cross(asked: Any) -> Any:
    from symcount.solving import crossover

    if len(asked.models) != 3:
        raise ModelError("cross takes a model and two sides, as in "
                         "symcount cross llama-7b \"flops@scores + flops@mix\" flops@mlp --for s")
    _needs_for(asked, "s")
    *asked.models, one, other = asked.models
    return _solutions(asked, [crossover(one, other, asked.unknowns, each, convention=asked.convention,
                                        phase=asked.phase) for each in models(asked)])


def _needs_for(asked: Any, example: str) -> None:
    if not asked.unknowns:
        raise ModelError(f"{asked.verb}: for which size? say --for {example}")


def _solutions(asked: Any, found: list[Solution]) -> Any:
    asked.status = 1 if any(not one.reached for one in found) else 0
    return _shown(asked, found, [_data(one) for one in found] if asked.format == "json" else [])


def _data(one: Solution) -> dict[str, Any]:
    """A solution beside its rows: closed forms as SymPy reads them, the root with its digits."""
    from symcount.render.data import amount, code
    from symcount.render.text import cell
    from symcount.solutions import near

    return {"relation": one.relation.text, "unknowns": list(one.names), "sizes": one.sizes,
            "left": amount(one.best.left) if one.best else None,
            "closed_form": [code(each.form) for each in one.closed],
            "root": None if one.root is None else cell(near(one.root)).replace(",", "")}


def _shown(asked: Any, found: list[Any], more: list[dict[str, Any]]) -> Any:
    """What has a listing and a derivation, in the format asked for."""
    if asked.format == "json":
        from symcount.render.data import as_listing, as_steps

        told = [{**as_listing(one.listing()), **extra, **({"derivation": as_steps(one.derivation())} if asked.derive
                                                          else {})}
                for one, extra in zip(found, more or [{}] * len(found), strict=True)]
        return told[0] if len(told) == 1 else told
    if asked.derive:
        return "\n\n".join(renderer(asked).derivation(one.derivation()).rstrip("\n") for one in found)
    return listings(asked, [one.listing() for one in found])


def scaled(asked: Any) -> Any:
    """Of a formula: shares, an elasticity, limits, and what it depends on."""
    from symcount.scaling import elasticity, scaled, share

    def split(text: str | None) -> tuple[str, ...]:
        return tuple(text.split(",")) if text else ()

    counted = [ledger for _, _, ledger in ledgers(asked)]
    if asked.derive:
        if not (asked.share or asked.elasticity):
            raise ModelError("--derive derives a --share or an --elasticity; symcount derive MODEL derives a count")
        ratios = [one for ledger in counted for one in (
            *([share(ledger, *split(asked.share))] if asked.share else []),
            *([elasticity(ledger, asked.elasticity)] if asked.elasticity else []))]
        if asked.format == "json":
            from symcount.render.data import as_steps

            return [as_steps(one.derivation()) for one in ratios]
        return "\n\n".join(renderer(asked).derivation(one.derivation()).rstrip("\n") for one in ratios)
    return listings(asked, [scaled(ledger, shares=split(asked.share), elastic=asked.elasticity or "",
                                   grows=asked.limit or "", on=split(asked.on)) for ledger in counted])


RUN = {"solve": _solve, "cross": _cross}
