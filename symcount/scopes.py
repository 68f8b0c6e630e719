"""Where in a network something is made: named, perhaps repeated scopes, and the mark that moves weights."""

from __future__ import annotations

from contextvars import ContextVar

from symcount.errors import ShapeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


class Scope:
    """A named, perhaps repeated part of a network.

    `home` is the scope in which its weights are made; `use` is the innermost scope around that carries a mark.
    """

    __slots__ = ("home", "mark", "name", "parent", "runs", "use")

    def __init__(self, parent: Scope | None, name: str, runs: Size = 1, mark: Shared | None = None) -> None:
        self.parent, self.name, self.runs, self.mark = parent, name, runs, mark
        self.use: Scope | None = self if mark else parent.use if parent else None
        self.home: Scope
        if mark:
            self.home = Scope(mark.scope.home if mark.scope else None, name)
            self.home.home = self.home
        elif parent is None or parent.home is parent:
            self.home = self
        else:
            self.home = Scope(parent.home, name, runs)

    def chain(self) -> tuple[Scope, ...]:
        """The scopes around and including this one, outermost first."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope:
            found.append(scope)
            scope = scope.parent
        return tuple(reversed(found))


# The scope that the running forward pass is in; a context variable, so that threads do not share it.
here: ContextVar[Scope | None] = ContextVar("scope", default=None)


# (names of the linear maps that get a low-rank adapter, its rank), set by a model around its forward pass
adapters: ContextVar[tuple[tuple[str, ...], Size]] = ContextVar("adapters", default=((), 1))

# (path, "" everywhere; the activation that a configuration asks for there), set by a model around its forward pass
acts: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("acts", default=())


def repeats(scope: Scope | None) -> tuple[tuple[str, Size], ...]:
    """The scopes around something, as (path, runs), outermost first."""
    chain = scope.chain() if scope else ()
    return tuple((".".join(one.name for one in chain[:i + 1]), last.runs) for i, last in enumerate(chain))


class Shared:
    """A mark: weights of a scope that carries it were made where the mark was made, once."""

    __slots__ = ("scope",)

    def __init__(self, scope: Scope | None = None) -> None:
        self.scope = here.get() if scope is None else scope


def named(verb: str, path: str) -> None:
    """Raise ShapeError for what cannot be a name."""
    if not isinstance(path, str) or not all(part.isidentifier() or part.isdigit() for part in path.split(".")):
        raise ShapeError(f"{verb} {path!r}: a name is of letters, digits and '_', joined by '.'")


def one_place(a: Scope | None, b: Scope | None) -> bool:
    """Whether two weights of one path, made in these scopes, are one: in two uses of one mark."""
    if a is None or b is None or a.use is None or b.use is None or a.use is b.use:
        return False
    one, two = a.use.mark, b.use.mark
    if one is None or two is None:
        return False
    return one is two or one_place(one.scope, two.scope)  # a mark within a shared body is made in each use of it


def matches(path: str, wanted: str) -> bool:
    """Whether the parts of `wanted` stand one after another in `path`.

    >>> matches("layers.attention.query.weight", "attention.query"), matches("layers.attention_norm", "attention")
    (True, False)
    """
    return f".{wanted}." in f".{path}."
