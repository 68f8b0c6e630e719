"""The closed form of LLaMA in NX-AI's xlstm_scaling_laws with a causal factor of 1 and elementwise factors of 0.

Source: xlstm_scaling_laws, head of 2026-04, model_accounting/flops/llama_backbone.py: the gate is h·(1 + F_swish).
"""

from symcount.conventions import Convention
from symcount.conventions._beside import HEADS, head

CONVENTION = Convention(
    "xlstm_plain",
    rates={"gate": 1},
    counts={**HEADS, "attention.output": {"q": 1}},
    beside=head,
    says="full s·t scores, logits at every position, gate 1 a number, no other elementwise work",
    leaves="with grouped heads the output projection counts for key-value heads alone, which is an error of the "
           "form; the product with the gate has no factor that could be 0",
    source="NX-AI/xlstm_scaling_laws, head of 2026-04, F_causal=1 and other factors 0; measured 2026-11 on LLaMA",
    backward=None,
)
