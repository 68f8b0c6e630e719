"""FNet: BERT whose tokens are mixed by a Fourier transform, without a weight, in place of attention.

Source: Lee-Thorp et al. 2022, "FNet", section 3.2 and table 6; the heads are those of transformers.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, encoder_keys
from symcount.layers import dropped, linear, mlp, norm, residual
from symcount.layers.encoder import encoder, encoder_heads, typed
from symcount.network import pointwise, within
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embeddings(ids: Tensor, types: Tensor, z: Any) -> tuple[Tensor, Tensor]:
    """(V + P + types)d + 2d parameters, and a map of what comes of it: d² + d."""
    x, word = typed(ids, types, z)
    return dropped(linear(x, "project", d=z.d)), word


def block(x: Tensor, z: Any) -> Tensor:
    """2dh + 5d + h parameters. The transform is fast, and so no product of matrices: it counts no multiply-adds."""
    x = norm(residual(x, pointwise(x, kind="fourier")), "fourier_norm")
    return norm(residual(x, within("mlp", mlp, x, h=z.h, dropout=True)), "mlp_norm")


HEADS = ("ForMaskedLM ForPreTraining ForNextSentencePrediction ForSequenceClassification ForMultipleChoice "
         "ForTokenClassification ForQuestionAnswering")
_NAMES = {path: name for path, name in BERT_NAMES.items() if "attention" not in path}

ARCHITECTURES = (Architecture(
    "fnet",
    classes=encoder_heads("FNet", encoder(embeddings, block, masked=False, dropout=False), HEADS,
                          unread="ForMaskedLM ForTokenClassification ForQuestionAnswering"),
    acts={"hidden_act": ("gelu_new", "")},
    keys={key: told for key, told in encoder_keys(V=32000, P=512, types=4, d=768, h=3072, L=12, heads=1,
                                                  decoder=False).items() if key != "num_attention_heads"},
    only={"use_tpu_fourier_optimizations": ((False,), "the transform as products of matrices is not written")},
    ignored={
        "tpu_short_seq_length": "read only where the transform is a product of matrices",
        "use_fft": "a note of the original release, read by nothing",
    },
    stored={
        **_NAMES,
        "embeddings.project": "embeddings.projection",
        "layers.fourier_norm": "encoder.layer.{i}.fourier.output.LayerNorm",
    },
    stored_heads=BERT_HEAD_NAMES,
    base="fnet",
    published={
        "fnet-base": measured("FNetForPreTraining", 83_486_722, V=32000, P=512, types=4, d=768, h=3072, L=12),
        "fnet-large": measured("FNetForPreTraining", 238_031_106, V=32000, P=512, types=4, d=1024, h=4096, L=24),
    },
),)
