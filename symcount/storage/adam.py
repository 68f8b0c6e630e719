"""Training in 32 bits with Adam: weight, gradient and two moments, 16 bytes a weight.

Source: Kingma and Ba 2015, "Adam", algorithm 1.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "adam",
    weights=Width(32),
    gradients=Width(32),
    optimizer={"first_moment": Width(32), "second_moment": Width(32)},
    activations=Width(32),
    says="weights, gradients and two moments in 4 bytes each: 16 a weight",
    leaves="buffers of a framework (buckets of gradients, fragments) are left out",
    source="Kingma and Ba 2015, algorithm 1",
)
