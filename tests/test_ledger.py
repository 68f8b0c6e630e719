"""Accounts: what they select, add and refuse, by hand sums; which experts are active."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from symcount import Convention, flops, model
from symcount.errors import ModelError, ShapeError, SizeError, UnitError
from symcount.layers import linear
from symcount.ledger import Ledger, Term
from symcount.masks import Mask
from symcount.network import (
    cached,
    contract,
    cut,
    keep,
    lookup,
    merge,
    pointwise,
    rename,
    split,
    tensor,
    top,
    weight,
    window,
    within,
)
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.work import multiply_adds
from symcount.scopes import Shared
from symcount.sizes import bounded, conditions, letter, per
from symcount.symbols import symbol

d, h, L, V, heads, s, P = map(letter, ("d", "h", "L", "V", "heads", "s", "P"))


def term(path, *factors, runs=None, kinds="weight"):
    """The first part of the path is the scope that is repeated."""
    scopes = () if runs is None else ((path.partition(".")[0], runs),)
    return Term(path, factors, scopes, tuple(kinds.split()))


def ledger(*terms, unit="parameter", **values):
    return Ledger(unit, terms, values)


# A small transformer by hand: 40 + 3 · (16 + 4 + 32 + 8 + 4) + 4 + 10 = 246
SMALL = Ledger("parameter", [
    term("embeddings.word",           10, 4, kinds="embedding"),
    term("layers.attention.query",    4, 4, runs=3),
    term("layers.attention.bias",     4, runs=3, kinds="bias"),
    term("layers.mlp.up",             4, 8, runs=3),
    term("layers.mlp.bias",           8, runs=3, kinds="bias"),
    term("layers.attention_norm",     4, runs=3, kinds="norm"),
    term("norm",                      4, kinds="norm"),
    term("norm_bias",                 10, kinds="norm bias frozen"),
], subject="small")

# ---------------------------------------------------------------- parts

SELECTED = [  # selection, sum of what is left
    (lambda: SMALL,                                    246),
    (lambda: SMALL.where("embeddings"),                40),
    (lambda: SMALL.where("layers"),                    3*64),
    (lambda: SMALL.where("layers.attention"),          3*20),
    (lambda: SMALL.where("attention"),                 3*20),
    (lambda: SMALL.where("attention.bias"),            3*4),
    (lambda: SMALL.where("bias"),                      3*12),
    (lambda: SMALL.where("norm"),                      4),
    (lambda: SMALL.where("layers").where("mlp"),       3*40),
    (SMALL.without,                                    246),
    (lambda: SMALL.without("bias"),                    246 - 3*12 - 10),
    (lambda: SMALL.without("norm"),                    246 - 3*4 - 4 - 10),
    (lambda: SMALL.without("embedding"),               206),
    (lambda: SMALL.without("frozen"),                  236),
    (lambda: SMALL.without("layers"),                  54),
    (lambda: SMALL.without("attention.query"),         246 - 3*16),
    (lambda: SMALL.without("bias", "norm", "embeddings"), 3*(16 + 32)),
    (lambda: SMALL.without("activation"),              246),
    (lambda: ledger(term("a", 3, kinds="gate"), term("b", 4)).without("gate"), 4),
    (lambda: ledger(term("up.weight", 12), term("norm.weight", 4, kinds="norm")).without("weight"), 4),
    (lambda: SMALL.where("layers").without("layers"),  0),
]


@pytest.mark.parametrize(("selection", "total"), SELECTED)
def test_parts(selection, total):
    assert selection().total == total
    assert selection().closed_form == total


GROUPED = [  # by, sum of each part
    (1,           {"embeddings": 40, "layers": 192, "norm": 4, "norm_bias": 10}),
    (2,           {"embeddings.word": 40, "layers.attention": 60, "layers.mlp": 120, "layers.attention_norm": 12,
                   "norm": 4, "norm_bias": 10}),
    (9,           {term.path: term.size for term in SMALL.terms}),
    ("kind",      {"embedding": 40, "weight": 144, "bias": 36, "norm": 26}),
    ("trainable", {"trainable": 236, "frozen": 10}),
]


@pytest.mark.parametrize(("by", "parts"), GROUPED)
def test_groups_in_the_order_of_the_network(by, parts):
    assert [(name, part.total) for name, part in SMALL.by(by).items()] == list(parts.items())


def test_paths_are_all_parts():
    assert SMALL.where("layers").paths() == [
        "layers", "layers.attention", "layers.attention.query", "layers.attention.bias", "layers.mlp", "layers.mlp.up",
        "layers.mlp.bias", "layers.attention_norm"]


def test_a_part_keeps_what_is_known_of_the_whole():
    whole = Ledger("FLOP", [term("a", d), term("b", h)], {"d": 3, "h": 4}, "toy", ("noted",), ())
    assert (whole.where("a").total, whole.where("a").subject, whole.where("a").notes) == (3, "toy", ("noted",))
    assert whole.without("a").notes == ("noted", "without a")
    assert whole.by(1)["b"].unit == "FLOP"


def test_one_run_of_a_scope():
    assert [t.once("layers").size for t in SMALL.terms[:2]] == [40, 16]


# ---------------------------------------------------------------- totals

x_d, x_h, x_heads = map(symbol, ("d", "h", "heads"))

TOTALS = [  # ledger, total
    (ledger(),                                                     0),
    (ledger(term("a", 3, 4), term("b", 5)),                        17),
    (ledger(term("a", 3, runs=0)),                                 0),
    (ledger(term("a", d, h), term("b", d), d=3, h=4),              15),
    (ledger(term("a", per(d, 2)), term("b", h), d=6, h=1),         4),
    (ledger(term("a", d, h), term("b", h), d=3),                   x_d*x_h + x_h),
    (ledger(term("a", per(d, heads), 3)),                          3*x_d/x_heads),
    (ledger(term("a", 2, per(d, 4)*h)),                            x_d*x_h/2),
    (ledger(term("a", x_d, 4), term("b", x_h)),                    4*x_d + x_h),
    (ledger(term("a", 3, runs=L - 1), L=5),                        12),
    pytest.param(ledger(term("a", Fraction(1, 2), 3), unit="FLOP"), Fraction(3, 2)),
    pytest.param(ledger(term("a", Fraction(1, 2), 3), term("b", Fraction(1, 3), 2), unit="FLOP"), Fraction(13, 6)),
    (ledger(term("a", Fraction(1, 2), 3), term("b", Fraction(1, 4), 2), unit="FLOP"), 2),
    (ledger(term("a", Fraction(1, 3), d), unit="FLOP", d=4),       Fraction(4, 3)),
    (ledger(term("a", 10**30, 10**30)),                            10**60),
]


@pytest.mark.parametrize(("account", "total"), TOTALS)
def test_totals(account, total):
    assert account.total == total
    assert isinstance(account.total, sympy.Basic) is bool(account.open)
    if account.open:
        assert account.total.free_symbols <= {x_d, x_h, x_heads}
    elif isinstance(total, int):
        assert type(account.total) is int


def test_letters_conditions_and_what_is_open():
    account = ledger(term("a", per(d, heads), heads, runs=L), term("b", bounded(s, P), V), L=2, V=5)
    assert account.letters == ["L", "d", "s", "V"]
    assert account.open == ["d", "s"]
    assert [f"{c.left} {c.relation} {c.right}" for c in account.conditions] == ["heads divides d", "s at most P"]


def test_shows_itself():
    assert repr(SMALL) == "<small: 246 parameters>"
    assert repr(ledger(term("a", 1_000, 10), unit="FLOP")) == "<10,000 FLOPs>"
    assert repr(ledger(term("a", d, 4), unit="multiply-add")) == "<4*d multiply-adds>"
    assert repr(ledger(term("a", Fraction(1, 3), d), unit="FLOP", d=4)) == "<4/3 FLOPs>"


# ---------------------------------------------------------------- sums

def test_sums():
    both = ledger(term("a", d), term("b", 2), d=3) + ledger(term("c", h), h=5, d=3)
    assert both.total == 10
    assert list(both.by(1)) == ["a", "b", "c"]
    assert both.values == {"d": 3, "h": 5}


BAD = [  # what is done, error, its whole text
    (lambda: SMALL + ledger(term("a", 2), unit="FLOP"),   UnitError, "cannot add parameters and FLOPs: two units"),
    (lambda: ledger(term("a", d), d=4_096) + ledger(term("b", d), d=1_024), UnitError,
     "cannot add accounts in which d is 4,096 and 1,024"),
    (lambda: ledger(term("a", s), s=4_096) + ledger(term("b", s)), UnitError,
     "cannot add accounts of which one leaves s open and one has it as 4,096"),
    (lambda: ledger(term("a", s)) + ledger(term("b", s), s=4_096), UnitError,
     "cannot add accounts of which one leaves s open and one has it as 4,096"),
    (lambda: ledger(term("a", d - h, d - h), d=1, h=3), SizeError, "a: the size d - h is less than nothing"),
    (lambda: ledger(term("a", per(d, heads), h), d=10, heads=3), SizeError, "heads = 3 does not divide d = 10"),
    (lambda: SMALL + SMALL, ShapeError,
     "two terms have the path 'embeddings.word': name the two uses apart"),
    (lambda: SMALL + 3, TypeError, "unsupported operand type(s) for +: 'Ledger' and 'int'"),
    (lambda: ledger(term("a", 1), term("b", 2), term("a", 3)), ShapeError,
     "two terms have the path 'a': name the two uses apart"),
    (lambda: ledger(unit="flops"),              UnitError, "unknown unit 'flops'; did you mean 'FLOP'?"),
    (lambda: ledger(unit="bit"),               UnitError,
     "unknown unit 'bit'; known: FLOP, byte, element, multiply-add, parameter"),
    (lambda: SMALL.where("layer"),              ModelError, "small has no part 'layer'; did you mean 'layers'?"),
    (lambda: SMALL.where("layers.mpl"),         ModelError,
     "small has no part 'layers.mpl'; did you mean 'layers.mlp'?"),
    (lambda: ledger(term("a.b", 1)).where("c"), ModelError, "the ledger has no part 'c'; known: a, a.b"),
    (lambda: SMALL.without("biases"),           ModelError, "small has no kind or part 'biases'; did you mean 'bias'?"),
    (lambda: SMALL.by("layer"),                 ModelError,
     "cannot group by 'layer': a depth from 1, kind, trainable, or names of paths "
     "(--by name, or a mapping)"),
    (lambda: SMALL.by(0),                       ModelError,
     "cannot group by 0: a depth from 1, kind, trainable, or names of paths "
     "(--by name, or a mapping)"),
    (lambda: ledger(term("a", per(d, heads)), d=4_096, heads=10).total, SizeError,
     "heads = 10 does not divide d = 4,096"),
    (lambda: ledger(term("a", heads*per(d, heads)), d=10, heads=3).total, SizeError,
     "heads = 3 does not divide d = 10"),
    (lambda: ledger(term("a", bounded(s, P)), s=513, P=512).total, SizeError, "s = 513 is more than P = 512"),
    (lambda: ledger(term("a", per(d, 2)), term("b", per(d, 2)), d=7).total, SizeError, "2 does not divide d = 7"),
    (lambda: Ledger("FLOP", [term("a", 3, runs=L - 2)], {"L": 1}, "toy").total, SizeError,
     "toy: a: the size L - 2 is less than nothing"),
    (lambda: ledger(term("a", per(d, heads)), d=10, heads=3), SizeError, "heads = 3 does not divide d = 10"),
    (lambda: ledger(term("a", s)) + ledger(term("b", s), s=4), UnitError,
     "cannot add accounts of which one leaves s open and one has it as 4"),
]


@pytest.mark.parametrize(("done", "error", "text"), BAD)
def test_refused(done, error, text):
    with pytest.raises(error) as refusal:
        done()
    assert str(refusal.value) == text


# ---------------------------------------------------------------- the experts that a token meets

x = tensor(b=1, s=2, d=12)


def experts(x, name, chosen, through=lambda w: w, best=None):
    """7 experts of 12 · 12, of which some are chosen by scores of 12 · 7 = 84 parameters."""
    scores = contract(x, weight(f"{name}.router", d=12, E=7), to="b s E", name=f"{name}.router")
    picked = top(scores, E=("e", chosen))
    picked = picked if best is None else keep(picked, e=best)
    rows = lookup(picked, through(weight(f"{name}.up", E=7, d=12, c=12)), f"{name}.rows")
    return rename(pointwise(contract(x, rows, to="b s e c", name=f"{name}.use"), kind="sum", to="b s c"), c="d")


def every_row():
    table = weight("table", E=7, d=12, c=12)
    y = experts(x, "one", 2, lambda _: table)
    return contract(y, table, to="b s E c", name="all")


ACTIVE = [  # network, parameters that one token meets
    pytest.param(lambda: experts(x, "one", 2),                          84 + 2*144, id="2 of 7"),
    pytest.param(lambda: experts(x, "one", 7),                          84 + 7*144, id="7 of 7"),
    pytest.param(lambda: within("layers", lambda x: experts(x, "one", 2), x, runs=5), 5*(84 + 2*144), id="in 5 layers"),
    pytest.param(lambda: experts(experts(x, "one", 3), "two", 3),       2*(84 + 3*144), id="3 of 7, twice"),
    pytest.param(lambda: experts(experts(x, "one", 3), "two", 1),       2*84 + 3*144 + 144, id="3 of 7, then 1 of 7"),
    pytest.param(lambda: experts(x, "one", 2, lambda w: rename(w, c="c")), 84 + 2*144, id="table renamed"),
    pytest.param(lambda: within("a", lambda x, w: experts(x, "one", 2, lambda _: w), x, weight("w", E=7, d=12, c=12)),
                 84 + 2*144, id="table handed in"),
    pytest.param(lambda: experts(x, "one", 2, lambda _: merge(weight("w", n=7, m=1, d=12, c=12), E="n m")),
                 84 + 2*144, id="table of 7 by 1"),
    pytest.param(lambda: experts(x, "one", 2, lambda _: merge(weight("w", n=1, m=7, d=12, c=12), E="n m")),
                 84 + 2*144, id="table of 1 by 7"),
    pytest.param(every_row,                                             84 + 7*144, id="table used in full as well"),
    pytest.param(lambda: experts(x, "one", 3, best=1),                  84 + 144, id="1 of the best 3 of 7"),
]


@pytest.mark.parametrize(("net", "count"), ACTIVE)
def test_active_parameters(net, count):
    assert active_parameters(net()).total == count


def test_two_choices_from_one_table_are_refused():
    table = weight("table", E=7, d=12, c=12)
    net = tuple(experts(x, f"use_{n}", n, lambda _: table) for n in (1, 2))
    with pytest.raises(ShapeError, match="table: one use chooses 144 of it, another 288"):
        active_parameters(net)


def test_rows_of_a_part_of_a_table_are_refused():
    net = experts(x, "one", 2, lambda _: cut(weight("table", E=9, d=12, c=12), "E", 7, 2)[0])
    with pytest.raises(ShapeError) as refusal:
        active_parameters(net)
    assert str(refusal.value) == (
        "table: rows of a part of it, table[E=7 d=12 c=12], cannot be counted as chosen")


def test_a_kernel_larger_than_its_image():
    side, k = letter("side"), letter("w")
    image = window(window(tensor(i=side, j=side), i=("p", k)), j=("q", k))
    counted = multiply_adds(contract(image, weight("kernel", p=k, q=k, o=6), to="i j o", name="convolve"))
    assert Ledger(counted.unit, counted.terms, {"side": 6, "w": 5}, bounds=counted.bounds).total == 2*2*5*5*6
    for small in (4, 3, 2):  # no place, and -1 · -1 and -2 · -2 places
        with pytest.raises(SizeError, match=rf"^w = 5 is more than side = {small}$"):
            Ledger(counted.unit, counted.terms, {"side": small, "w": 5}, bounds=counted.bounds)


HELD = [  # size of an axis, what must hold for it
    (lambda: cached(tensor(s=s), "key", s=("t", L)).axes["t"],                ["s at most L"]),
    (lambda: keep(tensor(P=P), P=s).axes["P"],                                ["s at most P"]),
    (lambda: keep(tensor(P=P), P=7).axes["P"],                                ["7 at most P"]),
    (lambda: top(tensor(E=h), E=("e", 2)).axes["e"],                          ["2 at most h"]),
    (lambda: window(tensor(i=d), i=("u", h), pad=1).axes["i"],                ["h at most d + 2"]),
    (lambda: split(tensor(d=d), "d", g=heads, k=None).axes["k"],              ["heads divides d"]),
]


@pytest.mark.parametrize(("size", "noted"), HELD)
def test_what_must_hold_of_an_axis(size, noted):
    assert [f"{c.left} {c.relation} {c.right}" for c in conditions(size())] == noted


def test_a_mask_counts_where_the_convention_says_so():
    query, key = tensor(s=4, k=3), tensor(t=6, k=3)
    for mask, count in ((None, 24), (Mask(causal=True), 3 + 4 + 5 + 6), (Mask(causal=True, window=2), 8)):
        net = contract(query, key, to="s t", name="scores", mask=mask)
        assert multiply_adds(net, "causal").total == 3*count
        assert multiply_adds(net).total == 3*24


# ---------------------------------------------------------------- once decided by the order of uses

def in_two_places(*bodies):
    """One mark, and under it another body in each place."""
    mark, y = Shared(), x
    for i, body in enumerate(bodies):
        y = within(f"place_{i}", lambda y, body=body: within("block", body, y, shared=mark), y)
    return y


def scaled(**how):
    return lambda y: pointwise(y, weight("scale", d=12, **how), kind="scale")


def repeated(runs):
    return lambda y: within("inner", scaled(), y, runs=runs)


UNEQUAL = [  # the two bodies, what once was counted
    (repeated(2), repeated(3),                                       "24 parameters, and 36 in the other order"),
    (scaled(stored="buffer"), scaled(),                              "no parameters, and 12 in the other order"),
    (scaled(stored="frozen"), scaled(),                              "12 frozen, and 12 trainable in the other order"),
    (scaled(kinds="bias"), scaled(kinds="norm"),                     "a bias, and a norm in the other order"),
]


@pytest.mark.parametrize(("one", "other"), [bodies for *bodies, _ in UNEQUAL])
def test_a_shared_weight_that_is_not_the_same_in_both_places(one, other):
    with pytest.raises(ShapeError, match="the shared weight"):
        parameters(in_two_places(one, other))


def test_what_a_run_hands_to_the_next_is_counted_though_nobody_reads_it_at_the_end():
    def cell(x, h):
        return pointwise(x, h, kind="add"), linear(h, "own", d=3, bias=False)

    y, _ = within("layers", cell, tensor(d=3), tensor("h", d=3), runs=4)
    assert parameters(y).total == 4 * 3 * 3


CONVENTIONS = [  # arguments, what is said of them
    ({"unit": "potato"},            "unit = 'potato'"),
    ({"pairs": "nonsense"},         "pairs = 'nonsense'"),
    ({"pairs": 0.65},               "pairs = 0.65: an exact number from 0 is needed"),
    ({"weights": "some"},           "weights = 'some'; known: active, all"),
    ({"runs": "twice"},             "runs = 'twice'"),
    ({"rates": {"softmaxx": 1}},    "there is no operation 'softmaxx' to rate; did you mean 'softmax'?"),
    ({"rates": {"softmax": -1}},    "softmax = -1: an exact number from 0 is needed"),
    ({"counts": {"logits": 0.5}},   "logits = 0.5: an exact number from 0 is needed"),
    ({"multiply_add": 2.0},         "multiply_add = 2.0: an exact number from 0 is needed"),
]


@pytest.mark.parametrize(("given", "says"), CONVENTIONS, ids=[says for _, says in CONVENTIONS])
def test_a_convention_that_says_nothing_known_is_refused(given, says):
    with pytest.raises(ModelError) as caught:
        Convention("mine", says="mine", source="a test", **given)
    assert says.split("; ")[0] in str(caught.value)


def test_a_bias_is_a_bias_however_it_is_stored():
    """GPT-2 keeps its maps in Conv1D: 9d + … a layer, as BERT's linear maps."""
    mine = Convention("mine", rates={"bias": 1}, says="biases too", source="a test")
    added = flops(model("gpt2"), mine, s=10).total - flops(model("gpt2"), s=10).total
    assert added == 12 * 10 * 9 * 768
