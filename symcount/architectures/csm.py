"""CSM: LLaMA's block over steps of one code from each codebook, and a small decoder of the codes within a step.

Source: Sesame 2025, "Crossing the uncanny valley of conversational voice", section on the conversational speech model.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.decoders import DECODER_NAMES, ROTARY, decoder_keys
from symcount.layers import embed, linear, norm, rotary_block
from symcount.network import contract, cut, keep, pointwise, rename, tensor, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """2dk·heads + 2dk·kv + 3dh + 2d parameters."""
    return rotary_block(x, z, bias=z.attention_bias, mlp_bias=z.mlp_bias)


def backbone(z: Any) -> Tensor:
    """The last hidden states of steps, whose codes are added: books·V_codes·d parameters for their table."""
    codes = tensor("ids", b=z.b, s=z.s, books=z.books)
    x, _ = embed(codes, "embeddings", V=z.books * z.V_codes, d=z.d)
    x = pointwise(x, kind="sum", name="codes_sum", to="b s d")
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False)


def depth(z: Any) -> Tensor:
    """The last hidden states of the codes of one step, of P codebooks in turn: (P·V_codes + d)e parameters lead in."""
    x, _ = embed(tensor("ids", b=z.b, s=z.s), "embeddings", V=z.P * z.V_codes, e=z.e)
    x = linear(x, "embeddings.project", over="e", bias=False, d=z.d)
    return norm(within("layers", block, x, z=z, runs=z.L), "norm", shift=False)


def depth_causal_lm(z: Any) -> Tensor:
    """Logits over the next codebook at every position but the first, by a matrix of its own: (P - 1)d·V_codes."""
    _, x = cut(depth(z), "s", 1, rest(z.s, 1))
    w = weight("head.weight", out="V", P=rest(z.P, 1), d=z.d, V=z.V_codes)
    return contract(x, rename(keep(w, P=rest(z.s, 1)), P="s"), to="b s V", name="head")


def _keys(**sizes: Any) -> dict[str, tuple[str, Any]]:
    return {
        **{key: entry for key, entry in decoder_keys(V=2051, **sizes).items()
           if key not in ("tie_word_embeddings", "num_labels")},
        "vocab_size": ("V_codes", 2051),
        "num_codebooks": ("books", 32),
        "attention_bias": ("attention_bias", False),
        "mlp_bias": ("mlp_bias", False),
    }


FOLLOWS = {"kv": "heads", "k": "d/heads"}
BESIDE = "of a part that stands beside the backbone"
NAMES = {**DECODER_NAMES, "embeddings.project": "inputs_embeds_projector"}

ARCHITECTURES = (Architecture(
    "csm",
    classes={"CsmBackboneModel": backbone},
    follows=FOLLOWS,
    keys=_keys(d=2048, h=8192, L=16, heads=32, kv=8),
    aliases={"codebook_size": "vocab_size"},
    ignored={
        **ROTARY,
        **dict.fromkeys(("text_vocab_size", "depth_decoder_config", "codec_config"), BESIDE),
        **dict.fromkeys(("tie_codebooks_embeddings", "tie_word_embeddings"), "the backbone has one table"),
        **dict.fromkeys(("codebook_pad_token_id", "codebook_eos_token_id", "audio_token_id", "audio_eos_token_id"),
                        "chooses how text is generated"),
    },
    stored={**DECODER_NAMES, "embeddings": "embed_tokens.embed_audio_tokens"},
    published={
        "csm-1b-backbone": measured("CsmBackboneModel", 1_107_560_448, d=2048, h=8192, L=16, heads=32, kv=8, k=64,
                                    books=32, V_codes=2051),
    },
), Architecture(
    "csm_depth_decoder_model",
    classes={"CsmDepthDecoderModel": depth, "CsmDepthDecoderForCausalLM": depth_causal_lm},
    follows=FOLLOWS,
    keys={
        **_keys(d=1024, h=8192, L=4, heads=8, kv=2),
        "num_codebooks": ("P", 32),
        "backbone_hidden_size": ("e", 2048),
    },
    aliases={"codebook_size": "vocab_size"},
    ignored=ROTARY,
    only={"tie_word_embeddings": ((False,), "transformers refuses it for this family")},
    stored=NAMES,
    stored_heads={"head.weight": ("codebooks_head.weight", "P-1 d V_codes")},
    base="model",
    published={
        "csm-1b-depth-decoder": measured("CsmDepthDecoderForCausalLM", 312_776_704, d=1024, h=8192, L=4, heads=8, kv=2,
                                         k=128, e=2048, P=32, V_codes=2051),
    },
))
