"""Disentangled attention: what a token says and how far away it is are two vectors, each scored with the other."""

from __future__ import annotations

from symcount.layers.dense import linear, norm
from symcount.network import contract, pointwise, rename, weight, within
from symcount.scopes import Shared
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def distances(z: Any) -> Tensor:
    """A vector for each of so many distances back and forth: 2d·buckets parameters, 2d more with a norm."""
    table = weight("distance.weight", kinds="embedding", p=2 * z.buckets, d=z.d)
    return norm(table, "distance_norm") if z.normed else table


def disentangled(x: Tensor, z: Any, *, far: Tensor | None, bias: str) -> Tensor:
    """Attention whose scores are content to content, and with `far` (distances p) content to distance and back.

    Parameters: 4d², and d² more for each of the two (z.c2p, z.p2c) unless both share the maps of the content
    (z.shared); biases of d where `bias` names the map, and on the output.
    Multiply-adds: the weights times b·s, or times the rows of `far` for those of distances; 2b·s²·d for scores and
    mix, and b·s·d times these rows for each of the two.

    Source: He et al. 2021, "DeBERTa", section 3.1 and algorithm 1.
    """
    named = bias.split()

    def mapped(x: Tensor, name: str) -> Tensor:
        return linear(x, name, bias=name in named, g=z.heads, k=per(z.d, z.heads))

    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return mapped(x, "query"), mapped(x, "key")

    shared = Shared() if z.shared else None
    query, key = within("both", both, x, shared=shared) if shared else both(x)
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    if far is not None:
        asking, asked = within("distance.both", both, far, shared=shared) if shared else (None, None)
        if z.c2p:
            asked = asked or mapped(far, "distance_key")
            scores = gathered(scores, contract(query, asked, to="b g s p", name="content_to_distance"))
        if z.p2c:
            asking = asking or mapped(far, "distance_query")
            scores = gathered(scores, contract(rename(key, s="t"), asking, to="b g t p", name="distance_to_content"))
    value = rename(mapped(x, "value"), s="t")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g k", name="mix")
    return linear(mixed, "output", over="g k", d=z.d)


def gathered(scores: Tensor, more: Tensor) -> Tensor:
    """The scores, and for each pair that of their distance p."""
    return pointwise(scores, more, kind="gather", to="b g s t")
