"""torchprofile on a model with eager attention: products, LayerNorm, and every multiplication of the traced graph.

Source: torchprofile 0.1.0, handlers.py (aten::mul, aten::mean, aten::layer_norm), of transformers 5.23.0.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import traced

CONVENTION = Convention(
    "torchprofile",
    unit="multiply-add",
    multiply_add=1,
    rates={"layer_norm": 1, "rms_norm": 2, "rotary": 2, "attention_scale": 1, "gate": 1, "gelu_new": 4, "mix": 1,
           "batch_norm": None, "group_norm": None, "mean": None, "multiply": None, "partial_rotary": None,
           "quick_gelu": None, "gelu_fast": None, "gelu_python": None},
    counts={"experts": 0},
    beside=traced,
    says="full s·t scores of eager attention, logits at every position, LayerNorm and each multiplication 1 a number",
    leaves="sums, biases, softmax, activations and experts are left out, as it has rules for products, norms, means "
           "and multiplications alone; angles of rotary positions count once for all texts of a batch; a family that "
           "scales more than its scores, as OPT its queries and Gemma its words, multiplies more than is counted "
           "here",
    source="torchprofile 0.1.0, profile_macs, attn_implementation=eager; measured 2026-11 on LLaMA, BERT, ALBERT, "
           "GPT-2, Mixtral and ViT",
    backward=None,
)
