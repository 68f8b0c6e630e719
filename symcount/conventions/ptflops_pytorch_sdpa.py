"""ptflops with its pytorch backend and sdpa, the default attention of transformers: as `ptflops_pytorch`, no attention.

Source: ptflops 0.7.5, pytorch_ops.py, which does not patch scaled_dot_product_attention.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ptflops_pytorch_sdpa",
    unit="multiply-add",
    multiply_add=1,
    rates={"bias": 1, "routing": 1, "layer_norm": 1, "silu": 1, "relu": 2, "batch_norm": None, "group_norm": None,
           "max": None, "mean": None, "pool": None, "relu2": None, "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "router": 0, "experts": 0, "attention": 0},
    says="no scores and no mixing of values, logits at every position, biases, LayerNorm and SiLU 1, ReLU 2 a number",
    leaves="both products of attention and its softmax are left out, as it does not patch sdpa; so are RMSNorm, "
           "rotation, GELU, sums, routers and experts; a Conv1D has its bias counted once, not for every token",
    source="ptflops 0.7.5, backend pytorch, attn_implementation=sdpa; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
