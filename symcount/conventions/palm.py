"""2N + 4·L·heads·k·s a token forward, 6N + 12·L·heads·k·s in training, N being every parameter.

Source: Chowdhery et al. 2022, "PaLM", appendix B, from memory, and as nanoGPT's `estimate_mfu` restates it.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "palm",
    weights="active",
    says="each parameter once a token (of experts those chosen), full s·t scores, no elementwise work",
    leaves="tables that are only looked up, biases and norms count as if a product were taken with each, which is "
           "nearly exact in PaLM, whose one table of words makes the logits too and whose maps have no biases",
    source="Chowdhery et al. 2022, PaLM: scaling language modeling with pathways, appendix B, from memory",
    backward=2,
)
