"""T5: pre-norm encoder-decoder with RMSNorm, no biases, and one table of relative positions in each stack.

Version 1.1, FLAN-T5, mT5 and UMT5 have a gated MLP and a matrix of their own for the output; UMT5 has a table of
relative positions in each layer; the encoder of LongT5 attends in blocks, and perhaps to a row for each chunk of text.
That matrix is counted where a checkpoint holds it, when `tie_word_embeddings` is false, though the classes of
transformers tie it all the same.

Source: Raffel et al. 2020, "Exploring the limits of transfer learning", section 2.1; Shazeer 2020, "GLU variants
improve transformer"; Xue et al. 2021, "mT5", section 3.1; Xue et al. 2022, "ByT5", table 1; Chung et al. 2023,
"UniMax"; Guo et al. 2022, "LongT5", section 3.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import MEASURED, measured
from symcount.hub.encoders import SEQ2SEQ_HEAD_NAMES, SEQ2SEQ_ONLY
from symcount.layers import attention, embed, gated, linear, mlp, norm, spans
from symcount.layers.block_attention import attend, in_blocks, keys_around, out_of_blocks
from symcount.layers.buckets import relative
from symcount.layers.encoder_decoder import before, classify
from symcount.masks import Mask
from symcount.network import contract, lookup, rename, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def own_table(x: Tensor, z: Any, **kw: Any) -> Tensor:
    """Attention with a table of relative positions of its own: buckets·heads parameters more."""
    return attention(x, z=z, relative=relative(z, 1, x.axes["s"], kw["t"]), **kw)


def feed_forward(x: Tensor, z: Any) -> Tensor:
    """2dh + d parameters with the norm; gated: dh more."""
    if z.gated:
        return before(x, "mlp", lambda y: within("gated", gated, y, h=z.h, kind="gelu_new"), shift=False)
    return before(x, "mlp", mlp, shift=False, h=z.h, bias=False, kind="relu")


def block(x: Tensor, z: Any, *, t: Size, table: Tensor | None, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """4dk·heads + 2dh + 2d parameters in the encoder, 8dk·heads + 2dh + 3d in the decoder; gated: dh more."""
    if table is None:
        x = before(x, "attention", own_table, shift=False, z=z, t=t, k=z.k, bias=False, mask=mask)
    else:
        x = before(x, "attention", attention, shift=False, z=z, t=t, k=z.k, bias=False, mask=mask, relative=table)
    if memory is not None:
        x = before(x, "cross", attention, shift=False, z=z, t=t, k=z.k, bias=False, memory=memory)
    return feed_forward(x, z)


def stack(x: Tensor, z: Any, *, L: Size, t: Size, one_table: bool = True, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """L blocks and a last norm, d; buckets·heads for the table of relative positions."""
    table = within("attention", lambda: relative(z, L, x.axes["s"], t)) if one_table else None
    x = within("layers", block, x, z=z, t=t, table=table, mask=mask, memory=memory, runs=L)
    return norm(x, "norm", shift=False)


def long_block(x: Tensor, z: Any, table: Tensor, far: Tensor | None) -> Tensor:
    """The block of a long encoder: 4dk·heads + 2dh + 2d parameters, d more with rows that all tokens meet."""
    if z.everywhere:
        x = before(x, "attention", lambda y: within("everywhere", in_long, y, z=z, table=table, far=far), shift=False)
    else:
        x = before(x, "attention", lambda y: within("local", in_long, y, z=z, table=table), shift=False)
    return feed_forward(x, z)


def in_long(x: Tensor, z: Any, table: Tensor, far: Tensor | None = None) -> Tensor:
    """Attention to a token's block and the two beside it; with `far`, also to one row for every chunk of the text.

    Parameters: 4dk·heads, and d with `far`: a row is the sum of a chunk, behind a norm and the same maps.
    """
    w, s, d = z.window, x.axes["s"], x.axes["d"]
    maps = {name: weight(f"{name}.weight", out="g k", d=d, g=z.heads, k=z.k) for name in ("query", "key", "value")}
    query, key, value = (in_blocks(linear(x, name, bias=False, w=w_map, g=z.heads, k=z.k), w)
                         for name, w_map in maps.items())
    keys, values, biases = [keys_around(key)], [keys_around(value)], [table]
    if far is not None:
        member = tensor("member", b=z.b, s=s, j=s // z.chunk)
        rows = norm(contract(x, member, to="b j d", name="sums"), "sums_norm", shift=False)
        keys.append(linear(rows, "far_key", bias=False, w=maps["key"], g=z.heads, k=z.k))
        values.append(linear(rows, "far_value", bias=False, w=maps["value"], g=z.heads, k=z.k))
        biases.append(far)
    mixed = out_of_blocks(attend(query, keys, values, biases), s)
    return linear(mixed, "output", over="g k", bias=False, d=d)


def long_tables(x: Tensor, z: Any) -> tuple[Tensor, ...]:
    """Relative positions within three blocks, and of a token and a chunk: buckets·heads parameters each."""
    table = rename(relative(z, z.L, z.window, 3 * z.window), s="i", t="j")
    if not z.everywhere:
        return (table,)
    s = x.axes["s"]
    far = weight("far.weight", buckets=z.buckets, g=z.heads)
    rows = lookup(tensor("distances", b=z.b, s=s, j=s // z.chunk), far, "far")
    return table, in_blocks(rows, z.window)


def long_stack(x: Tensor, z: Any) -> Tensor:
    """L blocks and a last norm, d; buckets·heads for each table of relative positions."""
    kind = "everywhere" if z.everywhere else "local"
    table, *far = within(f"attention.{kind}", long_tables, x, z=z)
    x = within("layers", long_block, x, z=z, table=table, far=far[0] if far else None, runs=z.L)
    return norm(x, "norm", shift=False)


def t5_heads(prefix: str, encode: Callable[..., Tensor], decode: Callable[..., Tensor],
             heads: str = "ForSequenceClassification ForTokenClassification ForQuestionAnswering",
             ) -> dict[str, Callable[[Any], Tensor]]:
    """The classes of the family on an encoder and a decoder."""
    def encoder(z: Any) -> tuple[Tensor, Tensor]:
        x, table = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
        return within("encoder", encode, x, z=z), table

    def body(z: Any) -> tuple[Tensor, Tensor]:
        memory, table = encoder(z)
        y = lookup(tensor("targets", b=z.b, s=z.u), table, "targets")
        return within("decoder", decode, y, z=z, L=z.L_dec, t=z.t, mask=Mask(causal=True), memory=memory), table

    def words(z: Any) -> Tensor:
        x, table = body(z)
        return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)

    made: dict[str, Callable[[Any], Tensor]] = {
        "ForSequenceClassification": lambda z: within("classifier", classify, body(z)[0], z=z),
        "ForTokenClassification": lambda z: linear(encoder(z)[0], "classifier", C=z.C),
        "ForQuestionAnswering": lambda z: spans(body(z)[0], "answers", z.C),
    }
    return {
        f"{prefix}Model": lambda z: body(z)[0],
        f"{prefix}ForConditionalGeneration": words,
        f"{prefix}EncoderModel": lambda z: encoder(z)[0],
        **{prefix + head: made[head] for head in heads.split()},
    }


def encode(x: Tensor, z: Any, *, one_table: bool = True) -> Tensor:
    """L blocks that attend to all s tokens."""
    return stack(x, z, L=z.L, t=z.s, one_table=one_table)


NOT_TOLD = "as feed_forward_proj says"


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the MLP is gated, and its activation: "relu" or "gated-gelu" and the like.

    What is_gated_act and dense_act_fn say wins.
    """
    told, gated, kind = (config[key] for key in ("feed_forward_proj", "is_gated_act", "dense_act_fn"))
    first, *more = told.split("-") if isinstance(told, str) else ("", "", "")
    if gated == NOT_TOLD and (len(more) > 1 or (more and first != "gated")):
        raise ConfigError(f"feed_forward_proj = {told!r}: the name of an activation, or gated- and its name, is needed")
    if gated != NOT_TOLD and not isinstance(gated, bool):
        raise ConfigError(f"is_gated_act = {gated!r}: true or false is needed")
    named = "gelu_new" if told == "gated-gelu" else [first, *more][-1]
    return {"gated": bool(more) if gated == NOT_TOLD else gated, "acts": {"mlp": named if kind == NOT_TOLD else kind}}


def settle_long(config: dict[str, Any]) -> dict[str, Any]:
    """How the encoder attends: to a block of local_radius + 1 tokens and its neighbours, or to all chunks as well."""
    kind, radius = config["encoder_attention_type"], config["local_radius"]
    if kind not in ("local", "transient-global"):
        raise ConfigError(f"encoder_attention_type = {kind!r}: local or transient-global is needed")
    if isinstance(radius, bool) or not isinstance(radius, int) or radius < 1:
        raise ConfigError(f"local_radius = {radius!r}: a whole number of at least 1 is needed")
    return {**settle(config), "everywhere": kind != "local", "window": radius + 1}


def t5_keys(*, V: int, h: int, L: int, heads: int, gated: bool) -> dict[str, Any]:
    """The keys of the family with the defaults of a class, and what its members have in common."""
    return {
        "follows": {"L_dec": "L", "u": "s", "t": "u"},
        "keys": {
            "vocab_size": ("V", V),
            "d_model": ("d", 512),
            "d_kv": ("k", 64),
            "d_ff": ("h", h),
            "num_layers": ("L", L),
            "num_decoder_layers": ("L_dec", None),
            "num_heads": ("heads", heads),
            "relative_attention_num_buckets": ("buckets", 32),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        "reads": {"feed_forward_proj": "gated-gelu" if gated else "relu", "is_gated_act": NOT_TOLD,
                  "dense_act_fn": NOT_TOLD},
        "acts": {},
        "settle": settle,
        "flags": {"gated": gated},
        "aliases": {"hidden_size": "d_model", "num_attention_heads": "num_heads", "num_hidden_layers": "num_layers",
                    "head_dim": "d_kv"},
        "ignored": {
            "relative_attention_max_distance": "which bucket a distance falls into",
            "dropout_rate": "dropout has no weights",
            "n_positions": "relative positions have no end",
            "scale_decoder_outputs": "a constant",
        },
        "only": {**SEQ2SEQ_ONLY, "is_decoder": ((False,), "the classes say which stacks there are")},
        "stored": t5_names(),
        "stored_heads": {**SEQ2SEQ_HEAD_NAMES, "classifier": "classifier"},
    }


def t5_names() -> dict[Any, Any]:
    """What a checkpoint calls our weights: layer 0, 1, 2 of a block are attention, cross attention and MLP."""
    layer = "block.{i}.layer.{i}"
    names: dict[Any, Any] = {
        ("layers.attention_norm", "layers.cross_norm", "layers.mlp_norm"): (f"{layer}.layer_norm", "d"),
        "layers.mlp.up": f"{layer}.DenseReluDense.wi",
        "layers.mlp.gated.gate": f"{layer}.DenseReluDense.wi_0",
        "layers.mlp.gated.up": f"{layer}.DenseReluDense.wi_1",
        ("layers.mlp.down", "layers.mlp.gated.down"): f"{layer}.DenseReluDense.wo",
        ("attention.relative", "layers.attention.relative"): f"{layer}.SelfAttention.relative_attention_bias",
        "norm": "final_layer_norm",
    }
    parts = {"attention": "SelfAttention", "cross": "EncDecAttention", "attention.local": "LocalSelfAttention",
             "attention.everywhere": "TransientGlobalSelfAttention"}
    for part, theirs in parts.items():
        for ours in ("query", "key", "value", "output"):
            names[f"layers.{part}.{ours}"] = f"{layer}.{theirs}.{ours[0]}"
    names["layers.attention.everywhere.sums_norm"] = f"{layer}.TransientGlobalSelfAttention.global_input_layer_norm"
    for part in ("local", "everywhere"):
        names[f"attention.{part}.relative"] = f"{layer}.{parts[f'attention.{part}']}.relative_attention_bias"
    names["attention.everywhere.far"] = f"{layer}.TransientGlobalSelfAttention.global_relative_attention_bias"
    found: dict[Any, Any] = {"embeddings": "shared"}
    for side in ("encoder", "decoder"):
        for paths, name in names.items():
            mine = tuple(f"{side}.{path}" for path in (paths if isinstance(paths, tuple) else (paths,)))
            found[mine] = (f"{side}.{name[0]}", *name[1:]) if isinstance(name, tuple) else f"{side}.{name}"
    return found


HEADS = "ForSequenceClassification ForTokenClassification ForQuestionAnswering"
_V11 = {"small": {"d": 512, "h": 1024, "L": 8, "heads": 6}, "base": {"d": 768, "h": 2048, "L": 12, "heads": 12},
        "large": {"d": 1024, "h": 2816, "L": 24, "heads": 16}, "xl": {"d": 2048, "h": 5120, "L": 24, "heads": 32},
        "xxl": {"d": 4096, "h": 10240, "L": 24, "heads": 64}}
_T5_V11 = {"small": 76_961_152, "base": 247_577_856, "large": 783_150_080, "xl": 2_849_757_184, "xxl": 11_135_332_352}
_MT5 = {"small": 300_176_768, "base": 582_401_280, "large": 1_229_581_312, "xl": 3_742_619_648, "xxl": 12_921_057_280}
_UMT5 = {"small": 306_601_984, "base": 592_043_520, "xl": 3_768_356_864, "xxl": 12_972_531_712}
_LONG_T5 = {"local-base": 247_577_856, "local-large": 783_150_080, "tglobal-base": 247_587_456,
            "tglobal-large": 783_175_168, "tglobal-xl": 2_849_807_360}


def _t5(count: int, **sizes: Any) -> Published:
    return measured("T5ForConditionalGeneration", count, **{"V": 32128, "k": 64, "buckets": 32, **sizes})


def _untied(cls: str, count: int, V: int, **sizes: Any) -> Published:
    """With the matrix of the output, which the checkpoint holds beside the word table."""
    sizes = {"V": V, "k": 64, "buckets": 32, "gated": True, "tied": False, **sizes}
    return Published(cls, sizes, count, f"{MEASURED}, {cls}, and the lm_head that its checkpoint holds")


def _byt5(count: int, **sizes: Any) -> Published:
    return _untied("T5ForConditionalGeneration", count, V=384, **sizes)


def _classes(prefix: str, heads: str = HEADS, *, one_table: bool = True) -> dict[str, Callable[[Any], Tensor]]:
    return t5_heads(prefix, partial(encode, one_table=one_table), partial(stack, one_table=one_table), heads)


def _bases(prefix: str) -> dict[str, str]:
    return {f"{prefix}ForSequenceClassification": "transformer", f"{prefix}ForTokenClassification": "transformer"}


_LONG = t5_keys(V=32128, h=2048, L=6, heads=8, gated=False)
ARCHITECTURES = (
    Architecture(
        "t5",
        classes=_classes("T5"),
        base=_bases("T5"),
        published={
            "t5-small": _t5(60_506_624, d=512, h=2048, L=6, heads=8),
            "t5-base": _t5(222_903_552, d=768, h=3072, L=12, heads=12),
            "t5-large": _t5(737_668_096, d=1024, h=4096, L=24, heads=16),
            "t5-3b": _t5(2_851_598_336, d=1024, h=16384, L=24, heads=32, k=128),
            "t5-11b": _t5(11_307_321_344, d=1024, h=65536, L=24, heads=128, k=128),
            **{f"{name}-{size}": _untied("T5ForConditionalGeneration", count, V=32128, **_V11[size])
               for name in ("t5-v1_1", "flan-t5") for size, count in _T5_V11.items()},
            "byt5-small": _byt5(299_637_760, d=1472, h=3584, L=12, L_dec=4, heads=6),
            "byt5-base": _byt5(581_653_248, d=1536, h=3968, L=18, L_dec=6, heads=12),
            "byt5-large": _byt5(1_228_183_552, d=1536, h=3840, L=36, L_dec=12, heads=16),
            "byt5-xl": _byt5(3_737_801_728, d=2560, h=6720, L=36, L_dec=12, heads=32),
            "byt5-xxl": _byt5(12_906_899_328, d=4672, h=12352, L=36, L_dec=12, heads=64),
        },
        **t5_keys(V=32128, h=2048, L=6, heads=8, gated=False),
    ),
    Architecture(
        "mt5",
        classes=_classes("MT5"),
        base=_bases("MT5"),
        published={f"mt5-{size}": _untied("MT5ForConditionalGeneration", count, V=250112, **_V11[size])
                   for size, count in _MT5.items()},
        **t5_keys(V=250112, h=1024, L=8, heads=6, gated=True),
    ),
    Architecture(
        "umt5",
        classes=_classes("UMT5", one_table=False),
        base=_bases("UMT5"),
        published={f"umt5-{size}": _untied("UMT5ForConditionalGeneration", count, V=256384, **_V11[size])
                   for size, count in _UMT5.items()},
        **t5_keys(V=250112, h=1024, L=8, heads=6, gated=True),
    ),
    Architecture("longt5", **{
        **_LONG,
        "classes": t5_heads("LongT5", long_stack, stack, ""),
        "keys": {**_LONG["keys"], "global_block_size": ("chunk", 16)},
        "sizes": "window",
        "flags": {"gated": False, "everywhere": False},
        "reads": {**_LONG["reads"], "encoder_attention_type": "local", "local_radius": 127},
        "settle": settle_long,
        "published": {f"long-t5-{name}": _untied(
            "LongT5ForConditionalGeneration", count, V=32128, window=128, chunk=16, everywhere="tglobal" in name,
            **_V11[name.partition("-")[2]]) for name, count in _LONG_T5.items()},
    }),
)
