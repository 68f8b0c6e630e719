"""Zamba: Mamba mixers, and one transformer block whose weights are used again every few layers.

The block sees the words beside the hidden states, and each layer maps what it says by a matrix of its own. In Zamba-2
the mixers are those of Mamba-2, several blocks may take turns, and each layer adapts its block at low rank.

Source: Glorioso et al. 2024, "Zamba", section 2; Glorioso et al. 2024, "The Zamba2 suite", section 2.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.decoders import HEAD_NAMES, ROTARY, TIME_STEP, decoder_keys, mamba2_names
from symcount.hub.settling import every, layer_kinds, number
from symcount.layers import activation, decoder_heads, linear, norm, residual, words
from symcount.layers.hybrid import steps
from symcount.layers.state_space import causal_convolution, mamba2, selective_scan
from symcount.masks import Mask
from symcount.network import cached, concat, contract, idle, merge, pointwise, split, weight, within
from symcount.scopes import Shared
from symcount.sizes import per, rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from symcount.architecture import Published
    from symcount.polynomials import Size


def mamba_heads(x: Tensor, z: Any) -> Tensor:
    """Mamba in heads: what each selects depends on its own channels alone. As many parameters as without heads.

    That is 3d·inner + inner(w + 2r_dt + 3state + 3), with the bias of the convolution.
    """
    y = linear(x, "input", bias=z.bias, inner=z.inner)
    gate = pointwise(linear(x, "gate", bias=z.bias, inner=z.inner), kind="silu", name="gate_act")
    y = activation(causal_convolution(y, "convolution", over="inner", w=z.w, bias=z.conv_bias), "silu")
    y = split(y, "inner", m=z.ssm_heads, k=None)
    width = {"m": z.ssm_heads, "k": y.axes["k"]}

    def selected(name: str, **out: Size) -> Tensor:
        return contract(y, weight(f"{name}.weight", **width, **out), to=" ".join(["b s m", *out]), name=name)

    time = selected("time_down", r_dt=z.r_dt)
    enter, leave = selected("enter", state=z.state), selected("leave", state=z.state)
    up = weight("time_up.weight", m=z.ssm_heads, r_dt=z.r_dt, k=y.axes["k"])
    time = contract(time, up, to="b s m k", name="time_up")
    time = pointwise(pointwise(time, weight("time_up.bias", kinds="bias", **width), kind="bias"), kind="softplus")
    decay, skip = weight("decay", **width, state=z.state), weight("skip", **width)
    y = pointwise(within("scan", selective_scan, y, time, enter, leave, decay), y, skip, kind="skip")
    y = pointwise(merge(y, inner="m k"), gate, kind="multiply", name="gated")
    return linear(y, "output", over="inner", bias=z.bias, d=x.axes["d"])


def mixer2(x: Tensor, z: Any) -> Tensor:
    """Mamba-2; its convolution always has a bias."""
    return mamba2(x, inner=z.inner, heads=z.ssm_heads, groups=z.groups, state=z.state, w=z.w, chunk=z.chunk,
                  bias=z.bias, conv_bias=True)


def attention(x: Tensor, z: Any, own: Shared | None) -> Tensor:
    """Attention from 2d to d: 2dk(heads + 2kv) + dk·heads parameters, and r(2d + k·heads) more for each adapter."""
    def projected(name: str, **out: Size) -> Tensor:
        y = linear(x, name, bias=False, **out)
        if own is None or not z.attention_adapters:
            return y
        low, = within("attention", adapter, x, r=z.r_a, ups={name: out}, name=f"{name}_adapter", shared=own)
        return pointwise(y, low, kind="add", name=f"{name}_adapted")

    query = projected("query", g=z.kv, q=per(z.heads, z.kv), k=z.k)
    key = cached(projected("key", g=z.kv, k=z.k), "key", s=("t", z.t))
    value = cached(projected("value", g=z.kv, k=z.k), "value", s=("t", z.t))
    scores = pointwise(contract(query, key, to="b g q s t", name="scores", mask=CAUSAL), kind="attention_scale")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix", mask=CAUSAL)
    return linear(mixed, "output", over="g q k", bias=False, d=z.d)


CAUSAL = Mask(causal=True)


def mlp(x: Tensor, z: Any, own: Shared | None) -> Tensor:
    """A gated MLP: 3dh parameters, and r(d + 2h) more with an adapter."""
    bias = own is not None and z.bias
    gate, up = linear(x, "gate", bias=bias, h=z.h), linear(x, "up", bias=bias, h=z.h)
    if own is not None:
        ups = {"gate": {"h": z.h}, "up": {"h": z.h}}
        more = within("mlp", adapter, x, r=z.r_a, ups=ups, name="adapter", shared=own)
        gate, up = (pointwise(y, low, kind="add", name="adapted") for y, low in zip((gate, up), more, strict=True))
    y = pointwise(activation(gate, "gelu"), up, kind="multiply", name="product")
    return linear(y, "down", over="h", bias=bias, d=z.d)


def adapter(x: Tensor, *, r: Size, ups: dict[str, dict[str, Size]], name: str) -> tuple[Tensor, ...]:
    """Maps of low rank with one way down: r·d parameters, and r times each width out."""
    low = linear(x, f"{name}_down", bias=False, r=r)
    return tuple(linear(low, f"{name}_{up}", over="r", bias=False, **out) for up, out in ups.items())


def block(x: Tensor, words: Tensor, z: Any, own: Shared | None) -> Tensor:
    """The shared block: attention to hidden states and words side by side, then an MLP, without residuals: 3d of norms.

    `own` is where the adapters of this use of the block are made.
    """
    y = norm(concat(x, words, axis="d"), "attention_norm", shift=False)
    y = norm(within("attention", attention, y, z=z, own=own), "mlp_norm", shift=False)
    return within("mlp", mlp, y, z=z, own=own)


def hybrid(x: Tensor, words: Tensor, z: Any, *, mixer: Callable[..., Tensor], made: Shared, adapted: bool) -> Tensor:
    """A mixer that also sees what the block says: d² + d parameters more than the mixer, and its adapters."""
    own = Shared() if adapted else None
    y = within("transformer", block, x, words, z=z, own=own, shared=made if z.tied else None)
    y = norm(residual(x, linear(y, "linear", bias=False, d=z.d)), "norm", shift=False)
    y = residual(x, within("mixer", mixer, y, z=z))
    if adapted and not z.tied:  # each block keeps the adapters of all layers whose block it would have been
        runs = rest(per(z.L_attn, z.blocks), 1)
        y = within("spare.mlp", spare, y, r=z.r_a, d=z.d, ups={"gate": {"h": z.h}, "up": {"h": z.h}}, name="adapter",
                   runs=runs)
        for name in ("query", "key", "value") if z.attention_adapters else ():
            y = within("spare.attention", spare, y, r=z.r_a, d=2 * z.d, ups={name: {"g": z.heads, "k": z.k}},
                       name=f"{name}_adapter", runs=runs)
    return y


def spare(x: Tensor, *, r: Size, d: Size, ups: dict[str, dict[str, Size]], name: str) -> Tensor:
    """An adapter that is stored and never run."""
    down = weight(f"{name}_down.weight", out="r", d=d, r=r)
    return idle(x, down, *(weight(f"{name}_{up}.weight", out=" ".join(out), r=r, **out) for up, out in ups.items()))


def body(mixer: Callable[..., Tensor], *, adapted: bool) -> Callable[[Any], tuple[Tensor, Tensor]]:
    """The last hidden states, and the word table."""
    def forward(z: Any) -> tuple[Tensor, Tensor]:
        x, word = words(z)
        marks: list[Shared] = []

        def mark(x: Tensor) -> Tensor:
            marks.append(Shared())
            return x

        within("blocks", mark, x, runs=z.blocks if adapted else 1)  # as many blocks are made, used in turn
        started = x
        x = steps("layers.mixer", mixer, x, z=z, runs=rest(z.L, z.L_attn))
        x = within("layers.hybrid", hybrid, x, words=started, z=z, mixer=mixer, made=marks[0], adapted=adapted,
                   runs=z.L_attn)
        return norm(x, "norm", shift=False), word
    return forward


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers have the block, and the sizes of a mixer."""
    d, L = number(config, "hidden_size"), number(config, "num_hidden_layers")
    expand, rank = number(config, "mamba_expand"), config["mamba_dt_rank"]
    found = has_block(layer_kinds(config, KINDS, key="layers_block_type"))
    if not found and L < _FIRST:
        raise ConfigError(f"num_hidden_layers = {L}: the third layer always has the block")
    if not found:
        found["L_attn"] = 1 + every(config, "attn_layer_period", "attn_layer_offset", L - _FIRST)
    same(config, "attention_hidden_size", 2 * d)
    return {**found, "inner": None if expand == 2 else expand * d,
            "r_dt": None if rank == "auto" else number(config, "mamba_dt_rank")}


_FIRST = 3  # layers before the pattern begins


def settle2(config: dict[str, Any]) -> dict[str, Any]:
    """The same for Zamba-2, and how many blocks take turns."""
    d, L, expand, heads = (number(config, key) for key in ("hidden_size", "num_hidden_layers", "mamba_expand",
                                                           "n_mamba_heads"))
    listed = config["layers_block_type"]
    if listed is None and len(_LAYERS) != L:
        raise ConfigError(f"layers_block_type is missing: which of the {L} layers have the block?")
    listed = _LAYERS if listed is None else listed
    n = has_block(layer_kinds({**config, "layers_block_type": listed}, KINDS, key="layers_block_type"))["L_attn"]
    blocks = min(number(config, "num_mem_blocks"), n)
    same(config, "attention_hidden_size", 2 * d)
    same(config, "mamba_headdim", expand * d // heads)
    same(config, "hybrid_layer_ids", [i for i, kind in enumerate(listed) if kind == "hybrid"])
    if config["tie_word_embeddings"] is False and n % blocks:
        raise ConfigError(f"tie_word_embeddings = false: {n} layers with a block, which are no multiple of {blocks}")
    if config["use_shared_attention_adapter"] is True:  # adapters are of width 2d, whatever they stand beside
        same(config, "num_key_value_heads", config["num_attention_heads"])
        same(config, "attention_head_dim", 2 * d // number(config, "num_attention_heads"))
    return {"L_attn": n, "blocks": blocks, "inner": None if expand == 2 else expand * d}


def has_block(found: dict[str, int]) -> dict[str, int]:
    """The same; ConfigError where no layer has the block, of which then there is none."""
    if found.get("L_attn") == 0:
        raise ConfigError("layers_block_type: no layer is 'hybrid'")
    return found


def same(config: dict[str, Any], key: str, number: Any) -> None:
    """Raise ConfigError unless the key has the one value that fits the others."""
    if config[key] is not None and config[key] != number:
        raise ConfigError(f"{key} = {config[key]!r} does not fit the other keys, which give {number!r}")


KINDS = {"hybrid": "L_attn", "linear_attention": None, "mamba": None}
# The layers of Zamba2-2.7B, which the class takes for granted
_LAYERS = ["hybrid" if i in (6, 12, 18, 24, 30, 36, 42, 47, 51) else "mamba" for i in range(54)]


def block_names(theirs: str) -> dict[Any, Any]:
    """The names of the shared block, which they call `theirs`, made once or in each layer."""
    at = f"layers.{{i}}.{theirs}"
    found: dict[Any, Any] = {}
    for ours in ("blocks.transformer", "layers.hybrid.transformer"):
        found |= {f"{ours}.attention.{part}": f"{at}.self_attn.{part[0]}_proj" for part in ("query", "key", "value")}
        found |= {
            f"{ours}.attention_norm": f"{at}.input_layernorm",
            f"{ours}.mlp_norm": f"{at}.pre_ff_layernorm",
            f"{ours}.attention.output": f"{at}.self_attn.o_proj",
            f"{ours}.mlp.down": f"{at}.feed_forward.down_proj",
        }
    return found


_IGNORED = {
    **ROTARY,
    **TIME_STEP,
    "num_logits_to_keep": "logits are counted at every position",
}
_STORED = {
    "embeddings": "embed_tokens",
    "layers.mixer.norm": "layers.{i}.input_layernorm",
    "layers.hybrid.norm": "layers.{i}.mamba_decoder.input_layernorm",
    "layers.hybrid.linear": "layers.{i}.linear",
    "norm": "final_layernorm",
}
_BLOCKS = ("blocks.transformer", "layers.hybrid.transformer")
_HEADS = "ForCausalLM ForSequenceClassification"


def _mixer_names(theirs: str, ours: str) -> dict[Any, Any]:
    at = f"layers.{{i}}.{theirs}"
    return {
        (f"{ours}.input", f"{ours}.gate"): f"{at}.in_proj",
        f"{ours}.convolution.weight": (f"{at}.conv1d.weight", "inner 1 w"),
        f"{ours}.convolution.bias": f"{at}.conv1d.bias",
        tuple(f"{ours}.{name}.weight" for name in ("time_down", "enter", "leave")):
            (f"{at}.x_proj_weight", "ssm_heads r_dt+2*state inner/ssm_heads"),
        f"{ours}.time_up.weight": (f"{at}.dt_proj_weight", "ssm_heads inner/ssm_heads r_dt"),
        f"{ours}.time_up.bias": (f"{at}.dt_proj_bias", "ssm_heads inner/ssm_heads"),
        f"{ours}.decay": f"{at}.A_log",
        f"{ours}.skip": f"{at}.D",
        f"{ours}.output": f"{at}.out_proj",
    }


def _adapter_names() -> dict[Any, Any]:
    block = "layers.{i}.shared_transformer"
    found: dict[Any, Any] = {}
    for ours in ("layers.hybrid", "layers.hybrid.spare"):
        theirs = f"{block}.feed_forward.gate_up_proj_adapter_list.{{i}}.{{i}}"
        found |= {f"{ours}.mlp.adapter_down": theirs, (f"{ours}.mlp.adapter_gate", f"{ours}.mlp.adapter_up"): theirs}
        for name in ("query", "key", "value"):
            theirs = f"{block}.self_attn.linear_{name[0]}_adapter_list.{{i}}.{{i}}"
            found |= dict.fromkeys((f"{ours}.attention.{name}_adapter_down",
                                    f"{ours}.attention.{name}_adapter_{name}"), theirs)
    return found


def _zamba2(count: int, **sizes: Any) -> Published:
    return measured("Zamba2ForCausalLM", count, V=32000, heads=32, kv=32, r_a=128, w=4, chunk=256, **sizes)


ARCHITECTURES = (
    Architecture(
        "zamba",
        classes=decoder_heads("Zamba", body(mamba_heads, adapted=False), _HEADS),
        sizes="L_attn inner r_dt",
        follows={"kv": "heads", "k": "2d/heads", "inner": "2d", "r_dt": "ceil(d, 16)"},
        acts={"hidden_act": ("gelu", "mlp"), "hidden_mamba_act": ("silu", "mixer")},
        keys={
            **{key: told for key, told in decoder_keys(V=32000, d=3712, h=14848, L=76, heads=16, kv=16,
                                                       tied=True).items() if key != "head_dim"},
            "attention_head_dim": ("k", None),
            "n_mamba_heads": ("ssm_heads", 2),
            "mamba_d_state": ("state", 16),
            "mamba_d_conv": ("w", 4),
            "mamba_conv_bias": ("conv_bias", True),
            "mamba_proj_bias": ("bias", False),
        },
        reads={
            "attention_hidden_size": None,
            "layers_block_type": None,
            "attn_layer_period": 6,
            "attn_layer_offset": 4,
            "mamba_expand": 2,
            "mamba_dt_rank": "auto",
        },
        settle=settle,
        aliases={"layer_types": "layers_block_type", "head_dim": "attention_head_dim"},
        ignored=_IGNORED,
        stored={
            **_STORED,
            **_mixer_names("mamba", "layers.mixer"),
            **_mixer_names("mamba_decoder.mamba", "layers.hybrid.mixer"),
            **block_names("shared_transf"),
            **{f"{ours}.mlp.{part}": f"layers.{{i}}.shared_transf.feed_forward.{part}_proj"
               for ours in _BLOCKS for part in ("gate", "up")},
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "zamba-7b": measured("ZambaForCausalLM", 7_232_490_496, V=32000, d=3712, h=14848, L=76, heads=16, kv=16,
                                 k=464, L_attn=13, inner=7424, r_dt=232, ssm_heads=2, state=16, w=4, tied=True),
        },
    ),
    Architecture(
        "zamba2",
        classes=decoder_heads("Zamba2", body(mixer2, adapted=True), _HEADS),
        sizes="L_attn inner blocks",
        follows={"kv": "heads", "k": "2d/heads", "inner": "2d", "h": "4d"},
        acts={"hidden_act": ("gelu", "mlp")},
        keys={
            "vocab_size": ("V", 32000),
            "hidden_size": ("d", 2560),
            "intermediate_size": ("h", None),
            "num_hidden_layers": ("L", 54),
            "num_attention_heads": ("heads", 32),
            "num_key_value_heads": ("kv", None),
            "attention_head_dim": ("k", None),
            "adapter_rank": ("r_a", 128),
            "use_shared_attention_adapter": ("attention_adapters", False),
            "n_mamba_heads": ("ssm_heads", 8),
            "mamba_ngroups": ("groups", 1),
            "mamba_d_state": ("state", 64),
            "mamba_d_conv": ("w", 4),
            "chunk_size": ("chunk", 256),
            "add_bias_linear": ("bias", False),
            "tie_word_embeddings": ("tied", True),
            "num_labels": ("C", 2),
        },
        reads={
            "layers_block_type": None,
            "hybrid_layer_ids": None,
            "num_mem_blocks": 1,
            "attention_hidden_size": None,
            "mamba_expand": 2,
            "mamba_headdim": None,
        },
        settle=settle2,
        aliases={"layer_types": "layers_block_type", "head_dim": "attention_head_dim"},
        ignored={
            **_IGNORED,
            "use_conv_bias": "the bias of the convolution is always there",
            "use_mem_eff_path": "another kernel for the same products",
            "use_mem_rope": "rotation has no weights and is elementwise",
            "use_long_context": "rotary positions have no table",
            "kv_channels": "read by nothing",
            "num_query_groups": "read by nothing",
        },
        stored={
            **_STORED,
            **mamba2_names("mamba"),
            **mamba2_names("mamba_decoder.mamba", "layers.hybrid.mixer"),
            **block_names("shared_transformer"),
            **{tuple(f"{ours}.mlp.{part}" for part in ("gate", "up")):
               "layers.{i}.shared_transformer.feed_forward.gate_up_proj" for ours in _BLOCKS},
            **_adapter_names(),
        },
        stored_heads=HEAD_NAMES,
        base="model",
        published={
            "zamba2-1.2b": _zamba2(1_215_064_704, d=2048, h=8192, L=38, k=128, L_attn=6, blocks=1, inner=4096,
                                   ssm_heads=64, groups=1, state=128, attention_adapters=True),
            "zamba2-2.7b": _zamba2(2_662_214_560, d=2560, h=10240, L=54, k=160, L_attn=9, blocks=2, inner=5120,
                                   ssm_heads=80, groups=1, state=64),
        },
    ),
)
