"""What PyTorch keeps for the backward pass of small blocks written here, against `activations`: `pytest -m live`.

`saved_tensors_hooks` shows every tensor that an operation saves. Distinct storages that are no parameters are added
up, in single precision. What PyTorch keeps beside our count is named and added, to the byte:

    statistics   layer_norm keeps mean and deviation of each row, a batch norm those of each channel
    noise        on a CPU dropout keeps what it multiplies with, in 4 bytes a number; a mask has 1
    angles       cosines and sines of rotary positions, once for all layers
    indices      token ids, labels, and where a maximum was, in 8 bytes each
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from symcount import letter, model
from symcount.layers import attention, gated, linear, norm, post_norm, pre_norm, residual
from symcount.layers.convolution import batchnorm, conv2d, pool
from symcount.layers.recurrent import gru, lstm
from symcount.ledger import Ledger
from symcount.network import contract, merge, pointwise, tensor, weight, within
from symcount.readers.activations import activations

torch = pytest.importorskip("torch", reason="the live tests run blocks in torch, which the extra 'live' installs")
nn, functional = torch.nn, torch.nn.functional
checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint

pytestmark = pytest.mark.live

b, s, d, heads, kv, h, V, P, L = 2, 6, 24, 4, 2, 40, 50, 16, 3
k = d // heads


def kept(module, *inputs):
    """The bytes of distinct storages that a forward pass saves, but for parameters and buffers."""
    own = {x.untyped_storage().data_ptr() for x in (*module.parameters(), *module.buffers())}
    found, alive = {}, []

    def pack(x):
        alive.append(x)  # so that no storage is used anew
        found[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        alive.append(module(*inputs))
    return sum(size for place, size in found.items() if place not in own)


def sizes(**more):
    return SimpleNamespace(**{"b": b, "s": s, "t": s, "d": d, "heads": heads, "h": h, **more})


def counted(forward, keep="all", **more):
    """Our count in single precision: over ints, and over letters with the same values."""
    z = sizes(**more)
    by_ints = activations(forward(z), keep, width=4)
    names = [name for name, size in vars(z).items() if type(size) is int]
    in_letters = SimpleNamespace(**{**vars(z), **{name: letter(name) for name in names}})
    open_ = activations(forward(in_letters), keep, width=4)
    values = {name: getattr(z, name) for name in names}
    assert Ledger("byte", open_.terms, values, bounds=open_.bounds).total == by_ints.total
    return by_ints.total


def x_of(z):
    return tensor(b=z.b, s=z.s, d=z.d)


# ---------------------------------------------------------------- dropout, attention and blocks

class Mask(nn.Module):
    """Dropout as on a GPU: it keeps a mask of one byte a number."""

    def forward(self, x):
        return torch.native_dropout(x, 0.1, True)[0]


class Attention(nn.Module):
    def __init__(self, drop, way="all"):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(d, d) for _ in range(4))
        self.drop, self.way = drop, way

    def core(self, q, k, v):
        return self.drop(torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1)) @ v

    def forward(self, x):
        q, k, v = (f(x).view(b, s, heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        if self.way == "selective":
            y = checkpoint(self.core, q, k, v, use_reentrant=True)
        elif self.way == "flash":
            y = functional.scaled_dot_product_attention(q, k, v)
        else:
            y = self.core(q, k, v)
        return self.output(y.transpose(1, 2).reshape(b, s, d))


class Block(nn.Module):
    """A block of GPT, or with `post` of BERT."""

    def __init__(self, drop=nn.Dropout, *, post=False, way="all"):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(d), nn.LayerNorm(d)])
        self.attention, self.post = Attention(drop(), way), post
        self.up, self.down = nn.Linear(d, h), nn.Linear(h, d)
        self.drops = nn.ModuleList([drop(), drop()])

    def forward(self, x):
        parts = (self.attention, lambda y: self.down(functional.gelu(self.up(y))))
        for norm_, part, drop in zip(self.norms, parts, self.drops, strict=True):
            x = norm_(x + drop(part(x))) if self.post else x + drop(part(norm_(x)))
        return x


NOISE = 3 * (b * heads * s * s + 2 * b * s * d)  # a block keeps 4 bytes where a mask has 1
STATISTICS = 2 * 4 * b * s  # of one norm


@pytest.mark.parametrize(("ours", "post"), [(pre_norm, False), (post_norm, True)])
@pytest.mark.parametrize(("drop", "more"), [(nn.Dropout, NOISE), (Mask, 0)])
def test_block_with_layer_norm_gelu_and_dropout(ours, post, drop, more):
    count = counted(lambda z: ours(x_of(z), z))
    assert kept(Block(drop, post=post), torch.randn(b, s, d)) == count + more + 2 * STATISTICS


@pytest.mark.parametrize("ours", [pre_norm, post_norm])
def test_block_without_dropout_is_what_without_leaves(ours):
    """At a rate of 0 torch hands on what it is given."""
    theirs = kept(Block(lambda: nn.Dropout(0), post=ours is post_norm), torch.randn(b, s, d)) - 2 * STATISTICS
    dropping, plain = (activations(ours(x_of(sizes()), sizes(), **flag), width=4) for flag in ({}, {"dropout": False}))
    assert theirs == plain.total == dropping.without("dropout").total < dropping.total


@pytest.mark.parametrize("way", ["selective", "flash"])
def test_attention_made_again(way):
    """`checkpoint` keeps what comes in; the kernel of torch is FlashAttention: one number more for each softmax."""
    block = Block(lambda: nn.Dropout(0), way=way)
    assert kept(block, torch.randn(b, s, d)) == 2 * STATISTICS + counted(
        lambda z: pre_norm(x_of(z), z, dropout=False), way)


# ---------------------------------------------------------------- the block of LLaMA

class OneTensorNorm(torch.autograd.Function):
    """An RMSNorm that keeps what it is given, and no deviation."""

    @staticmethod
    def forward(ctx, x, gain):
        ctx.save_for_backward(x, gain)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * gain

    @staticmethod
    def backward(ctx, *_):
        raise NotImplementedError  # what is kept is looked at, and nothing else


class Llama(nn.Module):
    """RMSNorm, rotary positions, grouped heads, SiLU with a gate."""

    def __init__(self):
        super().__init__()
        self.gains = nn.ParameterList([torch.ones(d), torch.ones(d)])
        self.query, self.key, self.value = (nn.Linear(d, n * k, bias=False) for n in (heads, kv, kv))
        self.output, self.down = nn.Linear(d, d, bias=False), nn.Linear(h, d, bias=False)
        self.gate, self.up = (nn.Linear(d, h, bias=False) for _ in range(2))
        self.angles = torch.randn(2, s, 1, k)

    def turned(self, x):
        one, two = x.chunk(2, -1)
        return x * self.angles[0] + torch.cat([-two, one], -1) * self.angles[1]

    def forward(self, x):
        y = OneTensorNorm.apply(x, self.gains[0])
        q, key, v = (f(y).view(b, s, -1, k) for f in (self.query, self.key, self.value))
        q, key = self.turned(q).view(b, s, kv, heads // kv, k), self.turned(key)
        weights = torch.softmax(torch.einsum("bsgqk,btgk->bgqst", q, key) / k ** 0.5, -1)
        mixed = torch.einsum("bgqst,btgk->bgqsk", weights, v)  # in this order of axes no copy of the weights is made
        x = x + self.output(mixed.permute(0, 3, 1, 2, 4).reshape(b, s, d))
        y = OneTensorNorm.apply(x, self.gains[1])
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


ANGLES = 2 * 4 * s * k


def llama(z):
    def block(x):
        y = norm(x, "attention_norm", shift=False)
        x = residual(x, within("attention", attention, y, z=z, t=z.t, kv=z.kv, bias=False, position="rotary"))
        return residual(x, within("mlp", gated, norm(x, "mlp_norm", shift=False), h=z.h))
    return block(x_of(z))


def test_block_with_rms_norm_rotary_positions_grouped_heads_and_a_gate():
    assert kept(Llama(), torch.randn(b, s, d)) == counted(llama, kv=kv) + ANGLES


# ---------------------------------------------------------------- a whole GPT, its loss, its layers run again

class Gpt(nn.Module):
    def __init__(self, *, again=False):
        super().__init__()
        self.words, self.places = nn.Embedding(V, d), nn.Embedding(P, d)
        self.drop, self.last, self.head = Mask(), nn.LayerNorm(d), nn.Linear(d, V, bias=False)
        self.blocks, self.again = nn.ModuleList([Block(Mask) for _ in range(L)]), again

    def forward(self, ids, labels):
        x = self.drop(self.words(ids) + self.places(torch.arange(s)))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=True) if self.again else block(x)
        return functional.cross_entropy(self.head(self.last(x)).view(b * s, V), labels.view(-1))


@pytest.mark.parametrize("keep", ["all", "full"])
def test_gpt_and_its_loss(keep):
    ids, labels = (torch.randint(V, (b, s)) for _ in range(2))
    gpt2 = model("gpt2").replace(V=V, P=P, d=d, h=h, L=L, heads=heads, b=b, s=s)
    norms = 1 if keep == "full" else 2 * L + 1
    indices = 8 * (b * s + s + b * s)  # words, places, labels
    theirs = kept(Gpt(again=keep == "full"), ids, labels) - norms * STATISTICS - indices
    assert theirs - 4 == activations(gpt2, keep, width=4, loss="cross_entropy").total  # and how many labels there were


# ---------------------------------------------------------------- other networks

class CrossAttended(nn.Module):
    """L layers that attend to one memory: it is kept once."""

    def __init__(self):
        super().__init__()
        self.maps = nn.ModuleList([nn.ModuleList([nn.Linear(d, d) for _ in range(4)]) for _ in range(L)])
        self.memory = nn.Linear(d, d)

    def forward(self, x, source):
        memory = self.memory(source)
        for query, key, value, output in self.maps:
            q, key_, v = (f(y).view(b, s, heads, k).transpose(1, 2)
                          for f, y in ((query, x), (key, memory), (value, memory)))
            y = torch.softmax(q @ key_.transpose(-2, -1) / k ** 0.5, -1) @ v
            x = x + output(y.transpose(1, 2).reshape(b, s, d))
        return x


def test_memory_of_many_layers():
    def forward(z):
        memory = linear(tensor("source", b=z.b, s=z.s, d=z.d), "memory", d=z.d)
        return within("layers", lambda x: residual(x, within("cross", attention, x, z=z, t=z.t, memory=memory)),
                      x_of(z), runs=z.L)
    assert kept(CrossAttended(), torch.randn(b, s, d), torch.randn(b, s, d)) == counted(forward, L=L)


class Adapted(nn.Module):
    """A frozen MLP with adapters of rank r beside its maps."""

    def __init__(self, r):
        super().__init__()
        self.maps = nn.ModuleList([nn.Linear(d, h), nn.Linear(h, d)]).requires_grad_(requires_grad=False)
        self.low = nn.ModuleList([nn.Sequential(nn.Linear(n, r, bias=False), nn.Linear(r, m, bias=False))
                                  for n, m in ((d, h), (h, d))])

    def forward(self, x):
        x = functional.gelu(self.maps[0](x) + self.low[0](x))
        return self.maps[1](x) + self.low[1](x)


def test_adapters_beside_frozen_maps():
    r = 3

    def forward(z):
        def adapted(x, name, over, **out):
            low = linear(x, f"{name}.low", over=over, bias=False, w=weight(f"{name}.A", kinds="adapter", **{
                over: x.axes[over]}, r=z.r), r=z.r)
            low = contract(low, weight(f"{name}.B", kinds="adapter", r=z.r, **out), to=" ".join(["b s", *out]),
                           name=f"{name}.back")
            return pointwise(linear(x, name, over=over, **out), low, kind="add", name=f"{name}.sum")
        return adapted(pointwise(adapted(x_of(z), "up", "d", h=z.h), kind="gelu"), "down", "h", d=z.d)
    assert kept(Adapted(r), torch.randn(b, s, d)) == counted(forward, r=r)


def test_frozen_maps_keep_nothing_before_the_first_that_is_trained():
    class Frozen(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(d, h).requires_grad_(requires_grad=False), nn.Linear(h, d)

        def forward(self, x):
            return self.second(torch.tanh(functional.gelu(self.first(x))))

    def forward(z):
        w = weight("first.weight", stored="frozen", d=z.d, h=z.h)
        y = pointwise(pointwise(linear(x_of(z), "first", bias=False, w=w, h=z.h), kind="gelu"), kind="tanh")
        return linear(y, "second", over="h", d=z.d)
    assert kept(Frozen(), torch.randn(b, s, d)) == counted(forward) == 4 * b * s * h


def test_convolutions_batch_norm_relu_and_pooling():
    side, c, C = 12, 5, 7

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.norm, self.two = nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c), nn.Conv2d(c, c, 3)
            self.head = nn.Linear(c * 25, C)

        def forward(self, x):
            x = torch.relu(self.norm(self.one(x)))
            x = torch.relu(self.two(x))
            return self.head(functional.max_pool2d(x, 2).reshape(b, -1))

    def forward(z):
        x = tensor("image", b=z.b, i=side, j=side, c=3)
        x = pointwise(batchnorm(conv2d(x, "one", w=3, pad=1, c=c), "norm"), kind="relu", name="act")
        x = pool(pointwise(conv2d(x, "two", w=3, c=c), kind="relu", name="act2"), "pool", w=2)
        return linear(merge(x, m="i j c"), "head", over="m", C=C)
    indices, statistics = 8 * b * c * 25, 2 * 4 * c
    ours = activations(forward(sizes()), width=4).total
    assert kept(Net(), torch.randn(b, 3, side, side)) == ours + indices + statistics


class Cell(nn.Module):
    """Steps of an LSTM or a GRU, operation by operation."""

    def __init__(self, gates, m):
        super().__init__()
        self.gates, self.m = gates, m
        self.input, self.recurrent = nn.Linear(d, gates * m), nn.Linear(m, gates * m, bias=gates == 3)

    def forward(self, x):
        state = memory = torch.zeros(b, self.m)
        states = []
        for step in x.unbind(1):
            ones, twos = self.input(step).chunk(self.gates, 1), self.recurrent(state).chunk(self.gates, 1)
            if self.gates == 4:
                enter, forget, leave = (torch.sigmoid(one + two) for one, two in zip(ones[:3], twos[:3], strict=True))
                memory = forget * memory + enter * torch.tanh(ones[3] + twos[3])
                state = leave * torch.tanh(memory)
            else:
                reset, update = (torch.sigmoid(one + two) for one, two in zip(ones[:2], twos[:2], strict=True))
                new = torch.tanh(ones[2] + reset * twos[2])
                state = new + update * (state - new)
            states.append(state)
        return torch.stack(states, 1)


@pytest.mark.parametrize(("ours", "gates"), [(lstm, 4), (gru, 3)])
def test_steps_of_a_recurrent_cell(ours, gates):
    m = 5
    biases = "one" if gates == 4 else "two"
    theirs = kept(Cell(gates, m), torch.randn(b, s, d))
    once = 4 * b * m if gates == 4 else 0  # the first memory and the first state are one tensor of zeros there
    assert theirs + once == counted(lambda z: ours(x_of(z), "cell", m=z.m, biases=biases), m=m)
