"""Which file holds which published model; made by `python -m symcount.architectures`, compared by a test."""

FILES: tuple[str, ...] = (
    "bert",
    "dense",
    "distilbert",
    "gpt2",
    "llama",
    "mlp",
)
PUBLISHED: dict[str, str] = {
    "bert-base-uncased": "bert",
    "bert-large-uncased": "bert",
    "distilbert-base-uncased": "distilbert",
    "gpt2": "gpt2",
    "gpt2-medium": "gpt2",
    "gpt2-large": "gpt2",
    "gpt2-xl": "gpt2",
    "llama-7b": "llama",
    "llama-13b": "llama",
    "llama-30b": "llama",
    "llama-65b": "llama",
    "llama-2-7b": "llama",
    "llama-2-13b": "llama",
    "llama-2-70b": "llama",
    "llama-3-8b": "llama",
    "llama-3-70b": "llama",
}
