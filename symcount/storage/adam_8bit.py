"""Mixed precision with Adam whose moments have 8 bits, with a scale of 32 bits for 2,048 of them.

Source: Dettmers et al. 2022, "8-bit optimizers via block-wise quantization", section 2.1 (blocks of 2,048).
"""

from symcount.storage import Storage, Width

_MOMENT = Width(8, ((32, 2048),))

STORAGE = Storage(
    "adam_8bit",
    gradients=Width(16),
    optimizer={"copy": Width(32), "first_moment": _MOMENT, "second_moment": _MOMENT},
    says="weights and gradients in 2 bytes, a copy in 4, two moments in 1 + 4/2,048 each",
    leaves="that small tensors and embeddings keep moments of 32 bits in some implementations is left out",
    source="Dettmers et al. 2022, section 2.1",
)
