"""What the encoders of speech have in common: usual keys with their letters, usual names of stored tensors."""

from __future__ import annotations

from symcount.errors import ConfigError
from symcount.hub.images import stages
from symcount.hub.settling import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_MOST = 100  # adapters: a stranger's configuration must not make more than that


def speech_keys(*, V: int | None = 32) -> dict[str, tuple[str, Any]]:
    """The keys of most encoders of speech, with the defaults of a class; V=None where letters are read with others."""
    return {
        **({} if V is None else {"vocab_size": ("V", V)}),
        "hidden_size": ("d", 768),
        "num_hidden_layers": ("L", 12),
        "num_attention_heads": ("heads", 12),
        "intermediate_size": ("h", 3072),
        "conv_bias": ("conv_bias", False),
        "num_conv_pos_embeddings": ("w_pos", 128),
        "num_conv_pos_embedding_groups": ("groups", 16),
        "use_weighted_layer_sum": ("weighted", False),
        "classifier_proj_size": ("m", 256),
        "num_labels": ("C", 2),
    }


STABLE: dict[str, tuple[str, Any]] = {"do_stable_layer_norm": ("stable", False)}
CODES: dict[str, tuple[str, Any]] = {
    "num_codevectors_per_group": ("codes", 320),
    "num_codevector_groups": ("codebooks", 2),
    "codevector_dim": ("d_code", 256),
    "proj_codevector_dim": ("m_code", 256),
}
ADAPTER: dict[str, tuple[str, Any]] = {"add_adapter": ("adapted", False), "adapter_kernel_size": ("w_a", 3)}
SPEAKER: dict[str, tuple[str, Any]] = {"xvector_output_dim": ("e", 512)}
MASKING = {"mask_time_prob": 0.05, "mask_feature_prob": 0.0}
FRAMES: dict[str, Any] = {
    "conv_dim": [512] * 7,
    "conv_kernel": [10, 3, 3, 3, 3, 2, 2],
    "conv_stride": [5, 2, 2, 2, 2, 2, 2],
    "num_feat_extract_layers": None,
    "feat_extract_norm": "group",
}
SHORTENING: dict[str, Any] = {"num_adapter_layers": 3, "adapter_stride": 2, "output_hidden_size": None}
DELAYS: dict[str, Any] = {
    "tdnn_dim": [512, 512, 512, 512, 1500],
    "tdnn_kernel": [5, 3, 3, 1, 1],
    "tdnn_dilation": [1, 2, 3, 1, 1],
}
SPEECH_FLAGS = {"layer_normed": False, "masked": True, "batch_normed": False, "feature_normed": True, "stable": False,
                "adapted": False, "widened": False, "narrowed": False}
SPEECH_ACTS = {"feat_extract_activation": ("gelu", "conv embeddings"), "hidden_act": ("gelu", "layers")}

# Sizes that all published encoders of this kind have
FRAMES_SHAPE = {"c": (512,) * 7, "w": (10, 3, 3, 3, 3, 2, 2), "stride": (5, 2, 2, 2, 2, 2, 2), "groups": 16}
HEADS_SHAPE = {"V": 32, "m": 256, "e": 512, "c_x": (512, 512, 512, 512, 1500), "w_x": (5, 3, 3, 1, 1),
               "dilation": (1, 2, 3, 1, 1), "w_a": 3, "stride_a": (2, 2, 2)}

_TRAINED = "a setting of training"
SPEECH_IGNORED = {
    **dict.fromkeys(("feat_proj_dropout", "feat_quantizer_dropout", "feat_extract_dropout", "final_dropout",
                     "conformer_conv_dropout"), "dropout has no weights"),
    **dict.fromkeys((f"mask_{axis}_{what}" for axis in ("time", "feature") for what in ("length", "min_masks")),
                    _TRAINED),
    **dict.fromkeys((f"mask_{axis}_{what}" for axis in ("time", "channel")
                     for what in ("min_space", "other", "selection")), _TRAINED),
    **dict.fromkeys(("apply_spec_augment", "mask_channel_length", "mask_channel_prob", "no_mask_channel_overlap",
                     "no_mask_time_overlap", "ctc_loss_reduction", "ctc_zero_infinity", "feature_grad_mult",
                     "freeze_feat_extract_train", "contrastive_logits_temperature", "num_negatives",
                     "diversity_loss_weight", "replace_prob"), _TRAINED),
    "tie_word_embeddings": "nothing is tied: there is no table of words",
}
# Keys of wav2vec 2.0 in the files of families that have no codes, and one place for their norms
UNREAD = dict.fromkeys((*CODES, "num_ctc_classes", "do_stable_layer_norm"), "of wav2vec 2.0, read by nothing here")


def masked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Whether there is a vector for hidden frames: where training hides any."""
    shares = [config[key] for key in MASKING]
    if any(isinstance(share, bool) or not isinstance(share, (int, float)) for share in shares):
        raise ConfigError("mask_time_prob, mask_feature_prob: numbers are needed")
    return {"masked": any(share > 0 for share in shares)}


def framed(config: Mapping[str, Any]) -> dict[str, Any]:
    """Channels, steps and strides of the convolutions, and which of them have a norm."""
    c, w, stride = stages(config, "conv_dim", "conv_kernel", "conv_stride")
    told, kind = config["num_feat_extract_layers"], config["feat_extract_norm"]
    if told is not None and (told != len(c) or type(told) is not int):
        raise ConfigError(f"num_feat_extract_layers = {told!r}, and conv_dim lists {len(c)}")
    if kind not in ("group", "layer"):
        raise ConfigError(f"feat_extract_norm = {kind!r}: group or layer is needed")
    return {"c": c, "w": w, "stride": stride, "layer_normed": kind == "layer", **masked(config)}


def shortening(config: Mapping[str, Any]) -> dict[str, Any]:
    """The strides of the adapters, and the width behind them, that of the layers where it is not told."""
    n, width = number(config, "num_adapter_layers", least=0), config["output_hidden_size"] or config["hidden_size"]
    if n > _MOST:
        raise ConfigError(f"num_adapter_layers = {n:,}: at most {_MOST} are read")
    widened = width != config["hidden_size"]
    return {"stride_a": (number(config, "adapter_stride"),) * n, "widened": widened,
            "d_last": width if widened else None}


def delays(config: Mapping[str, Any]) -> dict[str, Any]:
    """Channels, steps and distances of the convolutions that tell speakers apart."""
    return dict(zip(("c_x", "w_x", "dilation"), stages(config, *DELAYS), strict=True))


def languages(config: Mapping[str, Any]) -> dict[str, Any]:
    """The rank of the adapter of each layer, if there is one."""
    rank = config["adapter_attn_dim"]
    return {"narrowed": rank is not None, "r_a": rank}


SPEECH_NAMES: dict[Any, Any] = {
    "conv.kernel": "feature_extractor.conv_layers.{i}.conv",
    "conv.norm": "feature_extractor.conv_layers.{i}.layer_norm",
    "features.norm": "feature_projection.layer_norm",
    "features.projection": "feature_projection.projection",
    "embeddings.masked": "masked_spec_embed",
    "embeddings.norm": "encoder.pos_conv_embed.batch_norm",
    "embeddings.position.weight": "encoder.pos_conv_embed.conv.parametrizations.weight.original1",
    "embeddings.position.gain": ("encoder.pos_conv_embed.conv.parametrizations.weight.original0", "1 1 *"),
    "embeddings.kernel": "encoder.pos_conv_embed.conv",
    "embeddings.position.bias": "encoder.pos_conv_embed.conv.bias",
    "norm": "encoder.layer_norm",
    "layers.attention.query": "encoder.layers.{i}.attention.q_proj",
    "layers.attention.key": "encoder.layers.{i}.attention.k_proj",
    "layers.attention.value": "encoder.layers.{i}.attention.v_proj",
    "layers.attention.output": "encoder.layers.{i}.attention.out_proj",
    "layers.attention_norm": "encoder.layers.{i}.layer_norm",
    "layers.mlp.up": "encoder.layers.{i}.feed_forward.intermediate_dense",
    "layers.mlp.down": "encoder.layers.{i}.feed_forward.output_dense",
    "layers.mlp_norm": "encoder.layers.{i}.final_layer_norm",
    "layers.adapter.norm": "encoder.layers.{i}.adapter_layer.norm",
    "layers.adapter.down": "encoder.layers.{i}.adapter_layer.linear_1",
    "layers.adapter.up": "encoder.layers.{i}.adapter_layer.linear_2",
    "adapter.projection": "adapter.proj",
    "adapter.norm": "adapter.proj_layer_norm",
    ("adapter.conv.value", "adapter.conv.gate"): "adapter.layers.{i}.conv",
}
SPEECH_HEAD_NAMES: dict[Any, Any] = {
    "head": "lm_head",
    **{f"{head}.layer_weights": "layer_weights" for head in ("classifier", "head")},
    "classifier.projector": "projector",
    "classifier.scores": "classifier",
    "head.kernel": "tdnn.{i}.kernel",
    "head.vector": "feature_extractor",
    "classifier.output": "classifier",
    "head.targets": "objective.weight",
    "head.hidden": "project_hid",
    "head.quantised": "project_q",
    "head.quantizer.scores": "quantizer.weight_proj",
    "head.quantizer.vectors": ("quantizer.codevectors", "1 codebooks*codes d_code/codebooks"),
}
CONFORMER_IGNORED = {
    **SPEECH_IGNORED,
    "rotary_embedding_base": "rotation has no weights and is elementwise",
    "max_source_positions": "sines are computed for as many frames as there are",
}
CONFORMER_NAMES: dict[Any, Any] = {
    **{ours: SPEECH_NAMES[ours] for ours in ("features.norm", "features.projection", "embeddings.masked")},
    **{f"layers.{ours}": f"encoder.layers.{{i}}.{theirs}" for ours, theirs in {
        "first_norm": "ffn1_layer_norm",
        "first.mlp.up": "ffn1.intermediate_dense",
        "first.mlp.down": "ffn1.output_dense",
        "attention_norm": "self_attn_layer_norm",
        "attention.query": "self_attn.linear_q",
        "attention.key": "self_attn.linear_k",
        "attention.value": "self_attn.linear_v",
        "attention.output": "self_attn.linear_out",
        "attention.distance": "self_attn.linear_pos",
        "conv_norm": "conv_module.layer_norm",
        "conv.depthwise": "conv_module.depthwise_conv",
        "conv.second": "conv_module.pointwise_conv2",
        "last_norm": "ffn2_layer_norm",
        "last.mlp.up": "ffn2.intermediate_dense",
        "last.mlp.down": "ffn2.output_dense",
        "norm": "final_layer_norm",
    }.items()},
    "layers.attention.content_bias": ("encoder.layers.{i}.self_attn.pos_bias_u", "heads d/heads"),
    "layers.attention.distance_bias": ("encoder.layers.{i}.self_attn.pos_bias_v", "heads d/heads"),
    ("layers.conv.first.value", "layers.conv.first.gate"): "encoder.layers.{i}.conv_module.pointwise_conv1",
}


def inner(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of keys as it stands in a configuration that has that of its encoder within."""
    return {f"encoder_config.{key}": told for key, told in table.items()}


def within_config(settle: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What settles the keys of an encoder, for a configuration that has them within."""
    def settle_inner(config: dict[str, Any]) -> dict[str, Any]:
        return settle({key.removeprefix("encoder_config."): entry for key, entry in config.items()})
    return settle_inner


def inner_only(kind: str) -> dict[str, tuple[tuple[Any, ...], str]]:
    """What the table of an encoder may say of itself."""
    return {"encoder_config": ((None,), "a table is needed"),
            "encoder_config.model_type": ((kind,), "the encoder of another family")}


FAST_NAMES: dict[Any, Any] = {
    **{f"layers.{ours}": f"layers.{{i}}.{theirs}" for ours, theirs in {
        "first_norm": "norm_feed_forward1",
        "first.mlp.up": "feed_forward1.linear1",
        "first.mlp.down": "feed_forward1.linear2",
        "attention_norm": "norm_self_att",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "attention.distance": "self_attn.relative_k_proj",
        "conv_norm": "norm_conv",
        "conv.depthwise": "conv.depthwise_conv",
        "conv.norm": "conv.norm",
        "conv.second": "conv.pointwise_conv2",
        "last_norm": "norm_feed_forward2",
        "last.mlp.up": "feed_forward2.linear1",
        "last.mlp.down": "feed_forward2.linear2",
        "norm": "norm_out",
    }.items()},
    "layers.attention.content_bias": ("layers.{i}.self_attn.bias_u", "heads d/heads"),
    "layers.attention.distance_bias": ("layers.{i}.self_attn.bias_v", "heads d/heads"),
    ("layers.conv.first.value", "layers.conv.first.gate"): "layers.{i}.conv.pointwise_conv1",
}
