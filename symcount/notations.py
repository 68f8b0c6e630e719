"""How other authors letter the sizes: one line a notation, each a run of SYMBOL=LETTER with our letters behind.

A symbol is written as in a formula text (`d_ff`, not `d_{ff}`); what a notation does not list means what it means here.
The keys of configurations are notations too. A new notation is a new line, with the place that defines it above.
"""

from __future__ import annotations

from symcount.errors import ModelError, clipped, nearest

_TABLE = {
    # Vaswani et al. 2017, "Attention is all you need", sections 3.1 to 3.3 and table 1 (n tokens)
    "attention-paper": "N=L h=heads d_model=d d_ff=h d_k=k d_v=v n=s",
    # Kaplan et al. 2020, "Scaling laws for neural language models", sections 1.3 and 2.1; their N leaves embeddings
    # out, and there is no letter for that
    "kaplan": "n_layer=L n_heads=heads d_model=d d_ff=h n_ctx=s n_vocab=V D=D",
    # Hoffmann et al. 2022, "Training compute-optimal large language models", appendix F
    "chinchilla": "num_layers=L num_heads=heads d_model=d ffw_size=h key_size=k seq_len=s vocab_size=V N=N D=D",
    # Narayanan et al. 2021, "Efficient large-scale language model training", section 2 and appendix; Korthikanti et al.
    # 2022, "Reducing activation recomputation", table 1, has L and a for layers and heads
    "megatron": "l=L L=L a=heads h=d V=V v=V s=s b=b t=tp p=pp d=dp",
    # Chowdhery et al. 2022, "PaLM", appendix B
    "palm": "N=N L=L H=heads Q=k T=s",
    # Austin et al. 2025, "How to scale your model", chapter "All the transformer math you need to know"
    "scaling-book": "L=L N=heads K=kv H=k D=d F=h V=V B=b T=s S=t E=E",
    # transformers: the common keys of config.json
    "huggingface": "num_hidden_layers=L num_attention_heads=heads num_key_value_heads=kv head_dim=k hidden_size=d "
                   "intermediate_size=h vocab_size=V max_position_embeddings=P type_vocab_size=types "
                   "num_local_experts=E num_experts_per_tok=K moe_intermediate_size=h_e image_size=side "
                   "patch_size=patch",
    # openai/gpt-2, src/model.py, hparams; transformers, GPT2Config
    "gpt2": "n_layer=L n_head=heads n_embd=d n_inner=h n_vocab=V n_ctx=P n_positions=P vocab_size=V",
    # karpathy/nanoGPT, model.py, GPTConfig
    "nanogpt": "n_layer=L n_head=heads n_embd=d vocab_size=V block_size=P batch_size=b",
    # meta-llama/llama, llama/model.py, ModelArgs and params.json
    "llama": "n_layers=L n_heads=heads n_kv_heads=kv dim=d vocab_size=V",
}


def notations() -> list[str]:
    """The names of the notations.

    >>> "megatron" in notations()
    True
    """
    return list(_TABLE)


def notation(name: str) -> dict[str, str]:
    """{symbol of these authors: our letter}.

    >>> notation("megatron")["h"], notation("palm")["Q"]
    ('d', 'k')

    Raises ModelError for a name that no notation has.
    """
    if name not in _TABLE:
        raise ModelError(f"unknown notation '{clipped(name)}'; {nearest(name, list(_TABLE))}")
    return dict(pair.split("=") for pair in _TABLE[name].split())
