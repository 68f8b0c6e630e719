"""symcount against models that transformers builds now, on shapes drawn at random: `pytest -m live tests/test_live.py`.

Each case is built twice from one configuration: by transformers, on the meta device, where tensors have shapes but no
values; and by symcount, which reads the `config.json` that transformers writes. Parameters and FLOPs must be equal.
"""

from __future__ import annotations

import json
from random import Random

import pytest

from symcount import flops, parameters, read_config
from symcount.architectures import load, published

FAMILIES = ("bert", "distilbert", "gpt2", "llama")
SEEDS = range(12)
RANDOM = [(family, cls, seed) for family in FAMILIES for cls in load(family).classes for seed in SEEDS]
PUBLISHED = [(name, cls) for name, (family, *_) in published().items() if family in FAMILIES
             for cls in load(family).classes]

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def hub():
    """transformers, changed so that nothing looks at values, which tensors on the meta device have not."""
    pytest.importorskip("torch", reason="the live tests build models in torch, which the extra 'live' installs")
    transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")
    from transformers import masking_utils

    with pytest.MonkeyPatch.context() as patch:
        # Several texts packed into one row are found by their positions. There are none here.
        patch.setattr(masking_utils, "find_packed_sequence_indices", lambda position_ids: None)
        # Only a warning, about texts that were filled up to one length.
        patch.setattr(transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask", lambda *_, **__: None)
        yield transformers


# ---------------------------------------------------------------- shapes drawn at random

def draw_bert(draw):
    heads = draw.randint(1, 7)
    return {
        "vocab_size": draw.randint(30, 400), "max_position_embeddings": draw.randint(40, 90),
        "type_vocab_size": draw.randint(1, 5), "hidden_size": heads * draw.randint(1, 17),
        "intermediate_size": draw.randint(1, 150), "num_hidden_layers": draw.randint(1, 4),
        "num_attention_heads": heads, "num_labels": draw.randint(1, 9), "tie_word_embeddings": draw.random() < 0.5,
        "is_decoder": draw.random() < 0.3, "chunk_size_feed_forward": draw.choice((0, 0, 1)),
        "hidden_act": draw.choice(("gelu", "relu")), "classifier_dropout": draw.choice((None, 0.3)),
    }


def draw_distilbert(draw):
    heads = draw.randint(1, 7)
    return {
        "vocab_size": draw.randint(30, 400), "max_position_embeddings": draw.randint(40, 90),
        "dim": heads * draw.randint(1, 17), "hidden_dim": draw.randint(1, 150), "n_layers": draw.randint(1, 4),
        "n_heads": heads, "num_labels": draw.randint(1, 9), "tie_word_embeddings": draw.random() < 0.5,
        "chunk_size_feed_forward": draw.choice((0, 0, 1)), "activation": draw.choice(("gelu", "relu")),
    }


def draw_gpt2(draw):
    heads = draw.randint(1, 7)
    return {
        "vocab_size": draw.randint(30, 400), "n_positions": draw.randint(40, 90), "n_embd": heads * draw.randint(1, 17),
        "n_inner": draw.choice((None, draw.randint(1, 150))), "n_layer": draw.randint(0, 4), "n_head": heads,
        "num_labels": draw.randint(1, 9), "tie_word_embeddings": draw.random() < 0.5, "pad_token_id": 0,
        "scale_attn_by_inverse_layer_idx": draw.random() < 0.5, "reorder_and_upcast_attn": draw.random() < 0.5,
    }


def draw_llama(draw):
    kv, half = draw.randint(1, 4), draw.randint(1, 9)
    heads = kv * draw.randint(1, 4)
    own_width = draw.random() < 0.5  # of a head; it must be even, for rotary positions turn pairs of numbers
    return {
        "vocab_size": draw.randint(30, 400), "max_position_embeddings": draw.randint(40, 90),
        "hidden_size": heads * 2 * draw.randint(1, 9), "intermediate_size": draw.randint(1, 150),
        "num_hidden_layers": draw.randint(0, 4), "num_attention_heads": heads,
        "num_key_value_heads": draw.choice((kv, kv, heads, None)), "head_dim": 2 * half if own_width else None,
        "attention_bias": draw.random() < 0.5, "mlp_bias": draw.random() < 0.5, "num_labels": draw.randint(1, 9),
        "tie_word_embeddings": draw.random() < 0.5, "pad_token_id": 0,
    }


DRAW = {"bert": draw_bert, "distilbert": draw_distilbert, "gpt2": draw_gpt2, "llama": draw_llama}


# ---------------------------------------------------------------- measuring

def built(hub, cls, config):
    """The model, without values."""
    import torch

    with torch.device("meta"):
        return getattr(hub, cls)._from_config(config, attn_implementation="eager").eval()


def measured_parameters(network):
    return sum(parameter.numel() for parameter in network.parameters())


def measured_flops(network, batch, sequence):
    """What torch counts while one forward pass runs."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    ids = torch.zeros((batch, sequence), dtype=torch.long, device="meta")
    no_cache = {"use_cache": False} if hasattr(network.config, "use_cache") else {}
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(ids, **no_cache)
    return counter.get_total_flops()


def read(folder, cls, config):
    """The model as symcount reads it from two files: one with every key, one with what is no default of the class."""
    full, default = config.to_dict(), type(config)().to_dict()
    short = {key: entry for key, entry in full.items() if key == "model_type" or entry != default.get(key)}
    found = []
    for name, written in (("full.json", full), ("short.json", short)):
        (folder / name).write_text(json.dumps(written), encoding="utf-8")
        found.append(read_config(folder / name, head=cls))
    return found


@pytest.mark.parametrize(("family", "cls", "seed"), RANDOM)
def test_random_shape(hub, tmp_path, family, cls, seed):
    draw = Random(f"{family} {seed}")
    shape = DRAW[family](draw)
    if cls in ("BertForQuestionAnswering", "DistilBertForQuestionAnswering"):
        shape["num_labels"] = 2  # with another number transformers builds a model that cannot run, or none
    config = hub.CONFIG_MAPPING[family](**shape)
    batch, sequence = draw.randint(1, 4), draw.randint(1, 40)
    network = built(hub, cls, config)
    work = measured_flops(network, batch, sequence)
    for subject in read(tmp_path, cls, config):
        assert parameters(subject).total == measured_parameters(network)
        assert flops(subject, b=batch, s=sequence).total == work


@pytest.mark.parametrize(("name", "cls"), PUBLISHED)
def test_published_shape(hub, tmp_path, name, cls):
    """FLOPs only for the first class and the published one: the others take minutes, and are in the random shapes."""
    family, published_cls, count = published()[name]
    architecture = load(family)
    sizes = architecture.published[name].sizes
    given = {key: sizes[size] for key, (size, _) in architecture.keys.items() if size in sizes}
    config = hub.CONFIG_MAPPING[family](**given, pad_token_id=0)
    network = built(hub, cls, config)
    found = [parameters(subject).total for subject in read(tmp_path, cls, config)]
    assert found == [measured_parameters(network)] * 2
    if cls == published_cls:
        assert found[0] == count
    if cls in (published_cls, next(iter(architecture.classes))):
        work = [flops(subject, b=2, s=16).total for subject in read(tmp_path, cls, config)]
        assert work == [measured_flops(network, 2, 16)] * 2
