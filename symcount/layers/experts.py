"""Mixtures of experts: a router chooses K of E feed-forward blocks for each token."""

from __future__ import annotations

from symcount.layers.dense import linear, norm, words
from symcount.layers.feed_forward import activation, gated
from symcount.layers.transformer import decoder
from symcount.network import contract, lookup, pointwise, top, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def mixture(x: Tensor, *, E: Size, K: Size, h: Size, bias: bool = False, router_bias: bool = False,
            corrected: str | None = None, kind: str = "silu", scores: str = "softmax") -> Tensor:
    """The sum of K gated experts of width h, chosen by a router and weighted by its scores.

    Parameters: dE + 3Edh, of which a token meets dE + 3Kdh; with biases E more for the router, E(2h + d) for experts.
    Multiply-adds: b·s·(dE + 3Kdh). `corrected` is how one more bias of the router is stored, which balances the load
    and is not trained by the loss: "buffer", "frozen" or "parameter"; `scores` the function of the router's scores.

    Source: Shazeer et al. 2017, "Outrageously large neural networks"; Jiang et al. 2024, "Mixtral of experts";
    the correction: DeepSeek-AI 2024, "DeepSeek-V3", section 2.1.2.
    """
    chances = pointwise(linear(x, "router", bias=router_bias, E=E), kind=scores, name="routing")
    if corrected:
        chances = pointwise(chances, weight("router.correction", kinds="bias", stored=corrected, E=E), kind="bias",
                            name="correction")
    chosen = top(chances, E=("e", K))
    y = within("experts", gated_experts, x, chosen, E=E, h=h, bias=bias, kind=kind)
    return pointwise(y, chosen, kind="mix", name="weighted_sum", to="b s d")


def with_shared(x: Tensor, *, E: Size, K: Size, h: Size, h_s: Size, scored: bool = False, shared_bias: bool = False,
                **more: Any) -> Tensor:
    """A mixture, and beside it one gated MLP of width h_s that every token meets: 3d·h_s parameters more.

    `scored`: a score of its own, of d more parameters, weighs it. `shared_bias` is of this MLP alone.
    Source: Rajbhandari et al. 2022, "DeepSpeed-MoE", section 4.1; Dai et al. 2024, "DeepSeekMoE", section 3.2.
    """
    y = mixture(x, E=E, K=K, h=h, **more)
    shared = within("shared", scored_mlp, x, h=h_s) if scored else within("shared", gated, x, h=h_s, bias=shared_bias)
    return pointwise(y, shared, kind="add", name="shared_sum")


def balanced_experts(x: Tensor, z: Any) -> Tensor:
    """A mixture as that of DeepSeek-V3: E experts by a sigmoid and a correction, and E_s that every token meets.

    Parameters: 3Ed·h_e + dE + 3d·E_s·h_e, of which a token meets K/E of the first.
    Source: DeepSeek-AI 2024, "DeepSeek-V3", section 2.1.2.
    """
    return with_shared(x, E=z.E, K=z.K, h=z.h_e, h_s=z.E_s * z.h_e, corrected="buffer", scores="sigmoid")


def scored_mlp(x: Tensor, *, h: Size) -> Tensor:
    """A gated MLP, weighed by the sigmoid of a score of the token: 3dh + d parameters."""
    score = pointwise(linear(x, "router", bias=False, score=1), kind="sigmoid")
    return pointwise(score, gated(x, h=h), kind="multiply", name="weighted", to="b s d")


def gated_experts(x: Tensor, chosen: Tensor, *, E: Size, h: Size, bias: bool = False, kind: str = "silu") -> Tensor:
    """What each chosen expert makes of a token: 3Edh parameters, 3Kdh multiply-adds a token."""
    y = activation(expert(x, chosen, "gate", E=E, bias=bias, h=h), kind)
    y = pointwise(y, expert(x, chosen, "up", E=E, bias=bias, h=h), kind="multiply", name="product")
    return expert(y, chosen, "down", over="h", E=E, bias=bias, d=x.axes["d"])


def expert(x: Tensor, chosen: Tensor, name: str, *, E: Size, over: str = "d", bias: bool = False,
           **out: Size) -> Tensor:
    """A linear map of each chosen expert: E·in·out parameters (+ E·out), K·in·out multiply-adds a token."""
    w = weight(f"{name}.weight", out=" ".join(out), E=E, **{over: x.axes[over]}, **out)
    axes = [axis for axis in x.axes if axis not in (over, "e")]
    y = contract(x, lookup(chosen, w, name), to=" ".join([*axes, "e", *out]), name=name)
    if not bias:
        return y
    rows = lookup(chosen, weight(f"{name}.bias", kinds="bias", E=E, **out), f"{name}.bias")
    return pointwise(y, rows, kind="bias", name=name)


def dense_then_experts(dense: Callable[..., Tensor], sparse: Callable[..., Tensor], *,
                       kind: str | None = None) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """The body of a decoder with L_dense layers without experts and L - L_dense with them; see `decoder`.

    How they alternate changes no count.
    """
    def body(z: Any) -> tuple[Tensor, Tensor]:
        x, word = words(z)
        x = within("layers.dense", dense, x, z=z, runs=z.L_dense)
        x = within("layers.moe", sparse, x, z=z, runs=rest(z.L, z.L_dense))
        return norm(x, "norm", shift=False, kind=kind), word
    return body


def sparse_decoder(dense: Callable[..., Tensor], sparse: Callable[..., Tensor], *,
                   kind: str | None = None) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """The same where z.dense says that there are layers without experts, else experts in every layer."""
    some, all_sparse = dense_then_experts(dense, sparse, kind=kind), decoder(sparse, kind=kind)
    return lambda z: some(z) if z.dense else all_sparse(z)
