"""The pages that are made from the library's own tables: notation, conventions, identities, laws, checks, public names.

`documents.py` writes them, and a test holds each against what would be written now.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import symcount
from markup import as_one, code, escaped, tabulated
from symcount import prove
from symcount.architectures import family, files
from symcount.checks import checks, listed
from symcount.conventions import convention
from symcount.conventions import names as conventions
from symcount.derivation import Equation
from symcount.kinds import OPERATIONS
from symcount.laws import ledger_laws
from symcount.laws import load as law
from symcount.notations import notation, notations
from symcount.readers.work import PHASES
from symcount.render import latex, terms
from symcount.storage import names as storages
from symcount.storage import storage
from symcount.symbols import TABLE
from symcount.theorems import identities
from symcount.theorems import load as identity

DOCS = Path(__file__).parents[1] / "docs"
ALWAYS = "Whenever the shapes, and what the table says of the letters, are so."
MADE = "Made by `python tests/documents.py`"
KEYS = 3  # configuration keys of a letter that are shown, the commonest first
# Every public name, in the order in which the page has them; a name that stands nowhere is an error
NAMES = (
    ("Models", "model models read_config Model Architecture Published"),
    ("Counts", "parameters active_parameters multiply_adds flops traffic kv_cache activations memory derive Ledger "
               "Term Derivation"),
    ("Conventions, and how numbers are stored", "Convention Storage Width differences"),
    ("Budgets, shares, comparisons", "solve crossover share limit elasticity compare sweep frontier"),
    ("Devices and training runs", "roofline intensity train"),
    ("Proofs", "identities ledger_laws prove refute certify fusable"),
    ("Documents", "check page"),
    ("Numbers through a network", "evaluate"),
    ("A forward pass: the verbs", "tensor weight contract lookup pointwise within repeat rename split merge concat cut "
                                  "keep select top window cached idle walk Tensor Shared Mask"),
    ("A forward pass: layers", "linear norm embed positions attention gated"),
    ("Sizes", "letter per ceil least up same symbols"),
    ("Errors", "SymcountError ConfigError FormulaError ModelError ProofError ShapeError SizeError UnitError"),
)


def pages() -> dict[Path, str]:
    """{file: page} for all of them."""
    return {**{DOCS / name: made() for name, made in FLAT.items()}, **check_pages(),
            **{DOCS / "identities" / f"{name}.md": identity_page(name) for name in (*identities(), *ledger_laws())}}


def notation_page() -> str:
    """Our letters beside the keys of configurations and the letters of other authors."""
    keys: dict[str, Counter[str]] = {}
    for one in (one for file in files() for one in family(file)):
        for key, (size, _) in one.keys.items():  # a key within a table is that of a tower, and named as here
            keys.setdefault(size, Counter()).update([] if "." in key else [key])
    rows = []
    for name, letter in TABLE.items():
        usual = [code(key) for key, _ in keys.get(name, Counter()).most_common(KEYS)]
        rows.append((f"${letter.latex}$", code(name), letter.meaning, escaped(letter.others),
                     ", ".join(usual) + (" …" if len(keys.get(name, ())) > KEYS else "")))
    lines = ["# Notation", "", f"{MADE} from `symcount/symbols.py`, `symcount/notations.py` and the configuration keys "
             "of all architectures.", "",
             "A letter is a size, a whole number. It may carry an index, as `n_0` and `n_1` do for the widths of an "
             "MLP. Formulas, `--set`, `--for` and the changes of a model take the letters of the second column; "
             "`symcount explain heads` says what one means, and `symcount explain hidden_size` what a key is read as.",
             "", "## Letters", "",
             *tabulated("symbol | letter | meaning | other authors | configuration keys", "lllll", rows),
             "## Letters of other authors", "",
             "A document says whose letters its formulas are written in, `<!-- symcount: notation=megatron -->`, or "
             "`symcount check --notation` does. What a notation does not list means what it means here.", ""]
    for name in notations():
        lines += [f"### {name}", "", *tabulated("their symbol | ours | meaning", "lll", [
            (code(theirs), code(ours), TABLE[ours].meaning) for theirs, ours in notation(name).items()])]
    return "\n".join(lines)


def conventions_page() -> str:
    """Every convention of work, every way to store numbers, and what either is made of."""
    lines = ["# All conventions", "", f"{MADE} from `symcount/conventions/`, `symcount/storage/`, `symcount/kinds.py` "
             "and the phases. What they are for, and how to choose one: [work and memory](conventions.md).", "",
             "- [Work](#work): what is counted as FLOPs", "- [Numbers in memory](#numbers-in-memory)",
             "- [Phases](#phases)", "- [Elementwise operations](#elementwise-operations)", ""]
    for heading, names, load in (("Work", conventions(), convention), ("Numbers in memory", storages(), storage)):
        lines += [f"## {heading}", ""]
        for name in names:
            one = load(name)
            lines += [f"### {name}", "", escaped(one.line.removeprefix(f"{name}: ")) + ".", "",
                      *([escaped(one.leaves[:1].upper() + one.leaves[1:]) + ".", ""] if one.leaves else []),
                      f"Source: {escaped(one.source)}.", ""]
    return "\n".join([*lines, "## Phases", "", *tabulated("phase | counts", "ll", [
        (code(name), escaped(says)) for name, says in PHASES.items()]), "## Elementwise operations", "",
        "What a convention may rate, and what each name stands for.", "",
        *tabulated("operation | is", "ll", [(code(name), escaped(says)) for name, says in OPERATIONS.items()])])


def identities_page() -> str:
    """What there is to prove by name."""
    lines = ["# The identities", "", f"{MADE}; each page is what `symcount prove NAME` derives. How to read, use and "
             "add them: [proofs](proofs.md).", "", "## Identities of weight matrices", "",
             *(f"- [{name}](identities/{name}.md): {escaped(identity(name).says)}" for name in identities()), "",
             "## Laws: closed forms of papers", "",
             *(f"- [{name}](identities/{name}.md): {escaped(law(name).says)}" for name in ledger_laws()), ""]
    return "\n".join(lines)


def identity_page(name: str) -> str:
    """One identity or law: statement, letters, conditions, proof, what it saves, what it is mistaken for, source."""
    derived = prove(name)
    title, *blocks = derived.to_markdown().strip().split("\n\n")
    said = title.strip("*").partition(": ")[2]
    letters = [filled(block) for block in blocks if block.startswith("| ")]
    displays = [block for block in blocks if block.startswith("$$")]
    remarks: dict[str, list[str]] = {}
    for line in (line for block in blocks if block.startswith("- ") for line in block.split("\n")):
        label, _, text = line[2:].partition(": ")
        remarks.setdefault(label, []).append(text)
    counted = [block for block in blocks if block.startswith("Counted: ")]
    assert len(letters) + len(displays) + len(counted) + 1 == len(blocks), name  # what is here has its place below
    lines = [f"# {name}", "", said[:1].upper() + said[1:] + ".", "", "## Statement", "", statement(name, derived), "",
             *letters, "", "## When", "",
             *([f"- {one}" for one in remarks.pop("when", [])] or [ALWAYS]), "",
             "## Proof", "", as_one(displays) if name in ledger_laws() else "\n\n".join(displays), "",
             "Verdict: " + "; ".join(remarks.pop("verdict")) + ".", "",
             *(f"{one}." for one in remarks.pop("induction", [])), "",
             *(f"Why: {one}." for one in remarks.pop("why")), ""]
    worth = [f"- {what}: {one}" for what in ("parameters", "multiply-adds") for one in remarks.pop(what, [])]
    lines += ["## What it saves", "", *worth, ""] if worth else []
    shown = remarks.pop("in numbers", [])
    lines += ["## In numbers", "", *(f"{one[:1].upper()}{one[1:]}." for one in shown), ""] if shown else []
    lines += [*counted, ""] if counted else []
    mistaken = remarks.pop("but not", [])
    lines += ["## Mistaken for it", "", *(f"- {one}" for one in mistaken), ""] if mistaken else []
    lines += ["## Source", "", *(f"{one}." for one in remarks.pop("source")), ""]
    assert not remarks, f"{name}: {list(remarks)} have no place on the page"
    folder = "laws" if name in ledger_laws() else "theorems"
    lines += [f"{MADE} from `symcount/{folder}/{name}.py`, as `symcount prove {name}`; "
              "[all identities](../identities.md), [proofs](../proofs.md).", ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def filled(table: str) -> str:
    """A table without its last column, where that is empty."""
    head, rule, *rows = table.split("\n")
    if any(not row.endswith(" |  |") for row in rows):
        return table
    return "\n".join(row.rsplit("|", 2)[0] + "|" for row in (head, rule, *rows))


def statement(name: str, derived: object) -> str:
    """Both sides as a display."""
    last = derived.steps[-1]
    if isinstance(last, Equation):
        left, right = latex.words(last.name), latex.form(last.forms[-1])
    else:
        left, right = (latex.math(terms.piece(side)) for side in (identity(name).left, identity(name).right))
    return f"$$\n\\begin{{aligned}}\n& {left} \\\\\n&\\quad = {right}\n\\end{{aligned}}\n$$"


def check_pages() -> dict[Path, str]:
    """The page of every check, from its module."""
    found = {}
    for module, (number, name, _) in zip(checks(), listed(), strict=True):
        head, *parts = re.split(r"\n\n(?=[A-Z][a-z ]+\n    )", module.__doc__.strip())
        lines = [f"# {number} {name}", "", head[len(name) + 2].upper() + head[len(name) + 3:], ""]
        for part in parts:
            title, _, body = part.partition("\n")
            text = re.sub(r"^    ", "", body, flags=re.MULTILINE).strip()
            example = title in ("Bad", "Good")
            ignored = ["<!-- symcount: ignore -->", ""] if title == "Bad" else []
            lines += [f"## {title}", "", *ignored, *(["```text", text, "```"] if example else [text]), ""]
        found[DOCS / "checks" / f"{number}-{name}.md"] = "\n".join(lines)
    return found


def names_page() -> str:
    """Every public name with its signature and docstring."""
    told = [name for _, names in NAMES for name in names.split()]
    assert sorted(told) == sorted(symcount.__all__), set(told) ^ set(symcount.__all__)
    lines = ["# Public names", "", f"{MADE} from the docstrings. All of these are imported from `symcount`; a name is "
             "loaded when it is first used. Letters such as `L` and `d` are those of the [notation](notation.md). The "
             "examples run with the tests.", ""]
    for heading, names in NAMES:
        lines += [f"## {heading}", ""]
        for name in names.split():
            lines += named(name, getattr(symcount, name))
    return "\n".join(lines)


def named(name: str, what: object) -> list[str]:
    """A name, how it is called, what it is, and, of a class, what it has."""
    lines = [f"### {name}", "", *called(name, what)]
    documented = inspect.getdoc(what) or ""
    if not documented.startswith(f"{name}("):  # what namedtuple writes itself
        lines += docstring(documented)
    if not isinstance(what, type):
        return lines
    rows = []
    for method, one in vars(what).items():
        if method[0] != "_" and (callable(one) or isinstance(one, property)):
            sentence = (inspect.getdoc(one) or "").partition("\n")[0]
            shown = method if isinstance(one, property) else method + signature(one, bound=True)
            rows.append((code(shown), escaped(sentence)))
    return [*lines, *(tabulated("attribute | is", "ll", rows) if rows else [])]


def called(name: str, what: object) -> list[str]:
    """The signature as a block of code; an error is raised, not called."""
    if not callable(what) or (isinstance(what, type) and issubclass(what, Exception)):
        return []
    return ["```python", f"{name}{signature(what)}", "```", ""]


def signature(what: object, *, bound: bool = False) -> str:
    """`(ledger: Ledger) -> Derivation`, one parameter a line where it is long."""
    found = inspect.signature(what)
    shown = [one.replace(annotation=Words(one.annotation)) if isinstance(one.annotation, str) else one
             for one in found.parameters.values()]
    shown = [one.replace(default=Words(one.default.__name__)) if inspect.isfunction(one.default) else one
             for one in shown]
    back = Words(found.return_annotation) if isinstance(found.return_annotation, str) else found.return_annotation
    back = found.empty if isinstance(what, type) else back
    whole = str(found.replace(parameters=shown[1:] if bound else shown, return_annotation=back))
    if len(whole) < 88 or bound:
        return whole
    inside, _, after = whole[1:].rpartition(")")
    parts = re.split(r", (?=\*|\w+[:=,)]|\w+$)(?![^\[(]*[\])])", inside)
    return "(\n    " + ",\n    ".join(parts) + ",\n)" + after


class Words(str):
    """An annotation, or the name of a function, that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def docstring(said: str) -> list[str]:
    """A docstring as Markdown: examples and what is indented as they are, fields as a list, all else as prose."""
    lines: list[str] = []
    blocks = [list(group) for blank, group in groupby(said.splitlines(), lambda line: not line.strip()) if not blank]
    for block in blocks:
        if block[0].startswith(">>>"):
            wrong = ["<!-- symcount: ignore -->", ""] if "= check(" in block[0] else []  # what it says is to be found
            lines += [*wrong, "```pycon", *block, "```", ""]
        elif block[0].startswith("    "):
            lines += ["```text", *(line[4:] for line in block), "```", ""]
        elif re.match(r"\w+ {2,}\S", block[0]):
            fields = re.split(r"\n(?=\S)", "\n".join(block))
            lines += [f"- {code(name)}: {escaped(what)}" for name, _, what in (one.partition(" ") for one in fields)]
            lines += [""]
        else:
            lines += [escaped("\n".join(block)), ""]
    return lines


FLAT = {"notation.md": notation_page, "all-conventions.md": conventions_page, "identities.md": identities_page,
        "api.md": names_page}
