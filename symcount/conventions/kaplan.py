"""2N + 2·L·s·d a token, N without embeddings: no logits, and attention's products at half of what they cost.

Source: Kaplan et al. 2020, "Scaling laws for neural language models", section 2.1, equation 2.2 and table 1.
"""

from symcount.conventions import Convention
from symcount.polynomials import quotient

CONVENTION = Convention(
    "kaplan",
    counts={"logits": 0, "attention": quotient(1, 2)},
    says="no logits, half of attention's products, no elementwise work, no look-ups",
    leaves="the sum of table 1 leaves out embeddings and logits for cleaner scaling laws, and has one row, 2·L·s·d a "
           "token, for attention's two products, which cost 4·L·s·d where no pair is masked",
    source="Kaplan et al. 2020, Scaling laws for neural language models, section 2.1 and table 1",
    backward=2,
)
