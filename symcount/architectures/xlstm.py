"""xLSTM: a memory that is a matrix, written by keys and values and read by queries, under exponential gates.

Source: Beck et al. 2024, "xLSTM", section 2.3; Beck et al. 2025, "xLSTM 7B", section 3; Beck et al. 2025, "Tiled flash
linear attention", section 2 (in chunks); what is multiplied is what the reference implementation in PyTorch multiplies.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.settling import number
from symcount.layers import decoder_heads, gated, linear, norm, residual, words
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    idle,
    merge,
    pointwise,
    rename,
    select,
    split,
    tensor,
    weight,
    within,
)
from symcount.sizes import floor
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def step(query: Tensor, key: Tensor, value: Tensor, gates: Tensor, memory: Tensor, sums: Tensor) -> tuple[Tensor, ...]:
    """One token: it writes to the memory, and reads it: 2kv + k multiply-adds a head, and no parameters."""
    written = contract(key, value, to="b g k v", name="write")
    memory = pointwise(memory, written, gates, kind="decay", name="memory")
    sums = pointwise(sums, key, gates, kind="decay", name="sums")
    read = contract(query, memory, to="b g v", name="read")
    read = pointwise(read, contract(query, sums, to="b g", name="divisor"), kind="normalise", name="divided")
    return query, key, read, gates, memory, sums


def chunked(query: Tensor, key: Tensor, value: Tensor, gates: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """n chunks of l tokens: what each token reads, and the memory and the sums of keys at each end of a chunk.

    Multiply-adds a token and head: (k + v)l for the tokens of its chunk, and 2kv + k for all before them.
    """
    written = contract(key, value, to="b n g k v", name="write")
    memory = pointwise(written, gates, kind="decay", name="memory", to="b n g k v")
    sums = pointwise(key, gates, kind="decay", name="sums", to="b n g k")
    scores = contract(query, rename(key, l="i"), to="b n g l i", name="scores")
    scores = pointwise(scores, gates, kind="decay", name="decayed")
    inside = contract(scores, rename(value, l="i"), to="b n l g v", name="inside")
    read = pointwise(inside, contract(query, memory, to="b n l g v", name="read"), kind="add", name="sum")
    divisor = contract(query, sums, to="b n l g", name="divisor")
    return pointwise(read, divisor, kind="normalise", name="divided"), memory, sums


def recurrence(query: Tensor, key: Tensor, value: Tensor, gates: Tensor, z: Any) -> Tensor:
    """What each token reads: chunk by chunk, and those after the last full chunk one by one; no parameters.

    Remembered are the memory, kv a head, the sums of keys, k, and the exponent that scales both.
    """
    n = floor(z.s, z.chunk)
    parts = [cut(x, "s", n * z.chunk, z.s - n * z.chunk) for x in (query, key, value, gates)]
    full, *_ = within("chunks", chunked, *(split(first, "s", n=n, l=z.chunk) for first, _ in parts))
    memory = tensor("memory", b=z.b, g=z.heads, k=z.k, v=z.v)
    sums = tensor("sums", b=z.b, g=z.heads, k=z.k)
    _, _, last, _, memory, sums = within("steps", step, *(rows for _, rows in parts), memory, sums, over="s")
    exponent = cached(select(sums, "k"), "exponent", g=z.heads)
    return idle(concat(merge(full, s="n l"), last, axis="s"), cached(memory, "memory", k=z.k),
                cached(sums, "sums", k=z.k), exponent)


def mixer(x: Tensor, z: Any) -> Tensor:
    """(2dk + 3dv + 2d)·heads + 2heads + v·heads parameters, with biases (2k + 3v)·heads + d more."""
    query, key = (linear(x, name, bias=z.bias, g=z.heads, k=z.k) for name in ("query", "key"))
    value = linear(x, "value", bias=z.bias, g=z.heads, v=z.v)
    gate = pointwise(linear(x, "gate", bias=z.bias, g=z.heads, v=z.v), kind="sigmoid", name="gate_act")
    gates = pointwise(linear(x, "enter", g=z.heads), linear(x, "forget", g=z.heads), kind="decay", name="gates")
    y = pointwise(within("scan", recurrence, query, key, value, gates, z=z), kind="layer_norm", name="norm")
    y = pointwise(y, weight("norm.weight", kinds="norm", g=z.heads, v=z.v), kind="multiply", name="norm")
    if z.bias:
        y = pointwise(y, weight("norm.bias", kinds="norm bias", g=z.heads, v=z.v), kind="bias", name="norm")
    return linear(pointwise(y, gate, kind="multiply", name="gated"), "output", over="g v", bias=z.bias, d=z.d)


def block(x: Tensor, z: Any) -> Tensor:
    """A mixer, then the gated MLP, an RMSNorm before each: 3dh + 2d parameters beside the mixer.

    With biases 2h + 3d more, as the norms have a shift then.
    """
    y = norm(x, "mixer_norm", shift=z.bias, kind="rms_norm")
    x = residual(x, within("mixer", mixer, y, z=z))
    return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=z.bias, kind="rms_norm"), h=z.h, bias=z.bias))


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states, and the word table."""
    x, word = words(z)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False), word


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Blocks, and the widths that are factors of d: {L, k, v, h}."""
    d, heads = number(config, "hidden_size"), number(config, "num_heads")
    found = {"k": _share(config, "qk_dim_factor", d, heads), "v": _share(config, "v_dim_factor", d, heads),
             "h": _filled(d * _factor(config, "ffn_proj_factor"), number(config, "ffn_round_up_to_multiple_of"))}
    if number(config, "max_inference_chunksize") % number(config, "chunk_size"):
        raise ConfigError("max_inference_chunksize is no multiple of chunk_size: a text beyond it has other chunks")
    return found if config["num_blocks"] is None else {**found, "L": number(config, "num_blocks", least=0)}


def _factor(config: dict[str, Any], key: str) -> float:
    factor = config[key]
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor < 1e6:
        raise ConfigError(f"{key} = {factor!r}: a positive number is needed")
    return float(factor)


def _share(config: dict[str, Any], key: str, d: int, heads: int) -> int:
    width = int(d * _factor(config, key))
    if not width or width % heads:
        raise ConfigError(f"{key}: a width of {width} is not shared by {heads} heads, which does not run")
    return width // heads


def _filled(width: float, step: int) -> int:
    return int((width + step - 1) // step * step)


ARCHITECTURES = (Architecture(
    "xlstm",
    classes=decoder_heads("xLSTM", body, "ForCausalLM"),
    sizes="k v h",
    flags={"tied": False},
    acts={},
    keys={
        "vocab_size": ("V", 50304),
        "hidden_size": ("d", 4096),
        "num_hidden_layers": ("L", 32),
        "num_heads": ("heads", 8),
        "use_bias": ("bias", False),
        "chunk_size": ("chunk", 64),
    },
    reads={
        "num_blocks": None,
        "qk_dim_factor": 0.5,
        "v_dim_factor": 1.0,
        "ffn_proj_factor": 2.667,
        "ffn_round_up_to_multiple_of": 64,
        "max_inference_chunksize": 16384,
    },
    settle=settle,
    same={"embedding_dim": "hidden_size"},
    aliases={"num_attention_heads": "num_heads"},
    ignored={
        "tie_word_embeddings": "this family ties nothing",
        "add_out_norm": "the last norm is always there",
        "return_last_states": "chooses what is returned",
        "eps": "a constant",
        **dict.fromkeys(("gate_soft_cap", "output_logit_soft_cap"), "a soft cap has no weights and is elementwise"),
        **dict.fromkeys(("norm_reduction_force_float32", "autocast_kernel_dtype", "inference_state_dtype"),
                        "how numbers are stored; counts are of numbers"),
        **dict.fromkeys(("chunkwise_kernel", "sequence_kernel", "step_kernel"),
                        "another kernel for the same products"),
    },
    only={
        "mode": (("inference",), "training in chunks refuses a text that is no multiple of them"),
        "weight_mode": (("single",), "fused maps are not written for this family"),
    },
    unwritten="what keeps its exponential gates in bounds",
    stored={
        "embeddings": "embeddings",
        "layers.mixer_norm": "blocks.{i}.norm_mlstm",
        "layers.mixer.query": "blocks.{i}.mlstm_layer.q",
        "layers.mixer.key": "blocks.{i}.mlstm_layer.k",
        "layers.mixer.value": "blocks.{i}.mlstm_layer.v",
        "layers.mixer.gate": "blocks.{i}.mlstm_layer.ogate_preact",
        "layers.mixer.enter": "blocks.{i}.mlstm_layer.igate_preact",
        "layers.mixer.forget": "blocks.{i}.mlstm_layer.fgate_preact",
        "layers.mixer.norm.weight": ("blocks.{i}.mlstm_layer.multihead_norm.weight", "v*heads"),
        "layers.mixer.norm.bias": ("blocks.{i}.mlstm_layer.multihead_norm.bias", "v*heads"),
        "layers.mixer.output": "blocks.{i}.mlstm_layer.out_proj",
        "layers.mlp_norm": "blocks.{i}.norm_ffn",
        "layers.mlp.gate": "blocks.{i}.ffn.proj_up_gate",
        "layers.mlp.up": "blocks.{i}.ffn.proj_up",
        "layers.mlp.down": "blocks.{i}.ffn.proj_down",
        "norm": "out_norm",
    },
    stored_heads={"head": "lm_head"},
    base="backbone",
    published={
        "xlstm-7b": measured("xLSTMForCausalLM", 6_865_424_896, V=50304, d=4096, h=10944, L=32, heads=8, k=256, v=512,
                             chunk=64),
    },
),)
