"""Every verb: the axes of what it makes, every mistake in wiring with its whole message; scopes, sharing, the walk."""

from __future__ import annotations

import pytest

from symcount import network
from symcount.errors import ShapeError, SizeError
from symcount.layers import linear, norm
from symcount.layers.convolution import batchnorm
from symcount.masks import Mask
from symcount.network import concat, contract, cut, idle, pointwise, rename, tensor, walk, weight, within
from symcount.readers.parameters import parameters
from symcount.readers.work import multiply_adds
from symcount.scopes import Shared
from symcount.sizes import letter

NAMESPACE = vars(network) | {"Mask": Mask, "linear": linear, "norm": norm} | {
    "x": tensor(b=1, s=2, d=12),
    "y": tensor("y", b=1, s=2, d=12),
    "ids": tensor("ids", b=1, s=2),
    "scores": tensor("scores", s=2, E=8),
    "image": tensor("image", c=3, i=32, j=32),
    "w": weight("w", d=12, h=5),
    "table": weight("table", V=100, d=12),
} | {f"n_{name}": letter(name) for name in ("b", "d", "h", "s", "t", "heads", "k", "V", "P", "side", "w", "E")}


def run(code):
    return eval(code, dict(NAMESPACE))  # noqa: S307 - the tables below


# ---------------------------------------------------------------- what a verb makes

MADE = [  # expression, what it makes
    ("tensor(d=n_d)",                                     "x[d=d]"),
    ("weight('up.weight', d=4, h=8)",                     "up.weight[d=4 h=8]"),
    ("contract(x, w, to='b s h', name='up')",             "up[b=1 s=2 h=5]"),
    ("contract(x, rename(x, s='t'), to='b s t', name='scores')", "scores[b=1 s=2 t=2]"),
    ("lookup(ids, table, 'word')",                        "word[b=1 s=2 d=12]"),
    ("pointwise(x, y, kind='add')",                       "add[b=1 s=2 d=12]"),
    ("pointwise(x, weight('g', d=12), kind='norm', name='first')", "first[b=1 s=2 d=12]"),
    ("pointwise(x, kind='mean', to='b d')",               "mean[b=1 d=12]"),
    ("pointwise(ids, weight('g', d=12), kind='outer', to='b s d')", "outer[b=1 s=2 d=12]"),
    ("rename(x, s='t')",                                  "x[b=1 t=2 d=12]"),
    ("rename(x, s='d', d='s')",                           "x[b=1 d=2 s=12]"),
    ("repeat(x, g=4)",                                    "x[g=4 b=1 s=2 d=12]"),
    ("merge(x, z='s d')",                                 "x[b=1 z=24]"),
    ("merge(x, d='s d')",                                 "x[b=1 d=24]"),
    ("merge(tensor(g=n_heads, q=3, k=n_k), d='g k')",     "x[d=heads*k q=3]"),
    ("split(x, 'd', g=3, k=None)",                        "x[b=1 s=2 g=3 k=4]"),
    ("split(x, 'd', g=3, k=4)",                           "x[b=1 s=2 g=3 k=4]"),
    ("split(tensor(d=n_d), 'd', g=n_heads, k=None)",      "x[g=heads k=d/heads]"),
    ("concat(x, y, axis='s')",                            "x[b=1 s=4 d=12]"),
    ("concat(tensor(s=n_s), tensor(s=1), axis='s')",      "x[s=s + 1]"),
    ("cut(x, 'd', 5, 7)",                                 "(x[b=1 s=2 d=5], x[b=1 s=2 d=7])"),
    ("cut(tensor(c=n_h + 2*n_k), 'c', n_h, n_k, n_k)",    "(x[c=h], x[c=k], x[c=k])"),
    ("select(x, 's')",                                    "x[b=1 d=12]"),
    ("top(scores, E=('e', 2))",                           "scores[s=2 e=2]"),
    ("window(image, i=('u', 5))",                         "image[c=3 i=28 j=32 u=5]"),
    ("window(image, i=('u', 3), pad=1)",                  "image[c=3 i=32 j=32 u=3]"),
    ("window(image, i=('u', 7), stride=2, pad=3)",        "image[c=3 i=16 j=32 u=7]"),
    ("window(tensor(i=16*n_side), i=('u', 16), stride=16)", "x[i=side u=16]"),
    ("window(tensor(i=n_side), i=('u', n_w), stride=n_w)", "x[i=floor(side, w) u=w]"),
    ("cached(x, 'key', s=('t', 9))",                      "key[b=1 t=9 d=12]"),
    ("cached(x, 'key', s=('s', 2))",                      "key[b=1 s=2 d=12]"),
    ("idle(x, w)",                                        "x[b=1 s=2 d=12]"),
    ("within('a', lambda x: select(x, 's'), x)",          "x[b=1 d=12]"),
    ("within('a', lambda x: (x, select(x, 's')), x)",     "(x[b=1 s=2 d=12], x[b=1 d=12])"),
    ("within('a.b', lambda x, n: keep(x, d=n), x, n=3)",  "x[b=1 s=2 d=3]"),
    ("within('a', lambda: x)",                            "x[b=1 s=2 d=12]"),
    ("within('a', lambda x: x, x, runs=7)",               "x[b=1 s=2 d=12]"),
    ("within('a', lambda x: x, x, over='s')",             "x[b=1 s=2 d=12]"),
    ("within('a', lambda x, h: (x, h), x, tensor('h', h=5), over='s')", "(x[b=1 s=2 d=12], h[h=5])"),
]


@pytest.mark.parametrize(("code", "text"), MADE, ids=[code for code, _ in MADE])
def test_what_a_verb_makes(code, text):
    assert str(run(code)) == text


# ---------------------------------------------------------------- what a verb refuses

X, Y = "x[b=1 s=2 d=12]", "y[b=1 s=2 d=12]"
NAMED = "a name is of letters, digits and '_', joined by '.'"

REFUSED = [  # expression, what is wrong
    ("contract(x, weight('w', d=5, h=4), to='s h', name='up')",   f"up: axis 'd' is 12 in {X} and 5 in w[d=5 h=4]"),
    ("contract(tensor(s=n_s), tensor('z', s=n_t), to='s', name='up')", "up: axis 's' is s in x[s=s] and t in z[s=t]"),
    ("contract(tensor(d=n_d), tensor('z', d=n_heads*n_k), to='', name='up')",
     "up: axis 'd' is d in x[d=d] and heads*k in z[d=heads*k]; say k=d/heads, or write d as heads*k"),
    ("contract(x, w, to='s q z', name='up')",        f"up: no operand has axis 'q', 'z': {X}, w[d=12 h=5]"),
    ("contract(x, w, to='s h s', name='up')",        "up: an axis stands twice in to='s h s'"),
    ("contract(x, 3, to='s', name='up')",            "up: 3 is not a Tensor"),
    ("contract(to='', name='up')",                   "up: no operands"),
    ("contract(x, rename(w, d='c'), to='b s h', name='up')",
     f"up: axis 'd' is summed, but only one operand has it: {X}, w[c=12 h=5]"),
    ("contract(x, w, to='b s h', name='up', mask=Mask(causal=True))",
     f"up: a mask needs the axes 's' and 't': {X}, w[d=12 h=5]"),
    ("linear(ids, 'up', h=4)",                       "up: ids[b=1 s=2] has no axis 'd'"),
    ("linear(x, 'up', w=rename(w, d='c'), h=5)",
     f"up: axis 'd' is summed, but only one operand has it: {X}, w[c=12 h=5]"),
    ("norm(ids, 'norm')",                            "norm: ids[b=1 s=2] has no axis 'd'"),
    ("lookup(ids, None, 'word')",                    "word: None is not a Tensor"),
    ("idle(x, None)",                                "idle: None is not a Tensor"),
    ("lookup(ids, weight('w'), 'word')",             "word: w[] has no axis whose rows could be looked up"),
    ("lookup(x, table, 'word')",                     f"word: axis 'd' is in {X} and in table[V=100 d=12]"),
    ("pointwise(ids, w, kind='add')",
     "add: ids[b=1 s=2] has no axis 'd', 'h'; say to=... for the axes of the result"),
    ("pointwise(x, tensor(d=3), kind='add', name='sum')", f"sum: axis 'd' is 12 in {X} and 3 in x[d=3]"),
    ("pointwise(x, kind='mean', to='b q')",          f"mean: no operand has axis 'q': {X}"),
    ("weight('w', stored='disk', d=3)",              "weight w: stored='disk'; known: parameter, frozen, buffer"),
    ("rename(None, s='t')",                          "rename: None is not a Tensor"),
    ("rename(x, q='t')",                             f"rename: {X} has no axis 'q'"),
    ("rename(x, s='d')",                             f"rename: {X} would have an axis twice: b d d"),
    ("repeat(x, s=3)",                               f"repeat: {X} already has axis 's'"),
    ("merge(x, z='s q')",                            f"merge: {X} has no axis 'q'"),
    ("merge(x, z='d d')",                            "merge: axes to merge, each once, are needed, not 'd d'"),
    ("merge(x, z='')",                               "merge: axes to merge, each once, are needed, not ''"),
    ("merge(x, z='d', y='s')",                       "merge takes one axis at a time, not 2"),
    ("merge(tensor(c=5, g=2, k=3), c='g k')",        "merge: x[c=5 g=2 k=3] already has axis 'c'"),
    ("split(x, 'd', s=3, k=4)",                      f"split: {X} already has axis 's'"),
    ("split(x, 'd', g=3, k=5)",                      f"split: axis 'd' of {X} is 12, and its parts make 15"),
    ("split(x, 'd', g=None, k=None)",                f"split {X}: only one part may be left open, not 'g', 'k'"),
    ("concat(axis='s')",                             "concat: no operands"),
    ("concat(x, ids, axis='s')",                     f"concat along 's': {X} and ids[b=1 s=2] have different axes"),
    ("concat(x, tensor(b=1, s=2, d=3), axis='s')",   f"concat: axis 'd' is 12 in {X} and 3 in x[b=1 s=2 d=3]"),
    ("cut(x, 'd', 5, 6)",                            f"cut: axis 'd' of {X} is 12, and the parts add up to 11"),
    ("cut(tensor(d=n_d), 'd', n_heads, n_d)",
     "cut: axis 'd' of x[d=d] is d, and the parts add up to heads + d; say k=d/heads, or write d as heads*k"),
    ("select(x, 's', 2)",                            f"select: there is no position 2 on axis 's' of {X}"),
    ("top(x, E=('e', 2))",                           f"top: {X} has no axis 'E'"),
    ("top(tensor(E=8, e=3), E=('e', 2))",            "top: x[E=8 e=3] already has axis 'e'"),
    ("window(image, i=('j', 2))",                    "window: image[c=3 i=32 j=32] already has axis 'j'"),
    ("window(image, i=('u', 2), stride=0)",          "window: a stride of 0 does not move"),
    ("window(image, i=('u', 33))",    "window: axis 'i' of image[c=3 i=32 j=32] is shorter than the kernel 33"),
    ("cached(x, 'key', s=('d', 9))",                 f"cached key: {X} already has axis 'd'"),
    ("within('', lambda x: x, x)",                   f"within '': {NAMED}"),
    ("within('a', lambda x: x, None)",               "a: None is not a Tensor"),
    ("within('a b', lambda x: x, x)",                f"within 'a b': {NAMED}"),
    ("within('a', lambda x: None, x)",   "a: the body returned NoneType, not a Tensor; did it forget to return?"),
    ("within('a', lambda x: (x, 3), x)", "a: the body returned int, not a Tensor; did it forget to return?"),
    ("within('a', lambda x: (x, x), x, runs=3)",
     "a is repeated and must return what it is given, 1 tensors; it returned 2"),
    ("within('a', lambda x: keep(x, d=3), x, runs=3)",
     f"a is repeated and must return the shape it is given: {X} came in, x[b=1 s=2 d=3] came out"),
    ("within('a', lambda x: x, x, runs=3, over='s')", "a: it runs over axis 's', so runs=3 says it twice"),
    ("within('a', lambda step: x, x, over='s')",     f"a runs over axis 's', which its body cannot return: {X}"),
    ("within('a', lambda x: x, x, over='q')",        f"a: no input has the axis 'q' to run over: {X}"),
    ("within('a', lambda x, y: (x, y), x, tensor('z', s=3), over='s')", f"a: axis 's' is 2 in {X} and 3 in z[s=3]"),
    ("within('a', lambda x, h: (x, keep(h, h=4)), x, tensor('h', h=5), over='s')",
     "a is repeated and must return the shape it is given: h[h=5] came in, h[h=4] came out"),
]


@pytest.mark.parametrize(("code", "text"), REFUSED, ids=[code for code, _ in REFUSED])
def test_wiring_mistakes(code, text):
    with pytest.raises(ShapeError) as refusal:
        run(code)
    assert str(refusal.value) == text


SIZES = [  # expression, what is wrong with a size
    ("tensor(s=-3)",                          "x: axis 's' is -3, less than nothing"),
    ("cut(x, 'd', 14, -2)",                   "x: axis 'd' is -2, less than nothing"),
    ("weight('w', d=2.5)",                    "w: axis 'd' is 2.5: a size is a whole number or in letters"),
    ("split(x, 'd', g=5, k=None)",            "split: axis 'd' of x[b=1 s=2 d=12]: 5 does not divide 12"),
    ("keep(x, s=3)",                          "x: the first 3 of axis 's' are wanted, but there are only 2"),
    ("keep(weight('rows', P=1024), P=2048)",  "rows: the first 2,048 of axis 'P' are wanted, but there are only 1,024"),
    ("top(scores, E=('e', 9))",               "top: 9 of axis 'E' are wanted, but scores[s=2 E=8] has only 8"),
    ("cached(x, 'key', s=('t', 1))",          "cached key: axis 's' of x[b=1 s=2 d=12]: 2 is more than 1"),
]


@pytest.mark.parametrize(("code", "text"), SIZES)
def test_sizes_that_do_not_fit(code, text):
    with pytest.raises(SizeError) as refusal:
        run(code)
    assert str(refusal.value) == text


# ---------------------------------------------------------------- where a weight is made, and how often

x = NAMESPACE["x"]


def layer(x):
    """A square weight "up", 12 · 12 = 144 parameters; 2 · 144 multiply-adds for the two rows of x."""
    turned = rename(x, d="c")
    return contract(turned, weight("up", c=turned.axes["c"], d=12), to=" ".join(x.axes), name="use")


def stack(runs, **how):
    return lambda x: within("stack", layer, x, runs=runs, **how)


def marked(x):
    """A mark outside a stack, used inside."""
    mark = Shared()
    return within("layers", lambda x: within("block", layer, x, shared=mark), x, runs=5)


def half_marked(x):
    """Of two layers in a block, one is shared over all blocks, the other made anew in each."""
    mark = Shared()
    return within("blocks", lambda x: within("own", layer, within("common", layer, x, shared=mark)), x, runs=5)


def two_places(x, body=layer):
    mark = Shared()
    x = within("first", lambda x: within("block", body, x, shared=mark), x)
    return within("second", lambda x: within("block", body, x, shared=mark), x)


def twice(**how):
    """A scope inside of a block that is used in two places."""
    return lambda x: two_places(x, lambda x: within("in", layer, x, **how))


def adapters(x):
    """A mark in each of 3 layers, over 4 steps: shared by the steps, not by the layers."""
    return within("layers", lambda x: within("steps", layer, x, runs=4, shared=Shared()), x, runs=3)


def captured(x):
    w = weight("table", c=12, d=12)
    return within("layers", lambda x: contract(rename(x, d="c"), w, to="b s d", name="use"), x, runs=5)


def handed(x):
    w = weight("table", c=12, d=12)
    return within("layers", lambda x, w: (contract(rename(x, d="c"), w, to="b s d", name="use"), w), x, w, runs=5)[0]


def tied(x):
    w = weight("table", c=12, d=12)
    y = contract(rename(x, d="c"), w, to="b s d", name="first")
    return contract(y, w, to="b s c", name="second")


COUNTED = [  # network, {path of a weight: parameters}, {path of a product: multiply-adds}
    (layer,                                  {"up": 144},                     {"use": 288}),
    (stack(5),                               {"stack.up": 5*144},             {"stack.use": 5*288}),
    (stack(5, shared=True),                  {"stack.up": 144},               {"stack.use": 5*288}),
    (stack(0),                               {"stack.up": 0},                 {"stack.use": 0}),
    (lambda x: within("all", stack(5), x, runs=3),                {"all.stack.up": 15*144},  {"all.stack.use": 15*288}),
    (lambda x: within("all", stack(5), x, runs=3, shared=True),   {"all.stack.up": 5*144},   {"all.stack.use": 15*288}),
    (lambda x: within("all", stack(5, shared=True), x, runs=3),   {"all.stack.up": 3*144},   {"all.stack.use": 15*288}),
    (lambda x: within("a.b", layer, x, runs=5),                   {"a.b.up": 5*144},          {"a.b.use": 5*288}),
    (marked,                                 {"block.up": 144},               {"layers.block.use": 5*288}),
    (half_marked,                            {"common.up": 144, "blocks.own.up": 5*144},
                                             {"blocks.common.use": 5*288, "blocks.own.use": 5*288}),
    (two_places,                             {"block.up": 144},  {"first.block.use": 288, "second.block.use": 288}),
    (twice(),                    {"block.in.up": 144},  {"first.block.in.use": 288, "second.block.in.use": 288}),
    (twice(shared=True),         {"block.in.up": 144},  {"first.block.in.use": 288, "second.block.in.use": 288}),
    (twice(runs=3),              {"block.in.up": 432},  {"first.block.in.use": 864, "second.block.in.use": 864}),
    (adapters,                               {"layers.steps.up": 3*144},      {"layers.steps.use": 12*288}),
    (captured,                               {"table": 144},                  {"layers.use": 5*288}),
    (handed,                                 {"table": 144},                  {"layers.use": 5*288}),
    (tied,                                   {"table": 144},                  {"first": 288, "second": 288}),
    (lambda x: within("rnn", layer, x, over="s", shared=True),    {"rnn.up": 144},            {"rnn.use": 288}),
    (lambda x: within("rnn", layer, x, over="s"),                 {"rnn.up": 2*144},          {"rnn.use": 288}),
    (lambda x: (layer(x), within("a", layer, x)),                 {"up": 144, "a.up": 144}, {"use": 288, "a.use": 288}),
    (lambda x: contract(x, cut(weight("w", d=12, c=9), "c", 4, 5)[0], to="b s c", name="use"),
                                             {"w": 108},                      {"use": 96}),
    (lambda x: idle(x, weight("asleep", d=7)),                    {"asleep": 7},              {}),
    (lambda x: pointwise(x, weight("mean", stored="buffer", d=12), kind="norm"),  {},         {}),
    (lambda x: pointwise(x, weight("fixed", stored="frozen", d=12), kind="norm"), {"fixed": 12}, {}),
    (lambda x: (pointwise(x, kind="gelu"), weight("unused", d=3))[0],             {},         {}),
]


@pytest.mark.parametrize(("net", "made", "used"), COUNTED, ids=lambda item: getattr(item, "__name__", None))
def test_parameters_and_work(net, made, used):
    assert {term.path: term.size for term in parameters(net(x)).terms} == made
    assert {term.path: term.size for term in multiply_adds(net(x)).terms} == used


TWICE = "two weights are named '{}': name them apart, or pass one to both uses"


def blocks_of(*widths):
    mark = Shared()
    return [within(f"use_{i}", lambda x, n=n: within("block", lambda x: pointwise(
        x, weight("g", d=12, h=n), kind="gate", to="b s d"), x, shared=mark), x) for i, n in enumerate(widths)]


NOT_COUNTED = [  # network, what is wrong
    (lambda: layer(layer(x)),                                             TWICE.format("up")),
    (lambda: within("a", lambda x: layer(layer(x)), x),                   TWICE.format("a.up")),
    (lambda: within("a", lambda x: layer(layer(x)), x, shared=True),      TWICE.format("a.up")),
    (lambda: within("a", layer, within("a", layer, x, shared=True), shared=True), TWICE.format("a.up")),
    (lambda: within("b", lambda x: within("a", layer, within("a", layer, x)), x, shared=True), TWICE.format("b.a.up")),
    (lambda: within("a", layer, within("a", layer, x)),                   TWICE.format("a.up")),
    (lambda: concat(*blocks_of(3, 4), axis="s"),
     "the shared weight 'block.g' is g[d=12 h=3] parameter weight in one use and "
     "g[d=12 h=4] parameter weight in another"),
]


@pytest.mark.parametrize(("net", "text"), NOT_COUNTED)
def test_weights_that_cannot_be_told_apart(net, text):
    with pytest.raises(ShapeError) as refusal:
        parameters(net())
    assert str(refusal.value) == text


def test_one_product_named_twice_is_refused():
    a, b = weight("a", d=12, h=5), weight("b", d=12, h=5)
    net = tuple(contract(x, w, to="b s h", name="use") for w in (a, b))
    with pytest.raises(ShapeError, match="two terms have the path 'use': name the two uses apart"):
        multiply_adds(net)


def test_a_failing_body_leaves_its_scope():
    with pytest.raises(ShapeError):
        within("a", lambda x: rename(x, q="t"), x)
    assert weight("w", d=3).path == "w"


# ---------------------------------------------------------------- the walk

def test_walk_finds_each_once_in_the_order_of_making():
    net = half_marked(x)
    found = walk((net, net))
    assert len(found) == len({id(op) for op in found})
    position = {id(op): i for i, op in enumerate(found)}
    assert all(position[id(operand)] < position[id(op)] for op in found for operand in op.inputs)
    assert found[0] is x
    assert found[-1] is net


def test_what_a_body_captures_is_walked():
    memory = within("encoder", layer, tensor("source", b=1, s=2, d=12))
    net = within("decoder", lambda x: pointwise(x, memory, kind="add"), x, runs=3)
    assert [op.path for op in walk(net) if op.verb == "weight"] == ["encoder.up"]
    assert multiply_adds(net).total == 288


def test_what_no_result_needs_is_not_walked():
    first, _ = within("pair", lambda x: (x, layer(x)), x)
    assert parameters(first).total == 0


def test_a_step_stops_at_rows_that_are_all_remembered():
    def attend(rows, name, **axes):
        return network.cached(within(name, layer, rows), name, **axes)

    new, old = attend(x, "self", s=("t", 9)), attend(rename(x, s="u"), "cross", u=("u", 2))
    net = contract(new, old, to="t u", name="scores")
    assert [op.path for op in walk(net) if op.verb == "weight"] == ["self.up", "cross.up"]
    assert [op.path for op in walk(net, step=True) if op.verb == "weight"] == ["self.up"]
    rows = [op for op in walk(net) if op.verb == "cached"]
    assert [(op.name, op.details["remembered"], op.axes[op.details["into"]]) for op in rows] == [
        ("self", False, 9), ("cross", True, 2)]


def test_marks_made_in_scopes_of_other_names_are_two():
    net = within("b.a", layer, within("c.a", layer, x, shared=True), shared=True)
    assert [term.path for term in parameters(net).terms] == ["c.a.up", "b.a.up"]


def test_rows_that_join_others_are_new():
    for joined in (("s", 9), ("t", 2)):
        net = network.cached(layer(x), "key", s=joined)
        assert [op.path for op in walk(net, step=True) if op.verb == "weight"] == ["up"]


def test_a_recurrent_layer_of_another_width():
    def cell(x, h):
        h = contract(x, weight("w", d=12, h=5), to="b h", name="use")
        return h, h

    out, state = within("rnn", cell, x, tensor("h", b=1, h=5), over="s", shared=True)
    assert (str(out), str(state)) == ("use[b=1 s=2 h=5]", "use[b=1 h=5]")
    assert parameters((out, state)).total == 60
    assert multiply_adds((out, state)).total == 2*60


@pytest.mark.parametrize("net", [None, [x], "x"], ids=repr)
def test_what_is_no_network(net):
    with pytest.raises(ShapeError) as refusal:
        walk(net)
    assert str(refusal.value) == f"a network is a Tensor or a tuple of them, not {type(net).__name__}"


# ---------------------------------------------------------------- once accepted

ONCE_ACCEPTED = [  # expression that is a ShapeError or a SizeError, what once happened
    ("keep(None, s=3)",                        "a bare AttributeError"),
    ("weight('')",                             "accepted: its path is that of the scope around"),
    ("weight('a b')",                          "accepted, where a scope of this name is refused"),
    ("within('a', lambda x: x, x, runs=2.5)",  "accepted; refused only when it is counted"),
]


@pytest.mark.parametrize("code", [code for code, _ in ONCE_ACCEPTED])
def test_refused_that_once_was_accepted(code):
    with pytest.raises((ShapeError, SizeError)):
        run(code)


def test_a_layer_on_a_tensor_without_its_axis_says_so():
    with pytest.raises(ShapeError, match=r"x\[b=1 s=2 d=3\] has no axis 'c'"):
        batchnorm(tensor("x", b=1, s=2, d=3), "norm")
