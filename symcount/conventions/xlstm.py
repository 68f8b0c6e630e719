"""The closed form of LLaMA in NX-AI's xlstm_scaling_laws, with logits at every position (with_unembed=True).

Source: xlstm_scaling_laws, head of 2026-04, model_accounting/flops: attention_op.py, llama_backbone.py (the output
projection is written with key-value heads). It counts in floating point; what is printed of it is truncated.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import HEADS, head
from symcount.polynomials import quotient

CONVENTION = Convention(
    "xlstm",
    pairs=quotient(13, 20),
    rates={"softmax": 5, "rms_norm": 3, "add": 1, "silu": 1, "gate": 1, "activation": None, "layer_norm": None},
    counts={**HEADS, "attention.output": {"q": 1}},
    beside=head,
    says="0.65 of s·t scores, logits at every position; softmax 5, norms 3, sums 1, SiLU 1, gate 1 a number",
    leaves="0.65 of all pairs stand for the causal half; with grouped heads the output projection counts for "
           "key-value heads alone, which is an error of the form; rotation is left out; a figure that is no whole "
           "number is printed truncated",
    source="NX-AI/xlstm_scaling_laws, head of 2026-04, count_llama_model_flops__prefill(with_unembed=True); measured "
           "2026-11 on LLaMA",
    backward=None,
)
