"""kv_cache against the caches of transformers itself: `pytest -m live tests/test_cache_live.py`.

Small models with random weights on the CPU read some tokens and then one more; what their cache then holds is counted,
tensor by tensor.
"""

from __future__ import annotations

import json

import pytest

from symcount import ModelError, flops, parameters, read_config
from symcount.readers.cache import kv_cache

pytestmark = pytest.mark.live

TEXT = {"vocab_size": 50, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 4}
LOCAL = {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "sliding_window": 8}
EXPERTS = {"num_local_experts": 3, "num_experts_per_tok": 2}
LATENT = {**TEXT, "head_dim": None, "q_lora_rank": 6, "kv_lora_rank": 5, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2,
          "v_head_dim": 3, "num_key_value_heads": 4, "moe_intermediate_size": 8, "n_routed_experts": 4,
          "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1}
MIXER = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_n_groups": 2, "mamba_d_state": 6, "mamba_d_conv": 4,
         "mamba_expand": 2, "mamba_chunk_size": 8}
DELTA = {"layer_types": ["linear_attention", "full_attention", "linear_attention"], "linear_num_value_heads": 4,
         "linear_num_key_heads": 2, "linear_key_head_dim": 6, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 3}
CONFIGS = {  # model type: class, and what is no default of it
    "llama": ("LlamaForCausalLM", TEXT),
    "gpt2": ("GPT2LMHeadModel", {"vocab_size": 50, "n_embd": 16, "n_layer": 3, "n_head": 4}),
    "gemma3_text": ("Gemma3ForCausalLM", TEXT | LOCAL),
    "gpt_oss": ("GptOssForCausalLM", TEXT | LOCAL | EXPERTS),
    "starcoder2": ("Starcoder2ForCausalLM", TEXT | {"sliding_window": 8}),
    "mixtral": ("MixtralForCausalLM", TEXT | EXPERTS),
    "deepseek_v3": ("DeepseekV3ForCausalLM", LATENT),
    "deepseek_v32": ("DeepseekV32ForCausalLM", LATENT | {"index_n_heads": 2, "index_head_dim": 8, "index_topk": 64}),
    "deepseek_v4": ("DeepseekV4ForCausalLM", {
        "vocab_size": 50, "hidden_size": 16, "moe_intermediate_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 4, "head_dim": 8, "q_lora_rank": 6, "o_groups": 2, "o_lora_rank": 4, "hc_mult": 2,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "index_n_heads": 2, "index_head_dim": 8, "sliding_window": 8,
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 6},
        # a layer with a window alone would hold what is both its key and its value twice
        "layer_types": ["heavily_compressed_attention", "compressed_sparse_attention"]}),
    "t5": ("T5ForConditionalGeneration", {"vocab_size": 50, "d_model": 16, "d_ff": 24, "d_kv": 3, "num_layers": 2,
                                          "num_decoder_layers": 3, "num_heads": 4}),
    "whisper": ("WhisperForConditionalGeneration", {
        "vocab_size": 50, "d_model": 16, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_source_positions": 20,
        "max_target_positions": 40, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "decoder_start_token_id": 3}),
    "mamba": ("MambaForCausalLM", {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "state_size": 5}),
    "mamba2": ("Mamba2ForCausalLM", {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_heads": 4,
                                     "head_dim": 8, "n_groups": 2, "state_size": 5, "chunk_size": 8}),
    "jamba": ("JambaForCausalLM", {
        **{key: n for key, n in TEXT.items() if key != "head_dim"}, "attn_layer_period": 2, "attn_layer_offset": 1,
        "mamba_d_state": 5, "num_experts": 3, "use_mamba_kernels": False}),
    "falcon_h1": ("FalconH1ForCausalLM", TEXT | MIXER | {"mamba_d_ssm": 32}),
    "lfm2": ("Lfm2ForCausalLM", {**TEXT, "head_dim": None, "layer_types": ["conv", "full_attention", "conv"]}),
    "minimax": ("MiniMaxForCausalLM", TEXT | EXPERTS | {
        "layer_types": ["linear_attention", "full_attention", "linear_attention"], "block_size": 8}),
    "qwen3_next": ("Qwen3NextForCausalLM", TEXT | DELTA | {"num_experts": 3, "num_experts_per_tok": 2}),
    "olmo_hybrid": ("OlmoHybridForCausalLM", {**TEXT, **DELTA, "head_dim": None, "pad_token_id": 0, "eos_token_id": 1}),
    "kimi_linear": ("KimiLinearForCausalLM", {
        **{key: n for key, n in LATENT.items() if key not in ("n_routed_experts", "q_lora_rank")},
        "num_local_experts": 4, "linear_head_dim": 4, "linear_num_heads": 3, "layer_types": DELTA["layer_types"],
        "pad_token_id": 0, "eos_token_id": 1}),
    "rwkv": ("RwkvForCausalLM", {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3}),
    "bert": ("BertLMHeadModel", {**{key: n for key, n in TEXT.items() if "key" not in key and key != "head_dim"},
                                 "is_decoder": True}),
}
B, S, U = 2, 29, 11  # texts, tokens read, tokens that a decoder then wrote


@pytest.fixture(scope="module")
def hub():
    pytest.importorskip("torch", reason="the live tests build models in torch, which the extra 'live' installs")
    return pytest.importorskip("transformers", reason="the live tests need the extra 'live'")


class Pair:
    """One configuration, as a running model of theirs and as one of ours."""

    def __init__(self, hub, kind):
        import torch

        name, keys = CONFIGS[kind]
        self.config = hub.CONFIG_MAPPING[kind](**{key: entry for key, entry in keys.items() if entry is not None})
        torch.manual_seed(0)
        self.theirs = getattr(hub, name)._from_config(
            self.config, attn_implementation="eager", experts_implementation="eager", dtype=torch.float32).eval()
        written = json.loads(json.dumps(self.config.to_dict(), default=str))
        self.ours = read_config(written, head=name)
        assert parameters(self.ours).total == sum(x.numel() for x in self.theirs.parameters())

    def inputs(self, s, **more):
        """Token ids, or sounds, and what a decoder begins with."""
        import torch

        ids = {"input_ids": torch.full((B, s), 7)}
        if not getattr(self.config, "is_encoder_decoder", False):
            return ids | more
        if hasattr(self.config, "num_mel_bins"):
            ids = {"input_features": torch.zeros((B, self.config.num_mel_bins, 2*self.config.max_source_positions))}
        return ids | {"decoder_input_ids": torch.full((B, U), 7)} | more

    def run(self, **given):
        import torch

        with torch.no_grad():
            return self.theirs(**given, use_cache=True)

    def sizes(self, s):
        """The same sizes for kv_cache; the decoder of a pair writes the tokens."""
        if not getattr(self.config, "is_encoder_decoder", False):
            return {"b": B, "t": s}
        if self.ours.architecture.knows("frames"):
            return {"b": B, "frames": 2*self.config.max_source_positions, "t": s - S + U, "u": U}
        return {"b": B, "s": S, "t": s - S + U, "u": U}


def cache_of(output):
    return next(found for name in ("past_key_values", "cache_params", "state")
                if (found := getattr(output, name, None)) is not None)


def held(cache, seen=None):
    """The numbers in all tensors of a cache, each tensor once; one number alone is a count of tokens."""
    import torch

    seen = {} if seen is None else seen
    if isinstance(cache, torch.Tensor):
        new = cache.dim() > 1 and id(cache) not in seen
        seen[id(cache)] = cache
        return cache.numel() if new else 0
    if isinstance(cache, dict):
        return sum(held(x, seen) for x in cache.values())
    if isinstance(cache, (list, tuple)):
        return sum(held(x, seen) for x in cache)
    return held(vars(cache), seen) if type(cache).__module__.startswith("transformers") else 0


def dropped(pair, t):
    """The model whose windows are one smaller: where one was full, their dynamic cache has dropped a row already."""
    window = pair.ours.values.get("window")
    assert window is None or window < t
    return pair.ours if window is None else pair.ours.replace(window=window - 1)


@pytest.mark.parametrize("kind", CONFIGS)
def test_elements_of_a_real_cache(hub, kind):
    import torch

    pair = Pair(hub, kind)
    first = pair.run(**pair.inputs(S))
    cache = cache_of(first)
    assert held(cache) == kv_cache(dropped(pair, S), **pair.sizes(S)).total
    name = next(name for name in ("past_key_values", "cache_params", "state") if getattr(first, name, None) is not None)
    one = torch.full((B, 1), 7)
    pair_of_stacks = getattr(pair.config, "is_encoder_decoder", False)
    more = {"decoder_input_ids": one, "encoder_outputs": (first.encoder_last_hidden_state,)} if pair_of_stacks else {
        "input_ids": one}
    second = pair.run(**more, **{name: cache})
    assert held(cache_of(second)) == kv_cache(dropped(pair, S + 1), **pair.sizes(S + 1)).total


@pytest.mark.parametrize("kind", ["gemma3_text", "gpt_oss", "starcoder2"])
def test_a_static_cache_has_the_window(hub, kind):
    """It holds min(t, window) rows, the newest token's among them, as we count."""
    pair = Pair(hub, kind)
    cache = hub.StaticCache(config=pair.config, max_cache_len=S)
    pair.run(**pair.inputs(S, past_key_values=cache))
    assert pair.ours.values["window"] < S
    assert sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers) == kv_cache(
        pair.ours, b=B, t=S).total


def test_a_state_of_few_tokens(hub):
    """A convolution has its w rows, though fewer tokens came."""
    pair = Pair(hub, "mamba")
    assert held(cache_of(pair.run(**pair.inputs(2)))) == kv_cache(pair.ours, b=B, t=2).total


@pytest.mark.parametrize("kind", ["llama", "deepseek_v3"])
def test_work_of_a_step(hub, kind):
    """Two tokens more: latents are expanded anew for all that are remembered."""
    from torch.utils.flop_counter import FlopCounterMode

    pair = Pair(hub, kind)
    cache = cache_of(pair.run(**pair.inputs(S)))
    with FlopCounterMode(display=False) as counter:
        pair.run(**pair.inputs(2), past_key_values=cache)
    if kind == "deepseek_v3":  # torch counts experts by the tokens that come to each; the rest is compared
        ours = flops(pair.ours.part("layers.dense"), b=B, s=2, t=S + 2).total
        counted = counter.get_flop_counts()
        theirs = sum(sum(counted[f"{type(pair.theirs).__name__}.model.layers.{i}"].values())
                     for i in range(pair.ours.values["L_dense"]))
    else:
        ours, theirs = flops(pair.ours, b=B, s=2, t=S + 2).total, counter.get_total_flops()
    assert ours == theirs


def test_models_that_only_read(hub):
    pair = Pair(hub, "bert")
    written = json.loads(json.dumps(pair.config.to_dict() | {"is_decoder": False}, default=str))
    with pytest.raises(ModelError, match="no KV cache"):
        kv_cache(read_config(written, head=pair.ours.cls))
