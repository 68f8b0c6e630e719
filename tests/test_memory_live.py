"""Weights, gradients and optimizer states against those of real models in training: `pytest -m live`."""

from __future__ import annotations

import pytest

from symcount import memory, read_config

pytestmark = pytest.mark.live

torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")

SMALL = {
    "LlamaForCausalLM": ("LlamaConfig", {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3,
                                         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100}),
    "GPT2LMHeadModel": ("GPT2Config", {"n_embd": 48, "n_layer": 2, "n_head": 4, "vocab_size": 90, "n_positions": 64}),
    "BertForMaskedLM": ("BertConfig", {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
                                       "num_attention_heads": 4, "vocab_size": 100}),
}


def stored(tensors):
    return sum(x.numel() * x.element_size() for x in tensors)


@pytest.mark.parametrize("cls", SMALL)
@pytest.mark.parametrize(("recipe", "made", "states"), [
    ("adam", torch.optim.Adam, ("exp_avg", "exp_avg_sq")),
    ("sgd", lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9), ("momentum_buffer",)),
])
def test_a_step(cls, recipe, made, states):
    """Adam keeps a number of steps for each tensor beside, which is not counted."""
    config_class, changes = SMALL[cls]
    config = getattr(transformers, config_class)(**changes)
    real = getattr(transformers, cls)(config)
    ours = memory(read_config({**config.to_dict(), "architectures": [cls]}), recipe, "train", b=2, s=9)
    optimizer = made(real.parameters())
    real(input_ids=torch.ones((2, 9), dtype=torch.long)).logits.sum().backward()
    optimizer.step()
    weights = list(real.parameters())
    assert ours.where("weights").total == stored(weights)
    trained = [x for x in weights if x.grad is not None]
    assert ours.where("gradients").total == stored(x.grad for x in trained)
    assert ours.where("optimizer").total == stored(each[name] for each in optimizer.state.values() for name in states)
