"""Budgets and crossovers, judged by building and counting a network for every number."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from symcount.errors import FormulaError, ModelError, SizeError, SymcountError, UnitError
from symcount.naming import model
from symcount.readers.quantities import read
from symcount.solving import crossover, solve

GPT2 = {"L": 3, "d": 48, "V": 500, "P": 64, "heads": 4, "s": 16}
LLAMA = {"L": 3, "d": 64, "h": 96, "V": 500, "heads": 8, "s": 16, "t": 16}
SMALL = {"V": 50, "P": 16, "heads": 4, "s": 16}
SHORT = {"L": 3, "d": 64, "h": 96, "V": 500, "heads": 8}
BERT = {"L": 3, "d": 48, "V": 500, "h": 100, "P": 64, "heads": 4, "s": 16}
MOE = {"L": 2, "d": 64, "V": 300, "heads": 8, "kv": 2, "E": 8, "K": 2, "s": 16, "t": 16}
MLA = {"L": 4, "d": 64, "V": 300, "s": 16, "t": 16, "heads": 4, "L_dense": 1, "E": 8, "K": 2, "h_e": 32}
ROUNDED = {"h": "up(8d/3,256)", "heads": "d/16"}

# model, its sizes, what follows, quantities, unknown, its numbers
BUDGETS = [
    ("gpt2", GPT2, {}, "params flops memory", "L", range(1, 30)),
    ("gpt2", GPT2, {"h": "4d"}, "params flops", "d", range(8, 200, 4)),
    ("gpt2", GPT2, {"heads": "d/16"}, "params memory", "d", range(1, 200, 3)),
    ("gpt2", GPT2, ROUNDED, "params flops", "d", range(16, 900, 16)),
    ("gpt2", GPT2, {"L": "d/16", "heads": "d/16"}, "params", "d", range(1, 300, 9)),
    ("gpt2", GPT2, {}, "params", "V", range(1, 30)),
    ("gpt2", GPT2, {}, "flops traffic", "s", range(1, 30)),
    ("gpt2", GPT2, {}, "params", "P", range(1, 40)),
    ("gpt2", GPT2, {}, "activations", "b", range(1, 9)),
    ("gpt2", GPT2, {}, "activations", "heads", range(1, 60)),
    ("llama-7b", LLAMA, {"V": "up(x,64)"}, "params", "h", range(1, 60)),
    ("llama-7b", {**LLAMA, "k": 8}, {"kv": "heads/4"}, "params kv", "heads", range(1, 70)),
    ("llama-7b", LLAMA, {}, "params kv", "kv", range(1, 20)),
    ("llama-7b", LLAMA, {"heads": "d/16", "kv": "heads/2"}, "params", "d", range(1, 260, 3)),
    ("llama-7b", LLAMA, {}, "kv memory", "t", range(1, 30)),
    ("llama-7b", LLAMA, {"L": "d/32"}, "params", "d", range(32, 999, 32)),
    ("bert-base-uncased", BERT, {}, "params", "types", range(9)),
    ("bert-base-uncased", BERT, {"h": "4d"}, "flops", "d", range(4, 90, 4)),
    ("mixtral-8x7b", MOE, {}, "params active", "E", range(1, 20)),
    ("mixtral-8x7b", MOE, {}, "active flops", "K", range(1, 20)),
    ("mixtral-8x7b", MOE, {"K": "E/4"}, "active", "E", range(1, 30)),
    ("deepseek-v3", MLA, {}, "params active kv", "r_kv", range(1, 12)),
    ("deepseek-v3", MLA, {}, "params", "L_dense", range(8)),
    ("deepseek-v3", MLA, {"L_dense": "L/4"}, "params", "L", range(1, 14)),
    ("gemma-3-1b", {"s": 16, "t": 40}, {}, "kv", "window", range(20, 60, 2)),
    ("gemma-3-1b", {"s": 16}, {}, "kv", "t", range(500, 540)),
    ("t5-small", {"s": 16, "u": 8}, {"h": "4d"}, "params", "d", range(8, 80, 8)),
    ("t5-small", {"s": 16, "u": 8}, {}, "flops", "u", range(1, 12)),
    ("mamba-130m", {"s": 16}, {}, "params", "state", range(1, 12)),
    ("mamba-130m", {"s": 16, "L": 2}, {}, "params", "d", range(8, 200, 8)),
    ("vit-base-patch16-224", {"L": 2, "d": 64, "heads": 4}, {"h": "4d"}, "params flops", "patch", range(1, 60)),
    ("vit-base-patch16-224", {"L": 2, "d": 64, "heads": 4}, {"h": "4d"}, "flops", "side", range(1, 60, 2)),
    ("resnet-18", {}, {}, "macs", "side", range(30, 39)),
    ("resnet-18", {}, {}, "params", "C", range(1, 9)),
]
CASES = [(name, sizes, follows, quantity, unknown, numbers)
         for name, sizes, follows, quantities, unknown, numbers in BUDGETS for quantity in quantities.split()]


def counts_of(made, quantity, follows, names, choices):
    """{numbers: count} of every network that can be built."""
    found = {}
    for numbers in choices:
        try:
            count = read(made.replace(**{**follows, **dict(zip(names, numbers, strict=True))}), quantity).total
        except SymcountError:
            continue
        found[numbers] = count
    return found


def meets(sign, count, budget, percent=0):
    return {"<=": count <= budget, ">=": count >= budget, "=": abs(count - budget) * 100 <= percent * budget}[sign]


@pytest.mark.parametrize(("name", "sizes", "follows", "quantity", "unknown", "numbers"), CASES,
                         ids=[f"{case[0]} {case[3]} {case[4]} {index}" for index, case in enumerate(CASES)])
def test_one_unknown(name, sizes, follows, quantity, unknown, numbers):
    draw = random.Random(f"{name} {quantity} {unknown} {follows}")
    made = model(name, **{size: n for size, n in sizes.items() if size != unknown and size not in follows})
    counts = {one: count for (one,), count in counts_of(made, quantity, follows, [unknown],
                                                        [(n,) for n in numbers]).items()}
    assert len(set(counts.values())) > 1
    among = {unknown: numbers} if draw.random() < 0.5 else {unknown: list(numbers)}
    low, high = min(counts.values()), max(counts.values())
    asked = [("<=", draw.randint(low, high), 0), (">=", draw.randint(low, high), 0), ("<=", low - 1, 0),
             ("=", draw.choice(list(counts.values())), 0), ("=", draw.randint(low, high), draw.choice([1, 7]))]
    for sign, budget, percent in draw.sample(asked, 3 if name in ("gpt2", "llama-7b") else 2):
        text = f"{quantity} {sign} {budget}" + (f" +- {percent}%" if percent else "")
        found = solve(text, among, made, **follows)
        holding = [n for n, count in counts.items() if meets(sign, count, budget, percent)]
        rows = {row.sizes[unknown]: row for row in found.found}
        assert {n: row.left for n, row in rows.items()} == {n: counts[n] for n in rows}
        assert all(row.holds == (n in holding) for n, row in rows.items())
        assert found.sizes == {} if not holding else counts[found.sizes[unknown]] in {
            counts[n] for n in holding if abs(counts[n] - budget) == min(abs(counts[m] - budget) for m in holding)}
        turns = [(a, b) for a, b in pairwise(counts) if (a in holding) != (b in holding)]
        if sign == "=" and holding:
            assert sorted(rows) == holding
        elif sign != "=" and len(turns) <= 10:
            ends = {n for turn in turns for n in turn} or {min(counts), max(counts)}
            assert set(rows) == ends
            assert found.reached == bool(holding)
            assert said(found) == stretches(unknown, counts, turns, holding)


def said(found):
    return found.says[-1].partition("it holds for ")[2]


def stretches(unknown, counts, turns, holding):
    """In words, as a solution says it, for which numbers it holds."""
    ends = [min(counts), *(n for turn in turns for n in turn), max(counts)]
    inside = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a in holding]
    words = [f"from {a:,} to {b:,}" if a != b else f"{a:,}" for a, b in inside]
    if not inside:
        return f"no {unknown}"
    if len(inside) == 1 and inside[0][0] == inside[0][1]:
        return f"{unknown} = {words[0]} alone"
    steps = {b - a for a, b in pairwise(sorted(counts))}
    even = f" in steps of {min(steps):,}" if len(steps) == 1 and len(counts) > 2 else " that can be built"
    return f"every {unknown} {' and '.join(words)}{'' if steps == {1} and len(counts) > 2 else even}"


SEVERAL = [
    ("gpt2", GPT2, "params", {"d": range(16, 81, 16), "L": range(1, 8)}),
    ("gpt2", GPT2, "flops", {"b": range(1, 5), "L": range(1, 5), "V": range(100, 400, 100)}),
    ("llama-7b", LLAMA, "params", {"heads": range(1, 9), "kv": range(1, 9), "L": range(1, 4)}),
    ("mixtral-8x7b", MOE, "params", {"E": range(1, 9), "d": range(32, 129, 32)}),  # no network with E < K
    ("mixtral-8x7b", MOE, "active", {"K": range(1, 9), "E": range(1, 9)}),
    ("vit-base-patch16-224", {"L": 2, "heads": 4, "h": 64}, "flops", {"d": range(16, 65, 16), "patch": range(5, 17)}),
]


@pytest.mark.parametrize(("name", "sizes", "quantity", "unknowns"), SEVERAL)
def test_several_unknowns(name, sizes, quantity, unknowns):
    draw = random.Random(name)
    made = model(name, **{size: n for size, n in sizes.items() if size not in unknowns})
    counts = counts_of(made, quantity, {}, unknowns, product(*unknowns.values()))
    exact = draw.choice(list(counts.values()))
    for sign, budget, percent in (("=", exact, 0), ("=", exact, 5), ("<=", exact, 0), (">=", exact, 0)):
        text = f"{quantity} {sign} {budget}" + (f" +- {percent}%" if percent else "")
        found = solve(text, unknowns, made)
        holding = {numbers for numbers, count in counts.items() if meets(sign, count, budget, percent)}
        if sign != "=":  # of the last, the largest or the smallest
            best = {}
            for *others, one in sorted(holding, reverse=sign == ">="):
                best[tuple(others)] = one
            holding = {(*others, one) for others, one in best.items()}
        assert [tuple(row.sizes.values()) for row in found.found] == sorted(holding)
        assert all(row.holds and row.left == counts[tuple(row.sizes.values())] for row in found.found)


@pytest.mark.parametrize(("name", "sizes", "text", "unknowns", "within"), [
    ("gpt2", SMALL, "params = 60000 +- 2%", "d=16*1..,L", {"d": range(16, 128, 16), "L": range(1, 25)}),
    ("gpt2", SMALL, "params = 60000 +- 2%", "L,d=16*1..", {"L": range(1, 25), "d": range(16, 128, 16)}),
    ("gpt2", SMALL, "params = 12345", "d=4*1..,L", {"d": range(4, 40, 4), "L": range(1, 30)}),
    ("vit-base-patch16-224", {"L": 1, "heads": 1, "h": 4, "side": 12, "c": 1, "C": 1}, "params = 400 +- 20%",
     "d=2*1..,patch=1..12", {"d": range(2, 24, 2), "patch": range(1, 13)}),  # it rises in d, and not in patch
])
def test_without_ends_nothing_is_missed(name, sizes, text, unknowns, within):
    made = model(name, **{size: n for size, n in sizes.items() if size not in within})
    found = solve(text, unknowns, made)
    budget, percent = int(text.split()[2]), int(text.split()[-1].rstrip("%")) if "%" in text else 0
    counts = counts_of(made, "params", {}, within, product(*within.values()))
    holding = sorted(numbers for numbers, count in counts.items() if meets("=", count, budget, percent))
    assert [tuple(row.sizes.values()) for row in found.found if row.holds] == holding
    if not holding:
        nearest = sorted(abs(count - budget) for count in counts.values())
        assert len(found.found) == 10
        assert all(abs(row.left - budget) <= off for row, off in zip(found.found, nearest, strict=False))


@pytest.mark.parametrize(("name", "sizes", "phase", "storage", "quantity", "unknown", "numbers"), [
    ("llama-7b", SHORT, "decode", None, "flops", "t", range(1, 60)),
    ("llama-7b", SHORT, "train", None, "flops", "s", range(1, 60)),
    ("gpt2", GPT2, "train", None, "memory", "L", range(1, 20)),
    ("gpt2", GPT2, "decode", None, "memory", "b", range(1, 40)),
    ("llama-7b", {**SHORT, "d": 128, "h": 128, "V": 512}, None, "nf4", "memory", "L", range(1, 30)),
    ("llama-7b", LLAMA, None, "fp32", "memory", "V", range(1, 40)),
    ("llama-7b@layers.mlp", LLAMA, None, None, "params", "h", range(1, 60)),
    ("llama-7b", SHORT, None, None, "flops@scores", "s", range(1, 60)),
])
def test_phases_storages_and_parts(name, sizes, phase, storage, quantity, unknown, numbers):
    made = model(name).replace(**{size: n for size, n in sizes.items() if size != unknown})
    options = {key: told for key, told in (("phase", phase), ("convention", storage)) if told}
    counts = {n: read(made.replace(**{unknown: n}), quantity, **options).total for n in numbers}
    budget = sorted(counts.values())[len(counts) // 2] + 1
    found = solve(f"{quantity} <= {budget}", {unknown: numbers}, made, convention=storage, phase=phase)
    assert found.sizes == {unknown: max(n for n, count in counts.items() if count <= budget)}
    assert found.best.left == max(count for count in counts.values() if count <= budget)


@pytest.mark.parametrize(("one", "other", "unknown", "name", "closed"), [
    ("flops@scores + flops@mix", "flops@mlp", "s", "llama-7b", "3*h/2"),
    ("flops@mlp", "flops@scores", "s", "llama-7b", "3*h"),
    ("params@embeddings", "params@layers", "V", "gpt2", None),
    ("params@mlp", "params@attention", "h", "llama-7b", None),
    ("kv", "params", "t", "llama-7b", None),
    ("memory - kv", "kv", "b", "llama-7b", None),
])
def test_crossovers(one, other, unknown, name, closed):
    text = other if one != "kv" else "2*memory"
    made = model(name, **({"t": 512} if unknown == "b" else {}))
    if one == "kv":  # bytes against bytes
        one, text = "kv", "memory - kv"
    found = crossover(one, text, unknown, made)
    if closed:
        assert str(found.closed_form) == closed
    start = next(int(word.replace(",", "")) for word in found.says[-1].split() if word[0].isdigit())
    start += "to" in found.says[-1].split()  # the left side is more from the first, or up to the last

    def more(n):
        values = made.replace(**{unknown: n})
        sides = [sum((-1 if sign == "-" else 1) * read(values, part).total for sign, part in signed(side))
                 for side in (one, text)]
        return sides[0] > sides[1]

    if "to" in found.says[-1].split():
        start = int(found.says[-1].split("to ")[1].replace(",", "")) + 1
        assert [more(n) for n in (start - 2, start - 1, start, start + 1, 2 * start)] == [True, True] + 3 * [False]
    else:
        assert [more(n) for n in (start - 2, start - 1, start, start + 1, 2 * start)] == [False, False] + 3 * [True]


def signed(side):
    sign = "+"
    for word in side.split():
        if word in "+-":
            sign = word
        else:
            yield sign, word


@pytest.mark.parametrize(("text", "unknowns", "sizes", "error", "message"), [
    ("params <= 1e9", "s", {}, ModelError, "does not depend on s"),
    ("params <= 1e9", "L", {"L": 3}, ModelError, "L is both set and solved for"),
    ("params <= flops", "L", {}, UnitError, "two units"),
    ("params <= 1e9", "layers", {}, FormulaError, "unknown symbol 'layers'"),
    ("params >= 1e9", "d,L", {}, SizeError, "d has no end here; say where, as in d=128"),
    ("params <= 1e30", "d,L", {}, SizeError, "are tried: say fewer"),
    ("flops + d^4 = 5e9", "d", {}, SizeError, "s has no value, and no closed form gives d; say s="),
    ("params - 5*L = params - 5*L", "L", {}, ModelError, "whatever L is"),
    ("params <= 9", "L", {"d": 0}, SizeError, "d = 0: model width"),
    ("params <= 9", "L", {"heads": 5}, SizeError, "heads = 5"),
    ("12*L <= 9", "d", {}, ModelError, "does not depend on d"),
])
def test_refused(text, unknowns, sizes, error, message):
    with pytest.raises(error, match=message):
        solve(text, unknowns, model("gpt2"), **sizes)
