"""What a page evaluates: the closed forms of a model and its like as trees, what must hold of sizes, and presets."""

from __future__ import annotations

from symcount.architecture import Model
from symcount.building import following, needs
from symcount.counting import derive, formula, table
from symcount.derivation import Equation
from symcount.errors import ModelError, ProofError, SymcountError
from symcount.forms import Function, Number, Power, Product, Quotient, Sum, Symbol, size, written
from symcount.given import RUN, shown
from symcount.ledger import UNITS, Ledger
from symcount.polynomials import Polynomial, added
from symcount.readers.quantities import called, fitting, read
from symcount.render import text
from symcount.render.boxes import Lowered
from symcount.render.boxes import letter as box
from symcount.sizes import RELATIONS, letters, same
from symcount.symbols import TABLE, known, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from symcount.forms import Form

QUANTITIES = ("params", "flops", "kv", "memory")  # unless told otherwise, those of them that the model has
# Sizes that belong to a run, not to a model, and with what they begin; tokens where the model has room for so many
_TOKENS = 512
_RUNNING = {**dict.fromkeys(RUN, 1), **dict.fromkeys(("s", "t", "u", "new"), _TOKENS), "frames": 3000,
            "samples": 160_000}
_MOST_SIZES = 100


def playable(one: Model, of: str = "", convention: str | None = None, phase: str | None = None) -> dict[str, Any]:
    """The data of a page: quantities, letters, structures, and models as a structure with values.

    A structure is what sizes do not change: class, flags, and which sizes follow others; models alike in it share one.
    """
    quantities = list(dict.fromkeys(name.strip() for name in of.split(","))) if of else list(QUANTITIES)
    options = fitting(quantities, convention, phase)
    asked = {quantity: options[quantity] for quantity in quantities}
    if of:
        for quantity in quantities:  # what was asked for by name is refused here, not on the page
            read(one, quantity, **asked[quantity])
    structures: list[dict[str, Any]] = []
    models: list[dict[str, Any]] = []
    told: dict[str, int] = {}  # by what makes a structure
    for each in _alike(one):
        kind = _kind(each)
        if kind not in told:
            made = _structure(each, asked)
            same = [place for place, other in enumerate(structures) if other["quantities"] == made["quantities"]
                    and other["follows"] == made["follows"]]
            told[kind] = same[0] if same else len(structures)
            structures += [] if same else [made]
        models.append({"name": each.name, "title": each.title, "structure": told[kind], "values": _values(each)})
    kept = [quantity for quantity in quantities
            if of or any("form" in one["quantities"][quantity] for one in structures)]
    names = list(dict.fromkeys(name for one in structures for name in one["letters"]))
    if not kept or not names:
        read(one, quantities[0], **asked[quantities[0]])  # which says why, of a part that does not exist
        raise ModelError(f"{one.title}: no count of it depends on a size, so there is nothing to play with")
    if len(names) > _MOST_SIZES:
        raise ModelError(f"{one.title} has {len(names):,} sizes, and a page has room for {_MOST_SIZES}; with @PATH it "
                         "shows one part")
    return {"title": one.title,
            "quantities": {quantity: called(quantity) for quantity in kept},
            "letters": {name: {"means": row(name).meaning, "least": row(name).least, "run": name in _RUNNING}
                        for name in names},
            "lowered": {name: [sign.base.text, sign.low.text] for name in TABLE
                        if isinstance(sign := box(name), Lowered)},  # letters whose name stands below another
            "relations": dict(RELATIONS),
            "words": [name for name in TABLE if len(name) == 2],  # which two letters side by side would spell
            "structures": _labelled(structures), "models": models}


def tree(form: Form) -> list[Any]:
    """A form as JSON: a name for what it is, then what it holds; numbers are digits in a text.

    >>> tree(written(4 * Polynomial({frozenset((("d", 2),)): ((("d", 2),), 1)})))
    ['*', ['n', '4'], ['^', ['s', 'd'], 2]]
    """
    kind = type(form)
    if kind is Number:
        return (["n", str(form.number)] if form.number.denominator == 1 else
                ["/", ["n", str(form.number.numerator)], ["n", str(form.number.denominator)]])
    if kind is Symbol:
        return ["s", form.name]
    if kind is Power:
        return ["^", tree(form.base), form.exponent]
    if kind is Product:
        return ["*", *map(tree, form.factors)]
    if kind is Sum:
        return ["+", *([sign, tree(term)] for sign, term in form.terms)]
    if kind is Quotient:
        return ["/", tree(form.top), tree(form.bottom)]
    if kind is Function:
        return ["f", form.name, *map(tree, form.args)]
    raise ModelError(f"a page cannot evaluate {text.form(form)}")


def _alike(one: Model) -> Iterable[Model]:
    """The model, itself with its word table tied otherwise, and the published ones of its architecture."""
    yield one
    tied = one.given.get("tied", one.architecture.flags.get("tied"))
    if isinstance(tied, bool) and "tied" in one.asked:
        yield one.replace(tied=not tied)
    for name, entry in one.architecture.published.items():
        if name != one.name:
            each = Model(one.architecture, entry.sizes, name=name, cls=entry.cls, published=entry)
            for path in one.parts:
                each = each.part(path)
            yield each


def _kind(one: Model) -> str:
    """What of a model its sizes do not change, as a key."""
    def said(name: str, given: Any) -> str:
        if _number(one, name, given) or _is_letter(one, name):
            return name
        return f"{name}[{len(given)}]" if isinstance(given, tuple) and known(name) else f"{name}={given}"
    return "; ".join([one.cls, *sorted(said(name, given) for name, given in one.given.items())])


def _number(one: Model, name: str, given: Any) -> bool:
    """Whether a size was given as a number, which a page may change."""
    return (isinstance(given, int) and not isinstance(given, bool) and known(name)
            and name not in one.architecture.flags)


def _values(one: Model) -> dict[str, str]:
    """The numbers to begin with: those of the model, and a run that it has room for."""
    room = min(one.values.get(name, _TOKENS) for name in ("P", "P_dec"))
    run = {name: min(number, room) if number == _TOKENS else number for name, number in _RUNNING.items()}
    return {name: str(number) for name, number in {**run, **one.values}.items() if known(name)}


def _structure(one: Model, asked: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The trees of every quantity over letters alone."""
    free = one.freed(*(name for name, given in one.given.items() if _number(one, name, given)
                       and one.architecture.knows(name) and name in (*one.asked, *_RUNNING)), "b")
    sizes = [name for name in dict.fromkeys((*one.values, *free.asked)) if known(name) and name not in _RUNNING
             and (name in free.values or _is_letter(free, name))]
    counted = {quantity: _quantity(free, sizes, quantity, options) for quantity, options in asked.items()}
    held = {name for told in counted.values() for name in told.get("held", ())}
    met = sorted(held, key=_place)
    follows = [(name, written(size)) for name, size in following(free, sizes) if name in free.asked]
    traits = {"": one.cls}  # what tells structures apart
    traits |= {name: f"{name}={shown(free.given.get(name, default))}"
               for name, default in free.architecture.flags.items() if name in free.asked}
    traits |= {name: f"{name} of its own" for name in met
               if name not in _RUNNING or (name in one.given and name not in ("s", "b"))}
    traits |= {name: f"{name} = {text.form(form)}" for name, form in follows}
    return {"model": one.name, "letters": met, "quantities": counted, "traits": traits,
            "follows": [[name, tree(form), row(name).meaning] for name, form in follows]}


def _is_letter(one: Model, name: str) -> bool:
    """Whether a size has neither a number nor a formula."""
    given = one.given.get(name)
    if name in one.given:
        return isinstance(given, Polynomial) and str(given) == name
    return name in one.architecture.sizes and name not in one.architecture.follows


def _place(name: str) -> tuple[bool, int, int]:
    """The order of fields: that of the table of symbols, sizes of a run last."""
    base, _, index = name.rpartition("_")
    where = name if name in TABLE else base
    return name in _RUNNING, list(TABLE).index(where), int(index) if where == base else 0


def _quantity(free: Model, sizes: list[str], quantity: str, options: Mapping[str, str]) -> dict[str, Any]:
    """One count in letters: its form, its parts, what must hold; or why it is refused."""
    try:
        full = read(free, quantity, **options)
    except SymcountError as error:
        return {"refused": str(error)}
    ledger = Ledger(full.unit, full.terms, {}, full.subject, full.notes, full.bounds, convention=full.convention)
    names = list(dict.fromkeys((*sizes, *ledger.letters)))
    asks = needs(free, [ledger], names)
    held = dict.fromkeys((*ledger.letters, *(name for need in asks for side in (need.condition.left,
                                                                                need.condition.right)
                                             for name in letters(side))))
    conditions = [[need.condition.relation, tree(written(need.condition.left)), tree(written(need.condition.right)),
                   need.follows[0] if need.follows else ""] for need in asks]
    parts = table(ledger).rows
    if not same(added(size(part.form) for part in parts if part.depth == 1), ledger.size):
        raise ProofError(f"{ledger.subject}: the parts are not the whole")
    rows = [{"depth": part.depth, "part": part.part, "runs": part.runs and tree(part.runs), "form": tree(part.form)}
            for part in parts]
    steps = [[step.name, tree(step.forms[0])] for step in derive(ledger).steps]
    return {"unit": UNITS[ledger.unit], "form": tree(_checked(ledger)), "rows": rows, "steps": steps,
            "letters": ledger.letters, "held": list(held), "conditions": conditions, "notes": list(ledger.notes)}


def _checked(ledger: Ledger) -> Form:
    """The formula of a ledger, which an equation has compared with the sum of its terms."""
    form: Form = Equation(ledger.subject, [formula(ledger)], of=ledger.size).forms[0]
    return form


def _labelled(structures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The structures, each called by what tells it from the others."""
    told = [one.pop("traits") for one in structures]
    keys = dict.fromkeys(key for traits in told for key in traits)
    differ = [key for key in keys if len({traits.get(key) for traits in told}) > 1]
    for one, traits in zip(structures, told, strict=True):
        one["label"] = ", ".join(traits[key] for key in differ if key in traits) or traits[""]
    return structures
