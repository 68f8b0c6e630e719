"""Adapters trained in 16 bits beside weights of 4 bits that stay as they are; Adam in 32 bits for the adapters.

Source: Dettmers et al. 2023, "QLoRA", section 3.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "qlora",
    matrices=Width(4, ((8, 64), (32, 64 * 256))),
    trained=Width(16),
    gradients=Width(16),
    optimizer={"first_moment": Width(32), "second_moment": Width(32)},
    says="frozen linear maps of the layers in 4 + 8/64 + 32/16,384 bits a weight, all other weights in 2 bytes; of "
         "what is trained gradients in 2 bytes and two moments in 4 each",
    leaves="pages of the optimizer that are moved to the host are counted as if they stayed",
    source="Dettmers et al. 2023, QLoRA, section 3",
)
