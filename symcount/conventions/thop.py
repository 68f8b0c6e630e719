"""thop: modules of torch by their class, so no attention, and no Conv1D of transformers.

Source: thop 0.1.1, vision/basic_hooks.py (issue 213).
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "thop",
    unit="multiply-add",
    multiply_add=1,
    rates={"layer_norm": 4, "batch_norm": None, "group_norm": None, "mean": None},
    counts={"activation": 0, "conv1d": 0, "experts": 0, "router": 0},
    says="linear layers alone, no attention, no Conv1D, logits at every position, LayerNorm 4 a number",
    leaves="attention is left out, as no module multiplies activations; so are Conv1D of transformers, routers, "
           "experts and all elementwise work but LayerNorm, as no module of a class that it knows makes them",
    source="thop 0.1.1, profile; measured 2026-11 on LLaMA, Gemma, BERT, ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
