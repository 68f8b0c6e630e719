"""calflops on a model with eager attention; by its default, sdpa, it is `calflops_sdpa`.

Source: calflops 0.3.2, pytorch_ops.py: functions of torch are patched by name, each with a rule.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "calflops",
    rates={"softmax": 1, "routing": 1, "layer_norm": 5, "silu": 1, "relu": 1, "relu2": 1, "conv1d bias": 1,
           "kernel bias": 1, "batch_norm": None, "group_norm": None, "max": None, "mean": None, "pool": None,
           "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "experts": 0},
    says="full s·t scores of eager attention, logits at every position, softmax 1, LayerNorm 5, SiLU and ReLU 1 a "
         "number",
    leaves="RMSNorm, rotation, GELU, sums and experts are left out, as no function that it patches makes them; a "
           "Conv1D of transformers has its bias counted once, not for every token",
    source="calflops 0.3.2 with attn_implementation=eager; measured 2026-11 on LLaMA, Gemma, BERT, ALBERT, GPT-2, "
           "OPT, Mixtral and ViT",
    backward=2,
)
