"""Where in a network something is made: named, perhaps repeated scopes, and the mark that moves weights."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size


class Scope:
    """A named, perhaps repeated part of a network; `home` is the scope in which its weights are made."""

    __slots__ = ("home", "name", "over", "parent", "runs")

    def __init__(self, parent: Scope | None, name: str, runs: Size = 1, over: str | None = None,
                 shared: Shared | None = None) -> None:
        self.parent, self.name, self.runs, self.over = parent, name, runs, over
        self.home: Scope
        outer = parent.home if parent else None
        if shared:
            self.home = Scope(shared.scope.home if shared.scope else None, name)
            self.home.home = self.home
        elif outer is parent:
            self.home = self
        else:
            self.home = Scope(outer, name, runs, over)

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


class Shared:
    """A mark: weights of a scope that carries it were made where the mark was made, once."""

    __slots__ = ("scope",)

    def __init__(self) -> None:
        self.scope = here.get()


def matches(path: str, wanted: str) -> bool:
    """Whether the parts of `wanted` stand one after another in `path`.

    >>> matches("layers.attention.query.weight", "attention.query"), matches("layers.attention_norm", "attention")
    (True, False)
    """
    return f".{wanted}." in f".{path}."
