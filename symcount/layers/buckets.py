"""Relative positions as buckets of distances, with a number for each head that is added to the scores.

Source: Raffel et al. 2020, "Exploring the limits of transfer learning", section 2.1.
"""

from __future__ import annotations

from symcount.network import lookup, tensor, weight
from symcount.sizes import bounded
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def relative(z: Any, L: Size, s: Size, t: Size) -> Tensor:
    """What a pair of positions adds to the scores of each head, by its distance: buckets·heads parameters."""
    buckets = z.buckets * bounded(1, L)  # the first layer holds the table: a stack without layers has none
    table = weight("relative.weight", buckets=buckets, g=z.heads)
    return lookup(tensor("distances", s=s, t=t), table, "relative")
