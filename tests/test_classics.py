"""Small layers and classic networks against what textbooks, torch.nn and torchvision say."""

from __future__ import annotations

from random import Random

import pytest

from symcount import SizeError, flops, model, multiply_adds, parameters
from symcount.counting import formula
from symcount.readers.quantities import read
from symcount.render import text

COUNTS = [
    # model                                            parameters     who says so
    ("dense:d=784,m=128",                              100_480),      # torch.nn.Linear
    ("conv2d:side=32,c=3,m=64,w=3",                    1_792),        # torch.nn.Conv2d
    ("conv2d:side=32,c=3,m=64,w=3,bias=false",         1_728),
    ("depthwise_separable:side=32,c=32,m=64,w=3",      2_432),        # 9·32 + 32 + 32·64 + 64
    ("batchnorm:c=64,side=8",                          128),          # torch.nn.BatchNorm2d
    ("embedding:V=30522,d=768",                        23_440_896),   # torch.nn.Embedding
    ("lstm:d=300,m=512",                               1_665_024),    # keras.layers.LSTM
    ("lstm:d=300,m=512,biases=two",                    1_667_072),    # torch.nn.LSTM
    ("lstm:d=10,m=20",                                 2_480),
    ("lstm:d=10,m=20,biases=two",                      2_560),
    ("lstm:d=10,m=20,biases=none",                     2_400),
    ("gru:d=10,m=20,biases=two",                       1_920),        # torch.nn.GRU
    ("gru:d=10,m=20",                                  1_860),
    ("attention:d=512,heads=8",                        1_050_624),    # torch.nn.MultiheadAttention
    ("transformer:d=512,heads=8,h=2048",               3_152_384),    # torch.nn.TransformerEncoderLayer
    ("lenet-5",                                        61_706),
    ("vgg-11",                                         132_863_336),  # torchvision
    ("vgg-13",                                         133_047_848),
    ("vgg-16",                                         138_357_544),
    ("vgg-19",                                         143_667_240),
]
FORMULAS = [
    ("conv2d:",               "w²cm + m"),
    ("depthwise_separable:",  "w²c + cm + c + m"),
    ("batchnorm:",            "2c"),
    ("embedding:",            "Vd"),
    ("lstm:",                 "4dm + 4m² + 4m"),
    ("lstm:biases=two",       "4dm + 4m² + 8m"),
    ("gru:",                  "3dm + 3m² + 3m"),
    ("attention:",            "4d² + 4d"),
    ("transformer:",          "4d² + 2dh + 9d + h"),
]


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_count(name, count):
    assert parameters(model(name)).total == count


@pytest.mark.parametrize(("name", "written"), FORMULAS)
def test_formula(name, written):
    assert text.form(formula(parameters(model(name)))) == written


def test_parts_of_lenet():
    """LeCun et al. 1998, section II.B: 156 in C1; and what every course prints for the dense layers."""
    assert [part.total for part in parameters(model("lenet-5")).by(1).values()] == [156, 2_416, 48_120, 10_164, 850]


def test_work_of_a_convolution():
    assert multiply_adds(model("conv2d:side=32,c=3,m=64,w=3")).total == 30 * 30 * 9 * 3 * 64


def test_work_of_vgg_16():
    """15.5 billion multiply-adds: torchvision prints 15.47 for vgg16."""
    assert multiply_adds(model("vgg-16")).total == 15_470_264_320


def test_work_of_an_lstm_is_a_step_for_each_token():
    assert flops(model("lstm:d=300,m=512"), s=10, b=2).total == 10 * 2 * 2 * 4 * 512 * (300 + 512)


def test_an_image_smaller_than_the_kernel_is_refused():
    with pytest.raises(SizeError):
        parameters(model("conv2d:side=2,c=3,m=4,w=3"))


def test_images_that_halving_leaves_nothing_of_are_refused():
    with pytest.raises(SizeError):
        parameters(model("vgg-16:side=16"))


# ---------------------------------------------------------------- against torch.nn, on sizes drawn at random

def modules(nn, draw):
    c, m, w, side = (draw.randint(1, 9) for _ in range(4))
    heads, s = draw.randint(1, 5), draw.randint(1, 9)
    d = heads * draw.randint(1, 9)
    side += w
    return [
        (f"conv2d:side={side},c={c},m={m},w={w}", nn.Conv2d(c, m, w), (c, side, side)),
        (f"conv2d:side={side},c={c},m={m},w={w},bias=false", nn.Conv2d(c, m, w, bias=False), (c, side, side)),
        (f"depthwise_separable:side={side},c={c},m={m},w={w}",
         nn.Sequential(nn.Conv2d(c, c, w, groups=c), nn.Conv2d(c, m, 1)), (c, side, side)),
        (f"batchnorm:c={c},side={side}", nn.BatchNorm2d(c), (c, side, side)),
        (f"embedding:V={m},d={d}", nn.Embedding(m, d), None),
        (f"lstm:d={d},m={m},biases=two,s={s}", nn.LSTM(d, m, batch_first=True), (s, d)),
        (f"gru:d={d},m={m},biases=two,s={s}", nn.GRU(d, m, batch_first=True), (s, d)),
        (f"attention:d={d},heads={heads}", nn.MultiheadAttention(d, heads), None),
        (f"transformer:d={d},heads={heads},h={m}", nn.TransformerEncoderLayer(d, heads, m), None),
    ]


@pytest.mark.live
@pytest.mark.parametrize("seed", range(10))
def test_torch_counts_the_same(seed):
    torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
    from torch.utils.flop_counter import FlopCounterMode

    for name, module, shape in modules(torch.nn, Random(seed)):
        found = model(name)
        assert parameters(found).total == sum(p.numel() for p in module.parameters()), name
        if shape and not name.startswith(("lstm", "gru")):  # torch does not count within its recurrent kernels
            with FlopCounterMode(display=False) as counter, torch.no_grad():
                module.eval()(torch.zeros(3, *shape))
            assert flops(found, b=3).total == counter.get_total_flops(), name


@pytest.mark.parametrize("quantity", ["params", "active", "buffers", "macs", "flops"])
def test_no_quantity_counts_a_network_that_cannot_be_built(quantity):
    with pytest.raises(SizeError, match="5 is more than"):  # a kernel of side 5 finds no place on what is left of 2
        read(model("lenet5:", side=2, c=8, C=4), quantity)
