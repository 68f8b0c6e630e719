"""Linear maps of the layers in 8 bits, all else in 16.

Source: Dettmers et al. 2022, "LLM.int8()", section 2; columns that stay in 16 bits depend on the data.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "int8",
    matrices=Width(8),
    says="linear maps of the layers in 1 byte a weight, all other numbers in 2",
    leaves="scales, one for each row, and columns kept in 16 bits are left out: they depend on the data",
    source="Dettmers et al. 2022, LLM.int8()",
)
