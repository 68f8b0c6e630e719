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
from symcount.algebra.terms import (
    Apply,
    Letter,
    Ones,
    Over,
    Scaled,
    Term,
    Transpose,
    factors,
    has,
    letters,
    summands,
    upright,
)
from symcount.readers import account
from symcount.readers.words import Words
from symcount.scopes import matches, repeats
from symcount.sizes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from symcount.polynomials import Size
    from symcount.tensors import Tensor

# paths of the weights concerned; the identity that allows it, or "" where something stands in the way; a sentence;
# the parameters that it saves over all repetitions, a size: negative where the one matrix is larger than the two
Finding = namedtuple("Finding", "paths identity says saves", defaults=(0,))
_CALLED = {"rotary": "a rotation by position", "partial_rotary": "a rotation by position",
           "multiply": "a product of two activations",
           "enter": "a repeated part", "leave": "a repeated part"}
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
    net, *_, parts = account(subject)
    read = _Uses(net)
    merged = list(read.merged())
    found = [*read.gains(), *read.adapted(), *merged, *read.biases(merged), *read.repeated(), *read.apart()]
    return [one for one in found if all(any(matches(path, part) for path in one.paths) for part in parts)]


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
                    bare = upright(part)
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
        """The parameters of a weight, over all repetitions; a buffer has none."""
        if self.made[path].details["stored"] == "buffer":
            return 0
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

    def out(self, path: str) -> Size:
        """The parameters of a bias that a map would need, over all repetitions."""
        letter = self.words.weights[path][0]
        heads = (self.made[path].axes[index] for index in letter.over)
        return letter.columns * prod(heads, start=1) * self.runs(path)

    def root(self, path: str) -> str:
        """The map that an adapter stands beside; any other map is its own."""
        return path.rpartition(".lora_")[0] + ".weight" if "adapter" in self.kinds.get(path, ()) else path

    def gains(self) -> Iterator[Finding]:
        """Gains and shifts of norms, which go into the maps that read them, if these read nothing else."""
        for path, uses in self.uses.items():
            if self.kinds[path] != ("norm",):
                continue
            shift = (_bias(path),) if _bias(path) in self.uses else ()
            reads = [*uses, *(use for one in shift for use in self.uses[one])]
            maps = list(dict.fromkeys(self.root(self.weight(use.right)) for use in reads))
            if "" in maps:
                yield Finding((path,), "", "what is not linear reads it, or a residual sum")
                continue
            if tied := [one for one in maps if not all(
                    self.bias(use.left) or _name(use.left) == path for use in self.uses[one])]:
                yield Finding((path, *tied), "", f"{tied[0]} is used elsewhere too")
                continue
            if apart := [one for one in maps if not same(self.runs(one), self.runs(path))]:
                yield Finding((path, *apart), "", f"{apart[0]} does not run as often")
                continue
            function = next((self.words.named[_name(use.left)].kind for use in uses
                             if _name(use.left) in self.words.named), "")
            without = [one for one in maps if shift and not self.has_bias(one)]
            says = f"{'gain and shift go' if shift else 'the gain goes'} into the maps that read it"
            yield Finding((path, *shift, *maps), {"rms_norm": "rmsnorm_gain"}.get(function, "layernorm_gain"),
                          says + (", which get a bias" if without else ""),
                          sum(map(self.stored, (path, *shift))) - sum(map(self.out, without)))

    def adapted(self) -> Iterator[Finding]:
        """Low-rank adapters, which go into the weight beside them."""
        for path in self.uses:
            if path.endswith(".lora_A") and "adapter" in self.kinds[path]:
                other = path.removesuffix("A") + "B"
                yield Finding((self.root(path), path, other), "lora_merge",
                              "the adapter goes into the weight beside it", self.stored(path) + self.stored(other))

    def merged(self) -> Iterator[Finding]:
        """Two maps that are always neighbours."""
        seen = set()
        for path, uses in self.uses.items():
            after = {use.right.key if use.right is not None else "" for use in uses}
            other = self.weight(uses[0].right)
            both = (path, other)
            if len(after) != 1 or other == path or not all(map(self.map, both)) or frozenset(both) in seen:
                continue
            if any("adapter" in self.kinds[one] for one in both) or not same(self.runs(path), self.runs(other)):
                continue
            turned = isinstance(uses[0].right, Transpose)
            sides = [use.right if turned else use.left for use in self.uses[other]]
            if all(self.bias(side) or self.root(_name(side)) == path for side in sides):
                seen.add(frozenset(both))
                yield self.pair(path, other, self.rule(path, uses[0], turned=turned), turned=turned)

    def pair(self, path: str, other: str, identity: str, *, turned: bool) -> Finding:
        """Two maps as one: what becomes of their biases, and what it saves."""
        saves = self.stored(path) + self.stored(other) - self.one(path, other, turned=turned)
        heads = any(self.words.weights[each][0].over for each in (path, other))
        says = "they are one matrix for each head" if heads else "they are one matrix"
        if self.has_bias(path) and identity == "layer_collapse":
            saves = saves + self.stored(_bias(path)) - (0 if self.has_bias(other) else self.out(other))
        elif self.has_bias(path) and identity == "query_key_merge":
            rows = self.made[other].axes[self.words.weights[other][1][0] or ""]
            heads_of = prod(self.made[path].axes[index] for index in self.words.weights[path][0].over)
            saves = saves + self.stored(_bias(path)) - heads_of * rows * self.runs(path)
            says += ", and the query bias one row"
        elif self.has_bias(path) and identity == "value_output_merge":
            says += ", once value_bias has moved the bias"
        return Finding((path, other), identity, says, saves)

    def repeated(self) -> Iterator[Finding]:
        """Repeated parts that are linear: all their runs are one map."""
        for x, _, reduced in self.ends:
            if x.verb != "leave":
                continue
            inside = words(reduced)
            entered = {_name(word[0]) for word in inside if not isinstance(word[0], Ones)}
            starts = [self.words.named[name] for name in entered if name in self.words.named]
            paths = tuple(dict.fromkeys(_name(part) for word in inside for part in word[1:]))
            if len(entered) == len(starts) == 1 and starts[0].kind == "enter" and starts[0].of.scope is (
                    x.inputs[0].scope) and paths and all(path in self.kinds for path in paths):
                d = reduced.rows * 0 + reduced.columns
                bias = any(isinstance(word[0], Ones) for word in inside)
                yield Finding(paths, "residual_tower" if any(len(word) == 1 for word in inside) else "layer_collapse",
                              "each run is linear, so all runs are one map",
                              sum(map(self.stored, paths)) - d * d - (d if bias else 0))

    def rule(self, path: str, use: Use, *, turned: bool) -> str:
        """The identity by which two neighbours are one."""
        if turned:
            return "query_key_merge"
        before = use.word[:[_name(part) for part in use.word].index(path)]
        if sum(map(_is_data, before)) > 1:  # A X V O
            return "value_output_merge"
        return "factored_embedding" if self.kinds[path] == ("embedding",) else "layer_collapse"

    def biases(self, merged: list[Finding]) -> Iterator[Finding]:
        """Biases that change nothing: a softmax does not see them, or they go through rows that sum to 1."""
        for path in dict.fromkeys(path for _, term, _ in self.ends for path in letters(term)):
            if "bias" in self.kinds.get(path, ()) and path not in self.uses:  # no normal form has it
                yield Finding((path,), "key_bias", "the softmax does not see it: it can be left out", self.stored(path))
        outputs = {one.paths[1] for one in merged if one.identity == "value_output_merge"}
        for path, uses in self.uses.items():
            into = {self.weight(use.right) for use in uses}
            moved = all(isinstance(use.word[0], Ones) for use in uses)
            if moved and self.kinds[path][0] == "bias" and into & outputs and len(into) == 1:
                output, = into
                yield Finding((path, output), "value_bias", "rows of attention sum to 1: it goes into the output bias",
                              self.stored(path) - (0 if self.has_bias(output) else self.out(output)))

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
            return self.root(path), ""
        named = self.words.named.get(_name(term))
        if named is None or not named.kind:
            return "", ""
        found = set()
        for reduced in (reduced for x, _, reduced in self.ends if x is named.of):
            lasts = {self.root(self.weight(word[-1])) for word in words(reduced) if not self.bias(word[-1])}
            found |= lasts if len(lasts) == 1 else set()  # else a sum stands there too
        found -= {""}
        return (found.pop(), named.kind) if len(found) == 1 else ("", "")


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


def _turned(term: Term | None) -> Term | None:
    return None if term is None else upright(term) if isinstance(term, Transpose) else Transpose(term)


def _is_data(term: Term | None) -> bool:
    return term is not None and has(upright(term), "data")


def _name(term: Term | None) -> str:
    """The name of a letter, transposed or not; "" for what is none."""
    bare = upright(term)
    return bare.name if isinstance(bare, Letter) else ""
