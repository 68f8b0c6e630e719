"""Usual keys, letters and names of stored tensors of decoders: of text, of experts, of latent attention, of mixers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROTARY = {"max_position_embeddings": "rotary positions have no table"}
ROUTED = {
    "output_router_logits": "chooses what is returned",
    "router_jitter_noise": "noise while training",
    "routed_scaling_factor": "a constant",
    "ep_size": "on how many devices the experts are",
    "num_nextn_predict_layers": "transformers builds no layers that predict further tokens",
    **dict.fromkeys(("router_aux_loss_coef", "aux_loss_alpha", "seq_aux"), "weighs a loss"),
    **dict.fromkeys(("n_group", "topk_group", "topk_method", "norm_topk_prob", "scoring_func"),
                    "how experts are scored and chosen, not how many"),
}
UNBIASED_MLP: dict[str, tuple[tuple[Any, ...], str]] = {"mlp_bias": ((False,), "the MLP of this family has no biases")}
UNBIASED = {"attention_bias": ((False,), "the attention of this family has no biases"), **UNBIASED_MLP}
GPT_ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
SUMMARY = dict.fromkeys(("summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels",
                         "summary_first_dropout"), "read only by the double-heads class, which is not written")
SUMMARY_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "summary_type": (("first", "last", "mean", "cls_index"), "one vector stands for a text"),
    "summary_use_proj": ((True,), "a text is projected before its scores"),
}
SERVER = dict.fromkeys(("inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length",
                        "pre_allocate_kv_cache", "validate_runner_input"), "a setting of a server")


def decoder_keys(*, V: int, d: int, h: int, L: int, heads: int, kv: int | None = None, k: int | None = None,
                 tied: bool = False) -> dict[str, tuple[str, Any]]:
    """The keys of most decoders, with the defaults of a class; kv and k follow (heads, d/heads) where it has none."""
    return {
        "vocab_size": ("V", V),
        "hidden_size": ("d", d),
        "intermediate_size": ("h", h),
        "num_hidden_layers": ("L", L),
        "num_attention_heads": ("heads", heads),
        "num_key_value_heads": ("kv", kv),
        "head_dim": ("k", k),
        "tie_word_embeddings": ("tied", tied),
        "num_labels": ("C", 2),
    }


def gpt_keys(*, V: int, P: int, d: int, L: int, heads: int, tied: bool = False) -> dict[str, tuple[str, Any]]:
    """The keys of the decoders that are written like GPT-2, with the defaults of a class; h follows where absent."""
    return {
        "vocab_size": ("V", V),
        "n_positions": ("P", P),
        "n_embd": ("d", d),
        "n_inner": ("h", None),
        "n_layer": ("L", L),
        "n_head": ("heads", heads),
        "tie_word_embeddings": ("tied", tied),
        "num_labels": ("C", 2),
    }


def latent_decoder_keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    """The keys of most decoders; num_key_value_heads and head_dim give no size beside latent attention."""
    return {key: told for key, told in decoder_keys(**sizes).items() if key not in LATENT_IGNORED}


def latent_keys(*, r_kv: int, nope: int, rope: int, v: int | None) -> dict[str, tuple[str, Any]]:
    """The keys of latent attention, without the rank of the queries, which may be null: `query_rank`."""
    return {
        "kv_lora_rank": ("r_kv", r_kv),
        "qk_nope_head_dim": ("nope", nope),
        "qk_rope_head_dim": ("rope", rope),
        "v_head_dim": ("v", v),
    }


LATENT_IGNORED = {
    "num_key_value_heads": "each query head has a key and a value of its own, made from the latent",
    "head_dim": "the width with rotation is qk_rope_head_dim",
    "qk_head_dim": "the sum of the widths with and without rotation",
    "rope_interleave": "which numbers of a head are turned together",
}
DECODER_NAMES: dict[Any, Any] = {
    "embeddings": "embed_tokens",
    "layers.attention_norm": "layers.{i}.input_layernorm",
    "layers.attention.query": "layers.{i}.self_attn.q_proj",
    "layers.attention.key": "layers.{i}.self_attn.k_proj",
    "layers.attention.value": "layers.{i}.self_attn.v_proj",
    "layers.attention.output": "layers.{i}.self_attn.o_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_norm",
    "layers.attention.key_norm": "layers.{i}.self_attn.k_norm",
    "layers.mlp_norm": "layers.{i}.post_attention_layernorm",
    "layers.mlp.gate": "layers.{i}.mlp.gate_proj",
    "layers.mlp.up": "layers.{i}.mlp.up_proj",
    "layers.mlp.down": "layers.{i}.mlp.down_proj",
    "norm": "norm",
}
LATENT_NAMES: dict[Any, Any] = {
    "layers.attention.query_down": "layers.{i}.self_attn.q_a_proj",
    "layers.attention.query_norm": "layers.{i}.self_attn.q_a_layernorm",
    "layers.attention.query_up": "layers.{i}.self_attn.q_b_proj",
    "layers.attention.key_value_down": "layers.{i}.self_attn.kv_a_proj_with_mqa",
    "layers.attention.key_value_norm": "layers.{i}.self_attn.kv_a_layernorm",
    "layers.attention.key_value_up": "layers.{i}.self_attn.kv_b_proj",
}

INDEXER_NAMES: dict[Any, Any] = {
    "layers.attention.indexer.query": "layers.{i}.self_attn.indexer.wq_b",
    "layers.attention.indexer.key": "layers.{i}.self_attn.indexer.wk",
    "layers.attention.indexer.key_norm": "layers.{i}.self_attn.indexer.k_norm",
    "layers.attention.indexer.share": "layers.{i}.self_attn.indexer.weights_proj",
}


def expert_names(mlp: str = "layers.{i}.mlp", *, router: str = "gate", h: str = "h_e") -> dict[Any, Any]:
    """The names of a router, of E gated experts of width h, and of the experts that every token meets."""
    return {
        "layers.mlp.router": f"{mlp}.{router}",
        ("layers.mlp.experts.gate.weight", "layers.mlp.experts.up.weight"):
            (f"{mlp}.experts.gate_up_proj", f"E 2{h} d"),
        "layers.mlp.experts.down.weight": (f"{mlp}.experts.down_proj", f"E d {h}"),
        "layers.mlp.shared.gate": f"{mlp}.shared_experts.gate_proj",
        "layers.mlp.shared.up": f"{mlp}.shared_experts.up_proj",
        "layers.mlp.shared.down": f"{mlp}.shared_experts.down_proj",
    }


HEAD_NAMES: dict[Any, Any] = {"head": "lm_head", "classifier": "score", "answers": "qa_outputs"}
# Keys of state-space models that change no count
TIME_STEP = {
    **dict.fromkeys(("time_step_scale", "time_step_min", "time_step_max", "time_step_floor", "time_step_init_scheme",
                     "rescale_prenorm_residual"), "how weights start, not how many there are"),
    **dict.fromkeys(("use_mambapy", "use_associative_scan", "use_mamba_kernels"),
                    "another kernel for the same products"),
    "residual_in_fp32": "how numbers are stored; counts are of numbers",
    "time_step_limit": "bounds of a step in time, which is elementwise",
}


def mamba_names(theirs: str) -> dict[Any, Any]:
    """The names of a Mamba mixer, which they call `theirs`."""
    at = f"layers.{{i}}.{theirs}"
    return {
        ("layers.mixer.input", "layers.mixer.gate"): f"{at}.in_proj",
        "layers.mixer.convolution.weight": (f"{at}.conv1d.weight", "inner 1 w"),
        "layers.mixer.convolution.bias": f"{at}.conv1d.bias",
        ("layers.mixer.time_down", "layers.mixer.enter", "layers.mixer.leave"): f"{at}.x_proj",
        "layers.mixer.time_up": f"{at}.dt_proj",
        "layers.mixer.decay": f"{at}.A_log",
        "layers.mixer.skip": f"{at}.D",
        "layers.mixer.output": f"{at}.out_proj",
    }


def mamba2_names(theirs: str, ours: str = "layers.mixer") -> dict[Any, Any]:
    """The names of a Mamba-2 mixer, which they call `theirs`."""
    at = f"layers.{{i}}.{theirs}"
    kernels = tuple(f"{ours}.{name}_convolution" for name in ("input", "enter", "leave"))
    return {
        tuple(f"{ours}.{name}" for name in ("gate", "input", "enter", "leave", "time")): f"{at}.in_proj",
        tuple(f"{path}.weight" for path in kernels): (f"{at}.conv1d.weight", "inner+2*groups*state 1 w"),
        tuple(f"{path}.bias" for path in kernels): f"{at}.conv1d.bias",
        f"{ours}.time_bias": f"{at}.dt_bias",
        f"{ours}.decay": f"{at}.A_log",
        f"{ours}.skip": f"{at}.D",
        f"{ours}.gated_norm": f"{at}.norm",
        f"{ours}.output": f"{at}.out_proj",
    }


CONVOLVED = tuple(f"layers.mixer.{name}_convolution.weight" for name in ("query", "key", "value"))  # stored as one


def delta_names(*, joined: bool = False) -> dict[Any, Any]:
    """The names of a mixer by the gated delta rule; `joined`: all that comes in is in two matrices."""
    at, ours = "layers.{i}.linear_attn", "layers.mixer"
    maps = [("query key value gate", "in_proj_qkvz"), ("rate time", "in_proj_ba")] if joined else [
        ("query key value", "in_proj_qkv"), ("gate", "in_proj_z"), ("rate", "in_proj_b"), ("time", "in_proj_a")]
    return {
        **{tuple(f"{ours}.{name}" for name in names.split()): f"{at}.{theirs}" for names, theirs in maps},
        CONVOLVED: (f"{at}.conv1d.weight", "2*k_lin*kv_lin+v_lin*heads_lin 1 w"),
        f"{ours}.time_bias": f"{at}.dt_bias",
        f"{ours}.decay": f"{at}.A_log",
        f"{ours}.gated_norm": f"{at}.norm",
        f"{ours}.output": f"{at}.out_proj",
    }


def kimi_names(ours: str) -> dict[Any, Any]:
    """The names of a mixer by the delta rule with a decay for each channel, which they call attention."""
    at = "layers.{i}.self_attn"
    names = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "rate": "b_proj", "output": "o_proj",
             "gate": "g_proj", "gate_down": "g_a_proj", "gate_up": "g_b_proj", "gated_norm": "o_norm",
             "time": "forget_gate.f_proj", "time_down": "forget_gate.f_a_proj", "time_up": "forget_gate.f_b_proj",
             "time_bias": "forget_gate.dt_bias", "decay": "forget_gate.A_log"}
    return {
        **{f"{ours}.{one}": f"{at}.{other}" for one, other in names.items()},
        tuple(f"{ours}.{name}_convolution.weight" for name in ("query", "key", "value")):
            (f"{at}.conv1d.weight", "3*k_lin*heads_lin 1 w"),
    }
