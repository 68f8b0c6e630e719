"""Training in 32 bits by gradient descent with momentum: weight, gradient and momentum, 12 bytes a weight.

Source: Sutskever et al. 2013, "On the importance of initialization and momentum in deep learning", section 2.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "sgd",
    weights=Width(32),
    gradients=Width(32),
    optimizer={"momentum": Width(32)},
    activations=Width(32),
    says="weights, gradients and momentum in 4 bytes each: 12 a weight",
    leaves="buffers of a framework (buckets of gradients, fragments) are left out",
    source="Sutskever et al. 2013, section 2",
)
