"""ptflops with its aten backend on a CPU with sdpa, the default attention of transformers: no attention.

Source: ptflops 0.7.5, aten_ops.py, which has no rule for the kernel of scaled_dot_product_attention on a CPU.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ptflops_sdpa_cpu",
    unit="multiply-add",
    multiply_add=1,
    rates={"bias": 1},
    counts={"attention": 0, "experts": 0},
    says="no scores and no mixing of values, logits at every position, a bias 1 a number, no other elementwise work",
    leaves="both products of attention are left out, as it has no rule for the kernel that makes them on a CPU; a "
           "bias counts for each number; other elementwise work and experts are left out",
    source="ptflops 0.7.5, backend aten, attn_implementation=sdpa on a CPU; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
