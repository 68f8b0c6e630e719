"""Every weight and every remembered key and value in 8 bits; activations in 16.

Source: Micikevicius et al. 2022, "FP8 formats for deep learning".
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "fp8",
    weights=Width(8),
    says="weights, keys and values in 1 byte",
    leaves="scales are left out: one a tensor changes no digit that is printed",
    source="Micikevicius et al. 2022",
)
