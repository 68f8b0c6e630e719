"""Exercises: every answer is computed a second time, by hand, from the words of its question alone.

The second way reads the numbers out of the printed question, and counts with plain arithmetic and NumPy: it shares no
line with the library. 1,000 seeds are drawn; each kind meets a third of them, at every level.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from itertools import pairwise

import pytest

from symcount import answers
from symcount.cli import main
from symcount.derivation import Equation, Solving
from symcount.drawing import Draw
from symcount.errors import ModelError
from symcount.exercises import called, kinds
from symcount.sheets import LEVELS, drawn, key, made, question, said, sheet, solution, trivial, verdict

SEEDS = 1000
KINDS = kinds()


def ask(capsys, *words):
    status = main(["practice", *words])
    told = capsys.readouterr()
    return status, told.out, told.err


# ------------------------------------------------------------------------------------------- a second way to count


def number(text):
    return int(text.replace(",", ""))


def sizes(text):
    """{letter: number} for every `d = 768` of a question."""
    return {name: number(value) for name, value in re.findall(r"\b([A-Za-z]+) = ([\d,]*\d)", text)}


def around(pattern, text):
    """The numbers that a pattern catches."""
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return [number(one) for one in found.groups()]


def stack(widths, biases=True):
    return sum(a * b + (b if biases else 0) for a, b in pairwise(widths))


def listed(text):
    return [int(one) for one in re.search(r"\d+(?: → \d+)+", text)[0].split(" → ")]


def up(size, multiple):
    return -(-size // multiple) * multiple


def parameters(level, text):
    if level == 1:
        into, hidden, out = around(r"(\d+) inputs, one hidden layer of (\d+) units and (\d+) outputs", text)
        return stack([into, hidden, out])
    if level == 2:
        side, *hidden, out = around(r"(\d+) × \d+ pixels.*layers of (\d+), (\d+) and (\d+) units to (\d+)", text)
        return stack([side * side * (3 if "3 colours" in text else 1), *hidden, out])
    widths = around(r"(\d+) inputs, hidden layers of (\d+), (\d+) and (\d+) units and (\d+)", text)
    at = 1 + ["first", "second", "third"].index(re.search(r"The (\w+) hidden layer is made", text)[1])
    return stack([*widths[:at], 2 * widths[at], *widths[at + 1:]]) - stack(widths)


def multiply_adds(level, text):
    if level < 3:
        return around(r"batch of (\d+)", text)[0] * stack(listed(text), biases=False)
    into, out, batch, work = around(r"with (\d+) inputs, one hidden layer and (\d+) outputs.* (\d+) rows.* took "
                                    r"([\d,]+) ",
                                    text)
    return Fraction(work, batch * (into + out))


def heads(level, text):
    z = sizes(text)
    if level == 1:
        return 4 * (z["d"] * z["d"] + z["d"])
    n, = around(r"(\d+) heads", text)
    if level == 2:
        return z["L"] * (3 * z["d"] * n * z["k"] + n * z["k"] * z["d"])
    more, = around(r"given (\d+) heads", text)

    def block(n):
        return 3 * (z["d"] * n * z["k"] + n * z["k"]) + n * z["k"] * z["d"] + z["d"]
    return block(more) - block(n)


def grouped_heads(level, text):
    z = sizes(text)
    n, = around(r"(\d+) (?:query )?heads", text)
    k = z["d"] // n
    if level == 3:
        count, = around(r"has ([\d,]+) parameters", text)
        return next(kv for kv in range(1, n + 1) if 2 * z["d"] ** 2 + 2 * z["d"] * kv * k == count)
    query, key_value = z["d"] * n * k, z["d"] * z["kv"] * k
    return 2 * query + 2 * key_value if level == 1 else z["L"] * (4 * query - (2 * query + 2 * key_value))


def feed_forward(level, text):
    z = sizes(text)
    if level == 1:
        return stack([z["d"], z["h"], z["d"]])
    multiple, = around(r"multiple of (\d+)", text)
    gated = 3 * z["d"] * (-(-8 * z["d"] // (3 * multiple)) * multiple)
    return z["L"] * gated if level == 2 else abs(gated - stack([z["d"], 4 * z["d"], z["d"]]))


def bert(level, text):
    z = sizes(text)
    d, h = z["d"], z["h"]

    def whole(layers, biases):
        layer = sum(a * b + biases * b for a, b in [(d, d)] * 4 + [(d, h), (h, d)]) + biases * 2 * (d + d)
        return (z["V"] + z["P"] + z["types"]) * d + biases * (2 * d + d * d + d) + layers * layer
    if level < 3:
        return whole(z["L"], level - 1)
    large, small = whole(z["L"], 1), whole(z["L"] // 2, 1)
    assert f"{large:,}" in text
    return Fraction(large - small, large)


def llama_total(z, n, kv, tied):
    d, k = z["d"], z["d"] // n
    layer = d * n * k + 2 * d * kv * k + n * k * d + 3 * d * z["h"] + d + d
    return z["V"] * d * (1 if tied else 2) + z["L"] * layer + d


def llama(level, text):
    z = sizes(text)
    n, = around(r"(\d+) heads of width d/heads", text)
    return llama_total(z, n, z.get("kv", n), "they are tied" in text) * (2 if level == 3 else 1)


def gpt2(level, text):
    z = sizes(text)
    d = z["d"]

    def whole(words, places):
        layer = stack([d, 3 * d]) + stack([d, d]) + stack([d, 4 * d, d]) + 2 * (d + d)
        return words * d + places * d + z["L"] * layer + 2 * d
    if level == 3:
        longer, multiple = around(r"lengthened to ([\d,]+) .*multiple of (\d+)", text)
        return whole(up(z["V"], multiple), longer) - whole(z["V"], z["P"])
    return whole(z["V"], z["P"]) + (level == 2) * z["V"] * d


def embeddings(level, text):
    z = sizes(text)
    d, runs = z["d"], z["L"]
    if level == 1:
        part, rest = (z["V"] + z["P"]) * d, runs * (12 * d * d + 13 * d) + 2 * d
    elif level == 2:
        part, rest = (z["V"] + z["P"] + z["types"]) * d, runs * (12 * d * d + 13 * d) + 2 * d + d * d + d
    else:
        part, rest = 2 * z["V"] * d, runs * (4 * d * d + 3 * d * z["h"] + 2 * d) + d
    return Fraction(part, part + rest)


def experts(level, text):
    z = sizes(text)
    an_expert = 3 * z["d"] * z["h"]
    if level == 1:
        return z["L"] * (z["E"] * an_expert + z["d"] * z["E"])
    n, = around(r"attention with (\d+) heads", text)

    def whole(met):
        layer = 2 * z["d"] * n * z["k"] + 2 * z["d"] * z["kv"] * z["k"] + met * an_expert + z["d"] * z["E"] + 2 * z["d"]
        return 2 * z["V"] * z["d"] + z["L"] * layer + z["d"]
    return whole(z["K"]) if level == 2 else whole(z["E"]) - whole(z["K"])


def cache(level, text):
    z = sizes(text)
    n, = around(r"(\d+) query heads", text)
    a_token = z["L"] * 2 * z["kv"] * (z["d"] // n) * 2
    if level == 1:
        return a_token
    if level == 2:
        batch, tokens = around(r"reads (\d+) texts of ([\d,]+) tokens", text)
        return batch * tokens * a_token
    room, = around(r"(\d+) GiB of memory", text)
    return room * 1024 * 1024 * 1024 // a_token


def flops(level, text):
    if level == 1:
        return 2 * around(r"batch of (\d+)", text)[0] * stack(listed(text), biases=False)
    z = sizes(text)
    n, = around(r"(\d+) (?:query )?heads", text)
    k, s = z["d"] // n, z["s"]
    scores = 2 * n * (s * k * s) * 2  # queries with keys, weights with values
    if level == 2:
        return z["L"] * scores
    layer = 2 * s * (2 * z["d"] * n * k + 2 * z["d"] * z["kv"] * k + 3 * z["d"] * z["h"])
    return z["L"] * (layer + scores) + 2 * s * z["d"] * z["V"]


def convolutions(level, text):
    if level == 1:
        c, w, m, v, more = around(r"have (\d+) channels.*of (\d+) × \d+ makes (\d+) .*of (\d+) × \d+ makes (\d+)", text)
        return w * w * c * m + m + v * v * m * more + more
    if level == 2:
        w, side, c, step, pad, m = around(r"kernels of (\d+) .*image of (\d+) .*and (\d+) channels in steps of "
                                          r"(\d+), with "
                                          r"(\d+) row.*; (\d+) channels", text)
        places = len(range(0, side + 2 * pad - w + 1, step))
        return places * places * w * w * c * m
    w, m, c, side = around(r"kernels of (\d+) .*makes (\d+) channels out of (\d+), on an image of (\d+)", text)
    places = len(range(side - w + 1)) ** 2
    return places * (w * w * c * m) - places * (w * w * c) - places * (c * m)


def lora(level, text):
    z = sizes(text)
    n, = around(r"(\d+) (?:query )?heads", text)
    d, k = z["d"], z["d"] // n
    values = z.get("kv", n) * k
    if level == 1:
        return z["L"] * z["r"] * (d + d + d + d)
    if level == 2:
        return z["L"] * z["r"] * ((d + d) + (d + values) + (d + values) + (d + d))
    if "in percent" in text:
        trained = z["r"] * (d + d + d + values)
        return Fraction(trained, trained + 2 * d * d + 2 * d * values)
    budget, = around(r"no more than ([\d,]+) parameters", text)
    rank = 1
    while z["L"] * (rank + 1) * (3 * d + values) <= budget:
        rank += 1
    return rank


def budgets(level, text):
    if level == 1:
        into, out, budget = around(r"(\d+) inputs, one hidden layer and (\d+) outputs.*than ([\d,]+) p", text)
        return largest(lambda h: stack([into, h, out]), budget)
    z = sizes(text)
    budget, = around(r"more than ([\d,]+) parameters", text)
    if level == 2:
        n, = around(r"(\d+) heads", text)
        return largest(lambda runs: llama_total({**z, "L": runs}, n, n, tied=False), budget)
    step, = around(r"multiple of (\d+)", text)

    def whole(d):
        return z["V"] * d + z["P"] * d + z["L"] * (4 * d * d + 8 * d * d + 13 * d) + 2 * d
    return step * largest(lambda times: whole(step * times), budget)


def largest(counted, budget):
    """By trying: the last whole number that fits."""
    found = 0
    for step in (4096, 64, 1):
        while counted(found + step) <= budget:
            found += step
    return found


def shapes(level, text):
    import numpy as np

    if level == 3:
        batch, side, colours, c, w = around(r"(\d+) images of (\d+) × \d+ pixels with (\d+) .*with (\d+) kernels of "
                                            r"(\d+)", text)
        assert colours
        return (batch, c * ((side - w + 1) // 2) ** 2)
    given = {name: np.zeros((number(a), number(b))) for name, a, b in re.findall(r"([A-E]) is (\d+) × (\d+)", text)}
    term = re.search(r"What is the shape of (.+)\?", text)[1]
    code = re.sub(r"(?<=[A-EᵀT)])(?=[A-E(])", "@", term.replace("ᵀ", ".T"))
    assert set(code) <= set("ABCDE@.T()")
    return eval(code, {"__builtins__": {}}, given).shape  # noqa: S307 - letters, @ and .T of our own question


def transposes(level, text):
    import numpy as np

    given = {name: (number(a), number(b)) for name, a, b in re.findall(r"([A-CXUV]) is (\d+) × (\d+)", text)}
    if level == 3:
        given["G"] = tuple(around(r"respect to Y is (\d+) × (\d+)", text))
        random = np.random.default_rng(1)
        what = re.search(r"with respect to ([UV]),", text)[1]
        other = "V" if what == "U" else "U"
        at = {name: random.integers(1, 99, shape) for name, shape in given.items()}
        # By hand, entry by entry: dL/dU[i, j] = Σ G[r, c] · X[r, i] · V[j, c]; dL/dV[j, c] = Σ G[r, c] · (XU)[r, j]
        right = np.einsum("rc,ri,jc->ij", at["G"], at["X"], at[other]) if what == "U" else (
            np.einsum("rc,ri,ij->jc", at["G"], at["X"], at[other]))
    fitting = []
    for letter, line in re.findall(r"^\(([a-h])\) (\S+)$", text, re.MULTILINE):
        factors = re.findall(r"([A-Z])(ᵀ?)", line)
        try:
            found = None
            for name, turned in factors:
                matrix = at[name] if level == 3 else np.zeros(given[name])
                matrix = matrix.T if turned else matrix
                found = matrix if found is None else found @ matrix
        except ValueError:
            continue
        if level < 3 or (found.shape == right.shape and (found == right).all()):
            fitting.append((letter, found.shape))
    assert len(fitting) == 1, text
    return fitting[0]


def broadcasting(level, text):
    import numpy as np

    given = [tuple(map(int, one.strip(",").split(","))) for one in re.findall(r"the shape \(([\d, ]+)\)", text)]
    assert len(given) == (2 if level == 1 else 3)
    try:
        return np.broadcast_shapes(*given)
    except ValueError:
        return ()


def matrices(text):
    import numpy as np

    found = {}
    for name, value in re.findall(r"([XWb][₁₂₃]?) = (\[[^\]]*\]|\([^)]*\)|−?\d+)", text):
        rows = value.strip("[]()").replace("−", "-").split(";")
        found[name] = np.array([[int(x) for x in row.split(",")] for row in rows], dtype=object)
    return found


def collapse(level, text):
    """The weight from what the layers do to the rows of I, the bias from what they do to a row of zeros."""
    import numpy as np

    z = matrices(text)

    def run(x):
        for layer in "₁₂₃"[:2 if level < 3 else 3]:
            x = x @ z["W" + layer] + (z["b" + layer] if level > 1 else 0)
        return x
    d = len(z["W₁"])
    bias = run(np.zeros((1, d), dtype=object))
    weight = run(np.eye(d, dtype=int).astype(object)) - bias
    return [*weight.tolist(), *(bias.tolist() if level > 1 else [])]


def forward_pass(level, text):
    import numpy as np

    z = matrices(text)
    found = (np.maximum(z["X"] @ z["W₁"] + z["b₁"], 0) @ z["W₂"] + z["b₂"]).tolist()
    return found[0][0] if level == 1 else found


def spot_the_slip(level, text):
    """Each line by its words; exactly one does not come to what the numbers above it, and the network, say."""
    z = sizes(text)
    lines = re.findall(r"^\(([a-i])\) (.+?): (.+) = ([\d,]+)$", text, re.MULTILINE)
    written = {says: number(value) for _, says, _, value in lines}
    d, h = z.get("d", 0), z.get("h", 0)
    if level == 1:
        widths = listed(text)
        right = {f"layer {i}": a * b + b for i, (a, b) in enumerate(pairwise(widths), start=1)}
        needs = {"in all": (1, [*right])}
    elif level == 2:
        right = {"table of words": z["V"] * d, "attention of a layer": 4 * d * d, "gated block of a layer": 3 * d * h,
                 "norms of a layer": 2 * d, "last norm and head": d + z["V"] * d}
        needs = {"a layer": (1, ["attention of a layer", "gated block of a layer", "norms of a layer"]),
                 "all layers": (z["L"], ["a layer"]),
                 "in all": (1, ["table of words", "all layers", "last norm and head"])}
    else:
        right = {"tables": (z["V"] + z["P"] + z["types"]) * d, "norm of the tables": 2 * d,
                 "attention of a layer": 4 * (d * d + d), "block of a layer": d * h + h + h * d + d,
                 "norms of a layer": 4 * d, "pooler": d * d + d}
        needs = {"a layer": (1, ["attention of a layer", "block of a layer", "norms of a layer"]),
                 "all layers": (z["L"], ["a layer"]),
                 "in all": (1, ["tables", "norm of the tables", "all layers", "pooler"])}
    wrong = []
    for letter, says, printed, value in lines:
        times, parts = needs.get(says, (1, []))
        operands = times * sum(written[part] for part in parts)
        # a slip: the line is not what its words ask for, or its product is not what it says
        computed = eval(re.sub(r"(\d)²", r"\1**2", printed.replace(",", "").replace("·", "*")))  # noqa: S307 - digits
        if number(value) != (operands if parts else right[says]) or computed != number(value):
            wrong.append((letter, says))
    assert len(wrong) == 1, text
    letter, says = wrong[0]
    while says in needs and says not in right:  # of a sum: what its right operands come to
        for name, (times, parts) in needs.items():
            if all(part in right for part in parts):
                right[name] = times * sum(right[part] for part in parts)
    assert written[says] != right[says], text
    return letter, right[says]


def same_count(answer, second):
    if isinstance(answer, answers.Picked):
        letter, value = second
        return answer.letter == letter and same_count(answer.value, value)
    if isinstance(answer, answers.Shape):
        return answer.sizes == tuple(second)
    return (answer.rows if isinstance(answer, answers.Rows) else answer[0]) == second


# ------------------------------------------------------------------------------------------------------- the tests


def turns(kind):
    """(seed, level) that a kind meets: a third of the seeds, every level."""
    at = KINDS.index(kind)
    return [(seed, (seed // 3 + at) % 3 + 1) for seed in range(SEEDS) if (seed + at) % 3 == 0]


def fresh(kind, level, seed):
    """What a sheet shows: the first that is not trivial."""
    return next(one for one in (made(kind, level, Draw(seed, kind, level, 0, turn)) for turn in range(200))
                if not trivial(one))


def test_every_kind_is_found_and_judged():
    assert len(KINDS) >= 20
    assert set(KINDS) <= {name for name, value in globals().items() if callable(value)}
    assert len({called(kind) for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_right_by_a_second_way_and_none_is_trivial(kind):
    second = globals()[kind]
    found = {1: set(), 2: set(), 3: set()}
    asked = {1: set(), 2: set(), 3: set()}
    for seed, level in turns(kind):
        one = fresh(kind, level, seed)
        text = question(one)
        again = second(level, text)
        assert same_count(one.answer, again), (kind, level, seed, text, one.answer, again)
        plain = answers.shown(one.answer)
        told = "".join(map(str, (getattr(piece, "number", piece) for piece in plain)))
        assert told not in ("0", "1", "-1")
        if isinstance(one.answer, answers.Amount):  # nowhere in the question
            assert one.answer.number not in [number(each) for each in re.findall(r"\d[\d,]*\d|\d", text)], (seed, text)
        if isinstance(one.answer, answers.Shape) and one.answer.sizes:
            assert ", ".join(map(str, one.answer.sizes)) not in text
        assert one.hints
        for hint in one.hints:
            said = " ".join(piece if isinstance(piece, str) else str(piece) for piece in hint)
            assert not re.search(rf"(?<![\d,]){re.escape(told.split()[0])}(?![\d,])", said) or len(told) < 3, said
        for wrong, _ in one.slips:
            assert wrong != one.answer
        found[level].add(str(one.answer))
        asked[level].add(text)
    for level in LEVELS:
        assert len(asked[level]) > 60, (kind, level)  # of 111
        few = {("grouped_heads", 3): 5, ("feed_forward", 3): 20, ("heads", 1): 40}.get((kind, level), 45)
        assert len(found[level]) > few, (kind, level, len(found[level]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_worked_solutions_end_with_the_answer(kind, level):
    from symcount.render.text import worked

    for seed in range(2):
        one = fresh(kind, level, seed)
        steps = "\n".join(map(worked, one.steps()))  # each step was checked when it was made
        answer = one.answer.value if isinstance(one.answer, answers.Picked) else one.answer
        told = answers.sizes(answer.sizes) if isinstance(answer, answers.Shape) else (
            f"{abs(answer.number):,}" if isinstance(answer, answers.Amount) else "")
        rows = [str(abs(x)) for row in answer.rows for x in row] if isinstance(answer, answers.Rows) else []
        assert told in steps
        assert all(re.search(rf"(?<!\d){x}(?!\d)", steps) for x in rows)


@pytest.mark.parametrize(("text", "answer"), [
    *((text, answers.Amount(101_770, "parameters")) for text in (
        "101770", "101,770", "101 770", "101_770", " 101,770 ", "101,770 parameters", "= 101770", "101770.0",
        "101,770 params", "101,770.", "P = 101,770", "total = 101770 parameters", "≈ 101,770", "+101770")),
    *((text, answers.Amount(5000, "FLOPs")) for text in ("5,000 FLOPs", "5000 flops", "5000 FLOP")),
    *((text, answers.Amount(5000, "multiply-adds")) for text in ("5,000 multiply-adds", "5000 multiply adds",
                                                                 "5000 MACs")),
    ("5,000 B", answers.Amount(5000, "bytes")),
    *((text, answers.Shape((27, 32_670))) for text in ("27 × 32,670", "27x32670", "(27, 32670)", "Y = 27 by 32,670")),
    *((text, answers.Amount(-12)) for text in ("-12", "−12", "- 12")),
    *((text, answers.Shape((3, 5))) for text in ("3x5", "3 x 5", "3 × 5", "(3, 5)", "[3,5]", "3, 5", "3 by 5", "3*5",
                                                 "(3,5,)")),
    *((text, answers.Shape(())) for text in ("error", "Error", "undefined", "an error", "It is an error.")),
    *((text, answers.Rows([[1, 2], [3, -4]])) for text in (
        "[[1, 2], [3, -4]]", "[1, 2; 3, −4]", "1 2; 3 -4", "[[1,2],[3,-4]]", "W = [[1, 2], [3, -4]]", "(1, 2), (3, -4)",
        "W = [1, 2] and b = [3, -4]", "[1 2]\n[3 -4]")),
    *((text, answers.Percent(Fraction(2177, 10_000))) for text in (
        "21.77", "21.77 %", "21.77%", "21.77 percent", "21.770", "≈ 21.77 %", "share = 21.77 %.")),
    *((text, answers.Percent(Fraction(1, 3))) for text in ("33.33", "33.333 %")),
    *((text, answers.Picked("c", answers.Amount(1234))) for text in (
        "c, 1234", "(c) 1,234", "line c: 1234", "C 1234", "c = 1,234", "c; 1234")),
    ("(c), 1,234 parameters", answers.Picked("c", answers.Amount(1234, "parameters"))),
    *((text, answers.Picked("b", answers.Shape((3, 5)))) for text in ("b, 3x5", "(b) 3 × 5", "b: (3, 5)")),
])
def test_answers_are_read_as_people_write_them(text, answer):
    assert answers.same(answers.read(text, answer), answer)


@pytest.mark.parametrize(("text", "answer"), [
    *((text, answers.Amount(101_770, "parameters")) for text in ("101771", "101769", "1017700", "-101770", "10177")),
    *((text, answers.Shape((3, 5))) for text in ("5x3", "3x5x1", "35", "3, 6", "error")),
    ("27, 32,670", answers.Shape((27, 32_670))), ("-101770", answers.Amount(101_770)),
    ("3x5", answers.Shape(())),
    *((text, answers.Rows([[1, 2], [3, -4]])) for text in ("[[1, 3], [2, -4]]", "[1, 2, 3, -4]", "[[1, 2], [3, 4]]",
                                                           "[[1, 2], [3]]")),
    *((text, answers.Percent(Fraction(1, 3))) for text in ("33.34", "33.32", "33.330", "66.67")),
    *((text, answers.Picked("c", answers.Amount(1234))) for text in ("b, 1234", "c, 1235")),
])
def test_neighbours_are_refused(text, answer):
    given = answers.read(text, answer)
    assert not answers.same(given, answer)
    answers.looks(given, answer)


@pytest.mark.parametrize(("text", "answer", "expects"), [
    *((text, answers.Amount(7, "parameters"), "a whole number of parameters, as 12,345") for text in (
        "", "many", "101,77", "1,2345", "1.5", "7 million", "7 GB", "7 bytes", "1e5", "7" * 99, "7" * 500, "[7]",
        "7; 8", "7 p")),
    *((text, answers.Amount(7, "multiply-adds"), "a whole number of multiply-adds") for text in ("7 M", "7 million")),
    ("27 × 3,26", answers.Shape((3, 5)), "a shape"),
    *((text, answers.Shape((3, 5)), "a shape, as 3 x 5") for text in (
        "three by five", "3 5", "x", "-3 x 5", "3 x", "1x" * 9)),
    *((text, answers.Rows([[1]]), "[[1, 2], [3, 4]]") for text in ("[[1, 2], [3, 4]", "[[1.5]]", "[]", "a", "[[1], x]",
                                                                   "__import__('os')")),
    *((text, answers.Percent(Fraction(1, 3)), "two decimals") for text in ("33", "33.3", "a third", "-1.00", "1/3")),
    *((text, answers.Picked("c", answers.Amount(1)), "a letter and a whole number") for text in ("c", "1234", "c, x")),
])
def test_what_cannot_be_read_says_what_is_expected(text, answer, expects):
    with pytest.raises(ModelError, match=re.escape(expects)):
        answers.read(text, answer)


def test_slips_are_recognised():
    one = fresh("parameters", 1, 7)
    right = one.answer.number
    for wrong, says in one.slips:
        assert verdict(one, f"{wrong.number:,}") == (False, f"not right: {says}")
    assert verdict(one, str(right))[0]
    assert verdict(one, str(2 * right)) == (False, "not right: it is twice as much as it should be: is a factor of 2 "
                                                   "too many?")
    assert verdict(one, str(right + 123_457))[1] == "not right; --hint helps on"
    one = fresh("collapse", 1, 7)
    turned = [list(column) for column in zip(*one.answer.rows, strict=True)]
    assert verdict(one, str(turned)) == (False, "not right: it is transposed")
    one = fresh("shapes", 1, 7)
    assert not verdict(one, "x".join(map(str, one.answer.sizes[::-1])))[0]
    one = fresh("bert", 3, 7)
    told = "".join(answers.shown(one.answer)).replace(" %", "")
    assert verdict(one, f"0.{told.replace('.', ''):0>4}")[1].startswith("not right: that is the share as a number")


def test_a_number_that_two_slips_make_is_told_both():
    one = fresh("cache", 1, 7)
    assert verdict(one, str(one.answer.number // 2))[1] == (
        "not right: a number of 16 bits takes 2 bytes; or: a key and a value are remembered")


@pytest.mark.parametrize("seed", range(9))
def test_a_slip_in_what_a_token_takes_is_known_by_what_then_fits(seed):
    one = fresh("cache", 3, seed)
    room, = around(r"(\d+) GiB of memory", question(one))
    given = sizes(question(one))
    heads, = around(r"has (\d+) query heads", question(one))
    numbers = given["L"] * given["kv"] * (given["d"] // heads)
    assert verdict(one, str(room * 2**30 // (4 * numbers)))[0]
    assert "a number of 16 bits takes 2 bytes" in verdict(one, str(room * 2**30 // (2 * numbers)))[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_answer_that_is_printed_is_taken(kind, level):
    from symcount.render.text import piece

    for seed in range(4):
        one = fresh(kind, level, seed)
        assert verdict(one, "".join(map(piece, answers.shown(one.answer))))[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_letter_of_a_worked_solution_is_told(kind, level):
    from symcount.render.text import worked

    one = fresh(kind, level, 5)
    shown = solution(one)
    words = "\n".join([question(one), *(said(step) for step in shown if type(step) is tuple)])
    formulas = "\n".join(worked(step) for step in shown if isinstance(step, (Equation, Solving)))
    rights = " ".join(re.findall(r"[=≤≈] (.*)", formulas))
    used = set(re.findall(r"[A-Za-z](?:_\d+)?", re.sub(r"heads|side|types|kv|floor|up", "", rights)))
    named = set(re.findall(r"\b([A-Za-z](?:_\d+)?)(?= =| \(| hidden| is )", words))
    assert used <= named


@pytest.mark.parametrize("level", [2, 3])
def test_widths_that_are_rounded_are_no_multiples_before(level):
    for seed in range(60):
        text = question(fresh("feed_forward", level, seed))
        d, (multiple,) = sizes(text)["d"], around(r"multiple of (\d+)", text)
        assert 8 * d % (3 * multiple)


def test_a_solution_speaks_the_letters_of_its_question():
    from symcount.render.text import worked

    shown = "\n".join(map(worked, fresh("embeddings", 2, 7).steps()))
    assert "L(12d² + 13d)" in shown  # as the question tells of a layer, and no h


def test_drawing_is_even_and_reaches_both_ends():
    draw = Draw(1)
    found = [draw.between(1, 6) for _ in range(6000)]
    assert all(850 < found.count(n) < 1150 for n in range(1, 7))
    assert sorted(Draw(2).some(5, range(5))) == [0, 1, 2, 3, 4]


def test_the_same_seed_gives_the_same_sheet(capsys):
    """If this fails, what seed 7 draws has changed: say so in the changelog, then write the new digest."""
    status, first, error = ask(capsys, "--seed", "7", "--count", "21")
    assert (status, error) == (0, "")
    assert ask(capsys, "--seed", "7", "--count", "21")[1] == first
    assert ask(capsys, "--seed", "8", "--count", "21")[1] != first
    assert hashlib.sha256(first.encode()).hexdigest()[:16] == DIGEST


DIGEST = "e07a516a357dfec6"


def test_a_sheet_is_mixed_and_each_of_its_exercises_can_be_had_alone(capsys):
    found = drawn(7, count=8)
    assert [one.level for one in found] == [1, 1, 2, 2, 3, 3, 1, 1]
    assert len({one.kind for one in found}) == 8
    whole = ask(capsys, "--seed", "7")[1]
    alone = ask(capsys, "--seed", "7", "--number", "3")[1]
    third = alone.split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    assert third.startswith("3. ")
    assert third in whole
    status, shown, _ = ask(capsys, "--seed", "7", "--level", "2", "--kind", "parameters,shapes", "--count", "10")
    assert (status, shown.count("(level 2)")) == (0, 10)
    assert "symcount practice --seed 7 --level 2 --kind parameters,shapes --count 10" in shown
    texts = [question(one.exercise) for one in drawn(7, level=1, chosen=["heads"], count=40)]
    assert len(set(texts)) == 40


def test_a_new_sheet_names_its_seed(capsys):
    status, shown, _ = ask(capsys)
    seed = re.search(r"--seed (\d+)", shown)[1]
    assert status == 0
    assert ask(capsys, "--seed", seed)[1] == shown


def test_hints_and_verdicts(capsys):
    one = drawn(7, count=3)[2].exercise
    _, shown, _ = ask(capsys, "--seed", "7", "--number", "3", "--hint")
    assert ("Hint 1: " in shown, "Hint 2: " in shown) == (True, False)
    assert "Hint 2: " in ask(capsys, "--seed", "7", "--number", "3", "--hint", "2")[1]
    right = f"{one.answer.number:,}"
    assert ask(capsys, "--seed", "7", "--number", "3", "--check", right) == (0, f"right: {right} parameters\n", "")
    status, shown, _ = ask(capsys, "--seed", "7", "--number", "3", "--check", str(one.answer.number + 2))
    assert (status, shown.startswith("not right")) == (1, True)
    status, shown, error = ask(capsys, "--seed", "7", "--number", "3", "--check", "lots")
    assert (status, shown) == (2, "")
    assert error == "symcount: cannot read 'lots'; expected is a whole number of parameters, as 12,345\n"
    for less in ("-1,000", "-3.", "-3;4"):  # no options
        told = ask(capsys, "--seed", "7", "--number", "3", "--check", less)
        assert told[0] == (2 if less[-1] == "4" else 1)
        assert "expected one argument" not in told[2]


def test_a_key_and_data(capsys, tmp_path):
    target = tmp_path / "key.md"
    assert ask(capsys, "--seed", "7", "--solutions", "--format", "markdown", "-o", str(target)) == (0, "", "")
    assert target.read_text(encoding="utf-8").count("**Answer:**") == 6
    told = json.loads(ask(capsys, "--seed", "7", "--format", "json")[1])
    assert [one["number"] for one in told["exercises"]] == [1, 2, 3, 4, 5, 6]
    assert not any("answer" in one or "solution" in one for one in told["exercises"])
    told = json.loads(ask(capsys, "--seed", "7", "--format", "json", "--solutions")[1])
    assert all(one["answer"] and one["solution"] for one in told["exercises"])
    _, shown, _ = ask(capsys, "--kinds")
    assert all(f"{kind} " in shown and called(kind) in shown for kind in KINDS)


@pytest.mark.parametrize(("words", "says"), [
    ("--seed x", "--seed x: a seed is a whole number of at most 18 digits"),
    ("--seed " + "9" * 400, "a seed is a whole number of at most 18 digits"), ("--seed -1", "a whole number"),
    ("--seed ٣", "a whole number"), ("--seed 1.5", "a whole number"), ("--seed=", "is followed by nothing"),
    ("--count 1000000000", "below 1,000"), ("--count 101", "a sheet has 1 to 100"), ("--count 0", "from 1 on"),
    ("--count -3", "from 1 on"), ("--count many", "from 1 on"), ("--level 4", "there are levels 1, 2 and 3"),
    ("--level hard", "from 1 on"), ("--kind shape", "no kind of exercise 'shape'; did you mean 'shapes'?"),
    ("--kind ../cli", "no kind of exercise"), ("--kind _counted", "no kind of exercise"), ("--kind ,", "no kind"),
    ("--seed 7 --number 9", "the sheet has 6"), ("--number 3", "of which sheet?"), ("--seed 7 --number 0", "from 1 on"),
    ("--seed 7 --hint", "for which exercise?"), ("--seed 7 --check 5", "for which exercise?"),
    ("--seed 7 --number 1 --hint 9", "has 2 hints"), ("--seed 7 --number 1 --hint x", "from 1 on"),
    ("--seed 7 --number 1 --hint --solutions", "do not go together"),
    ("--seed 7 --number 1 --hint --check 5", "do not go together"),
    ("--seed 7 --number 1 "
     "--check " + "9" * 1000, "cannot read"), ("--seed 7 --number 1 --check \x1b[31m", "cannot read"),
    ("--seed 7 --number 1 --check 5 --format latex", "answers in text or json"),
    ("llama-7b", "practice takes options"), ("--set d=3", "practice takes no --set"),
    ("--format sarif", "practice prints text, markdown, latex, html, typst, pdf, json"),
])
def test_hostile_input_is_refused_in_one_line(capsys, words, says):
    status, shown, error = ask(capsys, *words.split(" "))
    assert (status, shown, error.count("\n")) == (2, "", 1)
    assert says in error
    assert len(error) < 700
    assert "\x1b" not in error


@pytest.mark.parametrize("seed", [7, 20, 333])
def test_markdown_is_silent_under_check(seed):
    from symcount import check
    from symcount.render import markdown

    found = drawn(seed, count=len(KINDS))
    for shown in (sheet(seed, found, "symcount practice"), key(seed, found, "symcount practice")):
        assert [one.message for one in check(markdown.sheet(shown), path="key.md") if one.severity == "error"] == []


def test_the_check_of_a_slip_is_not_blind():
    """The lines of a slip are marked to be ignored: without the mark some of them are found."""
    from symcount import check
    from symcount.render import markdown

    found = drawn(5, level=2, chosen=["spot_the_slip"], count=20)
    text = markdown.sheet(sheet(5, found, "symcount practice"))
    assert text.count("<!-- symcount: ignore -->") == 20
    assert check(text.replace("<!-- symcount: ignore -->", ""), path="sheet.md")


@pytest.mark.skipif(not shutil.which("xelatex"), reason="xelatex is not installed")
def test_latex_compiles_without_overfull_lines(tmp_path):
    from symcount.render import latex

    parts = []
    for seed in (7, 8):
        for level in (1, 3):
            found = drawn(seed, level=level, count=len(KINDS))
            parts += [latex.sheet(made_of(seed, found, "symcount practice")) for made_of in (sheet, key)]
    body = "\n\\newpage\n".join(parts)
    head = ("\\documentclass[a4paper]{article}\n\\usepackage[margin=25mm]{geometry}\n\\usepackage{amsmath}\n"
            "\\usepackage{fontspec}\n\\begin{document}\n")
    (tmp_path / "sheet.tex").write_text(head + body + "\n\\end{document}\n", encoding="utf-8")
    done = subprocess.run(["xelatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"], cwd=tmp_path,
                          capture_output=True, text=True, check=False, env={**os.environ, "max_print_line": "1000"})
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
    overfull = [float(one) for one in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(overfull, default=0) < 1, overfull


def test_a_question_stands_on_one_page(tmp_path):
    pytest.importorskip("typst")
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed")
    assert main(["practice", "--seed", "11", "--count", "21", "--format", "pdf", "-o", str(tmp_path / "x.pdf")]) == 0
    pages = subprocess.run(["pdftotext", "-layout", str(tmp_path / "x.pdf"), "-"], capture_output=True, text=True,
                           check=True).stdout.split("\f")
    assert all(re.match(r"\s*(?:Practice|\d+\. )", page) for page in pages if page.strip())
    assert any("(a) tables" in page and "(i) in all" in page for page in pages)
