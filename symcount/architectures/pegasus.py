"""Pegasus: pre-norm encoder-decoder with sinusoidal positions; BigBird-Pegasus has learned ones and sparse attention.

Source: Zhang et al. 2020, "PEGASUS", section 3 and appendix C; Zaheer et al. 2020, "Big Bird", section 2, whose sparse
attention transformers computes in full up to (5 + 2·random blocks) blocks; only that is written.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    measured,
    norms_at,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.layers import linear, norm, positions
from symcount.layers.encoder_decoder import (
    before,
    decoder_block,
    decoder_only,
    encoder_block,
    seq2seq_heads,
    shared_words,
    stacks,
)
from symcount.network import within
from symcount.sizes import bounded
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def sinusoids(x: Tensor, z: Any, t: Size) -> Tensor:
    """Pd parameters, which a checkpoint holds and nothing trains."""
    return positions(x, "position", P=z.P, t=t, stored="frozen")


def sparse_encode(x: Tensor, z: Any) -> Tensor:
    """Pd + L(4d² + 2dh + 5d + h) + 2d parameters, 4d a layer more with biases."""
    s = bounded(z.s, z.window) if z.sparse else z.s
    x = within("embeddings", positions, x, name="position", P=z.P, t=s)
    x = within("layers", encoder_block, x, z=z, place=before, bias=z.bias, runs=z.L)
    return norm(x, "norm")


def sparse_decode(x: Tensor, z: Any, memory: Tensor | None) -> Tensor:
    """Pd + L(8d² + 2dh + 7d + h) + 2d parameters, 8d a layer more with biases."""
    x = within("embeddings", positions, x, name="position", P=z.P, t=z.t)
    x = within("layers", decoder_block, x, z=z, place=before, memory=memory, bias=z.bias, runs=z.L_dec)
    return norm(x, "norm")


def sparse_causal(z: Any) -> Tensor:
    """Words from the decoder alone, by a matrix that is never tied: dV parameters."""
    return linear(decoder_only(sparse_decode)(z)[0], "head", bias=False, V=z.V)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """How many tokens the encoder attends to in full: (5 + 2·random blocks) blocks, or any number."""
    kind, block, random = config["attention_type"], config["block_size"], config["num_random_blocks"]
    if kind not in ("block_sparse", "original_full"):
        raise ConfigError(f"attention_type = {kind!r}: block_sparse or original_full is needed")
    for key, number in (("block_size", block), ("num_random_blocks", random)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ConfigError(f"{key} = {number!r}: a whole number of at least 1 is needed")
    return {"sparse": kind == "block_sparse", "window": (5 + 2 * random) * block}


_encode, _decode = stacks(sinusoids, before)
_BIGBIRD = {f"{side}.norm": f"{side}.layernorm_embedding" for side in ("encoder", "decoder")}
_BIGBIRD |= {f"encoder.layers.attention.{ours}": f"encoder.layers.{{i}}.self_attn.{theirs}" for ours, theirs in
             (("query", "self.query"), ("key", "self.key"), ("value", "self.value"), ("output", "output"))}
_LARGE = {"d": 1024, "h": 4096, "L": 16, "heads": 16}

ARCHITECTURES = (
    Architecture(
        "pegasus",
        classes=seq2seq_heads("Pegasus", shared_words(_encode, _decode), decoder_only(_decode),
                              "ForConditionalGeneration ForCausalLM"),
        follows=SEQ2SEQ_FOLLOWS,
        keys={**seq2seq_keys(V=50265, d=1024, h=4096, L=12, heads=16), "max_position_embeddings": ("P", 1024)},
        aliases=SEQ2SEQ_ALIASES,
        ignored=SEQ2SEQ_IGNORED,
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=True)},
        stored=seq2seq_names(),
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
    ),
    Architecture(
        "bigbird_pegasus",
        classes={**seq2seq_heads("BigBirdPegasus", shared_words(sparse_encode, sparse_decode), None,
                                 "ForConditionalGeneration ForSequenceClassification ForQuestionAnswering"),
                 "BigBirdPegasusForCausalLM": sparse_causal},
        follows=SEQ2SEQ_FOLLOWS,
        flags={"sparse": True},
        sizes="window",
        keys={
            **seq2seq_keys(V=96103, **_LARGE),
            "max_position_embeddings": ("P", 4096),
            "use_bias": ("bias", False),
        },
        reads={"attention_type": "block_sparse", "block_size": 64, "num_random_blocks": 3},
        settle=settle,
        aliases=SEQ2SEQ_ALIASES,
        ignored=SEQ2SEQ_IGNORED,
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=False)},
        stored={**seq2seq_names(), **_BIGBIRD},
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
    ),
)
