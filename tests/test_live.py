"""symcount against models that transformers builds now, on shapes drawn at random: `pytest -m live tests/test_live.py`.

Each case is built twice from one configuration: by transformers, on the meta device, where tensors have shapes but no
values; and by symcount, which reads the `config.json` that transformers writes. Parameters, the tensors of the
checkpoint by name and shape, and FLOPs must be equal.

The configurations are small measured ones with their sizes and flags changed at random. Not every change makes a model;
of the first few that transformers can build and run, one is compared for each class.
"""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections import Counter
from random import Random

import agreement
import filing
import pytest

from symcount import ConfigError, flops, model, parameters, read_config
from symcount.architectures import load, names, types
from symcount.readers.checkpoint import checkpoint

pytestmark = pytest.mark.live

RECORDED = [*agreement.rows(), *agreement.rows(own=True)]
TRIES = 12  # changes of one configuration, until one makes a model
AUDIO_AND_IMAGES = ("img", "aud", "mel")


def smallest():
    """{(type, class): the smallest measured row that is read}, for one class of each type, drawn by the type's name."""
    found = {}
    for row in RECORDED:
        case = row["id"].split("/")[0], row["arch_class"]
        if case[0] in types() and case[1] in load(case[0]).classes and (
                case not in found or row["params_total"] < found[case]["params_total"]):
            with contextlib.suppress(ConfigError):
                agreement.row_model(row)
                found[case] = row
    drawn = [Random(kind).choice([cls for other, cls in found if other == kind]) for kind in types()
             if any(other == kind for other, _ in found)]
    return {case: row for case, row in found.items() if case[1] in drawn}


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


def changed(row, architecture, draw, *, free):
    """The configuration of a row with other sizes and flags; `free`: also of sizes that should depend on nothing."""
    config = dict(row["config"])
    by = {}
    listed = any(isinstance(entry, list) for entry in config.values())  # perhaps one entry a layer
    factor = draw.choice((1, 2, 3))
    for key, (size, _) in architecture.keys.items():
        entry = config.get(key)
        if isinstance(entry, bool) and draw.random() < 0.3:
            config[key] = not entry
        elif isinstance(entry, int) and not isinstance(entry, bool):
            if free and (size in FREE or (size == "L" and not listed)):
                config[key] = entry + draw.randint(0, 3)
            elif size in SCALED:
                config[key] = entry * by.setdefault("factor", factor)
    return config


def built(hub, cls, config, device="meta"):
    """The model, without values; or on the CPU with some."""
    import torch

    warnings.filterwarnings("ignore", message="Initializing zero-element tensors")  # no layers of one kind
    choices = {"attn_implementation": "eager", "dtype": torch.float32}
    for more in ({"experts_implementation": "batched_mm"}, {}):  # products of all experts' rows, which torch can count
        try:
            with torch.device(device):
                return getattr(hub, cls)._from_config(config, **choices, **more).eval()
        except (TypeError, ValueError, AttributeError) as error:
            last = error
    raise last


def stored(network):
    """How often each (name, shape) occurs among the parameters; the number of a layer is written {i}."""
    named = {name: tuple(parameter.shape) for name, parameter in network.named_parameters()}
    head, body = filing.TIED
    if head in named and not any(name.endswith("word_embeddings.weight") for name in named):
        named[body] = named.pop(head)  # a tied matrix goes by the name that the class makes first
    return Counter((numbered(name), shape) for name, shape in named.items())


def numbered(name):
    """The name with {i} for each number within."""
    return re.sub(r"(?<=\.)\d+(?=\.|$)|^\d+(?=\.)", "{i}", name)


def inputs(network, sizes):
    """Token ids, and what else a class wants, for these sizes, where the network is."""
    import torch

    config, device = network.config, network.device

    def ids(n):
        return torch.full((sizes["b"], n), 7, dtype=torch.long, device=device)  # no token that means something

    given = {}
    if "frames" in sizes:
        bins = getattr(config, "num_mel_bins", 80)
        given["input_features"] = torch.zeros((sizes["b"], bins, sizes["frames"]), device=device)
    elif "samples" in sizes:
        given["input_values"] = torch.zeros((sizes["b"], sizes["samples"]), device=device)
    elif "s" in sizes:
        given["input_ids"] = ids(sizes["s"])
        if "ForSequenceClassification" in type(network).__name__ and getattr(config, "is_encoder_decoder", False):
            given["input_ids"][:, -1] = config.eos_token_id
    if "side" in sizes:
        channels = getattr(getattr(config, "vision_config", config), "num_channels", 3)
        given["pixel_values"] = torch.zeros((sizes["b"], channels, sizes["side"], sizes["side"]), device=device)
    if getattr(config, "is_encoder_decoder", False):
        given["decoder_input_ids"] = ids(sizes.get("u", sizes.get("s", agreement.TARGET)))
    return given | ({"use_cache": False} if hasattr(config, "use_cache") else {})


def measured_flops(network, sizes):
    """What torch counts while one forward pass runs."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        network(**inputs(network, sizes))
    return counter.get_total_flops()


def read(folder, cls, config):
    """The model as symcount reads it from two files: one with every key, one with what is no default of the class.

    Where one key follows another, the short file says something else to transformers too, and is left out.
    """
    full, default = config.to_dict(), type(config)().to_dict()
    short = {key: entry for key, entry in full.items() if key == "model_type" or entry != default.get(key)}
    found = []
    for name, written in (("full.json", full), ("short.json", short)):
        if type(config).from_dict(dict(written)).to_dict() != full:
            continue
        (folder / name).write_text(json.dumps(written), encoding="utf-8")
        found.append(read_config(folder / name, head=cls))
    return found


@pytest.mark.parametrize(("kind", "cls"), SMALLEST, ids=[f"{kind}-{cls}" for kind, cls in SMALLEST])
def test_random_shape(hub, tmp_path, kind, cls):
    row, architecture = SMALLEST[kind, cls], load(kind)
    draw = Random(f"{kind} {cls}")
    why = []
    for trial in range(TRIES):
        sizes = agreement.sizes_of(next(iter(row["flops"]))) if row["flops"] else None
        if sizes and "s" in sizes:
            sizes |= {"b": draw.randint(1, 3), "s": draw.randint(2, 40)}  # one token torch multiplies without a product
        if sizes and "samples" in sizes:
            sizes["u"] = agreement.TARGET
        try:
            config = hub.CONFIG_MAPPING[kind].from_dict(changed(row, architecture, draw, free=trial < TRIES // 2))
            network, work = counted(hub, cls, config, None if "flops_topk" in row else sizes)
            subjects = read(tmp_path, cls, config)
        except ConfigError as error:  # ours: refused, which must not be all that happens
            why.append(f"refused: {error}")
            continue
        except Exception as error:  # noqa: BLE001 - whatever transformers says to a configuration that is no model
            why.append(f"{type(error).__name__}: {str(error)[:200]}")
            continue
        for subject in subjects:
            ours = Counter()
            for one in checkpoint(subject):
                ours[numbered(one.name), one.shape] += one.count
            assert ours == stored(network)
            if work is not None:
                assert flops(subject, **sizes).total == work
        return
    pytest.fail(f"{TRIES} changed configurations, of which none was a model that symcount reads: {why}")


def counted(hub, cls, config, sizes):
    """The network, and its FLOPs: without values, or with some where it looks at them."""
    network = built(hub, cls, config)
    if sizes is None:
        return network, None
    try:
        return network, measured_flops(network, sizes)
    except (NotImplementedError, RuntimeError):  # what torch says where the forward pass looks at values
        network = built(hub, cls, config, "cpu")
        return network, measured_flops(network, sizes)


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
    sizes = {**architecture.published[name].sizes, **model(name).values}  # also what follows
    given = {}
    for key, (size, _) in architecture.keys.items():
        if size in sizes:
            *tables, last = key.split(".")
            place = given
            for table in tables:
                place = place.setdefault(table, {})
            place[last] = sizes[size]
    network = built(hub, cls, hub.CONFIG_MAPPING[kind](**given, pad_token_id=0))
    assert sum(parameter.numel() for parameter in network.parameters()) == count
    assert parameters(read_config({"model_type": kind, **given}, head=cls)).total == count
