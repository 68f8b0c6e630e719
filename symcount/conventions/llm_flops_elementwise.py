"""llm-flops as it is by default, with elementwise terms: the rates that its file calls rough.

Source: llm-flops 0.0.1, flops.py, forward_flops.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import ENCODER_HEADS, decoder_head

CONVENTION = Convention(
    "llm_flops_elementwise",
    pairs="window",
    # a gated activation is 8 a number: 2 for the function, as where there is no gate, and 6 more for the product
    rates={"softmax": 5, "rms_norm": 4, "layer_norm": 6, "rotary": 6, "activation": 2, "tanh": 0, "gate": 6,
           "position": 1},
    counts={**ENCODER_HEADS, "head.decoder": 0, "head.act": 0, "head.norm": 0},
    beside=decoder_head,
    says="s·min(t, window) scores, logits of decoders at every position, no head of encoders; softmax 5, RMSNorm 4, "
         "LayerNorm 6, rotation 6, activation 2 or gated 8, learned positions 1 a number",
    leaves="poolers, all heads of encoders and residual sums are left out, as it has no term for them; its rates are "
           "its own: no two authors have the same",
    source="llm-flops 0.0.1, forward_flops; measured 2026-11 on LLaMA, Mistral, Mixtral, GPT-2 and BERT",
    backward=2,
)
