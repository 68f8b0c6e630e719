"""Networks as words over their weights, and what fuses in real models: expected findings, and numbers that agree."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from symcount import (
    Mask,
    contract,
    evaluate,
    fusable,
    linear,
    model,
    norm,
    parameters,
    pointwise,
    rename,
    tensor,
    weight,
    within,
)
from symcount.algebra.terms import letters
from symcount.algebra.values import Point
from symcount.network import walk, weights
from symcount.readers.words import Words
from symcount.sizes import value

ATTENTION = "layers.attention"
NORMED = ("layers.attention_norm.weight", "layers.attention_norm.bias", f"{ATTENTION}.query.weight",
          f"{ATTENTION}.key.weight", f"{ATTENTION}.value.weight")
QUERY_KEY = (f"{ATTENTION}.query.weight", f"{ATTENTION}.key.weight")
VALUE_OUTPUT = (f"{ATTENTION}.value.weight", f"{ATTENTION}.output.weight")
KEY_BIAS = (f"{ATTENTION}.key.bias",)
VALUE_BIAS = (f"{ATTENTION}.value.bias", f"{ATTENTION}.output.weight")

# model: {weights: the identity that fuses them, or what stands in the way}
EXPECTED = {
    "llama-7b": {
        tuple(path for path in NORMED if not path.endswith("bias")): "rmsnorm_gain",
        ("layers.mlp_norm.weight", "layers.mlp.gate.weight", "layers.mlp.up.weight"): "rmsnorm_gain",
        ("norm.weight", "head.weight"): "rmsnorm_gain",
        VALUE_OUTPUT: "value_output_merge",
        QUERY_KEY: "a rotation by position stands between",
        ("layers.mlp.up.weight", "layers.mlp.down.weight"): "a product of two activations stands between",
    },
    "gpt2": {
        NORMED: "layernorm_gain",
        ("layers.mlp_norm.weight", "layers.mlp_norm.bias", "layers.mlp.up.weight"): "layernorm_gain",
        ("norm.weight", "embeddings.word.weight"): "embeddings.word.weight is used elsewhere too",
        QUERY_KEY: "query_key_merge", VALUE_OUTPUT: "value_output_merge",
        KEY_BIAS: "key_bias", VALUE_BIAS: "value_bias",
        ("layers.mlp.up.weight", "layers.mlp.down.weight"): "gelu_new stands between",
    },
    "bert-base-uncased": {
        ("embeddings.norm.weight",): "what is not linear reads it, or a residual sum",
        ("layers.attention_norm.weight",): "what is not linear reads it, or a residual sum",
        ("layers.mlp_norm.weight",): "what is not linear reads it, or a residual sum",
        QUERY_KEY: "query_key_merge", VALUE_OUTPUT: "value_output_merge",
        KEY_BIAS: "key_bias", VALUE_BIAS: "value_bias",
        ("layers.mlp.up.weight", "layers.mlp.down.weight"): "gelu stands between",
    },
    "llama-7b:lora=8@output": {
        (f"{ATTENTION}.output.weight", f"{ATTENTION}.output.lora_A", f"{ATTENTION}.output.lora_B"): "lora_merge",
    },
    "mlp:7-5-3,activation=none": {("layer1.weight", "layer2.weight"): "layer_collapse"},
    "mlp:7-5-3": {("layer1.weight", "layer2.weight"): "relu stands between"},
    "mlp:7-5-3-2,activation=none": {("layer1.weight", "layer2.weight"): "layer_collapse",
                                    ("layer2.weight", "layer3.weight"): "layer_collapse"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_fuses(name):
    found = {one.paths: one.identity or one.says for one in fusable(model(name))}
    expected = EXPECTED[name]
    if "lora" in name:  # of an adapted model only the adapter is new
        found = {paths: said for paths, said in found.items() if "lora" in "".join(paths)}
        expected = {paths: said for paths, said in expected.items() if "lora" in "".join(paths)}
        assert expected.items() <= found.items()
        return
    assert found == expected


def test_grouped_heads_merge_for_each_query_head():
    """68,976,648,192 parameters of LLaMA-2-70B: 80 layers, 64 heads on 8 groups of width 128."""
    one = next(one for one in fusable(model("llama-2-70b")) if one.identity == "value_output_merge")
    two = 80 * (8192 * 8 * 128 + 64 * 128 * 8192)
    assert value(one.saves, model("llama-2-70b").values) == two - 80 * 64 * 8192 * 8192


@pytest.mark.parametrize(("name", "plain"), [("mlp:784-128-10,activation=none", "mlp:784-10"),
                                             ("mlp:3-40-5,activation=none", "mlp:3-5")])
def test_a_collapse_saves_what_the_counts_say(name, plain):
    before, (one,) = model(name), fusable(model(name))
    assert value(one.saves, before.values) == parameters(before).total - parameters(model(plain)).total


def test_a_bias_that_two_maps_read_and_a_gain_that_is_read_twice():
    x = tensor(s=3, d=4)
    y = norm(x, "norm")
    both = pointwise(linear(y, "left", r=5), linear(y, "right", r=5), kind="add")
    found, = fusable(both)
    assert found.paths == ("norm.weight", "norm.bias", "left.weight", "right.weight")
    assert found.saves == 8
    residual = pointwise(y, linear(y, "map", d=4), kind="add")
    assert [one.identity for one in fusable(residual)] == [""]


def saves(name, identity):
    one = model(name)
    return [value(each.saves, one.values) for each in fusable(one) if each.identity == identity]


@pytest.mark.parametrize(("name", "identity", "expected"), [
    ("llama-7b:lora=8@query+value", "lora_merge", [8 * (4096 + 4096) * 32] * 2),
    ("gpt2", "layernorm_gain", [12 * 2 * 768] * 2), ("gpt2", "key_bias", [12 * 768]),
    # two d × d matrices become one for each of 12 heads, and a query bias of 768 a row of 768 for each head
    ("gpt2", "query_key_merge", [12 * (2 * 768**2 - 12 * 768**2 + 768 - 12 * 768)]),
    ("gpt2", "value_output_merge", [12 * (2 * 768**2 - 12 * 768**2)]),
    ("llama-7b", "rmsnorm_gain", [32 * 4096, 32 * 4096, 4096]),
])
def test_what_is_saved(name, identity, expected):
    assert saves(name, identity) == expected


def test_an_adapter_hides_nothing():
    found = {one.paths: one.identity or one.says for one in fusable(model("llama-7b:lora=8@query+value"))}
    assert found[VALUE_OUTPUT] == "value_output_merge"
    assert found[QUERY_KEY] == "a rotation by position stands between"


def test_repeated_linear_parts_are_one():
    def plain(z):
        return within("layers", lambda x: linear(x, "map", d=z.d), tensor(s=z.s, d=z.d), runs=z.L)

    def residual(z):
        return within("layers", lambda x: pointwise(x, linear(x, "map", d=z.d, bias=False), kind="add"),
                      tensor(s=z.s, d=z.d), runs=z.L)

    def bent(z):
        return within("layers", lambda x: pointwise(linear(x, "map", d=z.d), kind="relu"), tensor(s=z.s, d=z.d),
                      runs=z.L)

    found, = fusable(model(plain, d=4, L=3))
    assert (found.identity, value(found.saves, {"d": 4, "L": 3})) == ("layer_collapse", 3 * 20 - 20)
    found, = fusable(model(residual, d=4, L=3))
    assert (found.identity, value(found.saves, {"d": 4, "L": 3})) == ("residual_tower", 3 * 16 - 16)
    assert not [one for one in fusable(model(bent, d=4, L=3)) if one.identity]


def test_a_reader_without_a_bias_gets_one():
    found, = fusable(linear(norm(tensor(s=3, d=4), "norm"), "up", h=7, bias=False))
    assert found.says.endswith("which get a bias")
    assert found.saves == 2 * 4 - 7


def test_a_part_has_its_own_findings_alone():
    found = fusable(model("gpt2").part("layers.mlp"))
    assert {one.identity for one in found} == {"layernorm_gain", ""}


def test_dropout_is_nothing_at_inference():
    net = linear(pointwise(norm(tensor(s=3, d=4), "norm"), kind="dropout"), "up", h=7)
    assert [one.identity for one in fusable(net)] == ["layernorm_gain"]


def test_a_map_that_two_read_does_not_merge():
    x = tensor(s=3, d=4)
    y = linear(x, "first", r=5)
    assert fusable((linear(y, "left", over="r", m=2), linear(y, "right", over="r", m=2))) == []


def test_a_network_of_one_layer():
    assert fusable(linear(tensor(s=3, d=4), "only", h=5)) == []


TINY = {
    "mlp:3-4-2": {}, "mlp:3-4-2,activation=none": {},
    "bert": {"V": 7, "d": 4, "h": 6, "L": 1, "heads": 2, "P": 5, "types": 2, "s": 3},
    "gpt2": {"V": 7, "d": 4, "h": 6, "L": 1, "heads": 2, "P": 5, "s": 3},
    "llama": {"V": 7, "d": 8, "h": 6, "L": 1, "heads": 4, "kv": 2, "s": 3},
    "distilbert": {"V": 7, "d": 4, "h": 6, "L": 1, "heads": 2, "P": 5, "s": 3},
}


@pytest.mark.parametrize("name", TINY)
def test_words_have_the_value_of_the_forward_pass(name):
    """The terms, at random weights, against the forward pass run by `evaluate`, which knows nothing of terms."""
    rng = np.random.default_rng(0)
    one = model(name, **TINY[name]).replace(b=1)
    net = one.network(one.number)
    made = {path: rng.normal(size=[*([1] * _repeats(x, one)), *(size for size in x.axes.values())])
            for path, (x, *_) in weights(net).items()}
    given = {x.name: (rng.integers(0, 2, size=list(x.axes.values())) if x.name != "x" else
                      rng.normal(size=list(x.axes.values()))) for x in walk(net) if x.verb == "input"}
    run = evaluate(one, weights=made, functions={"rotary": lambda x: x} if name == "llama" else {}, **given)
    read = Words(net, lambda x: x.path if x.verb == "weight" else f"value {x.serial}")
    point = Point(one.values, {}, real=True)
    for path, (letter, (rows, columns)) in read.weights.items():
        x = weights(net)[path][0]
        array = made[path].reshape([*x.axes.values()])
        if "diagonal" in letter.properties:
            point.matrices[path] = np.diag(array).tolist()
            continue
        axes = list(x.axes)
        order = [axes.index(axis) for axis in (*letter.over, *(axis for axis in (rows, columns) if axis))]
        array = array.transpose(order).reshape([*(x.axes[axis] for axis in letter.over), letter.rows, letter.columns])
        for place in np.ndindex(*array.shape[:-2]):
            point.matrices[(path, *place) if letter.over else path] = array[place].tolist()
        point.counts |= {axis: x.axes[axis] for axis in letter.over}
    seen: Counter = Counter()
    steps = {}
    for step in run.steps:
        seen[step.path, step.what] += 1
        steps[step.path, step.what, seen[step.path, step.what]] = step
    counted: Counter = Counter()
    compared = 0
    for x in walk(net):
        what = x.details["kind"] if x.verb == "pointwise" else x.verb
        counted[x.path, what] += 1
        step = steps.get((x.path, what, counted[x.path, what]))
        if step is None or x.serial not in read.views:
            continue
        view = read.view(x)
        for named in [each for each in read.named.values() if each.of is x]:
            _give(point, named, step, what, read)
        for choice in set(letters(view.term)) - set(read.named) - set(read.weights) - set(point.matrices):
            ids = np.asarray(given["ids" if "ids" in given else next(iter(given))]).reshape(-1)
            rows = letters(view.term)[choice].columns
            kinds = np.asarray(given.get("types", ids)).reshape(-1) if rows == 2 else ids
            point.matrices[choice] = np.eye(int(rows))[kinds.astype(int)].tolist()
        if what in ("contract", "bias", "add", "leave") and view.row in ("s", "b", "t", "n_0"):
            _same(point, view, step)
            compared += 1
    assert compared >= 2


def _repeats(x, one):
    chain = x.scope.home.chain() if x.scope else ()
    return sum(scope.name == "layers" for scope in chain)


def _give(point, named, step, what, read):
    """A value that has no words takes what the forward pass made of it; one that has is what its words say."""
    over = named.letter.over
    if named.term is None:
        array = np.asarray(step.value, dtype=float)
        view = read.view(named.of)
        axes = [axis for axis in step.axes if axis != "b" or view.row == "b"]
        array = array.reshape([array.shape[list(step.axes).index(axis)] for axis in axes])
        order = [axes.index(axis) for axis in (*over, *(a for a in (view.row, view.column) if a))]
        array = array.transpose(order)
        array = array.reshape([*array.shape[:len(over)], int(named.letter.rows), int(named.letter.columns)])
        places = {place: array[place].tolist() for place in np.ndindex(*array.shape[:-2])}
    elif "softmax" in named.kind:  # a mask stands on scores, and not in words: take the rows as they were made
        axes = [axis for axis in step.axes if axis != "b"]
        array = np.asarray(step.value, dtype=float)[0]
        array = array.transpose([axes.index(axis) for axis in (*over, *(a for a in axes if a not in over))])
        places = {place: array[place].tolist() for place in np.ndindex(*array.shape[:-2])}
    else:
        sizes = [point.counts[index] for index in over]
        places = {place: point.of(named.term, dict(zip(over, place, strict=True))) for place in np.ndindex(*sizes)}
    for place, rows in places.items():
        point.matrices[(named.letter.name, *place) if over else named.letter.name] = rows


def _same(point, view, step):
    from symcount.algebra.rules import indices

    over = sorted(indices(view.term))
    axes = [axis for axis in step.axes if axis != "b" or view.row == "b"]
    array = np.asarray(step.value, dtype=float)
    array = array[0] if "b" in step.axes and view.row != "b" else array
    assert {*over, view.row, view.column} == {*axes}, (step.path, step.what, step.axes, over, view)
    array = array.transpose([axes.index(axis) for axis in (*over, view.row, view.column)])
    for place in np.ndindex(*array.shape[:-2]):
        ours = np.array(point.of(view.term, dict(zip(over, place, strict=True))))
        counted = np.isfinite(array[place])  # a masked pair is no matter of words
        assert np.allclose(ours[counted], array[place][counted], atol=1e-4), step.path


def attended(weight_kind="softmax", *, value_bias=True, output_bias=True, keys=False):
    """One head without rotation: softmax, or another function, of q kᵀ, times v, and an output map."""
    x = tensor(s=3, d=4)
    query, key = linear(x, "query", k=2), rename(linear(x, "key", k=2), s="t")
    scores = contract(query, key, to="s t", name="scores")
    seen = pointwise(scores, kind=weight_kind)
    value_of = rename(linear(x, "value", bias=value_bias, m=3), s="t")
    mixed = contract(seen, value_of, to="s m", name="mix")
    out = linear(mixed, "output", over="m", bias=output_bias, d=4)
    return (out, key) if keys else out


def test_a_bias_moves_only_through_rows_that_sum_to_1():
    found = {one.identity: one for one in fusable(attended())}
    assert {"key_bias", "value_bias", "value_output_merge", "query_key_merge"} == set(found)
    assert (found["key_bias"].saves, found["value_bias"].saves) == (2, 3)
    assert {one.identity for one in fusable(attended("sigmoid"))} == {"value_output_merge"}  # both biases stay
    without = {one.identity: one for one in fusable(attended(output_bias=False))}
    assert without["value_bias"].saves == 3 - 4  # the output gets a bias


def test_a_key_that_is_returned_needs_its_bias():
    assert "key_bias" not in {one.identity for one in fusable(attended(keys=True))}


def test_a_mask_without_a_softmax_stands_between():
    x = tensor(s=5, d=4)
    y = contract(x, weight("w", d=4, t=5), to="s t", name="mixed", mask=Mask(causal=True))
    z = contract(y, weight("v", t=5, m=3), to="s m", name="out", mask=Mask(causal=True))
    assert [one for one in fusable(z) if one.identity] == []


def test_a_bias_for_each_position_is_none_of_ours():
    x = tensor(s=5, d=4)
    key = pointwise(rename(linear(x, "key", k=2, bias=False), s="t"), weight("pos.bias", kinds="bias", t=5, k=2),
                    kind="bias")
    seen = pointwise(contract(linear(x, "query", k=2, bias=False), key, to="s t", name="scores"), kind="softmax")
    assert "key_bias" not in {one.identity for one in fusable(seen)}


def test_what_runs_more_often_does_not_merge():
    outer = weight("shared", d=4, h=4)

    def body(x):
        y = contract(norm(x, "norm", shift=False), outer, to="s h", name="map")
        return rename(linear(y, "back", over="h", d=4, bias=False), d="d")

    found = fusable(within("layers", body, tensor(s=3, d=4), runs=3))
    assert not [one for one in found if "shared" in one.paths and one.identity]


def test_a_weight_used_twice_and_a_buffer():
    w = weight("w", d=4, h=3)
    x = tensor(s=3, d=4)
    twice = contract(contract(x, w, to="s h", name="up"), w, to="s d", name="down")
    assert [one for one in fusable(twice) if one.identity] == []
    stored = contract(contract(x, weight("fixed", stored="buffer", d=4, r=3), to="s r", name="a"),
                      weight("v", r=3, m=2), to="s m", name="b")
    assert [one.saves for one in fusable(stored)] == [6 - 8]


def test_a_bias_on_the_first_layer_only():
    """55 parameters, 4·5 + 5 + 5·6, become 4·6 + 6."""
    x = tensor(s=3, d=4)
    found, = fusable(linear(linear(x, "first", r=5), "second", over="r", m=6, bias=False))
    assert found.saves == 55 - 30


def test_a_network_that_returns_a_weight():
    assert fusable((tensor(s=3), weight("w", d=4))) == []
