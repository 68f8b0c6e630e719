"""What is asked on the command line, in Python: calls of the library, which a notebook writes down and answers.

A call is data, so that what stands in a cell is what was run: `written` and `answered` read the same tree. Most answers
are no notebooks, so only what makes one imports anything.
"""

from __future__ import annotations

from collections import namedtuple
from keyword import iskeyword

from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SHORT = "sc"


class Call(namedtuple("Call", "of name args options")):
    """A function of symcount (`of` is None), of one of its modules (a str), or a method of what another call gives.

    >>> written(Call(None, "parameters", (Call(None, "model", ("gpt2",), {}),), {}))
    "sc.parameters(sc.model('gpt2'))"
    """

    __slots__ = ()

    def then(self, name: str, *args: Any, **options: Any) -> Call:
        """A method of what this call gives."""
        return Call(self, name, args, options)


def call(name: str, *args: Any, **options: Any) -> Call:
    """A call of a public function; options that are None are left out."""
    return Call(None, name, args, {key: given for key, given in options.items() if given is not None})


def written(one: Any) -> str:
    """A call as Python; anything else as its literal."""
    if not isinstance(one, Call):
        return repr(one)
    where = f"{written(one.of)}." if isinstance(one.of, Call) else f"{_SHORT}." if one.of is None else ""
    named = {name: given for name, given in one.options.items() if name.isidentifier() and not iskeyword(name)}
    other = {name: given for name, given in one.options.items() if name not in named}
    given = [*map(written, one.args), *(f"{name}={written(given)}" for name, given in named.items()),
             *([f"**{other!r}"] if other else [])]
    return f"{where}{one.name}({', '.join(given)})"


def answered(one: Any) -> Any:
    """What a call gives."""
    if not isinstance(one, Call):
        return one
    from importlib import import_module

    home = answered(one.of) if isinstance(one.of, Call) else import_module(one.of or "symcount")
    return getattr(home, one.name)(*map(answered, one.args), **one.options)


def imports(calls: list[Call]) -> list[str]:
    """The lines that these calls need before them."""
    found = {f"from {one.of} import {one.name}" for each in calls for one in _within(each) if isinstance(one.of, str)}
    return [f"import symcount as {_SHORT}", *sorted(found)]


def _within(one: Any) -> Iterator[Call]:
    if isinstance(one, Call):
        yield one
        for part in (one.of, *one.args):
            yield from _within(part)


def models(asked: Any) -> list[Call]:
    """The models that were named, with their changes."""
    found = []
    for name in asked.models:
        if name == "-" or name[:2] in ("-:", "-@"):
            raise ModelError("a notebook cannot read standard input again: give the configuration as a file")
        one = call("model", name, head=asked.head)
        found.append(one.then("replace", **changes(asked.set)) if asked.set else one)
    return found


def changes(told: str | None) -> dict[str, Any]:
    """Changes as Python gives them: numbers as numbers."""
    from symcount.naming import read_changes

    return {name: int(given) if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 20
            else given for name, given in read_changes(told or "").items()}


def ledgers(asked: Any, usual: str) -> list[Call]:
    """The ledger of every model and quantity asked for, of the usual quantity where none is named."""
    from symcount.readers.quantities import fitting

    quantities = (asked.of or usual).split(",")
    options = fitting(quantities, asked.convention, asked.phase)
    return [_without(asked, _ledger(one, quantity, options[quantity])) for one in models(asked)
            for quantity in quantities]


def _ledger(one: Call, quantity: str, told: dict[str, str]) -> Call:
    import symcount
    from symcount.readers.quantities import QUANTITIES

    name, _, part = quantity.partition("@")
    module, function, _, _ = QUANTITIES[name]
    options = {"storage" if option == "convention" and module != "work" else option: given
               for option, given in told.items()}
    home = None if function in symcount.__all__ else f"symcount.readers.{module}"
    ledger = Call(home, function, (one,), options)
    return ledger.then("where", part) if part else ledger


def _without(asked: Any, ledger: Call) -> Call:
    return ledger.then("without", *asked.without.split(",")) if asked.without else ledger


def table(asked: Any, ledger: Call, depth: Any) -> Call:
    """A count by part: a ledger shows itself to depth 2, another depth is a table of it."""
    if depth == 2:
        return ledger
    if asked.by == "name":
        depth = Call("symcount.readers.checkpoint", "labels", (_model_of(ledger),), {})
    return Call("symcount.counting", "table", (ledger, depth), {})


def _model_of(ledger: Call) -> Call:
    one = ledger
    while one.name in ("where", "without"):
        one = one.of
    found: Call = one.args[0]
    return found
