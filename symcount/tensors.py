"""A value with named axes, and the checks on axes that every verb makes."""

from __future__ import annotations

from itertools import count

from symcount.errors import ShapeError, SizeError
from symcount.polynomials import Polynomial
from symcount.scopes import here
from symcount.sizes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size

_serial = count()


class Axes(dict[str, "Size"]):
    """The axes of a tensor with their sizes: one that is not there is a ShapeError naming those that are."""

    __slots__ = ("of",)

    def __init__(self, axes: Mapping[str, Size], of: str) -> None:
        super().__init__(axes)
        self.of = of

    def __missing__(self, axis: str) -> Size:
        raise ShapeError(f"{self.of}{self.shown()} has no axis '{axis}'")

    def shown(self) -> str:
        """As messages show them: [b=1 s=512]."""
        return f"[{' '.join(f'{axis}={size}' for axis, size in self.items())}]"


class Tensor:
    """A value with named axes and how it came about; compared by identity, never by content."""

    __slots__ = ("axes", "details", "inputs", "name", "scope", "serial", "verb")

    def __init__(self, verb: str, name: str, inputs: tuple[Tensor, ...], axes: Mapping[str, Size],
                 **details: Any) -> None:
        self.verb, self.name, self.inputs, self.details = verb, name, inputs, details
        self.axes = Axes(axes, name or verb)
        for axis, size in self.axes.items():
            if not is_size(size):
                raise SizeError(f"{name or verb}: axis '{axis}' is {size!r}: a size is a whole number or in letters")
            if type(size) is int and size < 0:
                raise SizeError(f"{name or verb}: axis '{axis}' is {size}, less than nothing")
        self.scope = here.get()
        self.serial = next(_serial)

    @property
    def path(self) -> str:
        """Where it is: the scopes around it and its name; a weight is where it was made."""
        scope = self.scope.home if self.scope and self.verb == "weight" else self.scope
        return ".".join([*(s.name for s in (scope.chain() if scope else ())), self.name])

    def __repr__(self) -> str:
        return f"{self.name or self.verb}{self.axes.shown()}"


def joined(name: str, xs: Any, but: str | None = None, only: str | None = None) -> dict[str, Size]:
    """All axes of the operands, in order, each of one size."""
    axes: dict[str, tuple[Size, Tensor]] = {}
    if not xs:
        raise ShapeError(f"{name}: no operands")
    for x in xs:
        is_tensor(x, name)
        for axis, size in x.axes.items():
            if axis == but or (only is not None and axis != only):
                continue
            old, first = axes.setdefault(axis, (size, x))
            if old is not size and not same(old, size):
                raise ShapeError(f"{name}: axis '{axis}' is {old} in {first} and {size} in {x}{advice(old, size)}")
    return {axis: size for axis, (size, _) in axes.items()}


def chosen(name: str, axes: Mapping[str, Size], to: str, xs: tuple[Tensor, ...]) -> dict[str, Size]:
    """The axes that `to` names, in its order; each must be there, and once."""
    wanted = to.split()
    if missing := [axis for axis in wanted if axis not in axes]:
        raise ShapeError(f"{name}: no operand has axis {quoted(missing)}: {listed(xs)}")
    if len(set(wanted)) < len(wanted):
        raise ShapeError(f"{name}: an axis stands twice in to='{to}'")
    return {axis: axes[axis] for axis in wanted}


def is_size(size: Any) -> bool:
    """Whether this can be a size: an int, letters, or a SymPy expression."""
    return type(size) is int or isinstance(size, Polynomial) or hasattr(size, "free_symbols")


def is_tensor(x: Any, name: str) -> None:
    """Raise ShapeError for what is none."""
    if not isinstance(x, Tensor):
        raise ShapeError(f"{name}: {x!r} is not a Tensor")


def need(x: Tensor, axis: str, name: str) -> Size:
    """The size of an axis that must be there."""
    is_tensor(x, name)
    if axis not in x.axes:
        raise ShapeError(f"{name}: {x} has no axis '{axis}'")
    return x.axes[axis]


def single(verb: str, axes: Mapping[str, Any]) -> tuple[str, Any]:
    """The one axis that a verb is given."""
    if len(axes) != 1:
        raise ShapeError(f"{verb} takes one axis at a time, not {len(axes)}")
    (axis, told), = axes.items()
    return axis, told


def fresh(x: Tensor, verb: str, new: str, gone: tuple[str, ...] = ()) -> None:
    """That a new axis does not stand for another one; those in `gone` make room."""
    if new in x.axes and new not in gone:
        raise ShapeError(f"{verb}: {x} already has axis '{new}'")


def equal(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors have the same axes and sizes."""
    return x.axes.keys() == y.axes.keys() and all(same(n, y.axes[axis]) for axis, n in x.axes.items())


def in_order(axes: Mapping[str, Size], back: Mapping[str, Size], like: Mapping[str, Size]) -> dict[str, Size]:
    """Axes, and those that come back, in the order of others, what these have not at the end."""
    found = {**axes, **back}
    return {a: found[a] for a in (*(a for a in like if a in found), *(a for a in found if a not in like))}


def advice(a: Size, b: Size) -> str:
    """What to do where d meets heads·k."""
    texts = sorted((str(a), str(b)), key=len)
    return "; say k=d/heads, or write d as heads*k" if "d" in texts and any("heads" in t for t in texts) else ""


def quoted(names: Any) -> str:
    """Names in quotes."""
    return ", ".join(f"'{name}'" for name in sorted(names))


def listed(xs: Any) -> str:
    """Tensors, one after another."""
    return ", ".join(map(str, xs))
