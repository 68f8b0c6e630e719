"""The verbs of the command line: each calls the library, and gives what is to be printed, or data for JSON."""

from __future__ import annotations

from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_SHORT = {"flops": "flops", "memory": "memory", "kv": "kv"}  # the quantity that a verb is short for


def models(asked: Any) -> list[Any]:
    """The models that were named, with their changes."""
    from symcount.naming import model, read_changes

    if not asked.models:
        raise ModelError(f"{asked.verb} needs a model, as in symcount {asked.verb} llama-7b")
    found = []
    for name in asked.models:
        one = model(name, **({"head": asked.head} if asked.head else {}))
        found.append(one.replace(**read_changes(asked.set)) if asked.set else one)
    return found


def ledgers(asked: Any) -> list[tuple[Any, str, Any]]:
    """(model, quantity, ledger) for every model and quantity asked for."""
    from symcount.readers.quantities import fitting, read

    quantities = (asked.of or _SHORT.get(asked.verb, "params")).split(",")
    options = fitting(quantities, asked.convention, asked.phase)
    found = []
    for one in models(asked):
        for quantity in quantities:
            ledger = read(one, quantity, **options[quantity])
            if asked.without:
                ledger = ledger.without(*asked.without.split(","))
            found.append((one, quantity, ledger))
    return found


def _depth(asked: Any, one: Any, ledger: Any) -> Any:
    if asked.by is None:
        return 2
    if asked.by == "name":
        if ledger.unit != "parameter":
            raise ModelError("--by name lists the tensors of a checkpoint: it counts parameters, "
                             f"not {ledger.unit}s")
        from symcount.readers.checkpoint import labels

        return labels(one)
    return depth(asked.by)


def depth(by: str) -> Any:
    """What --by says: a depth, or a word such as kind; who takes it refuses what it does not know."""
    return int(by) if by.isascii() and by.isdigit() and len(by) < 4 else by


def renderer(asked: Any) -> Any:
    """The module that prints the format asked for."""
    from importlib import import_module

    return import_module(f"symcount.render.{asked.format}")


def _count(asked: Any) -> Any:
    from symcount.counting import table

    if getattr(asked, "keys", False):
        return _keys(asked)
    if asked.against:
        return _against(asked)
    if asked.format == "json":
        return _data(asked)
    render = renderer(asked)
    return "\n\n".join(render.table(table(ledger, _depth(asked, one, ledger))).rstrip("\n")
                       for one, _, ledger in ledgers(asked))


def _against(asked: Any) -> Any:
    """Why two conventions of work differ."""
    from symcount.differing import differences

    if asked.of not in (None, "flops"):
        raise ModelError(f"--against compares FLOPs, and takes no --of {asked.of}")
    if asked.without or asked.by:
        raise ModelError(f"--against lists what differs: it takes no --{'without' if asked.without else 'by'}")
    return listings(asked, [differences(one, asked.convention or "matmul", asked.against, asked.phase or "forward")
                            for one in models(asked)])


def _train(asked: Any) -> Any:
    from symcount.training import train

    if not asked.tokens:
        raise ModelError("train: on how many tokens? say --tokens 1e12")
    return listings(asked, [train(one, asked.tokens, devices=asked.devices, peak=asked.peak, mfu=asked.mfu,
                                  convention=asked.convention or "matmul", phase=asked.phase or "train")
                            for one in models(asked)])


def _roofline(asked: Any) -> Any:
    from symcount.roofs import roofline

    if not (asked.peak and asked.bandwidth):
        raise ModelError("roofline: of what device? say --peak 312e12 --bandwidth 2.039e12")
    return listings(asked, [roofline(one, asked.peak, asked.bandwidth, width=asked.width or 2,
                                     phase=asked.phase or "forward", fused=asked.fused or "nothing",
                                     convention=asked.convention or "matmul", depth=depth(asked.by or "2"))
                            .listing() for one in models(asked)])


def listings(asked: Any, found: list[Any]) -> Any:
    """Rows under a head, in the format asked for."""
    if asked.format == "json":
        from symcount.render.data import as_listing

        told = [as_listing(one) for one in found]
        return told[0] if len(told) == 1 else told
    return "\n\n".join(renderer(asked).listing(one).rstrip("\n") for one in found)


def _data(asked: Any) -> Any:
    from symcount.counting import notes, rows, table
    from symcount.render.data import as_data

    found = []
    for one, quantity, ledger in ledgers(asked):
        terms = rows(ledger) if asked.by is None else table(ledger, _depth(asked, one, ledger)).rows
        found.append(as_data(table(ledger), model=one.title, quantity=quantity, unit=ledger.unit,
                             convention=ledger.convention or None, values=one.values, terms=terms, notes=notes(ledger)))
    return found[0] if len(found) == 1 else found


def _keys(asked: Any) -> Any:
    configured = models(asked)
    for one in configured:
        if not one.keys:
            raise ModelError(f"{one.name}: --keys shows how a configuration was read; this model has none")
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
    blocks = []
    for one, _, ledger in ledgers(asked):
        free = independent(ledger, one)
        says = [*(["does not depend on " + ", ".join(free)] if free else []), *notes(ledger)]
        blocks.append(renderer(asked).formula(title(ledger), formula(ledger), says))
    return "\n\n".join(block.rstrip("\n") for block in blocks)


def _scaled(asked: Any) -> Any:
    """Of a formula: shares, an elasticity, limits, and what it depends on."""
    from symcount.scaling import elasticity, scaled, share

    def split(text: str | None) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(",")) if text else ()

    counted = [ledger for _, _, ledger in ledgers(asked)]
    if asked.derive:
        if asked.on or not (asked.share or asked.elasticity):
            raise ModelError("--derive derives a --share or an --elasticity, and takes no --on; symcount derive MODEL "
                             "derives a count")
        derived = [one.derivation(asked.limit or "") for ledger in counted for one in (
            *([share(ledger, *split(asked.share))] if asked.share else []),
            *([elasticity(ledger, asked.elasticity)] if asked.elasticity else []))]
        if asked.format == "json":
            from symcount.render.data import as_steps

            return [as_steps(one) for one in derived]
        return "\n\n".join(renderer(asked).derivation(one).rstrip("\n") for one in derived)
    return listings(asked, [scaled(ledger, shares=split(asked.share), elastic=asked.elasticity or "",
                                   grows=asked.limit or "", on=split(asked.on)) for ledger in counted])


def shown(asked: Any, found: list[Any], more: Sequence[dict[str, Any]] = ()) -> Any:
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


def _derive(asked: Any) -> Any:
    from symcount.counting import derive

    if asked.format == "json":
        return _data(asked)
    render = renderer(asked)
    return "\n\n".join(render.derivation(derive(ledger)).rstrip("\n") for _, _, ledger in ledgers(asked))


def _prove(asked: Any) -> Any:
    from symcount.errors import ProofError
    from symcount.naming import read_changes
    from symcount.proving import certify, prove

    if len(asked.models) != 1:
        raise ModelError("prove takes one identity or one statement, in quotes: symcount identities lists them")
    claim, told = asked.models[0], read_changes(asked.set or "")
    told |= {name: value for name in ("layers", "activation") if (value := getattr(asked, name)) is not None}
    counts = {name: int(value) if str(value).isascii() and str(value).isdigit() else value
              for name, value in told.items()}
    try:
        if asked.certificate:
            return certify(claim, shapes=asked.shapes, **counts)
        found = prove(claim, shapes=asked.shapes, **counts)
    except ProofError as error:
        if error.sides is None:
            raise
        asked.status, found = 1, error.witness
        if found is None and asked.format != "json":
            return str(error)
    if asked.format == "json":
        from symcount.render.data import as_proof

        return as_proof(claim, found)
    return renderer(asked).derivation(found)


def _identities(asked: Any) -> Any:
    from symcount.laws import ledger_laws
    from symcount.laws import load as law
    from symcount.render.text import columns
    from symcount.theorems import identities, load

    if asked.format not in ("text", "json"):
        raise ModelError("identities are listed in text or json")
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
    if asked.format != "text":
        raise ModelError("models are listed in text or json")
    from symcount.render.text import columns

    return columns([("model", "class", "parameters"),
                    *((name, cls, f"{count:,}") for name, (_, cls, count) in published.items())], right=2) + (
        "" if asked.models else
        "\n\narchitectures, with all sizes free: " + " ".join(f"{name}:" for name in types()))


def _architectures(asked: Any) -> Any:
    from symcount.architectures import agreed, types

    if asked.format not in ("text", "json"):
        raise ModelError("architectures are listed in text or json")
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
