"""The command line: it reads what was asked, calls the library, and prints; it knows no formula.

    symcount VERB MODEL… ["RELATION"] [--of QUANTITY,…] [--for SIZE,…] [--set CHANGE,…] [--without KIND|PATH,…]
             [--by DEPTH|kind|trainable] [--convention NAME] [--phase NAME] [--head CLASS]
             [--format NAME] [--standalone] [-o FILE]
    symcount check FILE… | - | --claim TEXT [--model NAME] [--notation NAME] [--select CODE,…] [--ignore CODE,…]
             [--notes] [--skipped] [--fix] [--diff] [--format NAME] [-o FILE]
    symcount practice [--seed N] [--level 1|2|3] [--kind KIND,…] [--count N] [--number N [--hint [N] | --check ANSWER]]
             [--solutions] [--kinds] [--format NAME] [--standalone] [-o FILE]
"""

from __future__ import annotations

import argparse
import sys

from symcount import __version__
from symcount.errors import ModelError, SymcountError, clipped, nearest
from symcount.output import escaping, show, write
from symcount.verbs import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    "formula": "the closed form; --share and --elasticity, with --limit, and --on: how it scales",
    "flops": "short for count --of flops; --against says why two conventions differ",
    "memory": "weights in bytes; with --phase decode the cache too, with --phase train all that training holds",
    "kv": "the cache of t tokens in bytes: keys and values, latents, states",
    "derive": "the count as a derivation",
    "solve": "sizes for a budget, as \"params <= 350e6\" or \"memory <= 24GB\", --for L or d=128*1..,L",
    "compare": "what makes two models differ, or two settings of one, part by part",
    "sweep": "counts over a grid --for d=128*8..64,L=16,24; --frontier, --chunk, --scheduler; -o x.csv .json .nc .zarr",
    "plot": "a picture -o x.png or .svg: one model, several, with --for curves, with --frontier a front",
    "page": "one HTML file to play with: sizes, counts, derivations; --of params,flops,kv,memory, -o page.html",
    "cross": "where one count passes another as a size grows: MODEL SIDE SIDE --for s",
    "train": "FLOPs, days and tokens of a training run: --tokens, and --devices --peak --mfu",
    "roofline": "FLOPs, bytes moved, FLOPs a byte, and which of the two bounds each part: --peak and --bandwidth",
    "prove": "an identity by name, or 'X*(W1*W2) = (X*W1)*W2' with --shapes; a counterexample if it is false",
    "practice": "exercises with new numbers for each --seed: hints, --check of an answer, --solutions; --kinds",
    "check": "the counts and formulas printed in documents: FILE, FOLDER, - or --claim '30522*768 = 23,440,896'",
    "identities": "the identities known by name; of a MODEL, which of its weights they fuse",
    "models": "the models known by name; with a WORD those that have it in their name",
    "explain": "MODEL@PATH, a configuration key, a convention, an identity, a check, a symbol …; conventions,\n"
               "             storages, operations, phases, notations and checks list theirs",
}
_SHOWN = ("format", "standalone", "output")
_COUNTED = ("of", "set", "without", "convention", "phase", "head", *_SHOWN)
_ASKED = ("unknowns", "set", "convention", "phase", "head", "derive", *_SHOWN)
_SWEPT = ("of", "unknowns", "set", "convention", "phase", "head", "frontier", "output")
TAKES = {  # the options of each verb; any other is refused, not ignored
    "count": (*_COUNTED, "by", "keys"), "flops": (*_COUNTED, "by", "against"),
    "train": ("set", "convention", "phase", "head", *_SHOWN, "tokens", "devices", "peak", "mfu"),
    "memory": (*_COUNTED, "by"), "kv": (*_COUNTED, "by"),
    "formula": (*_COUNTED, "share", "limit", "elasticity", "on", "derive"), "derive": _COUNTED,
    "solve": _ASKED, "cross": _ASKED, "compare": ("of", "set", "convention", "phase", "head", "derive", *_SHOWN),
    "sweep": (*_SWEPT, "chunk", "scheduler", "format", "standalone"), "plot": (*_SWEPT, "without", "by"),
    "page": ("of", "set", "convention", "phase", "head", "output"),
    "roofline": ("set", "convention", "phase", "head", *_SHOWN, "by", "peak", "bandwidth", "width", "fused"),
    "prove": ("shapes", "layers", "activation", "set", "certificate", *_SHOWN),
    "check": ("claim", "model", "notation", "select", "ignore", "notes", "skipped", "fix", "diff", "format", "output"),
    "practice": ("seed", "level", "kind", "count", "number", "hint", "check", "solutions", "kinds", *_SHOWN),
    "identities": ("set", "head", "format", "output"),
    "models": ("architectures", "format", "output"), "explain": ("output",),
}
_SPELLED = {"unknowns": "for"}  # a word of Python
FORMATS = ("text", "markdown", "latex", "html", "typst", "pdf", "ipynb", "json")
_PARTS = ("text", "markdown", "json")  # which have no other form as a whole document
_WHOLE = ("html", "pdf", "ipynb")  # whose files no reader opens as text
_CODELESS = tuple(name for name in FORMATS if name != "ipynb")  # for what no code in a notebook gives
_OWN = {"check": ("text", "json", "github", "sarif"), "practice": _CODELESS, "sweep": _CODELESS,
        "identities": ("text", "json"), "models": ("text", "json")}


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


def _answer(words: list[str]) -> tuple[str | bytes, str | None, int]:
    if not words:
        return EXAMPLES + "\n", None, 0
    if words[0] in ("--version", "-V"):
        return f"symcount {__version__}\n", None, 0
    if words[0] in ("--help", "-h", "help"):
        return _parser(*(word for word in words[1:2] if word in VERBS)).format_help(), None, 0
    if words[0] not in VERBS:
        raise ModelError(f"no verb '{clipped(words[0])}'; {nearest(words[0], list(VERBS))}")
    if "--help" in words or "-h" in words:
        return _parser(words[0]).format_help(), None, 0
    for option in {word.partition("=")[0] for word in words if word.startswith("-")}:
        if sum(word.partition("=")[0] == option for word in words) > 1 and option not in ("-", "--"):
            raise ModelError(f"{clipped(option)} is given twice; join what follows with a comma")
    parser = _parser()
    asked = parser.parse_intermixed_args([f" {word}" if word[:2] in ("-:", "-@") or (
        before == "--check" and word[:1] == "-" and word[1:2].isdigit()) else word  # no options: -3; 4
        for before, word in zip(["", *words], words, strict=False)])
    asked.models = [name.lstrip() for name in asked.models]
    for option, given in vars(asked).items():
        if given == "":
            raise ModelError(f"--{_SPELLED.get(option, option)} is followed by nothing")
        if option not in ("verb", "models", *TAKES[asked.verb]) and given != parser.get_default(option):
            raise ModelError(f"{asked.verb} takes no --{_SPELLED.get(option, option)}")
    if asked.format not in (formats := _OWN.get(asked.verb, FORMATS)):
        raise ModelError(f"--format {clipped(asked.format)}: {asked.verb} prints {', '.join(formats)}")
    if asked.standalone and asked.format in _PARTS:
        raise ModelError("--standalone makes a LaTeX file whole, as html, typst, pdf and ipynb are; it goes with "
                         f"--format latex, not {asked.format}")
    suffix = (asked.output or "").lower().rpartition(".")[2]
    if asked.format == "text" and "format" in TAKES[asked.verb] and suffix in _WHOLE and suffix in formats:
        raise ModelError(f"-o {clipped(asked.output)} would hold text: say --format {suffix}")
    if asked.output == "-":
        asked.output = None
    if (asked.format == "pdf" or asked.verb == "page") and asked.output is None and sys.stdout and sys.stdout.isatty():
        said, suffix = ("a page", "html") if asked.verb == "page" else ("a PDF", "pdf")
        raise ModelError(f"{said} is nothing for a terminal: say -o FILE.{suffix}")
    if asked.format in ("json", "sarif"):
        import json

        return json.dumps(_run(asked), indent=2, ensure_ascii=False) + "\n", asked.output, asked.status
    found = _run(asked)
    return found if isinstance(found, bytes) else found.rstrip("\n") + "\n", asked.output, asked.status


def _run(asked: argparse.Namespace) -> Any:
    if asked.verb in RUN:
        return RUN[asked.verb](asked)
    if asked.verb == "check":
        from symcount import checking  # a count does not pay for it, nor for the questions

        return checking.check(asked)
    if asked.verb == "practice":
        from symcount import practicing

        return practicing.practice(asked)
    from symcount import questions

    return questions.RUN[asked.verb](asked)


def _parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of all verbs; its help is that of one where one is given."""
    verbs = "\n".join(f"  {verb:<10} {says}" for verb, says in VERBS.items())
    takes = {"check": "FILE...", "practice": "", "models": "[WORD]", "explain": "THING"}.get(only, "MODEL...")
    parser = _Parser(
        prog="symcount", usage=f"symcount {only or 'VERB'} {takes} [options]", add_help=False, allow_abbrev=False,
        formatter_class=_Formatter,
        description=f"{only}: {VERBS[only]}" if only else
        f"Counts neural networks, as formula, number and derivation.\n\nverbs:\n{verbs}\n\n"
        "symcount VERB --help shows the options of one verb.",
        epilog="MODEL is a name, a config.json, a folder with one, a .py file with forward(z), or - for a\n"
               "configuration on standard input; then @PATH for one part, and :CHANGES, as in\n"
               "llama-7b@layers.mlp  bert-base-uncased:V=40000,L=8  llama:h=4d  mlp:784-128-10  gpt2:untied\n"
               "sizes of a run: s tokens processed, t tokens attended (in a cache), b batch, new tokens to generate;\n"
               "tp, pp and dp devices that share products, layers and a recipe's states")
    parser.add_argument("verb", choices=list(VERBS), help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=argparse.SUPPRESS)

    def option(*names: str, **told: Any) -> None:
        added = parser.add_argument(*names, **told)
        if only and added.dest not in TAKES[only]:
            added.help = argparse.SUPPRESS

    _options(option, only)
    _of_sheets(option)
    parser.set_defaults(status=0)
    return parser


def _either(formats: Sequence[str]) -> str:
    return f"{', '.join(formats[:-1])} or {formats[-1]}"


def _options(option: Callable[..., None], only: str) -> None:
    option("--of", metavar="QUANTITY,…", help="params, active, buffers, macs, flops, memory, kv, activations, traffic, "
                                             "each with @PATH if you like")
    option("--set", metavar="CHANGE,…", help="the same changes for every model: s=2048, h=4d, untied")
    option("--for", dest="unknowns", metavar="SIZE,…", help="the sizes to solve for, with choices if you like: L, "
                                                            "d=128*1..64, L=12,24,32, s=2^10..20")
    option("--share", metavar="PATH,…", help="what share of the count these parts or kinds have")
    option("--limit", metavar="SIZE", help="what it tends to as this size grows")
    option("--elasticity", metavar="SIZE", help="by how many percent it grows with 1 %% of this size")
    option("--on", metavar="SIZE,…", help="whether it depends on these sizes")
    option("--derive", action="store_true", help="the answer as a derivation")
    option("--frontier", metavar="ENDS", help="of a sweep only the best points, as in least:kv,most:params")
    option("--chunk", metavar="POINTS", help="compute a sweep in chunks of so many points, by Dask")
    option("--scheduler", metavar="ADDRESS", help="whose workers compute the chunks, as tcp://localhost:8786")
    option("--without", metavar="KIND|PATH,…", help="leave out bias, norm, embedding … or a part")
    option("--by", metavar="DEPTH", help="group by depth 1, 2, …, by kind, trainable or (checkpoint) name")
    option("--convention", metavar="NAME", help="what counts as work (default matmul), or how numbers are stored "
                                                "(default bf16); symcount explain NAME")
    option("--against", metavar="NAME", help="why the convention and this one differ, in words and terms")
    option("--phase", metavar="NAME", help="forward (default), decode, backward, train, recompute, selective, flash, "
                                           "generate")
    option("--tokens", metavar="N", help="tokens to train on, as 1e12")
    option("--devices", metavar="N", help="devices that train; --peak and --mfu tell of them")
    option("--peak", metavar="FLOP/s", help="of one device, as 312e12")
    option("--mfu", metavar="SHARE", help="the share of the peak that training uses, as 40%%")
    option("--bandwidth", metavar="BYTES/s", help="of a device's memory, as 2.039e12")
    option("--width", metavar="BYTES", help="of each number that is moved (default 2)")
    option("--fused", metavar="WHAT", help="what stays on the chip: nothing (default), elementwise, attention")
    option("--head", metavar="CLASS", help="another class of the family, as LlamaForSequenceClassification")
    option("--keys", action="store_true", help="how each key of a configuration was read")
    option("--architectures", action="store_true", help="what is supported, and how far it was checked")
    option("--shapes", metavar="SHAPES", help="of the letters of a statement: 'X: n x d, W: d x d invertible'")
    option("--layers", metavar="N", help="how many layers collapse; L for any number (default 2)")
    option("--activation", metavar="NAME", help="what stands between the layers: relu, gelu, …")
    option("--certificate", choices=("coq",), help="write what Coq with MathComp checks, instead of the proof")
    option("--claim", metavar="TEXT", help="check this one claim, as in '12*L*d^2 is parameters of gpt2'")
    option("--model", metavar="MODEL", help="the model that documents speak of where they name none")
    option("--notation", metavar="NAME", help="whose letters documents use where they do not say, as megatron")
    option("--select", metavar="CODE,…", help="only these checks, as SC1,SC203; symcount explain checks")
    option("--ignore", metavar="CODE,…", help="all checks but these")
    option("--notes", action="store_true", help="show notes, and what is right under a convention, too")
    option("--skipped", action="store_true", help="show what was not judged, and why")
    option("--fix", action="store_true", help="write the right number where it is certain")
    option("--diff", action="store_true", help="show what --fix would write, and write nothing")
    option("--format", metavar="NAME", default="text", help=_either(_OWN.get(only, FORMATS)))
    option("--standalone", action="store_true", help="a LaTeX file that compiles as it is")
    option("-o", "--output", metavar="FILE", help="write to a file")


def _of_sheets(option: Callable[..., None]) -> None:
    option("--seed", metavar="N", help="of a sheet of exercises: the same seed gives the same sheet (default: a new "
                                       "one)")
    option("--level", metavar="N", help="1, 2 or 3 (default: from the easiest on)")
    option("--kind", metavar="KIND,…", help="only these kinds of exercises; --kinds lists them")
    option("--count", metavar="N", help="how many exercises (default 6)")
    option("--number", metavar="N", help="only this exercise of the sheet")
    option("--hint", metavar="N", nargs="?", const="1", help="the first hint for it, or the first N")
    option("--check", metavar="ANSWER", help="whether an answer to it is right (status 0), or not (1)")
    option("--solutions", action="store_true", help="answers, worked out")
    option("--kinds", action="store_true", help="the kinds of exercises")
