"""CPM-Ant: pre-norm blocks behind a learned prompt, which see all tokens, and a score for each distance and segment.

Source: the release by OpenBMB, 2022; Raffel et al. 2020, "Exploring the limits of transfer learning", section 2.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.layers import attention, decoder_heads, embed, gated, norm, residual
from symcount.network import concat, cut, lookup, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def block(x: Tensor, z: Any, table: Tensor) -> Tensor:
    """4dk·heads + 3dh + 2d parameters."""
    y = norm(x, "attention_norm", shift=False)
    x = residual(x, within("attention", attention, y, z=z, t=x.axes["s"], k=z.k, bias=False, relative=table))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h, kind="gelu"))


def relative(z: Any, s: Size) -> Tensor:
    """A number for each head and distance, or pair of segments: (buckets + types²)heads parameters."""
    table = weight("relative", rows=z.buckets + z.types * z.types, g=z.heads)
    return lookup(tensor("distances", s=s, t=s), table, "relative")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states of the text, and the table of words and prompts: (V + tasks·registers + types)d.

    A prompt of as many rows as there are registers comes before a text, and runs with it.
    """
    ids = concat(tensor("prompt", b=z.b, s=z.registers), tensor("ids", b=z.b, s=z.s), axis="s")
    s = ids.axes["s"]
    x, word = within("embeddings", lambda read: embed(read, "word", V=z.V + z.tasks * z.registers, d=z.d), ids)
    kinds, _ = within("embeddings", lambda read: embed(read, "type", types=z.types, d=z.d), ids)
    table = within("attention", lambda: relative(z, s))
    x = norm(within("layers", block, residual(x, kinds), z=z, table=table, runs=z.L), "norm", shift=False)
    return cut(x, "s", z.registers, z.s)[1], word


ARCHITECTURES = (Architecture(
    "cpmant",
    classes=decoder_heads("CpmAnt", body, "ForCausalLM"),
    flags={"tied": False},
    acts={},
    keys={
        "vocab_size": ("V", 30720),
        "hidden_size": ("d", 4096),
        "num_attention_heads": ("heads", 32),
        "dim_head": ("k", 128),
        "dim_ff": ("h", 10240),
        "num_hidden_layers": ("L", 48),
        "position_bias_num_buckets": ("buckets", 512),
        "prompt_types": ("tasks", 32),
        "prompt_length": ("registers", 32),
        "segment_types": ("types", 32),
    },
    ignored={
        "position_bias_max_distance": "which bucket a distance falls into",
        "dropout_p": "dropout has no weights",
        "eps": "a constant",
        "init_std": "how weights start, not how many there are",
        "tie_word_embeddings": "this family ties nothing",
        "mask_modules": "read by nothing",
    },
    stored={
        "embeddings.word": "input_embedding",
        "embeddings.type": "segment_embedding",
        "attention.relative": "position_bias.relative_attention_bias",
        "layers.attention_norm": "encoder.layers.{i}.self_att.layernorm_before_attention",
        "layers.attention.query": "encoder.layers.{i}.self_att.self_attention.project_q",
        "layers.attention.key": "encoder.layers.{i}.self_att.self_attention.project_k",
        "layers.attention.value": "encoder.layers.{i}.self_att.self_attention.project_v",
        "layers.attention.output": "encoder.layers.{i}.self_att.self_attention.attention_out",
        "layers.mlp_norm": "encoder.layers.{i}.ffn.layernorm_before_ffn",
        "layers.mlp.gate": "encoder.layers.{i}.ffn.ffn.w_in.w_0",
        "layers.mlp.up": "encoder.layers.{i}.ffn.ffn.w_in.w_1",
        "layers.mlp.down": "encoder.layers.{i}.ffn.ffn.w_out",
        "norm": "encoder.output_layernorm",
    },
    stored_heads={"head": "lm_head"},
    base="cpmant",
    published={
        "cpm-ant-10b": measured("CpmAntForCausalLM", 9_517_453_312, V=30720, d=4096, heads=32, k=128, h=10240, L=48,
                                buckets=512, tasks=32, registers=32, types=32),
    },
),)
