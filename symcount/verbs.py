"""The verbs of the command line: each calls the library, and gives what is to be printed, or data for JSON."""

from __future__ import annotations

from collections import namedtuple

from symcount import cells
from symcount.cells import Call
from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_Closed = namedtuple("_Closed", "title form says")  # a closed form in the order of its author


def models(asked: Any) -> list[Any]:
    """The models that were named, with their changes."""
    return list(map(cells.answered, cells.models(asked)))


def ledgers(asked: Any) -> list[tuple[Any, str, Any]]:
    """(model, quantity, ledger) for every model and quantity asked for."""
    return [(one.answer, quantity, ledger.answer) for one, quantity, ledger in cells.ledgers(asked)]


def printed(asked: Any, kind: str, calls: Sequence[Any]) -> Any:
    """What some calls give, in the format asked for, as one document; a notebook has the calls too.

    They give derivations, tables, listings, sheets or formulas (a kind). Of what is no call there is no notebook.
    """
    from importlib import import_module

    render = import_module(f"symcount.render.{asked.format}")
    if asked.format == "ipynb" and not all(isinstance(one, Call) for one in calls):
        raise ModelError(f"there is no code for a notebook that gives this answer of {asked.verb}; another --format "
                         "prints it")
    found = list(map(cells.answered, calls))
    title = "; ".join(dict.fromkeys(one.title for one in found))
    if asked.format == "ipynb":
        code = list(map(cells.bare, calls))
        return render.document(list(zip(map(cells.written, code), found, strict=True)), title, cells.imports(code))
    draw = getattr(render, kind)
    blocks = [draw(*one) if kind == "formula" else draw(one) for one in found]
    return (render.standalone if asked.standalone and asked.format == "latex" else render.document)(blocks, title)


def _count(asked: Any) -> Any:
    if getattr(asked, "keys", False):
        return _keys(asked)
    if asked.against:
        return _against(asked)
    if asked.format == "json":
        return _data(asked)
    return printed(asked, "table", [cells.table(asked, one, ledger) for one, _, ledger in cells.ledgers(asked)])


def _against(asked: Any) -> Any:
    """Why two conventions of work differ."""
    if asked.of not in (None, "flops"):
        raise ModelError(f"--against compares FLOPs, and takes no --of {asked.of}")
    if asked.without or asked.by:
        raise ModelError(f"--against lists what differs: it takes no --{'without' if asked.without else 'by'}")
    told = (asked.convention or "matmul", asked.against, asked.phase or "forward")
    return listings(asked, [cells.call("differences", one, *told) for one in cells.models(asked)])


def _train(asked: Any) -> Any:
    if not asked.tokens:
        raise ModelError("train: on how many tokens? say --tokens 1e12")
    told: dict[str, Any] = {
        "devices": asked.devices, "peak": asked.peak, "mfu": asked.mfu,
        "convention": asked.convention or "matmul", "phase": asked.phase or "train"}
    return listings(asked, [cells.call("train", one, asked.tokens, **told) for one in cells.models(asked)])


def _roofline(asked: Any) -> Any:
    if not (asked.peak and asked.bandwidth):
        raise ModelError("roofline: of what device? say --peak 312e12 --bandwidth 2.039e12")
    told: dict[str, Any] = {
        "width": asked.width or 2, "phase": asked.phase or "forward", "fused": asked.fused or "nothing",
        "convention": asked.convention or "matmul", "depth": cells.depth(asked.by or "2")}
    return listings(asked, [cells.call("roofline", one, asked.peak, asked.bandwidth, **told).then("listing")
                            for one in cells.models(asked)])


def listings(asked: Any, calls: Sequence[Any]) -> Any:
    """Rows under a head, in the format asked for; `calls` as in `printed`."""
    if asked.format == "json":
        from symcount.render.data import as_listing

        told = [as_listing(cells.answered(one)) for one in calls]
        return told[0] if len(told) == 1 else told
    return printed(asked, "listing", calls)


def _data(asked: Any) -> Any:
    from symcount.counting import notes, rows, table
    from symcount.render.data import as_data

    found = []
    for named, quantity, counted in cells.ledgers(asked):
        one, ledger = named.answer, counted.answer
        terms = rows(ledger) if asked.by is None else cells.table(asked, named, counted).answer.rows
        found.append(as_data(table(ledger), model=one.title, quantity=quantity, unit=ledger.unit,
                             convention=ledger.convention or None, values=one.values, terms=terms, notes=notes(ledger)))
    return found[0] if len(found) == 1 else found


def _keys(asked: Any) -> Any:
    configured = models(asked)
    for one in configured:
        if not one.keys:
            raise ModelError(f"{one.name}: --keys shows how a configuration was read; this model has none")
    if asked.format not in ("text", "json"):
        raise ModelError("--keys are listed in text or json")
    if asked.format == "json":
        told = [{"model": one.title, "keys": [dict(zip(("key", "value", "read"), row, strict=True))
                                              for row in one.keys]} for one in configured]
        return told[0] if len(told) == 1 else told
    from symcount.render.text import columns

    return "\n\n".join(one.title + "\n\n" + columns([("key", "value", "read as"), *one.keys]) for one in configured)


def _formula(asked: Any) -> Any:
    from symcount.counting import formula, independent, notes, title

    if asked.share or asked.limit or asked.elasticity or asked.on:
        return _scaled(asked)
    if asked.derive:
        raise ModelError("--derive goes with --share or --elasticity; symcount derive MODEL derives a count")
    if asked.format == "json":
        return _data(asked)
    found = []
    for one, _, ledger in ledgers(asked):
        free = independent(ledger, one)
        says = [*(["does not depend on " + ", ".join(free)] if free else []), *notes(ledger)]
        found.append(_Closed(title(ledger), formula(ledger), says))
    return printed(asked, "formula", found)


def _scaled(asked: Any) -> Any:
    """Of a formula: shares, an elasticity, limits, and what it depends on."""
    def split(text: str | None) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(",")) if text else ()

    counted, shares = [ledger for _, _, ledger in cells.ledgers(asked)], split(asked.share)
    if not asked.derive:
        told: dict[str, Any] = {
            "shares": shares, "elastic": asked.elasticity or "", "grows": asked.limit or "", "on": split(asked.on)}
        return listings(asked, [cells.Call("symcount.scaling", "scaled", (ledger,), told) for ledger in counted])
    if asked.on or not (asked.share or asked.elasticity):
        raise ModelError("--derive derives a --share or an --elasticity, and takes no --on; symcount derive MODEL "
                         "derives a count")
    derived = [one.then("derivation", asked.limit or "") for ledger in counted for one in (
        *([cells.call("share", ledger, *shares)] if asked.share else []),
        *([cells.call("elasticity", ledger, asked.elasticity)] if asked.elasticity else []))]
    if asked.format == "json":
        from symcount.render.data import as_steps

        return [as_steps(one.answer) for one in derived]
    return printed(asked, "derivation", derived)


def shown(asked: Any, calls: Sequence[Call], more: Sequence[dict[str, Any]] = ()) -> Any:
    """What has a listing and a derivation, in the format asked for; `more` is what JSON says besides."""
    if asked.format == "json":
        from symcount.render.data import as_listing, as_steps

        told = [{**as_listing(one.listing()), **extra, **({"derivation": as_steps(one.derivation())} if asked.derive
                                                          else {})}
                for one, extra in zip(map(cells.answered, calls), more or [{}] * len(calls), strict=True)]
        return told[0] if len(told) == 1 else told
    if asked.derive:
        return printed(asked, "derivation", [one.then("derivation") for one in calls])
    return listings(asked, [one.then("listing") for one in calls])


def _derive(asked: Any) -> Any:
    if asked.format == "json":
        return _data(asked)
    return printed(asked, "derivation", [cells.call("derive", ledger) for _, _, ledger in cells.ledgers(asked)])


def _prove(asked: Any) -> Any:
    from symcount.derivation import Derivation, Remark
    from symcount.errors import ProofError

    if len(asked.models) != 1:
        raise ModelError("prove takes one identity or one statement, in quotes: symcount identities lists them")
    if asked.certificate and asked.format != "text":
        raise ModelError(f"a certificate is text for Coq: it takes no --format {asked.format}")
    claim = asked.models[0]
    told = {"shapes": asked.shapes, **cells.changes(asked.set, "model")}  # a law is proved for a model
    told |= {name: cells.plain(given) for name in ("layers", "activation")
             if (given := getattr(asked, name)) is not None}
    proof: Any = cells.call("certify" if asked.certificate else "prove", claim, **told)
    try:
        found = proof.answer
    except ProofError as error:
        if error.sides is None:
            raise
        asked.status, found = 1, error.witness
        if found is None and asked.format == "text":
            return str(error)
        proof = found or Derivation(claim, [], remarks=(Remark("verdict", (f"unknown: {error}",)),))
        refuted: Any = cells.call("refute", claim, **told)
        if found and asked.format == "ipynb" and str(found) == str(refuted.answer):  # a proof may have said more
            proof = refuted
    if asked.certificate:
        return found
    if asked.format == "json":
        from symcount.render.data import as_proof

        return as_proof(claim, found)
    return printed(asked, "derivation", [proof])


def _identities(asked: Any) -> Any:
    from symcount.laws import ledger_laws
    from symcount.laws import load as law
    from symcount.render.text import columns
    from symcount.theorems import identities, load

    if not asked.models:
        if asked.set or asked.head:
            raise ModelError("identities takes --set and --head only with a model")
        rows = [{"identity": name, "says": load(name).says} for name in identities()]
        rows += [{"identity": name, "says": law(name).says} for name in ledger_laws()]
        return rows if asked.format == "json" else columns([tuple(row.values()) for row in rows])
    from symcount.fusing import fusable

    found = [(one, [(each, _saved(one, each)) for each in fusable(one)]) for one in models(asked)]
    if asked.format == "json":
        told = [{"model": one.title, "fusable": [{"weights": list(each.paths), "identity": each.identity or None,
                                                  "says": each.says, "saves": saves} for each, saves in listed]}
                for one, listed in found]
        return told[0] if len(told) == 1 else told
    head = ("identity", "why", "parameters saved", "weights")
    if not any(listed for _, listed in found):
        return f"no weights of {' and '.join(one.title for one, _ in found)} are known to fuse"
    return "\n\n".join(one.title + "\n\n" + columns([head, *(
        (each.identity or "none", each.says, f"{saves:,}" if isinstance(saves, int) else saves if each.identity else "",
         ", ".join(path.removesuffix(".weight") for path in each.paths)) for each, saves in listed)])
        for one, listed in found)


def _saved(one: Any, each: Any) -> Any:
    """What a fusion saves as a number, or as a formula while sizes are open; None where there is none."""
    from symcount.forms import written
    from symcount.render.text import form
    from symcount.sizes import letters, value

    if not each.identity:
        return None
    open_sizes = [name for name in letters(each.saves) if name not in one.values]
    return form(written(each.saves)) if open_sizes else value(each.saves, one.values)


def _list(asked: Any) -> Any:
    from symcount.architectures import names, types

    if asked.architectures:
        if asked.models:
            raise ModelError("models --architectures takes no word")
        return _architectures(asked)
    published = {name: told for name, told in names().items() if all(word in name for word in asked.models)}
    if not published:
        raise ModelError(f"no model has {' and '.join(map(repr, asked.models))} in its name; symcount models lists all")
    if asked.format == "json":
        return [{"model": name, "class": cls, "parameters": count} for name, (_, cls, count) in published.items()]
    from symcount.render.text import columns

    return columns([("model", "class", "parameters"),
                    *((name, cls, f"{count:,}") for name, (_, cls, count) in published.items())], right=2) + (
        "" if asked.models else
        "\n\narchitectures, with all sizes free: " + " ".join(f"{name}:" for name in types()))


def _architectures(asked: Any) -> Any:
    from symcount.architectures import agreed, types

    rows = [(name, *agreed().get(name, (0, 0, 0))) for name in types()]
    if asked.format == "json":
        return [dict(zip(("architecture", "exact", "refused", "own"), row, strict=True)) for row in rows]
    from symcount.render.text import columns

    head = ("architecture", "measured models exact", "refused", "further configurations exact")
    return columns([head, *((name, *map(str, counts)) for name, *counts in rows)], right=1)


def _explain(asked: Any) -> Any:
    from symcount.explaining import explain

    if not asked.models:
        raise ModelError("explain takes MODEL@PATH, a configuration key, a convention, a storage, a symbol, a law or a "
                         "check; conventions, storages, operations, phases and checks list theirs")
    return "\n\n".join(map(explain, asked.models))


RUN = {"count": _count, "flops": _count, "memory": _count, "kv": _count, "train": _train,
       "roofline": _roofline, "formula": _formula,
       "derive": _derive, "prove": _prove, "identities": _identities, "models": _list, "explain": _explain}
