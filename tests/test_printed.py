"""What is read of a text: figures in every style, expressions, relations; and what is not read for certain."""

from fractions import Fraction

import pytest

from symcount.claims.chains import relations
from symcount.claims.expressions import UnreadableError, ends, figures, value
from symcount.claims.figures import restyled
from symcount.claims.lexing import tokens
from symcount.claims.slips import slip, written
from symcount.documents.passages import Passage

F = Fraction


def passage(text):
    """A passage, in which what stands between two $ is mathematics."""
    parts, spans, at = text.split("$"), [], 0
    for i, part in enumerate(parts):
        if i % 2:
            spans.append((at, at + len(part)))
        at += len(part) + 1
    return Passage("text", 0, text.replace("$", " ") if spans else text, tuple(spans))


def figure(text):
    found = [token.figure for token in tokens(passage(text)) if token.figure]
    return found[0] if len(found) == 1 else None


FIGURES = [  # a text, the value of its one figure, what its last significant digit is worth, the kind of its unit
    ("30,720,000", 30720000, 1, None), ("$100{,}352$", 100352, 1, None), ("$40\\,000$", 40000, 1, None),
    ("67 108 864 weights", 67108864, 1, "parameter"), ("2_695_948", 2695948, 1, None), ("1'234'567", 1234567, 1, None),
    ("40\u202f000", 40000, 1, None), ("110M", 110 * 10**6, 10**7, None), ("8.03B", 803 * 10**7, 10**7, None),
    ("6.61 billion", 661 * 10**7, 10**7, None), ("12K", 12000, 1000, None), ("6432M", 6432 * 10**6, 10**6, None),
    ("56.3e9", 563 * 10**8, 10**8, None), ("1.97E+14", 197 * 10**12, 10**12, None), ("6e21", 6 * 10**21, 10**21, None),
    ("13.5 GB", 135 * 10**8, 10**8, "byte"), ("13.5GB", 135 * 10**8, 10**8, "byte"),
    ("$13.5 \\text{ GB}$", 135 * 10**8, 10**8, "byte"), ("$16.1$ GB", 161 * 10**8, 10**8, "byte"),
    ("128 KiB", 131072, 1024, "byte"), ("1.25 GiB", F(5, 4) * 2**30, F(2**30, 100), "byte"), ("8192B", 8192, 1, "byte"),
    ("2 B", 2, 1, "byte"), ("70B", 70 * 10**9, 10**10, None), ("175 B parameters", 175 * 10**9, 10**9, "parameter"),
    ("40 %", F(2, 5), F(1, 10), "percent"), ("39.4%", F(394, 1000), F(1, 1000), "percent"),
    ("0.31 GFLOPs", 31 * 10**7, 10**7, "flop"), ("989 TFLOP/s", 989 * 10**12, 10**12, "flop/second"),
    ("22ms", F(22, 1000), F(1, 1000), "second"), ("41.6 MFLOPs", 416 * 10**5, 10**5, "flop"),
    ("4.1 GMACs", 41 * 10**8, 10**8, "multiply-add"), ("3 multiply-adds", 3, 1, "multiply-add"),
    ("2亿", 2 * 10**8, 10**8, None), ("3.5万", 35000, 1000, None), ("£5", 5, 1, "£"),
    ("€4.60", F(23, 5), F(1, 100), "€"),
    ("$\\num{23440896}$", 23440896, 1, None), ("\\num{1.5e8} weights", 15 * 10**7, 10**7, None),
    ("$\\qty{13.5}{\\giga\\byte}$", 135 * 10**8, 10**8, "byte"), ("\\SI{22}{ms}", F(22, 1000), F(1, 1000), "second"),
    ("$\\SI{40}{\\percent}$", F(2, 5), F(1, 10), "percent"),
    ("\\qty{80}{\\gibi\\byte}", 80 * 2**30, 10 * 2**30, "byte"),
    ("$110M$", 110 * 10**6, 10**7, None), ("$1.5 GB$", 15 * 10**8, 10**8, "byte"), ("1e12", 10**12, 10**12, None),
]
NO_FIGURES = ["1.234.567", "1.234,56", "3,14", "0,100", "007", "3rd", "2D", "0x10", "v1.2.3", "GPT2", "x_1", "#12",
    "16:9",
    "2023-2024-01x", "9" * 70, "1e99999", "\\num{1,234}", "\\num{3 x 4}", "\\SI{3}{\\parsec}", "\\qty{9e99}{B}"]


@pytest.mark.parametrize(("text", "worth", "place", "unit"), FIGURES, ids=[row[0] for row in FIGURES])
def test_figures(text, worth, place, unit):
    found = figure(text)
    assert (found.value, found.place) == (worth, place)
    assert (found.unit and found.unit.kind) == unit


@pytest.mark.parametrize("text", NO_FIGURES)
def test_what_is_no_figure_for_certain(text):
    assert not any(token.figure and token.text == text for token in tokens(passage(text)))


@pytest.mark.parametrize(("text", "letters"), [
    ("$2Td$", ["T", "d"]), ("$24bsh^2l$", ["b", "s", "h", "l"]), ("$12 L d^2$", ["L", "d"]),
    ("$4d_{\\text{model}}$", ["d_model"]), ("$2 T d$", ["T", "d"]), ("$24B$", []), ("$6 N D$", ["N", "D"])])
def test_letters_after_a_number_in_mathematics(text, letters):
    assert [token.text for token in tokens(passage(text)) if token.kind == "name"] == letters


HOLDS = [("110M", 109482240, True), ("110M", 116534784, False), ("340M", 335141888, True), ("8.1B", 8030261248, False),
         ("8.03B", 8030261248, True), ("40 %", F(394, 1000), True), ("40 %", F(508, 1000), False),
         ("13.50 GB", 13476831232,
                                                                                                 False),
         ("13.5 GB", 13476831232, True), ("2,359,296", 2359297, False), ("6e21", 63 * 10**20, True), ("4K", 4096, True),
         ("4K", 4700, False)]


@pytest.mark.parametrize(("text", "number", "holds"), HOLDS)
def test_a_figure_is_true_if_the_value_rounds_to_it(text, number, holds):
    assert figure(text).holds(F(number)) is holds


def read(text):
    """[(left, sign, right)] with the values of both sides, None where one is not read."""
    def worth(side):
        if side.node is None:
            return None
        try:
            return value(side.node, lambda one: one.value, lambda _: None)
        except UnreadableError:
            return "?"
    return [(worth(one.left), one.sign, worth(one.right)) for one in relations(tokens(passage(text)))]


READ = [
    ("in all 2 x 80 x 64 = 10,240 of them", [(10240, "=", 10240)]),
    ("$F &= 6{,}291 + 2 \\cdot 4 \\\\ &= 6{,}299$", [("?", "=", 6299), (6299, "=", 6299)]),
    ("$12 + 3 = 15$ and $2 \\times 15$ bytes $\\approx 30$ B", [(15, "=", 15), (30, "≈", 30)]),
    ("$\\text{Total} = 12 (\\text{Attention}) + 30 (\\text{FFN}) = 42$", [(None, "=", 42), (42, "=", 42)]),
    ("$(0)(2) + (3)(1) - 1 = 2$", [(2, "=", 2)]), ("$-4 + 3 - 1 = -2$", [(-2, "=", -2)]),
    ("2.66 x 10^9 = 2,660,000,000", [(2660000000, "=", 2660000000)]),
    ("10⁹ × 2 = 2 billion", [(2 * 10**9, "=", 2 * 10**9)]),
    ("42e21 / 156e12 / 86400 = 3,116", [(F(42 * 10**21, 156 * 10**12 * 86400), "=", 3116)]),
    ("$\\frac{8}{4} = 2$", [(2, "=", 2)]), ("$2^{10} = 1{,}024$", [(1024, "=", 1024)]),
    ("197² = 38,809", [(38809, "=", 38809)]),
    ("768/8 = 96-dimensional", [(96, "=", 96)]), ("2**3 = 8", [(8, "=", 8)]),
    ("224 / 16 = 14 per side", [(14, "=", 14)]),
    ("it is 3 * 4 = about 12", [(12, "≈", 12)]), ("5 × 3\n= 15", [(15, "=", 15)]), ("a: 2 x 3 = 6\n4 x 5 = 20",
                                                                                [(6, "=", 6), (20, "=", 20)]),
    ("$\\underbrace{4 \\cdot 3}_{\\text{weights}} + 3 = 15$", [(15, "=", 15)]),
]
NOT_READ = ["f(2) = 4", "log2(8) = 3", "twice 3 = 6", "7 + 8 = 3 mod 12", "2^10 = 24 (mod 1000)", "1010_2 = 10",
    "16:9 = 1.78",
            "1 ft = 12 in", "2 kg × 9.8 m/s² = 19.6 N", "5! = 120", "$\\sqrt{4} = 2$", "0.1 + 0.2 == 0.3", "GPT-2 = 2",
            "a b + 2 = 5", "2 + 2 = 5 - x", "1,2,3 = 6", "2 H2 + O2 = 2 H2O", "x = 3 or 4 = 5", "$a/bc = 2$",
            "3 to 5 = 15",
            "$\\sum_i 3 = 6$", "5 % 3 = 2", "8 // 3 = 2", "1 << 2 = 4", "$3 \\mod 2 = 1$", "Table 3 = 5", "0x10 = 16",
            "0-255 = 0-15300", "cpus=106 nodes=0-1",
            "emulate 8 sectors of 512 bytes = 4KiB"]


@pytest.mark.parametrize(("text", "sides"), READ, ids=[row[0] for row in READ])
def test_relations(text, sides):
    assert read(text) == sides


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_not_read_for_certain(text):
    assert not [row for row in read(text) if None not in row and "?" not in row]


@pytest.mark.parametrize("text", ["9^9^9^9 = 1", "2^99999 = 1", "1/0 = 1", "0^0 = 1", "2^0.5 = 1",
    "$" + "(" * 500 + "1" + ")" * 500
                                  + "= 1$", "9" * 50 + "^" + "9" * 50 + " = 1", " x ".join(["9" * 50] * 40) + " = 1"])
def test_what_is_not_evaluated(text):
    assert all(None in row or "?" in row for row in read(text))


@pytest.mark.parametrize(("text", "low", "high"), [
    ("4.7M * 12 = 1", 4650000 * 12, 4750000 * 12), ("2 * (8.03 - 0.53) = 1", F("14.98"), F("15.02")),
    ("100 / 2.0 = 1", 100 / F("2.05"), 100 / F("1.95")), ("3 * 7 = 1", 21, 21),
    ("1.5^2 = 1", F("1.45")**2, F("1.55")**2)])
def test_ends(text, low, high):
    assert ends(relations(tokens(passage(text)))[0].left.node, lambda _: None) == (low, high)


SLIPS = [
    ("3 × 768 × 96 × 8 + 768 × 768 = 1,769,472",
    "is that of 3 × 768 × 96 × 8 alone; + 589,824 (= 768 × 768) was not added"),
    ("768 × 3072 = 2,362,368", "is 3,072 too large: 768 × 3,072 + 3,072"),
    ("2 × 80 × 8 × 128 × 4096 × 2 = 671,088,640", "leaves out the factor 2"),
    ("16 + 2 + 2 + 16 = 18", "leaves out + 16 and + 2"), ("(32 · 25 + 1) · 64 = 51,200",
    "leaves out + 1 in the bracket"),
    ("128 × 20,810,240 = 266,371,072", "is 10 times too small"), ("4096 × 11008 = 45,088,786",
    "has two digits exchanged"),
    ("4096 × 11008 = 45,088,763", "differs in one digit"), ("12 × 30 = 42", "adds where the expression multiplies"),
    ("12 × 30^2 = 360", "takes 30 for 30^2"), ("100 × 16 / 8 = 12,800", "multiplies by 8 where the expression divides"),
    ("7 × 13 = 58", ""),
]


@pytest.mark.parametrize(("text", "says"), SLIPS, ids=[row[0] for row in SLIPS])
def test_slips(text, says):
    one, = relations(tokens(passage(text)))
    assert slip(one.left.node, one.right.figure, lambda figure: figure.value, lambda _: None) == says


@pytest.mark.parametrize("text", ["3 × 768 + (4 − 2) × 5 / 7", "−2 × (3 + 4)^2", "8 / (2 × 2)", "8 / 2 × 2",
    "5 − (3 − 1)"])
def test_an_expression_is_written_as_it_is_read(text):
    node = relations(tokens(passage(f"{text} = 1")))[0].left.node
    assert written(node) == text
    again = relations(tokens(passage(f"{written(node)} = 1")))[0].left.node
    assert [one.value for one in figures(again)] == [one.value for one in figures(node)]


@pytest.mark.parametrize(("text", "number", "anew"), [
    ("1,769,472", 2359296, "2,359,296"), ("1{,}769", 2359296, "2{,}359{,}296"), ("40\\,000", 50000, "50\\,000"),
    ("2_695_948", 12, "12"), ("999", 1234, "1234"), ("51.3M", F("51.237888"), "51.2M"),
    ("10.7 GiB", F(5, 4), "1.2 GiB"),
    ("8.4e22", 42 * 10**21, "4.2e22"), ("6E+8", 12 * 10**8, None), ("9.96e9", 10**10, "1.00e10"),
    ("9.9e9", 9_960_000_000, None), ("3.0e5", 0, None),
    ("18M", F("36.5"), None), ("2.66 \\times 10^{8}", 2663710720, None), ("83 million", F("87.737856"), None)])
def test_restyled(text, number, anew):
    assert restyled(text, F(number)) == anew
