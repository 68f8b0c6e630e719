"""Two models compared: published totals, every term by hand, printed formulas read back, and what is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symcount import ModelError, SizeError, UnitError, comparing, model
from symcount.architectures import names
from symcount.comparing import compare
from symcount.derivation import Rounded
from symcount.forms import Number, Product, Sum, Symbol
from symcount.formulas import read as read_formula
from symcount.readers.quantities import read
from symcount.render import data, latex, markdown, text
from symcount.sizes import fraction
from symcount.symbols import TABLE

BERT, DISTIL, LLAMA = "bert-base-uncased", "distilbert-base-uncased", "llama-3-8b"


def gaps(found, depth=1):
    return {gap.part: gap.number for gap in found.rows if gap.depth == depth}


def formulas(found):
    return {gap.part: text.form(gap.form) for gap in found.rows}


def say(found, label):
    return next(("".join(map(text.piece, one.pieces)) for one in found.says if one.label == label), None)


def test_distilbert():
    """The totals are published, and so are 6 of 12 layers, no pooler, no token types (Sanh et al. 2019, section 3)."""
    found = compare(BERT, DISTIL)
    assert (found.total.one.total, found.total.other.total) == (109_482_240, 66_362_880)
    assert gaps(found) == {"embeddings": -1_536, "layers": -42_527_232, "pooler": -590_592}
    assert -42_527_232 - 590_592 - 1_536 == found.total.number == 66_362_880 - 109_482_240
    told = formulas(found)
    assert told["layers"] == "−(12 − 6)(4d² + 2dh + 9d + h)"
    assert told["layers.attention_norm"] == "−2d(12 − 6)"
    assert told["pooler"] == "−d² − d"
    assert told["embeddings.type"] == "−d·types"
    assert say(found, "difference") == ("distilbert-base-uncased (DistilBertModel) has 43,119,360 parameters fewer "
                                        "than bert-base-uncased (BertModel): × 0.6062, 39.38 % less")
    assert say(found, "parts") == (
        "layers: 6 of 12, 42,527,232 fewer, 38.84 %; pooler: only in bert-base-uncased, 590,592 fewer, 0.54 %; "
        "embeddings.type: only in bert-base-uncased, 1,536 fewer, 0.00 %")
    assert say(found, "why") == ("77.69 % of the parameters of bert-base-uncased are in layers, so 6 of 12 fewer make "
                                 "the whole 38.84 % smaller")
    assert say(found, "changed") == "L 12 → 6"
    assert say(found, "the same") == "embeddings.word, embeddings.position, embeddings.norm"
    assert say(compare(DISTIL, BERT), "parts").startswith("layers: 12 for 6, 42,527,232 more, 64.08 %; ")


SETTINGS = [  # one, other, quantity, sizes, difference, formulas of parts, headline ends
    (BERT, f"{BERT}:d=2x,h=2x", "params", {}, 280_531_200, {"embeddings": "(1,536 − 768)(V + P + types + 2)"},
     "× 3.562, 256.23 % more"),
    (BERT, f"{BERT}:h=x/2", "params", {}, -28_329_984, {"layers.mlp": "−L(3,072 − 1,536)(2d + 1)"},
     "× 0.7412, 25.88 % less"),
    (BERT, f"{BERT}:L=x/2", "params", {}, -42_527_232, {"layers": "−(12 − 6)(4d² + 2dh + 9d + h)"},
     "× 0.6116, 38.84 % less"),
    (LLAMA, f"{LLAMA}:kv=32", "params", {}, 805_306_368, {"layers.attention": "2Ld²(32 − 8)/heads"},
     "× 1.100, 10.03 % more"),
    ("gpt2", "gpt2:untied", "params", {}, 50_257 * 768, {"head": "dV"}, "× 1.310, 31.02 % more"),
    ("llama-7b", "llama-7b:lora=8@query+value", "params", {}, 32 * 2 * 2 * 4096 * 8, {"layers.attention": "4Ldr"},
     "× 1.001, 0.06 % more"),
    (LLAMA, f"{LLAMA}:kv=32", "kv", {"t": 8192}, 3 * 1_073_741_824, {"layers": "4Lbtd(32 − 8)/heads"},
     "× 4, 300.00 % more"),
    ("llama-7b", "llama-7b:L=31", "flops", {"s": 2048}, None, {"layers.attention": "−(32 − 31)(8bsd² + 4bs²d)"}, None),
    (BERT, "bert-large-uncased", "params", {}, 335_141_888 - 109_482_240,
     {"layers": "24 × (4·1,024² + 2·1,024·4,096 + 9·1,024 + 4,096) − 12 × (4·768² + 2·768·3,072 + 9·768 + 3,072)"},
     "× 3.061, 206.12 % more"),
]


@pytest.mark.parametrize(("one", "other", "of", "sizes", "count", "parts", "end"), SETTINGS,
                         ids=[" ".join(row[:3]) for row in SETTINGS])
def test_settings(one, other, of, sizes, count, parts, end):
    found = compare(one, other, of, **sizes)
    if count is not None:
        assert found.total.number == count
        assert say(found, "difference").endswith(end)
    told = formulas(found)
    assert {part: told[part] for part in parts} == parts


def test_doubled_width():
    """Layers grow nearly fourfold, tables twofold: the whole by what each is of it."""
    found = compare(BERT, f"{BERT}:d=2x,h=2x")
    assert say(found, "parts").startswith("layers: × 3.997, 254,923,776 more, 232.84 %; embeddings: × 2, ")
    assert say(found, "changed") == "d 768 → 1,536, h 3,072 → 6,144"
    wide = next(row for row in found.listing().rows if row[0] == "layers")
    assert wide[1] == "…"  # too long for a table
    assert "layers = L(4·1,536² + 2·1,536·6,144 + 9·1,536 + 6,144) − L(4·768²" in str(found.derivation())


def test_parts_that_only_one_has():
    found = compare("gpt2", "llama-7b")
    assert found.total.number == 6_738_415_616 - 124_439_808
    head = next(row for row in found.listing().rows if row[0] == "head")
    assert head[2:4] == (None, 131_072_000)
    assert "head: only in llama-7b, 131,072,000 more, 105.33 %" in say(found, "parts")
    assert say(found, "changed") == "V 50,257 → 32,000, d 768 → 4,096, L 12 → 32, h 3,072 → 11,008"


def test_a_part_alone():
    whole = compare("llama-7b", "llama-7b:L=31")
    part = compare("llama-7b@layers.mlp", model("llama-7b:L=31").part("layers.mlp"))
    assert part.total.number == {gap.part: gap.number for gap in whole.rows}["layers.mlp"]
    assert compare("llama-7b", "llama-7b:L=31", "params@layers.mlp").total.number == part.total.number
    assert part.names == ("llama-7b@layers.mlp", "llama-7b:L=31@layers.mlp")


def test_conventions_and_phases():
    found = compare("gpt2", "gpt2-medium", "flops", convention="causal", phase="train", s=128)
    one, other = (read(model(name, s=128), "flops", convention="causal", phase="train").total
                  for name in ("gpt2", "gpt2-medium"))
    assert (found.total.one.total, found.total.other.total) == (one, other)
    bits = compare("gpt2", "gpt2-medium", "memory", convention="nf4", t=8)  # half bytes
    assert bits.total.number == bits.total.other.total - bits.total.one.total


def test_what_else_changed():
    assert say(compare("gpt2", "gpt2:untied"), "changed") == "tied true → false"
    assert say(compare("llama-7b", "llama-7b:lora=8@query+value"), "changed") == "lora none → query+value"
    other = model(BERT, head="BertForMaskedLM")
    found = compare(BERT, other)
    assert "class BertModel → BertForMaskedLM" in say(found, "changed")
    assert found.names == ("bert-base-uncased (BertModel)", "bert-base-uncased (BertForMaskedLM)")


def test_sizes_of_the_run_tell_two_apart():
    found = compare(model("gpt2", s=512), model("gpt2", s=1024), "flops")
    assert found.names == ("gpt2 (GPT2LMHeadModel), s = 512", "gpt2 (GPT2LMHeadModel), s = 1,024")
    assert found.total.number == read(model("gpt2", s=1024), "flops").total - read(model("gpt2", s=512), "flops").total


def test_nothing_differs():
    found = compare("gpt2", "gpt2")
    assert found.rows == ()
    assert found.total.number == 0
    assert say(found, "difference") == "gpt2 (GPT2LMHeadModel) has as many parameters as gpt2 (GPT2LMHeadModel)"
    assert str(found.derivation())


def test_parts_that_are_equal_for_these_sizes_alone():
    """Layers of GPT-2 are 12d² and of BERT 4d² + 2dh: not one formula, and one number, for h is 4d."""
    found = compare("gpt2", BERT, "flops", s=64)
    assert "layers" in say(found, "the same")
    assert found.total.number == sum(gaps(found).values())
    judged(found)


def test_letters():
    found = compare("bert:", "bert:h=4d")
    assert formulas(found) == {"layers": "L(8d² + 4d − 2dh − h)", "layers.mlp": "L(8d² + 4d − 2dh − h)"}
    assert found.listing().head == ("part", "difference")
    assert say(found, "difference") == "bert:h=4d (BertModel) less bert (BertModel) is L(8d² + 4d − 2dh − h)"
    work = compare(LLAMA, f"{LLAMA}:kv=32", "flops")  # s is open in both
    assert formulas(work)["layers"] == "4Lbsd²(32 − 8)/heads"
    assert "h = 4d" in " ".join(found.notes)


REFUSED = [
    (lambda: compare(BERT, "distilbert"), UnitError, "distilbert .* leaves V, d, P, L, h open, .*V = 30,522.*"
                                                     "as distilbert-base-uncased"),
    (lambda: compare("bert:", BERT), UnitError, r"leaves V, d, P, types, L, h open"),
    (lambda: compare("gpt2", model("gpt2", s=8), "flops"), UnitError, "leaves s open, .*has s = 8; say s=…"),
    (lambda: compare("gpt2", "gpt3x"), ModelError, "no model 'gpt3x'"),
    (lambda: compare("gpt2", "gpt2", "weights"), ModelError, "unknown quantity 'weights'"),
    (lambda: compare("gpt2", "gpt2", convention="matmul"), ModelError, "params takes no convention"),
    (lambda: compare("gpt2", "gpt2", "kv", phase="decode", t=8), ModelError, "kv takes no phase"),
    (lambda: compare("gpt2", "gpt2:L=0.5"), SizeError, "L = 1/2: layers is a whole number"),
    (lambda: compare("gpt2", "gpt2", s=0), SizeError, "s = 0"),
]


@pytest.mark.parametrize(("asked", "error", "says"), REFUSED, ids=range(len(REFUSED)))
def test_refused(asked, error, says):
    with pytest.raises(error, match=says):
        asked()


def test_a_spoiled_difference_is_refused(monkeypatch):
    from symcount import subtracting

    true = comparing.difference

    def spoiled(one, other, changed):
        form, gap = true(one, other, changed)
        return form, gap + 1

    monkeypatch.setattr(comparing, "difference", spoiled)
    with pytest.raises(UnitError, match="not -"):
        compare(BERT, DISTIL)
    monkeypatch.undo()
    monkeypatch.setattr(subtracting, "_written", lambda *_, **__: Number(7))
    with pytest.raises(UnitError, match="7 is not the difference"):
        compare(BERT, DISTIL)


def test_two_units_are_refused(monkeypatch):
    units = iter(("params", "flops"))
    monkeypatch.setattr(comparing, "read", lambda one, *_, **__: read(one, next(units)))
    with pytest.raises(UnitError, match="cannot compare parameters and FLOPs"):
        compare("gpt2", "gpt2")


# Every pair: each part summed up term by term, and the printed formula read back and evaluated

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)


def by_hand(ledger, values, depth):
    """{path down to a depth: the sum of the terms under it}."""
    found = {}
    for term in ledger.terms:
        place = ".".join(term.path.split(".")[:depth])
        found[place] = found.get(place, 0) + Fraction(fraction(term.size, values))
    return found


def judged(found):
    ledgers = found.total.one, found.total.other
    free = dict.fromkeys((*ledgers[0].open, *ledgers[1].open))
    point = {name: 2 * 3 * 4 * 5 * 7 * prime for name, prime in zip(free, PRIMES, strict=False)}
    for depth in (1, 2):
        before, after = (by_hand(ledger, {**ledger.values, **point}, depth) for ledger in ledgers)
        shown = {gap.part: gap for gap in found.rows if gap.depth == depth}
        for gap in shown.values():
            step = after.get(gap.part, 0) - before.get(gap.part, 0)
            printed = read_formula(text.plain(gap.form))
            assert fraction(printed, {**found.values, **point}) == step, gap.part
            assert gap.number in (None, step)
        if depth == 1:
            missing = {part for part in {**before, **after} if before.get(part, 0) != after.get(part, 0)} - shown.keys()
            assert not missing
            whole = sum(after.values()) - sum(before.values())
            assert sum(after.get(part, 0) - before.get(part, 0) for part in shown) == whole
            assert fraction(read_formula(text.plain(found.total.form)), {**found.values, **point}) == whole
            if not free:
                assert found.total.number == whole == sum(gap.number for gap in shown.values())
    assert str(found)
    assert str(found.derivation())  # every line of which is checked
    at = {**found.values, **point}
    for gap in (*found.rows, found.total):
        typeset = unset(latex.formula("", gap.form, []))
        if "\\" not in typeset:  # no fraction, no rounding
            assert fraction(read_formula(typeset), at) == fraction(gap.size, at), typeset
    assert markdown.listing(found.listing())


def unset(shown):
    """Simple LaTeX as a formula that is typed."""
    shown = shown.split("$$")[1].replace("{,}", "").replace("{}", "")
    for mark in (r"\begin{array}{l}", r"\end{array}", r"\\", r"\quad"):
        shown = shown.replace(mark, " ")
    for name, row in sorted(TABLE.items(), key=lambda item: -len(item[1].latex)):
        if "{" in row.latex:
            shown = shown.replace(row.latex, name)
    shown = re.sub(r"_\{(\d+)\}", r"_\1", re.sub(r"\^\{(\d+)\}", r"^\1", shown))
    shown = re.sub(r"\{(\w+)\}(?=_)", r"\1", shown)
    shown = re.sub(r"_\{(\d+)\}", r"_\1", shown)
    shown = re.sub(r"\{(\w+)\}(?=\^)", r"\1", shown)
    for sign in (r"\cdot", r"\times", r"\,"):
        shown = shown.replace(sign, "*")
    return re.sub(r"(?<=[\w)])\s+(?=[\w(])", "*", " ".join(shown.split()))


ALL = sorted(names())
DRAWN = Random(20261)
PAIRS = [(*DRAWN.sample(ALL, 2), of) for of in ("params", "params", "active", "flops") for _ in range(25)]


@pytest.mark.parametrize(("one", "other", "of"), PAIRS, ids=[" ".join(pair) for pair in PAIRS])
def test_every_pair(one, other, of):
    pair(one, other, of, {"s": 64} if of == "flops" else {})


def pair(one, other, of, sizes):
    models = [model(name, **sizes) for name in (one, other)]
    ledgers = [read(each, of) for each in models]
    if any(name in second.values for first, second in (ledgers, ledgers[::-1]) for name in first.open):
        with pytest.raises(UnitError, match="open, and"):
            compare(one, other, of, **sizes)
        return
    found = compare(one, other, of, **sizes)
    assert found.total.number is None or found.total.number == ledgers[1].total - ledgers[0].total
    judged(found)


def test_caches_of_every_pair():
    drawn, seen = Random(31), 0
    caching = []
    for name in drawn.sample(ALL, 70):
        try:
            read(model(name, t=64), "kv")
        except ModelError:  # images have no cache
            continue
        caching.append(name)
    for one, other in zip(caching[::2], caching[1::2], strict=False):
        pair(one, other, "kv", {"t": 64})
        pair(one, other, "memory", {"t": 64})
        seen += 1
    assert seen > 12


def test_every_architecture_beside_itself():
    """Its first published model with a layer more, where it has layers."""
    seen = set()
    for name, (file, *_) in names().items():
        if file in seen:
            continue
        seen.add(file)
        one = model(name)
        try:
            other = one.replace(L="x+1")
            read(other, "params")
        except (ModelError, SizeError):
            continue
        judged(compare(one, other))
    assert len(seen) > 80


def bert(d, h, L, V, P=512, types=2):
    """The parameters of BERT as its paper has them: tables, norm, layers, pooler (Devlin et al. 2018, section 3)."""
    layer = 4 * (d * d + d) + (d * h + h) + (h * d + d) + 2 * 2 * d
    return {"embeddings": (V + P + types + 2) * d, "layers": L * layer, "pooler": d * d + d}


SIZES = st.fixed_dictionaries({"d": st.integers(1, 90).map(lambda n: 12 * n), "h": st.integers(1, 4000),
                               "L": st.integers(1, 99), "V": st.integers(1, 10**6)})


@settings(max_examples=60, deadline=None)
@given(SIZES, SIZES, st.sets(st.sampled_from("dhLV")))
def test_two_settings(one, other, kept):
    other = {**other, **{name: one[name] for name in kept}}
    found = compare(model(BERT, **one), model(BERT, **other))
    before, after = bert(**one), bert(**other)
    assert gaps(found) == {part: after[part] - before[part] for part in before
                           if after[part] != before[part] or part in gaps(found)}
    assert found.total.number == sum(after.values()) - sum(before.values())
    assert found.changed == {name: (one[name], other[name]) for name in "VdLh" if one[name] != other[name]}
    judged(found)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 64), st.integers(1, 64), st.integers(1, 5000))
def test_caches(a, b, before, after, t):
    """2 numbers of 2 bytes for each layer, head, head width and token."""
    one, other = model(LLAMA, kv=2**(a - 1), L=before), model(LLAMA, kv=2**(b - 1), L=after)
    found = compare(one, other, "kv", t=t)
    assert found.total.number == 2 * 2 * t * 128 * (after * 2**(b - 1) - before * 2**(a - 1))


def test_shares_are_rounded_half_up():
    listing = compare(BERT, DISTIL).listing()
    for *_, difference, share in listing.rows:
        exactly = Fraction(difference.exact, 109_482_240)
        assert share.exact == exactly
        hundredths = int(abs(exactly) * 20_000 + 1) // 2
        assert share.text == f"−{hundredths // 100}.{hundredths % 100:02d} %"


def test_formats():
    found = compare(BERT, DISTIL)
    assert str(found) == str(found.listing())
    assert found._repr_mimebundle_()["text/markdown"] == markdown.listing(found.listing())
    row = "| layers | $-(12 - 6) (4 d^{2} + 2 d h + 9 d + h)$ | 85,054,464 | 42,527,232 | −42,527,232 | −38.84 % |"
    assert row in markdown.listing(found.listing())
    assert "-(12 - 6) (4 d^{2} + 2 d h + 9 d + h)" in latex.listing(found.listing())
    told = data.as_listing(found.listing())["rows"]
    assert told[-1] == {"part": "total", "formula": None, "one": 109_482_240, "other": 66_362_880,
                        "difference": -43_119_360, "share": "-11229/28511"}
    assert all(isinstance(row[4], Rounded) for row in found.listing().rows)


def test_a_sum_before_a_long_bracket_keeps_its_brackets_in_latex():
    long = Sum(tuple((1, Product((Number(n), Symbol("d"), Symbol("h")))) for n in range(1000, 1012)))
    shown = latex.form(Product((Sum(((1, Number(12)), (-1, Number(6)))), long)))
    assert shown.startswith("(12 - 6) (1{,}000")
    listed = latex.formula("", Product((Sum(((1, Number(12)), (-1, Number(6)))), long)), [])
    assert "(12 - 6) (1{,}000" in listed


def test_a_sum_within_a_sum_is_printed_with_the_signs_of_its_terms():
    """Found by the pair clip and gemma: −(d + h) without its brackets read −d + h."""
    from symcount.forms import written
    from symcount.polynomials import Bracket, letter, opaque

    inside = letter("d") + letter("h")
    shown = written(letter("V") - opaque(Bracket(inside)))
    assert text.form(shown) == "V − d − h"
    assert latex.form(shown) == "V - d - h"
