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
from collections import Counter
from random import Random

import pytest

import agreement
import filing
from real import built, inputs
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


def stored(network):
    """How often each (name, shape) occurs among the parameters; the number of a layer is written {i}."""
    named = {name: tuple(parameter.shape) for name, parameter in network.named_parameters()
             if parameter.numel()}
    shapes = [(numbered(name), shape, 1) for name, shape in named.items()]
    row = filing.by_the_body(filing.alike({"shapes": shapes, "components": {}}))
    return Counter({(name, tuple(shape)): count for name, shape, count in row["shapes"]})


def numbered(name):
    """The name with {i} for each number within, and {language} for that of an adapter."""
    return re.sub(r"(?<=\.)\d+(?=\.|$)|^\d+(?=\.)", "{i}", filing.one_name(name))


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
        sizes = agreement.run_of(next(iter(row["flops"])), agreement.row_model(row)) if row["flops"] else None
        if sizes and "s" in sizes:
            sizes |= {"b": draw.randint(1, 3), "s": draw.randint(2, 40)}  # one token torch multiplies without a product
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
        if name not in known and architecture.keys and sizes.keys() - {"acts"} <= letters:
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
