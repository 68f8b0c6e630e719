"""Memory traffic of products against torch: what the products of a real model read and write, added up op by op.

`pytest -m live tests/test_traffic_live.py`. transformers builds the models on the meta device: shapes, and no values.
"""

from __future__ import annotations

from math import prod

import pytest

from symcount import model, traffic

pytestmark = pytest.mark.live

# where the two operands of a product stand among the arguments; the added one of addmm is elementwise work
OPERANDS = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2), "aten::baddbmm": (1, 2),
            "aten::convolution": (0, 1)}


@pytest.fixture(scope="module")
def hub():
    pytest.importorskip("torch", reason="the live tests need the extra 'live'")
    return pytest.importorskip("transformers", reason="the live tests need the extra 'live'")


def shown(tensor):
    """The numbers that a tensor shows, each once: what is expanded has a stride of 0."""
    return prod(size for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride)


def moved(network, *args, **kwargs):
    """(how many products run, the numbers of all their operands and results)."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    products = []

    class Products(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            name = func.name().partition(".")[0]
            if name in OPERANDS:
                products.append(sum(shown(args[i]) for i in OPERANDS[name]) + shown(result))
            return result

    with torch.no_grad(), Products():
        network(*args, **kwargs)
    return len(products), sum(products)


def built(cls, config):
    import torch

    config._attn_implementation = "eager"
    with torch.device("meta"):
        return cls(config).eval()


@pytest.mark.parametrize(("b", "s"), [(1, 512), (3, 128)])
def test_bert_base(hub, b, s):
    import torch

    bert = built(hub.BertModel, hub.BertConfig())
    found = moved(bert, torch.zeros((b, s), dtype=torch.long, device="meta"))
    ours = traffic(model("bert-base-uncased"), width=4, fused="elementwise", b=b, s=s)
    assert (found[0], 4 * found[1]) == (12 * 8 + 1, ours.total)


def test_resnet_50(hub):
    import torch

    resnet = built(hub.ResNetForImageClassification, hub.ResNetConfig(num_labels=1000))
    found = moved(resnet, torch.zeros((2, 3, 224, 224), device="meta"))
    ours = traffic(model("resnet-50"), width=1, fused="elementwise", b=2, side=224)
    assert found == (54, ours.total)


def test_a_decode_step_of_llama(hub):
    import torch

    t, sizes = 300, {"V": 500, "d": 256, "h": 640, "L": 3, "heads": 4}
    llama = built(hub.LlamaForCausalLM, hub.LlamaConfig(
        vocab_size=500, hidden_size=256, intermediate_size=640, num_hidden_layers=3, num_attention_heads=4))
    held = hub.DynamicCache(config=llama.config)
    for layer in range(3):
        held.update(*(torch.empty((2, 4, t - 1, 64), device="meta") for _ in "kv"), layer)
    ids = torch.zeros((2, 1), dtype=torch.long, device="meta")
    found = moved(llama, ids, past_key_values=held, use_cache=True, position_ids=ids)
    ours = traffic(model("llama", head="LlamaForCausalLM", **sizes), phase="decode", fused="elementwise", b=2, t=t)
    assert (found[0], 2 * found[1]) == (3 * 9 + 1, ours.total)
