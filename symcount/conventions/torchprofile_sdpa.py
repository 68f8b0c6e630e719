"""torchprofile on a model with sdpa, the default attention of transformers: as `torchprofile`, but no scaled scores.

Source: torchprofile 0.1.0, handlers.py, _scaled_dot_product_attention, of transformers 5.23.0.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import traced

CONVENTION = Convention(
    "torchprofile_sdpa",
    unit="multiply-add",
    multiply_add=1,
    rates={"layer_norm": 1, "rms_norm": 2, "rotary": 2, "gate": 1, "gelu_new": 4, "mix": 1, "batch_norm": None,
           "group_norm": None, "mean": None, "multiply": None, "partial_rotary": None, "quick_gelu": None,
           "gelu_fast": None, "gelu_python": None},
    counts={"experts": 0},
    beside=traced,
    says="full s·t scores, logits at every position, LayerNorm and each multiplication outside of attention 1 a "
         "number",
    leaves="as torchprofile, and what scales the scores is left out, as sdpa does it; with grouped heads, kv less "
           "than heads, the tool itself stops with an AssertionError",
    source="torchprofile 0.1.0, profile_macs, attn_implementation=sdpa; measured 2026-11 on LLaMA, BERT, ALBERT, "
           "GPT-2, Mixtral and ViT",
    backward=None,
)
