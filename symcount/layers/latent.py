"""Multi-head latent attention: keys and values are made from one narrow row a token, and only that may be cached."""

from __future__ import annotations

from symcount.errors import ModelError, nearest
from symcount.layers.dense import linear, norm
from symcount.layers.transformer import residual
from symcount.masks import Mask
from symcount.network import cached, concat, contract, cut, pointwise, rename, repeat, weight, within
from symcount.sizes import multiple, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def latent_attention(x: Tensor, z: Any, *, t: Size, form: str = "expanded", bias: bool = False,
                     mask: Mask | None = None, index: Callable[[Tensor, Tensor], Tensor] | None = None,
                     asked: Callable[[Tensor], tuple[Tensor, Tensor, Tensor | None]] | None = None,
                     position: str | None = "rotary", gate: str = "", sinks: bool = False,
                     turned_norm: bool = False) -> Tensor:
    """output(softmax(query(x) · keyᵀ / √(nope + rope)) · value), with key and value from latents of width r_kv.

    Each head sees nope numbers of its own, and rope numbers that carry the position and that all heads share.
    Parameters: d·r_q + r_q·heads·(nope + rope) + r_q for the queries, or d·heads·(nope + rope) where z.query_rank is
    false; d(r_kv + rope) + r_kv·heads·(nope + v) + r_kv for keys and values; v·d·heads to leave.
    bias   the maps from and to the width d, but not a query without a rank, have one
    index  index(x, query latent) over (b, s, t), in a scope `indexer`, says which tokens count; all scores are computed
           all the same
    position   how the rope numbers that all heads share are turned; None: not at all
    gate   what is mixed is multiplied by the sigmoid of a map of x: of "g" (d·heads parameters more) or "g v" (v times
           as many)
    asked  asked(x) makes queries, the rows they come from and, unless None, of each head what the sigmoid lets through
           of the mix; then z.query_rank is not read, and the parameters for queries are those of `asked`
    sinks  one more score a head, which takes part in the softmax and mixes nothing in: heads parameters
    turned_norm  the rope numbers that all heads share are normed first: rope parameters
    form   what is remembered of t tokens, and where the map from the latents to keys and values stands. All forms have
           the same weights and give the same numbers. Multiply-adds beside the other maps, for s tokens:
           "expanded"  latents, r_kv + rope; mapped for all t: b·t·heads·r_kv(nope + v) + b·s·t·heads(nope + rope + v)
           "heads"     keys and values, heads(nope + rope + v); mapped once: b·s·heads·r_kv(nope + v), scores as above
           "absorbed"  latents; queries and mixes are mapped: b·s·heads·r_kv(nope + v) + b·s·t·heads(2r_kv + rope)

    Raises ModelError for another form.
    Source: DeepSeek-AI 2024, "DeepSeek-V2", section 2.1 and appendix C.
    """
    if form not in FORMS:
        raise ModelError(f"latent attention: mla = {form!r}: unknown form; {nearest(str(form), FORMS)}")
    rope = multiple(z.rope, 2) if position else z.rope  # pairs of numbers are turned: Su et al. 2021, "RoFormer"
    width, low = z.nope + rope, x
    opening: Tensor | None = None
    if asked is not None:
        query, low, opening = asked(x)
    elif z.query_rank:
        query, low = latent_query(x, z, k=width, bias=bias)
    else:
        query = linear(x, "query", bias=False, g=z.heads, k=width)
    query, turned_query = cut(query, "k", z.nope, rope)
    turned_query = pointwise(turned_query, kind=position) if position else turned_query

    latent, turned = cut(linear(x, "key_value_down", bias=bias, c=z.r_kv + rope), "c", z.r_kv, rope)
    latent = norm(latent, "key_value_norm", over="c", shift=False)
    turned = norm(turned, "turned_norm", over="c", shift=False) if turned_norm else turned
    turned = pointwise(turned, kind=position) if position else turned
    if form != "heads":
        latent, turned = cached(latent, "latent", s=("t", t)), cached(turned, "turned", s=("t", t))
    turned = rename(turned, c="k")

    if form == "absorbed":
        key_up, value_up = cut(weight("key_value_up.weight", out="g k", c=z.r_kv, g=z.heads, k=z.nope + z.v), "k",
                               z.nope, z.v)
        query = contract(query, key_up, to="b s g c", name="key_up")
        scores = pointwise(contract(query, latent, to="b g s t", name="scores", mask=mask),
                           contract(turned_query, turned, to="b g s t", name="turned_scores", mask=mask),
                           kind="add", name="scores_sum")
    else:
        both = linear(latent, "key_value_up", over="c", bias=False, g=z.heads, k=z.nope + z.v)
        key, value = cut(both, "k", z.nope, z.v)
        query = concat(query, turned_query, axis="k")
        key = concat(key, repeat(turned, g=z.heads), axis="k")
        if form == "heads":
            key, value = cached(key, "key", s=("t", t)), cached(value, "value", s=("t", t))
        scores = contract(query, key, to="b g s t", name="scores", mask=mask)
    scores = pointwise(scores, kind="attention_scale")
    if index is not None:
        counted = within("indexer", index, x, low)
        scores = pointwise(scores, pointwise(counted, kind="pick"), kind="add", name="chosen")
    sink = (weight("sinks", kinds="bias", g=z.heads),) if sinks else ()
    weights = pointwise(scores, *sink, kind="softmax")
    if form == "absorbed":
        mixed = contract(weights, latent, to="b s g c", name="mix", mask=mask)
        mixed = contract(mixed, rename(value_up, k="v"), to="b s g v", name="value_up")
    else:
        mixed = contract(weights, rename(value, k="v"), to="b s g v", name="mix", mask=mask)
    if gate:
        opening = linear(x, "gate", bias=False, **{axis: {"g": z.heads, "v": z.v}[axis] for axis in gate.split()})
    if opening is not None:
        mixed = pointwise(mixed, pointwise(opening, kind="sigmoid", name="gate_act"), kind="multiply", name="gated")
    return linear(mixed, "output", over="v g", bias=bias, d=x.axes["d"])


def latent_step(x: Tensor, z: Any, **more: Any) -> Tensor:
    """x and causal latent attention of its RMSNorm: d more parameters than the attention."""
    y = norm(x, "attention_norm", shift=False)
    return residual(x, within("attention", latent_attention, y, z=z, t=z.t, form=z.mla, bias=z.attention_bias,
                              mask=Mask(causal=True), **more))


FORMS = ("expanded", "heads", "absorbed")  # the first is what transformers runs


def latent_query(x: Tensor, z: Any, *, k: Size, bias: bool = False) -> tuple[Tensor, Tensor]:
    """Queries of width k for each head, and the rows of width r_q that they are made from."""
    low = norm(linear(x, "query_down", bias=bias, r=z.r_q), "query_norm", over="r", shift=False)
    return linear(low, "query_up", over="r", bias=False, g=z.heads, k=k), low


def indexer(x: Tensor, low: Tensor, z: Any, *, t: Size) -> Tensor:
    """How much each of t tokens matters to each of s: the sum over heads of relu(query · key), weighted by x.

    Parameters: r_q·k_i·heads_i + dk_i + d·heads_i + 2k_i; multiply-adds: these but the norm's, times b·s, and
    b·s·t·heads_i·(k_i + 1).
    Source: DeepSeek-AI 2025, "DeepSeek-V3.2", section 2.1.
    """
    k = z.rope + rest(z.k_i, z.rope)  # of which rope numbers are turned
    query = pointwise(linear(low, "query", over="r", bias=False, g=z.heads_i, k=k), kind="rotary")
    key = pointwise(norm(linear(x, "key", bias=False, k=k), "key_norm", over="k"), kind="rotary")
    scores = contract(query, cached(key, "key", s=("t", t)), to="b g s t", name="scores")
    share = linear(x, "share", bias=False, g=z.heads_i)
    return contract(share, pointwise(scores, kind="relu"), to="b s t", name="index")
