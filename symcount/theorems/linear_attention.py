"""Without a softmax, attention need not form its scores: (QKᵀ)V = Q(KᵀV).

What each row is divided by, if anything, is the same with 1 in place of V: (QKᵀ)1 = Q(Kᵀ1).

Source: Katharopoulos et al. 2020, "Transformers are RNNs: Fast autoregressive transformers with linear attention".
"""

from __future__ import annotations

from symcount.algebra import apply, matrix, stack
from symcount.identity import Identity, Neighbour

Q, K, V = matrix("Q", "s", "k", "data"), matrix("K", "t", "k", "data"), matrix("V", "t", "v", "data")
RIGHT = Q * (K.T * V)
q1, q2 = matrix("q1", 1, "k", "data"), matrix("q2", 1, "k", "data")
k1, k2 = matrix("k1", 1, "k", "data"), matrix("k2", 1, "k", "data")
v1, v2 = matrix("v1", 1, "v", "data"), matrix("v2", 1, "v", "data")

IDENTITY = Identity(
    "without a softmax, attention need not form its scores",
    Q * K.T * V, RIGHT,
    meaning={"Q": "queries, one a row, after their feature map", "K": "keys, after their feature map", "V": "values"},
    conditions=("no softmax over the scores", "no causal mask, nor any other"),
    reason="the product is associative, and KᵀV does not grow with the tokens",
    source="Katharopoulos et al. 2020, linear attention",
    neighbours=(
        Neighbour("a softmax is taken of the scores", apply("softmax", Q * K.T) * V, RIGHT),
        Neighbour("the softmax of a product is the product of softmaxes", apply("softmax", Q * K.T) * V,
                  apply("softmax", Q) * (apply("softmax", K).T * V)),
        Neighbour("a causal mask, here of two tokens, lets the first one see only itself",
                  stack(q1 * k1.T * v1, q2 * k1.T * v1 + q2 * k2.T * v2),
                  stack(q1, q2) * (k1.T * v1 + k2.T * v2)),
    ),
)
