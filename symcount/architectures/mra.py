"""MRA: BERT whose scores are those of blocks, the highest of them computed anew, by a kernel for CUDA alone.

Without that kernel transformers mixes nothing at all and goes on with zeros: that is what was measured, and is counted.
Source: Zeng et al. 2022, "Multi resolution analysis (MRA) for approximate self-attention", section 3; the heads are
those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ModelError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, encoder_keys
from symcount.layers import dropped, linear, mlp, norm, residual
from symcount.layers.encoder import activated_first, encoder, encoder_heads, typed
from symcount.network import idle, pointwise, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + 2 + types)d + 2d parameters: two positions are padding. The numbers of P are stored."""
    x, word = typed(ids, types, z, P=z.P + 2)
    return idle(x, weight("position_ids", kinds="embedding", stored="buffer", P=z.P)), word


def attention(x: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters. Raises ModelError where the kernel is to run: what it multiplies is in no measured count."""
    if z.kernel:
        raise ModelError("mra: kernel=true: which scores its CUDA kernel computes is not written")
    query, key, value = (linear(x, name, g=z.heads, k=per(z.d, z.heads)) for name in ("query", "key", "value"))
    return dropped(linear(pointwise(query, key, value, kind="zeros"), "output", over="g k", d=z.d))


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    x = norm(residual(x, within("attention", attention, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


_SCORES = "which scores the kernel computes, which is not written"

ARCHITECTURES = (Architecture(
    "mra",
    classes=encoder_heads("Mra", encoder(embeddings, block, masked=False),
                          "ForMaskedLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
                          "ForQuestionAnswering", pooler=False, classify=activated_first),
    flags={"kernel": False},
    keys=encoder_keys(V=50265, P=512, types=1, d=768, h=3072, L=12, heads=12, decoder=False),
    ignored=dict.fromkeys(("block_per_row", "approx_mode", "initial_prior_first_n_blocks",
                           "initial_prior_diagonal_n_blocks"), _SCORES),
    only={
        "add_cross_attention": ((False,), "nothing in this family reads another text"),
        "position_embedding_type": (("absolute",), "relative keys have a table of their own"),
    },
    gradients="without its kernel nothing that attention gives depends on the tokens",
    unwritten="the attention of its CUDA kernel",
    stored=BERT_NAMES,
    stored_heads=BERT_HEAD_NAMES,
    base="mra",
    published={
        "mra-base-512-4": measured("MraForMaskedLM", 124_697_433, V=50265, P=512, types=1, d=768, h=3072, L=12,
                                   heads=12),
        "mra-base-4096-8-d3": measured("MraForMaskedLM", 127_449_945, V=50265, P=4096, types=1, d=768, h=3072, L=12,
                                       heads=12),
    },
),)
