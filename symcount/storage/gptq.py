"""Linear maps of the layers in 4 bits, in groups of 128 that share a scale of 16 bits and a zero of 4.

Source: Frantar et al. 2022, "GPTQ", section 4 (groups of 128); zeros are packed as weights are.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "gptq",
    matrices=Width(4, ((16 + 4, 128),)),
    says="linear maps of the layers in 4 + 20/128 bits a weight, all other numbers in 2 bytes",
    leaves="the order of the groups (g_idx, 32 bits a row) is left out: it is not needed when rows keep their order",
    source="Frantar et al. 2022, GPTQ, section 4",
)
