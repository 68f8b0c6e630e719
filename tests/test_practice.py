"""Exercises: every answer is computed a second time, by hand, from the words of its question alone.

The second way is `by_hand`. 1,000 seeds are drawn; each kind meets a third of them, at every level.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction

import pytest

import by_hand
from by_hand import around, number, sizes
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


def same_count(answer, second):
    if isinstance(answer, answers.Picked):
        letter, value = second
        return answer.letter == letter and same_count(answer.value, value)
    if isinstance(answer, answers.Shape):
        return answer.sizes == tuple(second)
    return (answer.rows if isinstance(answer, answers.Rows) else answer[0]) == second


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
    assert all(callable(getattr(by_hand, kind, None)) for kind in KINDS)
    assert len({called(kind) for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_right_by_a_second_way_and_none_is_trivial(kind):
    second = getattr(by_hand, kind)
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
    assert verdict(one, str(2 * right)) == (
        False, "not right: it is twice as much as it should be: is a factor of 2 too many?")
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
    words = ("--seed", "7", "--count", str(len(KINDS)))
    status, first, error = ask(capsys, *words)
    assert (status, error) == (0, "")
    assert ask(capsys, *words)[1] == first
    assert ask(capsys, "--seed", "8", *words[2:])[1] != first
    for order in ("1", "2"):  # of what is kept in sets
        done = subprocess.run([sys.executable, "-m", "symcount", "practice", *words], check=True, capture_output=True,
                              encoding="utf-8", env={**os.environ, "PYTHONHASHSEED": order, "PYTHONUTF8": "1"})
        assert done.stdout == first


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
    ("--seed 7 --number 1 --check " + "9" * 1000, "cannot read"),
    ("--seed 7 --number 1 --check \x1b[31m", "cannot read"),
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
