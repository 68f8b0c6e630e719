"""torch's FlopCounterMode on a CPU with sdpa, the default attention of transformers: as `matmul`, but no attention.

Source: torch 2.13, torch.utils.flop_counter, which has no rule for the kernel of scaled_dot_product_attention on a CPU
(pytorch issue 195460).
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "flop_counter_sdpa_cpu",
    counts={"attention": 0},
    says="no scores and no mixing of values, logits at every position, no elementwise work, no look-ups",
    leaves="both products of attention are left out: they are made within one kernel, for which it has no rule on a "
           "CPU",
    source="torch 2.13.0, torch.utils.flop_counter.FlopCounterMode on a CPU; measured 2026-11 on LLaMA, Gemma, BERT, "
           "ALBERT, GPT-2, OPT and ViT",
)
