"""Nyströmformer and YOSO: BERT with other scores than softmax, and a convolution of the values over the text.

As transformers configures them, Nyströmformer computes all scores at every length, and YOSO their expectation.
Source: Xiong et al. 2021, "Nyströmformer", section 4; Zeng et al. 2021, "You only sample (almost) once", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, encoder_keys
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.encoder import activated_first, encoder, encoder_heads, typed
from symcount.network import contract, pointwise, rename, weight, window, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + 2 + types)d + 2d parameters: the first two positions are padding."""
    return typed(ids, types, z, P=z.P + 2)


def attention(x: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters, and w·heads for a convolution of each head's values over w tokens."""
    query, key, value = (linear(x, name, g=z.heads, k=per(z.d, z.heads)) for name in ("query", "key", "value"))
    scores = contract(query, rename(key, s="t"), to="b g s t", name="scores")
    mixed = contract(pointwise(scores, kind=z.similarity), rename(value, s="t"), to="b s g k", name="mix")
    if z.convolved:
        near = window(value, s=("w", z.w), pad=per(z.w - 1, 2))
        kernel = weight("conv.weight", g=z.heads, w=z.w)
        mixed = residual(mixed, contract(near, kernel, to="b s g k", name="conv"))
    return linear(mixed, "output", over="g k", d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters, and w·heads."""
    x = norm(residual(x, within("attention", attention, x, z=z)), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Nyströmformer under the settings that make no landmarks."""
    if config["num_landmarks"] != config["segment_means_seq_len"]:
        raise ConfigError("num_landmarks: landmarks are not written; as many as segment_means_seq_len make none")
    return {"convolved": True}


def convolution(config: dict[str, Any]) -> dict[str, Any]:
    """YOSO with a kernel over so many tokens, or without."""
    width = config["conv_window"]
    if width is None:
        return {"convolved": False}
    if isinstance(width, bool) or not isinstance(width, int):
        raise ConfigError(f"conv_window: a whole number or null is needed, not {width!r}")
    return {"convolved": True, "w": width}


def _family(name: str, prefix: str, **own: Any) -> Architecture:
    return Architecture(
        name,
        classes=encoder_heads(prefix, encoder(embeddings, block, masked=False, dropout=False),
                              "ForMaskedLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
                              "ForQuestionAnswering", pooler=False, classify=activated_first),
        stored={
            **BERT_NAMES,
            "layers.attention.conv.weight": ("encoder.layer.{i}.attention.self.conv.weight", "heads 1 w 1"),
        },
        stored_heads=BERT_HEAD_NAMES,
        base=name,
        **own,
    )


_ONLY = {
    "add_cross_attention": ((False,), "nothing in this family reads another text"),
    "position_embedding_type": (("absolute",), "relative keys have a table of their own"),
}

ARCHITECTURES = (
    _family(
        "nystromformer", "Nystromformer",
        acts={"hidden_act": ("gelu_new", "")},
        keys={
            **encoder_keys(V=30000, P=510, types=2, d=768, h=3072, L=12, heads=12, decoder=False),
            "conv_kernel_size": ("w", 65),
        },
        reads={"num_landmarks": 64, "segment_means_seq_len": 64},
        flags={"convolved": True, "similarity": "softmax"},
        settle=settle,
        only={**_ONLY, "inv_coeff_init_option": ((False,), "read only with landmarks")},
        published={
            "nystromformer-512": measured("NystromformerForMaskedLM", 109_122_240, V=30000, P=510, types=2, d=768,
                                          h=3072, L=12, heads=12, convolved=True, w=65),
        },
    ),
    _family(
        "yoso", "Yoso",
        keys=encoder_keys(V=50265, P=4096, types=1, d=768, h=3072, L=12, heads=12, decoder=False),
        sizes="w",
        reads={"conv_window": None},
        flags={"convolved": False, "similarity": "hash_collisions"},
        settle=convolution,
        ignored=dict.fromkeys(("hash_code_len", "num_hash", "use_fast_hash", "lsh_backward"),
                              "how a sample is hashed; the expectation is computed"),
        only={**_ONLY, "use_expectation": ((True,), "sampling by hashes is not written")},
    ),
)
