"""RoFormer: BERT whose queries and keys are turned by their positions, by angles from a table that is not trained.

Source: Su et al. 2021, "RoFormer", section 3.2; the heads are those of transformers.
"""

from __future__ import annotations

from functools import partial

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, encoder_keys
from symcount.hub.settling import as_narrow
from symcount.layers import attention, dropped, embed, linear, mlp, norm, residual, spans
from symcount.layers.encoder import activated_first, encoder_heads, last_choice
from symcount.masks import Mask
from symcount.network import cut, keep, pointwise, rename, tensor, weight, within
from symcount.sizes import bounded, multiple, per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.polynomials import Size


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """Words and segments of width e, then a norm: (V + types)e + 2e parameters, and ed + d where e is not d."""
    x, word = embed(ids, "word", V=z.V, d=z.e)
    x = dropped(norm(residual(x, embed(types, "type", types=z.types, d=z.e)[0]), "norm"))
    return (linear(x, "project", d=z.d) if z.projected else x), word


def angles(z: Any, k: Size) -> Tensor:
    """Sines and cosines of s positions, the last of t, a row for each: P·k parameters, never trained."""
    table = weight("position.weight", kinds="embedding", stored="frozen", P=z.P, k=k)
    s = bounded(z.s, z.t)
    return rename(cut(keep(table, P=z.t), "P", z.t - s, s)[1], P="s")


def turned(x: Tensor, name: str, by: Tensor) -> Tensor:
    """Pairs of the numbers of each head turned by their angles."""
    return pointwise(x, by, kind="rotary", name=name)


def block(x: Tensor, z: Any, by: Tensor, mask: Mask | None) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    y = within("attention", attention, x, z=z, t=z.t, normed=partial(turned, by=by), mask=mask, dropout=True)
    x = norm(residual(x, y), "attention_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


def body(z: Any) -> tuple[Tensor, Tensor]:
    """Embeddings, one table of angles, L blocks: hidden states, and the word table."""
    ids, types = (tensor(name, b=z.b, s=z.s) for name in ("ids", "types"))
    x, word = within("embeddings", embeddings, ids, types, z=z)
    by = within("embeddings", lambda: angles(z, multiple(per(z.d, z.heads), 2)))
    mask = Mask(causal=True) if z.decoder else None
    return within("layers", block, x, z=z, by=by, mask=mask, runs=z.L), word


ARCHITECTURES = (Architecture(
    "roformer",
    classes={
        **encoder_heads("RoFormer", body, "ForMaskedLM ForCausalLM ForSequenceClassification ForTokenClassification",
                        pooler=False, classify=activated_first),
        "RoFormerForMultipleChoice": lambda z: last_choice(body(z)[0]),
        "RoFormerForQuestionAnswering": lambda z: spans(body(z)[0], "answers"),
    },
    keys={
        **encoder_keys(V=50000, P=1536, types=2, d=768, h=3072, L=12, heads=12),
        "embedding_size": ("e", None),
    },
    flags={"projected": True},
    follows={"e": "d"},
    settle=as_narrow,
    only={
        **ENCODER_ONLY,
        "rotary_value": ((False,), "values that are turned too are not written"),
    },
    stored={
        **BERT_NAMES,
        "embeddings.project": "embeddings_project",
        "embeddings.position": "encoder.embed_positions",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="roformer",
    published={
        "roformer-chinese-base": measured("RoFormerForMaskedLM", 124_197_968, V=50000, P=1536, types=2, d=768, h=3072,
                                          L=12, heads=12, projected=False),
        "roformer-chinese-small": measured("RoFormerForMaskedLM", 30_079_696, V=50000, P=512, types=2, d=384, h=1536,
                                           L=6, heads=6, projected=False),
    },
),)
