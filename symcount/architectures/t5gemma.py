"""T5Gemma: an encoder and a decoder of Gemma 2; T5Gemma 2, of Gemma 3: one attention to both, and a tower for images.

Source: Zhang et al. 2025, "Encoder-decoder Gemma", section 3; "T5Gemma 2", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import ROTARY, decoder_keys
from symcount.hub.settling import global_every
from symcount.layers import attention, embed, gated, linear, norm, per_head, residual
from symcount.layers.towers import IMAGE_LETTERS, Tower
from symcount.masks import Mask
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    lookup,
    pointwise,
    rename,
    tensor,
    weight,
    weights,
    within,
)
from symcount.sizes import multiple, per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size

    Block = Callable[..., Tensor]


def sided(x: Tensor, name: str, part: Callable[..., Tensor], **sizes: Any) -> Tensor:
    """x and a part with an RMSNorm on each side of it: 2d more parameters than the part."""
    y = within(name, part, norm(x, f"{name}_norm", shift=False), **sizes)
    return residual(x, norm(y, f"{name}_out_norm", shift=False))


def feed(x: Tensor, h: Size) -> Tensor:
    """3dh + 2d parameters."""
    return sided(x, "mlp", gated, h=h, kind="gelu_pytorch_tanh")


def encoder_block(x: Tensor, z: Any, normed: Callable[[Tensor, str], Tensor] | None) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 4d parameters, 2k more where queries and keys are normed; a window hides no work."""
    x = sided(x, "attention", attention, z=z, t=x.axes["s"], kv=z.kv, k=z.k, bias=z.attention_bias, position="rotary",
              normed=normed)
    return feed(x, z.h)


def decoder_block(x: Tensor, z: Any, memory: Tensor, mask: Mask) -> Tensor:
    """Attention, attention to the encoder's rows, and MLP: (4d_dec + 2d)·k·kv or so, 3·d_dec·h_dec + 6·d_dec."""
    heads = {"heads": z.heads_dec, "kv": z.kv_dec, "k": z.k_dec, "bias": z.bias_dec}
    x = sided(x, "attention", attention, z=z, t=z.t, position="rotary", mask=mask, **heads)
    x = sided(x, "cross", attention, z=z, t=z.t, memory=memory, **heads)
    return feed(x, z.h_dec)


def merged(x: Tensor, z: Any, memory: Tensor, mask: Mask) -> Tensor:
    """Attention to the rows before and to the encoder's at once, by the same maps, with normed queries and keys.

    Parameters: 2dk·heads + 2dk·kv + 2k.
    """
    kv, k, bias = z.kv_dec, multiple(z.k_dec, 2), z.bias_dec
    query = per_head(linear(x, "query", bias=bias, g=kv, q=per(z.heads_dec, kv), k=k), "query_norm")
    maps = {name: weight(f"{name}.weight", out="g k", d=z.d, g=kv, k=k) for name in ("key", "value")}
    shift = {name: weight(f"{name}.bias", kinds="bias", g=kv, k=k) for name in maps if bias}
    gain = weight("key_norm.weight", kinds="norm", k=k)

    def mapped(rows: Tensor, name: str, whose: str) -> Tensor:
        y = linear(rows, whose + name, bias=False, w=maps[name], g=kv, k=k)
        return pointwise(y, shift[name], kind="bias", name=f"{whose}{name}_bias") if bias else y

    told = rename(memory, s="t")
    keys = (pointwise(pointwise(mapped(x, "key", ""), gain, kind="rms_norm", name="key_norm"), kind="rotary"),
            pointwise(mapped(told, "key", "memory_"), gain, kind="rms_norm", name="memory_key_norm"))
    values = mapped(x, "value", ""), mapped(told, "value", "memory_")
    length = told.axes["t"]
    own, others = ((cached(near, name, s=("t", z.t)), cached(far, f"memory_{name}", t=("t", length)))
                   for name, (near, far) in (("key", keys), ("value", values)))
    query = pointwise(query, kind="rotary")
    scores = concat(contract(query, own[0], to="b g q s t", name="scores", mask=mask),
                    contract(query, own[1], to="b g q s t", name="memory_scores"), axis="t")
    shares = cut(pointwise(pointwise(scores, kind="attention_scale"), kind="softmax"), "t", z.t, length)
    mixed = pointwise(contract(shares[0], others[0], to="b s g q k", name="mix", mask=mask),
                      contract(shares[1], others[1], to="b s g q k", name="memory_mix"), kind="add", name="sum")
    return linear(mixed, "output", over="g q k", bias=bias, d=z.d)


def merged_block(x: Tensor, z: Any, memory: Tensor, mask: Mask) -> Tensor:
    """2dk_dec·heads_dec + 2dk_dec·kv_dec + 3dh_dec + 4d + 2k_dec parameters."""
    return feed(sided(x, "attention", merged, z=z, memory=memory, mask=mask), z.h_dec)


def encode(x: Tensor, z: Any, normed: Callable[[Tensor, str], Tensor] | None) -> Tensor:
    """L blocks and a norm."""
    return norm(within("layers", encoder_block, x, z=z, normed=normed, runs=z.L), "norm", shift=False)


def decode(x: Tensor, z: Any, memory: Tensor, block: Block) -> Tensor:
    """L_dec blocks, of which L_global see all tokens before, and a norm."""
    mask = Mask(causal=True, window=z.window)
    x = within("layers.local", block, x, z=z, memory=memory, mask=mask, runs=rest(z.L_dec, z.L_global))
    x = within("layers.global", block, x, z=z, memory=memory, mask=Mask(causal=True), runs=z.L_global)
    return norm(x, "norm", shift=False)


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The decoder's last hidden states, and its word table: that of the encoder is another."""
    x, _ = embed(tensor("ids", b=z.b, s=z.s), "encoder.embeddings", V=z.V, d=z.d)
    memory = within("encoder", encode, x, z=z, normed=None)
    y, word = embed(tensor("targets", b=z.b, s=z.u), "decoder.embeddings", V=z.V_dec, d=z.d_dec)
    return within("decoder", decode, y, z=z, memory=memory, block=decoder_block), word


def body2(z: Any) -> tuple[Tensor, Tensor]:
    """The same where words have one table if tied, and a tower for images is stored, which a text does not run."""
    x, word = embed(tensor("ids", b=z.b, s=z.s), "encoder.embeddings", V=z.V, d=z.d)
    x = idle(x, weight("encoder.embeddings.end_of_image", kinds="embedding", d=z.d), *tower(z))
    memory = within("encoder", encode, x, z=z, normed=per_head)
    targets = tensor("targets", b=z.b, s=z.u)
    if z.tied:
        y = lookup(targets, word, "targets")
    else:
        y, _ = embed(targets, "decoder.embeddings", V=z.V, d=z.d)
        y = idle(y, weight("decoder.embeddings.end_of_image", kinds="embedding", d=z.d))
    return within("decoder", decode, y, z=z, memory=memory, block=merged_block), word


def tower(z: Any) -> list[Tensor]:
    """The weights of the tower for images and of the map to the width of the text: d·d_img + d_img more."""
    def seen() -> tuple[Tensor, ...]:
        rows, *pooled = SIGLIP.classes["SiglipVisionModel"](Tower(z, IMAGE_LETTERS))
        return linear(norm(rows, "projection_norm", shift=False), "projection", bias=False, d=z.d), *pooled
    return [made[0] for made in weights(within("image", seen)).values()]


def heads(prefix: str, body: Callable[[Any], tuple[Tensor, Tensor]], V: str) -> dict[str, Callable[[Any], Tensor]]:
    """The classes on a body, whose words are of V: none more when tied, else dV; dC + C to classify."""
    def words(z: Any) -> Tensor:
        x, table = body(z)
        return linear(x, "head", bias=False, w=table if z.tied else None, V=getattr(z, V))

    def classify(z: Any) -> Tensor:
        return linear(body(z)[0], "classifier", C=z.C)

    return {f"{prefix}Model": lambda z: body(z)[0], f"{prefix}ForConditionalGeneration": words,
            f"{prefix}ForSequenceClassification": classify, f"{prefix}ForTokenClassification": classify}


DECODER = {"hidden_size": "d_dec", "intermediate_size": "h_dec", "num_hidden_layers": "L_dec",
           "num_attention_heads": "heads_dec", "num_key_value_heads": "kv_dec", "head_dim": "k_dec",
           "attention_bias": "bias_dec", "vocab_size": "V_dec"}


def stack_keys(table: str, V: int, **letters: str) -> dict[str, tuple[str, Any]]:
    """The keys of one stack, within its table."""
    told: dict[str, tuple[str, Any]] = {**decoder_keys(V=V, d=2304, h=9216, L=26, heads=8, kv=4, k=256),
                                        "attention_bias": ("attention_bias", False)}
    return {f"{table}.{key}": (letters.get(key, size), default) for key, (size, default) in told.items()
            if key not in ("tie_word_embeddings", "num_labels")}


def stack_ignored(*tables: str) -> dict[str, str]:
    """What each stack may say without a change of a count."""
    notes = {
        **ROTARY,
        **dict.fromkeys(("query_pre_attn_scalar", "final_logit_softcapping", "attn_logit_softcapping"), "a constant"),
        **dict.fromkeys(("tie_word_embeddings", "is_decoder", "cross_attention_hidden_size", "dropout_rate"),
                        "the model says it for both stacks"),
        "rope_local_base_freq": "rotation has no weights and is elementwise",
    }
    return {f"{table}.{key}": why for table in tables for key, why in notes.items()}


def windows_of(step: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The decoder's layers without a window, and the window of the others."""
    def settle(config: dict[str, Any]) -> dict[str, Any]:
        told = {key: config[f"decoder.{key}"] for key in ("layer_types", "num_hidden_layers", "sliding_window")}
        pattern = config.get("decoder.sliding_window_pattern", step)
        return global_every(step)({**told, "sliding_window_pattern": pattern})
    return settle


def settle2(config: dict[str, Any]) -> dict[str, Any]:
    """The same, where both stacks must be of one width and have the same words."""
    for key in ("hidden_size", "vocab_size"):
        one, other = config[f"encoder.text_config.{key}"], config[f"decoder.{key}"]
        if one != other:
            raise ConfigError(f"{key}: the encoder has {one} and the decoder {other}, which the implementation refuses")
    return {**windows_of(6)(config), "d_dec": None, "V_dec": None}


UNREAD = {
    **dict.fromkeys(("dropout_rate", "classifier_dropout_rate"), "dropout has no weights"),
    "vocab_size": "the tables of the stacks say it",
}
LEFT_OUT = "the soft caps of scores and logits"


def stored_stacks(encoder: str, decoder: str) -> dict[Any, Any]:
    """The names of both stacks, which a checkpoint calls so."""
    norms = {"attention_norm": "pre_self_attn_layernorm", "attention_out_norm": "post_self_attn_layernorm",
             "cross_norm": "pre_cross_attn_layernorm", "cross_out_norm": "post_cross_attn_layernorm",
             "mlp_norm": "pre_feedforward_layernorm", "mlp_out_norm": "post_feedforward_layernorm"}
    maps = {f"{ours}.{part}": f"{theirs}_attn.{short}" for ours, theirs in (("attention", "self"), ("cross", "cross"))
            for part, short in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "o_proj"),
                                ("query_norm", "q_norm"), ("key_norm", "k_norm"))}
    names = {**norms, **maps, **{f"mlp.{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")}}
    return {
        **{f"encoder.layers.{ours}": f"{encoder}.layers.{{i}}.{theirs}" for ours, theirs in names.items()},
        **{f"decoder.layers.{kind}.{ours}": f"{decoder}.layers.{{i}}.{theirs}" for ours, theirs in names.items()
           for kind in ("local", "global")},
        **{f"{stack}.{ours}": f"{whole}.{theirs}" for stack, whole in (("encoder", encoder), ("decoder", decoder))
           for ours, theirs in (("embeddings", "embed_tokens"), ("norm", "norm"),
                                ("embeddings.end_of_image", "embed_tokens.eoi_embedding"))},
    }


def behind(ours: str, theirs: str, names: Mapping[Any, Any]) -> dict[Any, Any]:
    """The names of a tower within a model."""
    return {(tuple(f"{ours}.{one}" for one in path) if isinstance(path, tuple) else f"{ours}.{path}"):
            (f"{theirs}.{name[0]}", name[1]) if isinstance(name, tuple) else f"{theirs}.{name}"
            for path, name in names.items()}


SIGLIP = next(one for one in family("siglip") if one.name == "siglip_vision_model")
SEES = "encoder.vision_config"
TEXT = "encoder.text_config"
LOCAL = {"decoder.layer_types": None, "decoder.sliding_window": 4096}
FOLLOWS = {"u": "s", "t": "u"}
STORED_HEADS = {"head": "lm_head.out_proj", "classifier": "score.out_proj"}
ACT = "gelu_pytorch_tanh"


def _t5gemma(count: int, **sizes: Any) -> Published:
    both = {**sizes, **{f"{name}_dec": size for name, size in sizes.items() if name in ("V", "d", "h", "L", "heads",
                                                                                         "kv", "k")}}
    return measured("T5GemmaForConditionalGeneration", count, window=4096, **both)


ARCHITECTURES = (Architecture(
    "t5gemma",
    classes=heads("T5Gemma", body, "V_dec"),
    sizes="window L_global",
    follows=FOLLOWS,
    acts={"encoder.hidden_activation": (ACT, "encoder"), "decoder.hidden_activation": (ACT, "decoder")},
    keys={
        **stack_keys("encoder", 256000),
        **stack_keys("decoder", 256000, **DECODER),
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads=LOCAL,
    settle=windows_of(2),
    ignored={
        **UNREAD,
        **stack_ignored("encoder", "decoder"),
        **dict.fromkeys(("encoder.sliding_window", "encoder.layer_types"), "the encoder computes all scores"),
    },
    only={
        "is_encoder_decoder": ((True,), "the encoder alone is not written"),
        **dict.fromkeys(("encoder", "decoder"), ((None,), "a table is needed")),
        **{f"{stack}.model_type": (("t5_gemma_module",), "a stack of another family")
           for stack in ("encoder", "decoder")},
    },
    unwritten=LEFT_OUT,
    stored=stored_stacks("encoder", "decoder"),
    stored_heads=STORED_HEADS,
    base="model",
    published={
        "t5gemma-b-b": _t5gemma(591_490_560, V=256000, d=768, h=2048, L=12, L_global=6, heads=12, kv=12, k=64),
        "t5gemma-2b-2b": _t5gemma(5_596_853_760, V=256000, d=2304, h=9216, L=26, L_global=13, heads=8, kv=4, k=256),
    },
), Architecture(
    "t5gemma2",
    classes=heads("T5Gemma2", body2, "V"),
    sizes="window L_global",
    follows={**FOLLOWS, "d_dec": "d", "V_dec": "V"},
    acts={f"{TEXT}.hidden_activation": (ACT, "encoder"), "decoder.hidden_activation": (ACT, "decoder"),
          f"{SEES}.hidden_act": (ACT, "image")},
    keys={
        **stack_keys(TEXT, 262208),
        **stack_keys("decoder", 262208, **DECODER),
        **{f"{SEES}.{key}": (IMAGE_LETTERS.get(size, size), default) for key, (size, default) in SIGLIP.keys.items()},
        "tie_word_embeddings": ("tied", True),
        "num_labels": ("C", 2),
    },
    reads={**LOCAL, "decoder.sliding_window_pattern": 6},
    settle=settle2,
    ignored={
        **UNREAD,
        **stack_ignored(TEXT, "decoder"),
        **dict.fromkeys((f"{TEXT}.sliding_window", f"{TEXT}.layer_types", f"{TEXT}.sliding_window_pattern"),
                        "the encoder computes all scores"),
        **dict.fromkeys(("encoder.tie_word_embeddings", f"{SEES}.tie_word_embeddings", f"{SEES}.num_labels"),
                        "the model says it for both stacks"),
        **{f"{table}{name}_token_{form}": "the number of a word" for table in ("", "encoder.")
           for name in ("image", "boi", "eoi") for form in ("index", "id")},
        "encoder.mm_tokens_per_image": "to how many tokens those of an image are pooled",
    },
    only={
        "is_encoder_decoder": ((True,), "the class has two stacks"),
        **dict.fromkeys(("encoder", "decoder", TEXT, SEES), ((None,), "a table is needed")),
        "encoder.model_type": (("t5gemma2_encoder",), "a stack of another family"),
        f"{TEXT}.model_type": (("t5gemma2_text",), "a stack of another family"),
        f"{SEES}.model_type": (("siglip_vision_model",), "the tower of another family"),
        "decoder.model_type": (("t5gemma2_decoder",), "a stack of another family"),
    },
    unwritten=LEFT_OUT,
    stored={
        **stored_stacks("encoder.text_model", "decoder"),
        **behind("image", "encoder.vision_tower", SIGLIP.stored),
        "image.projection.weight": ("encoder.multi_modal_projector.mm_input_projection_weight", "d_img d"),
        "image.projection_norm": "encoder.multi_modal_projector.mm_soft_emb_norm",
    },
    stored_heads=STORED_HEADS,
    base="model",
    published={
        "t5gemma-2-270m-270m": measured(
            "T5Gemma2ForConditionalGeneration", 786_029_296, V=262144, d=640, h=2048, h_dec=2048, L=18, L_dec=18,
            L_global=3, window=512, heads=4, heads_dec=4, kv=1, kv_dec=1, k=256, k_dec=256, d_img=1152, h_img=4304,
            L_img=27, heads_img=16, c=3, side=896, patch=14, head=False),
    },
))
