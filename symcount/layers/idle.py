"""Weights that a checkpoint holds and that never run, as those of images and sounds where there is only a text.

Each function gives the weights of a layer, for `symcount.network.idle`, where that layer would be named the same.
"""

from __future__ import annotations

from symcount.network import weight
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from symcount.polynomials import Size


def idle_map(name: str, into: Mapping[str, Size], out: Mapping[str, Size], *, bias: bool) -> tuple[Tensor, ...]:
    """A linear map: in·out parameters, + out with a bias."""
    made = weight(f"{name}.weight", out=" ".join(out), **into, **out)
    return (made, weight(f"{name}.bias", kinds="bias", **out)) if bias else (made,)


def idle_norm(name: str, *, shift: bool = False, **axes: Size) -> tuple[Tensor, ...]:
    """A norm: as many parameters as it is wide, twice with a shift."""
    gain = weight(f"{name}.weight", kinds="norm", **axes)
    return (gain, weight(f"{name}.bias", kinds="norm bias", **axes)) if shift else (gain,)


def idle_attention(name: str, *, d: Size, memory: Size, heads: Size, kv: Size, k: Size,
                    bias: bool = False) -> tuple[Tensor, ...]:
    """Attention of rows of width d to others of width `memory`: 2dk·heads + 2·memory·k·kv parameters."""
    rows, others = {"g": kv, "q": per(heads, kv), "k": k}, {"g": kv, "k": k}
    return (*idle_map(f"{name}.query", {"d": d}, rows, bias=bias),
            *idle_map(f"{name}.key", {"d": memory}, others, bias=bias),
            *idle_map(f"{name}.value", {"d": memory}, others, bias=bias),
            *idle_map(f"{name}.output", rows, {"d": d}, bias=bias))


def idle_gated(name: str, *, d: Size, h: Size, bias: bool = False) -> tuple[Tensor, ...]:
    """A gated MLP: 3dh parameters, + 2h + d with biases."""
    return (*idle_map(f"{name}.gate", {"d": d}, {"h": h}, bias=bias),
            *idle_map(f"{name}.up", {"d": d}, {"h": h}, bias=bias),
            *idle_map(f"{name}.down", {"h": h}, {"d": d}, bias=bias))


def idle_mlp(name: str, *, d: Size, h: Size) -> tuple[Tensor, ...]:
    """A two-matrix MLP: 2dh + h + d parameters."""
    return (*idle_map(f"{name}.up", {"d": d}, {"h": h}, bias=True),
            *idle_map(f"{name}.down", {"h": h}, {"d": d}, bias=True))


def idle_block(*, d: Size, h: Size) -> tuple[Tensor, ...]:
    """A block of a ViT, as `symcount.layers.vision.vision_block`: 4d² + 2dh + 9d + h parameters."""
    return (*idle_norm("attention_norm", shift=True, d=d),
            *idle_attention("attention", d=d, memory=d, heads=1, kv=1, k=d, bias=True),
            *idle_norm("mlp_norm", shift=True, d=d), *idle_mlp("mlp", d=d, h=h))
