"""Matrix products of layers and logits; with recomputation 96·b·s·L·d²(1 + s/6d + V/16Ld), where h = 4d.

Source: Narayanan et al. 2021, "Efficient large-scale language model training on GPU clusters using Megatron-LM",
equation 3 and the appendix on floating-point operations.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "megatron",
    says="full s·t scores, logits at every position, no elementwise work, no look-ups",
    leaves="elementwise work is left out, pairs that a mask hides are counted, and the paper's formula is that of the "
           "phase recompute, in which the layers run four times and the logits three",
    source="Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters using Megatron-LM, "
           "equation 3 and appendix",
    backward=2,
)
