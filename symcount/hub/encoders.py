"""Usual keys, letters and names of stored tensors of encoders, and of encoder-decoders."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encoder_keys(*, V: int, P: int, d: int, h: int, L: int, heads: int, types: int | None = None,
                 decoder: bool = True, tied: bool = True) -> dict[str, tuple[str, Any]]:
    """The keys of most encoders of text, with the defaults of a class; some have no segments or are no decoder."""
    return {
        "vocab_size": ("V", V),
        "max_position_embeddings": ("P", P),
        **({} if types is None else {"type_vocab_size": ("types", types)}),
        "hidden_size": ("d", d),
        "intermediate_size": ("h", h),
        "num_hidden_layers": ("L", L),
        "num_attention_heads": ("heads", heads),
        "tie_word_embeddings": ("tied", tied),
        **({"is_decoder": ("decoder", False)} if decoder else {}),
        "num_labels": ("C", 2),
    }


ENCODER_NOTES = {
    **dict.fromkeys(("language", "name"), "a note about the file"),
    **dict.fromkeys(("directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                     "pooler_size_per_head", "pooler_type"), "a note of the original release of BERT, read by nothing"),
}
ENCODER_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "add_cross_attention": ((False,), "cross attention is not written for this family"),
    "position_embedding_type": (("absolute",), "relative keys have a table of their own"),
}
BERT_NAMES: dict[Any, Any] = {
    "embeddings.word": "embeddings.word_embeddings",
    "embeddings.position": "embeddings.position_embeddings",
    "embeddings.type": "embeddings.token_type_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "layers.attention.query": "encoder.layer.{i}.attention.self.query",
    "layers.attention.key": "encoder.layer.{i}.attention.self.key",
    "layers.attention.value": "encoder.layer.{i}.attention.self.value",
    "layers.attention.output": "encoder.layer.{i}.attention.output.dense",
    "layers.attention_norm": "encoder.layer.{i}.attention.output.LayerNorm",
    "layers.mlp.up": "encoder.layer.{i}.intermediate.dense",
    "layers.mlp.down": "encoder.layer.{i}.output.dense",
    "layers.mlp_norm": "encoder.layer.{i}.output.LayerNorm",
    "pooler": "pooler.dense",
}
BERT_HEAD_NAMES: dict[Any, Any] = {
    "head.transform": "cls.predictions.transform.dense",
    "head.norm": "cls.predictions.transform.LayerNorm",
    "head.decoder": "cls.predictions.decoder",
    "head.bias": "cls.predictions.bias",
    "next_sentence": "cls.seq_relationship",
    "pre_classifier": "pre_classifier",
    "classifier": "classifier",
    "classifier.dense": "classifier.dense",
    "classifier.output": "classifier.out_proj",
    "answers": "qa_outputs",
}
ROBERTA_HEAD_NAMES: dict[Any, Any] = {
    **BERT_HEAD_NAMES,
    "head.transform": "lm_head.dense",
    "head.norm": "lm_head.layer_norm",
    "head.decoder": "lm_head.decoder",
    "head.bias": "lm_head.bias",
}


def seq2seq_keys(*, V: int, d: int, h: int, L: int, heads: int, L_dec: int | None = None) -> dict[str, tuple[str, Any]]:
    """The keys of most encoder-decoders, with the defaults of a class, whose two stacks are alike but for L_dec."""
    return {
        "vocab_size": ("V", V),
        "d_model": ("d", d),
        "encoder_ffn_dim": ("h", h),
        "encoder_layers": ("L", L),
        "encoder_attention_heads": ("heads", heads),
        "decoder_ffn_dim": ("h_dec", h),
        "decoder_layers": ("L_dec", L_dec or L),
        "decoder_attention_heads": ("heads_dec", heads),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    }


# The decoder is as the encoder where it is not told otherwise, and as long as what the encoder reads.
SEQ2SEQ_FOLLOWS = {"h_dec": "h", "L_dec": "L", "heads_dec": "heads", "u": "s", "t": "u"}
SEQ2SEQ_ALIASES = {
    "hidden_size": "d_model",
    "num_attention_heads": "encoder_attention_heads",
    "num_hidden_layers": "encoder_layers",
}
SEQ2SEQ_IGNORED = {
    "is_decoder": "the class says which stacks there are",
    "add_cross_attention": "every decoder layer has the weights, and the class says whether they run",
    "scale_embedding": "a constant",
    "init_std": "how weights start, not how many there are",
    **dict.fromkeys(("forced_eos_token_id", "forced_decoder_ids", "force_bos_token_to_be_generated"),
                    "chooses how text is generated"),
    **dict.fromkeys(("classif_dropout", "dropout_rate"), "dropout has no weights"),
    **dict.fromkeys(("add_bias_logits", "do_blenderbot_90_layernorm", "extra_pos_embeddings", "save_step"),
                    "read by nothing"),
}


def norms_at(*, before: bool, embedding: bool, computed: bool) -> dict[str, tuple[tuple[Any, ...], str]]:
    """Keys of old files of these families, which say what the family does, and nothing reads."""
    return {
        "normalize_before": ((before,), "where this family has its norms"),
        "add_final_layer_norm": ((before,), "where this family has its norms"),
        "extra_layer_norm": ((False,), "where this family has its norms"),
        "normalize_embedding": ((embedding,), "where this family has its norms"),
        "static_position_embeddings": ((computed,), "which positions this family has"),
    }


def seq2seq_names(encoder: str = "encoder", decoder: str = "decoder") -> dict[Any, Any]:
    """What the checkpoints of most encoder-decoders call our weights; `embeddings` is the one word table."""
    names = {
        "embeddings.word": "embed_tokens",
        "embeddings.position": "embed_positions",
        "embeddings.norm": "layernorm_embedding",
        "layers.attention_norm": "layers.{i}.self_attn_layer_norm",
        "layers.attention.query": "layers.{i}.self_attn.q_proj",
        "layers.attention.key": "layers.{i}.self_attn.k_proj",
        "layers.attention.value": "layers.{i}.self_attn.v_proj",
        "layers.attention.output": "layers.{i}.self_attn.out_proj",
        "layers.cross_norm": "layers.{i}.encoder_attn_layer_norm",
        "layers.cross.query": "layers.{i}.encoder_attn.q_proj",
        "layers.cross.key": "layers.{i}.encoder_attn.k_proj",
        "layers.cross.value": "layers.{i}.encoder_attn.v_proj",
        "layers.cross.output": "layers.{i}.encoder_attn.out_proj",
        "layers.mlp_norm": "layers.{i}.final_layer_norm",
        "layers.mlp.up": "layers.{i}.fc1",
        "layers.mlp.down": "layers.{i}.fc2",
        "norm": "layer_norm",
    }
    return {"embeddings": "shared",
            **{f"encoder.{ours}": f"{encoder}.{theirs}" for ours, theirs in names.items()},
            **{f"decoder.{ours}": f"{decoder}.{theirs}" for ours, theirs in names.items()}}


SEQ2SEQ_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "is_encoder_decoder": ((True, False), "the class says which stacks there are"),
}
SEQ2SEQ_HEAD_NAMES: dict[Any, Any] = {
    "head": "lm_head",
    "classifier.dense": "classification_head.dense",
    "classifier.scores": "classification_head.out_proj",
    "answers": "qa_outputs",
}
