"""ptflops with its pytorch backend on a model with eager attention, not on the meta device.

Source: ptflops 0.7.5, pytorch_ops.py: hooks on modules, and functions of torch that are patched by name.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "ptflops_pytorch",
    unit="multiply-add",
    multiply_add=1,
    rates={"bias": 1, "softmax": 1, "routing": 1, "layer_norm": 1, "silu": 1, "relu": 2, "batch_norm": None,
           "group_norm": None, "max": None, "mean": None, "pool": None, "relu2": None, "relu6": None},
    counts={"conv1d bias": {"b": 1, "s": 1}, "router": 0, "experts": 0},
    says="full s·t scores of eager attention, logits at every position, biases, softmax, LayerNorm and SiLU 1, ReLU "
         "2 a number",
    leaves="RMSNorm, rotation, GELU, sums, routers and experts are left out, as it has neither hook nor function for "
           "them; a Conv1D of transformers has its bias counted once, not for every token",
    source="ptflops 0.7.5, backend pytorch, attn_implementation=eager; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
