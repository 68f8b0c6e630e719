"""llm-flops without its elementwise terms: the layers and the logits of a decoder; see `llm_flops_elementwise`.

Source: llm-flops 0.0.1, flops.py, forward_flops(count_elementwise=False).
"""

from symcount.conventions import Convention
from symcount.conventions._beside import ENCODER_HEADS, decoder_head

CONVENTION = Convention(
    "llm_flops",
    pairs="window",
    counts={**ENCODER_HEADS, "head.decoder": 0},
    beside=decoder_head,
    says="s·min(t, window) scores, logits of decoders at every position, no head of encoders, no elementwise work",
    leaves="poolers and all heads of encoders are left out, as it has no term for them; a causal mask leaves all "
           "pairs of its window",
    source="llm-flops 0.0.1, forward_flops; measured 2026-11 on LLaMA, Mistral, Mixtral, GPT-2 and BERT",
    backward=2,
)
