"""Every number in 16 bits: half precision, the same bytes as bf16.

Source: IEEE 754, binary16.
"""

from symcount.storage import Storage

STORAGE = Storage(
    "fp16",
    says="every number in 2 bytes",
    leaves="what a framework allocates beside the numbers themselves is left out: it depends on the device",
    source="IEEE 754, binary16",
)
