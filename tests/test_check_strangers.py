"""What `symcount check` must survive: no crash, no hang, no memory without end, whatever stands in the text.

Each family of texts is read by one other process with a bound on its memory and, for each text, on its time.

    python tests/test_check_strangers.py FAMILY     reads them here
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import corpus

SECONDS = 60  # for one text: generous, as the machine may be busy
MEMORY = 3 << 30
LONGEST = 2_000  # of a message
BITS = 100_000  # of a number that is said to be right

MILLION = 100_000  # ten times less than what was tried by hand: the tests must end
DEEP = 5_000


def numbers() -> dict[str, str]:
    """What must never be evaluated, or has no value."""
    texts = {text: text for text in (
        "9^9^9^9 = 1", "9**9**9**9 = 1", "$9^{9^{9^9}} = 2$", "10**10**10 = 5", "99999999! = 3", "$(99999!)! = 1$",
        "2^(2^(2^64)) = 4", "1e999999999 = 4", "1e-999999999 = 0", "10^(10^10) x 0 = 0", "7^-99999999999 = 0",
        "(2^99999)^99999 = 1", "99999^99999 x 99999^99999 = 7", "1/0 = 3", "0/0 = 0", "0^0 = 1", "0^-1 = 0",
        "1/(1 - 1) = 5", "$\\frac{1}{0} = 1$", "(-8)^(1/3) = -2", "2^0.5 = 1.41", "5 % 0 = 1", "-0 = 0", "1.2.3 = 4",
        "1,2,3,4 = 5", "1e5e5 = 3", "3 = = 3", "= 3", "3 =", "x = x", "1 000 000 000 x 1 000 000 000 = 1",
        "100 % of 1e400 = 1e400", "1e400 GB = 1 MB", "2 x 3 x = 6", "9 GB x 9 GB = 81 GB", "sum_{i=1}^{10^99} i = 5",
        "\\sum_{i=1}^{9^{9^9}} i = 5", "$\\binom{10^9}{10^8} = 1$", "sqrt(-1) = 1", "log(0) = 1", "Gamma(1e9) = 1",
        "0x" + "f" * 5_000 + " = 1", "GPT-2 small has 9^9^9^9 parameters", "9^9^9^9 is parameters of gpt2",
        "d^L^V^d is parameters of gpt2", "(d + L + V)^99999 is parameters of gpt2", "1/(d - d) is parameters of gpt2",
        "width 9^9^9, 10^9 layers, vocabulary 1e99: 12 parameters", "A 1e99-1e99-1e99 network has 3 parameters",
        "<!-- symcount: model=gpt2:L=9^9^9^9 -->\nIt has 1 parameter.", "<!-- symcount: model=nothing -->\n1 + 1 = 3",
        "<!-- symcount: model= notation=none ignore=SC -->\n1 + 1 = 3", "% symcount: d=1/0\n$1 + 1 = 3$",
        "<!-- symcount: " + "a" * 100_000 + " -->", "<!-- symcount: ignore SC999 --> 1 + 1 = 3", "<!-- symcount:")}
    texts["long product"] = "9" * 100_000 + " x " + "9" * 100_000 + " = 5"
    texts["long power"] = "$" + "9" * 100_000 + "^{3} = 5$"
    texts["long decimal"] = "0." + "3" * 100_000 + " = 1/3"
    texts["long exponent"] = "1e" + "9" * 100_000 + " = 1"
    texts["long with commas"] = "1" + ",000" * 30_000 + " + 1 = 2"
    texts["many factors"] = " x ".join(["99999"] * 50_000) + " = 1"
    texts["many powers"] = "^".join(["9"] * 50_000) + " = 1"
    texts["many fractions"] = " + ".join(f"1/{i}" for i in range(1, 5_000)) + " = 9"
    return texts


def nesting() -> dict[str, str]:
    return {
        "round": "(" * DEEP + "1" + ")" * DEEP + " = 1",
        "round in dollars": "$" + "(" * DEEP + "1" + ")" * DEEP + " = 1$",
        "never closed": "(" * DEEP * 5 + "1 = 1",
        "never opened": "1" + ")" * DEEP * 5 + " = 1",
        "square": "[" * DEEP * 2 + "1" + "]" * DEEP * 2,
        "links": "[a](" * DEEP,
        "images": "![" * DEEP + "](" * DEEP,
        "braces": "$" + "{" * DEEP + "1" + "}" * DEEP + " = 1$",
        "fractions": "$" + "\\frac{1}{1+" * 5_000 + "1" + "}" * 5_000 + " = 1$",
        "fractions, open": "$" + "\\frac{" * DEEP + " = 1$",
        "text": "$\\text{" * DEEP + "}" * DEEP,
        "subscripts": "$x_{" * DEEP + "}" * DEEP + " = 1$",
        "powers": "$2^{" * DEEP + "1" + "}" * DEEP + " = 1$",
        "left": "$" + "\\left(" * DEEP + "1" + "\\right)" * DEEP + " = 1$",
        "environments": "\\begin{aligned}" * DEEP,
        "environments, closed": "$$" + "\\begin{aligned}" * 2_000 + "1 &= 1" + "\\end{aligned}" * 2_000 + "$$",
        "quotes": "> " * DEEP + "1 + 1 = 3",
        "lists": "\n".join("  " * i + "- 1 + 1 = 2" for i in range(500)),
        "list marks": "- " * DEEP + "1",
        "stars": "*" * 50_000 + "1" + "*" * 50_000,
        "stars apart": "*a " * 50_000 + "1 + 1 = 2" + " b*" * 50_000,
        "underscores": "_a" * 50_000,
        "backticks": "".join("`" * i + "1" for i in range(1, 800)),
        "fences": "```\n" * DEEP + "1 + 1 = 3",
        "dollars": "$" * 100_001,
        "dollars apart": "$ 1 " * 50_000,
        "pipes": "|" * 100_000,
        "comments": "<!--" * 30_000,
        "tags": "<a " * 50_000,
        "entities": "&#" * 50_000,
        "minus": "-" * DEEP + "1 = 1",
        "minus apart": "1 " + "- " * DEEP + "1 = 1",
        "equals": "1 " + "= " * DEEP + "1",
        "slashes": "\\" * 100_001,
    }


def length() -> dict[str, str]:
    return {
        "a line of a megabyte": "3 x 4 = 12, " * (MILLION // 12),
        "a line of a megabyte that is wrong": "3 x 4 = 13, " * (MILLION // 12),
        "a line of digits": "1" * MILLION,
        "a line of digits and blanks": "1 000 " * (MILLION // 6),
        "a line of letters": "a" * MILLION,
        "a line of words": "GPT-2 has 5 layers and " * (MILLION // 23),
        "a line of blanks": " " * MILLION + "= 3",
        "a line of equals": "= " * (MILLION // 2),
        "a line of dashes": "-" * MILLION,
        "a line of dots": "." * MILLION,
        "a line of mathematics": "$" + "1+" * (MILLION // 2) + "1 = 5$",
        "ten megabytes of one chain": "1+1=" * (10 * MILLION // 4),
        "a megabyte of empty lines": "\n" * MILLION,
        "a megabyte of lines": "1 + 1 = 2\n" * (MILLION // 10),
        "a chain over lines": "$$\\begin{aligned}\n" + "x &= 1 + 1 \\\\\n" * DEEP + "\\end{aligned}$$",
        "a wide table": "|" + " 1 |" * DEEP + "\n|" + "---|" * DEEP + "\n|" + " 2 |" * DEEP,
        "a long table": "| n | count |\n|---|---:|\n" + "| 2 x 3 | 6 |\n" * DEEP + "| total | 5 |\n",
        "many models": "GPT-2 small has 124M parameters, BERT-base has 110M. " * 3_000,
        "many carried": "2 x 3 = 7\n" + "".join(f"{7 + i} + 1 = {8 + i}\n" for i in range(3_000)),
        "many sizes": "width 4,096, 32 layers, vocabulary 32,000. " * 5_000,
    }


def signs() -> dict[str, str]:
    every = bytes(range(256))
    return {
        "empty": "", "blank": " ", "one line end": "\n", "a return": "\r", "returns": "1 + 1 = 3\r2 + 2 = 5\r",
        "line ends of Windows": "1 + 1 = 3\r\n\r\n2 + 2 = 5\r\n",
        "mixed line ends": "1 + 1 = 3\r\n2 + 2 = 5\n3 + 3 = 7\r",
        "a mark of byte order": "\ufeff1 + 1 = 3", "zeros": "\0" * 1_000, "a zero inside": "1 +\0 1 = 3",
        "bytes": every.decode("latin-1") * 100, "bytes as surrogates": (every * 50).decode("utf-8", "surrogateescape"),
        "a surrogate": "\ud800 = 3", "surrogates": "1 + \udcff = \udcfe", "escapes": "\x1b[31m1 + 1 = 3\x1b[0m",
        "other line ends": "1 + 1 = 3\u20282 + 2 = 5\u2029\x0b\x0c\x85 3 + 3 = 7",
        "wide digits": "\uff13 \u00d7 \uff14 \uff1d \uff11\uff13", "Arabic digits": "\u0663 + \u0664 = \u0668",
        "Devanagari digits": "\u0968 + \u0968 = \u096b", "raised digits": "10\u00b2\u00b3\u2079 = \u2070",
        "lowered digits": "\u2081 + \u2082 = \u2083", "fractions": "\u00bd + \u00bc = \u00be",
        "circles": "\u2460 + \u2461 = \u2463",
        "Roman": "\u216b + \u2160 = \u2169", "clock": "\U0001f55b + 1 = 3", "a face": "\U0001f642 x 3 = 5",
        "mathematical letters": "\U0001d7d1 + \U0001d7d2 = \U0001d7d6", "joined": "1\u200d+\u200d1\u200d=\u200d3",
        "no-break blanks": "1\u00a0000\u202f000 + 1 = 5", "thin blanks": "40\u2009000 x 2 = 90\u2009000",
        "from right to left": "\u202e3 = 1 + 1\u202c", "combining": "1\u0301 + 1\u0338 = 3" + "\u0301" * 50_000,
        "Chinese": "1.2\u4ebf + 3\u4e07 = 5",
        "other signs": "3 \u2212 4 \u00f7 2 \u2217 5 \u22c5 6 \u2248 7 \u2243 8 \u2192 9",
        "a tab": "\t1\t+\t1\t=\t3", "Ethiopic": "\u1372 + \u1369 = \u136b", "variation": "1\ufe0f\u20e3 + 1 = 3",
    }


def notebooks() -> dict[str, str]:
    def notebook(cells: object) -> str:
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    output = {"output_type": "stream", "name": "stdout", "text": ["1 + 1 = 3\n"]}
    texts = {
        "empty": "", "no object": "{", "null": "null", "a list": "[]", "a number": "3",
        "cells are a number": '{"cells": 3}', "no cells": notebook([]), "bytes": "\0\1\2",
        "deep": "[" * 100_000, "deep objects": '{"cells":' * DEEP,
        "a cell is a number": notebook([3]), "a cell without source": notebook([{"cell_type": "markdown"}]),
        "source is a number": notebook([{"cell_type": "markdown", "source": 5, "metadata": {}}]),
        "source is a list of lists": notebook([{"cell_type": "markdown", "source": [["1"]], "metadata": {}}]),
        "unknown cell": notebook([{"cell_type": "other", "source": "1 + 1 = 3", "metadata": {}}]),
        "outputs are a number": notebook([{"cell_type": "code", "source": "", "outputs": 3, "metadata": {}}]),
        "an output is null": notebook([{"cell_type": "code", "source": "", "outputs": [None], "metadata": {}}]),
        "data is a list": notebook([{"cell_type": "code", "source": "", "metadata": {}, "outputs": [
            {"output_type": "display_data", "data": [1], "metadata": {}}]}]),
        "an old format": json.dumps({"worksheets": [], "nbformat": 3, "metadata": {}}),
        "a format to come": json.dumps({"cells": [], "nbformat": 99, "nbformat_minor": 0, "metadata": {}}),
        "an infinite number": '{"cells": [], "nbformat": 1e999}',
        "a format of digits": '{"nbformat": ' + "9" * 9_000 + "}",
        "a surrogate": notebook([{"cell_type": "markdown", "source": "\ud800 1 + 1 = 3", "metadata": {}}]),
        "many cells": notebook([{"cell_type": "markdown", "source": "1 + 1 = 3", "metadata": {}}] * 1_000),
        "a long output": notebook([{"cell_type": "code", "source": "", "metadata": {}, "execution_count": 1,
                                    "outputs": [output] * 2_000}]),
    }
    return {f"{name}.ipynb": text for name, text in texts.items()}


def tex() -> dict[str, str]:
    texts = {
        "no end": "\\begin{document} $1 + 1 = 3", "only ends": "\\end{align}\\end{document}",
        "wrong ends": "\\begin{align} 1 &= 2 \\end{equation}", "dollars": "$$$ 1 + 1 = 3 $$",
        "verbatim": "\\verb|1 + 1 = 3", "verbatim without end": "\\begin{verbatim} 1 + 1 = 3",
        "a macro of itself": "\\newcommand{\\a}{\\a\\a}$\\a = 3$",
        "macros that grow": "".join(f"\\newcommand{{\\m{chr(97 + i)}}}{{\\m{chr(98 + i)}\\m{chr(98 + i)}}}\n"
                                    for i in range(24)) + "$\\ma = 3$",
        "def": "\\def\\x{\\x}\\x", "input": "\\input{elsewhere} \\include{elsewhere} 1 + 1 = 3",
        "write": "\\write18{date} \\immediate\\openout 5", "catcodes": "\\catcode`\\$=11 $1+1=3$", "left alone":
        "$\\left( 1 + 1 = 3$", "right alone": "$1 + 1 \\right) = 3$", "half a fraction": "$\\frac{1} = 3$",
        "a fraction of nothing": "$\\frac{}{} = 3$", "powers of powers": "$2^3^4 = 5$",
        "an empty power": "$2^{} = 2$",
        "an ampersand": "& = & & 3 \\\\ & \\\\ \\\\", "percent": "$1 + % 1\n1 = 3$", "percents": "%" * 100_000,
        "unknown commands": "$\\foo{1}[2]<3> + \\bar = 3$", "accents": "\\'{e}\\\"o\\ss = 3",
        "a comment at the end": "$1 = 2$ %",
        "text in mathematics": "$\\text{1 + 1 = 3} = \\mathrm{4}$",
        "environments of one's own": "\\begin{a}\\begin{b*} $1+1=3$ \\end{a}\\end{b*}",
        "array": "$\\begin{array}{ccc} 1 & 2 \\\\ 3 = 4 \\end{array} = 5$",
        "tabular": "\\begin{tabular}{lr} a & 1 \\\\ \\hline total & 3", "underbrace": "$\\underbrace{1 + 1}_{= 3} = 2$",
        "lines of align": "\\begin{align}" + "x &= 1 \\\\ " * DEEP + "\\end{align}",
    }
    return {f"{name}.tex": text for name, text in texts.items()}


def mixtures() -> dict[str, str]:
    """Documents of the corpus, cut, joined and strewn with signs; the same ones in every run."""
    draw = random.Random("strangers")
    whole = [(path, corpus.text_of(path)) for path in [*corpus.documents("faulty"), *corpus.documents("clean")]]
    strewn = ["$", "$$", "\\", "{", "}", "(", ")", "|", "\n", "\r\n", "`", "```", "=", "^", "_", "%", "&", "<!--",
              "-->", "\0", "\\frac", "\\begin{aligned}", "\\end{aligned}", "9^9^9", "1/0", "\u202e", "\ud800", "**",
              "- ", "#", "é", "≈"]
    texts = {}
    for number in range(200):
        path, text = draw.choice(whole)
        _, other = draw.choice(whole)
        for _ in range(draw.randint(1, 30)):
            begin = draw.randrange(len(text) + 1)
            end = min(len(text), begin + draw.choice([0, 0, 1, 1, 5, 40]))
            chance = draw.random()
            start = draw.randrange(len(other))
            put = draw.choice(strewn) if chance < 0.7 else other[start:start + 60] if chance < 0.9 else ""
            text = text[:begin] + put + text[end:]
        texts[f"{number:03} {path.name}"] = text
    return texts


FAMILIES = {family.__name__: family for family in (numbers, nesting, length, signs, notebooks, tex, mixtures)}


def readings(family: str) -> list[tuple[str, str, str]]:
    """(what is read, its path, whose ending says how, its text) for all texts of a family."""
    texts = FAMILIES[family]()
    if family in ("notebooks", "tex", "mixtures"):
        return [(ascii(name), name, text) for name, text in texts.items()]
    endings = ("md",) if family == "length" else ("md", "tex", "txt")
    return [(f"{name[:50]!a} as {ending}", f"text.{ending}", text)
            for name, text in texts.items() for ending in endings]


def read(text: str, path: str) -> str:
    """What became of one text: how many findings, or the refusal; raises what is no refusal."""
    from symcount.diagnostics import SEVERITIES
    from symcount.errors import SymcountError
    from symcount.lint import inspect

    refusal, findings = None, []
    try:
        findings = inspect(text, path=path)
    except SymcountError as refused:
        refusal = str(refused)
    if refusal is not None:
        assert 0 < len(refusal) <= LONGEST, "a refusal is one short line"
        assert "\n" not in refusal
        return "refused"
    for found in findings:
        assert found.severity in SEVERITIES
        assert found.line >= 1
        assert 1 <= found.column <= found.end_column
        assert 0 < len(found.message) <= LONGEST, "a message is short"
        assert "\n" not in found.message
        right = found.expected
        assert right is None or max(right.numerator.bit_length(), right.denominator.bit_length()) <= BITS
    return f"{len(findings)} findings"


def read_family(family: str) -> None:
    """Prints "name<TAB>seconds<TAB>what became of it" for each text; dies at the first that takes too long."""
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name, path, text in readings(family):
        if hasattr(signal, "alarm"):
            signal.alarm(SECONDS)
        begin = time.perf_counter()
        try:
            became = read(text, path)
        except BaseException as crash:  # noqa: BLE001 - a crash of any kind is what is looked for
            became = f"CRASH {type(crash).__name__}: {str(crash)[:200]!r}"
        print(name, f"{time.perf_counter() - begin:.2f}", became, sep="\t", flush=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_strangers_are_survived(family):
    wanted = [name for name, _, _ in readings(family)]
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run([sys.executable, __file__, family], capture_output=True, text=True, check=False,
                          timeout=SECONDS * len(wanted), env={**os.environ, "PYTHONPATH": paths})
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert [row for row in rows if row[2].startswith("CRASH")] == []
    assert [row[0] for row in rows] == wanted, f"stopped after {len(rows)} of {len(wanted)}: {done.stderr[-500:]}"


# ---------------------------------------------------------------- what signs must not change

@pytest.mark.parametrize("name", ["eight_heads.md", "token_cost.tex", "cache_talk.txt"])
def test_line_ends_change_nothing(name):
    path = corpus.DATA / "documents" / "faulty" / name
    text = corpus.text_of(path)
    with_returns = corpus.inspected(path, text.replace("\n", "\r\n"))
    assert [found[1:8] for found in with_returns] == [found[1:8] for found in corpus.inspected(path, text)]


def test_what_is_refused_has_no_value():
    for text in ("9^9^9^9 = 1", "99999999! = 3", "1/0 = 3"):
        assert not [found for found in corpus.inspected(Path("text.md"), text) if found.expected is not None]


if __name__ == "__main__":
    read_family(sys.argv[1])
