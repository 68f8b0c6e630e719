"""DeepSpeed's FLOPs profiler on a model with eager attention, not on the meta device; see `deepspeed_sdpa`, `_meta`.

Source: DeepSpeed 0.19.8, profiling/flops_profiler/profiler.py: functions of torch are patched by name.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "deepspeed",
    rates={"softmax": 1, "routing": 1, "layer_norm": 5, "silu": 1, "relu": 1, "relu2": 1, "conv1d bias": 1,
           "kernel bias": 1, "batch_norm": None, "group_norm": None, "max": None, "mean": None, "pool": None,
           "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "experts": 0},
    says="full s·t scores of eager attention, logits at every position, softmax 1, LayerNorm 5, SiLU and ReLU 1 a "
         "number",
    leaves="RMSNorm, rotation, GELU, sums and experts are left out, as no function that it patches makes them; a "
           "Conv1D of transformers has its bias counted once, not for every token",
    source="DeepSpeed 0.19.8, get_model_profile, attn_implementation=eager; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=2,
)
