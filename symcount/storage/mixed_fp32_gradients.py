"""Mixed precision with Adam and gradients in 32 bits, as Megatron-LM reports it: 18 bytes a weight.

Source: Megatron-LM, theoretical_memory_usage: 18 bytes a parameter without a distributed optimizer.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "mixed_fp32_gradients",
    gradients=Width(32),
    optimizer={"copy": Width(32), "first_moment": Width(32), "second_moment": Width(32)},
    says="weights in 2 bytes, gradients, a copy and two moments in 4 each: 18 a weight",
    leaves="buffers of a framework (buckets of gradients, fragments) are left out",
    source="Megatron-LM, theoretical_memory_usage",
)
