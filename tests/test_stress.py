"""Families that are hard to count, written here over the verbs, against numbers measured on the real implementations.

Measured: transformers 5.23.0 on the meta device, torch.utils.flop_counter (2 FLOPs a multiply-add); the row is named
beside the number. What no row says is counted by hand where it stands. Each network runs over ints and over letters.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from symcount.layers import embed, gated, linear, mlp, norm, residual
from symcount.ledger import Ledger, Term
from symcount.network import (
    cached,
    concat,
    contract,
    cut,
    keep,
    lookup,
    pointwise,
    rename,
    repeat,
    select,
    tensor,
    top,
    walk,
    weight,
    window,
    within,
)
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.work import flops, multiply_adds
from symcount.scopes import Shared, repeats
from symcount.sizes import letter, per


def count(reader, forward, **sizes):
    """What a reader says of a network over ints, which is what it says over letters with these values."""
    by_ints = reader(forward(SimpleNamespace(**sizes))).total
    assert type(by_ints) is int
    open_ = reader(forward(SimpleNamespace(**{name: letter(name) for name in sizes})))
    assert Ledger(open_.unit, open_.terms, sizes, bounds=open_.bounds).total == by_ints
    return by_ints


def step_of(net):
    """The multiply-adds of one more token: what feeds rows that are all remembered does not run again."""
    return sum(Term(op.path, tuple(op.details["all"].values()), repeats(op.scope)).size
               for op in walk(net, step=True) if op.verb == "contract")


def remembered(net):
    """The elements that `cached` keeps, over all layers."""
    return sum(Term(op.path, tuple(op.axes.values()), repeats(op.scope)).size
               for op in walk(net) if op.verb == "cached")


def attend(x, memory, *, heads, kv, k, rows, bias=False, relative=None):
    """Attention of x to the rows of a memory, both of axis s; `rows` is the axis and size of what is remembered."""
    query = linear(x, "query", bias=bias, g=kv, q=per(heads, kv), k=k)
    key = cached(linear(memory, "key", bias=bias, g=kv, k=k), "key", s=rows)
    value = cached(linear(memory, "value", bias=bias, g=kv, k=k), "value", s=rows)
    key, value = (rename(y, s="t") if rows[0] == "s" else y for y in (key, value))
    scores = contract(query, key, to="b g q s t", name="scores")
    scores = scores if relative is None else pointwise(scores, relative, kind="add")
    mixed = contract(pointwise(scores, kind="softmax"), value, to="b s g q k", name="mix")
    return linear(mixed, "output", over="g q k", bias=bias, d=x.axes["d"])


def experts(x, *, E, K, h):
    """K of E gated networks of width h for each token."""
    chosen = top(linear(x, "router", bias=False, E=E), E=("e", K))

    def rows(name, **axes):
        return lookup(chosen, weight(f"{name}.weight", E=E, **axes), f"{name}.rows")

    d = x.axes["d"]
    gate = contract(x, rows("gate", d=d, h=h), to="b s e h", name="gate")
    up = contract(x, rows("up", d=d, h=h), to="b s e h", name="up")
    y = contract(pointwise(gate, up, kind="silu"), rows("down", h=h, d=d), to="b s e d", name="down")
    return pointwise(y, kind="weighted sum", to="b s d")


# ---------------------------------------------------------------- Mixtral: experts

def mixtral(z):
    def block(x):
        y = norm(x, "attention_norm", shift=False)
        x = residual(x, within("attention", attend, y, y, heads=z.heads, kv=z.kv, k=per(z.d, z.heads),
                               rows=("t", z.t)))
        return residual(x, within("experts", experts, norm(x, "experts_norm", shift=False), E=z.E, K=z.K, h=z.h))

    x, _ = embed(tensor("ids", b=z.b, s=z.s), "word", V=z.V, d=z.d)
    x = norm(within("layers", block, x, runs=z.L), "norm", shift=False)
    return linear(x, "head", bias=False, V=z.V)


MIXTRAL = {"V": 32_000, "d": 4_096, "h": 14_336, "L": 32, "heads": 32, "kv": 8, "E": 8, "K": 2}
ODD_MIXTRAL = {"V": 257, "d": 72, "h": 112, "L": 3, "heads": 3, "kv": 3, "E": 7, "K": 2}

# ---------------------------------------------------------------- DeepSeek-V3: low-rank attention, shared experts


def latent_attention(x, z, keeps):
    """Keys and values of all heads from r_kv + rope numbers a token: these are kept, or the heads made of them."""
    query = linear(norm(linear(x, "q_a", bias=False, r_q=z.r_q), "q_a_norm", over="r_q", shift=False), "q_b",
                   over="r_q", bias=False, n=z.heads, k=z.nope + z.rope)
    latent = linear(x, "kv_a", bias=False, c=z.r_kv + z.rope)
    latent = cached(latent, "latent", s=("t", z.t)) if keeps == "latent" else latent
    low, turned = cut(latent, "c", z.r_kv, z.rope)
    low = norm(low, "kv_a_norm", over="c", shift=False)
    key, value = cut(linear(low, "kv_b", over="c", bias=False, n=z.heads, k=z.nope + z.v), "k", z.nope, z.v)
    key = concat(key, repeat(rename(turned, c="k"), n=z.heads), axis="k")
    if keeps == "heads":
        key, value = (cached(y, name, s=("t", z.t)) for y, name in ((key, "key"), (value, "value")))
    scores = pointwise(contract(query, key, to="b n s t", name="scores"), kind="softmax")
    mixed = contract(scores, rename(value, k="v"), to="b s n v", name="mix")
    return linear(mixed, "output", over="n v", bias=False, d=z.d)


def deepseek(z, keeps="latent"):
    def block(x, feed):
        x = residual(x, within("attention", latent_attention, norm(x, "attention_norm", shift=False), z=z, keeps=keeps))
        return residual(x, feed(norm(x, "mlp_norm", shift=False)))

    def mixture(x):
        routed = within("experts", experts, x, E=z.E, K=z.K, h=z.h_e)
        return pointwise(routed, within("shared", gated, x, h=z.E_s * z.h_e), kind="add")

    x, _ = embed(tensor("ids", b=z.b, s=z.s), "word", V=z.V, d=z.d)
    x = within("dense", block, x, runs=z.L_dense, feed=lambda x: within("mlp", gated, x, h=z.h))
    x = within("sparse", block, x, runs=z.L - z.L_dense, feed=mixture)
    return linear(norm(x, "norm", shift=False), "head", bias=False, V=z.V)


DEEPSEEK = {"V": 129_280, "d": 7_168, "h": 18_432, "h_e": 2_048, "L": 61, "L_dense": 3, "heads": 128, "E": 256, "K": 8,
            "E_s": 1, "r_q": 1_536, "r_kv": 512, "nope": 128, "rope": 64, "v": 128}
ODD_DEEPSEEK = {"V": 257, "d": 72, "h": 112, "h_e": 44, "L": 3, "L_dense": 1, "heads": 3, "E": 7, "K": 2,
                "E_s": 2, "r_q": 24, "r_kv": 16, "nope": 12, "rope": 8, "v": 10}

# ---------------------------------------------------------------- ALBERT: one layer, L times


def albert(z):
    def block(x):
        y = within("attention", attend, x, x, heads=z.heads, kv=z.heads, k=per(z.d, z.heads), rows=("t", z.t),
                   bias=True)
        x = norm(residual(x, y), "attention_norm")
        return norm(residual(x, within("mlp", mlp, x, h=z.h)), "mlp_norm")

    x, _ = embed(tensor("ids", b=z.b, s=z.s), "word", V=z.V, e=z.e)
    places = rename(keep(weight("position", P=z.P, e=z.e), P=z.s), P="s")
    kinds = lookup(tensor("kinds", b=z.b, s=z.s), weight("type", types=z.types, e=z.e), "kind")
    x = norm(pointwise(x, places, kinds, kind="add"), "norm", over="e")
    x = within("layers", block, linear(x, "widen", over="e", d=z.d), runs=z.L, shared=True)
    return linear(select(x, "s"), "pooler", d=z.d)


ALBERT = {"V": 30_000, "P": 512, "types": 2, "e": 128, "d": 768, "h": 3_072, "L": 12, "heads": 12}
ODD_ALBERT = {"V": 257, "P": 600, "types": 3, "e": 24, "d": 72, "h": 112, "L": 3, "heads": 3}

# ---------------------------------------------------------------- T5: two stacks, the second captures the first


def t5(z):
    """s tokens are read, u are written; t are remembered when the last u are written."""
    def table(name, s, t):
        axes = weight(f"{name}.relative", buckets=z.buckets, g=z.heads)
        return lookup(tensor("distance", s=s, t=t), axes, f"{name}.relative")

    def attention(name, x, memory, rows, relative=None):
        y = norm(x, f"{name}_norm", shift=False)
        return residual(x, within(name, attend, y, y if memory is None else memory, heads=z.heads, kv=z.heads,
                                  k=z.k, rows=rows, relative=relative))

    def feed(x):
        return residual(x, within("mlp", mlp, norm(x, "mlp_norm", shift=False), h=z.h, bias=False))

    word = weight("word", V=z.V, d=z.d)
    source = lookup(tensor("ids", b=z.b, s=z.s), word, "source")
    relative = table("encoder", z.s, z.s)
    memory = within("encoder", lambda x: feed(attention("self", x, None, ("t", z.s), relative)), source, runs=z.L)
    memory = norm(memory, "encoder_norm", shift=False)
    target = lookup(tensor("ids", b=z.b, s=z.u), word, "target")
    written = table("decoder", z.u, z.t)
    y = within("decoder", lambda x: feed(attention("cross", attention("self", x, None, ("t", z.t), written), memory,
                                                   ("s", z.s))), target, runs=z.L_dec)
    return linear(norm(y, "decoder_norm", shift=False), "head", w=word, bias=False, V=z.V)


T5_SMALL = {"V": 32_128, "d": 512, "h": 2_048, "L": 6, "L_dec": 6, "heads": 8, "k": 64, "buckets": 32}
ODD_T5 = {"V": 101, "d": 48, "h": 80, "L": 2, "L_dec": 3, "heads": 3, "k": 20, "buckets": 32}

# ---------------------------------------------------------------- measured

PARAMETERS = [  # row, network, sizes, parameters, those that a token meets
    ("mixtral/pub:mixtral-8x7b",   mixtral,  MIXTRAL,      46_702_792_704,  12_879_925_248),
    ("mixtral/odd2",               mixtral,  ODD_MIXTRAL,  609_264,         246_384),
    ("deepseek_v3/pub:deepseek-v3", deepseek, DEEPSEEK,    671_026_404_352, 37_552_282_624),
    ("deepseek_v3/odd2",           deepseek, ODD_DEEPSEEK, 258_240,         163_200),
    ("albert/pub:albert-base-v2",  albert,   ALBERT,       11_683_584,      11_683_584),
    ("albert/odd2",                albert,   ODD_ALBERT,   65_368,          65_368),
    ("t5/pub:t5-small",            t5,       T5_SMALL,     60_506_624,      60_506_624),
    ("t5/odd",                     t5,       ODD_T5,       136_320,         136_320),
]


@pytest.mark.parametrize(("network", "sizes", "total", "active"), [row[1:] for row in PARAMETERS],
                         ids=[row[0] for row in PARAMETERS])
def test_parameters(network, sizes, total, active):
    run = {"b": 1, "s": 7, "t": 7} | ({"u": 7} if network is t5 else {})
    assert count(parameters, network, **sizes, **run) == total
    assert count(active_parameters, network, **sizes, **run) == active


FLOPS = [  # row, network, sizes, (batch, tokens read, tokens written), FLOPs
    ("mixtral/pub:mixtral-8x7b",   mixtral,  MIXTRAL,      (1, 128, None), 3_272_228_208_640),
    ("mixtral/pub:mixtral-8x7b",   mixtral,  MIXTRAL,      (2, 512, None), 26_383_984_099_328),
    ("by hand: 2s·12,748,587,008 + 4·32·s²·4,096", mixtral, MIXTRAL, (1, 2_048, None), 54_417_235_640_320),
    ("mixtral/odd2",               mixtral,  ODD_MIXTRAL,  (2, 512, None), 918_650_880),
    ("deepseek_v3/pub:deepseek-v3", deepseek, DEEPSEEK,    (1, 128, None), 9_457_769_644_032),
    ("deepseek_v3/pub:deepseek-v3", deepseek, DEEPSEEK,    (2, 512, None), 77_627_104_690_176),
    ("deepseek_v3/odd2",           deepseek, ODD_DEEPSEEK, (1, 128, None), 45_729_792),
    ("deepseek_v3/odd2",           deepseek, ODD_DEEPSEEK, (2, 512, None), 578_174_976),
    ("albert/pub:albert-base-v2",  albert,   ALBERT,       (1, 128, None), 22_373_597_184),
    ("albert/pub:albert-base-v2",  albert,   ALBERT,       (2, 512, None), 193_477_214_208),
    ("albert/odd2",                albert,   ODD_ALBERT,   (1, 128, None), 42_920_064),
    ("t5/pub:t5-small",            t5,       T5_SMALL,     (1, 128, 128),  16_089_350_144),
    ("t5/pub:t5-small",            t5,       T5_SMALL,     (2, 512, 512),  143_210_315_776),
    ("t5/pub:t5-small",            t5,       T5_SMALL,     (1, 128, 32),   8_363_442_176),
    ("t5/odd",                     t5,       ODD_T5,       (1, 128, 128),  66_121_728),
    ("t5/odd",                     t5,       ODD_T5,       (1, 128, 32),   30_907_392),
]


@pytest.mark.parametrize(("network", "sizes", "shape", "total"), [row[1:] for row in FLOPS],
                         ids=[f"{row[0]} {row[3]}" for row in FLOPS])
def test_flops(network, sizes, shape, total):
    b, s, u = shape
    run = {"b": b, "s": s, "t": s if u is None else u} | ({} if u is None else {"u": u})
    assert count(flops, network, **sizes, **run) == total


def test_a_shared_layer_does_not_count_its_repetitions():
    open_ = parameters(albert(SimpleNamespace(**{n: letter(n) for n in (*ALBERT, "b", "s", "t")})))
    assert "L" not in open_.letters


def test_an_encoder_that_is_only_captured_is_walked_once():
    found = [op.path for op in walk(t5(SimpleNamespace(**T5_SMALL, b=1, s=9, t=9, u=9))) if op.verb == "contract"]
    assert len(found) == len(set(found)) == 8 + 14 + 1
    assert sum(path.startswith("encoder.") for path in found) == 8


# ---------------------------------------------------------------- decoding one more token

def test_t5_decodes_without_its_encoder():
    z = SimpleNamespace(**T5_SMALL, b=1, s=128, t=33, u=1)
    layer = 4*512*512 + 2*33*512 + 2*512*512 + 2*128*512 + 2*512*2_048  # own rows, read rows, feed forward
    assert step_of(t5(z)) == 6*layer + 512*32_128 == 39_458_816
    assert remembered(t5(z)) == 2*512*(6*128 + 6*33 + 6*128)  # encoder, decoder's own, decoder's read rows


def test_mixtral_keeps_keys_and_values_of_its_groups():
    assert remembered(mixtral(SimpleNamespace(**MIXTRAL, b=1, s=1, t=4_096))) == 2*32*4_096*8*128


def test_deepseek_keeps_the_latent_or_the_heads():
    latent, heads = (deepseek(SimpleNamespace(**DEEPSEEK, b=1, s=1, t=4_096), keeps) for keeps in ("latent", "heads"))
    assert remembered(latent) == 61*4_096*(512 + 64)
    assert remembered(heads) == 61*4_096*128*((128 + 64) + 128)
    matrices = 37_552_282_624 - 129_280*7_168 - (61*(2*7_168 + 1_536 + 512) + 7_168)  # no look-up, no norms
    assert step_of(heads) == matrices + 61*4_096*128*(192 + 128)
    assert step_of(latent) == step_of(heads) + 61*4_095*512*128*(128 + 128)  # all heads made of all rows anew


# ---------------------------------------------------------------- Zamba2: a shared block with adapters of its own

def hybrid(d=48, heads=3, k=32, h=80, r=7, runs=2, s=128):
    """The hybrid layers of zamba2/odd without their Mamba part: one block for all, and per layer what fits it in."""
    block = Shared()

    def feed(x, own):
        both = linear(x, "up", bias=False, half=2, h=h)
        both = pointwise(both, within("adapter", lambda x: linear(
            linear(x, "down", bias=False, r=r), "up", over="r", bias=False, half=2, h=h), x, shared=own), kind="add")
        return linear(pointwise(both, kind="gate", to="b s h"), "down", over="h", bias=False, d=d)

    def shared(x, own):
        y = norm(x, "norm", over="c", shift=False)
        query, key, value = (rename(linear(y, name, over="c", bias=False, q=n, k=k), **names) for name, n, names in (
            ("query", heads, {}), ("key", 1, {"s": "t", "q": "g"}), ("value", 1, {"s": "t", "q": "g"})))
        scores = contract(query, key, to="b g q s t", name="scores")
        mixed = contract(scores, value, to="b s g q k", name="mix")
        y = linear(mixed, "output", over="g q k", bias=False, d=d)
        return feed(norm(y, "mlp_norm", shift=False), own)

    def layer(x):
        own = Shared()  # a mark in each layer: an adapter of its own
        both = rename(concat(x, x, axis="d"), d="c")
        return linear(within("block", shared, both, own=own, shared=block), "fit", bias=False, d=d)

    return within("hybrid", layer, tensor(b=1, s=s, d=d), runs=runs)


def test_a_shared_block_with_adapters_of_its_own():
    attention, up_and_down, adapter, fit = 96*96 + 2*96*32 + 96*48, 48*160 + 80*48, 48*7 + 7*160, 48*48
    assert (attention, up_and_down + 2*adapter, 2*fit) == (19_968, 14_432, 4_608)  # components of zamba2/odd
    counted = parameters(hybrid())
    assert counted.total == 19_968 + 14_432 + 4_608 + (96 + 48)
    assert counted.where("adapter").total == 2*adapter
    assert multiply_adds(hybrid()).total == 2*(128*(attention + up_and_down + adapter + fit) + 2*128*128*96)


# ---------------------------------------------------------------- recurrence

def lstm(d, h, s, biases):
    def cell(x, state, memory):  # the sequence comes back as it was; only the states leave
        gates = pointwise(linear(x, "input", gates=4, h=h),
                          linear(state, "hidden", over="h", bias=biases == 2, gates=4, h=h), kind="add")
        forget, enter, new, leave = (select(gates, "gates", i) for i in range(4))
        memory = pointwise(memory, forget, enter, new, kind="remember")
        return x, pointwise(leave, memory, kind="show"), memory

    states = tensor("state", b=1, h=h), tensor("memory", b=1, h=h)
    return within("lstm", cell, tensor(b=1, s=s, d=d), *states, over="s", shared=True)


@pytest.mark.parametrize(("d", "h", "biases", "total"), [  # 4h(d + h + biases): one in Keras, two in torch
    (300, 512, 1, 1_665_024), (300, 512, 2, 1_667_072), (10, 20, 1, 2_480), (10, 20, 2, 2_560)])
def test_lstm(d, h, biases, total):
    assert parameters(lstm(d, h, 50, biases)).total == total
    assert multiply_adds(lstm(d, h, 50, biases)).total == 50*4*h*(d + h)


# ---------------------------------------------------------------- convolution

def convolve(x, name, channels, w, **how):
    x = window(window(x, i=("p", w), **how), j=("q", w), **how)
    return rename(linear(x, name, over="c p q", o=channels), o="c")


def pool(x):
    return pointwise(window(window(x, i=("p", 2), stride=2), j=("q", 2), stride=2), kind="mean", to="b c i j")


def lenet(z):
    x = pool(convolve(tensor(b=1, c=1, i=z.side, j=z.side), "first", 6, z.w, pad=2))
    x = pool(convolve(x, "second", 16, z.w))
    return linear(linear(linear(x, "third", over="c i j", h=120), "fourth", over="h", d=84), "fifth", C=z.C)


def test_lenet():
    assert count(parameters, lenet, side=28, w=5, C=10) == 61_706 == 156 + 2_416 + 48_120 + 10_164 + 850
    assert count(multiply_adds, lenet, side=28, w=5, C=10) == 28*28*6*25 + 10*10*16*6*25 + 400*120 + 120*84 + 84*10


@pytest.mark.parametrize("pad", range(3))
@pytest.mark.parametrize("stride", range(1, 5))
def test_places_of_a_kernel_by_putting_it_down(stride, pad):
    for side in range(1, 13):
        for w in range(1, side + 2*pad + 1):
            places = sum(1 for start in range(-pad, side + pad, stride) if start + w <= side + pad)
            assert count(multiply_adds, lambda z: contract(
                window(tensor(i=z.side), i=("u", z.w), stride=stride, pad=pad), weight("kernel", u=z.w, o=3),
                to="i o", name="convolve"), side=side, w=w) == 3*places*w


# ---------------------------------------------------------------- depth

def unrolled(layers):
    x = tensor(s=2, d=3)
    for i in range(layers):
        x = within(f"layer_{i}", lambda x: residual(x, linear(x, "square", d=3)), x)
    return x


def test_1700_unrolled_layers():
    assert sys.getrecursionlimit() < 1_700
    assert parameters(unrolled(1_700)).total == 1_700*(9 + 3)
    assert multiply_adds(unrolled(1_700)).total == 1_700*2*9


def calls(layers):
    """The function calls, Python's and C's, of building and counting this many layers."""
    events = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        net = unrolled(layers)
        assert [reader(net).total > 0 for reader in (parameters, active_parameters, multiply_adds)]
    finally:
        sys.setprofile(None)
    return events.count("call") + events.count("c_call")


def test_work_grows_with_the_layers_and_not_with_their_square():
    short, middle, long = calls(50), calls(100), calls(200)
    assert long - middle < 2.1*(middle - short)
