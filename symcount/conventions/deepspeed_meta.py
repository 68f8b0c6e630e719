"""DeepSpeed's FLOPs profiler on the meta device, with eager attention: every product with a bias counts twice.

Source: DeepSpeed 0.19.8, profiling/flops_profiler/profiler.py: F.linear and torch.addmm are patched, and torch makes
one of both where there are no numbers.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "deepspeed_meta",
    rates={"softmax": 1, "routing": 1, "layer_norm": 5, "silu": 1, "relu": 1, "relu2": 1, "conv1d bias": 1,
           "kernel bias": 1, "batch_norm": None, "group_norm": None, "max": None, "mean": None, "pool": None,
           "relu6": None},
    counts={"biased": 2, "conv1d bias": {"b": 1, "s": 1}, "experts": 0},
    says="products with a bias twice, full s·t scores, logits at every position, softmax 1, LayerNorm 5, SiLU and "
         "ReLU 1 a number",
    leaves="a product with a bias counts twice, as two functions that it patches run for it on the meta device; "
           "RMSNorm, rotation, GELU, sums and experts are left out; a Conv1D of transformers has its bias counted "
           "once",
    source="DeepSpeed 0.19.8, get_model_profile on the meta device, attn_implementation=eager; measured 2026-11 on "
           "LLaMA, Gemma, BERT, ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=2,
)
