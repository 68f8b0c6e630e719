"""ptflops with its pytorch backend on the meta device, with sdpa: products with a bias twice, and no attention.

Source: ptflops 0.7.5, pytorch_ops.py: F.linear and torch.addmm are patched, and torch makes one of both where there
are no numbers.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ptflops_pytorch_meta",
    unit="multiply-add",
    multiply_add=1,
    rates={"bias": 1, "routing": 1, "layer_norm": 1, "silu": 1, "relu": 2, "batch_norm": None, "group_norm": None,
           "max": None, "mean": None, "pool": None, "relu2": None, "relu6": None},
    counts={"biased": 2, "conv1d bias": {"b": 1, "s": 1}, "router": 0, "experts": 0, "attention": 0},
    says="products with a bias twice, no scores and no mixing of values, logits at every position, biases, "
         "LayerNorm, SiLU 1 and ReLU 2 a number",
    leaves="a product with a bias counts twice, as a hook and a function that it patches both see it on the meta "
           "device; attention, RMSNorm, rotation, GELU, sums, routers and experts are left out; a Conv1D has its "
           "bias counted once",
    source="ptflops 0.7.5, backend pytorch on the meta device, attn_implementation=sdpa; measured 2026-11 on LLaMA, "
           "Gemma, BERT, ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
