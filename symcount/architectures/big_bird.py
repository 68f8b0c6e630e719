"""BigBird: BERT for long texts; up to `window` tokens every token sees every other, beyond only chosen blocks.

Source: Zaheer et al. 2020, "Big Bird", section 2 and appendix E; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import attention, mlp, norm, residual, spans
from symcount.layers.encoder import activated_first, encoder, encoder_heads
from symcount.network import within
from symcount.sizes import bounded
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask


def block(x: Tensor, z: Any, mask: Mask | None = None) -> Tensor:
    """4d² + 2dh + 9d + h parameters, 3d less without biases of queries, keys and values.

    A text of more than `window` tokens, whose scores would be computed in blocks, is refused.
    """
    t = bounded(z.t, z.window) if z.sparse else z.t
    y = within("attention", attention, x, z=z, t=t, bias=z.bias or "output", mask=mask, dropout=True)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


body = encoder(block=block)


def answers(x: Tensor, z: Any) -> Tensor:
    """2dh + h + 3d parameters before those that find the ends: 2d + 2."""
    return spans(norm(residual(x, mlp(x, h=z.h)), "norm"), "ends")


def question_answering(z: Any) -> Tensor:
    """Start and end of the answer, behind one more MLP; no pooler."""
    return within("answers", answers, body(z)[0], z=z)


def settle(config: dict[str, Any]) -> dict[str, Any]:
    """Up to how many tokens blocks are not worth while: 2 global, 3 neighbours, and twice the random ones."""
    kind, side, random = (config[key] for key in ("attention_type", "block_size", "num_random_blocks"))
    if kind not in ("block_sparse", "original_full"):
        raise ConfigError(f"attention_type: block_sparse or original_full is needed, not {kind!r}")
    if kind == "original_full":
        return {"sparse": False}
    for key, n in (("block_size", side), ("num_random_blocks", random)):
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise ConfigError(f"{key}: a whole number is needed, not {n!r}")
    return {"sparse": True, "window": (5 + 2 * random) * side}


_HEADS = "ForMaskedLM ForCausalLM ForSequenceClassification ForTokenClassification"

ARCHITECTURES = (Architecture(
    "big_bird",
    classes={
        **encoder_heads("BigBird", body, _HEADS + " ForPreTraining ForMultipleChoice", unread=_HEADS,
                        classify=activated_first),
        "BigBirdForQuestionAnswering": question_answering,
    },
    sizes="window",
    acts={"hidden_act": ("gelu_new", "")},
    keys={
        **encoder_keys(V=50358, P=4096, types=2, d=768, h=3072, L=12, heads=12),
        "use_bias": ("bias", True),
    },
    reads={"attention_type": "block_sparse", "block_size": 64, "num_random_blocks": 3},
    flags={"sparse": True},
    settle=settle,
    ignored={"rescale_embeddings": "scales the same vectors"},
    only=ENCODER_ONLY,
    stored={**BERT_NAMES, "pooler": "pooler"},
    stored_heads={
        **BERT_HEAD_NAMES,
        "answers.up": "qa_classifier.intermediate.dense",
        "answers.down": "qa_classifier.output.dense",
        "answers.norm": "qa_classifier.output.LayerNorm",
        "answers.ends": "qa_classifier.qa_outputs",
    },
    base="bert",
    published={
        "bigbird-roberta-base": measured("BigBirdForMaskedLM", 128_111_286, V=50358, P=4096, types=2, d=768, h=3072,
                                         L=12, heads=12, sparse=True, window=704),
    },
),)
