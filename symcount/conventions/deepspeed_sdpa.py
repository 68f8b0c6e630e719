"""DeepSpeed's FLOPs profiler on a model with sdpa, the default attention of transformers: scores, but no softmax.

Source: DeepSpeed 0.19.8, profiling/flops_profiler/profiler.py, _attn_flops_compute.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "deepspeed_sdpa",
    rates={"routing": 1, "layer_norm": 5, "silu": 1, "relu": 1, "relu2": 1, "conv1d bias": 1, "kernel bias": 1,
           "batch_norm": None, "group_norm": None, "max": None, "mean": None, "pool": None, "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "experts": 0},
    says="full s·t scores, logits at every position, no softmax of attention, LayerNorm 5, SiLU and ReLU 1 a number",
    leaves="the softmax within sdpa, RMSNorm, rotation, GELU, sums and experts are left out, as it has no rule for "
           "them; a Conv1D of transformers has its bias counted once, not for every token",
    source="DeepSpeed 0.19.8, get_model_profile, attn_implementation=sdpa; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=2,
)
