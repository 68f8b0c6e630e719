"""fvcore on a model with sdpa, the default attention of transformers: as `fvcore`, but no attention.

Source: fvcore 0.1.5, nn/jit_handles.py, which has no handle for scaled_dot_product_attention, and warns.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "fvcore_sdpa",
    multiply_add=1,
    rates={"layer_norm": 5, "batch_norm": None, "group_norm": None, "mean": None},
    counts={"attention": 0, "experts": 0},
    says="no scores and no mixing of values, logits at every position, LayerNorm 5 a number",
    leaves="a multiply-add is one flop; both products of attention are left out, as it has no handle for sdpa; so "
           "are elementwise work but LayerNorm, biases, experts, and what does not lead to an output that is traced",
    source="fvcore 0.1.5, FlopCountAnalysis, attn_implementation=sdpa; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
