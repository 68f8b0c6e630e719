"""MarkupLM: RoBERTa whose tokens also have a place in a page, the path of tags that leads to them.

Source: Li et al. 2022, "MarkupLM", section 3.1; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.layers import dropped, embed, linear, norm, residual
from symcount.layers.encoder import encoder_heads, summed
from symcount.layers.transformer import post_norm
from symcount.network import idle, pointwise, tensor, weight, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.architecture import Published


def step(kinds: Tensor, numbers: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """A tag, and its number among its siblings: (V_1 + V_2)e parameters."""
    return embed(kinds, "tag", V=z.V_1, e=z.e)[0], embed(numbers, "number", V=z.V_2, e=z.e)[0]


def path(kinds: Tensor, numbers: Tensor, z: Any) -> Tensor:
    """tags·((V_1 + V_2)e + 5ed) + 4d² + 6d parameters: tables for each step, an MLP, and a map that never runs."""
    x = residual(*within("steps", step, kinds, numbers, z=z, over="step"))
    spare = (weight("spare.weight", out="d", step=z.tags, e=z.e, d=z.d), weight("spare.bias", kinds="bias", d=z.d))
    y = linear(idle(x, *spare), "inner", over="step e", h=4 * z.d)
    return linear(dropped(pointwise(y, kind="relu")), "outer", over="h", d=z.d)


def embeddings(ids: Tensor, types: Tensor, kinds: Tensor, numbers: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters, and those of the path."""
    x, word = summed(ids, types, z)
    return dropped(norm(residual(x, within("path", path, kinds, numbers, z=z)), "norm")), word


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Embeddings of words and paths, L blocks: hidden states, and the word table."""
    ids, types = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    steps = (tensor(name, b=z.b, s=z.s, step=z.tags) for name in ("kinds", "numbers"))
    x, word = within("embeddings", embeddings, ids, types, *steps, z=z)
    return within("layers", post_norm, x, z=z, runs=z.L), word


def _markuplm(count: int, **sizes: int) -> Published:
    return measured("MarkupLMModel", count, V=50267, P=514, types=1, V_1=256, V_2=1024, e=32, tags=50, **sizes)


_XPATH = "embeddings.xpath_embeddings"

ARCHITECTURES = (Architecture(
    "markuplm",
    classes=encoder_heads("MarkupLM", body, "ForSequenceClassification ForTokenClassification ForQuestionAnswering"),
    keys={
        **{key: told for key, told in encoder_keys(V=30522, P=512, types=2, d=768, h=3072, L=12, heads=12,
                                                   decoder=False).items() if key != "tie_word_embeddings"},
        "max_xpath_tag_unit_embeddings": ("V_1", 256),
        "max_xpath_subs_unit_embeddings": ("V_2", 1024),
        "xpath_unit_hidden_size": ("e", 32),
        "max_depth": ("tags", 50),
    },
    ignored={
        "tie_word_embeddings": "no words are predicted",
        **dict.fromkeys(("tag_pad_id", "subs_pad_id"), "which number stands for no tag"),
    },
    only={"position_embedding_type": ENCODER_ONLY["position_embedding_type"]},
    stored={
        **BERT_NAMES,
        "embeddings.path.steps.tag": f"{_XPATH}.xpath_tag_sub_embeddings.{{i}}",
        "embeddings.path.steps.number": f"{_XPATH}.xpath_subs_sub_embeddings.{{i}}",
        "embeddings.path.spare": f"{_XPATH}.xpath_unitseq2_embeddings",
        "embeddings.path.inner": f"{_XPATH}.xpath_unitseq2_inner",
        "embeddings.path.outer": f"{_XPATH}.inner2emb",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="markuplm",
    published={
        "markuplm-base": _markuplm(135_203_072, d=768, h=3072, L=12, heads=12),
        "markuplm-large": _markuplm(369_802_240, d=1024, h=4096, L=24, heads=16),
    },
),)
