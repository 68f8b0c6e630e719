"""Relations as people type them: what is read, in which unit, and what is refused, where."""

from __future__ import annotations

import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symcount.errors import FormulaError, ModelError, SymcountError, UnitError
from symcount.naming import model
from symcount.readers.quantities import QUANTITIES, read
from symcount.relations import BYTES, quantities, relation
from symcount.sizes import fraction

GPT2 = model("gpt2", s=8)
FLOPS = 16 * (144 * 768**2 + 50_257 * 768) + 4 * 12 * 64 * 768
FREE = model("gpt2", s=8, L="L")


def told(text):
    return relation(text, lambda name: read(FREE, name), lambda name: read(GPT2, name))


@pytest.mark.parametrize(("text", "sign", "left", "right"), [
    ("params <= 350e6",              "<=", 124_439_808, 350_000_000),
    ("params<=350e6",                "<=", 124_439_808, 350_000_000),
    ("  params  =  1.5e3 ",          "=",  124_439_808, 1_500),
    ("350e6 >= params",              ">=", 350_000_000, 124_439_808),
    ("params ≥ 1",                   ">=", 124_439_808, 1),
    ("params => 1",                  ">=", 124_439_808, 1),
    ("params =< 1",                  "<=", 124_439_808, 1),
    ("params == 1",                  "=",  124_439_808, 1),
    ("params = active",              "=",  124_439_808, 124_439_808),
    ("params@layers = 12*7087872",   "=",  85_054_464, 85_054_464),
    ("params - params@layers <= 4e7", "<=", 39_385_344, 40_000_000),
    ("params/2 <= 4e7",              "<=", 62_219_904, 40_000_000),
    ("flops/params <= 3000",         "<=", Fraction(FLOPS, 124_439_808), 3_000),
    ("2 params <= 3",                "<=", 248_879_616, 3),
    ("memory <= 24GB",               "<=", 248_879_616, 24 * 10**9),
    ("memory <= 24 GiB",             "<=", 248_879_616, 24 * 2**30),
    ("memory <= 0.5kB + 12 bytes",   "<=", 248_879_616, 512),
    ("memory/GB <= 1",               "<=", Fraction(248_879_616, 10**9), 1),
    ("memory <= 248879616",          "<=", 248_879_616, 248_879_616),
    ("12*L*d^2 = 7e9",               "=",  12 * 12 * 768**2, 7 * 10**9),
    ("12Ld² = 7e9",                  "=",  12 * 12 * 768**2, 7 * 10**9),
    ("up(8d/3,256) = 2048",          "=",  2048, 2048),
    ("min(d, 1000) = 5",             "=",  768, 5),
    ("params <= 60%",                "<=", 124_439_808, Fraction(124_439_808 * 6, 10)),
    ("params <= 12.5 %",             "<=", 124_439_808, Fraction(124_439_808, 8)),
    ("memory - kv <= 150%",          "<=", 248_879_616 - 4*12*8*768, Fraction(3 * (248_879_616 - 4*12*8*768), 2)),
], ids=str)
def test_what_is_read(text, sign, left, right):
    found = told(text)
    values = {**GPT2.values, "L": 12}
    assert (found.sign, found.side("left", values), found.side("right", values)) == (sign, left, right)
    gap = left - right  # the gap, multiplied by what stands below a line, has its sign
    ours = fraction(found.gap(), values)
    assert (ours > 0) - (ours < 0) == (gap > 0) - (gap < 0)


@pytest.mark.parametrize(("text", "tolerance", "shown"), [
    ("params = 5 +- 1%", Fraction(1, 100), "params = 5 +- 1%"),
    ("params = 5 ± 2.5 %", Fraction(1, 40), "params = 5 +- 2.5%"),
    ("params=5+/-10%", Fraction(1, 10), "params = 5 +- 10%"),
    ("params = 5", 0, "params = 5"), ("params  = 5 +- 0%", 0, "params = 5"),
])
def test_tolerance(text, tolerance, shown):
    assert (told(text).tolerance, told(text).text) == (tolerance, shown)


@pytest.mark.parametrize(("text", "error", "message"), [
    ("params",                   FormulaError, "'params' is no relation: two sides and one of =, <= or >="),
    ("",                         FormulaError, "is no relation"),
    ("params <= 3 <= 4",         FormulaError, "is no relation"),
    ("params < 3",               FormulaError, "< is not known here; say <="),
    ("params > 3",               FormulaError, "> is not known here; say >="),
    ("params ~ 3",               FormulaError, "say = and a tolerance, as in \\+- 1%"),
    ("params ≈ 3",               FormulaError, "say = and a tolerance"),
    ("params <= 3 +- 1%",        FormulaError, "\\+- goes with ="),
    ("params = 3 +- 1",          FormulaError, "followed by a percentage"),
    ("params +- 1% = 3",         FormulaError, "followed by a percentage"),
    ("params = 3 +- -1%",        FormulaError, "followed by a percentage"),
    ("60% >= params",            FormulaError, "say the share on the right"),
    ("params <= 60% + 1",        FormulaError, "N% stands alone"),
    ("12*L <= 60%",              FormulaError, "% is a share of a quantity"),
    ("params <= 1,300,000",      FormulaError, "no commas within"),
    ("params <= 7B",             FormulaError, "write e9 for B, as in 7e9"),
    ("params <= 350M",           FormulaError, "write e6 for M"),
    ("memory <= 80gb",           FormulaError, "gb is no unit; write GB"),
    ("memory <= 80Gb",           FormulaError, "Gb is no unit; write GB"),
    ("memory <= 80kb",           FormulaError, "kb is no unit; write kB for bytes, or k\\*b for the product"),
    ("memory <= 80KB",           FormulaError, "KB is no unit; write kB"),
    ("memory <= 80 gib",         FormulaError, "gib is no unit; write GiB"),
    ("memory <= 3 byte",         FormulaError, "byte is no unit; write bytes"),
    ("param <= 3",               FormulaError, "unknown symbol 'param'; quantities are params,"),
    ("parameters <= 3",          FormulaError, "unknown symbol 'parameters'"),
    ("params(L) <= 3",           FormulaError, "params is followed by a bracket; write params\\*"),
    ("params@layers (2) <= 3",   FormulaError, "params@layers is followed by a bracket"),
    ("d@layers <= 3",            FormulaError, "before @ stands a quantity"),
    ("params@ <= 3",             FormulaError, "column 7: cannot read '@'"),
    ("params@nothing <= 3",      ModelError,   "has no part 'nothing'"),
    (" params <= 3 *",           FormulaError, "'3 \\*', column 4"),
    ("params <= (3",             FormulaError, "'\\(3', column 3: expected '\\)'"),
    ("params <= 3)",             FormulaError, "'3\\)', column 2"),
    ("<= 3",                     FormulaError, "column 1: the formula ends"),
    ("params <=",                FormulaError, "column 1: the formula ends"),
    ("params <= 3; rm",          FormulaError, "column 2: cannot read ';'"),
    ("params <= __import__('os')", FormulaError, "column 1: cannot read '_'"),
    ("params <= 1e99",           FormulaError, "column 1: a number of more than 40 digits"),
    ("params <= 9^64^64",        FormulaError, "column"),
    ("params <= 5/(params + 1)", FormulaError, "exact division by a sum"),
    ("params <= 5/0",            FormulaError, "'5/0', column 2: 0 does not divide 5"),
    ("params <= d^99",           FormulaError, "a power is an integer from 0 to 64"),
    ("params <= \x1b[31m5",      FormulaError, "cannot read"),
    ("参数 <= 5",                FormulaError, "column 1: cannot read '参'"),
], ids=str)
def test_refused(text, error, message):
    with pytest.raises(error, match=message) as refusal:
        told(text)
    assert "\x1b" not in str(refusal.value)


UNITS = {"params": "parameter", "active": "parameter", "macs": "multiply-add", "flops": "FLOP", "memory": "byte",
         "kv": "byte", "activations": "byte", "traffic": "byte"}


@pytest.mark.parametrize("one", UNITS)
@pytest.mark.parametrize("other", UNITS)
def test_units(one, other):
    if UNITS[one] == UNITS[other]:
        assert told(f"{one} <= 2*{other}").unit == UNITS[one]
        return
    for text in (f"{one} <= {other}", f"{one} + {other} <= 5", f"3*{one} = {other}/2 + 4"):
        with pytest.raises(UnitError, match="two units"):
            told(text)
    assert told(f"{one}/{other} <= 5").unit == ""  # a quotient is in no unit of ours


@pytest.mark.parametrize("unit", BYTES)
def test_bytes(unit):
    assert told(f"memory <= 3{unit}").side("right", {}) == 3 * BYTES[unit]
    with pytest.raises(UnitError):
        told(f"flops <= 3{unit}")


def test_a_share_needs_a_model_as_it_stands():
    with pytest.raises(FormulaError, match="there is no model"):
        relation("params <= 60%", lambda name: read(FREE, name))


def test_quantities_by_name():
    assert quantities("flops@layers.mlp/params + 3*kv = d*kv") == ["flops@layers.mlp", "params", "kv"]
    assert set(UNITS) | {"buffers"} == set(QUANTITIES)


@pytest.mark.parametrize("text", [
    "params <= " + "(" * 5_000 + "1" + ")" * 5_000, "params <= " + "1+" * 40_000 + "1", "params = " + "=" * 1_000,
    "params <= " + "-" * 3_000 + "1", "a" * 100_000 + " <= 5", "params <= (d+h+L+V+s+b+P)^64",
    "params <= ((((d^64)^64)^64)^64)", "params <= " + "up(" * 39 + "d" + ", 3)" * 39,
    "params <= " + "min(" * 39 + "d" + ", h)" * 39, "params <= " + "9" * 40 + "^64", "params" + " " * 9_000 + "<= 5",
    "params = 5 +-" + " " * 9_000 + "x", "params = " + "+-" * 4_000, "params <= " + "params*" * 300 + "1",
    "params <= 5" + "%" * 3_000, "params@" + "a." * 4_000 + " <= 5",
], ids=lambda text: text[:24])
def test_strangers(text):
    begun = time.process_time()
    with suppress(SymcountError):
        told(text).gap()
    assert time.process_time() - begun < 3


@given(st.text(alphabet="params flopkvmey<=>+-*/^()0123456789.%@dLhV±²e,_GiB", max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        found = told(text)
        found.gap()
    except SymcountError:
        return
    assert found.sign in ("=", "<=", ">=")
