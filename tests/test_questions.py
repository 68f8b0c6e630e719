"""Sixty questions that people ask, each with the lines that answer it, run as they would be typed.

`data/questions.jsonl` has one question a line: its number `n`, what it `asks`, the shell `line` or lines, the `answer`
of each, and how a `judge` without symcount knows it. An answer is found in what `--format json` prints, by a path such
as `[1].terms[path=layers.mlp].total`; paths may be joined by + - /, from left to right. Under `text` stand whole lines
of the text, with single blanks. Numbers are exact, a fraction is "a/b", a closed form is compared letter for letter.

`BY_HAND` finds the same numbers a second time, from shapes of tensors and plain arithmetic.
"""

from __future__ import annotations

import json
import re
import shlex
from bisect import bisect
from fractions import Fraction
from itertools import pairwise
from math import isqrt, prod
from operator import add, sub, truediv
from pathlib import Path

import pytest

from symcount.cli import TAKES, VERBS, main

ROWS = [json.loads(line) for line in
        (Path(__file__).parent / "data" / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
COMING = {"solve", "cross", "compare", "--share", "--limit", "--elasticity"}  # verbs and options to be written
OPERATIONS = {"+": add, "-": sub, "/": truediv}


def several(one):
    return one if isinstance(one, list) else [one]


ASKED = [(row["n"], line, answer) for row in ROWS
         for line, answer in zip(several(row["line"]), several(row["answer"]), strict=True)]


def printed(capsys, words):
    """Standard output of one call that is answered."""
    status = main(words)
    shown = capsys.readouterr()
    assert (status, shown.err) == (0, "")
    return shown.out


def at(told, path):
    """What stands at a path: keys, [2] for a place, [key=value] for the one entry that has the value there.

    "rows by d" are [d, least L, greatest L] of rows with d and L, of which none between is missing.
    """
    if path == "rows by d":
        by_width = {row["d"]: [one["L"] for one in told["rows"] if one["d"] == row["d"]] for row in told["rows"]}
        assert all(layers == list(range(layers[0], layers[-1] + 1)) for layers in by_width.values())
        return [[width, layers[0], layers[-1]] for width, layers in by_width.items()]
    for place, key, sought, name in re.findall(r"\[(\d+)\]|\[(\w+)=([^\]]+)\]|([^.\[\]]+)", path):
        if key:
            (told,) = [entry for entry in told if entry[key] == sought]
        else:
            told = told[int(place)] if place else told[name]
    return told


def found(told, paths):
    """What stands at a path, or the sum, difference or quotient of several, from left to right."""
    first, *others = re.split(r" ([-+/]) ", paths)
    total = at(told, first)
    for sign, path in zip(others[::2], others[1::2], strict=True):
        total = OPERATIONS[sign](Fraction(total), at(told, path))
    return str(total) if others else total


@pytest.mark.parametrize(("line", "answer"), [asked[1:] for asked in ASKED],
                         ids=[f"{n}: {line}" for n, line, _ in ASKED])
def test_questions_are_answered(capsys, line, answer):
    words = shlex.split(line)[1:]
    known = {*VERBS, *(f"--{option}" for option in TAKES.get(words[0], ()))}
    if coming := sorted(COMING.intersection(words) - known):
        pytest.skip(f"{words[0]}: {' and '.join(coming)} is not written yet")
    if "text" in answer:
        told = [" ".join(shown.split()) for shown in printed(capsys, words).splitlines()]
        assert [wanted for wanted in answer["text"] if wanted not in told] == []
        return
    told = json.loads(printed(capsys, [*words, "--format", "json"]))
    assert {path: found(told, path) for path in answer} == {
        path: str(wanted) if re.search(" [-+/] ", path) else wanted for path, wanted in answer.items()}


def test_all_questions_are_here():
    assert [row["n"] for row in ROWS] == list(range(1, 61))
    assert all(row["asks"] and row["judge"] for row in ROWS)
    assert all(line.startswith("symcount ") and answer for _, line, answer in ASKED)


# The same by hand: nothing below calls symcount. A network is a list of shapes.

SIZES = {"L": 3, "d": 5, "h": 7, "V": 11, "P": 13, "types": 17, "m": 19, "c": 23, "w": 29, "s": 31, "b": 37,
         "heads": 41, "n_0": 43, "n_1": 47, "n_2": 53, "N": 955}  # for closed forms
L, d, h, V, P, types, m, c, w, s, b, heads, n_0, n_1, n_2, N = SIZES.values()


def count(shapes):
    return sum(map(prod, shapes))


def dense(inputs, outputs):
    return [(inputs, outputs), (outputs,)]


def block(d, h):
    """A layer with biases and two norms of gain and shift: BERT's, GPT-2's and ViT's."""
    return dense(d, d) * 4 + dense(d, h) + dense(h, d) + [(d,)] * 4


def bert(d=768, L=12, h=3072, V=30522, P=512, types=2):
    return [(V, d), (P, d), (types, d), (d,), (d,)] + block(d, h) * L + dense(d, d)


def distilbert():
    return [(30522, 768), (512, 768), (768,), (768,)] + block(768, 3072) * 6


def gpt2(d=768, L=12, V=50257, P=1024, heads=()):
    return [(V, d), (P, d)] + block(d, 4 * d) * L + [(d,), (d,), *heads]


def llama(d=4096, L=32, h=11008, V=32000, kv=4096, experts=0, heads=1):
    """Keys and values are kv wide; a mixture has a router of d × 8 and so many experts that count."""
    mlp = [(d, h), (d, h), (h, d)]
    mlps = mlp * experts + [(d, 8)] if experts else mlp
    return [(V, d)] + [(d, d), (d, kv), (d, kv), (d, d), *mlps, (d,), (d,)] * L + [(d,)] + [(d, V)] * heads


def vgg16():
    """Convolutions 3 × 3 from channels to channels, then three dense layers."""
    widths = [3, 64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512]
    kernels = [shape for i, o in pairwise(widths) for shape in ((3, 3, i, o), (o,))]
    return kernels, dense(512 * 7 * 7, 4096) + dense(4096, 4096) + dense(4096, 1000)


def resnet50():
    """(kernels and norms), the classifier: no convolution has a bias."""
    kernels, channels = [(7, 7, 3, 64), (64,), (64,)], 64
    for width, depth in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for place in range(depth):
            maps = [(1, channels, width), (3, width, width), (1, width, 4 * width)]
            maps += [(1, channels, 4 * width)] if place == 0 else []
            kernels += [shape for side, i, o in maps for shape in ((side, side, i, o), (o,), (o,))]
            channels = 4 * width
    return kernels, dense(2048, 1000)


def gated(gates, inputs, outputs, biases):
    """A recurrent layer: for each gate a map of the input, one of the state, and one or two biases."""
    return [(inputs, outputs), (outputs, outputs)] * gates + [(outputs,)] * gates * biases


def share(part, whole):
    return Fraction(count(part), count(whole))


def half(part):
    """The V at which a part of BERT-base, its word table first, is half of it: V·768 = all else − the part's rest."""
    (word, *rest), others = part, count(bert()) - count(part)
    return Fraction(others - count(rest), word[1])


def pairs(s, d=4096, L=32):
    """FLOPs of scores and of their mixing with values, every token with every token."""
    return L * 2 * 2 * s * s * d


def products(s, shapes):
    """FLOPs of all matrices but the word table, which is looked up: 2 a weight and token."""
    return 2 * s * (count(shape for shape in shapes if len(shape) == 2) - 32000 * 4096)


def within_one_percent():
    """[d, first L, last L] of each GPT-2 within 1 % of 1.3 billion; where one layer is too many, it is for larger d."""
    rows, width = [], 128
    while count(gpt2(width, 1)) <= 1_313_000_000:
        layer, tables = count(block(width, 4 * width)), count(gpt2(width, 0))
        fitting = [n for n in range((1_287_000_000 - tables) // layer, (1_313_000_000 - tables) // layer + 2)
                   if n >= 1 and 1_287_000_000 <= tables + n * layer <= 1_313_000_000]
        rows += [[width, fitting[0], fitting[-1]]] if fitting else []
        width += 128
    return rows


def seven_billion():
    """The d, to two places, at which 12d³/128 + 2d²/128 + 64,001d passes 7·10⁹."""
    spent = range(10 ** 6)  # hundredths
    return Fraction(bisect(spent, 7 * 10 ** 9, key=lambda n: Fraction(
        12 * n ** 3 + 2 * 100 * n ** 2 + 64001 * 128 * 100 ** 2 * n, 128 * 100 ** 3)) - 1, 100)


WIDE, BASE = bert(d=1536, h=6144), count(bert())
LLAMA, EIGHT = count(llama()), count(llama(h=14336, V=128256, kv=1024))  # 7B, and LLaMA-3-8B
ADAPTERS = 32 * 2 * 2 * 8 * 4096
KERNELS, FLAT = vgg16()
CONVOLUTIONS, CLASSIFIER = resnet50()
MLP = 2 * 32 * 3 * 4096 * 11008  # FLOPs a token
ONE_TOKEN = products(1, llama()) // 2
TRAINED = 3 * (2 * ONE_TOKEN * 2048 + pairs(2048)) * 10 ** 12 // 2048
CAUSAL = 3 * (2 * ONE_TOKEN * 2048 + pairs(2048) * 2049 // 4096) * 10 ** 12 // 2048
A_DAY = 1024 * 312 * 10 ** 12 * 2 // 5 * 86400

BY_HAND = {  # number: all numbers of the answer, in their order
    1: lambda: [count(dense(784, 128)), 784 * 128, 128],
    2: lambda: [count(dense(784, 128)), count(dense(128, 10)), count(dense(784, 128) + dense(128, 10))],
    3: lambda: [BASE],
    4: lambda: [count(bert(1024, 24, 4096))],
    5: lambda: [count(distilbert())],
    6: lambda: [32000 * 4096, 32 * 4096, 32 * 4 * 4096 ** 2, 32 * 4096, 32 * 3 * 4096 * 11008, 4096,
                 4096 * 32000, LLAMA],
    7: lambda: [count(gpt2()), count(gpt2(heads=[(50257, 768)])), 50257 * 768, 50257 * 768],
    8: lambda: [LLAMA - count(llama(heads=0)), count(llama(d, L, h, V, d, heads=0)), count(llama(d, L, h, V, d)),
                32000 * 4096],
    9: lambda: [count(bert(d, L, h, V, P, types))],
    10: lambda: [count([(d, d)] * 4 + [(d, 4 * d), (4 * d, d)])],
    11: lambda: [count(block(d, 4 * d)), count(block(d, 4 * d) * L)],
    12: lambda: [count([(1, 768, 768)]) - count([(12, 768, 64)]), count([(96, 768, 8)]) - count([(12, 768, 64)])],
    13: lambda: [EIGHT, count(llama(h=14336, V=128256)), *[32 * 2 * 24 * 128 * 4096] * 2],
    14: lambda: [count([(w, w, c, m), (m,)]), count([(w, w, c, m)]), count(CLASSIFIER[1:]),
                 count(CONVOLUTIONS + CLASSIFIER)],
    15: lambda: [count([(5, 5, 1, 6), (6,), (5, 5, 6, 16), (16,), *dense(400, 120), *dense(120, 84),
                        *dense(84, 10)]),
                 count(KERNELS + FLAT)],
    16: lambda: [count(FLAT), share(FLAT, KERNELS + FLAT)],
    17: lambda: [count(gated(4, 300, 512, 1)), count(gated(4, 300, 512, 2))],
    18: lambda: [count(gated(3, 16, 32, 1)), count(gated(3, 16, 32, 2)), count([(32,)] * 3), count(gated(3, d, m, 1)),
                 count(gated(3, d, m, 2))],
    19: lambda: [count([(c,), (c,)]), count([(c,), (c,), ()])],
    20: lambda: [count([(16, 16, 3, 768), (768,), (768,), (197, 768)] + block(768, 3072) * 12 + [(768,), (768,)]
                       + dense(768, 1000))],
    21: lambda: [count(llama(h=14336, kv=1024, experts=n)) for n in (8, 2)],
    22: lambda: [ADAPTERS, LLAMA, Fraction(ADAPTERS, LLAMA + ADAPTERS)],
    23: lambda: [0, count(gpt2(P=2048)) - count(gpt2())],
    24: lambda: [Fraction(32 * 3 * 4096 * 11008, LLAMA), round(Fraction(32 * 3 * 4096 * 11008, LLAMA), 4),
                 Fraction(32 * 3 * 4096 * 11008, LLAMA)],
    25: lambda: [share(bert()[:3], bert()), round(share(bert()[:5], bert()), 4), 0],  # d over d²
    26: lambda: [count(WIDE), share(WIDE, bert()), share(WIDE, bert()), 2],
    27: lambda: [count(bert(L=24)), 12 * count(block(768, 3072)), *[share(bert(L=24), bert())] * 2],
    28: lambda: [count(bert(V=61044)), 30522 * 768, *[share(bert(V=61044), bert())] * 2],
    29: lambda: [BASE - count(distilbert()), 1 - share(distilbert(), bert()), count(distilbert()) - BASE],
    30: lambda: [1 - share(bert(L=6), bert()), 1 - share(bert(L=5), bert()),
                 max(n for n in range(13) if 10 * count(bert(L=n)) <= 6 * BASE)],
    31: lambda: [BASE - count(bert(h=1536)), BASE - count(bert(L=6)), 1 - share(bert(h=1536), bert()),
                 1 - share(bert(L=6), bert()), count(bert(L=6)) - count(bert(h=1536))],
    32: lambda: [-(-8 * 4096 // (3 * 256)) * 256, 0, Fraction(8 * d, 3)],
    33: lambda: [count([(128256, 4096)])] * 2,
    34: lambda: [half(bert()[:5]), Fraction(1, 2), half(bert()[:3]), Fraction(1, 2), half(bert()[:5]),
                 half(bert()[:3])],
    35: lambda: [LLAMA, count(llama(4224, 33, 11264, kv=4224)), seven_billion()],
    36: lambda: [count(gpt2(1024, 23)), count(gpt2(1024, 24)),
                 max(n for n in range(99) if count(gpt2(1024, n)) <= 350 * 10 ** 6), count(gpt2(1024, 23))],
    37: lambda: [count(gpt2(1536, 43)), count(gpt2(1536, 42)),
                 sum(last - first + 1 for _, first, last in within_one_percent()), within_one_percent()],
    38: lambda: [d],  # as N = 12Ld² + Vd in SIZES
    39: lambda: [24 * 10 ** 9 * 8 // bits for bits in (16, 4)],
    40: lambda: [784 * 128 + 128 * 10, 64 * (784 * 128 + 128 * 10)],
    41: lambda: [LLAMA - 32000 * 4096 - 65 * 4096, ONE_TOKEN, 32 * 2 * 4096],
    42: lambda: [each * (12 * 12 * 768 ** 2 + 50257 * 768 + 12 * 2 * 768) for each in (2, 1)] + [2],
    43: lambda: [2 * b * s * count([(d, d)] * 4 + [(d, 4 * d)] * 2) + 2 * 2 * b * s * s * d],
    44: lambda: [pairs(16512) - MLP * 16512, next(n for n in range(1, 10 ** 5) if pairs(n) >= MLP * n)],
    45: lambda: [Fraction(1, 2), next(n for n in range(1, 10 ** 5) if pairs(n) >= (MLP + 32 * 8 * 4096 ** 2) * n)],
    46: lambda: [2 * L * b * d * sum(range(1, s + 1)), products(2048, llama()) + 32 * 4 * 4096 * sum(range(2049)),
                 products(2048, llama()) + pairs(2048), 32 * 4 * 4096 * (sum(range(2049)) - 2048 ** 2)],
    47: lambda: [6 * LLAMA * 10 ** 12],
    48: lambda: [TRAINED, Fraction(TRAINED, 6 * LLAMA * 10 ** 12), CAUSAL, Fraction(CAUSAL, 6 * LLAMA * 10 ** 12)],
    49: lambda: [Fraction(6 * LLAMA * 10 ** 12, A_DAY), Fraction(TRAINED, A_DAY)],
    50: lambda: [products(2048, llama()) + pairs(2048), 2, 2 * b * (n_0 * n_1 + 2 * n_1 * n_2),
                 2 * (784 * 128 + 2 * 128 * 10)],
    51: lambda: [7 * 7 * 3 * 64 * len(range(0, 224 + 2 * 3 - 7 + 1, 2)) ** 2, 7 * 7 * 3 * 64 * (118 - 7 + 1) ** 2],
    52: lambda: [2 * LLAMA, (LLAMA - (maps := 32 * (4 * 4096 ** 2 + 3 * 4096 * 11008))) * 2
                 + maps // 2 + maps // 64 + maps // 16384 * 4],
    53: lambda: [LLAMA * (2 + 2 + 4 + 4 + 4)],
    54: lambda: [32 * 2 * 4096 * 2],
    55: lambda: [32 * 2 * kv * 128 * 2 * 131072 for kv in (32, 8, 1)],
    56: lambda: [2 * EIGHT + 131072 * 532827, 2 * EIGHT + 131072 * 532828,
                 (80 * 2 ** 30 - 2 * EIGHT) // (32 * 2 * 8 * 128 * 2)],
    57: lambda: [2 * b * s * s * heads, 2 * 4096 ** 2 * 32],
    58: lambda: [count(dense(4, 3) + dense(3, 2)) - count(dense(4, 2))],
    59: lambda: [20 * LLAMA, Fraction(isqrt(10 ** 21 * 100 // 120), 10)],
    60: lambda: [count(gpt2()), 12 * 12 * 768 ** 2 + 2 * 50257 * 768, 12 * 12 * 768 ** 2 + 50257 * 768],
}


def worth(answer):
    """A number of the table: exact, and of a closed form what it is at SIZES."""
    if isinstance(answer, str):
        from sympy import sympify

        return Fraction(str(sympify(answer, locals=SIZES)))
    return answer if isinstance(answer, list) else Fraction(str(answer))


@pytest.mark.parametrize("row", ROWS, ids=[str(row["n"]) for row in ROWS])
def test_answers_by_hand(row):
    told = [worth(one) for answer in several(row["answer"]) for path, one in answer.items() if path != "text"]
    assert told == BY_HAND[row["n"]]()


def test_a_chain_of_layers_without_a_bend_is_one_by_hand():
    """Question 58 in numbers: the weight is W₁W₂, and the bias b₁W₂ + b₂."""
    first, last, bias, shift = [[2, -1], [3, 5]], [[7, 1], [0, -4]], [11, 13], [-2, 6]

    def times(x, weights):
        return [sum(map(prod, zip(x, column, strict=True))) for column in zip(*weights, strict=True)]

    joined, moved = [times(row, last) for row in first], list(map(add, times(bias, last), shift))
    for x in ([0, 0], [1, 0], [0, 1], [17, -19]):
        through = list(map(add, times(list(map(add, times(x, first), bias)), last), shift))
        assert through == list(map(add, times(x, joined), moved))
