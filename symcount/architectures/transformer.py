"""One transformer layer, and its attention alone.

Source: Vaswani et al. 2017, "Attention is all you need", sections 3.1 to 3.3; grouped heads: Ainslie et al. 2023.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers import attention, post_norm
from symcount.network import tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def layer(z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters: attention, MLP, and a norm after each."""
    return post_norm(tensor(b=z.b, s=z.s, d=z.d), z)


def attend(z: Any) -> Tensor:
    """4d² + 4d parameters when kv = heads and k = d/heads; the number of heads does not change them."""
    x = tensor(b=z.b, s=z.s, d=z.d)
    return within("attention", attention, x, z=z, kv=z.kv, k=z.k, t=z.t, bias=z.bias)


ARCHITECTURES = (
    Architecture("transformer", classes={"transformer": layer}, sizes="d h heads", follows={"h": "4d"}),
    Architecture("attention", classes={"attention": attend}, sizes="d heads", follows={"kv": "heads", "k": "d/heads"},
                 flags={"bias": True}),
)
