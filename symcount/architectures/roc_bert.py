"""RoCBert: BERT whose Chinese characters also have a sound and a shape.

Source: Su et al. 2022, "RoCBert", section 3.2; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import embed, linear, norm, positions, residual
from symcount.layers.encoder import encoder, encoder_heads, pool, typed, words_and_spare
from symcount.network import concat, idle, pointwise, weight, within
from symcount.sizes import exactly
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def embeddings(ids: Tensor, types: Tensor, sounds: Tensor, shapes: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters, V_1·e_1 for sounds, V_2·e_2 for shapes, and (d + e_1 + e_2)d + d to join them.

    A table that is switched off is stored all the same. Where nothing joins them, their mean is taken behind the norm.
    """
    if not z.joined:
        x, word = typed(ids, types, z)
        vectors, unused = looked_up(z, sounds, shapes, z.d)
        for vector in vectors:
            x = pointwise(x, vector, kind="add", name="sum")
        return idle(x, *unused), word
    x, word = embed(ids, "word", V=z.V, d=z.d)
    vectors, unused = looked_up(z, sounds, shapes)
    x = linear(idle(concat(x, *vectors, axis="d"), *unused), "join", d=z.d)
    x = positions(x, "position", P=z.P, t=z.t)
    kinds, _ = embed(types, "type", types=z.types, d=z.d)
    return norm(residual(x, kinds), "norm"), word


def looked_up(z: Any, sounds: Tensor, shapes: Tensor, d: Size | None = None) -> tuple[list[Tensor], list[Tensor]]:
    """The vectors of the shape and of the sound that are switched on, of width d if that is told; the other tables."""
    vectors, unused = [], []
    for on, read, name, V, e in ((z.shape, shapes, "shape", z.V_2, z.e_2), (z.sound, sounds, "sound", z.V_1, z.e_1)):
        if on:
            vectors.append(embed(read, name, V=V, d=e if d is None else exactly(e, d))[0])
        else:
            unused.append(weight(f"{name}.weight", kinds="embedding", V=V, d=e))
    return vectors, unused


body = encoder(embeddings, inputs="ids types sounds shapes")


def pre_training(z: Any) -> tuple[Tensor, Tensor]:
    """Masked words, and the pooled first token, which a loss compares."""
    x, word = body(z)
    return within("head", words_and_spare, x, word, z=z), pool(x, z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Nothing; ConfigError where vectors are to be added that are not as wide as the words."""
    for kind in ("pronunciation", "shape"):
        e, d = config[f"{kind}_embed_dim"], config["hidden_size"]
        if config["concat_input"] is False and config[f"enable_{kind}"] is True and e != d:
            raise ConfigError(f"{kind}_embed_dim = {e}: such vectors cannot be added to words of width {d}")
    return {}


ARCHITECTURES = (Architecture(
    "roc_bert",
    classes={
        **encoder_heads("RoCBert", body, "ForMaskedLM ForCausalLM ForSequenceClassification ForMultipleChoice "
                        "ForTokenClassification ForQuestionAnswering"),
        "RoCBertForPreTraining": pre_training,
    },
    keys={
        **encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12),
        "enable_pronunciation": ("sound", True),
        "pronunciation_vocab_size": ("V_1", 910),
        "pronunciation_embed_dim": ("e_1", 768),
        "enable_shape": ("shape", True),
        "shape_vocab_size": ("V_2", 24858),
        "shape_embed_dim": ("e_2", 512),
        "concat_input": ("joined", True),
    },
    settle=settle,
    only=ENCODER_ONLY,
    stored={
        **BERT_NAMES,
        "embeddings.sound": "embeddings.pronunciation_embed",
        "embeddings.shape": "embeddings.shape_embed",
        "embeddings.join": "embeddings.map_inputs_layer",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="roc_bert",
),)
