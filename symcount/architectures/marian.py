"""Marian, M2M-100 and FSMT: translators, encoder-decoders with sinusoidal positions.

Marian and FSMT have their norms after each sum, and may have a vocabulary for each language; M2M-100 has its norms
before, and computes its positions.

Source: Junczys-Dowmunt et al. 2018, "Marian", section 3; Fan et al. 2020, "Beyond English-centric multilingual machine
translation", section 4.1; Ng et al. 2019, "Facebook FAIR's WMT19 news translation task submission", section 3.
"""

from __future__ import annotations

from symcount.architecture import Architecture, Published
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import (
    SEQ2SEQ_ALIASES,
    SEQ2SEQ_FOLLOWS,
    SEQ2SEQ_HEAD_NAMES,
    SEQ2SEQ_IGNORED,
    SEQ2SEQ_ONLY,
    norms_at,
    seq2seq_keys,
    seq2seq_names,
)
from symcount.layers import linear, positions
from symcount.layers.encoder_decoder import after, before, seq2seq_heads, shared_words, stacks, words
from symcount.network import lookup, pointwise, tensor, weight, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def sinusoids(x: Tensor, z: Any, t: Size) -> Tensor:
    """Pd parameters, which a checkpoint holds and nothing trains."""
    return positions(x, "position", P=z.P, t=t, stored="frozen")


def offset(x: Tensor, z: Any, t: Size) -> Tensor:
    """(P + 2)d parameters, which begin as sinusoids: the first two positions stand for padding."""
    return positions(x, "position", P=z.P, t=t, skip=2)


def computed(x: Tensor, **_: Any) -> Tensor:
    """No parameters."""
    return pointwise(x, kind="sinusoids")


marian_encode, marian_decode = stacks(sinusoids, after)
m2m_encode, m2m_decode = stacks(computed, before)
fsmt_encode, fsmt_decode = stacks(offset, after)


def marian(z: Any) -> tuple[Tensor, Tensor]:
    """One word table where the languages share it, else dV + d·V_dec parameters, of which the second predicts."""
    if z.shared:
        return shared_words(marian_encode, marian_decode, exactly(z.V_dec, z.V))(z)
    x, _ = words(z, tensor("ids", b=z.b, s=z.s), "encoder", z.V)
    y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V_dec)
    memory = within("encoder", marian_encode, x, z=z)
    return within("decoder", marian_decode, y, z=z, memory=memory), table


def translate(z: Any) -> Tensor:
    """Words of the other language: d·V_dec parameters, none when tied."""
    x, table = marian(z)
    V = z.V if z.shared else z.V_dec
    y = linear(x, "head", bias=False, w=table if z.tied else None, V=V)
    return pointwise(y, weight("offset", kinds="bias", stored="buffer", V=V), kind="bias")


def marian_causal(z: Any) -> Tensor:
    """Words from the decoder alone: dV parameters beside its table, none when tied."""
    y, table = words(z, tensor("targets", b=z.b, s=z.u), "decoder", z.V_dec)
    y = within("decoder", marian_decode, y, z=z, memory=None)
    return linear(y, "head", bias=False, w=table if z.tied else None, V=z.V)


def fsmt(z: Any) -> Tensor:
    """Words of the other language: dV + 2d·V_dec parameters beside the stacks, one table of Vd when all are tied."""
    ids, targets = tensor("ids", b=z.b, s=z.s), tensor("targets", b=z.b, s=z.u)
    x, source = words(z, ids, "encoder", z.V)
    if z.tied:
        y = lookup(targets, source, "targets")
    else:
        y, _ = words(z, targets, "decoder", z.V_dec)
    y = within("decoder", fsmt_decode, y, z=z, memory=within("encoder", fsmt_encode, x, z=z))
    return linear(y, "head", bias=False, w=source if z.tied else None, V=exactly(z.V_dec, z.V) if z.tied else z.V_dec)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; a vocabulary that is shared is one."""
    V, V_dec = config["vocab_size"], config["decoder_vocab_size"]
    if config["share_encoder_decoder_embeddings"] and V_dec not in (None, V):
        raise ConfigError(f"decoder_vocab_size = {V_dec}: the shared vocabulary has vocab_size = {V} words")
    return {}


def _m2m(count: int, **sizes: int) -> Published:
    return measured("M2M100ForConditionalGeneration", count, **sizes)


_LARGE = {"d": 1024, "h": 4096, "L": 12, "heads": 16}

ARCHITECTURES = (
    Architecture(
        "marian",
        classes={"MarianModel": lambda z: marian(z)[0], "MarianMTModel": translate, "MarianForCausalLM": marian_causal},
        follows={**SEQ2SEQ_FOLLOWS, "V_dec": "V"},
        acts={"activation_function": ("", "")},
        keys={
            **seq2seq_keys(V=58101, **_LARGE),
            "decoder_vocab_size": ("V_dec", None),
            "max_position_embeddings": ("P", 1024),
            "share_encoder_decoder_embeddings": ("shared", True),
        },
        settle=settle,
        aliases=SEQ2SEQ_ALIASES,
        ignored=SEQ2SEQ_IGNORED,
        only={**SEQ2SEQ_ONLY, **norms_at(before=False, embedding=False, computed=True)},
        stored=seq2seq_names(),
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
        published={
            "opus-mt-en-de": measured("MarianMTModel", 74_410_496, V=58101, P=512, d=512, h=2048, L=6, heads=8,
                                       acts="silu"),
        },
    ),
    Architecture(
        "m2m_100",
        classes=seq2seq_heads("M2M100", shared_words(m2m_encode, m2m_decode), None, "ForConditionalGeneration",
                              offset=False),
        follows=SEQ2SEQ_FOLLOWS,
        acts={"activation_function": ("relu", "")},
        keys=seq2seq_keys(V=128112, **_LARGE),
        aliases=SEQ2SEQ_ALIASES,
        ignored={**SEQ2SEQ_IGNORED, "max_position_embeddings": "sinusoidal positions are computed"},
        only={**SEQ2SEQ_ONLY, **norms_at(before=True, embedding=False, computed=True)},
        stored=seq2seq_names(),
        stored_heads=SEQ2SEQ_HEAD_NAMES,
        base="model",
        published={
            "m2m100-418m": _m2m(483_905_536, V=128112, **_LARGE),
            "m2m100-1.2b": _m2m(1_239_470_080, V=128112, d=1024, h=8192, L=24, heads=16),
            "nllb-200-distilled-600m": _m2m(615_073_792, V=256206, **_LARGE),
            "nllb-200-1.3b": _m2m(1_370_638_336, V=256206, d=1024, h=8192, L=24, heads=16),
            "nllb-200-3.3b": _m2m(3_344_863_232, V=256206, d=2048, h=8192, L=24, heads=16),
        },
    ),
    Architecture(
        "fsmt",
        classes={"FSMTModel": fsmt, "FSMTForConditionalGeneration": fsmt},
        follows=SEQ2SEQ_FOLLOWS,
        acts={"activation_function": ("relu", "")},
        keys={
            **{key: told for key, told in seq2seq_keys(V=42024, **_LARGE).items() if key != "vocab_size"},
            "src_vocab_size": ("V", 42024),
            "tgt_vocab_size": ("V_dec", 42024),
            "tie_word_embeddings": ("tied", False),
            "max_position_embeddings": ("P", 1024),
        },
        aliases={**SEQ2SEQ_ALIASES, "vocab_size": "tgt_vocab_size"},
        ignored={
            **SEQ2SEQ_IGNORED,
            "langs": "which languages",
            "decoder": "a note about the vocabulary, read by nothing",
        },
        only={
            **SEQ2SEQ_ONLY,
            **norms_at(before=False, embedding=False, computed=True),
            "pad_token_id": ((1,), "the tables of positions have as many rows more"),
        },
        stored={**seq2seq_names(), "head": "decoder.output_projection"},
        base="model",
    ),
)
