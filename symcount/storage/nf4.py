"""Linear maps of the layers in 4 bits, with a scale of 8 bits for 64 weights and one of 32 bits for 256 scales.

Source: Dettmers et al. 2023, "QLoRA", section 3: 0.5 bits a weight for scales become 8/64 + 32/(64·256) = 0.127.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "nf4",
    matrices=Width(4, ((8, 64), (32, 64 * 256))),
    says="linear maps of the layers in 4 + 8/64 + 32/16,384 bits a weight, all other numbers in 2 bytes",
    leaves="the offset of the scales, one number a tensor, is left out",
    source="Dettmers et al. 2023, QLoRA, section 3",
)
