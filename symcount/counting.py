"""A ledger to what people read: its formula in the author's order, a table of parts, a derivation.

The writer's rules: (a) a scope that runs more than once is a group, other scopes dissolve; (b) like products
add, and equal groups add their runs; (c) in a sum the degree falls, ties stay as written; (d) one-letter
names stand before long ones; (e) components are grouped, never factored by algebra; (f) what groups that complete each
other have alike is written once: L_dense(A + B) + (L − L_dense)(A + C) is L·A + L_dense·B + (L − L_dense)C.
"""

from __future__ import annotations

from itertools import combinations

from symcount.derivation import Derivation, Equation, Row, SymbolRow, Table, number
from symcount.forms import Number, Product, Sum, flat, numbers, size, total, written
from symcount.ledger import UNITS, Ledger, Term
from symcount.polynomials import Bracket, Polynomial, added, canonical, lift, opaque, positive_first
from symcount.render import text
from symcount.sizes import RELATIONS, fraction, from_sympy, is_one, letters, value
from symcount.symbols import known as is_letter
from symcount.symbols import row

# The sizes of a run, which an answer about it names
_RUN = ("b", "s", "t", "u", "new", "tp", "pp", "dp", "side", "frames", "samples")
_MOST_GROUPS = 6  # of which all are tried together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from symcount.architecture import Model
    from symcount.forms import Form
    from symcount.polynomials import Condition, Size


def formula(ledger: Ledger) -> Form:
    """The sum of a ledger as its author would write it.

    >>> from symcount.naming import model
    >>> from symcount.readers.parameters import parameters
    >>> from symcount.render import text
    >>> text.form(formula(parameters(model("llama-7b"))))
    'L(4d² + 3dh + 2d) + 2Vd + d'
    """
    return written(grouped(ledger))


def grouped(ledger: Ledger) -> Size:
    """The size that `formula` writes: the sum of a ledger, in which what repeats is a Bracket."""
    return _gathered([(term.scopes, term.factors) for term in ledger.terms])


def hundredths(count: Any, whole: Any = 1) -> int:
    """A share in hundredths of a percent, rounded half up.

    >>> hundredths(1, 3)
    3333
    """
    return int((20_000 * count + whole) // (2 * whole))


def table(ledger: Ledger, depth: int | str | Mapping[str, str] = 2) -> Table:
    """The parts of a ledger with formula, count and share: a tree down to `depth`, or as `Ledger.by` groups them."""
    whole = None if ledger.open else ledger.total
    listed: list[Row] = []
    if isinstance(depth, int) and depth > 0:
        _list(ledger, 1, depth, whole, listed)
    else:
        listed = [_row(part, name, 1, whole) for name, part in ledger.by(depth).items()]
    total_row = Row(0, "total", None, lambda: formula(ledger), whole, None)
    said = notes(ledger) if ledger.open else conventions(ledger)  # a number has been checked, a formula has not
    return Table(title(ledger), UNITS[ledger.unit], tuple(listed), total_row, said)


def rows(ledger: Ledger) -> tuple[Row, ...]:
    """Every term of a ledger as a row."""
    whole = None if ledger.open else ledger.total
    return tuple(_row(_part([term], ledger), term.path, 1, whole) for term in ledger.terms)


def derive(ledger: Ledger) -> Derivation:
    """How a count comes about: symbols, then each part as formula, numbers and count, then the total.

    What has a derivation of its own, as `solve` and `share` give it, shows that.

    >>> from symcount.naming import model
    >>> from symcount.readers.parameters import parameters
    >>> print(derive(parameters(model("mlp:4-3-2"))).steps[0].name)
    layer1
    """
    if hasattr(ledger, "derivation"):  # a solution, a share, a comparison
        derived: Derivation = ledger.derivation()
        return derived
    steps = _steps([*ledger.terms], ledger)
    parts = list(ledger.by(1).values())
    if len(parts) > 1:
        apart, whole = _terms(parts), formula(ledger)
        alike = len(whole.terms if isinstance(whole, Sum) else (whole,)) < len(apart.terms)
        lines = [] if ledger.open else [numbers(whole if alike else apart, ledger.values)]
        by_part = [] if ledger.open else [total([(1, number(part.total)) for part in parts])]
        if alike:  # like terms of unlike parts come together in one formula
            steps.append(Equation("sum of the parts", [apart, *by_part, *_last(ledger)], of=ledger.size,
                                  values=ledger.values))
            by_part = [] if ledger.open else [_partial(whole, ledger)]
        steps.append(Equation("total", [whole if alike else apart, *lines, *by_part, *_last(ledger)], of=ledger.size,
                              values=ledger.values))
    symbols = tuple(SymbolRow(name, row(name).meaning, ledger.values.get(name)) for name in ledger.letters)
    return Derivation(title(ledger), steps, symbols=symbols, table=table(ledger), notes=notes(ledger))


def title(ledger: Ledger) -> str:
    """What is counted, of what."""
    return f"{ledger.subject}: {UNITS[ledger.unit]}" if ledger.subject else UNITS[ledger.unit]


def conventions(ledger: Ledger) -> tuple[str, ...]:
    """What was counted, and for which run."""
    if ledger.open:
        partly = any(name in ledger.values for name in ledger.letters if name != "b")
        return (*ledger.notes, *([f"no number, for {no_value(ledger.open)}"] if partly else []))
    return (*ledger.notes, *run(ledger))


def run(ledger: Ledger) -> tuple[str, ...]:
    """The sizes of the run that a count depends on, those that have a value."""
    met = [name for name in _RUN if name in ledger.letters and name in ledger.values]
    return tuple(f"{name} = {ledger.values[name]:,}" for name in met)


def notes(ledger: Ledger) -> tuple[str, ...]:
    """The conventions of a count, and the conditions under which its formula holds."""
    held = " and ".join(map(in_words, ledger.conditions))
    return (*conventions(ledger), *((f"holds when {held}",) if held else ()))


def in_words(condition: Condition) -> str:
    """A condition as notes say it: heads divides d."""
    verb, _ = RELATIONS[condition.relation]
    return f"{plain(condition.left)} {verb} {plain(condition.right)}"


def no_value(names: Sequence[str]) -> str:
    """Which sizes are open, as a sentence.

    >>> no_value(["V", "N"])
    'V and N have no value'
    """
    return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no value"


def independent(ledger: Ledger, model: Model) -> list[str]:
    """The letters of a model, and of a run, that the count does not depend on."""
    sizes = [name for name, given in model.given.items() if is_letter(name) and given is not None
             and not isinstance(given, (bool, tuple)) and letters(given) in ([], [name])]  # a number, or left free
    return [name for name in dict.fromkeys((*sizes, "s", "b")) if name not in letters(ledger.size)]


def plain(amount: Size) -> str:
    """A size in text, as it was written."""
    return text.form(written(amount))


def _row(part: Ledger, name: str, depth: int, whole: Any) -> Row:
    runs = {runs for term in part.terms for path, runs in term.scopes if path == name and not is_one(runs)}
    times = runs.pop() if len(runs) == 1 else None
    if times is not None:
        times = written(times) if part.open else number(value(times, part.values))
    count = None if whole is None else part.total
    return Row(depth, name, times, lambda: formula(part), count, hundredths(count, whole) if whole else None)


def _list(ledger: Ledger, depth: int, deepest: int, whole: Any, listed: list[Row]) -> None:
    for name, part in ledger.by(depth).items():
        if len(name.split(".")) < depth or (not part.open and not part.total):  # no layers of a kind
            continue
        listed.append(_row(part, name, depth, whole))
        if depth < deepest and len(part.by(depth + 1)) > 1:
            _list(part, depth + 1, deepest, whole, listed)


def _steps(terms: list[Term], ledger: Ledger, depth: int = 1, each: str = "") -> list[Equation]:
    """A step for every part at this depth; a repeated part is first explained once, then multiplied."""
    steps = []
    for name, inside in _by_path(terms, depth).items():
        runs = next((r for path, r in inside[0].scopes if path == name and not is_one(r)), None)
        whole = _part(inside, ledger)
        if runs is None:
            lines = [] if ledger.open else [numbers(formula(whole), ledger.values)]
            if any(not is_one(inner) for term in inside for _, inner in term.scopes):  # layers of several kinds
                steps += _steps(inside, ledger, depth + 1, each)
                lines = [] if ledger.open else [total([(1, number(_part(part, ledger).total))
                                                       for part in _by_path(inside, depth + 1).values()])]
            steps.append(_equation(name + each, whole, lines))
            continue
        once = [term.once(name) for term in inside]
        one, parts = _part(once, ledger), _by_path(once, depth + 1)
        steps += _steps(once, ledger, depth + 1, " (each)")
        if len(parts) > 1:
            counts = [] if ledger.open else [(1, number(_part(part, ledger).total)) for part in parts.values()]
            steps.append(_equation(f"{name} (each)", one, [total(counts)] if counts else []))
        times = [] if ledger.open else [Product((Number(value(runs, ledger.values)), number(one.total)))]
        steps.append(_equation(name + each, whole, times))
    return steps


def _by_path(terms: list[Term], depth: int) -> dict[str, list[Term]]:
    groups: dict[str, list[Term]] = {}
    for term in terms:
        groups.setdefault(".".join(term.path.split(".")[:depth]), []).append(term)
    return groups


def _part(terms: list[Term], ledger: Ledger) -> Ledger:
    return Ledger(ledger.unit, terms, ledger.values, ledger.subject, ledger.notes)


def _equation(name: str, part: Ledger, between: list[Form]) -> Equation:
    """Formula, the lines between, and the count if there is one."""
    return Equation(name, [formula(part), *between, *_last(part)], of=part.size, values=part.values)


def _partial(whole: Form, ledger: Ledger) -> Form:
    """The line of partial numbers: every term of the sum as one number."""
    if not isinstance(whole, Sum):
        return number(ledger.total)
    return Sum(tuple((sign, number(fraction(size(term), ledger.values))) for sign, term in whole.terms))


def _terms(parts: list[Ledger]) -> Sum:
    """The formulas of the parts, one after another."""
    shown = [formula(part) for part in parts]
    return Sum(tuple(flat([(1, form) for form in shown])))


def _last(ledger: Ledger) -> list[Form]:
    return [] if ledger.open else [number(ledger.total)]


def _gathered(terms: list[tuple[tuple[Any, ...], tuple[Size, ...]]]) -> Size:
    """Like products added, repeated scopes grouped and kept in brackets, the degree falling."""
    products: list[Size] = []
    groups: dict[str, tuple[Size, list[Any]]] = {}
    for scopes, factors in terms:
        at = next((i for i, (_, runs) in enumerate(scopes) if not is_one(runs)), None)
        if at is None:
            products.append(_times(factors))
        else:
            path, runs = scopes[at]
            groups.setdefault(path, (runs, []))[1].append((scopes[at + 1:], factors))
    bodies = _alike((runs, _gathered(inside)) for runs, inside in groups.values())
    whole = added([*products, *map(_times, _alike(_completed(bodies)))])
    if not isinstance(whole, Polynomial):
        return whole
    return Polynomial(dict(sorted(whole.terms.items(), key=lambda term: _degree(term[1][0]), reverse=True)))


def _alike(groups: Iterable[tuple[Size, Size]]) -> list[tuple[Size, Size]]:
    """Groups (runs, body), those with equal bodies as one."""
    found: dict[str, tuple[Size, Size]] = {}
    for runs, body in groups:
        old = found.get(canonical(body))
        found[canonical(body)] = (runs if old is None else positive_first(old[0] + runs), body)
    return list(found.values())


def _completed(groups: list[tuple[Size, Size]]) -> list[tuple[Size, Size]]:
    """Rule (f) on groups (runs, body), the most groups first."""
    if len(groups) > _MOST_GROUPS or any(lift(side) is NotImplemented for group in groups for side in group):
        return groups
    for chosen in (some for n in range(len(groups), 1, -1) for some in combinations(range(len(groups)), n)):
        several = [groups[i] for i in chosen]
        runs = added(runs for runs, _ in several)
        if len(lift(runs).terms) != 1 or all(len(lift(part).terms) == 1 for part, _ in several):
            continue  # these do not complete each other
        first, *others = (lift(body).terms for _, body in several)
        shared = {key: term for key, term in first.items()
                  if all(key in other and other[key][1] == term[1] for other in others)}
        if shared:
            body = Polynomial(shared)
            rest = [(part, lift(own) - body) for part, own in several]
            left = [group for i, group in enumerate(groups) if i not in chosen]
            return [(runs, body), *_completed([*((part, own) for part, own in rest if lift(own).terms), *left])]
    return groups


def _times(factors: Iterable[Size]) -> Size:
    """The product of sizes: single terms multiply, sums stay in brackets."""
    result: Size = 1
    for factor in factors:
        known = from_sympy(factor) if lift(factor) is NotImplemented else factor
        several = isinstance(known, Polynomial) and len(known.terms) > 1
        result = result * (opaque(Bracket(known)) if several else known)
    return result


def _degree(powers: Iterable[tuple[Any, int]]) -> int:
    return sum(power * (max(_degree(inner) for inner, _ in atom.body.terms.values())
                        if isinstance(atom, Bracket) else 1) for atom, power in powers)
