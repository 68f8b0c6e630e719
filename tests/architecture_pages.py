"""The page of each file of architectures: closed forms, sizes, keys, classes, published models, how far it was checked.

All is read from the file itself, as `symcount formula NAME:` and `symcount explain KEY` read it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from textwrap import dedent

from markup import as_one, code, escaped, tabulated
from symcount import active_parameters, flops, kv_cache, model, parameters
from symcount.architectures import agreed, family, files
from symcount.counting import derive, formula, notes
from symcount.derivation import Equation
from symcount.errors import SymcountError
from symcount.forms import written
from symcount.given import shown
from symcount.polynomials import lift
from symcount.render import latex
from symcount.sizes import same
from symcount.symbols import known, row

FOLDER = Path(__file__).parents[1] / "docs" / "architectures"
WIDTHS = {"mlp": "mlp:784-128-10"}  # of how many layers it is, only its widths say
# Further quantities: what a page calls it, how it is read of a model, what stands before its formula
MORE = (("Parameters that a token meets:", active_parameters, "active parameters"),
        ("FLOPs of a forward pass:", flops, "FLOPs"),
        ("Numbers that the cache of t tokens holds:", lambda subject: kv_cache(subject.freed("t")), "cache"))


def architecture_pages() -> dict[Path, str]:
    """{file: its page} for every file of architectures."""
    return {FOLDER / f"{file}.md": page(file) for file in files()}


def title(file: str) -> str:
    """LLaMA for llama.py: what stands before the first colon of the file, or its name."""
    said = import_module(f"symcount.architectures.{file}").__doc__
    name, colon, _ = said.partition(": ")
    return name if colon and "\n" not in name else file.replace("_", " ")


def page(file: str) -> str:
    """The page of one file, a section for each type."""
    types, name = family(file), title(file)
    lines = [f"# {escaped(name)}", ""]
    said = import_module(f"symcount.architectures.{file}").__doc__.strip().removeprefix(f"{name}: ")
    for part in (said[:1].upper() + said[1:]).split("\n\n"):
        lines += ["```text", dedent(part), "```", ""] if part.startswith("    ") else [escaped(part), ""]
    if len(types) > 1:
        lines += ["Types: " + ", ".join(f"[{code(one.name)}](#{one.name})" for one in types) + ".", ""]
    first: dict[str, str] = {}
    for one in types:
        lines += section(one, first)
    lines += [f"Made by `python tests/documents.py` from `symcount/architectures/{file}.py`; "
              "[all architectures](../architectures.md), [notation](../notation.md).", ""]
    return "\n".join(lines)


def section(one, first):
    """One type; `first` has the displays that stood above it on the page, and where."""
    subject = model(WIDTHS.get(one.name, f"{one.name}:"))
    ledger = parameters(subject)
    by_part = as_one([latex.step(step) for step in derive(ledger).steps
                      if step.name not in ("sum of the parts", "total")])
    lines = [f"## {code(one.name)}", "", f"Parameters of {code(subject.cls)}, every size a letter:", "",
             whole(ledger, "parameters"), ""]
    if len(ledger.by(1)) > 1:
        before = first.setdefault(by_part, one.name)
        again = [f"By part as [{code(before)}](#{before}).", ""]
        lines += ["By part:", "", by_part, ""] if before == one.name else again
    lines += [f"Counted: {escaped('; '.join(notes(ledger)))}.", ""]
    for what, read, name in MORE:
        lines += further(subject, ledger, what, read, name)
    return [*lines, *published(one), *checked(one), *sizes(one), *classes(one, subject), *keys(one)]


def whole(ledger, name):
    """The sum of a ledger as a display."""
    return latex.step(Equation(name, [formula(ledger)], of=ledger.size))


def further(subject, ledger, what, read, name):
    """Another quantity, where the class has it and it is not the same as the parameters."""
    try:
        found = read(subject)
    except SymcountError:  # no cache, or a size of the run that only a number can be
        return []
    if not found.terms or (found.unit == ledger.unit and same(found.size, ledger.size)):
        return []
    told = [note for note in notes(found) if note not in notes(ledger)]
    return [what, "", whole(found, name), "", *([f"Counted: {escaped('; '.join(told))}.", ""] if told else [])]


def sizes(one):
    """What each size is, which key gives it, and what it is without one."""
    others = {key: [name for name, meant in one.aliases.items() if meant == key] for key in one.keys}
    given = {size: (key, default) for key, (size, default) in one.keys.items()}
    rows, flags = [], []
    for name in dict.fromkeys((*one.sizes, *one.follows, *one.flags)):
        key, default = given.get(name, ("", None))
        told = ", ".join(map(code, [key, *others[key]])) if key else ""
        default = one.flags.get(name, default) if name in one.flags else default
        follows = one.follows.get(name)
        value = (f"{code(follows)}" if default is None and follows else "" if default is None and name not in one.flags
                 else amount(default))
        if known(name) and name not in one.flags:
            rows.append((f"${row(name).latex}$", code(name), row(name).meaning, told, value))
        else:
            flags.append((code(name), told, value))
    lines = ["Sizes and flags, and the keys that give them:", ""] if rows or flags else []
    if rows:
        lines += tabulated("symbol | letter | meaning | key | when left out", "lllll", rows)
    if flags:
        lines += tabulated("flag | key | when left out", "lll", flags)
    return lines


def amount(value):
    """A default, or a size, as a page shows it."""
    if isinstance(value, (tuple, list)):
        return "-".join(map(str, value)) if len(value) < 12 else f"{len(value)} numbers"
    return f"{value:,}" if type(value) is int else escaped(shown(value))


def classes(one, subject):
    """Every class with what it has beside the first."""
    if len(one.classes) < 2:
        return []
    base = next(iter(one.classes))
    counted = {cls: parameters(subject.replace(head=cls)) for cls in one.classes}
    rows = []
    for cls, ledger in counted.items():
        more = lift(ledger.size - counted[base].size) if cls != base else None
        rows.append((code(cls), "" if more is None else
                     f"${latex.form(written(more))}$" if more is not NotImplemented and more.terms else "the same"))
    return ["Classes:", "", *tabulated(f"class | parameters beside those of {code(base)}", "ll", rows)]


def keys(one):
    """Keys that give no size alone, those with a condition, and those without a meaning for a count."""
    lines = []
    read = {**{key: f"read with other keys; when absent, {shortened(default)}" for key, default in one.reads.items()},
            **{key: f"must agree with {code(other)}" for key, other in one.same.items()},
            **{key: f"only {', '.join(map(shortened, values))}: {escaped(why)}"
               for key, (values, why) in one.only.items()}}
    lines += [f"- {code(key)}: {how}" for key, how in read.items()]
    reasons = {}
    for key, why in one.ignored.items():
        reasons.setdefault(why, []).append(code(key))
    lines += [f"- ignored, {escaped(why)}: {', '.join(names)}" for why, names in reasons.items()]
    return ["Other keys of the configuration:", "", *lines, ""] if lines else []


def shortened(value):
    """A value as code, of no great length."""
    said = shown(value)
    return code(said if len(said) <= 60 else said[:57] + "…")


def published(one):
    """The published models with their counts, and who counted."""
    if not one.published:
        return []
    several = len({entry.cls for entry in one.published.values()}) > 1
    rows = [(code(name), *([code(entry.cls)] if several else []), f"{entry.count:,}",
             ", ".join(f"{size} = {amount(value)}" for size, value in entry.sizes.items() if size != "acts"))
            for name, entry in one.published.items()]
    sources = dict.fromkeys(entry.source for entry in one.published.values())
    head = "model | " + ("class | " if several else "") + "parameters | sizes"
    return ["Published models:", "", *tabulated(head, "l" + "l" * several + "rl", rows),
            *(f"- source of the counts: {escaped(source)}" for source in sources), ""]


def checked(one):
    """How many measured models are counted exactly."""
    if one.name not in agreed():
        return []
    exact, refused, own = agreed()[one.name]
    also = f", {refused} more refused" if refused else ""
    return [f"Checked on the real implementation: {exact} measured models exact{also}; {own} configurations made to "
            "break it exact or refused.", ""]
