"""Every number in 32 bits.

Source: IEEE 754, binary32.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "fp32",
    weights=Width(32),
    activations=Width(32),
    says="every number in 4 bytes",
    leaves="what a framework allocates beside the numbers themselves is left out: it depends on the device",
    source="IEEE 754, binary32",
)
