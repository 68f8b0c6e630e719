"""BERT and RoBERTa with a norm before each part and a last one: RoBERTa-PreLayerNorm, XLM-RoBERTa-XL, Megatron-BERT.

Source: Ott et al. 2019, "fairseq" (--encoder-normalize-before); Goyal et al. 2021, "Larger-scale transformers for
multilingual masked language modeling", table 1; Shoeybi et al. 2019, "Megatron-LM", section 5.3.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_HEAD_NAMES, BERT_NAMES, ENCODER_ONLY, ROBERTA_HEAD_NAMES, encoder_keys
from symcount.layers import pre_norm
from symcount.layers.encoder import dense_first, encoder, encoder_heads, summed
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.masks import Mask

HEADS = ("ForMaskedLM ForCausalLM ForSequenceClassification ForMultipleChoice ForTokenClassification "
         "ForQuestionAnswering")
_bare = encoder(summed, pre_norm, last=True)  # no norm after the embeddings


def xl_block(x: Tensor, z: Any, mask: Mask | None) -> Tensor:
    """4d² + 2dh + 9d + h parameters; training drops nothing out of what the MLP gives."""
    return pre_norm(x, z, mask, dropout="softmax output")


ARCHITECTURES = (
    Architecture(
        "roberta-prelayernorm",
        classes=encoder_heads("RobertaPreLayerNorm", encoder(block=pre_norm, last=True), HEADS, classify=dense_first),
        acts={"hidden_act": ("gelu", "mlp")},
        keys=encoder_keys(V=50265, P=512, types=2, d=768, h=3072, L=12, heads=12),
        only=ENCODER_ONLY,
        stored={
            **BERT_NAMES,
            "layers.attention_norm": "encoder.layer.{i}.attention.LayerNorm",
            "layers.mlp_norm": "encoder.layer.{i}.intermediate.LayerNorm",
            "norm": "LayerNorm",
        },
        stored_heads=ROBERTA_HEAD_NAMES,
        base="roberta_prelayernorm",
    ),
    Architecture(
        "xlm-roberta-xl",
        classes=encoder_heads("XLMRobertaXL", encoder(summed, xl_block, last=True), HEADS, classify=dense_first),
        acts={"hidden_act": ("gelu", "mlp")},
        keys=encoder_keys(V=250880, P=514, types=1, d=2560, h=10240, L=36, heads=32),
        only=ENCODER_ONLY,
        stored={
            **BERT_NAMES,
            "layers.attention_norm": "encoder.layer.{i}.attention.self_attn_layer_norm",
            "layers.mlp_norm": "encoder.layer.{i}.LayerNorm",
            "norm": "encoder.LayerNorm",
        },
        stored_heads=ROBERTA_HEAD_NAMES,
        base="roberta",
        published={
            "xlm-roberta-xl": measured("XLMRobertaXLForMaskedLM", 3_482_741_760, V=250880, P=514, types=1, d=2560,
                                       h=10240, L=36, heads=32),
            "xlm-roberta-xxl": measured("XLMRobertaXLForMaskedLM", 10_712_994_816, V=250880, P=514, types=1, d=4096,
                                        h=16384, L=48, heads=32),
        },
    ),
    Architecture(
        "megatron-bert",
        classes=encoder_heads("MegatronBert", _bare, HEADS + " ForPreTraining ForNextSentencePrediction"),
        keys=encoder_keys(V=29056, P=512, types=2, d=1024, h=4096, L=24, heads=16),
        only=ENCODER_ONLY,
        stored={
            **BERT_NAMES,
            "layers.attention_norm": "encoder.layer.{i}.attention.ln",
            "layers.mlp_norm": "encoder.layer.{i}.ln",
            "norm": "encoder.ln",
        },
        stored_heads=BERT_HEAD_NAMES,
        base="bert",
        published={
            "megatron-bert-cased-345m": measured("MegatronBertForPreTraining", 334_723_458, V=29056, P=512, types=2,
                                                 d=1024, h=4096, L=24, heads=16),
        },
    ),
)
