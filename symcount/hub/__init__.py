"""What the families of transformers have in common: usual keys with their letters, usual names of stored tensors.

A family says `**decoder_keys(V=32000, …)` with its class defaults, and adds the keys that only it has. The tables are
in files of their own: `decoders`, `encoders`, `images`, and `settling` for keys that say something only together.
"""

from __future__ import annotations

from symcount.architecture import Published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MASKED = "which scores are masked; all are computed"
MEASURED = "transformers 5.23.0 on the meta device, numel of named_parameters"


def measured(cls: str, count: int, **sizes: Any) -> Published:
    """A published model whose parameters were counted on the real implementation."""
    return Published(cls, sizes, count, f"{MEASURED}, {cls}")
