"""One page about one thing: a part of a model, a configuration key, a convention, a symbol."""

from __future__ import annotations

from symcount.architectures import family, files, load, names
from symcount.checks import listed as checks
from symcount.checks import page
from symcount.conventions import convention
from symcount.conventions import names as conventions
from symcount.errors import ModelError, SymcountError, clipped, nearest
from symcount.given import shown
from symcount.kinds import OPERATIONS
from symcount.laws import ledger_laws
from symcount.notations import notation, notations
from symcount.readers.work import PHASES
from symcount.render.text import columns
from symcount.storage import names as storages
from symcount.storage import storage
from symcount.symbols import TABLE, known, row
from symcount.theorems import identities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def explain(thing: str) -> str:
    r"""The page of a published model, MODEL@PATH, key, flag, convention, storage, identity, law, check or symbol.

    "conventions", "storages", "operations", "phases", "notations" and "checks" list theirs.

    >>> print(explain("heads"))
    heads: query heads
    LaTeX n_{\mathrm{heads}}; other authors write a, H, n

    Raises ModelError for what is none of these.
    """
    if "@" in thing:
        return _part(thing)
    if thing == "checks":
        return columns(rows) if (rows := checks()) else "no check is written yet"
    if thing[:2].upper() == "SC" and thing[2:].isdecimal():
        return page(thing)
    if thing in ("conventions", "storages"):
        return _list(conventions(), convention) if thing == "conventions" else _list(storages(), storage)
    if thing in _TABLES:
        return columns([*_TABLES[thing].items()])
    if thing == "notations":
        return columns([(name, _letters(name)) for name in notations()])
    for what, table in _TABLES.items():
        if thing in table and thing not in TABLE:
            return f"{thing}: {what[:-1]}\n{table[thing]}"
    found = [f"{what}\n{one.line}\n{one.leaves}\nsource: {one.source}" for what, names_of, load_one in _PAGES
             if thing in names_of() for one in (load_one(thing),)]
    found += [f"a notation\n{_letters(thing)}"] if thing in notations() and thing not in names() else []
    if found:
        return "\n\n".join(found)
    if thing in identities() or thing in ledger_laws():
        from symcount.proving import prove  # only an identity needs the algebra

        return prove(thing).to_text()
    if thing in names():
        return _published(thing)
    told = [f"{thing}: a configuration key\n" + "\n".join(keys)] if (keys := _keys(thing)) else []
    if told := [*told, *([flags] if (flags := _flags(thing)) else [])]:
        return "\n\n".join(told)
    if known(thing):
        letter = row(thing)
        others = f"; other authors write {letter.others}" if letter.others else ""
        return f"{letter.name}: {letter.meaning}\nLaTeX {letter.latex}{others}"
    keys_of = (key for file in files() for one in family(file) for key in (*one.keys, *one.flags))
    known_names = {*names(), *conventions(), *storages(), *notations(), *_LISTS, *TABLE, *identities(), *ledger_laws(),
                   *keys_of}
    raise ModelError(f"nothing is known about '{clipped(thing)}'; explain a part as MODEL@PATH; "
                     + nearest(thing, known_names))


_PAGES = (("a convention for work", conventions, convention), ("how numbers are stored", storages, storage))
_LISTS = ("conventions", "storages", "operations", "phases", "notations", "checks")
# What has a line each, and no page
_TABLES = {"operations": OPERATIONS, "phases": PHASES}


def _list(names_of: list[str], load_one: Any) -> str:
    return columns([(name, load_one(name).says) for name in names_of])


def _letters(name: str) -> str:
    """The symbols of a notation with what they are here."""
    return ", ".join(f"{symbol} = {letter}" for symbol, letter in notation(name).items())


def _published(name: str) -> str:
    kind, cls, count = names()[name]
    entry = load(kind).published[name]
    sizes = ", ".join(f"{size} = " + (f"{value:,}" if type(value) is int else str(value).lower())  # true, none
                      for size, value in entry.sizes.items())
    return f"{name}: {cls}, {count:,} parameters\n{sizes}\nsource of the count: {entry.source}"


def _part(thing: str) -> str:
    from symcount.counting import derive
    from symcount.naming import model
    from symcount.readers.parameters import parameters
    from symcount.readers.work import multiply_adds

    found, blocks, refused = model(thing), [], []
    for reader in (parameters, multiply_adds):
        try:
            blocks.append(derive(reader(found)).to_text())
        except SymcountError as error:  # a norm has no multiply-adds, scores have no parameters
            refused.append(error)
    if not blocks:
        raise refused[0]
    return "\n\n".join(blocks)


def _flags(flag: str) -> str:
    """In which families a flag is, what sets it, and its value when nothing is said; empty for what is none.

    >>> print(_flags("mask_token"))
    mask_token: a flag of 3 families, which --set changes
      beit: use_mask_token sets it; when left out, mask_token=false
      data2vec-vision: use_mask_token sets it; when left out, mask_token=false
      dinov2: use_mask_token sets it; when left out, mask_token=true
    """
    rows = []
    for one in (one for file in files() for one in family(file) if flag in one.flags):
        keys = [key for key, (size, _) in one.keys.items() if size == flag]
        sets = f"{' or '.join(keys)} sets it; " if keys else ""
        rows.append(f"  {one.name}: {sets}when left out, {flag}={shown(one.flags[flag])}")
    many = "1 family" if len(rows) == 1 else f"{len(rows)} families"
    return f"{flag}: a flag of {many}, which --set changes\n" + "\n".join(rows) if rows else ""


def _keys(key: str) -> list[str]:
    from symcount.config import IGNORED, ONLY

    found: list[str] = []
    if known(key):  # a letter, of which its own page tells
        return found
    for one in (one for file in files() for one in family(file)):
        name = one.aliases.get(key, key)
        if name in one.keys:
            size, default = one.keys[name]
            shown = one.follows[size] if default is None else default
            meaning = f" ({row(size).meaning})" if known(size) else ""
            found.append(f"  {one.name}: read as {size}{meaning}; when absent, {size} = {shown}")
        elif name in one.reads:
            found.append(f"  {one.name}: read with other keys; when absent, {one.reads[name]}")
        elif name in one.only:
            found.append(f"  {one.name}: only {', '.join(map(str, one.only[name][0]))}: {one.only[name][1]}")
        elif name and name in one.acts and name not in IGNORED:
            kind, path = one.acts[name]
            found.append(f"  {one.name}: the activation of {path or 'every MLP'}, which has no weights; when absent, "
                         + (kind or "that of its class"))
        elif name in one.ignored:
            found.append(f"  {one.name}: ignored: {one.ignored[name]}")
    if key in IGNORED and not found:
        found.append(f"  every family: ignored: {IGNORED[key]}")
    if key in ONLY and not found:
        found.append(f"  every family: only {', '.join(map(str, ONLY[key][0]))}: {ONLY[key][1]}")
    return found
