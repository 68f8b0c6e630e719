"""Activations against the paper that counts them, and formulas worked out by hand; loops: test_activations_loops.py."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from symcount import (
    ModelError,
    SizeError,
    derive,
    letter,
    model,
    per,
    same,
    symbols,
)
from symcount.architectures import load, types
from symcount.layers import gated, linear, mlp, norm, post_norm, pre_norm, residual
from symcount.network import contract, pointwise, select, tensor, walk, weight
from symcount.readers import activations as reader
from symcount.readers.activations import NEEDS, activations
from symcount.sizes import value

b, s, d, h, L, V, k, heads, kv, tp = map(letter, ("b", "s", "d", "h", "L", "V", "k", "heads", "kv", "tp"))


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
    """Section 4.3: masks of the embeddings, inputs of the last norm and of the output map, logits in 4 bytes each."""
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
    """What the encoder gives is kept once for all layers of the decoder; so are scores by distance, to run again."""
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
    with pytest.raises(SizeError, match="1 is more than L_dec = 0"):
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


# ---------------------------------------------------------------- the table of kinds

# where implementations differ
NOBODY_SAYS = {"choose", "decay", "decayed_product", "hash_collisions", "pool", "scan", "skip", "solve"}


def kinds():
    """{kind: the types that use it}, of the first class of every type."""
    found = {}
    for kind in types():
        architecture = load(kind)
        published = next(iter(architecture.published), None)
        subject = model(published) if published else model(f"{kind}:784-128-10" if kind == "mlp" else f"{kind}:")
        for head in architecture.classes:
            for x in walk(subject.replace(head=head).network()):
                if x.verb == "pointwise":
                    found.setdefault(x.details["kind"], set()).add(kind)
    return found


def test_every_kind_in_use_is_known_or_refused_by_name():
    used = kinds()
    assert used.keys() - NEEDS.keys() == NOBODY_SAYS
    with pytest.raises(ModelError, match=r"layers\.mixer\.scan\.scan: what the backward pass needs of 'scan' is not"):
        activations(model("mamba-130m"))
    assert same(activations(model("mamba-130m"), "full").where("layers").size, L * 2*s*b*d)  # which does not ask


@pytest.mark.parametrize(("name", "kind", "spoiled"), [
    ("gpt",   "softmax",         "nothing"),
    ("gpt",   "gelu_new",        "output"),
    ("gpt",   "layer_norm",      "nothing"),
    ("gpt",   "dropout",         "nothing"),
    ("gpt",   "add",             "inputs"),
    ("gpt",   "bias",            "inputs"),
    ("gpt",   "attention_scale", "inputs"),
    ("llama", "softmax",         "inputs"),
    ("llama", "silu",            "output"),
    ("llama", "multiply",        "nothing"),
    ("llama", "rotary",          "inputs"),
    ("llama", "rms_norm",        "output"),
])
def test_a_spoiled_table_fails(monkeypatch, name, kind, spoiled):
    monkeypatch.setitem(reader.NEEDS, kind, spoiled)
    with pytest.raises(AssertionError):
        test_llama() if name == "llama" else test_table_2("gpt", *TABLE_2[0])


# ---------------------------------------------------------------- what is asked, and what is refused

def test_dropout_is_left_out():
    """Without masks, and without the copies that they make of what is kept: as if nothing were dropped out."""
    for block in (pre_norm, post_norm):
        z = SimpleNamespace(h=4 * d, heads=letter("heads"), t=s)
        x = tensor(b=b, s=s, d=d)
        dropping, plain = (activations(block(x, z, dropout=flag)) for flag in (True, False))
        assert same(dropping.without("dropout").size, plain.size)
        assert same(dropping.size - plain.size, 2*s*b*d + 3*b*heads*s*s)
        assert same(activations(block(x, z, dropout=True), "selective").without("dropout").size, 32*s*b*d)
    assert activations(gpt()).notes[-2] == "dropout at a rate above 0; without dropout, it is left out"
    assert activations(model("llama-7b")).without("dropout").notes[-3] == "at a rate of dropout of 0"


def test_what_the_last_line_says():
    said = "kept: {}; {}; {} token ids, no indices, no means or deviations of norms{}"
    for keep, kept in reader.KEEP.items():
        ledger = activations(gpt(), keep, width=4)
        bytes_ = "4 bytes a number, 1 in a mask of dropout" + (", 4 of a softmax" if keep == "flash" else "")
        assert ledger.notes[-1] == said.format(
            kept, bytes_, "no logits of a loss, no",
            "; the part that is run again, one at a time, comes on top" if keep == "full" else "")
    assert activations(model("llama-7b"), loss="cross_entropy", width=1, tp=8, sequence_parallel=True).notes[-1] == (
        said.format(reader.KEEP["all"], "1 byte a number, 4 of a logit", "no",
                    "; one of tp devices, which divide heads, h, V, and the tokens of what is d wide"))


@pytest.mark.parametrize("name", ["gpt2", "llama-7b", "bert-base-uncased", "mixtral-8x7b", "deepseek-v3", "resnet-50"])
@pytest.mark.parametrize("keep", reader.KEEP)
def test_letters_ints_and_sympy_agree(name, keep):
    subject = model(name).replace(b=2, **({"side": 224} if name == "resnet-50" else {"s": 7}))
    total = activations(subject, keep).total
    assert type(total) is int
    assert activations(subject.network(subject.number), keep).total == total
    in_sympy = activations(subject.network(symbols.symbol), keep)
    assert value(activations(subject, keep).size, subject.values) == total
    assert in_sympy.size.subs({symbols.symbol(one): number for one, number in subject.values.items()}) == total
    assert derive(activations(subject, keep)).table.total.count == total  # each line of it is checked


def test_devices_over_ints_and_sympy():
    subject = model("gpt2").replace(s=8, b=2)
    total = activations(subject, tp=4).total
    assert activations(subject.network(subject.number), tp=4).total == total
    in_sympy = activations(subject.network(symbols.symbol), tp="tp").size
    assert in_sympy.subs({symbols.tp: 4, **{symbols.symbol(n): x for n, x in subject.values.items()}}) == total


def test_a_part_is_counted_alone():
    for part in ("layers.mlp", "layers.attention.softmax", "norm"):
        assert same(activations(gpt().part(part)).size, activations(gpt()).where(part).size)
    bert = model("bert-base-uncased")
    with pytest.raises(ModelError, match=r"tanh\.output has the axes b d: it is not known how devices divide it"):
        activations(bert, tp=4, sequence_parallel=True)
    assert activations(bert.part("layers"), s=8, tp=4, sequence_parallel=True).total == 12 * 8 * 768 * (
        34 + 5*12*8 // 768) // 4 + 12 * 5*12*8*8 // 4


REFUSED = [
    # what is asked                                     error       what is said
    ({"keep": "flsh"},                                  ModelError, "keep = 'flsh': did you mean 'flash'"),
    ({"loss": "hinge"},                                 ModelError, "loss = 'hinge': known: cross_entropy"),
    ({"width": 2.0},                                    SizeError,  "width = 2.0: the bytes of a number are"),
    ({"width": 0},                                      SizeError,  "width = 0: the bytes of a number are"),
    ({"width": True},                                   SizeError,  "width = True: the bytes of a number are"),
    ({"tp": 0},                                         SizeError,  "tp = 0: a whole number of devices is needed"),
    ({"tp": "d"},                                       SizeError,  "tp = 'd': a whole number of devices is needed"),
    ({"sequence_parallel": True},                       ModelError, "say how many: tp=…"),
    ({"tp": 5},                                         SizeError,  "tp = 5 does not divide heads = 12"),
    ({"tp": 4, "sequence_parallel": True, "s": 6},      SizeError,  "tp = 4 does not divide s = 6"),
    ({"s": 2048},                                       SizeError,  "s = 2,048 is more than P = 1,024"),
]


@pytest.mark.parametrize(("asked", "error", "says"), REFUSED)
def test_refused(asked, error, says):
    with pytest.raises(error, match=says):
        activations(model("gpt2"), **asked)


def test_a_loss_is_taken_of_logits():
    with pytest.raises(ModelError, match=r"a loss is taken of logits, and .* is not the result of a linear map"):
        activations(gpt(head="GPT2Model"), loss="cross_entropy")
    two = activations(model("bert-base-uncased", head="BertForPreTraining"), loss="cross_entropy", s=8)
    assert two.by("kind")["loss"].total == 4*8*30_522 + 4*2


def test_layers_run_again_where_there_are_some():
    with pytest.raises(ModelError, match=r"mlp.*: keep = full: no part of it is repeated"):
        activations(model("mlp:784-128-10"), "full")


def test_what_has_no_gradient_is_not_kept():
    x = tensor(b=b, s=s, d=d)
    assert activations(pointwise(x, kind="gelu")).terms == ()
    frozen = contract(pointwise(x, kind="gelu"), weight("w", stored="frozen", d=d, h=h), to="b s h", name="up")
    assert activations(frozen).terms == ()
    assert same(activations(linear(frozen, "down", over="h", d=d)).size, 2*b*s*h)


def test_a_tensor_is_kept_once():
    """By three maps, by its parts, and by a map and an activation."""
    x = tensor(b=b, s=s, d=d)
    x = norm(x, "norm")
    y = linear(select(x, "s"), "first", h=h), linear(x, "one", h=h), mlp(x, h=h), gated(residual(x, x), h=h)
    paths = [term.path for term in activations(y).terms]
    assert paths == ["norm.input", "first.input", "act.input", "down.input", "gate.input", "act.input.2", "product.act",
                     "product.up", "down.input.2"]
