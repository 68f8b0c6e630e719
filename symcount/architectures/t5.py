"""T5: pre-norm encoder-decoder with RMSNorm, no biases, and one table of relative positions in each stack.

Version 1.1, FLAN-T5, mT5 and UMT5 have a gated MLP and a word table that the output does not share; UMT5 has a table
of relative positions in each layer. The matrix of the output is counted where a checkpoint holds it:
`tie_word_embeddings` false, which the classes of transformers read as another scale, and tie all the same.

Source: Raffel et al. 2020, "Exploring the limits of transfer learning", section 2.1 and table 14;
Shazeer 2020, "GLU variants improve transformer"; Xue et al. 2021, "mT5", section 3.1; Chung et al. 2023, "UniMax".
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import SEQ2SEQ_HEAD_NAMES, SEQ2SEQ_ONLY, measured
from symcount.layers import attention, embed, gated, linear, mlp, norm, spans
from symcount.layers.encoder_decoder import before, classify
from symcount.masks import Mask
from symcount.network import lookup, tensor, weight, within
from symcount.sizes import bounded
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.polynomials import Size


def relative(z: Any, L: Size, s: Size, t: Size) -> Tensor:
    """What a pair of positions adds to the scores of each head, by its distance: buckets·heads parameters."""
    buckets = z.buckets * bounded(1, L)  # the first layer holds the table: a stack without layers has none
    table = weight("relative.weight", buckets=buckets, g=z.heads)
    return lookup(tensor("distances", s=s, t=t), table, "relative")


def own_table(x: Tensor, z: Any, **kw: Any) -> Tensor:
    """Attention with a table of relative positions of its own: buckets·heads parameters more."""
    return attention(x, z=z, relative=relative(z, 1, x.axes["s"], kw["t"]), **kw)


def block(x: Tensor, z: Any, *, t: Size, table: Tensor | None, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """4dk·heads + 2dh + 2d parameters in the encoder, 8dk·heads + 2dh + 3d in the decoder; gated: dh more."""
    if table is None:
        x = before(x, "attention", own_table, shift=False, z=z, t=t, k=z.k, bias=False, mask=mask)
    else:
        x = before(x, "attention", attention, shift=False, z=z, t=t, k=z.k, bias=False, mask=mask, relative=table)
    if memory is not None:
        x = before(x, "cross", attention, shift=False, z=z, t=t, k=z.k, bias=False, memory=memory)
    if z.gated:
        return before(x, "mlp", lambda y: within("gated", gated, y, h=z.h, kind="gelu"), shift=False)
    return before(x, "mlp", mlp, shift=False, h=z.h, bias=False, kind="relu")


def stack(x: Tensor, z: Any, *, L: Size, t: Size, one_table: bool, mask: Mask | None = None,
          memory: Tensor | None = None) -> Tensor:
    """L blocks and a last norm, d; buckets·heads for the table of relative positions."""
    table = within("attention", lambda: relative(z, L, x.axes["s"], t)) if one_table else None
    x = within("layers", block, x, z=z, t=t, table=table, mask=mask, memory=memory, runs=L)
    return norm(x, "norm", shift=False)


def t5_heads(prefix: str, *, one_table: bool = True) -> dict[str, Callable[[Any], Tensor]]:
    """The classes of the family; `one_table`: a stack has one table of relative positions, else each of its layers."""
    def encoder(z: Any) -> tuple[Tensor, Tensor]:
        x, table = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.V, d=z.d)
        return within("encoder", stack, x, z=z, L=z.L, t=z.s, one_table=one_table), table

    def body(z: Any) -> tuple[Tensor, Tensor]:
        memory, table = encoder(z)
        y = lookup(tensor("targets", b=z.b, s=z.u), table, "targets")
        return within("decoder", stack, y, z=z, L=z.L_dec, t=z.t, one_table=one_table, mask=Mask(causal=True),
                      memory=memory), table

    def words(z: Any) -> Tensor:
        x, table = body(z)
        return linear(x, "head", bias=False, w=table if z.tied else None, V=z.V)

    return {
        f"{prefix}Model": lambda z: body(z)[0],
        f"{prefix}ForConditionalGeneration": words,
        f"{prefix}EncoderModel": lambda z: encoder(z)[0],
        f"{prefix}ForSequenceClassification": lambda z: within("classifier", classify, body(z)[0], z=z),
        f"{prefix}ForTokenClassification": lambda z: linear(encoder(z)[0], "classifier", C=z.C),
        f"{prefix}ForQuestionAnswering": lambda z: spans(body(z)[0], "answers", z.C),
    }


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Whether the MLP is gated: "relu" or "gated-gelu" and the like, or what is_gated_act says, which wins."""
    told = config["is_gated_act"]
    if told is not None:
        if not isinstance(told, bool):
            raise ConfigError(f"is_gated_act = {told!r}: true or false is needed")
        return {"gated": told}
    told = config["feed_forward_proj"]
    first, *more = told.split("-") if isinstance(told, str) else ("", "", "")
    if len(more) > 1 or (more and first != "gated"):
        raise ConfigError(f"feed_forward_proj = {told!r}: the name of an activation, or gated- and its name, is needed")
    return {"gated": bool(more)}


def t5_family(name: str, prefix: str, *, gated: bool, V: int = 250112, h: int = 1024, L: int = 8, heads: int = 6,
              one_table: bool = True, **more: Any) -> Architecture:
    """One of the family with the defaults of its class, which are those of mT5 small where they are not told."""
    own = "layers" if not one_table else ""
    return Architecture(
        name,
        classes=t5_heads(prefix, one_table=one_table),
        follows={"L_dec": "L", "u": "s", "t": "u"},
        keys={
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
        reads={"feed_forward_proj": "gated-gelu" if gated else "relu", "is_gated_act": None},
        settle=settle,
        flags={"gated": gated},
        aliases={"hidden_size": "d_model", "num_attention_heads": "num_heads", "num_hidden_layers": "num_layers",
                 "head_dim": "d_kv"},
        ignored=_IGNORED,
        only=_ONLY,
        stored=t5_names(own),
        stored_heads={**SEQ2SEQ_HEAD_NAMES, f"{prefix}ForTokenClassification": {"classifier": "classifier"}},
        base={f"{prefix}ForSequenceClassification": "transformer", f"{prefix}ForTokenClassification": "transformer"},
        **more,
    )


def t5_names(tables: str) -> dict[Any, Any]:
    """What a checkpoint calls our weights: layer 0, 1, 2 of a block are attention, cross attention and MLP."""
    names = {
        ("layers.attention_norm", "layers.cross_norm", "layers.mlp_norm"): ("block.{i}.layer.{i}.layer_norm", "d"),
        ("layers.mlp.up",): "block.{i}.layer.{i}.DenseReluDense.wi",
        ("layers.mlp.gated.gate",): "block.{i}.layer.{i}.DenseReluDense.wi_0",
        ("layers.mlp.gated.up",): "block.{i}.layer.{i}.DenseReluDense.wi_1",
        ("layers.mlp.down", "layers.mlp.gated.down"): "block.{i}.layer.{i}.DenseReluDense.wo",
        (f"{tables}.attention.relative".lstrip("."),): "block.{i}.layer.{i}.SelfAttention.relative_attention_bias",
        ("norm",): "final_layer_norm",
        **{(f"layers.{part}.{ours}",): f"block.{{i}}.layer.{{i}}.{theirs}.{ours[0]}"
           for part, theirs in (("attention", "SelfAttention"), ("cross", "EncDecAttention"))
           for ours in ("query", "key", "value", "output")},
    }
    found: dict[Any, Any] = {"embeddings": "shared"}
    for side in ("encoder", "decoder"):
        for ours, theirs in names.items():
            name, *shape = theirs if isinstance(theirs, tuple) else (theirs,)
            found[tuple(f"{side}.{path}" for path in ours)] = (f"{side}.{name}", *shape) if shape else f"{side}.{name}"
    return found


_IGNORED = {
    "relative_attention_max_distance": "which bucket a distance falls into",
    "dropout_rate": "dropout has no weights",
    "n_positions": "relative positions have no end",
    "dense_act_fn": "an activation has no weights and is elementwise",
    "scale_decoder_outputs": "a constant",
}
_ONLY = {**SEQ2SEQ_ONLY, "is_decoder": ((False,), "the classes say which stacks there are")}


def _t5(count: int, **sizes: Any) -> Any:
    return measured("T5ForConditionalGeneration", count, V=32128, k=64, buckets=32, **sizes)


def _mt5(count: int, **sizes: Any) -> Any:
    return measured("MT5ForConditionalGeneration", count, k=64, buckets=32, gated=True, tied=False, **sizes)


def _umt5(count: int, **sizes: Any) -> Any:
    return measured("UMT5ForConditionalGeneration", count, k=64, buckets=32, gated=True, tied=False, **sizes)


_NEW = {"gated": True, "tied": False}
ARCHITECTURES = (
    t5_family("t5", "T5", gated=False, V=32128, h=2048, L=6, heads=8, published={
        "t5-small": _t5(60_506_624, d=512, h=2048, L=6, heads=8),
        "t5-base": _t5(222_903_552, d=768, h=3072, L=12, heads=12),
    }),
    t5_family("mt5", "MT5", gated=True),
    t5_family("umt5", "UMT5", gated=True, one_table=False),
)
