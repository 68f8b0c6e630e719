"""GPT-J and CodeGen: one norm a layer, whose output goes through attention and MLP side by side; rotary positions.

Source: Wang and Komatsuzaki 2021, "GPT-J-6B"; Nijkamp et al. 2022, "CodeGen", section 2.2 and table 6; the biases,
of the MLP and of the output matrix alone, are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import GPT_ALIASES, SUMMARY, gpt_keys
from symcount.layers import attention, decoder, decoder_heads, mlp, norm, residual, spans
from symcount.masks import Mask
from symcount.network import within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 3d + h parameters."""
    y = norm(x, "norm")
    attended = within("attention", attention, y, z=z, t=z.t, bias=False, position="partial_rotary",
                      mask=Mask(causal=True))
    return residual(residual(x, attended), within("mlp", mlp, y, h=z.h))


body = decoder(block, shift=True)


def question_answering(z: Any) -> Tensor:
    """Start and end of the answer: 2d + 2 parameters."""
    return spans(body(z)[0], "answers", z.C)


def _codegen(config: dict[str, Any]) -> dict[str, Any]:
    """No size; but queries, values and keys are stored in four parts, each with its share of the heads."""
    if config["n_head"] % 4:
        raise ConfigError(f"n_head = {config['n_head']}: a multiple of 4 is needed; the heads are stored in four parts")
    return {}


def _codegen_model(count: int, **sizes: int) -> Published:
    return measured("CodeGenForCausalLM", count, V=51200, **sizes)


IGNORED = {
    **SUMMARY,
    "n_positions": "rotary positions have no table",
    "n_ctx": "rotary positions have no table",
    "rotary": "rotation has no weights and is elementwise",
    "rotary_dim": "rotation has no weights and is elementwise",
    "scale_attn_weights": "a constant",
}
NAMES: dict[Any, Any] = {
    "embeddings": "wte",
    "layers.norm": "h.{i}.ln_1",
    "layers.attention.output": "h.{i}.attn.out_proj",
    "layers.mlp.up": "h.{i}.mlp.fc_in",
    "layers.mlp.down": "h.{i}.mlp.fc_out",
    "norm": "ln_f",
}
KEYS = {key: told for key, told in gpt_keys(V=50400, P=2048, d=4096, L=28, heads=16).items() if key != "n_positions"}

ARCHITECTURES = (
    Architecture(
        "gptj",
        classes={
            **decoder_heads("GPTJ", body, "ForCausalLM ForSequenceClassification", bias=True),
            "GPTJForQuestionAnswering": question_answering,
        },
        follows={"h": "4d"},
        acts={"activation_function": ("gelu_new", "")},
        keys=KEYS,
        aliases=GPT_ALIASES,
        ignored=IGNORED,
        stored={
            **NAMES,
            "layers.attention.query": "h.{i}.attn.q_proj",
            "layers.attention.key": "h.{i}.attn.k_proj",
            "layers.attention.value": "h.{i}.attn.v_proj",
        },
        stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs"},
        base="transformer",
        published={
            "gpt-j-6b": measured("GPTJForCausalLM", 6_050_882_784, V=50400, d=4096, L=28, heads=16),
        },
    ),
    Architecture(
        "codegen",
        classes=decoder_heads("CodeGen", body, "ForCausalLM", bias=True),
        follows={"h": "4d"},
        acts={"activation_function": ("gelu_new", "")},
        keys=KEYS,
        settle=_codegen,
        aliases=GPT_ALIASES,
        ignored=IGNORED,
        stored={
            **NAMES,
            ("layers.attention.query", "layers.attention.key", "layers.attention.value"): "h.{i}.attn.qkv_proj",
        },
        stored_heads={"head": "lm_head"},
        base="transformer",
        published={
            "codegen-350m": _codegen_model(356_712_448, d=1024, L=20, heads=16),
            "codegen-2b": _codegen_model(2_779_356_160, d=2560, L=32, heads=32),
            "codegen-6b": _codegen_model(7_064_213_504, d=4096, L=33, heads=16),
            "codegen-16b": _codegen_model(16_032_155_648, d=6144, L=34, heads=24),
        },
    ),
)
