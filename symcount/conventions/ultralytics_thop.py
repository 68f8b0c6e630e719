"""ultralytics-thop: modules of torch by their class, and products that functions make beside them.

Source: ultralytics-thop 2.2.3, profile.py, whose functions are matmul, bmm, einsum, linear and sdpa, and not addmm.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ultralytics_thop",
    unit="multiply-add",
    multiply_add=1,
    rates={"layer_norm": 4, "batch_norm": None, "group_norm": None, "mean": None},
    counts={"conv1d": 0, "experts": 0},
    says="full s·t scores, logits at every position, no Conv1D, LayerNorm 4 a number",
    leaves="Conv1D of transformers and experts are left out, as torch.addmm and the grouped product are none of the "
           "functions that it knows; so is all elementwise work but LayerNorm",
    source="ultralytics-thop 2.2.3, profile; measured 2026-11 on LLaMA, Gemma, BERT, ALBERT, GPT-2, OPT, Mixtral and "
           "ViT",
    backward=None,
)
