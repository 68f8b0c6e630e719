"""The answer to each kind of exercise a second time, by hand, from the words of its question alone.

A kind has a function of its name here: from the level and the text of a question to a number, a shape, rows, or a
letter with one of these. Numbers are read out of the text and counted with plain arithmetic and NumPy: nothing of the
library is used.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise


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
    into, out, batch, work = around(
        r"with (\d+) inputs, one hidden layer and (\d+) outputs.* (\d+) rows.* took ([\d,]+) ", text)
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
        w, side, c, step, pad, m = around(
            r"kernels of (\d+) .*image of (\d+) .*and (\d+) channels in steps of (\d+), "
            r"with (\d+) row.*; (\d+) channels", text)
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
        batch, side, colours, c, w = around(
            r"(\d+) images of (\d+) × \d+ pixels with (\d+) .*with (\d+) kernels of (\d+)", text)
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
