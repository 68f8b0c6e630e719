"""The KV cache of EleutherAI's cookbook: keys and values counted once, and as many of them as query heads.

Source: EleutherAI cookbook, measured 2026-11: 2 GiB for LLaMA-3-8B at 8,192 tokens, for any ratio of key-value heads.
"""

from symcount.storage import Storage, Width

STORAGE = Storage(
    "cookbook",
    cache=Width(8),
    sizes={"kv": "heads"},
    says="numbers in 2 bytes; of the cache only one of key and value, for every query head",
    leaves="the factor 2 for keys and values is left out, grouped heads are not known: half for MHA, double for GQA-8",
    source="EleutherAI cookbook, measured 2026-11",
)
