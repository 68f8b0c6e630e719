"""llm-analysis: attention, one MLP and logits, which every model has.

Source: llm-analysis at its head of 2024-11, analysis.py, get_num_flops_fwd_total.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import ENCODER_HEADS, head

CONVENTION = Convention(
    "llm_analysis",
    sizes={"k": "d/heads"},
    counts={**ENCODER_HEADS, "experts": {"e": 1}, "router": 0},
    beside=head,
    says="one expert and no router, full s·t scores, logits at every position of every model, no elementwise work",
    leaves="of the chosen experts one counts and the router is left out; logits count though a class has none, and a "
           "pooler does not; heads are always d/heads wide",
    source="llm-analysis, head of 2024-11, get_num_flops_fwd_total; measured 2026-11 on LLaMA, BERT and Mixtral, and "
           "0.2.2 on BERT, GPT-2 and GPT-BigCode",
    backward=2,
)
