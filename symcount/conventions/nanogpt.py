"""Matrix products, the logits at every position, the backward pass twice the forward pass.

Source: nanoGPT, transformer_sizing.ipynb, `flops()`.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "nanogpt",
    says="full s·t scores, logits at every position, no elementwise work, no look-ups",
    leaves="norms, softmax and every other elementwise operation are left out as irrelevant beside the products, and "
           "pairs that a mask hides are counted",
    source="nanoGPT, transformer_sizing.ipynb, flops()",
    backward=2,
)
