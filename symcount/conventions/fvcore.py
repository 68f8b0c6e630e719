"""fvcore on a model with eager attention: a multiply-add is one of its flops.

Source: fvcore 0.1.5, nn/jit_handles.py; that a flop is a multiply-add stands in a docstring (issues 69, 119, 133).
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "fvcore",
    multiply_add=1,
    rates={"layer_norm": 5, "batch_norm": None, "group_norm": None, "mean": None},
    counts={"experts": 0},
    says="full s·t scores of eager attention, logits at every position, LayerNorm 5 a number",
    leaves="a multiply-add is one flop; elementwise work but LayerNorm, biases and experts are left out; what does "
           "not lead to an output that is traced is left out too, as a pooler where only hidden states are returned",
    source="fvcore 0.1.5, FlopCountAnalysis, attn_implementation=eager; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT, Mixtral and ViT",
    backward=None,
)
