"""How numbers are held in memory: named formats and training recipes, one file each, found by file name.

A storage says how many bits each weight, gradient, state of the optimizer, remembered key and saved activation has.
"""

from __future__ import annotations

from collections import namedtuple
from math import prod

from symcount.entries import entries, entry
from symcount.errors import ModelError, nearest
from symcount.polynomials import quotient
from symcount.sizes import per

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from symcount.polynomials import Size


class Width(namedtuple("Width", "bits scales", defaults=((),))):
    """Bits of a number, and (bits, group) of each scale that a group of numbers shares.

    >>> Width(4, ((16, 128),)).bytes((4096, 4096))
    8650752
    """

    __slots__ = ()

    def __new__(cls, bits: int, scales: tuple[tuple[int, int], ...] = ()) -> Self:
        """Raises ModelError for what are no bits."""
        for what, number in (("bits", bits), *((f"scales {one}", each) for one in scales for each in one)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ModelError(f"Width: {what} = {number!r}: a whole number of at least 1 is needed")
        return super().__new__(cls, bits, scales)

    def bytes(self, factors: Iterable[Size]) -> Size:
        """The bytes of as many numbers as the product of these; SizeError where a group is not filled."""
        n = prod(factors)
        whole = n * self.bits
        for bits, group in self.scales:
            whole = whole + per(n, group) * bits
        return whole // 8 if isinstance(whole, int) and whole % 8 == 0 else whole * quotient(1, 8)


HALF = Width(16)  # what most numbers of a network are held in


class Storage:
    """What one format, or one training recipe, holds.

    says         ends an answer;  leaves  one sentence: what it leaves out, and why;  source  who says so
    weights      the Width of a weight that is stored
    matrices     that of the linear maps in repeated layers, where these alone have fewer bits
    trained      that of a weight that is trained, where it differs (adapters)
    gradients    that of a gradient; None: it is no recipe for training
    optimizer    {name: the Width of what the optimizer keeps for each trained weight}
    cache        that of a remembered key or value;  activations  that of a number saved for the backward pass
    divided      the parts that dp devices share: "optimizer", "gradients", "weights"
    sizes        {size: formula} that its author takes for granted: {"kv": "heads"}
    """

    __slots__ = ("activations", "cache", "divided", "gradients", "leaves", "matrices", "name", "optimizer", "says",
                 "sizes", "source", "trained", "weights")

    def __init__(self, name: str, *, says: str, source: str, leaves: str = "", weights: Width = HALF,
                 matrices: Width | None = None, trained: Width | None = None, gradients: Width | None = None,
                 optimizer: Mapping[str, Width] | None = None, cache: Width | None = None,
                 activations: Width | None = None, divided: tuple[str, ...] = (),
                 sizes: Mapping[str, str] | None = None) -> None:
        known = ["gradients", "optimizer", "weights"]
        for part in divided:
            if part not in known:
                raise ModelError(f"storage {name}: divided = {part!r}; {nearest(str(part), known)}")
        widths = {"weights": weights, "matrices": matrices, "trained": trained, "gradients": gradients, "cache": cache,
                  "activations": activations, **(optimizer or {})}
        for part, width in widths.items():
            if not isinstance(width, (Width, type(None))):
                raise ModelError(f"storage {name}: {part} = {width!r}: a Width is needed, as in Width(16)")
        if activations is not None and (activations.bits % 8 or activations.scales):
            raise ModelError(f"storage {name}: activations = {activations}: whole bytes without scales are needed")
        self.name, self.says, self.source, self.leaves = name, says, source, leaves
        self.weights, self.matrices, self.trained = weights, matrices or weights, trained or weights
        self.gradients, self.optimizer = gradients, dict(optimizer or {})
        self.cache, self.activations, self.divided = cache or weights, activations or HALF, divided
        self.sizes = dict(sizes or {})

    @property
    def line(self) -> str:
        """The line that ends an answer."""
        return f"{self.name}: {self.says}"

    def __repr__(self) -> str:
        return f"<Storage {self.name}>"


def names() -> list[str]:
    """The formats and recipes that there are.

    >>> {"bf16", "fp32", "mixed", "nf4"} <= set(names())
    True
    """
    return entries("storage")


def storage(name: str | Storage) -> Storage:
    """The storage of that name; a Storage of the caller's own passes through. ModelError for an unknown name."""
    if isinstance(name, Storage):
        return name
    found: Storage = entry("storage", name, "unknown storage").STORAGE
    return found
