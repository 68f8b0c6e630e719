"""What is asked on the command line, in Python: calls of the library, which every format answers and a notebook writes.

A call is data, so that what stands in a cell is what was run: `written` and `answered` read the same tree.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cached_property
from keyword import iskeyword

from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SHORT = "sc"
_PARAMETERS = ("claim", "convention", "model", "one", "other", "phase", "relation", "self", "shapes", "size",
               "unknowns")  # of the functions that take sizes too
_QUANTITIES = ("flops", "memory", "kv")  # that a verb is short for


class Call(namedtuple("Call", "of name args options")):
    """A function of symcount (`of` is None), of one of its modules (a str), or a method of what another call gives.

    >>> written(Call(None, "parameters", (Call(None, "model", ("gpt2",), {}),), {}))
    "sc.parameters(sc.model('gpt2'))"
    """

    def then(self, name: str, /, *args: Any, **options: Any) -> Call:
        """A method of what this call gives."""
        return Call(self, name, args, options)

    @cached_property
    def answer(self) -> Any:
        """What it gives, found once: a model that several calls are of is read once, standard input too."""
        from importlib import import_module

        home = self.of.answer if isinstance(self.of, Call) else import_module(self.of or "symcount")
        return getattr(home, self.name)(*map(answered, self.args), **self.options)


def call(name: str, /, *args: Any, **options: Any) -> Call:
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
    """What a call gives; anything else is there already."""
    return one.answer if isinstance(one, Call) else one


def bare(one: Call) -> Call:
    """What a cell needs to say to show this: of a table to the usual depth the ledger, which shows it of itself."""
    found: Call = one.args[0] if one[:2] == ("symcount.counting", "table") and len(one.args) == 1 else one
    return found


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
    if not asked.models:
        raise ModelError(f"{asked.verb} needs a model, as in symcount {asked.verb} llama-7b")
    found = []
    for name in asked.models:
        if asked.format == "ipynb" and (name == "-" or name[:2] in ("-:", "-@")):
            raise ModelError("a notebook cannot read standard input again: give the configuration as a file")
        one = call("model", name, head=asked.head)
        found.append(one.then("replace", **changes(asked.set)) if asked.set else one)
    return found


def changes(told: str | None, *kept: str) -> dict[str, Any]:
    """Changes as Python gives them: numbers as numbers; what a call takes beside sizes is none, but for the `kept`."""
    from symcount.naming import read_changes

    found = {name: plain(given) for name, given in read_changes(told or "").items()}
    if taken := [name for name in found if name in _PARAMETERS and name not in kept]:
        raise ModelError(f"--set {taken[0]}: no size has this name")
    return found


def plain(given: Any) -> Any:
    """A number that is written in digits as a number, anything else as it is."""
    return int(given) if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 20 else given


def ledgers(asked: Any) -> list[tuple[Call, str, Call]]:
    """(model, quantity, ledger) for every model and quantity asked for."""
    from symcount.readers.quantities import fitting

    quantities = (asked.of or (asked.verb if asked.verb in _QUANTITIES else "params")).split(",")
    options = fitting(quantities, asked.convention, asked.phase)
    return [(one, quantity, _ledger(asked, one, quantity, options[quantity])) for one in models(asked)
            for quantity in quantities]


def _ledger(asked: Any, one: Call, quantity: str, told: dict[str, str]) -> Call:
    import symcount
    from symcount.readers.quantities import reader

    module, function, options, part = reader(quantity, told.get("convention"), told.get("phase"))
    home = None if function in symcount.__all__ else f"symcount.readers.{module}"
    ledger = Call(home, function, (one,), options)
    ledger = ledger.then("where", part) if part else ledger
    return ledger.then("without", *asked.without.split(",")) if asked.without else ledger


def table(asked: Any, one: Call, ledger: Call) -> Call:
    """A count by part, as --by says."""
    by: Any = 2 if asked.by is None else depth(asked.by)
    if by == "name":
        if ledger.answer.unit != "parameter":
            raise ModelError("--by name lists the tensors of a checkpoint: it counts parameters, "
                             f"not {ledger.answer.unit}s")
        by = Call("symcount.readers.checkpoint", "labels", (one,), {})
    return Call("symcount.counting", "table", (ledger,) if by == 2 else (ledger, by), {})


def depth(by: str) -> Any:
    """What --by says: a depth, or a word such as kind; who takes it refuses what it does not know."""
    return int(by) if by.isascii() and by.isdigit() and len(by) < 4 else by
