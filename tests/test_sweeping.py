"""Sweeps against one configuration at a time: `Ledger.total` of the model with these sizes, without any column."""

from __future__ import annotations

import csv
import json
import operator
import pickle
import random
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symcount import letter, model, per
from symcount.architectures import load, names, types
from symcount.compiling import fixed, horner, interval, program, run
from symcount.errors import ModelError, SizeError, SymcountError
from symcount.forms import size as size_of
from symcount.fronts import frontier
from symcount.readers.quantities import read
from symcount.saving import write
from symcount.sizes import ceil, floor, fraction, least, same, up
from symcount.sweeping import sweep

np = pytest.importorskip("numpy", reason="sweeps need the extra 'sweep'")
xarray = pytest.importorskip("xarray", reason="sweeps need the extra 'sweep'")


def count(subject, quantity="params", options=None, **sizes):
    """The count of one configuration, None where it cannot be built."""
    try:
        return read(subject.replace(**sizes), quantity, **(options or {})).total
    except SizeError:
        return None


def points(dataset):
    """({size: number}, {variable: number}, whether it can be built) of every point, in order."""
    names = [str(name) for name in dataset.data_vars if name != "buildable"]
    for at in product(*map(range, dataset.sizes.values())):
        one = dataset.isel(dict(zip(dataset.sizes, at, strict=True)))
        yield ({str(name): int(one[name]) for name in one.coords}, {name: one[name].item() for name in names},
               "buildable" not in one or bool(one["buildable"]))


def test_a_grid_has_an_axis_for_each_size_in_the_order_given():
    found = sweep("gpt2", "params,flops,kv", t=[512, 1024], s=64, L=range(1, 4), d=[768, 1536])
    assert found.params.dims == ("t", "L", "d")
    assert dict(found.sizes) == {"t": 2, "L": 3, "d": 2}
    gpt2 = model("gpt2", s=64)
    for sizes, values, _ in points(found):
        assert values == {name: count(gpt2, name, **sizes) for name in ("params", "flops", "kv")}


def test_a_list_of_configurations_shares_a_dimension():
    sizes = {"d": [4096, 5120, 6656], "L": [32, 40, 60], "h": [11008, 13824, 17920], "heads": [32, 40, 52]}
    found = sweep("llama", V=32_000, **{name: ("model", values) for name, values in sizes.items()})
    assert found.params.dims == ("model",)
    # the published counts of LLaMA-7B, 13B and 33B
    assert found.params.values.tolist() == [6_738_415_616, 13_015_864_320, 32_528_943_616]
    assert found.h.values.tolist() == sizes["h"]


def test_a_list_and_a_grid_together():
    found = sweep("llama-7b", "flops", d=("m", [128, 256]), L=("m", [1, 2]), s=[1, 5, 7])
    assert found.flops.shape == (2, 3)
    for (m, d, L), (i, s) in product([(0, 128, 1), (1, 256, 2)], enumerate([1, 5, 7])):
        assert int(found.flops[m, i]) == count(model("llama-7b"), "flops", d=d, L=L, s=s)


def test_a_change_is_as_in_replace_and_what_follows_a_swept_size_follows_it():
    found = sweep("llama-7b", d=[4096, 8192], h="up(8d/3,256)", heads="d/128")
    for sizes, values, _ in points(found):
        assert values["params"] == count(model("llama-7b"), **sizes, h="up(8d/3,256)", heads="d/128")


def test_every_variable_says_what_it_is():
    found = sweep("llama-7b", "params,flops@layers.attention.scores", convention="causal", s=[64], d=[4096])
    scores = found["flops@layers.attention.scores"]
    assert (scores.unit, scores.convention) == ("FLOPs", "causal")
    assert found.params.closed_form == "L(4d² + 3dh + 2d) + 2Vd + d"
    assert "L = 32" in scores.notes
    assert "b = 1" in scores.notes
    assert found.attrs == {"model": "llama-7b (LlamaForCausalLM)", "skipped": "nothing"}


def test_a_part_has_the_conditions_of_the_whole():
    with pytest.raises(SizeError, match="32 does not divide d"):
        sweep(model("llama-7b").part("head"), d=[100])
    with pytest.raises(SizeError, match=r"heads = 32 does not divide d \(1 point"):
        sweep("llama-7b", "params@head", d=[100, 4096])


def test_a_quantity_with_the_name_of_a_swept_size():
    found = sweep("llama-3-8b", "kv", kv=[1, 8, 32], t=100)
    assert found.kv_bytes.values.tolist() == [count(model("llama-3-8b"), "kv", kv=kv, t=100) for kv in (1, 8, 32)]
    with pytest.raises(ModelError, match="no variable 'kv'; known: kv_bytes"):
        frontier(found, "kv", "kv_bytes")


def test_the_size_chunk_is_swept_where_it_is_several_numbers():
    found = sweep("mamba2-130m", "flops", chunk=[64, 256], s=512)
    assert found.flops.values.tolist() == [count(model("mamba2-130m"), "flops", chunk=n, s=512) for n in (64, 256)]


def test_what_cannot_be_built_is_refused_with_counts_and_the_first_point():
    wrong = [d for d in range(700, 800) if d % 12]
    with pytest.raises(SizeError) as told:
        sweep("bert-base-uncased", d=range(700, 800))
    assert str(told.value) == (f"{len(wrong)} of 100 points cannot be built: heads = 12 does not divide d "
                               f"({len(wrong)} points; the first: d = 700); say unbuildable='mark' to have them marked")


def test_each_point_is_refused_for_one_reason():
    found = sweep("gpt2", "flops", unbuildable="mark", d=[768, 100, 0, -5], s=[64, 2000], L=[1, 2])
    # d = 0 and −5 are no widths (8 points); of the others s = 2,000 > P (4); 12 does not divide 100 with s = 64 (2)
    assert found.buildable.values.sum() == 16 - 8 - 4 - 2
    assert sorted(found.buildable.reasons.split("; ")) == [
        "d is no whole number from 1 to 1,000,000,000,000,000: 8 points", "heads = 12 does not divide d: 2 points",
        "s is more than P = 1,024: 4 points"]
    for sizes, values, there in points(found):
        expected = count(model("gpt2"), "flops", **sizes)
        assert (values["flops"], there) == ((-1, False) if expected is None else (expected, True))
    assert found.flops.attrs["unbuildable"] == -1
    assert found.skipped.startswith("14 of 16 points cannot be built: ")


def test_a_size_of_zero_that_divides_is_no_crash():
    found = sweep("llama-7b", "kv", unbuildable="mark", heads=[0, 32], kv="heads", t=[1], d=[4096, 2**55])
    assert found.buildable.values.tolist() == [[[False, False]], [[True, False]]]


@pytest.mark.parametrize(("sizes", "said"), [
    ({}, "nothing is swept"),
    ({"d": []}, "at least one"),
    ({"d": [[1, 2]]}, "takes whole numbers"),
    ({"d": [1.5]}, "not 1.5"),
    ({"d": [True]}, "not True"),
    ({"d": ["d"]}, "not 'd'"),
    ({"d": np.array([768.0])}, "not an array of float64"),
    ({"d": np.array([[768]])}, "at least one whole number"),
    ({"d": [10**30]}, "up to 1,000,000,000,000,000"),
    ({"d": np.array([2**64 - 1], np.uint64)}, "up to 1,000,000,000,000,000"),
    ({"d": range(10**30, 10**30 + 5)}, "up to 1,000,000,000,000,000"),
    ({"d": range(10**12)}, "100,000,000 at most"),
    ({"d": range(10**5), "L": range(10**5)}, "say chunk="),
    ({"d": range(10**6), "L": range(10**6), "V": range(10**6), "chunk": 10**6}, "at most"),
    ({"d": range(10**6), "chunk": 2}, "say a larger chunk"),
    ({"d": [768], "chunk": 0}, "at least 1"),
    ({"d": [768], "chunk": True}, "at least 1"),
    ({"d": ("m", [768, 768]), "L": ("m", [1, 2, 3])}, "d and L share m, and have 2 and 3 values"),
    ({"tied": [True, False]}, "tied is no size that could be swept"),
    ({"w": [1, 2]}, "has no size or flag 'w'"),
    ({"d": [768], "of": "flops"}, "s has no value; sweep it, or say s="),
    ({"d": [768], "of": "params,params"}, "each once"),
    ({"d": [768], "of": ""}, "unknown quantity"),
    ({"d": [768], "of": "param"}, "did you mean 'params'"),
    ({"d": [768], "unbuildable": "skip"}, "known: refuse, mark"),
    ({f"L_{i}": [1] for i in range(20)}, "16 at most"),
])
def test_what_is_no_sweep_is_refused(sizes, said):
    with pytest.raises(SymcountError, match=said):
        sweep("gpt2", **sizes)


def test_a_part_of_a_byte_is_refused_and_names_the_point():
    shared = {"convention": "zero3", "phase": "train"}
    assert count(model("gpt2", s=8), "memory", shared, dp=7, V=50_257).denominator == 7
    with pytest.raises(SizeError, match=r"memory is no whole number at dp = 7, V = 50,257, and a sweep has whole"):
        sweep("gpt2", "memory", **shared, s=8, dp=[1, 2, 4, 7], V=[50_257])


# Numbers at and beyond 64 bits


@pytest.mark.parametrize("V", [2**31 - 1, 2**31, 2**31 + 1, 10**15])
def test_at_the_edge_of_64_bits_no_number_wraps(V):
    d = 2**31 - 1
    found = sweep("embedding", d=("m", [d, d, 3]), V=("m", [V, V + 1 if V < 10**15 else V, 3]))
    exact = [int(a) * int(b) for a, b in zip(found.d.values, found.V.values, strict=True)]
    assert found.params.values.tolist() == exact
    assert found.params.dtype == (np.int64 if max(exact) < 2**63 else object)


def test_what_is_in_64_bits_stays_there_though_a_step_on_the_way_is_not():
    """Of s(s + 1)/2 pairs, twice as many before the division."""
    sizes = {"L": 1, "heads": 1, "d": 2, "kv": 1, "h": 1}
    found = sweep("llama-7b", "flops@scores", convention="causal", s=[2 * 10**9], **sizes)["flops@scores"]
    assert found.dtype == np.int64
    exact = count(model("llama-7b"), "flops@scores", {"convention": "causal"}, s=2 * 10**9, **sizes)
    assert 2**62 < exact == int(found[0])


def test_beyond_64_bits_only_so_many_points():
    with pytest.raises(SizeError, match="exact for 1,048,576 points at most, and there are 1,048,577"):
        sweep("embedding", d=range(10**12, 10**12 + 2**20 + 1), V=10**15)


def test_a_block_beyond_64_bits_after_others_within():
    d = np.r_[np.full(40_000, 7), np.full(40_000, 10**13)]
    found = sweep("embedding", V=10**7, d=d)
    assert found.params.values.tolist() == [7 * 10**7] * 40_000 + [10**20] * 40_000


def test_random_rows_of_every_magnitude():
    """From a few bits to beyond 64, so that steps are done in 32 bits, in 64, and in Python's ints."""
    draw = random.Random(1)
    rows = [{"d": 32 * draw.randrange(2, 2**draw.randrange(2, 22), 2), "L": draw.randrange(2**draw.randrange(1, 16)),
             "h": draw.randrange(1, 2**draw.randrange(1, 34)), "V": draw.randrange(1, 2**draw.randrange(1, 34))}
            for _ in range(150)]
    for some in ([row] for row in rows), (rows[i:i + 10] for i in range(0, 150, 10)), [rows]:
        for part in some:
            found = sweep("llama-7b", **{name: ("m", [row[name] for row in part]) for name in "dLhV"}).params
            assert found.values.tolist() == [count(model("llama-7b"), **row) for row in part]


@pytest.mark.parametrize("n", [2**29 - 1, 2**30 - 1, 2**31 - 1, 2**31, 2**32 - 1])
def test_at_the_edge_of_32_bits_no_number_wraps(n):
    """d(L(4d + 3h + 2) + 2V + 1): the inner sums come to some 5n, just beyond 32 bits where all columns are within."""
    for sizes in ({"L": 1, "h": n, "V": n}, {"L": 3, "h": n // 2, "V": n}, {"L": n, "h": 1, "V": 1}):
        found = sweep("llama-7b", d=[64], **{name: [size] for name, size in sizes.items()})
        assert int(found.params[0, 0, 0, 0]) == count(model("llama-7b"), d=64, **sizes)


@pytest.mark.parametrize("chunk", [None, 50_000])
def test_many_blocks(chunk):
    draw = np.random.default_rng(2)
    d, L, h = draw.integers(1, 200, 500_000) * 32, draw.integers(-1, 100, 500_000), draw.integers(1, 20_000, 500_000)
    found = sweep("llama-7b", unbuildable="mark", d=("m", d), L=("m", L), h=("m", h), chunk=chunk)
    good = (d % 64 == 0) & (L >= 0)  # heads = 32 divide d, and the rotated head width d/heads is even
    assert found.buildable.values.tolist() == good.tolist()
    assert np.array_equal(found.params, np.where(good, L * (4 * d * d + 3 * d * h + 2 * d) + 64_000 * d + d, -1))
    if chunk is None:
        assert found.skipped.startswith(f"{(~good).sum():,} of 500,000 points cannot be built: ")
    with pytest.raises(SizeError, match=f"{(~good).sum():,} of 500,000" if chunk is None else "in one chunk"):
        sweep("llama-7b", d=("m", d), L=("m", L), h=("m", h), chunk=chunk).params.compute()


@settings(max_examples=60)
@given(st.data())
def test_steps_are_the_size(data):
    """Random sizes, with roundings and fractions, as steps over columns and as one number at a time."""
    d, L, h = (letter(name) for name in "dLh")
    number = st.integers(1, 9)

    def part(size, n):
        return size if isinstance(size, int) else per(size, n)

    def sums(inner):
        return st.one_of(*(st.builds(f, inner, inner) for f in (operator.add, operator.mul, operator.sub, least)),
                         *(st.builds(f, inner, number) for f in (ceil, floor, up, part)))

    size = data.draw(st.recursive(st.sampled_from([d, L, h, d + 1, 3 * L]), sums, max_leaves=6)) * d
    values = {"h": data.draw(number)}
    columns = {"d": np.array([1, 2, 5, 2520]), "L": np.array([0, 3, 5040, 2520])}
    top, bottom = fixed(size, values)
    axes, lows = {"d": 0, "L": 0}, {"d": 1, "L": 0}
    above, below = (run(np, program(horner(part), axes, lows), dict(columns)) for part in (top, bottom))
    highs = {"d": 2520, "L": 5040}
    low, high = interval(horner(top), lows, highs)
    for i in range(4):
        sizes = {"d": int(columns["d"][i]), "L": int(columns["L"][i]), **values}
        try:
            expected = fraction(size, sizes)
        except SizeError:  # what is not whole within a rounding is found by a check, not by steps
            continue
        one, other = (int(x[i]) if np.ndim(x) else int(x) for x in (above, below))
        assert one == expected * other
        assert low <= one <= high


def test_products_before_sums_are_the_same_polynomial():
    d, h, L, V = map(letter, "dhLV")
    size = L * (4 * d * d + 3 * d * h - 2 * d) + 2 * V * d - 7
    assert same(size_of(horner(size)), size)


# Every architecture


def _some(name):
    """A published model of an architecture; where there is none, one of small sizes."""
    published = next((model(one) for one, (of, *_) in names().items() if of == name), None)
    if published:
        return published
    free = model(f"{name}:")
    sizes = [size for size in free.architecture.sizes if size in free.asked and size not in free.architecture.stages]
    square = {"d", "d_img", "side"}  # heads of n numbers; squares of n × n pixels, n × n of which become one
    numbers = ({size: n * n if size in square else n for size in sizes} for n in (16, 8, 4, 2, 1))
    return next(found for each in numbers if count(found := free.replace(**each)) is not None)


def _refused(subject, quantity, sizes):
    """Whether one configuration is refused, or has no number, for sizes that nobody gave."""
    try:
        return bool(read(subject.replace(**sizes), quantity).open)
    except SymcountError:
        return True


@pytest.mark.parametrize("name", [name for name in types() if "n" not in load(name).sizes])
def test_every_architecture_at_random_points(name):
    subject, draw = _some(name), random.Random(name)
    sizes = [size for size in subject.values if isinstance(subject.given.get(size), int) and size in subject.asked]
    run = {"s": [5, 64, 4000]} if "s" in subject.asked else {}
    around = {size: sorted({n, 2 * n, max(n // 2, 1), n + 1, draw.randrange(3)})
              for size in draw.sample(sizes, min(2, len(sizes))) for n in [subject.values[size]]}
    others = [("flops", {**around, **run}), ("memory", around), ("activations", {**around, **run})]
    for quantity, swept in (("params", around), draw.choice(others)):
        if not swept:
            continue
        try:
            found = sweep(subject, quantity, unbuildable="mark", **swept)
        except SymcountError:
            assert _refused(subject, quantity, {size: n[0] for size, n in run.items() if size in swept}), quantity
            continue
        for sizes, values, there in draw.sample([*points(found)], min(6, prod(found.sizes.values()))):
            assert (values[quantity] if there else None) == count(subject, quantity, **sizes), (quantity, sizes)


# Dask


dask = pytest.importorskip("dask", reason="chunks need the extra 'sweep'")


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_chunks_are_bit_for_bit_the_same(chunk):
    sizes = {"d": ("m", [768, 100, 1536]), "heads": ("m", [12, 12, 16]), "s": [3, 5000, 64], "L": range(4)}
    whole = sweep("gpt2", "params,flops", unbuildable="mark", **sizes)
    lazy = sweep("gpt2", "params,flops", unbuildable="mark", chunk=chunk, **sizes)
    assert all(lazy[name].chunks for name in lazy.data_vars)
    with dask.config.set(scheduler="threads"):
        done = lazy.compute()
    for name in whole.data_vars:
        assert done[name].dtype == whole[name].dtype
        assert done[name].values.tobytes() == whole[name].values.tobytes()
        assert {**done[name].attrs, "reasons": ""} == {**whole[name].attrs, "reasons": ""}


def test_a_chunk_refuses_when_it_is_computed():
    lazy = sweep("bert-base-uncased", d=[768, 780, 769, 792], chunk=2)
    assert int(lazy.params[0]) == 109_482_240
    with pytest.raises(SizeError, match=r"in one chunk 1 of 2 points cannot be built: heads = 12 does not divide d"):
        lazy.params.compute()
    with pytest.raises(SizeError, match="beyond 64 bits at d = 1,000,000,000,000"):
        sweep("embedding", d=[1, 10**12], V=10**15, chunk=1).params.compute()


def test_what_a_worker_is_sent_is_plain_data():
    lazy = sweep("llama-7b", d=[4096, 8192], chunk=1)
    again = pickle.loads(pickle.dumps(lazy))  # noqa: S301 - our own
    assert again.params.values.tolist() == lazy.params.values.tolist()


# Pareto fronts


def _front_by_pairs(rows):
    """Which rows no other is at most everywhere and less somewhere."""
    return [i for i, a in enumerate(rows)
            if not any(all(x <= y for x, y in zip(b, a, strict=True)) and b != a for b in rows)]


@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[st.integers(-3, 3)] * n), min_size=1, max_size=25)),
       st.integers(0, 3))
def test_a_front_is_what_pairs_say(rows, turned):
    wide = len(rows[0])
    less = wide - min(turned, wide)
    variables = {f"x{i}": ("m", np.array([row[i] * (1 if i < less else -1) for row in rows], dtype))
                 for i, dtype in zip(range(wide), (int, object, float)[:wide], strict=True)}
    dataset = xarray.Dataset({**variables, "buildable": ("m", [True] * len(rows))}, {"place": ("m", range(len(rows)))})
    found = frontier(dataset, [f"x{i}" for i in range(less)], [f"x{i}" for i in range(less, wide)])
    assert sorted(found.place.values.tolist()) == _front_by_pairs(rows)
    assert found.x0.values.tolist() == sorted(found.x0.values.tolist(), reverse=less == 0)


def test_the_front_of_a_grid():
    found = sweep("llama-3-8b", "params,kv", unbuildable="mark", d=[4096, 4000, 8192], L=[16, 32], kv=[8, 4], t=8192)
    front = frontier(found, "kv_bytes")
    rows = [(values["kv_bytes"], -values["params"], sizes) for sizes, values, there in points(found) if there]
    best = [rows[i] for i in _front_by_pairs([row[:2] for row in rows])]
    assert front.params.dims == ("point",)
    assert {(int(front.d[i]), int(front.L[i]), int(front.kv[i])) for i in range(front.sizes["point"])} == {
        (row[2]["d"], row[2]["L"], row[2]["kv"]) for row in best}
    lazy = sweep("llama-3-8b", "params,kv", unbuildable="mark", d=[4096, 4000, 8192], L=[16, 32], kv=[8, 4], t=8192,
                 chunk=3)
    assert frontier(lazy, "kv_bytes").params.values.tolist() == front.params.values.tolist()


def test_a_front_of_what_is_no_variable_is_refused():
    found = sweep("gpt2", d=[768])
    with pytest.raises(ModelError, match="no variable 'param'; did you mean 'params'"):
        frontier(found, "param", [])
    with pytest.raises(ModelError, match="each once"):
        frontier(found, "params", "params")
    with pytest.raises(SizeError, match="NaN"):
        frontier(found.assign(loss=("d", [float("nan")])), "loss", "params")


# Files


SIZES = {"d": [768, 100], "L": [1, 2], "t": [10]}


@pytest.fixture(params=[None, 1], ids=["memory", "dask"])
def swept(request):
    return sweep("gpt2", "params,kv", unbuildable="mark", chunk=request.param, **SIZES)


def test_csv_has_a_row_for_each_point_that_can_be_built(swept, tmp_path):
    write(swept, tmp_path / "x.csv")
    rows = [*csv.DictReader((tmp_path / "x.csv").read_text().splitlines())]
    assert [{name: int(n) for name, n in row.items()} for row in rows] == [
        {"d": 768, "L": L, "t": 10, "params": count(model("gpt2"), L=L), "kv": count(model("gpt2"), "kv", L=L, t=10)}
        for L in (1, 2)]
    assert [*tmp_path.iterdir()] == [tmp_path / "x.csv"]


def test_json_has_them_and_what_they_are(swept, tmp_path):
    write(swept, tmp_path / "x.json")
    told = json.loads((tmp_path / "x.json").read_text())
    assert [point["params"] for point in told["points"]] == [count(model("gpt2"), L=L) for L in (1, 2)]
    assert told["variables"]["kv"]["unit"] == "bytes"
    assert told["model"].startswith("gpt2")


def test_numbers_beyond_64_bits_are_written_as_text_alone(tmp_path):
    found = sweep("embedding", d=[1, 10**12], V=10**15)
    write(found, tmp_path / "x.json")
    assert [point["params"] for point in json.loads((tmp_path / "x.json").read_text())["points"]] == [10**15, 10**27]
    write(found, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == f"d,params\n1,{10**15}\n{10**12},{10**27}\n"
    for suffix in ("nc", "zarr"):
        with pytest.raises(SizeError, match="params has numbers beyond 64 bits"):
            write(found, tmp_path / f"x.{suffix}")
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize(("suffix", "library"), [("nc", "netCDF4"), ("zarr", "zarr")])
def test_a_dataset_comes_back_as_it_was(swept, suffix, library, tmp_path):
    pytest.importorskip(library, reason="the extra 'sweep' brings it")
    path = tmp_path / f"x.{suffix}"
    write(swept, path)
    opened = xarray.open_dataset(path, engine="netcdf4") if suffix == "nc" else xarray.open_zarr(path,
                                                                                                  consolidated=False)
    with opened as back:
        assert back.params.dtype == np.int64
        xarray.testing.assert_identical(back.load(), swept.compute())


def test_a_file_is_whole_or_as_it_was(tmp_path):
    lazy = sweep("gpt2", d=[768, 100], chunk=1)
    (tmp_path / "x.csv").write_text("old")
    with pytest.raises(SizeError):
        write(lazy, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "old"
    assert len([*tmp_path.iterdir()]) == 1
    write(sweep("gpt2", d=[768]), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "d,params\n768,124439808\n"
    for name, said in (("x.txt", "is written as .csv, .json, .nc, .zarr"), ("no/x.csv", "cannot write")):
        with pytest.raises(ModelError, match=said):
            write(lazy, tmp_path / name)
    (tmp_path / "x.zarr").mkdir()
    with pytest.raises(ModelError, match="is there already"):
        write(lazy, tmp_path / "x.zarr")
