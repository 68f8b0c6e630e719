"""Matrix products only: what torch's FlopCounterMode reports on a model with eager attention.

Source: torch 2.13, torch.utils.flop_counter (mm, addmm, bmm, baddbmm, convolution).
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "matmul",
    says="full s·t scores, logits at every position, no elementwise work, no look-ups",
    leaves="elementwise work is left out, and pairs that a mask hides are counted: dense products compute them",
    source="torch.utils.flop_counter.FlopCounterMode",
)
