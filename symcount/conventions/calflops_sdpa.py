"""calflops on a model with sdpa, the default attention of transformers: as `calflops`, but no attention.

Source: calflops 0.3.2, pytorch_ops.py, which does not patch scaled_dot_product_attention (issues 26 and 48).
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "calflops_sdpa",
    rates={"routing": 1, "layer_norm": 5, "silu": 1, "relu": 1, "relu2": 1, "conv1d bias": 1, "kernel bias": 1,
           "batch_norm": None, "group_norm": None, "max": None, "mean": None, "pool": None, "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "experts": 0, "attention": 0},
    says="no scores and no mixing of values, logits at every position, LayerNorm 5, SiLU and ReLU 1 a number",
    leaves="both products of attention and its softmax are left out, as it does not patch the one function that "
           "makes them; so are RMSNorm, rotation, GELU, sums and experts; a Conv1D has its bias counted once, not "
           "for every token",
    source="calflops 0.3.2 with attn_implementation=sdpa; measured 2026-11 on LLaMA, Gemma, BERT, ALBERT, GPT-2, "
           "OPT, Mixtral and ViT",
    backward=2,
)
