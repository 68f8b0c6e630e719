"""The command line: it reads what was asked, calls the library, and prints; it knows no formula.

    symcount VERB MODEL… [--of QUANTITY,…] [--set CHANGE,…] [--without KIND|PATH,…] [--by DEPTH|kind|trainable]
             [--convention NAME] [--phase NAME] [--head CLASS] [--format text|markdown|latex|json] [-o FILE]
"""

from __future__ import annotations

import argparse
import sys

from symcount import __version__
from symcount.errors import ModelError, SymcountError, clipped, nearest
from symcount.output import escaping, show, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

EXAMPLES = """\
symcount counts neural networks, and shows why. Five things to try:

  symcount count llama-7b                          parameters, by part
  symcount derive mlp:784-128-10                   the count, step by step
  symcount formula bert-base-uncased               the closed form
  symcount flops llama-7b --set s=2048             the work of one forward pass
  symcount count config.json --keys                your own model, and how its keys were read

symcount --help lists verbs and options; symcount models lists the models."""

VERBS = {
    "count": "how many, by part (--of params,active,macs,flops)",
    "formula": "the closed form, and what it does not depend on",
    "flops": "short for count --of flops",
    "derive": "the count as a derivation",
    "prove": "an identity by name, or 'X*(W1*W2) = (X*W1)*W2' with --shapes; a counterexample if it is false",
    "identities": "the identities known by name; of a MODEL, which of its weights they fuse",
    "models": "the models known by name",
    "explain": "MODEL@PATH, a configuration key, a convention, an identity or a symbol",
}
_COUNTED = ("of", "set", "without", "convention", "phase", "head", "format", "output")
TAKES = {  # the options of each verb; any other is refused, not ignored
    "count": (*_COUNTED, "by", "keys"), "flops": (*_COUNTED, "by"), "formula": _COUNTED, "derive": _COUNTED,
    "prove": ("shapes", "layers", "activation", "set", "certificate", "format", "output"),
    "identities": ("set", "head", "format", "output"),
    "models": ("architectures", "format", "output"), "explain": ("output",),
}
FORMATS = ("text", "markdown", "latex", "json")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of one width: asking the terminal for its own costs more than a count."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose refusals are one line."""

    def error(self, message: str) -> NoReturn:
        raise ModelError(f"{message}; symcount --help lists verbs and options")


def main(argv: Sequence[str] | None = None) -> int:
    """Answer one call: 0 answered, 1 not proved, 2 for input that is wrong, with one line on standard error."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        output, target, status = _answer(words)
        if target is not None:
            write(target, output)
        else:
            show(output)
    except SymcountError as error:
        if sys.stderr:
            escaping(sys.stderr).write(f"symcount: {clipped(' '.join(str(error).split()), 600)}\n")
        return 2
    return status


def _answer(words: list[str]) -> tuple[str, str | None, int]:
    if not words:
        return EXAMPLES + "\n", None, 0
    if words[0] in ("--version", "-V"):
        return f"symcount {__version__}\n", None, 0
    if words[0] in ("--help", "-h", "help"):
        return _parser().format_help(), None, 0
    if words[0] not in VERBS:
        raise ModelError(f"no verb '{clipped(words[0])}'; {nearest(words[0], list(VERBS))}")
    if "--help" in words or "-h" in words:
        return _parser().format_help(), None, 0
    for option in {word.partition("=")[0] for word in words if word.startswith("-")}:
        if sum(word.partition("=")[0] == option for word in words) > 1 and option not in ("-", "--"):
            raise ModelError(f"{clipped(option)} is given twice; join what follows with a comma")
    parser = _parser()
    asked = parser.parse_intermixed_args([f" {word}" if word[:2] in ("-:", "-@") else word for word in words])
    asked.models = [name.lstrip() for name in asked.models]
    for option, given in vars(asked).items():
        if given == "":
            raise ModelError(f"--{option} is followed by nothing")
        if option not in ("verb", "models", *TAKES[asked.verb]) and given != parser.get_default(option):
            raise ModelError(f"{asked.verb} takes no --{option}")
    if asked.format == "json":
        import json

        return json.dumps(_RUN[asked.verb](asked), indent=2, ensure_ascii=False) + "\n", asked.output, asked.status
    return _RUN[asked.verb](asked).rstrip("\n") + "\n", asked.output, asked.status


def _parser() -> argparse.ArgumentParser:
    verbs = "\n".join(f"  {verb:<9} {says}" for verb, says in VERBS.items())
    parser = _Parser(
        prog="symcount", usage="symcount VERB MODEL... [options]", add_help=False, allow_abbrev=False,
        formatter_class=_Formatter,
        description=f"Counts neural networks, as formula, number and derivation.\n\nverbs:\n{verbs}",
        epilog="MODEL is a name, a config.json, a folder with one, a .py file with forward(z), or - for a\n"
               "configuration on standard input; then @PATH for one part, and :CHANGES, as in\n"
               "llama-7b@layers.mlp  bert-base-uncased:V=40000,L=8  llama:h=4d  mlp:784-128-10  gpt2:untied")
    parser.add_argument("verb", choices=list(VERBS), help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=argparse.SUPPRESS)
    option = parser.add_argument
    option("--of", metavar="QUANTITY,…", help="params, active, buffers, macs, flops, each with @PATH if you like")
    option("--set", metavar="CHANGE,…", help="the same changes for every model: s=2048, h=4d, untied")
    option("--without", metavar="KIND|PATH,…", help="leave out bias, norm, embedding … or a part")
    option("--by", metavar="DEPTH", help="group by depth 1, 2, …, by kind, trainable or (checkpoint) name")
    option("--convention", metavar="NAME", default="matmul", help="what counts as work (default matmul)")
    option("--phase", metavar="NAME", default="forward", help="forward")
    option("--head", metavar="CLASS", help="another class of the family, as LlamaForSequenceClassification")
    option("--keys", action="store_true", help="how each key of a configuration was read")
    option("--architectures", action="store_true", help="what is supported, and how far it was checked")
    option("--shapes", metavar="SHAPES", help="of the letters of a statement: 'X: n x d, W: d x d invertible'")
    option("--layers", metavar="N", help="how many layers collapse; L for any number (default 2)")
    option("--activation", metavar="NAME", help="what stands between the layers: relu, gelu, …")
    option("--certificate", choices=("coq",), help="write what Coq with MathComp checks, instead of the proof")
    option("--format", choices=FORMATS, default="text", help="text, markdown, latex or json")
    option("-o", "--output", metavar="FILE", help="write to a file")
    parser.set_defaults(status=0)
    return parser


def _models(asked: Any) -> list[Any]:
    from symcount.naming import model, read_changes

    if not asked.models:
        raise ModelError(f"{asked.verb} needs a model, as in symcount {asked.verb} llama-7b")
    found = []
    for name in asked.models:
        one = model(name, **({"head": asked.head} if asked.head else {}))
        found.append(one.replace(**read_changes(asked.set)) if asked.set else one)
    return found


def _ledgers(asked: Any) -> list[tuple[Any, str, Any]]:
    """(model, quantity, ledger) for every model and quantity asked for."""
    from symcount.readers.quantities import read

    default = "flops" if asked.verb == "flops" else "params"
    quantities = (asked.of or default).split(",")
    found = []
    for one in _models(asked):
        for quantity in quantities:
            ledger = read(one, quantity, convention=asked.convention, phase=asked.phase)
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
    return int(asked.by) if asked.by.isascii() and asked.by.isdigit() and len(asked.by) < 4 else str(asked.by)


def _renderer(asked: Any) -> Any:
    from importlib import import_module

    return import_module(f"symcount.render.{asked.format}")


def _count(asked: Any) -> Any:
    from symcount.counting import table

    if asked.keys:
        return _keys(asked)
    if asked.format == "json":
        return _data(asked)
    render = _renderer(asked)
    return "\n\n".join(render.table(table(ledger, _depth(asked, one, ledger))).rstrip("\n")
                       for one, _, ledger in _ledgers(asked))


def _data(asked: Any) -> Any:
    from symcount.conventions import convention
    from symcount.counting import notes, rows, table
    from symcount.render.data import as_data

    found = []
    for one, quantity, ledger in _ledgers(asked):
        named = convention(asked.convention).name if quantity.partition("@")[0] in ("flops", "macs") else None
        terms = rows(ledger) if asked.by is None else table(ledger, _depth(asked, one, ledger)).rows
        found.append(as_data(table(ledger), model=one.title, quantity=quantity, unit=ledger.unit, convention=named,
                             values=one.values, terms=terms, notes=notes(ledger)))
    return found[0] if len(found) == 1 else found


def _keys(asked: Any) -> Any:
    models = _models(asked)
    for one in models:
        if not one.keys:
            raise ModelError(f"{one.name}: --keys shows how a configuration was read; this model has none")
    if asked.format == "json":
        told = [{"model": one.title, "keys": [dict(zip(("key", "value", "read"), row, strict=True))
                                              for row in one.keys]} for one in models]
        return told[0] if len(told) == 1 else told
    from symcount.render.text import columns

    return "\n\n".join(one.title + "\n\n" + columns([("key", "value", "read as"), *one.keys]) for one in models)


def _formula(asked: Any) -> Any:
    from symcount.counting import formula, independent, notes, title

    if asked.format == "json":
        return _data(asked)
    blocks = []
    for one, _, ledger in _ledgers(asked):
        free = independent(ledger, one)
        says = [*(["does not depend on " + ", ".join(free)] if free else []), *notes(ledger)]
        blocks.append(_renderer(asked).formula(title(ledger), formula(ledger), says))
    return "\n\n".join(block.rstrip("\n") for block in blocks)


def _derive(asked: Any) -> Any:
    from symcount.counting import derive

    if asked.format == "json":
        return _data(asked)
    render = _renderer(asked)
    return "\n\n".join(render.derivation(derive(ledger)).rstrip("\n") for _, _, ledger in _ledgers(asked))


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
    return _renderer(asked).derivation(found)


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

    found = [(one, [(each, _saved(one, each)) for each in fusable(one)]) for one in _models(asked)]
    if asked.format == "json":
        told = [{"model": one.title, "fusable": [{"weights": list(each.paths), "identity": each.identity or None,
                                                  "says": each.says, "saves": saves} for each, saves in listed]}
                for one, listed in found]
        return told[0] if len(told) == 1 else told
    head = ("identity", "why", "parameters saved", "weights")
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

    if asked.models:
        raise ModelError("models takes no model; symcount count NAME counts one")
    if asked.architectures:
        return _architectures(asked)
    published = names()
    if asked.format == "json":
        return [{"model": name, "class": cls, "parameters": count} for name, (_, cls, count) in published.items()]
    if asked.format != "text":
        raise ModelError("models are listed in text or json")
    from symcount.render.text import columns

    return columns([("model", "class", "parameters"),
                    *((name, cls, f"{count:,}") for name, (_, cls, count) in published.items())], right=2) + (
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

    if len(asked.models) != 1:
        raise ModelError("explain takes one thing: MODEL@PATH, a configuration key, a convention or a symbol")
    return explain(asked.models[0])


_RUN = {"count": _count, "flops": _count, "formula": _formula, "derive": _derive, "prove": _prove,
        "identities": _identities, "models": _list, "explain": _explain}
