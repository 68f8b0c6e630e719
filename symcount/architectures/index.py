"""Which file holds which architecture and published model; made by `python -m symcount.architectures`."""

FILES: tuple[str, ...] = (
    "bert",
    "dense",
    "distilbert",
    "gpt2",
    "llama",
    "mixtral",
    "mlp",
)
TYPES: dict[str, str] = {
    "bert": "bert",
    "dense": "dense",
    "distilbert": "distilbert",
    "gpt2": "gpt2",
    "llama": "llama",
    "mixtral": "mixtral",
    "mlp": "mlp",
}
PUBLISHED: dict[str, tuple[str, str, int]] = {
    "bert-base-uncased": ("bert", "BertModel", 109_482_240),
    "bert-large-uncased": ("bert", "BertModel", 335_141_888),
    "distilbert-base-uncased": ("distilbert", "DistilBertModel", 66_362_880),
    "gpt2": ("gpt2", "GPT2LMHeadModel", 124_439_808),
    "gpt2-medium": ("gpt2", "GPT2LMHeadModel", 354_823_168),
    "gpt2-large": ("gpt2", "GPT2LMHeadModel", 774_030_080),
    "gpt2-xl": ("gpt2", "GPT2LMHeadModel", 1_557_611_200),
    "llama-7b": ("llama", "LlamaForCausalLM", 6_738_415_616),
    "llama-13b": ("llama", "LlamaForCausalLM", 13_015_864_320),
    "llama-30b": ("llama", "LlamaForCausalLM", 32_528_943_616),
    "llama-65b": ("llama", "LlamaForCausalLM", 65_285_660_672),
    "llama-2-7b": ("llama", "LlamaForCausalLM", 6_738_415_616),
    "llama-2-13b": ("llama", "LlamaForCausalLM", 13_015_864_320),
    "llama-2-70b": ("llama", "LlamaForCausalLM", 68_976_648_192),
    "llama-3-8b": ("llama", "LlamaForCausalLM", 8_030_261_248),
    "llama-3-70b": ("llama", "LlamaForCausalLM", 70_553_706_496),
    "mixtral-8x7b": ("mixtral", "MixtralForCausalLM", 46_702_792_704),
}
