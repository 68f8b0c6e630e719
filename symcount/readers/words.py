"""A network as terms over its weights: what each part is of what, as far as it is linear.

Rows are tokens (axis s) or samples (b), columns are features, and an axis of heads is an index that letters carry.
A weight is a letter, a bias is `1 b`, a norm's gain a diagonal matrix, rows of a table are a choice times the
table. What is not linear is a new letter: an activation, a softmax and a norm with what they are of, and what has
no words here (a rotation, a product of two activations, a layer that repeats) as an input, with its reason.

Source: findings of linear algebra in transformer blocks: Elhage et al. 2021, "A mathematical framework".
"""

from __future__ import annotations

from collections import namedtuple

from symcount.algebra.making import number, ones
from symcount.algebra.rules import indices
from symcount.algebra.terms import Apply, Letter, Over, Term, agree, scaled
from symcount.functions import FUNCTIONS
from symcount.network import walk
from symcount.sizes import is_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from symcount.readers import Network
    from symcount.tensors import Tensor

# letter: what stands for the value; term: what it is, None for an input; kind: the verb, or the kind of a pointwise,
# that made it one, "" for what is linear; of: the tensor
Named = namedtuple("Named", "letter term kind of")
# A tensor as a matrix: its term, and which axes are its rows and its columns (None for one row, one column)
View = namedtuple("View", "term row column")


class Words:
    """The terms of a network: `named` in the order of making, `view` for any of its tensors, `ends` of all words.

    `name` gives weights and values their letters; `cut` says which linear results get a letter of their own.
    """

    def __init__(self, net: Network, name: Callable[[Tensor], str], cut: Callable[[Tensor], bool] = lambda _: False,
                 ) -> None:
        self.name = name
        self.views: dict[int, View] = {}
        self.named: dict[str, Named] = {}
        self.ends: list[tuple[Tensor, Term]] = []  # where words end: what is not linear, or leaves, and its argument
        self._used: dict[str, int] = {}
        self.users: dict[int, list[Tensor]] = {}
        # by path: the letter, and which axes are its rows and its columns
        self.weights: dict[str, tuple[Letter, tuple[str | None, str | None]]] = {}
        for x in walk(net):
            for operand in x.inputs:
                self.users.setdefault(operand.serial, []).append(x)
        for x in walk(net):
            if _weight(x) is None:
                self.views[x.serial] = self._read(x)
                if cut(x):
                    self._cut(x)
        results = net if isinstance(net, tuple) else (net,)
        self.ends += [(x, self.view(x).term) for x in results if _weight(x) is None]

    def view(self, x: Tensor) -> View:
        """A tensor as a matrix."""
        return self.views[x.serial]

    def weight(self, x: Tensor, rows: str | None, column: str | None, *properties: str) -> Term | None:
        """A weight as a letter, rows and columns as it is first used; in a later use perhaps its transpose.

        Axes that are neither are indices. None where another use has other rows and columns.
        """
        over = tuple(axis for axis in x.axes if axis not in (rows, column))
        if x.path not in self.weights:
            sizes = [x.axes[axis] if axis else 1 for axis in (rows, column)]
            self.weights[x.path] = Letter(self.name(x), sizes[0], sizes[1], properties, over), (rows, column)
        one, used = self.weights[x.path]
        if one.over != over or used not in ((rows, column), (column, rows)):
            return None
        return one if used == (rows, column) else one.T

    def _cut(self, x: Tensor) -> None:
        view = self.view(x)
        letter = Letter(self.fresh(self.name(x)), view.term.rows, view.term.columns, (), tuple(sorted(
            indices(view.term) & set(x.axes))))
        self.named[letter.name] = Named(letter, view.term, "", x)
        self.views[x.serial] = View(letter, view.row, view.column)

    def _input(self, x: Tensor, kind: str) -> View:
        """What has no words: a letter of its own."""
        row, column, over = _matrix(x)
        letter = Letter(self.fresh(self.name(x)), x.axes[row] if row else 1, x.axes[column] if column else 1,
                        ("data",), over)
        self.named[letter.name] = Named(letter, None, kind, x)
        self.ends += [(x, self.view(operand).term) for operand in x.inputs if _weight(operand) is None]
        return View(letter, row, column)

    def value(self, x: Tensor, term: Apply, view: View) -> View:
        """A value that is no longer linear: a letter, and what it is of."""
        letter = Letter(self.fresh(self.name(x)), term.rows, term.columns, _declared(term), tuple(sorted(
            indices(term))))
        self.named[letter.name] = Named(letter, term, term.function.name, x)
        self.ends.append((x, term))
        return View(letter, view.row, view.column)

    def fresh(self, name: str) -> str:
        """The name, numbered where it is taken."""
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}_{{{self._used[name]}}}"

    def _read(self, x: Tensor) -> View:
        rule = _RULES.get(x.verb)
        found = rule(self, x) if rule else None
        return self._input(x, x.details.get("kind") or x.verb) if found is None else found


def _matrix(x: Tensor) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Rows, columns and indices of a tensor that nothing says more of."""
    axes = [axis for axis in x.axes if axis != "b" or not {"s", "t"} & x.axes.keys()]
    row = next((axis for axis in ("s", "t", "b") if axis in axes), None)
    rest = [axis for axis in axes if axis != row]
    return row, rest[-1] if rest else None, tuple(rest[:-1])


def _weight(x: Tensor) -> Tensor | None:
    """The weight that a tensor is, perhaps handed into or out of a scope."""
    while x.verb in ("enter", "leave"):
        x = x.inputs[0]
    return x if x.verb == "weight" else None


def _through(words: Words, x: Tensor) -> View | None:
    """What a scope that runs once hands in and out is what it was; a repeated one is an input."""
    inside = x.scope if x.verb == "enter" else x.inputs[0].scope
    return words.view(x.inputs[0]) if inside is None or is_one(inside.runs) else None


def _contracted(words: Words, x: Tensor) -> View | None:
    if len(x.inputs) != 2:
        return None
    a, b = x.inputs
    summed = [axis for axis in x.details["all"] if axis not in x.axes]
    if _weight(a) or _weight(b):
        value, one = (b, _weight(a)) if _weight(a) else (a, _weight(b))
        return None if one is None or _weight(value) else _mapped(words, x, value, one, summed)
    left, right = words.view(a), words.view(b)
    if len(summed) != 1 or (x.details["mask"] is not None and not _softened(words, x, left)):
        return None
    if left.column == right.column == summed[0] and left.row != right.row:
        return View(left.term * right.term.T, left.row, right.row)
    if left.column == right.row == summed[0]:
        return View(left.term * right.term, left.row, right.column)
    return None


def _softened(words: Words, x: Tensor, left: View) -> bool:
    """Whether a mask on a product is a matter of the softmax before or after it: then words may leave it out."""
    if "stochastic" in getattr(left.term, "properties", ()):
        return True
    users = words.users.get(x.serial, [])
    while users and all(user.details.get("kind") == "attention_scale" for user in users):
        users = [other for user in users for other in words.users.get(user.serial, [])]
    return bool(users) and all(user.details.get("kind") == "softmax" for user in users)


def _mapped(words: Words, x: Tensor, value: Tensor, one: Tensor, summed: list[str]) -> View | None:
    """A value times a weight: columns are summed, and indices that are summed too."""
    view = words.view(value)
    out = [axis for axis in one.axes if axis in x.axes]
    if view.column not in summed or view.column not in one.axes or view.row in out or x.details["mask"] is not None:
        return None
    letter = words.weight(one, view.column, out[-1] if out else None)
    if letter is None:
        return None
    return View(_over(view.term * letter, [axis for axis in summed if axis != view.column]), view.row,
                out[-1] if out else None)


def _over(term: Term, summed: list[str]) -> Term:
    return Over(tuple(summed), term) if summed else term


def _pointwise(words: Words, x: Tensor) -> View | None:
    kind, (first, *others) = x.details["kind"], x.inputs
    if _weight(first) or list(first.axes) != list(x.axes):
        return None
    view, other_weight = words.view(first), _weight(others[0]) if len(others) == 1 else None
    if kind == "bias" and other_weight and view.column in other_weight.axes and view.row not in other_weight.axes:
        letter = words.weight(other_weight, None, view.column)
        return View(view.term + ones(view.term.rows) * letter, view.row, view.column) if letter else None
    if kind == "dropout" and not others:  # at inference
        return view
    if kind == "attention_scale" and not others:
        return View(scaled(number("scale"), view.term), view.row, view.column)
    if kind == "add" and len(others) == 1 and not other_weight:
        other = words.view(others[0])
        if (other.row, other.column) == (view.row, view.column) and list(others[0].axes) == list(first.axes):
            return View(view.term + other.term, view.row, view.column)
    if kind in FUNCTIONS and "rowwise" in FUNCTIONS[kind].laws and view.column != list(x.axes)[-1]:
        return None  # a softmax or a norm over what are not the columns here
    if kind in FUNCTIONS and not others:
        return words.value(x, Apply(kind, view.term), view)
    if kind in FUNCTIONS and other_weight and [*other_weight.axes] == [view.column]:
        core = words.value(x, Apply(kind, view.term), view)
        gain = Letter(words.name(other_weight), core.term.columns, core.term.columns, ("diagonal",))
        words.weights.setdefault(other_weight.path, (gain, (view.column, view.column)))
        return View(core.term * gain, view.row, view.column)
    return None


def _looked_up(words: Words, x: Tensor) -> View | None:
    ids, table = x.inputs
    if table.verb != "weight" or len(table.axes) != 2:
        return None  # a table of which each layer or expert has its own
    indexed, column = table.axes
    row, *others = [axis for axis in ids.axes if axis != "b"] or list(ids.axes)
    rows = words.weight(table, indexed, column)
    if others or rows is None:
        return None
    chosen = Letter(words.fresh("O"), ids.axes[row], table.axes[indexed], ("data",))
    return View(chosen * rows, row, column)


def _renamed(words: Words, x: Tensor) -> View | None:
    if _weight(x.inputs[0]):
        return None
    view, names = words.view(x.inputs[0]), x.details["names"]
    if indices(view.term) & names.keys():
        return None
    return View(view.term, names.get(view.row, view.row), names.get(view.column, view.column))


def _cached(words: Words, x: Tensor) -> View | None:
    """In a full pass, where every token is attended, the remembered rows are the rows."""
    view = words.view(x.inputs[0])
    axis, into = x.details["axis"], x.details["into"]
    if x.details["kept"] is not None:  # a state is kept beside what goes on
        return view
    if not agree(x.axes[into], x.inputs[0].axes[axis]) or view.row != axis:
        return None
    return View(view.term, into, view.column)


_RULES: dict[str, Callable[[Words, Tensor], View | None]] = {
    "enter": _through, "leave": _through, "contract": _contracted, "pointwise": _pointwise, "lookup": _looked_up,
    "rename": _renamed, "cached": _cached,
}


def _declared(term: Apply) -> tuple[str, ...]:
    """A softmax leaves rows that sum to 1."""
    return ("data", "stochastic") if "stochastic" in term.function.laws else ("data",)
