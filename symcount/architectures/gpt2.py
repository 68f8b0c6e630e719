"""GPT-2 and its like: pre-norm decoders with learned positions; the output matrix is the word table.

GPT-BigCode shares one key and one value head; GPT-Neo has three biases less, and windows in every second layer;
ImageGPT reads 512 colours, and its norms have no shift; GPT, the first, has its norms after attention and MLP; GPT-SW3
is GPT-2 under another name.

Source: Radford et al. 2019, "Language models are unsupervised multitask learners", table 2 and section 2.3;
Li et al. 2023, "StarCoder", section 4.1; Black et al. 2021, "GPT-Neo";
Chen et al. 2020, "Generative pretraining from pixels", section 3;
Radford et al. 2018, "Improving language understanding by generative pre-training", section 4.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError, ModelError
from symcount.hub import measured
from symcount.hub.decoders import GPT_ALIASES, SERVER, SUMMARY, gpt_keys
from symcount.layers import (
    activation,
    attention,
    decoder_heads,
    dropped,
    embed,
    linear,
    mlp,
    norm,
    positions,
    post_norm,
    pre_norm,
    residual,
)
from symcount.masks import Mask
from symcount.network import pointwise, tensor, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def embeddings(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Vd + Pd parameters."""
    x, word = embed(ids, "word", V=z.V, d=z.d)
    return positions(x, "position", P=z.P, t=z.t), word


def dropping(ids: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """The same, of which training drops out some."""
    x, word = embeddings(ids, z)
    return dropped(x), word


def stack(x: Tensor, z: Any) -> Tensor:
    """L blocks of GPT-2."""
    return within("layers", pre_norm, x, z=z, mask=Mask(causal=True), runs=z.L)


def body(layers: Callable[..., Tensor], *, shift: bool = True,
         dress: Callable[..., Any] = dropping) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """Embeddings as `dress` makes them, layers, a last norm: the last hidden states, and the word table."""
    def made(z: Any) -> tuple[Tensor, Tensor]:
        x, word = within("embeddings", dress, tensor("ids", b=z.b, s=z.s), z=z)
        return norm(layers(x, z), "norm", shift=shift), word
    return made


def multi_query_block(x: Tensor, z: Any) -> Tensor:
    """2d² + 2dk·kv + 2dh + 6d + 2k·kv + h parameters: one key and one value head when kv = 1."""
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, kv=z.kv, t=z.t,
                           mask=Mask(causal=True), dropout=True))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h, dropout=True))


def multi_query_stack(x: Tensor, z: Any) -> Tensor:
    """L blocks of GPT-BigCode."""
    return within("layers", multi_query_block, x, z=z, runs=z.L)


def neo_block(x: Tensor, z: Any, mask: Mask) -> Tensor:
    """4d² + 2dh + 6d + h parameters: of the four maps of attention only the last has a bias."""
    x = residual(x, within("attention", attention, norm(x, "attention_norm"), z=z, t=z.t, bias="output", mask=mask))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def neo_stack(x: Tensor, z: Any) -> Tensor:
    """Blocks of GPT-Neo: L_global of them attend to every token before, the rest to a window."""
    x = within("layers.global", neo_block, x, z=z, mask=Mask(causal=True), runs=z.L_global)
    return within("layers.local", neo_block, x, z=z, mask=Mask(causal=True, window=z.window),
                  runs=rest(z.L, z.L_global))


def image_block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 7d + h parameters: the norms divide by the root of the mean square, and have no shift."""
    x = residual(x, within("attention", attention, norm(x, "attention_norm", shift=False), z=z, t=z.t,
                           mask=Mask(causal=True), dropout=True))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm", shift=False), h=z.h, dropout=True))


def image_stack(x: Tensor, z: Any) -> Tensor:
    """L blocks of ImageGPT."""
    return within("layers", image_block, x, z=z, runs=z.L)


image_body = body(image_stack, shift=False)


def image_lm(z: Any) -> Tensor:
    """Logits at every position, of every colour but the start of a picture: d(V - 1) parameters."""
    return linear(image_body(z)[0], "head", bias=False, V=z.V - 1)


def image_classification(z: Any) -> Tensor:
    """Scores of the mean over all pixels: dC parameters."""
    x, _ = image_body(z)
    return linear(pointwise(x, kind="mean", name="pool", to="b d"), "classifier", bias=False, C=z.C)


def first_body(z: Any) -> tuple[Tensor, Tensor]:
    """GPT-1: a norm after attention and after the MLP, none at the end."""
    x, word = within("embeddings", dropping, tensor("ids", b=z.b, s=z.s), z=z)
    return within("layers", post_norm, x, z=z, mask=Mask(causal=True), runs=z.L), word


def double_heads(body: Callable[[Any], tuple[Tensor, Tensor]]) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """Words at every position, and a score of the last: d + 1 parameters; b is of all choices of all texts."""
    def forward(z: Any) -> tuple[Tensor, Tensor]:
        if not z.scored:
            raise ModelError("DoubleHeadsModel: it is written where summary_type is cls_index, projected to one score")
        x, word = body(z)
        last = dropped(pointwise(x, kind="last", name="last", to="b d"), "last_dropout")
        score = activation(linear(last, "classifier", score=1), "linear", "classifier_act")
        return linear(x, "head", bias=False, w=word if z.tied else None, V=z.V), score
    return forward


def _scored(config: dict[str, Any]) -> dict[str, Any]:
    """Whether a choice is scored by its last token, and by one number."""
    return {"scored": config["summary_type"] == "cls_index" and config["summary_use_proj"] is True
            and config["summary_proj_to_labels"] is True}


def _expanded(told: Any) -> list[Any]:
    """[[["global", "local"], 6]] with one kind a layer."""
    found: list[Any] = []
    for pair in told if isinstance(told, list) else [None]:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list) and type(pair[1]) is int
                and len(found) + len(pair[0]) * pair[1] <= _MOST_LAYERS):
            raise ConfigError("attention_types: pairs of kinds and how often they come are needed, "
                              'as in [[["global", "local"], 6]]')
        found += pair[0] * pair[1]
    return found


def _neo(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers are global."""
    told, kinds, L = config["attention_types"], config["attention_layers"], config["num_layers"]
    expanded = _expanded([[["global", "local"], 12]] if told is None else told)
    if kinds is None:
        kinds = expanded
    if told is not None and kinds != expanded:
        raise ConfigError("attention_types and attention_layers disagree")
    if not isinstance(kinds, list) or any(kind not in ("global", "local") for kind in kinds):
        raise ConfigError("attention_layers: a list of 'global' and 'local' is needed")
    if len(kinds) != L:
        raise ConfigError(f"attention_types has {len(kinds)} layers, and num_layers is {L}")
    return {"L_global": kinds.count("global")}


def _bigcode(config: dict[str, Any]) -> dict[str, Any]:
    """One key-value head, or as many as there are heads."""
    shared = config["multi_query"]
    if not isinstance(shared, bool):
        raise ConfigError("multi_query: true or false is needed")
    return {"kv": None if shared else config["n_head"]}


def _gpt2(count: int, **sizes: int) -> Published:
    return measured("GPT2LMHeadModel", count, V=50257, P=1024, **sizes)


def _swedish(count: int, **sizes: int) -> Published:
    return measured("GPT2LMHeadModel", count, V=64000, P=2048, **sizes)


def _bigcode_model(count: int, **sizes: int) -> Published:
    return measured("GPTBigCodeForCausalLM", count, kv=1, **sizes)


def _gpt_neo(count: int, **sizes: int) -> Published:
    return measured("GPTNeoForCausalLM", count, V=50257, P=2048, window=256, **sizes)


def _imagegpt(count: int, **sizes: int) -> Published:
    return measured("ImageGPTForCausalImageModeling", count, V=513, P=1024, **sizes)


_MOST_LAYERS = 10_000  # a stranger's list must not fill the memory

NAMES: dict[Any, Any] = {
    "embeddings.word": "wte",
    "embeddings.position": "wpe",
    "layers.attention_norm": "h.{i}.ln_1",
    "layers.mlp_norm": "h.{i}.ln_2",
    "layers.attention.output": "h.{i}.attn.c_proj",
    "layers.mlp.up": "h.{i}.mlp.c_fc",
    "layers.mlp.down": "h.{i}.mlp.c_proj",
    "norm": "ln_f",
}
FUSED = ("layers.attention.query", "layers.attention.key", "layers.attention.value")
# Conv1D stores [in, out]
CONV1D = {
    **NAMES,
    FUSED: ("h.{i}.attn.c_attn", "d 3d"),
    "layers.attention.output": ("h.{i}.attn.c_proj", "d d"),
    "layers.mlp.up": ("h.{i}.mlp.c_fc", "d h"),
    "layers.mlp.down": ("h.{i}.mlp.c_proj", "h d"),
}
HEADS = {"head": "lm_head", "classifier": "score", "answers": "qa_outputs"}
CHOICES = {"classifier": "multiple_choice_head.summary"}
ONE_STACK = {"add_cross_attention": ((False,), "cross attention is not written for this family")}
NOTES = {"n_ctx": "n_positions is the size of the table", "predict_special_tokens": "read by nothing"}
SCORED = {"summary_type": "cls_index", "summary_use_proj": True, "summary_proj_to_labels": True}
SCORES = {
    "scale_attn_weights": "a constant",
    "scale_attn_by_inverse_layer_idx": "a constant",
    "reorder_and_upcast_attn": "the order of the same products",
}


def _like_gpt2(name: str, published: Mapping[str, Published]) -> Architecture:
    return Architecture(
        name,
        classes={
            **decoder_heads("GPT2", body(stack), "LMHeadModel ForSequenceClassification ForTokenClassification "
                            "ForQuestionAnswering"),
            "GPT2DoubleHeadsModel": double_heads(body(stack)),
        },
        follows={"h": "4d"},
        acts={"activation_function": ("gelu_new", ""), "summary_activation": ("linear", "classifier")},
        flags={"scored": True},
        keys=gpt_keys(V=50257, P=1024, d=768, L=12, heads=12, tied=True),
        reads=SCORED,
        settle=_scored,
        aliases=GPT_ALIASES,
        same={"n_vocab": "vocab_size"},
        ignored={**SCORES, **NOTES, "summary_first_dropout": "dropout has no weights"},
        only={**ONE_STACK, "n_special": ((0,), "transformers builds no rows for them")},
        stored=CONV1D,
        stored_heads={**HEADS, "GPT2ForTokenClassification": {"classifier": "classifier"},
                      "GPT2DoubleHeadsModel": CHOICES},
        base="transformer",
        published=published,
    )


ARCHITECTURES = (
    _like_gpt2("gpt2", {
        "gpt2": _gpt2(124_439_808, d=768, L=12, heads=12),
        "gpt2-medium": _gpt2(354_823_168, d=1024, L=24, heads=16),
        "gpt2-large": _gpt2(774_030_080, d=1280, L=36, heads=20),
        "gpt2-xl": _gpt2(1_557_611_200, d=1600, L=48, heads=25),
        "distilgpt2": _gpt2(81_912_576, d=768, L=6, heads=12),
        "dialogpt-small": _gpt2(124_439_808, d=768, L=12, heads=12),
        "dialogpt-medium": _gpt2(354_823_168, d=1024, L=24, heads=16),
        "dialogpt-large": _gpt2(774_030_080, d=1280, L=36, heads=20),
    }),
    _like_gpt2("gpt-sw3", {
        "gpt-sw3-126m": _swedish(135_780_864, d=768, L=12, heads=12),
        "gpt-sw3-356m": _swedish(369_944_576, d=1024, L=24, heads=16),
        "gpt-sw3-1.3b": _swedish(1_343_868_928, d=2048, L=24, heads=32),
        "gpt-sw3-6.7b": _swedish(6_714_695_680, d=4096, L=32, heads=32),
    }),
    Architecture(
        "gpt_bigcode",
        classes=decoder_heads("GPTBigCode", body(multi_query_stack),
                              "ForCausalLM ForSequenceClassification ForTokenClassification"),
        sizes="kv",
        follows={"h": "4d", "kv": "1"},
        acts={"activation_function": ("gelu_pytorch_tanh", "")},
        keys=gpt_keys(V=50257, P=1024, d=768, L=12, heads=12, tied=True),
        reads={"multi_query": True},
        settle=_bigcode,
        aliases=GPT_ALIASES,
        ignored={
            **SCORES, **SUMMARY, **SERVER,
            "n_ctx": "n_positions is the size of the table",
            "num_key_value_heads": "multi_query says how many there are",
            "attention_softmax_in_fp32": "how numbers are stored; counts are of numbers",
            "scale_attention_softmax_in_fp32": "how numbers are stored; counts are of numbers",
        },
        only=ONE_STACK,
        stored={**NAMES, FUSED: "h.{i}.attn.c_attn"},
        stored_heads={**HEADS, "GPTBigCodeForTokenClassification": {"classifier": "classifier"}},
        base="transformer",
        published={
            "santacoder": _bigcode_model(1_124_886_528, V=49280, P=2048, d=2048, L=24, heads=16, h=8192),
            "starcoderbase-1b": _bigcode_model(1_137_207_296, V=49152, P=8192, d=2048, L=24, heads=16, h=8192),
            "starcoderbase-3b": _bigcode_model(3_043_311_104, V=49152, P=8192, d=2816, L=36, heads=22, h=11264),
            "starcoderbase-7b": _bigcode_model(7_327_263_232, V=49152, P=8192, d=4096, L=42, heads=32, h=16384),
            "starcoder-15b": _bigcode_model(15_517_456_384, V=49152, P=8192, d=6144, L=40, heads=48, h=24576),
        },
    ),
    Architecture(
        "gpt_neo",
        classes=decoder_heads("GPTNeo", body(neo_stack, dress=embeddings)),
        sizes="L_global",
        follows={"h": "4d"},
        acts={"activation_function": ("gelu_new", "")},
        keys={
            "vocab_size": ("V", 50257),
            "max_position_embeddings": ("P", 2048),
            "hidden_size": ("d", 2048),
            "intermediate_size": ("h", None),
            "num_layers": ("L", 24),
            "num_heads": ("heads", 16),
            "window_size": ("window", 256),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        reads={"attention_types": None, "attention_layers": None},
        settle=_neo,
        aliases={"num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"},
        ignored=SUMMARY,
        stored={
            **NAMES,
            "layers.attention.query": "h.{i}.attn.attention.q_proj",
            "layers.attention.key": "h.{i}.attn.attention.k_proj",
            "layers.attention.value": "h.{i}.attn.attention.v_proj",
            "layers.attention.output": "h.{i}.attn.attention.out_proj",
        },
        stored_heads={**HEADS, "GPTNeoForTokenClassification": {"classifier": "classifier"}},
        base="transformer",
        published={
            "gpt-neo-125m": _gpt_neo(125_198_592, d=768, L=12, L_global=6, heads=12),
            "gpt-neo-1.3b": _gpt_neo(1_315_575_808, d=2048, L=24, L_global=12, heads=16),
            "gpt-neo-2.7b": _gpt_neo(2_651_307_520, d=2560, L=32, L_global=16, heads=20),
        },
    ),
    Architecture(
        "imagegpt",
        classes={
            "ImageGPTModel": lambda z: image_body(z)[0],
            "ImageGPTForCausalImageModeling": image_lm,
            "ImageGPTForImageClassification": image_classification,
        },
        follows={"h": "4d"},
        acts={"activation_function": ("quick_gelu", "")},
        keys={key: told for key, told in gpt_keys(V=513, P=1024, d=512, L=24, heads=8).items()
              if key != "tie_word_embeddings"},
        aliases=GPT_ALIASES,
        ignored=SCORES,
        only={**ONE_STACK, "tie_word_embeddings": ((False,), "the output matrix has a row less than the table")},
        stored=CONV1D,
        stored_heads=HEADS,
        base="transformer",
        published={
            "imagegpt-small": _imagegpt(76_682_240, d=512, L=24, heads=8),
            "imagegpt-medium": _imagegpt(455_489_536, d=1024, L=36, heads=8),
            "imagegpt-large": _imagegpt(1_362_914_304, d=1536, L=48, heads=16),
        },
    ),
    Architecture(
        "openai-gpt",
        classes={
            **decoder_heads("OpenAIGPT", first_body, "LMHeadModel ForSequenceClassification"),
            "OpenAIGPTDoubleHeadsModel": double_heads(first_body),
        },
        follows={"h": "4d"},
        acts={"afn": ("gelu_new", "layers"), "summary_activation": ("linear", "classifier")},
        flags={"scored": True},
        reads={"afn": "gelu", **SCORED},
        settle=lambda config: {"acts": {"layers": "gelu_new" if config["afn"] == "gelu" else config["afn"]},
                               **_scored(config)},
        keys={key: told for key, told in gpt_keys(V=40478, P=512, d=768, L=12, heads=12, tied=True).items()
              if key != "n_inner"},
        aliases=GPT_ALIASES,
        ignored={**NOTES, "summary_first_dropout": "dropout has no weights"},
        only={"n_special": ((0,), "transformers builds no rows for them")},
        stored={**CONV1D, "embeddings.word": "tokens_embed", "embeddings.position": "positions_embed"},
        stored_heads={**HEADS, "OpenAIGPTDoubleHeadsModel": CHOICES},
        base="transformer",
        published={
            "openai-gpt": measured("OpenAIGPTLMHeadModel", 116_534_784, V=40478, P=512, d=768, L=12, heads=12),
        },
    ),
)
