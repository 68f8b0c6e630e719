"""OPT, BioGPT, XGLM and CTRL: pre-norm decoders, the first three as fairseq writes them.

OPT may have its norms after attention and MLP, and words narrower than the model (350M does). OPT and BioGPT have two
rows more than positions; the positions of XGLM and CTRL are sines, and have no table.

Source: Zhang et al. 2022, "OPT", table 1 and section 2.1; Lin et al. 2022, "Few-shot learning with multilingual
generative language models", section 2.2; Luo et al. 2022, "BioGPT", section 3;
Keskar et al. 2019, "CTRL", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import GPT_ALIASES, SUMMARY
from symcount.layers import (
    attention,
    decoder,
    decoder_heads,
    dropped,
    embed,
    linear,
    mlp,
    norm,
    positions,
    pre_norm,
    residual,
)
from symcount.masks import Mask
from symcount.network import pointwise, tensor, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def opt_norm(x: Tensor, name: str, z: Any) -> Tensor:
    """LayerNorm: 2d parameters, or none where it has neither gain nor shift."""
    return norm(x, name) if z.affine else pointwise(x, kind="layer_norm", name=name)


def opt_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh parameters, 5d + h for biases, 4d for norms before attention and MLP, or after them."""
    y = opt_norm(x, "attention_norm", z) if z.pre_norm else x
    x = residual(x, within("attention", attention, y, z=z, t=z.t, bias=z.bias, mask=Mask(causal=True),
                           dropout="output"))
    x = x if z.pre_norm else opt_norm(x, "attention_norm", z)
    y = opt_norm(x, "mlp_norm", z) if z.pre_norm else x
    x = residual(x, within("mlp", mlp, y, h=z.h, bias=z.bias, kind="relu", dropout=True))
    return x if z.pre_norm else opt_norm(x, "mlp_norm", z)


def words(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Ve parameters; the width of a word is e where it is projected, else d."""
    return embed(ids, "word", V=z.V, d=z.e if z.projected else z.d)


def places(x: Tensor, z: Any) -> Tensor:
    """(P + 2)d parameters."""
    return positions(x, "position", P=z.P, t=z.t, skip=2)


def opt_body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, as wide as a word, and the word table; 2de parameters more where words are projected."""
    x, word = within("embeddings", words, tensor("ids", b=z.b, s=z.s), z=z)
    if z.projected:
        x = linear(x, "project_in", bias=False, d=z.d)
    x = within("embeddings", places, x, z=z)
    x = within("layers", opt_block, x, z=z, runs=z.L)
    if z.pre_norm and z.last_norm:
        x = opt_norm(x, "norm", z)
    return (linear(x, "project_out", bias=False, d=z.e) if z.projected else x), word


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    return pre_norm(x, z, Mask(causal=True))


def ctrl_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    return pre_norm(x, z, Mask(causal=True), dropout="output mlp")


def biogpt_body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table: (V + P + 2)d + 2d parameters beside the blocks."""
    x, word = within("embeddings", biogpt_embeddings, tensor("ids", b=z.b, s=z.s), z=z)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm"), word


def biogpt_embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + 2)d parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return dropped(places(x, z)), word


def _opt(config: dict[str, Any]) -> dict[str, Any]:
    """Whether words are of another width than the model, and whether a norm comes last."""
    e, d, removed = config["word_embed_proj_dim"], config["hidden_size"], config["_remove_final_layer_norm"]
    if type(e) not in (int, type(None)):
        raise ConfigError(f"word_embed_proj_dim = {e!r}: a whole number is needed")
    if not isinstance(removed, bool):
        raise ConfigError("_remove_final_layer_norm: true or false is needed")
    projected = e not in (None, d)
    return {"e": e if projected else None, "projected": projected, "last_norm": not removed}


def _names(before: str = "") -> dict[Any, Any]:
    layer = before + "layers.{i}."
    return {
        "embeddings.word": before + "embed_tokens",
        "embeddings.position": before + "embed_positions",
        "layers.attention_norm": layer + "self_attn_layer_norm",
        "layers.attention.query": layer + "self_attn.q_proj",
        "layers.attention.key": layer + "self_attn.k_proj",
        "layers.attention.value": layer + "self_attn.v_proj",
        "layers.attention.output": layer + "self_attn.out_proj",
        "layers.mlp_norm": layer + "final_layer_norm",
        "layers.mlp.up": layer + "fc1",
        "layers.mlp.down": layer + "fc2",
        "norm": before + "layer_norm",
    }


def _opt_model(count: int, **sizes: Any) -> Published:
    return measured("OPTForCausalLM", count, V=50272, P=2048, **sizes)


def _xglm(count: int, **sizes: int) -> Published:
    return measured("XGLMForCausalLM", count, V=256008, **sizes)


ARCHITECTURES = (
    Architecture(
        "opt",
        classes=decoder_heads("OPT", opt_body, "ForCausalLM ForSequenceClassification ForQuestionAnswering"),
        sizes="e",
        flags={"projected": False, "last_norm": True},
        follows={"e": "d"},
        acts={"activation_function": ("", "")},
        keys={
            "vocab_size": ("V", 50272),
            "max_position_embeddings": ("P", 2048),
            "hidden_size": ("d", 768),
            "ffn_dim": ("h", 3072),
            "num_hidden_layers": ("L", 12),
            "num_attention_heads": ("heads", 12),
            "do_layer_norm_before": ("pre_norm", True),
            "layer_norm_elementwise_affine": ("affine", True),
            "enable_bias": ("bias", True),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        reads={"word_embed_proj_dim": None, "_remove_final_layer_norm": False},
        settle=_opt,
        ignored={"init_std": "how weights start, not how many there are"},
        stored={
            **_names("decoder."),
            "norm": "decoder.final_layer_norm",
            "project_in": "decoder.project_in",
            "project_out": "decoder.project_out",
        },
        stored_heads={"head": "lm_head", "classifier": "score", "answers": "qa_outputs"},
        base="model",
        published={
            "opt-125m": _opt_model(125_239_296, d=768, h=3072, L=12, heads=12),
            "opt-350m": _opt_model(331_196_416, d=1024, h=4096, L=24, heads=16, e=512, projected=True, pre_norm=False),
            "opt-1.3b": _opt_model(1_315_758_080, d=2048, h=8192, L=24, heads=32),
            "opt-2.7b": _opt_model(2_651_596_800, d=2560, h=10240, L=32, heads=32),
            "opt-6.7b": _opt_model(6_658_473_984, d=4096, h=16384, L=32, heads=32),
            "opt-13b": _opt_model(12_853_473_280, d=5120, h=20480, L=40, heads=40),
            "opt-30b": _opt_model(29_974_540_288, d=7168, h=28672, L=48, heads=56),
            "opt-66b": _opt_model(65_719_701_504, d=9216, h=36864, L=64, heads=72),
        },
    ),
    Architecture(
        "xglm",
        classes=decoder_heads("XGLM", decoder(block, shift=True, dropout=True), "ForCausalLM"),
        acts={"activation_function": ("", "")},
        keys={
            "vocab_size": ("V", 256008),
            "d_model": ("d", 1024),
            "ffn_dim": ("h", 4096),
            "num_layers": ("L", 24),
            "attention_heads": ("heads", 16),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        aliases={"hidden_size": "d_model", "num_hidden_layers": "num_layers", "num_attention_heads": "attention_heads"},
        ignored={
            "max_position_embeddings": "sines have no table",
            "scale_embedding": "a constant",
            "init_std": "how weights start, not how many there are",
        },
        only={"add_cross_attention": ((False,), "cross attention is not written for this family")},
        stored={**_names(), "embeddings": "embed_tokens"},
        stored_heads={"head": "lm_head"},
        base="model",
        published={
            "xglm-564m": _xglm(564_463_616, d=1024, h=4096, L=24, heads=16),
            "xglm-1.7b": _xglm(1_732_907_008, d=2048, h=8192, L=24, heads=16),
            "xglm-2.9b": _xglm(2_941_505_536, d=2048, h=8192, L=48, heads=16),
            "xglm-7.5b": _xglm(7_492_771_840, d=4096, h=16384, L=32, heads=32),
        },
    ),
    Architecture(
        "biogpt",
        classes=decoder_heads("BioGpt", biogpt_body, "ForCausalLM ForSequenceClassification ForTokenClassification"),
        keys={
            "vocab_size": ("V", 42384),
            "max_position_embeddings": ("P", 1024),
            "hidden_size": ("d", 1024),
            "intermediate_size": ("h", 4096),
            "num_hidden_layers": ("L", 24),
            "num_attention_heads": ("heads", 16),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        ignored={"scale_embedding": "a constant"},
        stored=_names(),
        stored_heads={"head": "output_projection", "classifier": "score",
                      "BioGptForTokenClassification": {"classifier": "classifier"}},
        base="biogpt",
        published={
            "biogpt": measured("BioGptForCausalLM", 346_763_264, V=42384, P=1024, d=1024, h=4096, L=24, heads=16),
        },
    ),
    Architecture(
        "ctrl",
        classes=decoder_heads("CTRL", decoder(ctrl_block, shift=True, dropout=True),
                              "LMHeadModel ForSequenceClassification", bias=True),
        acts={"": ("relu", "")},
        keys={
            "vocab_size": ("V", 246534),
            "n_embd": ("d", 1280),
            "dff": ("h", 8192),
            "n_layer": ("L", 48),
            "n_head": ("heads", 16),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        aliases=GPT_ALIASES,
        ignored={**SUMMARY, "n_positions": "sines have no table", "n_ctx": "sines have no table",
                 "from_tf": "a note about the file"},
        stored={
            "embeddings": "w",
            "layers.attention_norm": "h.{i}.layernorm1",
            "layers.attention.query": "h.{i}.multi_head_attention.Wq",
            "layers.attention.key": "h.{i}.multi_head_attention.Wk",
            "layers.attention.value": "h.{i}.multi_head_attention.Wv",
            "layers.attention.output": "h.{i}.multi_head_attention.dense",
            "layers.mlp_norm": "h.{i}.layernorm2",
            "layers.mlp.up": "h.{i}.ffn.0",
            "layers.mlp.down": "h.{i}.ffn.2",
            "norm": "layernorm",
        },
        stored_heads={"head": "lm_head", "classifier": "classifier"},
        base="transformer",
        published={
            "ctrl": measured("CTRLLMHeadModel", 1_637_964_550, V=246534, d=1280, h=8192, L=48, heads=16),
        },
    ),
)
