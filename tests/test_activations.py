"""Activations against the paper that counts them, formulas worked out by hand, and loops against the same unrolled."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from symcount import (
    ModelError,
    Shared,
    SizeError,
    derive,
    letter,
    model,
    multiply_adds,
    parameters,
    per,
    same,
    symbols,
)
from symcount.architectures import load, names
from symcount.layers import dropped, linear, norm, post_norm, pre_norm
from symcount.layers.transformer import rotary_block
from symcount.ledger import Ledger
from symcount.network import cached, contract, pointwise, select, tensor, walk, weight, within
from symcount.readers import activations as file
from symcount.readers.activations import KEEPS, activations
from symcount.sizes import value

b, s, d, h, L, V, k, heads, kv, tp = map(letter, "b s d h L V k heads kv tp".split())


# ---------------------------------------------------------------- the table of the paper

SHARED = {"tp": "tp"}
TOKENS = {"tp": "tp", "sequence_parallel": True}
TABLE_2 = [
    # Korthikanti et al. 2022, table 2: bytes a layer, with h = 4d
    ("all",       {},     s*b*d * 34 + 5*heads*s * s*b),
    ("all",       SHARED, s*b*d * (10 + per(24, tp)) + per(5*heads*s, tp) * s*b),
    ("all",       TOKENS, s*b*d * per(34, tp) + per(5*heads*s, tp) * s*b),
    ("selective", {},     s*b*d * 34),
    ("selective", SHARED, s*b*d * (10 + per(24, tp))),
    ("selective", TOKENS, s*b*d * per(34, tp)),
    ("full",      {},     s*b*d * 2),
]


def gpt(head="GPT2LMHeadModel", **changes):
    """GPT-2 in letters, with h = 4d."""
    open_ = {name: name for name in ("V", "P", "d", "L", "heads")}
    return model("gpt2").replace(head=head, **open_ | changes)


def blocks():
    return {"gpt": gpt(), "bert": model("bert:h=4d"), "gpt, the first": model("openai-gpt:")}


@pytest.mark.parametrize("name", blocks())
@pytest.mark.parametrize(("keep", "among", "bytes_"), TABLE_2)
def test_table_2(name, keep, among, bytes_):
    assert same(activations(blocks()[name].part("layers"), keep, **among).size, L * bytes_)


PARTS = [
    # section 4.1: the attention block, the MLP, the two norms, and what is asked of each
    ("attention", 11*s*b*d + 5*heads*s*s*b),
    ("mlp",       19*s*b*d),
]


@pytest.mark.parametrize(("part", "bytes_"), PARTS)
def test_parts_of_a_layer(part, bytes_):
    """Of what attention and MLP are given, both first need it, so it is counted there."""
    inside = activations(gpt().part(f"layers.{part}"))
    assert same(inside.size, L * bytes_)
    assert inside.subject == f"gpt2:V=V,P=P,d=d,L=L,heads=heads (GPT2LMHeadModel)@layers.{part}"


def test_norms_of_a_layer():
    assert same(activations(gpt()).where("layers").by("kind")["norm"].size, L * 4*s*b*d)


def test_what_is_not_in_layers():
    """Section 4.3: masks of the embeddings, input of the last norm and of the output map, logits in single precision."""
    whole, layers = (ledger.size for ledger in (
        activations(gpt(), loss="cross_entropy"), activations(gpt()).where("layers")))
    assert same(whole - layers, s*b*d + 2*s*b*d + 2*s*b*d + 4*s*b*V)
    shared = activations(gpt(), loss="cross_entropy", **TOKENS)
    assert same(shared.size, per(whole, tp))


@pytest.mark.parametrize(("name", "heads", "d", "ratio", "saved"), [
    # section 5: 5·heads·s/d at s = 2,048, and the share of the 34 + 5·heads·s/d that selective recomputation saves
    ("GPT-3 175B", 96, 12_288, 80, 70),
    ("MT-NLG 530B", 128, 20_480, 64, 65),
])
def test_two_large_models(name, heads, d, ratio, saved):
    layer = gpt(d=d, heads=heads, L=1, V=51_200, P=2_048, s=2_048, b=1)
    everything, selective = (activations(layer, keep).where("layers").total for keep in ("all", "selective"))
    assert everything == 2_048 * d * (34 + ratio)
    assert int(100 * (everything - selective) / everything) == saved


def test_gpt_3_on_eight_devices():
    """96 layers with one text of 2,048 tokens: 275 GB; on one of 8 devices that divide all there is, an eighth."""
    gpt3 = gpt(d=12_288, heads=96, L=96, V=51_200, P=2_048, s=2_048)
    layers = 96 * 2_048 * 12_288 * (34 + 80)
    assert layers == 275_414_777_856
    assert activations(gpt3).where("layers").total == layers
    assert activations(gpt3, tp=8, sequence_parallel=True).where("layers").total == layers // 8
    assert activations(gpt3, "selective", tp=8).where("layers").total == 96 * 2_048 * 12_288 * 13
    with pytest.raises(SizeError, match="tp = 36 does not divide heads = 96"):
        activations(gpt3, tp=36)


# ---------------------------------------------------------------- by hand

def test_llama():
    """Inputs of two norms, of three and of two maps; turned queries and keys, values, the softmax, what is mixed; gate,
    its SiLU, up, and their product. A rotation needs nothing of what it turns."""
    layer = 2*s*b * (2*d + d + heads*k + kv*k + kv*k + heads*k + d + 4*h) + 2*b*heads*s*s
    open_ = model("llama:kv=kv,k=k")
    assert same(activations(open_).size, L * layer + 2*s*b*d + 2*s*b*d)
    assert same(activations(open_, "selective").size, L * (layer - 2*b*heads*s*s) + 4*s*b*d)
    assert same(activations(open_, "full").size, L * 2*s*b*d + 4*s*b*d)
    divided = per(2*s*b * (2*heads*k + 2*kv*k + 4*h) + 2*b*heads*s*s, tp)
    assert same(activations(open_, tp="tp").where("layers").size, L * (2*s*b * 4*d + divided))


def test_llama_7b():
    d, h, heads, s = 4_096, 11_008, 32, 2_048
    layer = 16*s*d + 8*s*h + 2*heads*s*s
    assert activations(model("llama-7b"), s=s).total == 32 * layer + 4*s*d == 18_689_818_624
    assert activations(model("llama-7b"), s=s, width=4).total == 2 * 18_689_818_624
    assert activations(model("llama-7b"), s=s, width=Fraction(1, 2)).total == 18_689_818_624 // 4
    assert activations(model("llama-7b"), "flash", s=s).total == 18_689_818_624 - 32 * (2*heads*s*s - 4*heads*s)


def test_bert_and_its_pooler():
    """Beside the layers: the norm of the embeddings keeps its input, dropout a mask, the pooler the last states."""
    d, s = 768, 128
    layers = 12 * (34*s*d + 5*12*s*s)
    assert activations(model("bert-base-uncased"), s=s).total == layers + 2*s*d + s*d + 2*s*d + 2*d


def test_flash_keeps_one_number_for_each_softmax():
    flash, selective = (activations(gpt(), keep) for keep in ("flash", "selective"))
    assert same(flash.by("kind")["log_sum_exp"].size, L * 4*b*heads*s)
    assert same(flash.without("log_sum_exp").size, selective.size)


def test_memory_and_tables_of_t5():
    """What the encoder gives is kept once for all layers of the decoder; so are the scores by distance, to run again."""
    t5 = model("t5-small")  # as many layers in the decoder
    everything, again = activations(t5), activations(t5, "full")
    encoder = 2*s*b * (4*d + 4*heads*k + h) + 2*b*heads*s*s
    decoder = 2*s*b * (6*d + 8*heads*k + h) + 4*b*heads*s*s
    memory, around = 2*s*b*d, 2*s*b*d * 3  # two last norms, and the output map
    assert same(everything.size, L * encoder + L * decoder + memory + around)
    assert same(again.size, 2*L * 2*s*b*d + 2 * 2*heads*s*s + memory + around)
    assert [(term.path, term.scopes) for term in everything.terms if term.path.endswith("norm.output")] == [
        ("encoder.norm.output", (("encoder", 1),))]
    assert "1 is at most L" in derive(everything).notes[-1]  # a decoder without layers would not keep it
    with pytest.raises(SizeError, match="t5-small.*1 is more than L_dec = 0|1 is more than L"):
        activations(model("t5-small", L_dec=0), s=8)


def test_experts():
    """Each of the K chosen experts keeps what a gated MLP does; a sum by weights, its terms and their weights."""
    E, K = map(letter, "EK")
    mixture = activations(model("mixtral-8x7b").part("layers.mlp"))
    assert same(mixture.size, L * 2*s*b * (d + E + K * (4*h + d + 1)))


def test_adapters_keep_less():
    """With adapters of rank r all other weights are frozen: what only their gradients need is not kept.

    A layer: the norms' inputs, gate, its SiLU and up; the attended, and what the two adapters are given and make of it.
    In the first layer the words have no gradient, so the norm's input and the query (for a key without) are not kept.
    """
    r = letter("r")
    lora = activations(model("llama-7b", lora="8@query+value"))
    attended = 2*s*b * (d + 2*r) + 2*s*b * 3*d + 2*b*heads*s*s  # adapters; query, key, value; softmax
    rest = 2*s*b * (2*d + 3*h)
    assert same(lora.size, L * (attended + rest) - 2*s*b * 2*d + 2*s*b*d)


# ---------------------------------------------------------------- loops against the same unrolled

WIDTH = 8


def drawn(draw, states, n, *, nested):
    """A body of some operations on its states and one tensor from outside, which returns as many states.

    All that comes in has part in what is returned, as it is or added up; what is returned is kept inside, or not.
    """
    kinds = ["gelu", "tanh", "relu", "add", "norm", "map", "multiply", "dropout", "frozen", *["nest"] * nested]
    steps = [(draw.choice(kinds), draw.randrange(99), draw.randrange(99)) for _ in range(n)]
    ends = [(draw.choice(["", "tanh", "relu", "gelu", "dropout", "as it came"]), draw.randrange(n), draw.random() < 0.2)
            for _ in range(states)]
    inner = drawn(draw, 1, 2, nested=0) if nested else None

    def body(*xs, outer):
        values = [pointwise(*xs, outer, kind="add", name="all"), outer, *xs]
        for name, (kind, i, j) in enumerate(steps):
            x, y = values[i % len(values)], values[j % len(values)]
            values.append(
                norm(x, f"norm{name}") if kind == "norm" else
                linear(x, f"map{name}", d=WIDTH) if kind == "map" else
                contract(x, weight(f"w{name}", stored="frozen", d=WIDTH), to="s d", name=f"scale{name}")
                if kind == "frozen" else
                within(f"nest{name}", inner, x, outer=y, runs=2) if kind == "nest" else
                pointwise(*(x, y) if kind in ("add", "multiply") else (x,), kind=kind, name=f"{kind}{name}"))
        returned = []
        for i, (kind, at, twice) in enumerate(ends):
            y = pointwise(values[0], values[-1 - at], kind="add", name=f"sum{i}")
            y = xs[i] if kind == "as it came" else pointwise(y, kind=kind, name=f"end{i}") if kind else y
            returned.append(returned[-1] if twice and returned and kind else y)
        return tuple(returned) if states > 1 else returned[0]
    return body


def network(seed, runs, *, unrolled, nested=0):
    """What a loop makes, and what is done with it and with what it is given; inputs with a gradient or without."""
    draw = Random(seed)
    states = draw.choice([1, 1, 2, 3])
    body = drawn(draw, states, draw.randint(1, 5), nested=nested)
    outer, *xs = (linear(x, f"in{i}", d=WIDTH) if draw.random() < 0.7 else x
                  for i, x in enumerate(tensor(f"x{i}", s=3, d=WIDTH) for i in range(states + 1)))
    used = [draw.random() < 0.5 for _ in range(2 * states + 1)]
    if unrolled:
        ys = tuple(xs)
        for i in range(runs):
            ys = within(f"run{i}", body, *ys, outer=outer)
            ys = ys if isinstance(ys, tuple) else (ys,)
    else:
        ys = within("loop", body, *xs, outer=outer, runs=runs)
        ys = ys if isinstance(ys, tuple) else (ys,)
    ends = [pointwise(x, kind="gelu", name=f"end{i}") if use else x
            for i, (x, use) in enumerate(zip([outer, *xs, *ys], used, strict=True))]
    return tuple(linear(x, f"out{i}", d=WIDTH) if draw.random() < 0.5 else x for i, x in enumerate(ends))


@pytest.mark.parametrize("seed", range(400))
def test_a_loop_keeps_what_its_runs_keep(seed):
    """Of random bodies, over ints and over a letter, and never a number that is wrong: refused, or the same."""
    open_ = activations(network(seed, L, unrolled=False))
    for n in (0, 1, 2, 3, 5):
        truth = activations(network(seed, n, unrolled=True)).total
        assert activations(network(seed, n, unrolled=False)).total == truth
        try:
            assert Ledger("byte", open_.terms, {"L": n}, bounds=open_.bounds).total == truth
        except SizeError:
            assert n < 2
