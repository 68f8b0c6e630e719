"""Every number in 16 bits: bfloat16.

Source: Kalamkar et al. 2019, "A study of BFLOAT16 for deep learning training".
"""

from symcount.storage import Storage

STORAGE = Storage(
    "bf16",
    says="every number in 2 bytes",
    leaves="what a framework allocates beside the numbers themselves is left out: it depends on the device",
    source="Kalamkar et al. 2019",
)
