"""The text model of BLIP, reading text: BERT's block; what looks at images is stored in each layer and never runs.

Source: Li et al. 2022, "BLIP", section 3.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES
from symcount.layers import post_norm
from symcount.layers.encoder import encoder, pool, untyped, words_and_spare
from symcount.layers.idle import idle_attention, idle_norm
from symcount.masks import Mask
from symcount.network import idle, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """4d² + 2dh + 9d + h parameters, and 2d² + 2d·d_img + 6d more of a decoder, which could look at images."""
    x = post_norm(x, z, mask, dropout=False)
    if not z.decoder:
        return x
    return idle(x, *idle_attention("cross", d=z.d, memory=z.d_img, heads=z.heads, kv=z.heads, k=per(z.d, z.heads),
                                    bias=True), *idle_norm("cross.norm", shift=True, d=z.d))


def causal(x: Tensor, z: Any) -> Tensor:
    """The same, where a token attends to those before it."""
    return block(x, z, Mask(causal=True))


reading = encoder(untyped, block, inputs="ids", masked=False, dropout=False)
writing = encoder(untyped, causal, inputs="ids", masked=False, dropout=False)


def text_model(z: Any) -> tuple[Tensor, Tensor]:
    """Hidden states and the pooled first token: a token attends to all unless the caller says otherwise."""
    x, _ = reading(z)
    return x, pool(x, z)


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary behind a transform, without a pooler: d² + 3d + V parameters; untied more."""
    return within("head", words_and_spare, *writing(z), z=z)


ARCHITECTURES = (Architecture(
    "blip_text_model",
    classes={"BlipTextModel": text_model, "BlipTextLMHeadModel": causal_lm},
    keys={
        "vocab_size": ("V", 30524),
        "max_position_embeddings": ("P", 512),
        "hidden_size": ("d", 768),
        "encoder_hidden_size": ("d_img", 768),
        "intermediate_size": ("h", 3072),
        "num_hidden_layers": ("L", 12),
        "num_attention_heads": ("heads", 8),
        "tie_word_embeddings": ("tied", True),
        "is_decoder": ("decoder", True),
    },
    ignored={
        "projection_dim": "a projection that stands beside the text model",
        "label_smoothing": "weighs a loss",
    },
    stored={
        **BERT_NAMES,
        "layers.cross.query": "encoder.layer.{i}.crossattention.self.query",
        "layers.cross.key": "encoder.layer.{i}.crossattention.self.key",
        "layers.cross.value": "encoder.layer.{i}.crossattention.self.value",
        "layers.cross.output": "encoder.layer.{i}.crossattention.output.dense",
        "layers.cross.norm": "encoder.layer.{i}.crossattention.output.LayerNorm",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="bert",
    published={
        "blip-image-captioning-base-text": measured("BlipTextLMHeadModel", 137_881_148, V=30524, P=512, d=768,
                                                    d_img=768, h=3072, L=12, heads=12),
    },
),)
