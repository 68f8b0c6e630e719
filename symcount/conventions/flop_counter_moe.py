"""torch's FlopCounterMode on a mixture of experts of transformers 5: as `matmul`, but no routed experts.

Source: torch 2.13, torch.utils.flop_counter, which has no rule for the grouped products that experts are run as.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "flop_counter_moe",
    counts={"experts": 0},
    says="no routed experts, full s·t scores, logits at every position, no elementwise work, no look-ups",
    leaves="routed experts are left out: transformers 5 runs them as one grouped product, for which it has no rule",
    source="torch 2.13.0, torch.utils.flop_counter.FlopCounterMode with grouped_mm experts; measured 2026-11 on "
           "Mixtral and DeepSeek-V3",
)
