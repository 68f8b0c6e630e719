"""TRL's compute_flops_per_token: a third of it, the forward pass, for all tokens.

Source: TRL 1.16.0, trainer/utils.py: written for decoders with a gated MLP.
"""

from symcount.conventions import Convention
from symcount.conventions._beside import HEADS, head

CONVENTION = Convention(
    "trl",
    counts=HEADS,
    beside=head,
    says="full s·t scores whatever the window, logits at every position, no elementwise work",
    leaves="elementwise work is left out, and a window is not read; it is written for decoders with a gated MLP, and "
           "stops with an AttributeError on BERT, GPT-2, Mixtral and DeepSeek-V3",
    source="TRL 1.16.0, compute_flops_per_token, s/3 of it; measured 2026-11 on LLaMA, Mistral and Qwen3-MoE",
    backward=2,
)
