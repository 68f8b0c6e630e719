"""Where training drops out, against what transformers drops out of: `pytest -m live tests/test_dropout_live.py`.

Each base model is built small and run as in training, with the rates that its class has by default; how many numbers
each call of dropout is given must be what ours are given.
"""

from __future__ import annotations

from collections import Counter
from math import prod

import pytest

import agreement
from real import built, inputs
from symcount import ConfigError
from symcount.architectures import load, types
from symcount.network import walk
from symcount.scopes import repeats
from symcount.sizes import value

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore:Initializing zero-element")]  # no layers of a kind

b, s = 2, 5
# Families that drop out by default, where it is not written.
NOT_WRITTEN = {
    "bart", "bigbird_pegasus", "deberta", "deberta-v2", "emu3_text_model", "fsmt", "funnel", "longformer", "longt5",
    "marian", "mbart", "mobilebert", "mt5", "mvp", "nllb-moe", "nystromformer", "pegasus_x", "plbart",
    "pp_formulanet_text", "prophetnet", "seed_oss", "squeezebert", "switch_transformers", "t5", "umt5", "xlnet", "yoso",
}
LARGEST = 3_000_000  # parameters of a model that is run


def smallest():
    """{type: the smallest measured row of its base model} for those that read words."""
    found = {}
    for row in [*agreement.rows(), *agreement.rows(own=True)]:
        kind, least = row["id"].split("/")[0], found.get(row["id"].split("/")[0], {"params_total": LARGEST})
        if kind not in types() or row["params_total"] >= least["params_total"]:
            continue
        unwritten = {"side", "samples", "frames"} & {*load(kind).known}  # it reads images or sounds
        if row["arch_class"] == next(iter(load(kind).classes)) and not unwritten:
            found[kind] = row
    return found


SMALLEST = smallest()


def ours(row):
    subject = agreement.row_model(row).replace(b=b, s=s)
    found = Counter()
    for x in walk(subject.network(subject.number)):
        if x.details.get("kind") == "dropout":
            found[value(prod(x.axes.values()), {})] += prod(value(n, subject.values) for _, n in repeats(x.scope))
    del found[0]  # of a block with no rows, for which nothing is called
    return +found


def theirs(row):
    """What each call is given, in a forward pass as in training."""
    torch = pytest.importorskip("torch", reason="the live tests build models in torch, which the extra 'live' installs")
    transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")
    from torch.overrides import TorchFunctionMode

    found = Counter()

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, _, args=(), kwargs=None):
            kwargs = kwargs or {}
            if function is torch.nn.functional.dropout:
                rate, training = (*args[1:], *(kwargs.get(name, default) for name, default in (
                    ("p", 0.5), ("training", True))[len(args) - 1:]))[:2]
                if rate and training:
                    found[args[0].numel()] += 1
            return function(*args, **kwargs)

    config = transformers.CONFIG_MAPPING[row["id"].split("/")[0]].from_dict(row["config"])
    network = built(transformers, row["arch_class"], config, "cpu").train()
    with Watch():
        network(**inputs(network, {"b": b, "s": s, "u": s}))
    return found


WRITTEN = [kind for kind, row in SMALLEST.items() if kind not in NOT_WRITTEN and ours(row)]


def test_which_families_drop_out():
    assert {"bert", "roberta", "electra", "distilbert", "gpt2", "openai-gpt", "opt", "xlm", "ctrl"} < set(WRITTEN)
    assert not {"llama", "mistral", "albert", "bloom", "gpt_neo", "rembert", "clip_text_model"} & set(WRITTEN)


@pytest.mark.parametrize("kind", WRITTEN)
def test_dropout_is_where_transformers_has_it(kind):
    assert ours(SMALLEST[kind]) == theirs(SMALLEST[kind])


@pytest.mark.parametrize("kind", sorted(SMALLEST.keys() - {*WRITTEN}))
def test_no_dropout_where_there_is_none(kind):
    """Or it is listed as not written; what cannot run on two short texts of one token says nothing."""
    try:
        found = theirs(SMALLEST[kind])
    except (AttributeError, RuntimeError, ValueError, ZeroDivisionError, ConfigError) as error:
        pytest.skip(f"{type(error).__name__}: {error}")
    assert bool(found) == (kind in NOT_WRITTEN)
