"""Memory traffic and the roofline, by hand sums: what every operation reads and writes, and which roof bounds it."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import pytest
import sympy

from symcount import intensity, model, parameters, roofline, traffic
from symcount.conventions import Convention
from symcount.derivation import number
from symcount.errors import ModelError, ShapeError, SizeError
from symcount.forms import Number
from symcount.given import amount as positive
from symcount.layers import linear, norm
from symcount.layers.experts import gated_experts
from symcount.layers.latent import latent_attention
from symcount.layers.recurrent import gru
from symcount.layers.vision import token
from symcount.masks import Mask
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    lookup,
    pointwise,
    rename,
    repeat,
    select,
    tensor,
    top,
    weight,
    window,
    within,
)
from symcount.readers.parameters import buffers
from symcount.readers.traffic import operation_of
from symcount.render import data, latex, markdown, seconds, significant, text
from symcount.scopes import Shared
from symcount.sizes import letter
from symcount.symbols import symbol

b, s, t, d, h, heads, k, kv = map(letter, ("b", "s", "t", "d", "h", "heads", "k", "kv"))
FORMS = ("nothing", "elementwise", "attention")


def numbers(net, **kw):
    """{path of an operation: (weights read, other numbers read, numbers written)}."""
    found = {}
    for term in traffic(net, width=1, **kw).terms:
        row = found.setdefault(operation_of(term.path), [0, 0, 0])
        row[0 if term.kinds[0] == "weight" else 1 if term.kinds[1] == "read" else 2] += term.size
    return {path: tuple(row) for path, row in found.items()}


def total(net, **kw):
    return traffic(net, width=1, **kw).total


# ---------------------------------------------------------------- one product, in closed form

@pytest.mark.parametrize("width", [2, 4, 1, Fraction(1, 2), "1/2", "2"])
def test_one_linear_layer(width):
    layer = linear(tensor(b=b, s=s, d=d), "layer", bias=False, h=h)
    B, S, D, H = (symbol(name) for name in "bsdh")
    each = sympy.Rational(str(width))
    assert sympy.expand(traffic(layer, width=width).closed_form - each * (B*S*D + D*H + B*S*H)) == 0
    assert sympy.cancel(intensity(layer, width=width) - 2*B*S*D*H / (each * (B*S*D + D*H + B*S*H))) == 0


def test_one_token_does_about_one_flop_for_each_byte():
    d, h = 4096, 11008
    one = intensity(linear(tensor(b=1, s=1, d=d), "layer", bias=False, h=h))
    assert one == Fraction(2*d*h, 2 * (d + d*h + h))
    assert 0.999 < one < 1


def test_a_bias_is_an_operation_of_its_own():
    layer = linear(tensor(s=5, d=3), "layer", h=4)
    assert numbers(layer) == {"layer": (12, 15, 20), "layer.bias": (4, 20, 20)}
    assert numbers(layer, fused="elementwise") == {"layer": (12, 15, 20)}


def test_sizes_may_be_sympy():
    S, D = symbol("s"), symbol("d")
    layer = linear(tensor(s=S, d=D), "layer", bias=False, h=4 * D)
    assert sympy.expand(traffic(layer, width="1/2").closed_form - (S*D + 4*D**2 + 4*S*D) / 2) == 0


# ---------------------------------------------------------------- a layer of LLaMA-7B, operation by operation

D, H, HEADS, LAYERS, VOCABULARY = 4096, 11008, 32, 32, 32000


def llama_layer(s, t):
    """What each operation reads of weights, reads else, and writes: worked out here from the paper's sizes."""
    rows, wide, scores, cache = s * D, s * H, HEADS * s * t, t * D
    maps = dict.fromkeys(("attention.query", "attention.key", "attention.value", "attention.output"),
                         (D * D, rows, rows))
    return {
        "attention_norm": (D, rows, rows), **maps,
        "attention.rotary": (0, 2 * rows, 2 * rows),  # queries and keys
        "attention.scores": (0, rows + cache, scores),
        "attention.attention_scale": (0, scores, scores), "attention.softmax": (0, scores, scores),
        "attention.mix": (0, scores + cache, rows),
        "mlp_norm": (D, rows, rows),
        "mlp.gate": (D * H, rows, wide), "mlp.act": (0, wide, wide), "mlp.up": (D * H, rows, wide),
        "mlp.product": (0, 2 * wide, wide), "mlp.down": (D * H, wide, rows),
        "residual": (0, 4 * rows, 2 * rows),  # after attention, and after the MLP
    }


@pytest.mark.parametrize(("phase", "s", "t"), [("forward", 2048, 2048), ("decode", 1, 2048)])
def test_llama_7b_by_hand(phase, s, t):
    around = {"embeddings": (s * D, 0, s * D), "norm": (D, s * D, s * D),
              "head": (D * VOCABULARY, s * D, s * VOCABULARY)}
    every = {f"layers.{path}": row for path, row in llama_layer(s, t).items()}
    runs = {"s": 2048} if phase == "forward" else {"t": 2048}
    found = traffic(model("llama-7b"), phase=phase, **runs)
    by_hand = {**{path: LAYERS * 2 * sum(row) for path, row in every.items()},
               **{path: 2 * sum(row) for path, row in around.items()}}
    ours = {path: found.where(path).total for path in by_hand}
    assert ours == by_hand
    assert found.total == sum(by_hand.values())
    weights = LAYERS * sum(row[0] for row in every.values()) + sum(row[0] for row in around.values())
    assert found.by("kind")["weight"].total == 2 * weights
    # 13 GB of weights, once: all parameters but the words that were not looked up
    assert weights == parameters(model("llama-7b")).total - (VOCABULARY - s) * D


@pytest.mark.parametrize(("phase", "s", "t"), [("forward", 2048, 2048), ("decode", 1, 2048)])
def test_llama_7b_fused_by_hand(phase, s, t):
    runs = {"s": 2048} if phase == "forward" else {"t": 2048}
    products = ("query", "key", "value", "output", "scores", "mix", "gate", "up", "down")
    layer = {path: row for path, row in llama_layer(s, t).items() if path.split(".")[-1] in products}
    head = D * VOCABULARY + s * D + s * VOCABULARY
    apart = LAYERS * sum(map(sum, layer.values())) + head
    on_chip = LAYERS * 2 * HEADS * s * t  # scores are not written, and what the softmax made of them is not read
    assert total(model("llama-7b"), phase=phase, fused="elementwise", **runs) == apart
    assert total(model("llama-7b"), phase=phase, fused="attention", **runs) == apart - on_chip


# ---------------------------------------------------------------- whole models: each weight is read once

@pytest.mark.parametrize(("name", "sizes", "unread"), [
    ("gpt2", {"s": 16}, lambda z: (z["P"] - 16) * z["d"] - 16 * z["d"]),  # tied: the head reads the whole table too
    ("bert-base-uncased", {"s": 16}, lambda z: (z["V"] - 16 + z["P"] - 16) * z["d"]),  # both types of token are read
    ("olmo-1b", {"s": 16}, lambda z: -16 * z["d"]),
    ("llama-7b", {"s": 40_000}, lambda z: 0),  # more tokens than words
    ("resnet-50", {"side": 224}, lambda z: -buffers(model("resnet-50")).total),  # norms read their statistics
])
def test_every_weight_is_read_once(name, sizes, unread):
    subject = model(name)
    read = traffic(subject, width=1, **sizes).by("kind")["weight"].total
    assert read == parameters(subject).total - unread(subject.values)


def test_shared_layers_read_their_weights_in_every_run():
    x = tensor(s=2, d=3)
    mark = Shared()
    own = within("layers", lambda x: linear(x, "map", bias=False, d=3), x, runs=5)
    shared = within("layers", lambda x: linear(x, "map", bias=False, d=3), x, runs=5, shared=mark)
    assert (parameters(own).total, parameters(shared).total) == (45, 9)
    assert total(own) == total(shared) == 5 * (6 + 9 + 6)


def test_a_recurrence_reads_its_weights_at_every_step():
    d, m, s = 3, 4, 7
    net = gru(tensor(b=1, s=s, d=d), "cell", m=m, biases=None)
    read = numbers(net)
    assert read["cell.input"] == (3*d*m*s, d*s, 3*m*s)
    assert read["cell.recurrent"] == (3*m*m*s, m*s, 3*m*s)


# ---------------------------------------------------------------- views move nothing

def test_what_is_repeated_is_read_once():
    x, y = tensor(s=2, d=3), tensor("y", t=5, d=3)
    net = contract(repeat(x, g=7), repeat(y, g=7), to="g s t", name="scores")
    assert numbers(net) == {"scores": (0, 6 + 15, 70)}


def test_a_window_is_read_once():
    x = tensor(s=10, d=3)
    kernel = weight("kernel", w=3, d=3, c=2)
    net = contract(window(x, s=("w", 3), pad=1), kernel, to="s c", name="convolution")
    assert numbers(net) == {"convolution": (18, 30, 20)}


def test_a_learned_token_is_a_weight():
    x = token(tensor(b=4, s=9, d=5), "class")
    net = pointwise(x, weight("position", s=10, d=5), kind="add", name="placed")
    assert numbers(net) == {"placed": (5 + 50, 4 * 9 * 5, 4 * 10 * 5)}


def test_a_part_is_read_alone():
    whole = linear(tensor(s=2, d=3), "both", bias=False, c=8)
    left, right = cut(whole, "c", 2, 6)
    net = pointwise(concat(left, left, left, axis="c"), right, kind="add")
    assert numbers(net)["add"] == (0, 3 * 4 + 12, 12)
    first = pointwise(select(whole, "s"), kind="tanh")
    assert numbers(first)["tanh"] == (0, 8, 8)


def test_a_part_of_what_is_repeated_is_refused():
    net = pointwise(cut(repeat(tensor(s=2, d=3), g=4), "g", 1, 3)[1], kind="relu")
    with pytest.raises(ShapeError, match=r"x\[g=3 s=2 d=3\].*only the whole of it"):
        traffic(net)


def test_what_goes_round_a_loop_is_read_whole():
    """Streams that start equal are repeated in the first run only."""
    net = within("layers", lambda x: pointwise(x, kind="relu"), repeat(tensor(s=2, d=3), n=4), runs=5)
    assert numbers(net) == {"layers.relu": (0, 5 * 24, 5 * 24)}


def test_a_state_that_starts_as_a_weight_is_none():
    net = within("layers", lambda x: pointwise(x, kind="relu"), weight("start", s=2, d=3), runs=5)
    assert numbers(net) == {"layers.relu": (0, 5 * 6, 5 * 6)}
    assert numbers(pointwise(select(weight("rows", n=4, d=3), "n"), kind="relu")) == {"relu": (3, 0, 3)}


def test_zeros_read_nothing():
    assert numbers(pointwise(tensor(s=2), kind="zeros")) == {"zeros": (0, 0, 2)}


def test_latent_attention_reads_the_part_that_heads_share_once():
    z = SimpleNamespace(heads=4, r_kv=6, nope=5, rope=2, v=3, query_rank=False)
    net = latent_attention(tensor(b=1, s=7, d=8), z, t=7)
    read = numbers(net)
    query, key = 7 * 4 * (5 + 2), 7 * 4 * 5 + 7 * 2
    assert read["scores"] == (0, query + key, 4 * 49)
    assert read["mix"] == (0, 4 * 49 + 7 * 4 * 3, 7 * 4 * 3)


@pytest.mark.parametrize(("ids", "rows", "read"), [(2, 5, 2), (5, 5, 5), (9, 5, 5)])
def test_a_look_up_takes_no_row_twice(ids, rows, read):
    net = lookup(tensor("ids", s=ids), weight("word", V=rows, d=3), "words")
    assert numbers(net) == {"words": (3 * read, 0, 3 * ids)}


# ---------------------------------------------------------------- experts

@pytest.mark.parametrize(("tokens", "E", "K"), [(1, 4, 2), (2, 3, 1), (2, 4, 2), (3, 4, 1), (3, 5, 2), (4, 3, 3)])
def test_the_most_experts_that_tokens_can_choose(tokens, E, K):
    choices = [set(one) for one in product(range(E), repeat=K) if len(set(one)) == K]
    most = max(len(set().union(*chosen)) for chosen in product(choices, repeat=tokens))
    d, h = 5, 6
    x, scores = tensor(b=1, s=tokens, d=d), tensor("scores", b=1, s=tokens, E=E)
    read = numbers(gated_experts(x, top(scores, E=("e", K)), E=E, h=h, bias=True))
    assert read["gate"] == (most * d * h, tokens * d, tokens * K * h)
    assert read["down"] == (most * d * h, tokens * K * h, tokens * K * d)
    assert read["down.bias"] == (most * d, tokens * K * d, tokens * K * d)


@pytest.mark.parametrize(("runs", "experts"), [({"s": 512}, 8), ({"phase": "decode", "t": 9}, 2),
                                               ({"phase": "decode", "t": 9, "b": 3}, 6),
                                               ({"phase": "decode", "t": 9, "b": 5}, 8)])
def test_mixtral(runs, experts):
    found = traffic(model("mixtral-8x7b"), width=1, **runs)
    read = sum(term.path.endswith(".weights") for term in found.where("experts").terms)
    assert read == 3
    assert found.where("experts").by("kind")["weight"].total == 32 * 3 * experts * 4096 * 14336
    assert "of the experts the most that the tokens can choose" in found.notes


# ---------------------------------------------------------------- decoding

def test_a_window_bounds_what_a_step_reads():
    found = traffic(model("mistral-7b-v0.1"), width=1, phase="decode", t=10_000)
    mistral = model("mistral-7b-v0.1").values
    assert (mistral["window"], mistral["kv"], mistral["k"], mistral["heads"]) == (4096, 8, 128, 32)
    kept = 32 * (32 * 128 + 4096 * 8 * 128 + 32 * 4096)
    assert found.where("attention.scores").total == kept
    assert found.where("attention.softmax").total == 32 * 2 * 32 * 4096
    assert found.where("attention.mix").total == kept
    short = traffic(model("mistral-7b-v0.1"), width=1, phase="decode", t=100)
    assert short.where("attention.scores").total == 32 * (32 * 128 + 100 * 8 * 128 + 32 * 100)


def windowed(z):
    """Scores of a window beside scores of a few rows that all see, under one softmax."""
    query = linear(tensor(b=z.b, s=z.s, d=z.d), "query", bias=False, k=z.d)
    key = cached(linear(tensor(b=z.b, s=z.s, d=z.d), "key", bias=False, k=z.d), "key", s=("t", z.t))
    near = contract(query, key, to="b s t", name="near", mask=Mask(causal=True, window=z.window))
    far = contract(query, weight("far.rows", t=z.globals, k=z.d), to="b s t", name="far")
    near = pointwise(near, tensor("distance", s=z.s, t=z.t), kind="add", name="placed")
    weights = pointwise(concat(near, far, axis="t"), kind="softmax")
    near, _ = cut(weights, "t", z.t, z.globals)
    return contract(near, key, to="b s k", name="mix", mask=Mask(causal=True, window=z.window))


def test_a_window_bounds_elementwise_work_too():
    found = traffic(model(windowed, d=6, window=8, globals=3), width=1, phase="decode", t=100)
    by_hand = {"near": 6 + 8 * 6 + 8, "placed": 8 + 8 + 8, "softmax": 2 * (8 + 3), "mix": 8 + 8 * 6 + 6}
    assert {path: found.where(path).total for path in by_hand} == by_hand


def test_a_step_of_a_decoder_reads_what_the_encoder_left():
    found = traffic(model("t5-small"), width=1, phase="decode", s=50, t=20)
    kept = {path: found.where(path).total for path in ("decoder.layers.cross.scores", "decoder.layers.cross.mix")}
    assert kept == dict.fromkeys(kept, 6 * (512 + 50 * 512 + 8 * 50))
    assert not any(term.path.startswith("encoder") for term in found.terms)


@pytest.mark.parametrize(("name", "where"), [
    ("mamba-130m", "layers.mixer.convolution"), ("rwkv-4-169m", "layers.mixer.row"), ("mamba2-130m", "layers.mixer")])
def test_a_state_that_no_cache_holds_is_refused(name, where):
    with pytest.raises(ModelError, match=f"{where}.* is a state: what one more token costs it is not written"):
        traffic(model(name), phase="decode", t=9)


def test_what_does_not_run_reads_nothing():
    gate = cut(tensor("gate", s=5, k=2), "s", 0, 5)[0]
    net = pointwise(gate, weight("position", k=2), kind="add", name="placed")
    assert total(net) == 0


# ---------------------------------------------------------------- scores on the chip

def attend(query, key, value, *, between=None):
    scores = contract(query, key, to="b g q s t", name="scores")
    scores = between(scores) if between else scores
    weights = pointwise(pointwise(scores, kind="attention_scale"), kind="softmax")
    return contract(weights, value, to="b s g q k", name="mix"), scores, weights


def attention_of(s, t):
    return tensor("query", b=1, s=s, g=1, q=4, k=5), *(tensor(name, b=1, t=t, g=1, k=5) for name in ("key", "value"))


QUERY = tensor("query", b=b, s=s, g=kv, q=heads, k=k)  # here heads counts those of a group
KEY, VALUE = (tensor(name, b=b, t=t, g=kv, k=k) for name in ("key", "value"))


def test_attention_reads_three_and_writes_one():
    B, S, T, Q, K, G = (symbol(name) for name in ("b", "s", "t", "heads", "k", "kv"))
    mixed, *_ = attend(QUERY, KEY, VALUE)
    rows, cache, scores = B*S*G*Q*K, B*T*G*K, B*G*Q*S*T
    forms = {form: sympy.expand(traffic(mixed, fused=form).closed_form) for form in FORMS}
    assert forms["attention"] == sympy.expand(2 * (2*rows + 2*cache))
    assert forms["elementwise"] == sympy.expand(2 * (2*rows + 2*cache + 2*scores))
    assert forms["nothing"] == sympy.expand(2 * (2*rows + 2*cache + 6*scores))


def test_scores_that_something_else_reads_are_written():
    mixed, scores, weights = attend(*attention_of(2, 3))
    assert numbers(mixed, fused="attention")["scores"] == (0, 2*4*5 + 3*5, 0)
    for more in (scores, weights, linear(scores, "probe", over="t", bias=False, d=7), top(scores, t=("w", 2))):
        assert numbers((mixed, more), fused="attention")["scores"] == (0, 2*4*5 + 3*5, 4*2*3)


def test_scores_that_the_next_layer_adds_are_written():
    query, key, value = attention_of(2, 3)

    def layer(query, before, *, handed):
        scores = contract(query, key, to="b g q s t", name="scores")
        scores = pointwise(scores, before, kind="add", name="sum")
        mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix")
        return mixed, scores if handed else before

    before = tensor("before", b=1, g=1, q=4, s=2, t=3)
    written = [numbers(within("layers", layer, query, before, runs=5, handed=handed)[0],
                       fused="attention")["layers.scores"][2] for handed in (False, True)]
    assert written == [0, 5 * 4*2*3]


def test_heads_that_talk_are_no_scores_on_the_chip():
    talk = weight("talk", q=heads, p=heads)
    mixed, *_ = attend(QUERY, KEY, VALUE, between=lambda x: rename(
        contract(x, talk, to="b g p s t", name="talk"), p="q"))
    assert sympy.expand(traffic(mixed, fused="attention").closed_form
                        - traffic(mixed, fused="elementwise").closed_form) == 0


def test_a_router_is_no_attention():
    subject = model("mixtral-8x7b")
    routers = [traffic(subject, fused=form, s=64).where("router").total for form in ("elementwise", "attention")]
    assert routers[0] == routers[1] == 32 * 2 * (64 * 4096 + 4096 * 8 + 64 * 8)


@pytest.mark.parametrize("name", ["bert-base-uncased", "gpt2", "llama-2-70b", "deepseek-v3", "t5-small", "resnet-18",
                                  "vit-base-patch16-224", "mamba-130m", "mamba2-130m", "gpt-oss-20b",
                                  "swin-tiny-patch4-window7-224"])
def test_more_is_fused_less_is_moved(name):
    sizes = {} if "resnet" in name or "vit" in name or "swin" in name else {"s": 64}
    found = [traffic(model(name), fused=form, **sizes).total for form in FORMS]
    assert found[0] > found[1] >= found[2]


# ---------------------------------------------------------------- the roofline

def stack():
    """Two products of unlike intensity with a relu between: 2·4·3·8 + 2·4·8·5 FLOPs."""
    x = pointwise(linear(tensor(b=4, d=3), "up", bias=False, h=8), kind="relu")
    return linear(x, "down", over="h", bias=False, C=5)


BYTES = {"up": 2 * (12 + 24 + 32), "relu": 2 * 64, "down": 2 * (32 + 40 + 20)}
FLOPS = {"up": 192, "relu": 0, "down": 320}


@pytest.mark.parametrize(("peak", "bandwidth"), [(10, 1), (1, 10), (3, 2), ("1.5", "0.25"), (Fraction(7, 3), 2.0)])
def test_times_by_hand(peak, bandwidth):
    found = roofline(stack(), peak, bandwidth)
    p, w = (Fraction(str(one)) for one in (peak, bandwidth))
    by_hand = {name: max(FLOPS[name] / p, BYTES[name] / w) for name in BYTES}
    assert {row.part: row.seconds for row in found.rows} == by_hand
    assert found.total.seconds == sum(by_hand.values())
    assert {row.part: row.intensity for row in found.rows} == {n: Fraction(FLOPS[n], BYTES[n]) for n in BYTES}
    assert {row.part: row.bound for row in found.rows} == {
        n: "compute" if FLOPS[n] * w >= BYTES[n] * p else "memory" for n in BYTES}
    assert found.told == {"peak": p, "bandwidth": w, "ridge": p / w}
    assert (found.total.flops, found.total.bytes) == (512, sum(BYTES.values()))


def test_at_the_ridge_arithmetic_bounds():
    ridge = Fraction(FLOPS["down"], BYTES["down"])
    bounds = [next(row.bound for row in roofline(stack(), peak, 10**6).rows if row.part == "down")
              for peak in (ridge * 10**6, ridge * 10**6 + 1)]
    assert bounds == ["compute", "memory"]


def test_the_total_does_not_hang_on_the_depth():
    found = [roofline(model("llama-7b"), "312e12", "2.039e12", s=100, depth=depth) for depth in (1, 2, 3, 9)]
    assert len({one.total for one in found}) == 1
    for one in found:
        for depth in (1, 2, 3):
            inner = [row for row in one.rows if row.depth == depth + 1]
            for row in one.rows:
                parts = [each for each in inner if each.part.startswith(f"{row.part}.")]
                if row.depth == depth and parts:
                    assert sum(each.seconds for each in parts) == row.seconds
                    assert sum(each.bytes for each in parts) == row.bytes
                    assert sum(each.flops for each in parts) == row.flops
    assert [row.part for row in found[0].rows] == ["embeddings", "layers", "norm", "head"]
    assert found[0].rows[1].runs == Number(32)


def test_a_step_of_llama_7b_on_one_chip():
    """14.3 GB at 2.039 TB/s: 7.03 ms, and nothing but memory bounds it."""
    found = roofline(model("llama-7b"), "312e12", "2.039e12", phase="decode", t=2048)
    assert {row.bound for row in found.rows} == {"memory"}
    assert found.total.seconds == Fraction(found.total.bytes, 2_039_000_000_000)
    assert found.total.bytes == traffic(model("llama-7b"), phase="decode", t=2048).total
    assert Fraction(702, 10**5) < found.total.seconds < Fraction(703, 10**5)


def test_a_part_without_products():
    found = roofline(model("llama-7b").part("layers.mlp_norm"), "312e12", "2.039e12", s=16)
    assert (found.total.flops, found.total.bytes) == (0, 32 * 2 * (4096 + 2 * 16 * 4096))
    assert "@layers.mlp_norm" in found.title
    one = model("llama-7b").part("layers.mlp")
    assert intensity(one, s=16) == Fraction(32 * 3 * 2 * 16 * 4096 * 11008, traffic(one, s=16).total)


def test_elementwise_work_counts_where_a_convention_rates_it():
    rule = Convention("mine", says="a relu is one FLOP", source="here", rates={"relu": 1})
    found = {row.part: row for row in roofline(stack(), 1, 1, convention=rule).rows}
    assert (found["relu"].flops, found["relu"].bytes) == (32, 128)
    fused = {row.part: row for row in roofline(stack(), 1, 1, convention=rule, fused="elementwise").rows}
    assert (fused["relu"].flops, fused["relu"].bytes, fused["relu"].intensity) == (32, 0, None)
    assert (fused["relu"].bound, fused["relu"].seconds) == ("compute", 32)


# ---------------------------------------------------------------- how it is shown

SHOWN = """roofline

part   FLOPs  bytes  FLOPs/byte  bound by  least time
up       192    136       1.412  compute        192 s
relu       0    128           0  memory         128 s
down     320    184       1.739  compute        320 s
total    512    448       1.143  compute        640 s

counted: matmul: 2 FLOPs a multiply-add, full s·t scores, logits at every position, no elementwise work, no look-ups; \
every operation reads its operands once and writes its result, 2 bytes a number, no ids; peak 1 FLOPs a second, \
bandwidth 1 bytes a second: ridge 1 FLOPs a byte; operations one after another"""


def test_text():
    assert text.listing(roofline(stack(), 1, 1).listing()) == str(roofline(stack(), 1, 1)) == SHOWN


def test_markdown_and_latex():
    found = roofline(within("block_1", lambda x: norm(x, "norm", shift=False), tensor(s=2, d=3), runs=2), 1, 1000)
    assert "| 2 × block\\_1 | 0 | 60 | 0 | memory | 60 ms |" in markdown.listing(found.listing())
    assert found._repr_mimebundle_()["text/markdown"] == markdown.listing(found.listing())
    shown = latex.listing(found.listing())
    assert r"\text{2 }\times \text{ block}\_\text{1} & 0 & 60 & 0 & \text{memory} & \text{60 ms}" in shown


def test_json_is_exact():
    found = roofline(stack(), "1/3", 2)
    shown = json.loads(json.dumps(data.as_listing(found.listing())))
    assert found.told["ridge"] == Fraction(1, 6)
    assert shown["rows"][0] == {"part": "up", "flops": 192, "bytes": 136, "intensity": "24/17", "bound": "compute",
                                "seconds": 576}
    assert shown["rows"][-1]["seconds"] == 192 * 3 + 64 + 320 * 3


@pytest.mark.parametrize(("amount", "shown"), [
    (0, "0"), (7, "7"), (12, "12"), (1234, "1,234"), (12345, "12,350"), (99995, "100,000"), (Fraction(1, 2), "0.5"),
    (Fraction(1, 3), "0.3333"), (Fraction(2, 3), "0.6667"), (Fraction(1, 3000), "0.0003333"),
    (Fraction(99996, 100000), "1.000"), (Fraction(312000, 2039), "153.0"), (Fraction(1000001, 1000), "1,000"),
    (Fraction(1, 1024), "0.0009766"), (Fraction(20001, 2000), "10.00"), (Fraction(9999, 1000), "9.999"),
])
def test_significant_digits(amount, shown):
    assert significant(amount) == shown


@pytest.mark.parametrize(("amount", "shown"), [
    (0, "0 s"), (1, "1 s"), (90, "90 s"), (Fraction(1, 1000), "1 ms"), (Fraction(1, 10**6), "1 μs"),
    (Fraction(7, 10**10), "0.7 ns"), (Fraction(9999, 10**7), "999.9 μs"),
])
def test_times_are_shown_in_their_unit(amount, shown):
    assert seconds(amount) == shown


def test_the_formula_of_a_layer():
    from symcount.counting import formula
    layer = linear(tensor(b=b, s=s, d=d), "layer", bias=False, h=h)
    assert text.form(formula(traffic(layer))) == "2bsd + 2bsh + 2dh"
    assert text.form(formula(traffic(layer, width=Fraction(1, 2)))) == "bsd/2 + bsh/2 + dh/2"


# ---------------------------------------------------------------- what is refused

@pytest.mark.parametrize(("given", "is_"), [
    ("312e12", 312 * 10**12), ("2.039e12", 2_039 * 10**9), (312e12, 312 * 10**12), ("1/2", Fraction(1, 2)),
    ("0.5", Fraction(1, 2)), (Fraction(3, 2), Fraction(3, 2)), (sympy.Rational(1, 2), Fraction(1, 2)), (4, 4),
])
def test_exact_numbers(given, is_):
    assert positive("peak", given) == is_


@pytest.mark.parametrize("given", [0, -1, "0", "-2", True, None, 0.1, 1e300, float("inf"), float("nan"), [1], 2.0**53])
def test_no_positive_number(given):
    with pytest.raises(SizeError, match="peak = "):
        roofline(stack(), given, 1)
    with pytest.raises(SizeError, match="bandwidth = "):
        roofline(stack(), 1, given)
    with pytest.raises(SizeError, match="width = "):
        traffic(stack(), width=given)


@pytest.mark.parametrize("given", ["two", "d", "", "1e", "312 e12"])
def test_no_number(given):
    with pytest.raises(SizeError):
        positive("peak", given)


@pytest.mark.parametrize(("asked", "says"), [
    ({"phase": "train"}, "traffic has the phases forward and decode, not train"),
    ({"phase": "generate", "new": 4}, "not generate"),
    ({"phase": "decod"}, "unknown phase 'decod'; did you mean 'decode'"),
    ({"fused": "atention"}, "did you mean 'attention'"),
    ({"fused": "all"}, "known: attention, elementwise, nothing"),
    ({"new": 3}, "not read by traffic"),
])
def test_words_that_are_refused(asked, says):
    with pytest.raises(ModelError, match=says):
        traffic(model("gpt2"), **asked)


def test_more_that_is_refused():
    with pytest.raises(ModelError, match="decode needs a model"):
        traffic(stack(), phase="decode")
    with pytest.raises(SizeError, match=r"s has no value; say s=…"):
        roofline(model("gpt2"), 1, 1)
    with pytest.raises(ModelError, match="depth = 0"):
        roofline(stack(), 1, 1, depth=0)
    with pytest.raises(ModelError, match="no bytes are moved"):
        intensity(tensor(s=2))
    with pytest.raises(ModelError, match=r"no part 'layers\.attn'"):
        roofline(model("gpt2").part("layers.attn"), 1, 1, s=4)
    for rule in (Convention("of_weights", says="", source="", weights="all"),
                 Convention("of_tool", says="", source="", unit="multiply-add"),
                 Convention("of_shape", says="", source="", sizes={"h": "4d"})):
        with pytest.raises(ModelError, match="does not count FLOPs operation by operation"):
            intensity(stack(), convention=rule)


def test_traffic_does_not_add_to_other_bytes():
    from symcount.errors import UnitError
    with pytest.raises(UnitError, match="two conventions"):
        traffic(stack()) + traffic(stack(), fused="elementwise")
    assert number(traffic(stack()).total) == Number(448)
