"""Phases of work against torch's FlopCounterMode on real models: backward passes, checkpointed layers, decoding steps.

Run with `pytest -m live`. Models are small, with random weights.
"""

from __future__ import annotations

import pytest

from symcount import flops, read_config

pytestmark = pytest.mark.live

torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")

SMALL = {  # class: (configuration class, its changes)
    "LlamaForCausalLM": ("LlamaConfig", {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3,
                                         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100}),
    "GPT2LMHeadModel": ("GPT2Config", {"n_embd": 48, "n_layer": 2, "n_head": 4, "vocab_size": 90, "n_positions": 64}),
    "BertForMaskedLM": ("BertConfig", {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
                                       "num_attention_heads": 4, "vocab_size": 100}),
    "Qwen3ForCausalLM": ("Qwen3Config", {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3,
                                         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
                                         "head_dim": 10}),
    "MistralForCausalLM": ("MistralConfig", {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
                                             "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 50,
                                             "head_dim": 6, "sliding_window": 4}),
    "T5ForConditionalGeneration": ("T5Config", {"d_model": 48, "d_ff": 80, "num_layers": 2, "num_decoder_layers": 3,
                                                "num_heads": 4, "d_kv": 10, "vocab_size": 100}),
}


def built(cls):
    config_class, changes = SMALL[cls]
    config = getattr(transformers, config_class)(**changes)
    config._attn_implementation = "eager"
    told = {**config.to_dict(), "architectures": [cls], "model_type": config.model_type}
    told.pop("_attn_implementation", None)
    return getattr(transformers, cls)(config), read_config(told)


def counted(work):
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def inputs(cls, b, s):
    ids = torch.ones((b, s), dtype=torch.long)
    return {"input_ids": ids, **({"decoder_input_ids": ids} if cls.startswith("T5") else {})}


@pytest.mark.parametrize("cls", SMALL)
@pytest.mark.parametrize(("b", "s"), [(1, 7), (3, 12)])
def test_forward_backward_and_train(cls, b, s):
    real, ours = built(cls)
    out = {}

    def forward():
        out["loss"] = real(**inputs(cls, b, s), use_cache=False).logits.sum()

    ahead = counted(forward)
    back = counted(out["loss"].backward)
    assert flops(ours, b=b, s=s).total == ahead
    assert flops(ours, phase="backward", b=b, s=s).total == back
    assert flops(ours, phase="train", b=b, s=s).total == ahead + back


@pytest.mark.parametrize("cls", [cls for cls in SMALL if not cls.startswith("T5")])
def test_recompute(cls):
    """Gradient checkpointing runs each layer's forward pass once more; torch may stop before its last product."""
    from torch.utils.checkpoint import set_checkpoint_early_stop

    real, ours = built(cls)
    real.activation_checkpointing_enable({"use_reentrant": False})
    real.train()
    with set_checkpoint_early_stop(False):
        work = counted(lambda: real(**inputs(cls, 2, 9), use_cache=False).logits.sum().backward())
    assert flops(ours, phase="recompute", b=2, s=9).total == work


@pytest.mark.parametrize("cls", ["LlamaForCausalLM", "GPT2LMHeadModel", "Qwen3ForCausalLM"])
def test_decode_and_generate(cls):
    """A prompt of 9 tokens, then 5 more, one by one, with a real cache."""
    real, ours = built(cls)
    real.eval()
    cache = None

    def step(n):
        nonlocal cache
        with torch.no_grad():
            cache = real(input_ids=torch.ones((2, n), dtype=torch.long), past_key_values=cache,
                         use_cache=True).past_key_values

    work = [counted(lambda n=n: step(n)) for n in (9, 1, 1, 1, 1)]
    assert flops(ours, b=2, s=9).total == work[0]
    assert [flops(ours, phase="decode", b=2, t=9 + i).total for i in range(1, 5)] == work[1:]
    assert flops(ours, phase="generate", b=2, s=9, new=5).total == sum(work)


@pytest.mark.parametrize(("before", "new"), [(9, 1), (9, 4), (2, 3), (1, 8)])
def test_several_tokens_beyond_a_window(before, new):
    """A window of 4 shows the first of the new rows three others, and each of the new ones."""
    real, ours = built("MistralForCausalLM")
    real.eval()
    with torch.no_grad():
        cache = real(input_ids=torch.ones((3, before), dtype=torch.long), use_cache=True).past_key_values
        work = counted(lambda: real(input_ids=torch.ones((3, new), dtype=torch.long), past_key_values=cache,
                                    use_cache=True))
    assert flops(ours, phase="decode", b=3, s=new, t=before + new).total == work


@pytest.mark.parametrize("maps", ["query", "value", "query+value", "output"])
@pytest.mark.parametrize("L", [1, 3])
def test_adapters_train_alone(maps, L):
    """Frozen weights need no gradient, and in the first layer neither does what comes in."""
    class Adapted(torch.nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base = base
            self.down, self.up = torch.nn.Linear(base.in_features, 5, bias=False), torch.nn.Linear(
                5, base.out_features, bias=False)

        def forward(self, x):
            return self.base(x) + self.up(self.down(x))

    real, ours = built("LlamaForCausalLM")
    real.requires_grad_(False)
    real.model.layers = real.model.layers[:L]
    real.config.num_hidden_layers = L
    for layer in real.model.layers:
        for name in maps.split("+"):
            at = {"query": "q_proj", "value": "v_proj", "output": "o_proj"}[name]
            setattr(layer.self_attn, at, Adapted(getattr(layer.self_attn, at)))
    out = {}

    def forward():
        out["loss"] = real(**inputs("Llama", 2, 9), use_cache=False).logits.sum()

    ahead = counted(forward)
    ours = ours.replace(L=L, lora=f"5@{maps}")
    assert flops(ours, b=2, s=9).total == ahead
    assert flops(ours, phase="backward", b=2, s=9).total == counted(out["loss"].backward)
