"""Pictures: what is drawn is what is counted, labels keep apart, files are whole and always the same bytes."""

from __future__ import annotations

import getpass
import os
import random
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from xml.etree import ElementTree

import matplotlib as mpl
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from symcount import flops, kv_cache, memory, model, parameters
from symcount.errors import FormulaError, ModelError, SizeError, SymcountError, UnitError
from symcount.ledger import Ledger, Term
from symcount.plots import bars, curves, frontier, icicle, save
from symcount.plots.page import COLOURS, LINES, lightness
from symcount.plots.sweeps import _unbeaten
from symcount.polynomials import letter
from symcount.sizes import value

NAMES = ["llama-7b", "bert-base-uncased", "distilbert-base-uncased", "gpt2", "deepseek-v3", "t5-small", "resnet-50",
         "mixtral-8x7b"]
TWELVE = [*NAMES, "bert-large-uncased", "llama-13b", "llama-65b", "qwen3-30b-a3b"]
PARAMETERS = {name: parameters(model(name)) for name in TWELVE}
WORK = flops(model("llama-7b"))


def ledger(*counts: int, unit: str = "parameter", name: str = "one") -> Ledger:
    return Ledger(unit, [Term(f"part{i}.weight", (count,)) for i, count in enumerate(counts)], subject=name)


def counted(term: Term, values: dict[str, int]) -> int:
    """A term by hand: what is in it, times how often it runs."""
    product = 1
    for factor in (*term.factors, *(runs for _, runs in term.scopes)):
        product *= value(factor, values)
    return product


def shares(one: Ledger, depth: int) -> dict[str, Fraction]:
    totals: dict[str, int] = {}
    for term in one.terms:
        path = ".".join(term.path.split(".")[:depth])
        totals[path] = totals.get(path, 0) + counted(term, one.values)
    return {path: Fraction(total, sum(totals.values())) for path, total in totals.items()}


def drawn(figure) -> dict[str, list]:
    return {one.get_label(): list(one.patches) for one in figure.axes[0].containers}


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


def apart(figure) -> None:
    """No two texts touch, and none leaves the page."""
    written = []  # matplotlib keeps more texts than it draws: labels of ticks that lie outside
    draw = Text.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", lambda text, *rest: (written.append(text), draw(text, *rest)))
        figure.draw_without_rendering()
    page = figure.bbox
    # A text's own box: of an annotation the arrow belongs to it too, but lies on nothing.
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in written if text.get_text()]
    assert len(boxes) > 5
    for said, box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1, f"{said!r} leaves the page"
        assert page.y0 <= box.y0 < box.y1 <= page.y1, f"{said!r} leaves the page"
    for (said, box), (other, beside) in combinations(boxes, 2):
        overlap = min(box.x1, beside.x1) - max(box.x0, beside.x0), min(box.y1, beside.y1) - max(box.y0, beside.y0)
        assert min(overlap) < 1.5, f"{said!r} lies on {other!r}"  # pixels: boxes are a little larger than their signs


# bars

@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("names", [["llama-7b"], ["bert-base-uncased", "distilbert-base-uncased", "gpt2"],
                                   NAMES, TWELVE], ids=len)
def test_bars_are_shares(names, depth):
    ledgers = [PARAMETERS[name] for name in names]
    patches = drawn(bars(ledgers, depth))
    for i, one in enumerate(ledgers):
        left = shares(one, depth)
        start = 0.0
        for path, own in patches.items():
            if path != "other":
                assert own[i].get_width() == pytest.approx(float(left.pop(path, 0)), abs=1e-15)
            assert own[i].get_x() == pytest.approx(start, abs=1e-12)
            start += own[i].get_width()
        rest = patches["other"][i].get_width() if "other" in patches else 0
        assert rest == pytest.approx(float(sum(left.values())), abs=1e-15)
        assert start == pytest.approx(1, abs=1e-12)


@given(st.lists(st.lists(st.integers(0, 10**30), min_size=1, max_size=9).filter(any), min_size=1, max_size=3))
def test_bars_of_any_numbers(counts):
    ledgers = [ledger(*one, name=str(i)) for i, one in enumerate(counts)]
    patches = drawn(bars(ledgers, 1))
    for i, one in enumerate(counts):
        for path, own in patches.items():
            if path != "other":
                at = int(path.removeprefix("part"))
                assert own[i].get_width() == (pytest.approx(one[at] / sum(one), abs=1e-15) if at < len(one) else 0)
        assert sum(own[i].get_width() for own in patches.values()) == pytest.approx(1)


@pytest.mark.parametrize(("names", "depth", "limit"), [(["llama-7b"], 2, 2), (NAMES, 2, 2), (NAMES, 3, None)], ids=str)
def test_others_are_under_the_limit_that_is_said(names, depth, limit):
    figure = bars([PARAMETERS[name] for name in names], depth)
    foot = " ".join(next(text for text in texts(figure) if text.startswith("counted")).split())
    said = int(foot.partition(" % of every bar")[0].rpartition("under ")[2])
    assert limit in (None, said)
    each = [shares(PARAMETERS[name], depth) for name in names]
    most = {path: max(one.get(path, 0) for one in each) for one in each for path in one}
    assert {path for path, share in most.items() if 100 * share >= said} == set(drawn(figure)) - {"other"}


def test_colours_tell_components_apart():
    patches = drawn(bars([PARAMETERS[name] for name in TWELVE]))
    looks = {path: {(patch.get_facecolor(), patch.get_hatch()) for patch in own} for path, own in patches.items()}
    assert all(len(look) == 1 for look in looks.values())
    assert len({next(iter(look)) for look in looks.values()}) == len(looks) > len(COLOURS)


def test_bars_say_names_totals_and_conventions():
    said = texts(bars([PARAMETERS["llama-7b"], PARAMETERS["gpt2"]]))
    assert {"6.74 billion", "124 million", "Parameters of 2 models, by component"} <= set(said)
    foot = " ".join(next(text for text in said if text.startswith("counted")).split())
    assert "tied and shared weights once, no buffers;" in foot
    assert "tied=true (gpt2)" in foot
    assert "17.77 GB\n16.55 GiB" in texts(bars([memory(model("llama-7b"), t=8192)]))


def test_names_leave_out_a_weight_that_is_alone():
    named = [Term("a.weight", (3,)), Term("b.weight", (3,)), Term("b.bias", (3,)), Term("c.d", (3,))]
    said = texts(bars([Ledger("parameter", named)]))
    assert {"a", "b.weight", "b.bias", "c.d"} <= set(said)


def test_bars_of_one_model_are_told_apart():
    work = [flops(model("llama-7b"), rule, s=2048) for rule in ("matmul", "causal")]
    said = [text.replace("\n", " ") for text in texts(bars(work))]
    assert {"llama-7b (LlamaForCausalLM), matmul", "llama-7b (LlamaForCausalLM), causal"} <= set(said)
    assert {"mine", "yours"} <= set(texts(bars({"mine": work[0], "yours": work[1]})))


def test_bars_refuse():
    for wrong, error, message in (
        ([], ModelError, "no ledger"),
        ([ledger(1)] * 25, ModelError, "25 ledgers .* 24 at most"),
        ([ledger(1), ledger(1, unit="FLOP")], UnitError, "parameters and FLOPs"),
        ([WORK], SizeError, "s has no value"),
        ([ledger(0)], SizeError, "total is 0 parameters"),
        ([Ledger("parameter", [Term(f"a{i}.p{j}", (1,)) for j in range(3)], subject=str(i)) for i in range(5)],
         ModelError, "no colours are left"),
    ):
        with pytest.raises(error, match=message):
            bars(wrong)


# curves

def test_curves_are_counts():
    values = [128, 1000, 2048, 65_536]
    lines = curves([WORK.where("scores"), WORK.where("mlp"), WORK], "s", reversed(values)).axes[0].lines
    for i, part in enumerate((["scores"], ["mlp"], [])):
        counts = [flops(model("llama-7b", s=s)).where(*part).total for s in values]
        assert list(lines[i].get_xdata()) == values
        assert list(lines[i].get_ydata()) == list(map(float, counts))


def test_curves_over_a_size_of_the_model():
    open_width = parameters(model("bert-base-uncased:d=d"))
    assert open_width.open == ["d"]
    line = curves([open_width], "d", [768, 1536]).axes[0].lines[0]
    assert list(line.get_ydata()) == [parameters(model(f"bert-base-uncased:d={d}")).total for d in (768, 1536)]


def test_a_crossing_lies_where_the_lines_meet():
    scores, mlp = WORK.where("scores") + WORK.where("mix"), WORK.where("mlp")
    at = Fraction(3 * 11_008, 2)  # 4Lbs²d = 6Lbsdh
    meet = flops(model("llama-7b", s=int(at))).where("mlp").total
    figure = curves([scores, mlp], "s", [2**i for i in range(7, 18)], [(at, meet, "here")])
    one, two, marks = figure.axes[0].lines
    assert (marks.get_xdata(), marks.get_ydata()) == ([float(at)], [float(meet)])
    for line in (one, two):
        heights = numpy.interp(numpy.log(float(at)), numpy.log(line.get_xdata()), numpy.log(line.get_ydata()))
        assert heights == pytest.approx(numpy.log(float(meet)), rel=1e-12)
    assert "here" in texts(figure)


def test_curves_have_formulas_and_axes():
    figure = curves([WORK.where("scores"), flops(model("deepseek-v3"))], "s", [1, 2])
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("s, tokens processed", "FLOPs")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    said = texts(figure)
    assert any("$2 L b s^{2} d$" in text for text in said)
    assert any("L(2bs·r_q·heads(nope + rope)" in text.replace("\n", " ") for text in said)  # too long for beside it
    assert any("b = 1" in text for text in said)


def test_formulas_keep_their_signs():
    s = letter("s")
    figure = curves([Ledger("FLOP", [Term("one", (s**3 - s + 1,))])], "s", [2, 4])
    assert "1\n$s^{3} - s + 1$" in texts(figure)


def test_parts_are_named_as_what_they_are():
    figure = curves([WORK.where("scores") + WORK.where("mix"), WORK.where("query")], "s", [1, 2])
    said = [line.get_label() for line in figure.axes[0].lines]
    assert said == ["layers.attention (scores, mix)", "layers.attention.query"]


def test_curves_refuse():
    gpt2 = flops(model("gpt2"))
    for wrong, error, message in (
        (([], "s", [1, 2]), ModelError, "no ledger"),
        (([WORK] * 15, "s", [1, 2]), ModelError, "15 ledgers .* 14 at most"),
        (([WORK, kv_cache(model("gpt2"))], "s", [1, 2]), UnitError, "FLOPs and elements"),
        (([WORK], "s", []), SizeError, "two values .* none"),
        (([WORK], "s", [5, 5]), SizeError, "two values"),
        (([WORK], "s", [0, 1]), SizeError, "under 1"),
        (([flops(model("llama-7b", s=9))], "s", [1, 2]), SizeError, "s is 9 already"),
        (([flops(model("llama:"))], "s", [1, 2]), SizeError, "must have a value; only s"),
        (([WORK], "tokens", [1, 2]), FormulaError, "unknown symbol"),
        (([gpt2], "s", [1024, 1025]), SizeError, "P = 1,024"),
        (([ledger(0)], "s", [1, 2]), SizeError, "at s = 1: 0 is not above zero"),
        (([ledger(10**400)], "s", [1, 2]), SizeError, "401 digits is too large"),
        (([WORK], "s", [1, 2], [(3, 10**11, "off")]), ModelError, "'off' at s = 3 lies outside"),
        (([WORK], "s", [1, 2], [(0, 1, "off")]), SizeError, "off: 0 is not above zero"),
    ):
        with pytest.raises(error, match=message):
            curves(*wrong)


# icicle

@pytest.mark.parametrize("depth", [1, 3, 6])
@pytest.mark.parametrize("name", NAMES)
def test_icicles_are_shares_inside_of_their_parents(name, depth):
    boxes = {box.get_label(): box for box in icicle(PARAMETERS[name], depth).axes[0].patches}
    whole = boxes[""]
    assert (whole.get_width(), whole.get_height(), whole.get_y()) == (1, 1, 0)
    assert max(map(len, (path.split(".") for path in boxes))) <= depth
    for path, box in boxes.items():
        if not path:
            continue
        level = path.count(".") + 1
        assert box.get_height() * box.get_width() == pytest.approx(float(shares(PARAMETERS[name], level)[path]), 1e-12)
        parent = boxes[path.rpartition(".")[0]]
        assert box.get_x() == parent.get_x() + 1 == level
        assert parent.get_y() - 1e-12 <= box.get_y()
        assert box.get_y() + box.get_height() <= parent.get_y() + parent.get_height() + 1e-12
    for one, two in combinations(boxes.values(), 2):
        if one.get_x() == two.get_x():
            low, high = sorted((one, two), key=lambda box: (box.get_y(), box.get_height()))
            assert low.get_y() + low.get_height() <= high.get_y() + 1e-12


def test_icicles_say_runs_and_shares():
    said = texts(icicle(PARAMETERS["llama-7b"]))
    assert "32 × layers\n96.1 %\n6.48 billion" in said
    assert "embeddings  1.95 %" in said
    assert any(text.startswith("stages.3\n58.6 %") for text in texts(icicle(PARAMETERS["resnet-50"])))


def test_icicles_refuse():
    for wrong, error, message in (
        ((WORK,), SizeError, "s has no value"),
        ((ledger(0),), SizeError, "total is 0"),
        ((ledger(1), 0), ModelError, "depth 0"),
        ((ledger(1), "kind"), ModelError, "depth 'kind'"),
        ((ledger(1), True), ModelError, "depth True"),
        ((ledger(*[1] * 2001), 1), ModelError, "2,001 parts .* 2,000"),
    ):
        with pytest.raises(error, match=message):
            icicle(*wrong)


# fronts

def beaten(point, by, signs) -> bool:
    better = [sign * (one - other) for sign, one, other in zip(signs, by, point, strict=True)]
    return max(better) <= 0 and min(better) < 0


SIGNS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def sweep(seed: int, signs: tuple[int, int], most: int = 9) -> tuple[dict, dict]:
    draw = random.Random(seed)
    points = [(draw.randint(1, most), draw.randint(1, most)) for _ in range(draw.randint(1, 25))]
    front = [point for point in points if not any(beaten(point, other, signs) for other in points)]
    return ({"params": [x for x, _ in points], "flops": [y for _, y in points]},
            {"params": [x for x, _ in front], "flops": [y for _, y in front]})


@pytest.mark.parametrize("signs", SIGNS, ids=str)
def test_fronts_are_unbeaten(signs):
    for seed in range(12):
        points, front = sweep(seed, signs)
        line = frontier(points, front, "params", "flops").axes[0].lines[0]
        shown = list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        assert list(line.get_xdata()) == sorted(front["params"])
        every = list(zip(points["params"], points["flops"], strict=True))
        assert sorted(shown) == sorted(zip(front["params"], front["flops"], strict=True))
        assert not any(beaten(point, other, signs) for point in shown for other in every)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=12),
       st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=6), st.sampled_from(SIGNS))
def test_unbeaten_by_brute_force(cloud, front, signs):
    cloud += front
    expected = not any(beaten(point, other, signs) for point in front for other in cloud)
    assert _unbeaten(numpy.array(cloud, float).T, numpy.array(front, float).T, signs) is expected


def test_fronts_of_xarray():
    xarray = pytest.importorskip("xarray", reason="the extra 'sweep' installs it")
    d, L = xarray.DataArray([8, 16], dims="d"), xarray.DataArray([1, 2, 3], dims="L")
    points = xarray.Dataset({"params": (12 * L * d**2).transpose("L", "d"), "kv@layers": d},
                            {"d": [8, 16], "L": [1, 2, 3]})
    points["params"].attrs.update(unit="parameters", notes="tied weights once; V = 9")
    points["kv@layers"].attrs.update(unit="elements", notes="tied weights once; b = 1")
    points["buildable"] = points["params"] != 12 * 3 * 16**2
    front = points.stack(point=("d", "L")).isel(point=[0, 3])
    figure = frontier(points, front, "params", "kv@layers")
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("parameters", "KV cache of layers, elements")
    shown = {tuple(point) for point in axes.collections[0].get_offsets()}
    assert shown == {(12 * layers * width**2, width) for layers in (1, 2, 3) for width in (8, 16)} - {(12 * 768, 16)}
    assert {"d = 8, L = 1", "d = 16, L = 1", "KV cache of layers over parameters of 5 points, with the front"
            } <= set(texts(figure))
    foot = ("counted: tied weights once; V = 9 (params); b = 1 (kv@layers); front: 2 points, no other lies further "
            "left and higher; points left out that cannot be built: 1")
    assert foot in [" ".join(text.split()) for text in texts(figure)]
    turned = frontier(points, front, "kv@layers", "params")  # dimensions go by name, whatever their order
    assert {tuple(point[::-1]) for point in turned.axes[0].collections[0].get_offsets()} == shown


def test_kv_is_the_quantity_or_the_heads():
    xarray = pytest.importorskip("xarray", reason="the extra 'sweep' installs it")
    numbers = {"params": [1, 2], "kv": [3, 4], "d": [8, 9]}
    figure = frontier(numbers, numbers | {"params": [1, 2]}, "params", "kv")
    assert figure.axes[0].get_ylabel() == "KV cache, bytes"
    assert "d = 8" in texts(figure)
    assert "d = 8" in texts(frontier(numbers | {"flops": [1, 2]}, numbers | {"flops": [1, 2]}, "params", "flops"))
    swept = xarray.Dataset({"params": ("kv", [1, 2]), "kv_bytes": ("kv", [3, 4], {"unit": "bytes"})}, {"kv": [4, 8]})
    figure = frontier(swept, swept, "params", "kv_bytes")
    assert figure.axes[0].get_ylabel() == "KV cache, bytes"
    assert "kv = 4" in texts(figure)
    assert frontier(swept, swept, "params", "kv").axes[0].get_ylabel() == "kv, key-value heads"


def test_points_at_one_place_have_one_label():
    points = {"params": [1, 1, 2, 3], "flops": [2, 2, 1, 3]}
    figure = frontier(points, {"params": [1, 1, 2], "flops": [2, 2, 1], "d": [8, 8, 9], "heads": [2, 4, 3]}, "params",
                      "flops")
    assert {"d = 8, heads = 2 or 4", "d = 9, heads = 3"} <= set(texts(figure))


def test_fronts_refuse():
    good = {"params": [1, 2], "flops": [1, 2]}
    for points, front, x, message in (
        (good, good, "macs", "no 'macs'; known: params, flops"),
        ({"params": [], "flops": []}, good, "params", "0 values"),
        ({"params": [1], "flops": [1, 2]}, good, "params", "1 values and flops has 2"),
        ({"params": [0, 1], "flops": [1, 2]}, good, "params", "above zero"),
        ({"params": [float("nan"), 1], "flops": [1, 2]}, good, "params", "above zero"),
        (good, {"params": [3], "flops": [3]}, "params", "none of the points"),
        ({"params": [1, 2, 3, 2, 2], "flops": [2, 1, 2, 3, 2]}, {"params": [2], "flops": [2]}, "params", "no front"),
    ):
        with pytest.raises(ModelError, match=message):
            frontier(points, front, x, "flops")


# what all have in common

def pictures():
    yield from ((f"bars of {len(names)} at {depth}", lambda n=names, d=depth: bars([PARAMETERS[name] for name in n], d))
                for names in (NAMES[:1], NAMES[1:4], NAMES, TWELVE) for depth in (1, 2, 3))
    yield "bars of long names", lambda: bars([parameters(model("bert-base-uncased:V=40000,L=8,heads=8,h=4096,d=1024")),
                                              ledger(3, name="a_name_without_any_blank_that_goes_on_and_on" * 2)])
    yield from ((f"icicle of {name} to {depth}", lambda n=name, d=depth: icicle(PARAMETERS[n], d))
                for name in NAMES for depth in (1, 3, 5))
    yield "curves of parts", lambda: curves(WORK.by(3), "s", [128, 512, 2048, 8192])
    yield "curves of 12", lambda: curves([flops(model(n)) for n in TWELVE if n != "resnet-50"], "s",
                                         [2**i for i in range(7, 10)])
    yield "crossings", lambda: curves(
        [WORK.where("scores"), WORK.where("mlp"), WORK.where("head")], "s", [128, 131_072],
        [(4096, 10**12, "the first of them"), (5000, 12 * 10**11, "the second, very near"),
         (33_024, 568 * 10**12, "where scores cost as much as the mlp, 3h")])
    draw = random.Random(1)
    x, y = ([draw.randint(1, 10**9) for _ in range(200)] for _ in "xy")
    best = [i for i in range(200) if not any(beaten((x[i], y[i]), other, (1, 1)) for other in zip(x, y, strict=True))]
    yield "frontier", lambda: frontier({"params": x, "flops": y}, {
        "params": [x[i] for i in best], "flops": [y[i] for i in best], "d": best, "L": best}, "params", "flops")


@pytest.mark.parametrize("picture", [one for _, one in pictures()], ids=[name for name, _ in pictures()])
def test_labels_keep_apart(picture):
    apart(picture())


def deuteranope(colour: str) -> numpy.ndarray:
    """Lightness and hue as one sees them without the middle cones. Source: Machado et al. 2009, severity 1."""
    linear = numpy.array([((int(colour[i:i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5)])
    seen = (numpy.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                         [-0.011820, 0.042940, 0.968881]]) @ linear).clip(0, 1)
    white = numpy.array([0.9505, 1, 1.089])
    x, y, z = numpy.cbrt(numpy.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
                         @ seen / white)
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_neighbouring_colours_are_told_apart_by_everybody():
    for one, two in zip(COLOURS, [*COLOURS[1:], COLOURS[0]], strict=True):
        light = [116 * numpy.cbrt(lightness(colour)) - 16 for colour in (one, two)]
        assert abs(light[0] - light[1]) > 10, (one, two)  # in grey
        assert numpy.linalg.norm(deuteranope(one) - deuteranope(two)) > 18, (one, two)
    for one, two in combinations(LINES, 2):
        assert numpy.linalg.norm(deuteranope(one) - deuteranope(two)) > 8, (one, two)


# files

def test_files_are_whole_and_the_same_bytes(tmp_path):
    script = ("from symcount import model, parameters\nfrom symcount.plots import bars, icicle, save\nimport sys\n"
              "for end in ('svg', 'png'):\n"
              "    save(bars([parameters(model(n)) for n in ('gpt2', 'resnet-50', 't5-small')]), f'bars.{end}')\n"
              "    save(icicle(parameters(model('gpt2'))), f'icicle.{end}')\n"
              "assert 'matplotlib.pyplot' not in sys.modules\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])}
    for i, seed in enumerate("12"):
        (tmp_path / seed).mkdir()
        subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=tmp_path / seed, check=True,
                       env={**environment, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": str(10**9 * i)})
    for one in sorted((tmp_path / "1").iterdir()):
        assert one.read_bytes() == (tmp_path / "2" / one.name).read_bytes()
    assert sorted(os.listdir(tmp_path / "1")) == ["bars.png", "bars.svg", "icicle.png", "icicle.svg"]


def test_svg_is_xml_and_says_nothing_of_the_machine(tmp_path):
    save(curves([WORK.where("mlp")], "s", [1, 2]), tmp_path / "a.svg")
    written = (tmp_path / "a.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(written)  # noqa: S314 - we wrote it
    assert root.tag.endswith("svg")
    assert root.find("{http://www.w3.org/2000/svg}title").text == "FLOPs of llama-7b (LlamaForCausalLM), over s"
    for sign in ("dc:date", "dc:creator", str(tmp_path), os.path.expanduser("~"), os.getcwd(), "Matplotlib v",
                 f">{getpass.getuser()}<"):
        assert sign not in written
    save(curves([WORK.where("mlp")], "s", [1, 2]), tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"tEXt" not in (tmp_path / "a.PNG").read_bytes()


@pytest.mark.parametrize("name", ["a.pdf", "a", "svg", ".png/a", "a.svg.txt", ""])
def test_other_suffixes_are_refused(tmp_path, name):
    with pytest.raises(ModelError, match=r"ends with \.png or \.svg"):
        save(bars([ledger(1)]), tmp_path / name if name else "")
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_of_a_file_that_fails(tmp_path, monkeypatch):
    figure = bars([ledger(1)])
    with pytest.raises(ModelError, match="cannot write"):
        save(figure, tmp_path / "none" / "a.png")
    (tmp_path / "a.svg").write_text("old")

    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(ModelError, match="No space left"):
        save(figure, tmp_path / "a.svg")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.svg", "old")]


def test_settings_are_left_as_they_were_and_change_nothing(tmp_path):
    before = dict(mpl.rcParams)
    save(bars([ledger(3, 4)]), tmp_path / "one.svg")
    assert dict(mpl.rcParams) == before
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red", "svg.fonttype": "none"}):
        save(bars([ledger(3, 4)]), tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    figure = bars([ledger(1)])
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    points = {"params": [1], "flops": [1]}
    for draw in (lambda: bars([ledger(1)]), lambda: curves([WORK], "s", [1, 2]), lambda: icicle(ledger(1)),
                 lambda: frontier(points, points, "params", "flops"), lambda: save(figure, "a.png")):
        with pytest.raises(SymcountError, match=r"symcount\[plot\]"):
            draw()


@pytest.mark.parametrize("name", ["$\\frac{$", "_hidden", "$a$", "100 %\\d", "a$b", "x^2_y", "tail\\", "\\$"])
def test_names_are_drawn_as_they_are(name, tmp_path):
    shares = {name: ledger(5, 7, name=name), "b": Ledger("parameter", [Term(f"{name}.up", (3,)), Term("b", (4,))])}
    shown = bars(shares)
    save(shown, str(tmp_path / "bars.png"))
    assert any(name in one.get_text() for legend in shown.legends for one in legend.get_texts())
    save(icicle(shares["b"]), str(tmp_path / "icicle.png"))
    lines = {name: Ledger("FLOP", [Term("a", (letter("s"),))]), "b": Ledger("FLOP", [Term("a", (letter("s") ** 2,))])}
    save(curves(lines, "s", [2, 4]), str(tmp_path / "curves.png"))
    save(frontier({name: [1, 2], "y": [4, 2]}, {name: [1, 2], "y": [4, 2]}, name, "y"), str(tmp_path / "front.png"))
