"""symcount against models that transformers builds now, on shapes drawn at random: `pytest -m live tests/test_live.py`.

Each case is built twice from one configuration: by transformers, on the meta device, where tensors have shapes but no
values; and by symcount, which reads the `config.json` that transformers writes. Parameters, the tensors of the
checkpoint by name and shape, and FLOPs must be equal.

The configurations are small measured ones with their sizes and flags changed at random. Not every change makes a model;
of the first few that transformers can build and run, one is compared for each class.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random

import agreement
import pytest

from symcount import ConfigError, flops, parameters, read_config
from symcount.architectures import load, names, types
from symcount.readers.checkpoint import checkpoint

pytestmark = pytest.mark.live

RECORDED = [*agreement.rows(), *agreement.rows(own=True)]
TRIES = 12  # changes of one configuration, until one makes a model
AUDIO_AND_IMAGES = ("img", "aud", "mel")


def smallest():
    """{(type, class): the smallest measured row}, of supported types."""
    found = {}
    for row in RECORDED:
        case = row["id"].split("/")[0], row["arch_class"]
        if case[0] in types() and case[1] in load(case[0]).classes and (
                case not in found or row["params_total"] < found[case]["params_total"]):
            found[case] = row
    return found


SMALLEST = smallest()


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

FREE = ("V", "h", "h_e", "h_s", "C", "types", "L_dec", "r_q", "r_kv")  # sizes that nothing else depends on
SCALED = ("d", "heads", "kv")  # these grow together, so that heads still divide


def changed(row, architecture, draw):
    """The configuration of a row with other sizes and flags."""
    config = dict(row["config"])
    by = {}
    listed = any(isinstance(entry, list) for entry in config.values())  # perhaps one entry a layer
    factor = draw.choice((1, 2, 3))
    for key, (size, _) in architecture.keys.items():
        entry = config.get(key)
        if isinstance(entry, bool) and draw.random() < 0.3:
            config[key] = not entry
        elif isinstance(entry, int) and not isinstance(entry, bool):
            if size in FREE or (size == "L" and not listed):
                config[key] = entry + draw.randint(0, 3)
            elif size in SCALED:
                config[key] = entry * by.setdefault("factor", factor)
    return config


def built(hub, cls, config):
    """The model, without values."""
    import torch

    choices = {"attn_implementation": "eager", "dtype": torch.float32}
    for more in ({"experts_implementation": "batched_mm"}, {}):  # products of all experts' rows, which torch can count
        try:
            with torch.device("meta"):
                return getattr(hub, cls)._from_config(config, **choices, **more).eval()
        except (TypeError, ValueError, AttributeError) as error:
            last = error
    raise last


def stored(network):
    """How often each (name, shape) occurs among the parameters; the number of a layer is written {i}."""
    return Counter((re.sub(r"(?<=\.)\d+(?=\.|$)|^\d+(?=\.)", "{i}", name), tuple(parameter.shape))
                   for name, parameter in network.named_parameters())


def inputs(network, sizes):
    """Token ids, and what else a class wants, for these sizes."""
    import torch

    def ids(n):
        return torch.zeros((sizes["b"], n), dtype=torch.long, device="meta")

    config = network.config
    if "frames" in sizes:
        bins = getattr(config, "num_mel_bins", 80)
        given = {"input_features": torch.zeros((sizes["b"], bins, sizes["frames"]), device="meta")}
    else:
        given = {"input_ids": ids(sizes["s"])} if "s" in sizes else {}
    if "side" in sizes:
        channels = getattr(getattr(config, "vision_config", config), "num_channels", 3)
        given["pixel_values"] = torch.zeros((sizes["b"], channels, sizes["side"], sizes["side"]), device="meta")
    if getattr(config, "is_encoder_decoder", False) and "s" in (*sizes, *(["s"] if "frames" in sizes else [])):
        given["decoder_input_ids"] = ids(sizes.get("u", sizes.get("s", 16)))
    return given | ({"use_cache": False} if hasattr(config, "use_cache") else {})


def measured_flops(network, sizes):
    """What torch counts while one forward pass runs."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(**inputs(network, sizes))
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


@pytest.mark.parametrize(("kind", "cls"), SMALLEST, ids=[f"{kind}-{cls}" for kind, cls in SMALLEST])
def test_random_shape(hub, tmp_path, kind, cls):
    row, architecture = SMALLEST[kind, cls], load(kind)
    draw = Random(f"{kind} {cls}")
    why = []
    for _ in range(TRIES):
        config_class = hub.CONFIG_MAPPING[kind]
        shape = next(iter(row["flops"] or {}), None)
        sizes = agreement.sizes_of(shape) if shape else None
        if sizes and "s" in sizes:
            sizes |= {"b": draw.randint(1, 3), "s": draw.randint(1, 40)}
        try:
            config = config_class.from_dict(changed(row, architecture, draw))
            network = built(hub, cls, config)
            work = measured_flops(network, sizes) if sizes and kind not in agreement.SCANS else None
            subjects = read(tmp_path, cls, config)
        except ConfigError as error:  # ours: refused, which must not be all that happens
            why.append(f"refused: {error}")
            continue
        except Exception as error:  # noqa: BLE001 - whatever transformers says to a configuration that is no model
            why.append(f"{type(error).__name__}: {str(error)[:200]}")
            continue
        for subject in subjects:
            assert {(one.name, one.shape): one.count for one in checkpoint(subject)} == stored(network)
            if work is not None:
                assert flops(subject, **sizes).total == work
        return
    pytest.fail(f"{TRIES} changed configurations, of which none was a model that symcount reads: {why[-1]}")


# ---------------------------------------------------------------- published models of which no row is recorded

def unrecorded():
    known = {row["id"].split("/")[1].partition(":")[2] for row in RECORDED}
    for name, (kind, *_) in names().items():
        architecture = load(kind)
        sizes, letters = architecture.published[name].sizes, {size for size, _ in architecture.keys.values()}
        if name not in known and architecture.keys and set(sizes) <= letters:
            yield name


@pytest.mark.parametrize("name", list(unrecorded()))
def test_published_count(hub, name):
    kind, cls, count = names()[name]
    architecture = load(kind)
    sizes = architecture.published[name].sizes
    given = {key: sizes[size] for key, (size, _) in architecture.keys.items() if size in sizes}
    network = built(hub, cls, hub.CONFIG_MAPPING[kind](**given, pad_token_id=0))
    assert sum(parameter.numel() for parameter in network.parameters()) == count
    assert parameters(read_config({"model_type": kind, **given}, head=cls)).total == count
