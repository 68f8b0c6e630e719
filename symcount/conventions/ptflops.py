"""ptflops with its aten backend, on the meta device or with eager attention.

Source: ptflops 0.7.5, aten_ops.py; with sdpa on a CPU it counts no attention.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ptflops",
    unit="multiply-add",
    multiply_add=1,
    rates={"bias": 1},
    counts={"experts": 0},
    says="full s·t scores, logits at every position, a bias 1 a number, no other elementwise work",
    leaves="a bias counts as a multiply-add for each number; elementwise work and experts are left out, as it has "
           "rules for products alone",
    source="ptflops 0.7.5, backend aten, eager or on the meta device; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
