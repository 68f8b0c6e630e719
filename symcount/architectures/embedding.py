"""A table of V rows of width d, one for each word.

Source: any textbook; the counts are those of torch.nn.Embedding.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.layers import embed
from symcount.network import tensor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embedding(z: Any) -> Tensor:
    """Vd parameters, no multiply-adds: rows are looked up."""
    return embed(tensor("ids", b=z.b, s=z.s), "table", V=z.V, d=z.d)[0]


ARCHITECTURES = (Architecture("embedding", classes={"embedding": embedding}, sizes="V d"),)
