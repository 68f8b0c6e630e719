"""Mixed precision with Adam, where dp devices share the optimizer: 4 + 12/dp bytes a weight.

Source: Rajbhandari et al. 2020, "ZeRO", section 5 and figure 1.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "zero1",
    gradients=Width(16),
    optimizer={"copy": Width(32), "first_moment": Width(32), "second_moment": Width(32)},
    divided=("optimizer",),
    says="as mixed, the optimizer shared by dp devices: 4 + 12/dp bytes a weight",
    leaves="what fills a share up to the next whole number, and buffers of a framework, are left out",
    source="Rajbhandari et al. 2020, ZeRO, section 5",
)
