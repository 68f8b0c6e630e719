"""As `matmul`, but only the query-key pairs that a causal mask leaves: s(s + 1)/2 of s².

Source: Dao 2023, "FlashAttention-2", section 4.1, halves the scores; here the diagonal is counted exactly.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "causal",
    pairs="masked",
    says="only unmasked pairs of scores, logits at every position, no elementwise work, no look-ups",
    leaves="elementwise work is left out: it is small beside the products, and no two authors rate it alike",
    source="FlashAttention-2 (Dao 2023), with the diagonal counted",
)
