"""Which weights of a network could be fused, by which identity, and what stands in the way.

Two weights that are always neighbours in the words of a network are one matrix: X W V is X (WV). So the network is
read as words over its weights (`readers.words`), each argument is brought to its normal form, and neighbours are
compared over all uses. Weights are those of one run of a repeated scope.
"""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from math import prod

from symcount.algebra.search import normal
from symcount.algebra.terms import Apply, Letter, Over, Scaled, Term, Transpose, factors, has, letters, summands
from symcount.readers import account, repeats
from symcount.readers.words import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.polynomials import Size
    from symcount.tensors import Tensor

# paths of the weights concerned; the identity that allows it, or "" where something stands in the way; a sentence;
# the parameters that it saves over all repetitions, a size: negative where the one matrix is larger than the two
Finding = namedtuple("Finding", "paths identity says saves", defaults=(0,))
_CALLED = {"rotary": "a rotation by position", "multiply": "a product of two activations"}
# A weight in a word, as it is stored: what it is multiplied with on either side (a letter, transposed or not, or None)
Use = namedtuple("Use", "left right word")


def fusable(subject: Any) -> list[Finding]:
    """What could be fused in a model, or in the tensors of a forward pass, and what could not be, and why.

    >>> from symcount.naming import model
    >>> one = fusable(model("mlp:4-3-2", activation=None))[0]
    >>> one.identity, one.saves
    ('layer_collapse', n_0*n_1 + n_1*n_2 - n_0*n_2 + n_1)
    >>> fusable(model("mlp:4-3-2"))[0].says
    'relu stands between'
    """
    net = account(subject)[0]
    read = _Uses(net)
    return [*read.gains(), *read.merged(), *read.biases(), *read.apart()]


class _Uses:
    """All uses of all weights of a network, by path."""

    def __init__(self, net: Any) -> None:
        self.kinds: dict[str, tuple[str, ...]] = {}
        self.made: dict[str, Tensor] = {}
        self.words = Words(net, self.name)
        self.ends = [(x, term, normal(term)) for x, term in self.words.ends]
        self.uses: dict[str, list[Use]] = {}
        for _, _, term in self.ends:
            for word in words(term):
                for i, part in enumerate(word):
                    bare = _bare(part)
                    if (path := _name(bare)) in self.kinds:
                        left, right = word[i - 1] if i else None, word[i + 1] if i + 1 < len(word) else None
                        turned = part is not bare or (has(bare, "diagonal") and not _is_data(left) and _is_data(right))
                        use = Use(_turned(right), _turned(left), word) if turned else Use(left, right, word)
                        self.uses.setdefault(path, []).append(use)

    def name(self, x: Tensor) -> str:
        """A weight is called by its path; a value by what nothing else is called."""
        if x.verb != "weight":
            return f"value {x.serial}"
        self.kinds[x.path], self.made[x.path] = x.details["kinds"], x
        return x.path

    def stored(self, path: str) -> Size:
        """The parameters of a weight, over all repetitions."""
        return prod(self.made[path].axes.values(), start=self.runs(path))

    def runs(self, path: str) -> Size:
        """How often a weight is made."""
        scope = self.made[path].scope
        return prod((runs for _, runs in repeats(scope.home if scope else None)), start=1)

    def one(self, path: str, other: str, *, turned: bool) -> Size:
        """The parameters of the one matrix that two maps are: for each head, where they have heads."""
        a, b = (self.words.weights[each][0] for each in (path, other))
        sizes = {**self.made[path].axes, **self.made[other].axes}
        heads = prod((sizes[index] for index in dict.fromkeys((*a.over, *b.over))), start=1)
        return a.rows * (b.rows if turned else b.columns) * heads * self.runs(path)

    def map(self, path: str) -> bool:
        """Whether a weight is a map: neither a bias nor the gain of a norm."""
        return path in self.kinds and not {"bias", "norm"} & set(self.kinds[path])

    def weight(self, term: Term | None) -> str:
        """The path of a factor that is a map, or ""."""
        return _name(term) if self.map(_name(term)) else ""

    def bias(self, term: Term | None) -> bool:
        """Whether this is a bias, which may stand before any map: it goes through it."""
        return "bias" in self.kinds.get(_name(term), ())

    def has_bias(self, path: str) -> bool:
        """Whether a bias is added to what a map gives."""
        return _bias(path) in self.made

    def gains(self) -> Iterator[Finding]:
        """Gains of norms, which go into the maps that read them, if these read nothing else."""
        for path, uses in self.uses.items():
            if self.kinds[path] != ("norm",):
                continue
            maps = list(dict.fromkeys(self.weight(use.right) for use in uses))
            function = next((self.words.named[_name(use.left)].why for use in uses
                             if _name(use.left) in self.words.named), "")
            if "" in maps:
                yield Finding((path,), "", "it is read by more than linear maps, as by a residual sum")
            elif tied := [one for one in maps if not all(
                    self.bias(use.left) or _name(use.left) == path for use in self.uses[one])]:
                yield Finding((path, *tied), "", f"{tied[0]} is used elsewhere too")
            else:
                shift = next((one for one in self.uses if self.kinds[one] == ("norm", "bias") and all(
                    self.weight(use.right) in maps for use in self.uses[one])), "")
                both = (path, shift) if shift and all(map(self.has_bias, maps)) else (path,)
                yield Finding((*both, *maps), {"rms_norm": "rmsnorm_gain"}.get(function, "layernorm_gain"),
                              f"{'gain and shift go' if len(both) > 1 else 'the gain goes'} into the maps that read it",
                              sum(map(self.stored, both)))

    def merged(self) -> Iterator[Finding]:
        """Two maps that are always neighbours."""
        seen = set()
        for path, uses in self.uses.items():
            after = {use.right.key if use.right is not None else "" for use in uses}
            other = self.weight(uses[0].right)
            if not self.map(path) or len(after) != 1 or not other or frozenset((path, other)) in seen:
                continue
            turned = isinstance(uses[0].right, Transpose)
            sides = [use.right if turned else use.left for use in self.uses[other]]
            if all(self.bias(side) or _name(side) == path for side in sides):
                seen.add(frozenset((path, other)))
                saves = self.stored(path) + self.stored(other) - self.one(path, other, turned=turned)
                heads = any(self.words.weights[each][0].over for each in (path, other))
                identity = self.rule(path, uses[0], turned=turned)
                if identity == "layer_collapse" and self.has_bias(path) and self.has_bias(other):
                    saves = saves + self.stored(_bias(path))
                says = "they are one matrix for each head" if heads else "they are one matrix"
                yield Finding((path, other), identity, says, saves)

    def rule(self, path: str, use: Use, *, turned: bool) -> str:
        """The identity by which two neighbours are one."""
        if "adapter" in self.kinds[path]:
            return "lora_merge"
        if turned:
            return "query_key_merge"
        if any(has(part, "stochastic") for part in use.word):
            return "value_output_merge"
        return "factored_embedding" if self.kinds[path] == ("embedding",) else "layer_collapse"

    def biases(self) -> Iterator[Finding]:
        """Biases that change nothing: a softmax does not see them, or they go through rows that sum to 1."""
        for _, term, reduced in self.ends:
            left = letters(reduced)
            for path in letters(term):
                if path not in left and "bias" in self.kinds.get(path, ()):
                    yield Finding((path,), "key_bias", "the softmax does not see it: it can be left out",
                                  self.stored(path))
        values = {paths[0]: paths[1] for paths, identity, *_ in self.merged() if identity == "value_output_merge"}
        for path, uses in self.uses.items():
            into = {self.weight(use.right) for use in uses}
            if self.kinds[path] == ("bias",) and into & set(values.values()) and len(into) == 1:
                yield Finding((path, *into), "value_bias", "rows of attention sum to 1: it goes into the output bias",
                              self.stored(path))

    def apart(self) -> Iterator[Finding]:
        """Pairs of maps that would be one, but for what stands between."""
        seen = set()
        for _, _, term in self.ends:
            for word in words(term):
                for a, b in pairwise(word):
                    (one, why), (two, other) = self.source(a), self.source(_turned(b))
                    if not (why or other) or not one or not two or one == two or (one, two) in seen:
                        continue
                    seen.add((one, two))
                    between = why or other
                    yield Finding((one, two), "", f"{_CALLED.get(between, between)} stands between")

    def source(self, term: Term | None) -> tuple[str, str]:
        """The map that a factor is, or the only one that it comes from, and by what; its last factor decides."""
        if path := self.weight(term):
            return path, ""
        named = self.words.named.get(_name(term))
        if named is None or not named.why:
            return "", ""
        ends = [reduced for x, _, reduced in self.ends if x is named.of]
        lasts = {self.weight(word[-1]) for reduced in ends for word in words(reduced)
                 if not self.bias(word[-1])} - {""}
        return (lasts.pop(), named.why) if len(lasts) == 1 else ("", "")


def words(term: Term) -> list[tuple[Term, ...]]:
    """The words of a normal form, of what a function is of."""
    inner = term.parts[0] if isinstance(term, Apply) else term
    found = []
    for part in summands(inner):
        bare = part
        while isinstance(bare, (Scaled, Over)):
            bare = bare.parts[0]
        found.append(factors(bare))
    return found


def _bias(path: str) -> str:
    """Where the bias of a map is, if it has one."""
    return f"{path.removesuffix('.weight')}.bias"


def _bare(term: Term | None) -> Any:
    return term.parts[0] if isinstance(term, Transpose) else term


def _turned(term: Term | None) -> Term | None:
    return None if term is None else _bare(term) if isinstance(term, Transpose) else Transpose(term)


def _is_data(term: Term | None) -> bool:
    return term is not None and has(_bare(term), "data")


def _name(term: Term | None) -> str:
    """The name of a letter, transposed or not; "" for what is none."""
    bare = _bare(term)
    return bare.name if isinstance(bare, Letter) else ""
