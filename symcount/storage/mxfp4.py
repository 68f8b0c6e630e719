"""Linear maps of the layers in 4 bits, in groups of 32 that share a scale of 8 bits.

Source: Open Compute Project 2023, "OCP Microscaling Formats (MX) Specification", section 5 (from memory).
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "mxfp4",
    matrices=Width(4, ((8, 32),)),
    says="linear maps of the layers in 4 + 8/32 bits a weight, all other numbers in 2 bytes",
    leaves="which maps a published model keeps in 16 bits is not read: every linear map of a layer counts as packed",
    source="OCP Microscaling Formats, version 1.0",
)
