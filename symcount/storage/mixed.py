"""Mixed precision with Adam: 16 bits for weights and gradients, 32 for a copy of the weights and two moments.

Source: Rajbhandari et al. 2020, "ZeRO", section 3.1: 2 + 2 + 12 = 16 bytes a weight.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "mixed",
    gradients=Width(16),
    optimizer={"copy": Width(32), "first_moment": Width(32), "second_moment": Width(32)},
    says="weights and gradients in 2 bytes, a copy and two moments in 4 each: 16 a weight",
    leaves="buffers of a framework (buckets of gradients, fragments) are left out",
    source="Rajbhandari et al. 2020, ZeRO, section 3.1",
)
