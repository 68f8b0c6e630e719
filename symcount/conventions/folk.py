"""Two FLOPs for each parameter and token, tables of words and positions too: 2N·s.

Source: said in many places, without an author; Kaplan et al. 2020 leave tables out, and add attention.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "folk",
    weights="all",
    counts={"activation": 0},
    says="every parameter for every token, no scores, no elementwise work",
    leaves="products of activations, as scores, are left out; tables, biases and norms count as if they were "
           "products, as only the number of parameters is known",
    source="folklore: 2N a token forward, 6N in training",
    backward=2,
)
