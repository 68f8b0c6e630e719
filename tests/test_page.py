"""The page to play with: its trees against the library everywhere; driven in headless Chromium where there is one."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from math import ceil, floor

import pytest

import symcount
from browser import browser, dark
from symcount.cli import main
from symcount.counting import table
from symcount.errors import ModelError, SymcountError
from symcount.playing.structures import playable, tree
from symcount.readers.quantities import read
from symcount.render import in_bytes, percent, rounded, text

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")

# tied, grouped heads, a mixture of experts, an encoder, two stacks; and how many settings of each are driven
MODELS = {"gpt2": 48, "llama-3-8b": 48, "mixtral-8x7b": 40, "bert-base-uncased": 40, "t5-small": 24}
RUN = ("s", "t", "b", "new", "u")


told_of = cache(lambda name: playable(symcount.model(name)))


def sizes_of(one, structure):
    return [name for name in structure["letters"] if name not in RUN and name in one.values]


def setting(rng, structure, values):
    """Other values: near to what can be, so that most can be counted and some cannot."""
    found = dict(values)
    for name in rng.sample(structure["letters"], rng.randint(1, 4)):
        x = found[name]
        found[name] = rng.choice([x * 2, x * 4, x * rng.randint(2, 9), max(1, x // 2), x + 1, x * 10**6 + x,
                                  rng.randint(1, 64)])
    return found


def wanted(one, structure, quantity, values):
    """What the library says of these sizes: total and {part: count}; None where it refuses."""
    count = structure["quantities"][quantity]
    changes = {name: values[name] for name in sizes_of(one, structure) if values[name] != one.values[name]}
    run = {name: values[name] for name in count["letters"] if name in RUN}
    try:
        ledger = read(one.replace(**changes, **run), quantity)
        return ledger.total, {row.part: (row.count, row.share) for row in table(ledger).rows}
    except SymcountError:
        return None


def evaluated(form, values):
    """A tree as fractions: a second evaluator, of four lines a kind."""
    kind, *held = form
    if kind == "n":
        return Fraction(int(held[0]))
    if kind == "s":
        return Fraction(values[held[0]])
    if kind == "^":
        return evaluated(held[0], values) ** held[1]
    if kind == "+":
        return sum((sign * evaluated(term, values) for sign, term in held), Fraction(0))
    if kind == "f":
        a, b = (evaluated(each, values) for each in held[1:])
        return Fraction({"min": lambda: min(a, b), "floor": lambda: floor(a / b), "ceil": lambda: ceil(a / b),
                         "up": lambda: ceil(a / b) * b}[held[0]]())
    first, *others = (evaluated(each, values) for each in held)
    for other in others:
        first = first / other if kind == "/" else first * other
    return first


def holds(condition, values):
    relation, *sides, _ = condition
    a, b = (evaluated(side, values) for side in sides)
    if relation == "divides":
        return a != 0 and a.denominator == b.denominator == 1 and b % a == 0
    return {"at most": a <= b, "less": a < b, "is": a == b}[relation]


@pytest.mark.parametrize("name", [*MODELS, "llama-7b", "deepseek-v3", "resnet-18", "mistral-7b-v0.1", "albert-base-v2"])
def test_the_trees_are_the_library(name):
    one, data, rng = symcount.model(name), told_of(name), random.Random(name)
    structure = data["structures"][0]
    assert structure["model"] == name
    begun = {letter: int(digits) for letter, digits in data["models"][0]["values"].items()}
    tried = []
    for values in [begun, *(setting(rng, structure, begun) for _ in range(3))]:
        if any(isinstance(given, tuple) for given in one.given.values()) and values != begun:
            continue  # stages are changed together
        for quantity, count in structure["quantities"].items():
            if quantity not in data["quantities"]:
                continue
            told = wanted(one, structure, quantity, values)
            tried.append(told is not None)
            assert (told is not None) == all(holds(condition, values) for condition in count["conditions"]), values
            if told:
                total, parts = told
                assert evaluated(count["form"], values) == total
                counted = {row["part"]: evaluated(row["form"], values) for row in count["rows"]}
                assert {part: n for part, n in counted.items() if n} == {part: n for part, (n, _) in parts.items() if n}
    assert any(tried)


@pytest.mark.parametrize(("name", "quantity", "total"), [  # published
    ("gpt2", "params", 124_439_808), ("llama-7b", "params", 6_738_415_616), ("llama-2-70b", "params", 68_976_648_192),
    ("bert-large-uncased", "params", 335_141_888), ("mlp:784-128-10", "params", 101_770),
])
def test_a_page_begins_with_what_is_published(name, quantity, total):
    data = told_of(name)
    begun = {letter: int(digits) for letter, digits in data["models"][0]["values"].items()}
    assert evaluated(data["structures"][0]["quantities"][quantity]["form"], begun) == total


def test_a_page_is_the_same_each_time():
    script = "import symcount, hashlib; print(hashlib.sha256(symcount.page('llama-7b').encode()).hexdigest())"
    runs = [subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                           capture_output=True, text=True).stdout for seed in "12"]
    assert runs[0] == runs[1]


def test_models_that_differ_only_in_sizes_share_a_structure():
    data = told_of("llama-7b")
    of = {one["name"]: data["structures"][one["structure"]] for one in data["models"]}
    assert of["llama-7b"] is of["llama-65b"]
    assert of["llama-3-8b"] is of["llama-2-70b"] is not of["llama-7b"]
    assert "kv" in of["llama-3-8b"]["letters"]
    assert ["kv", ["s", "heads"], "key-value heads"] in of["llama-7b"]["follows"]
    assert of["llama-7b:tied"]["label"] == "tied=true, kv = heads, k = d/heads"


REFUSED = [  # words after page, what is said
    ("", "page needs a model, as in symcount page llama-7b"),
    ("gpt2 llama-7b", "page takes one model, not 2"),
    ("gpt2 --of parms", "unknown quantity 'parms'; did you mean 'params'?"),
    ("bert-base-uncased --of kv", "bert-base-uncased (BertModel): no KV cache: no attention is causal and nothing "),
    ("gpt2 --by 1", "page takes no --by"),
    ("llama-7b@layers.atention", "has no part 'layers.atention'; did you mean 'layers.attention'?"),
    ("gpt2 --format json", "page takes no --format"),
    ("gpt2 --phase decoding", "unknown phase 'decoding'; did you mean 'decode'?"),
    ("mlp:" + "-".join(["8"] * 120), "has 121 sizes, and a page has room for 100; with @PATH it shows one part"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[words[:40] for words, _ in REFUSED])
def test_what_no_page_is_made_of(capsys, words, said):
    assert main(["page", *words.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err


def test_the_command_line_writes_what_the_library_makes(tmp_path):
    target = tmp_path / "page.html"
    assert main(["page", "gpt2", "--of", "flops,params", "--set", "s=300", "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text == symcount.page(symcount.model("gpt2", s=300), "flops,params").rstrip("\n") + "\n"
    data = json.loads(re.search(r'id="data">(.*)</script>', text)[1])
    assert list(data["quantities"]) == ["flops", "params"]
    assert data["models"][0]["values"]["s"] == "300"


class Tags(HTMLParser):
    """The tags of a page, and the text of its scripts of data."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self.inside = [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id", "") if tag == "script" else ""

    def handle_data(self, data):
        self.data += data if self.inside == "data" else ""


def test_a_page_is_one_file_and_what_a_stranger_called_his_model_stays_text(tmp_path):
    plain = symcount.page("gpt2")
    name = "</script><!--<script>alert(1)<b>&amp;"
    folder = tmp_path / "a"
    folder.mkdir()
    sizes = {"model_type": "gpt2", "vocab_size": 50, "n_embd": 8, "n_layer": 2, "n_head": 2}
    (folder / "config.json").write_text(json.dumps(sizes), encoding="utf-8")
    one = symcount.model(str(folder))
    one.name = name  # a name that a file system may not allow
    page = Tags(symcount.page(one))
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in Tags(plain).tags]
    assert json.loads(page.data)["models"][0]["name"] == name
    assert json.loads(page.data)["title"].startswith(name)
    without = plain.replace("http://www.w3.org/1998/Math/MathML", "")  # the name of a namespace
    assert not re.search(r"https?://|\bsrc=|@import|url\(|\beval\(|innerHTML", without)
    assert [told["href"] for tag, told in Tags(plain).tags if tag == "link"] == ["data:,"]


def test_files_of_the_page_are_short():
    folder = symcount.page.__globals__["__file__"].rpartition("/")[0]
    for name in os.listdir(folder):
        if name.endswith((".js", ".css", ".html")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                assert len(file.readlines()) <= 400, name


# In a browser

@pytest.fixture(scope="module")
def driver():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """{model: the address of its page}, each written when it is first asked for."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    class Pages(dict):
        def __missing__(self, name):
            target = folder / f"{len(made)}.html"
            made[name] = target.write_text(symcount.page(name), encoding="utf-8")
            self[name] = target.as_uri()
            return self[name]
    return Pages()


@pytest.fixture
def opened(driver, pages):
    """A function that opens the page of a model; what a page logs fails the test."""
    dark(driver, on=False)

    def open_page(name, fragment=""):
        driver.get("about:blank")
        driver.get(pages[name] + fragment)
        return driver
    yield open_page
    assert driver.get_log("browser") == []


# For each (fragment): what stands on the page afterwards, once for each quantity
READ = """
const [fragments, quantities] = arguments, found = [];
const words = (query) => [...document.querySelectorAll(query)].map((one) => one.textContent);
for (const fragment of fragments) for (const of of quantities) {
  restore(`of=${of}&` + fragment);
  found.push({total: words("#total .exact")[0] ?? null, near: words("#total .near")[0] ?? null,
    reasons: words("#total li"), shown: !document.getElementById("details").hidden,
    parts: [...document.querySelectorAll("#parts tbody tr")].map((row) => [...row.cells].map((one) => one.textContent)),
    lines: [...document.querySelectorAll("#derivation .step:last-child .line")].map((one) => one.textContent)});
}
return found;
"""


def number(text):
    top, _, bottom = text.replace(",", "").replace("−", "-").partition("/")
    return Fraction(int(top), int(bottom or 1))


@pytest.mark.parametrize("name", MODELS)
def test_two_hundred_settings_are_the_library(opened, name):
    one, data, rng = symcount.model(name), told_of(name), random.Random(f"{name}, in a browser")
    structure, quantities = data["structures"][0], list(data["quantities"])
    begun = {letter: int(digits) for letter, digits in data["models"][0]["values"].items()}
    settings = [begun, *(setting(rng, structure, begun) for _ in range(MODELS[name] - 1))]
    fragments = ["&".join([f"like={name}", *(f"{letter}={values[letter]}" for letter in structure["letters"])])
                 for values in settings]
    shown = iter(opened(name).execute_script(READ, fragments, quantities))
    counted, beyond = 0, 0
    for values in settings:
        for quantity in quantities:
            told, page = wanted(one, structure, quantity, values), next(shown)
            if told is None:
                assert (page["total"], page["shown"]) == (None, False), (values, quantity)
                assert page["reasons"]
                continue
            total, parts = told
            counted, beyond = counted + 1, beyond + (total > 2**53)
            unit = structure["quantities"][quantity]["unit"]
            assert page["reasons"] == []
            assert number(page["total"]) == total
            assert page["near"] == ("" if total < 1000 else in_bytes(total) if unit == "bytes" else rounded(total))
            rows = structure["quantities"][quantity]["rows"]
            listed = {row["part"]: (number(count), share.strip())
                      for row, (_, _, count, share) in zip(rows, page["parts"], strict=True) if count != "0"}
            assert listed == {part: (count, percent(share)) for part, (count, share) in parts.items() if count}
            assert page["lines"][-1].replace(" ", "") == page["total"]
    assert counted > 2 * MODELS[name] / 3 * len(quantities) / 2
    assert beyond > 0


def test_there_are_two_hundred_of_them():
    assert sum(MODELS.values()) == 200


def test_thirty_digits_are_all_right(opened):
    a, b, c = 123_456_789_012_345_678_901_234_567_890, 999_999_999_999_999_999_999_999_999_999, 7
    told = f"like=mlp:784-128-10&n_0={a}&n_1={b}&n_2={c}"
    shown, = opened("mlp:784-128-10").execute_script(READ, [told], ["params"])
    assert number(shown["total"]) == a * b + b + b * c + c
    lines = [line.replace(",", "").replace("·", "*").replace(" ", "") for line in shown["lines"][1:]]
    assert {sum(int(x) * int(y or 1) for x, _, y in (term.partition("*") for term in line.split("+")))
            for line in lines} == {a * b + b + b * c + c}


def test_lines_of_a_derivation_read_as_the_text_of_the_library(opened):
    shown, = opened("llama-7b").execute_script(READ, ["like=llama-7b"], ["params"])
    assert [line.replace(" ", "") for line in shown["lines"]] == [
        "L(4d2+3dh+2d)+2Vd+d", "32×(4·4,0962+3·4,096·11,008+2·4,096)+2·32,000·4,096+4,096",
        "32·202,383,360+262,144,000+4,096", "6,476,267,520+262,144,000+4,096", "6,738,415,616"]


@pytest.mark.parametrize("name", [*MODELS, "deepseek-v3"])
def test_formulas_read_as_the_text_of_the_library(opened, name):
    """Compared without what mathematics shows by its place: blanks, the height of exponents, bars of fractions."""
    one, lowered, quantities = symcount.model(name), told_of(name)["lowered"], list(told_of(name)["quantities"])
    found = opened(name).execute_script(READ, [f"like={name}"], quantities)
    for quantity, shown in zip(quantities, found, strict=True):
        said = text.form(symcount.derive(read(one, quantity)).steps[-1].forms[0])
        said = re.sub(r"[A-Za-z_]+", lambda word: "".join(lowered.get(word[0], word[0])), said)
        plain = [re.sub(r"[\s/]", "", each.translate(RAISED)) for each in (shown["lines"][0], said)]
        assert plain[0] == plain[1].replace("_", ""), quantity


FAULTS = [  # what is typed as d, what is said
    ("", "d is empty: model width is a whole number of at least 1"),
    ("0", "d = 0: model width is a whole number of at least 1"),
    ("-4", "d = -4: model width is a whole number of at least 1, in digits"),
    ("4096.0", "d = 4096.0: model width is a whole number of at least 1, in digits"),
    ("4.096", "d = 4.096: model width is a whole number of at least 1, in digits"),
    ("1e400", "d = 1e400: model width is a whole number of at least 1, in digits"),
    ("40,96", "d = 40,96: model width is a whole number of at least 1, in digits"),
    ("<b>", "d = <b>: model width is a whole number of at least 1, in digits"),
    ("9" * 31, "d has 31 digits; up to 30 are read"),
]


@pytest.mark.parametrize(("typed", "said"), FAULTS, ids=[typed[:12] for typed, _ in FAULTS])
def test_what_is_no_size_is_refused_with_a_sentence(opened, typed, said):
    from selenium.webdriver.common.keys import Keys

    page = opened("gpt2")
    field = page.find_element("id", "size-d")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE, typed)
    assert page.find_element("id", "said-d").text == said
    assert field.get_attribute("aria-invalid") == "true"
    assert page.find_element("id", "total").text.splitlines()[:2] == ["No number, for", said]
    assert not page.find_element("id", "details").is_displayed()


CONDITIONS = [  # model, what the link says, the sentences instead of a number; MathML writes d/heads as a fraction
    ("llama-7b", "of=params&heads=10", ["nheads = 10 does not divide d = 4,096"]),
    ("llama-2-70b", "of=params&heads=60", ["nkv = 8 does not divide nheads = 60",
                                           "nheads = 60 does not divide d = 8,192"]),
    ("llama-7b", "of=params&heads=4096", ["2 does not divide dnheads = 1"]),
    ("gpt2", "of=flops&s=2048", ["s = 2,048 is more than P = 1,024"]),
    ("mixtral-8x7b", "of=params&K=9", ["K = 9 is more than E = 8"]),
    ("deepseek-v3", "of=params&L=2", ["Ldense = 3 is more than L = 2", "L −Ldense = −1 is less than nothing"]),
]


@pytest.mark.parametrize(("name", "told", "sentences"), CONDITIONS)
def test_conditions_are_said_in_words(opened, name, told, sentences):
    shown, = opened(name).execute_script(READ, [f"like={name}&{told}"], [told.split("&")[0][3:]])
    assert (shown["total"], shown["shown"], shown["reasons"]) == (None, False, sentences)


def test_an_architecture_shows_its_formula_until_sizes_are_typed(opened):
    from selenium.webdriver.support.ui import Select

    page = opened("gpt2:")
    assert page.execute_script("return document.querySelector('#total > p:last-child').textContent") == (
        "L(4d2 +2dh +9d +h) +Vd +Pd +2d")  # by hand: 4d² + 4d, 2dh + h + d, 4d of norms
    assert page.find_element("id", "said-d").text == "d is empty: model width is a whole number of at least 1"
    assert page.find_element("id", "slider-d").get_attribute("value") == "0"  # not at its far end
    fields, reasons = page.execute_script("""const texts = (query) => [...document.querySelectorAll(query)].map(
        (one) => one.textContent).filter((text) => text.includes("empty"));
        return [texts(".said"), texts("#total li")];""")
    assert len(fields) == 6
    assert fields == reasons  # in the same order
    Select(page.find_element("id", "model")).select_by_visible_text("gpt2-xl (GPT2LMHeadModel)")
    assert number(page.find_element("css selector", "#total .exact").text) == 1_557_611_200


OTHER = "This link is of another page; these are the sizes to begin with."
LEFT = "Left out of the link, for there is no such size here: "
LINKS = [  # what follows # in a link; the total, 202,383,360 parameters a layer and 262,148,096 beside; what is said
    ("of=kv&like=nonsense", 6_738_415_616, OTHER),
    ("%", 6_738_415_616, OTHER),
    ("%E0%A4%A", 6_738_415_616, OTHER),
    ("of=__proto__&like=__proto__", 6_738_415_616, OTHER),
    ("of=constructor&like=llama-7b", 6_738_415_616, OTHER),
    ("", 6_738_415_616, ""),
    ("of=params&like=llama-7b&L=%201%2C000%20", 202_383_360_000 + 262_148_096, ""),
    ("of=params&like=llama-7b&L=%D9%A4", None, ""),  # an Arabic digit
    ("of=params&like=llama-7b&L=" + "0" * 199 + "12", 202_383_360 * 12 + 262_148_096, ""),  # to the last of its digits
    ("of=params&like=llama-7b&L=" + "%20" * 300 + "12", 202_383_360 * 12 + 262_148_096, ""),
    ("of=params&like=llama-7b&L=" + "9" * 100_000, None, ""),
    ("of=params&like=llama-7b&L=1&kv=4&__proto__=1", 202_383_360 + 262_148_096, LEFT + "kv, __proto__"),
]


@pytest.mark.parametrize(("told", "total", "said"), LINKS, ids=[told[:30] for told, _, _ in LINKS])
def test_a_link_is_read_to_its_end_or_says_what_it_left_out(opened, told, total, said):
    page = opened("llama-7b", f"#{told}")
    shown = page.execute_script("return document.querySelector('#total .exact')?.textContent ?? null")
    assert (shown and number(shown)) == total
    assert page.find_element("id", "told").text == said


def test_going_back_and_an_address_without_a_state(opened):
    page = opened("llama-7b")

    def follow(script):
        page.execute_script(script)
        page.execute_async_script("setTimeout(arguments[0], 400)")  # longer than the address takes to follow
        return (number(page.find_element("css selector", "#total .exact").text),
                page.find_element("id", "told").text)
    assert follow("location.hash = 'of=params&like=llama-7b&L=5'") == (202_383_360 * 5 + 262_148_096, "")
    assert follow("location.hash = 'of=params&like=llama-7b&L=6'") == (202_383_360 * 6 + 262_148_096, "")
    assert follow("history.back()") == (202_383_360 * 5 + 262_148_096, "")
    assert follow("history.forward()") == (202_383_360 * 6 + 262_148_096, "")
    assert follow("location.hash = ''") == (6_738_415_616, "")


def test_where_nothing_may_be_copied_the_link_is_shown(opened):
    page = opened("gpt2", "#of=params&like=gpt2&L=1")
    page.execute_script("""document.execCommand = () => false;
        Object.defineProperty(navigator, "clipboard", { value: undefined });""")
    page.find_element("id", "copy").click()
    shown, selected = page.execute_script("""const field = document.activeElement;
        return [field.value, field.value.slice(field.selectionStart, field.selectionEnd)];""")
    assert shown == selected == page.current_url
    assert "&L=1&" in shown
    assert page.execute_script(CRAMPED)[1] == []
    page.find_element("id", "size-L").send_keys("0")
    assert page.find_element("id", "told").text == ""  # it is no longer the link of what is shown


def test_a_structure_lends_the_sizes_that_were_not_there(opened):
    from selenium.webdriver.support.ui import Select

    page = opened("deepseek-v3")
    Select(page.find_element("id", "model")).select_by_visible_text("moonlight-16b-a3b (DeepseekV3ForCausalLM)")
    assert not page.find_elements("id", "size-r_q")
    Select(page.find_element("id", "structure")).select_by_index(0)
    assert page.find_element("id", "size-r_q").get_attribute("value") == "1,536"
    # instead of d·heads·(nope + rope): a matrix into the rank, a norm, a matrix out of it; in each of 27 layers
    assert number(page.find_element("css selector", "#total .exact").text) == 15_960_108_544 + 27 * (
        2048 * 1536 + 1536 + 1536 * 16 * 192 - 2048 * 16 * 192)


@pytest.mark.parametrize("name", ["llama-7b", "deepseek-v3", "swin-tiny-patch4-window7-224", "mlp:784-128-10"])
def test_the_derivation_has_the_steps_of_the_library(opened, name):
    page = opened(name)
    steps = page.execute_script("""return [...document.querySelectorAll("#derivation .step")].map((step) => [
        step.querySelector("h3").textContent, [...step.querySelectorAll(".line")].at(-1).textContent]);""")
    derived = symcount.derive(symcount.parameters(symcount.model(name)))
    assert [(step, number(last)) for step, last in steps] == [
        (step.name, evaluated(tree(step.forms[-1]), {})) for step in derived.steps]
    assert name != "llama-7b" or ["layers (each)", "202,383,360"] in steps


def test_a_slider_comes_back_to_the_sizes_of_a_model(opened):
    from selenium.webdriver.common.keys import Keys

    page = opened("gpt2")
    slider = page.find_element("id", "slider-V")
    slider.send_keys(Keys.ARROW_LEFT)
    assert slider.get_attribute("aria-valuetext") == "49,152"
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "50,257"


def test_tokens_attended_move_with_tokens_processed_until_they_are_apart(opened):
    from selenium.webdriver.common.keys import Keys

    page = opened("gpt2", "#of=flops&like=gpt2")

    def put(name, text):
        page.find_element("id", f"size-{name}").send_keys(Keys.CONTROL, "a")
        page.find_element("id", f"size-{name}").send_keys(text, Keys.TAB)
        return page.find_element("id", "size-t").get_attribute("value")
    assert put("s", "1024") == "1,024"
    assert number(page.find_element("css selector", "#total .exact").text) == symcount.flops(
        symcount.model("gpt2"), s=1024).total
    assert put("t", "20") == "20"
    assert put("s", "204") == "20"  # though it was 20 on its way


def test_a_page_of_adapters_counts_any_rank(driver, tmp_path):
    name = "llama-7b:lora=8@layers.attention.query"
    target = tmp_path / "page.html"
    target.write_text(symcount.page(name), encoding="utf-8")
    driver.get(target.as_uri())
    shown, = driver.execute_script(READ, ["like=" + name + "&r=16"], ["params"])
    assert number(shown["total"]) == 6_738_415_616 + 32 * 2 * 4096 * 16


def test_each_control_has_a_name_with_its_letter(opened):
    page = opened("llama-7b")
    page.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.execute_cdp_cmd("Accessibility.disable", {})
    names = {role: [node["name"]["value"] for node in nodes if node["role"]["value"] == role]
             for role in ("textbox", "slider", "combobox", "radio", "button")}
    sizes = ["d, model width", "h, feed-forward width", "L, layers", "V, vocabulary", "heads, query heads",
             "s, tokens processed", "t, tokens attended", "b, batch"]
    assert names == {"textbox": sizes, "slider": [f"{one}, slider" for one in sizes],
                     "combobox": ["Sizes of", "Structure"], "button": ["Reset", "Copy link"],
                     "radio": ["parameters", "FLOPs", "KV cache", "memory"]}


def test_colours_of_the_reader_show_what_is_chosen_and_how_large_a_share_is(opened):
    page = opened("llama-7b")
    features = [{"name": "forced-colors", "value": "active"}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    grounds = page.execute_script("""return [...document.querySelectorAll(
        "#quantities span, #parts tbody tr:nth-child(2) .bar, #parts tbody tr:nth-child(2) .track")].map(
        (one) => getComputedStyle(one).backgroundColor);""")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chosen, *others, track, bar = grounds
    assert bar == chosen not in {track, *others}
    assert len(set(others)) == 1


def test_on_paper_the_sizes_stand_beside_the_count(opened):
    page = opened("llama-7b", "#of=kv&like=llama-7b")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = page.execute_script("""return [...document.querySelectorAll("#quantities label, input, select, button")]
        .filter((one) => one.type !== "radio" && one.checkVisibility()).map((one) => one.id || one.textContent);""")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert seen == ["KV cache", *(f"size-{name}" for name in ("d", "h", "L", "V", "heads", "s", "t", "b"))]


def test_playing(driver, opened):
    """A size typed, a slider moved, a model chosen, another structure, the link opened elsewhere, and back."""
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select

    page = opened("llama-7b")

    def total():
        return number(page.find_element("css selector", "#total .exact").text)

    assert total() == 6_738_415_616
    Select(page.find_element("id", "model")).select_by_visible_text("llama-65b (LlamaForCausalLM)")
    assert total() == 65_285_660_672
    page.find_element("id", "size-L").send_keys(Keys.CONTROL, "a")
    page.find_element("id", "size-L").send_keys("100000000000000003")
    L, d, h, V = 100_000_000_000_000_003, 8192, 22016, 32000
    assert total() == L * (4 * d * d + 3 * d * h + 2 * d) + 2 * V * d + d > 2**53
    assert Select(page.find_element("id", "model")).first_selected_option.text == "sizes of your own"
    assert page.find_element("id", "size-L").get_attribute("value") == "100000000000000003"  # the slider reaches less
    slider = page.find_element("id", "slider-L")
    slider.send_keys(Keys.HOME)
    slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == page.find_element("id", "size-L").get_attribute("value") == "2"
    assert total() == 2 * (4 * d * d + 3 * d * h + 2 * d) + 2 * V * d + d
    Select(page.find_element("id", "structure")).select_by_visible_text("tied=true, kv = heads, k = d/heads")
    assert total() == 2 * (4 * d * d + 3 * d * h + 2 * d) + V * d + d
    Select(page.find_element("id", "structure")).select_by_visible_text("tied=false, kv of its own, k = d/heads")
    assert page.find_element("id", "size-kv").get_attribute("value") == "64"
    page.find_element("id", "size-kv").send_keys(Keys.CONTROL, "a")
    page.find_element("id", "size-kv").send_keys("8")
    assert total() == 2 * (2 * d * d + 2 * d * 128 * 8 + 3 * d * h + 2 * d) + 2 * V * d + d
    page.find_element("css selector", "#quantities input[value=kv]").click()
    assert total() == 2 * 2 * 2 * 512 * 128 * 8
    page.find_element("id", "copy").click()
    assert page.find_element("id", "told").text == "Link copied."
    first = page.current_window_handle
    page.switch_to.new_window("tab")
    page.get("data:text/html,<textarea id=t autofocus></textarea>")
    page.find_element("id", "t").send_keys(Keys.CONTROL, "v")
    link = page.find_element("id", "t").get_attribute("value")
    page.get(link)
    assert total() == 2 * 2 * 2 * 512 * 128 * 8
    assert page.find_element("id", "size-kv").get_attribute("value") == "8"
    assert Select(page.find_element("id", "structure")).first_selected_option.text == (
        "tied=false, kv of its own, k = d/heads")
    page.find_element("id", "reset").click()
    page.find_element("css selector", "#quantities input[value=params]").click()
    assert total() == 6_738_415_616
    page.close()
    page.switch_to.window(first)


def test_by_keyboard_alone(driver, opened):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = opened("gpt2")
    controls = page.execute_script("""return [...document.querySelectorAll("input, select, button")]
        .filter((one) => one.type !== "radio").map((one) => one.id);""")
    reached, outlined = [], []
    for _ in range(len(controls) + 1):
        ActionChains(page).send_keys(Keys.TAB).perform()
        reached.append(page.execute_script("return document.activeElement.id || document.activeElement.value;"))
        outlined.append(page.execute_script("""const one = document.activeElement;
            return getComputedStyle(one.type === "radio" ? one.nextElementSibling : one).outlineStyle;"""))
    assert reached == ["params", *controls]  # in the order of the page, each once
    assert set(outlined) == {"solid"}

    def total():
        return number(page.find_element("css selector", "#total .exact").text)

    def press(*keys):
        ActionChains(page).send_keys(*keys).perform()

    page = opened("gpt2")
    press(Keys.TAB, Keys.ARROW_RIGHT)  # FLOPs
    assert page.find_element("css selector", "#total .unit").text == "FLOPs"
    press(Keys.ARROW_LEFT, *[Keys.TAB] * 3)  # the two choices, then d
    assert page.execute_script("return document.activeElement.id") == "size-d"
    ActionChains(page).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys("1536").perform()
    L, V, P, d = 12, 50257, 1024, 1536
    assert total() == L * (12 * d * d + 13 * d) + V * d + P * d + 2 * d
    press(Keys.TAB, Keys.ARROW_LEFT)  # its slider, one step down: 1,408
    d = 1408
    assert page.find_element("id", "slider-d").get_attribute("aria-valuetext") == "1,408"
    assert page.find_element("css selector", "#total li").get_attribute("textContent") == (
        "nheads = 12 does not divide d = 1,408")
    press(*[Keys.TAB] * 5, Keys.ARROW_DOWN)  # past the fields of L and V, and one head less
    assert page.find_element("id", "size-heads").get_attribute("value") == "11"
    assert total() == L * (12 * d * d + 13 * d) + V * d + P * d + 2 * d
    page.execute_script("document.getElementById('reset').focus()")
    press(Keys.ENTER)
    assert total() == 124_439_808
    page.execute_script("document.getElementById('model').focus()")
    press("gpt2-m")
    press(Keys.ENTER)
    assert total() == 354_823_168


CRAMPED = """
const found = [], wide = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > wide) found.push(`page: ${document.documentElement.scrollWidth}`);
for (const one of document.querySelectorAll("input, select, button, h1, th, td, .line, #total")) {
  const box = one.getBoundingClientRect(), shut = one.closest("thead, .unseen");
  if (box.width && !shut && (box.left < 0 || box.right > wide + 0.5)) found.push(`wide ${one.tagName} ${one.id}`);
  if (["SELECT", "BUTTON", "INPUT"].includes(one.tagName) && box.width && box.height < 22) found.push(`low ${one.id}`);
}
return [wide, found];
"""


def test_in_a_short_window_nothing_covers_the_fields(driver, pages, tmp_path):
    outer = tmp_path / "frame.html"  # as at 400 %
    outer.write_text(f'<iframe src="{pages["deepseek-v3"]}" width="320" height="256"></iframe>', encoding="utf-8")
    driver.get(outer.as_uri())
    driver.switch_to.frame(0)
    driver.find_element("id", "size-V").send_keys("0")
    top, wide = driver.execute_script("""const answer = document.querySelector(".answer").getBoundingClientRect();
        return [answer.bottom, document.documentElement.scrollWidth - document.documentElement.clientWidth];""")
    driver.switch_to.default_content()
    assert top < 0
    assert wide == 0


@pytest.mark.parametrize(("name", "width"), [("llama-7b", 360), ("deepseek-v3", 360), ("mlp:784-128-10", 360),
                                             ("t5-small", 360), ("llama-7b", 900)])
def test_a_narrow_frame_is_wide_enough(driver, pages, tmp_path, name, width):
    outer = tmp_path / "frame.html"
    frame = f'<iframe src="{pages[name]}" width="{width}" height="640" style="border:0"></iframe>'
    outer.write_text(frame, encoding="utf-8")
    driver.get(outer.as_uri())
    driver.switch_to.frame(0)
    for quantity in driver.execute_script("return Object.keys(PAGE.quantities)"):
        driver.find_element("css selector", f"#quantities input[value={quantity}]").click()
        seen, cramped = driver.execute_script(CRAMPED)
        assert cramped == []
        assert width - 20 < seen <= width  # but for a scroll bar
    field = driver.find_element("css selector", "#model-sizes input[type=text]")
    before = driver.find_element("id", "total").text
    field.clear()
    field.send_keys("9" * 30)
    assert driver.find_element("id", "total").text != before
    assert driver.execute_script(CRAMPED)[1] == []
    driver.switch_to.default_content()
    assert driver.get_log("browser") == []


CONTRAST = """
const channel = (x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const weights = [0.2126, 0.7152, 0.0722];
const light = (colour) => weights.reduce((sum, weight, i) => sum + weight * channel(numbers(colour)[i]), 0);
const behind = (one) => { for (; one; one = one.parentElement) {
  const colour = getComputedStyle(one).backgroundColor;
  if (numbers(colour).length < 4 || numbers(colour)[3]) return colour;
} };
const found = [];
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || one.type === "text";
  if (!own || !one.getClientRects().length || one.closest("script, noscript")) continue;
  const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) found.push([one.outerHTML.slice(0, 80), (a + 0.05) / (b + 0.05)]);
}
return [getComputedStyle(document.body).backgroundColor, found];
"""


def test_light_and_dark_can_be_read(opened):
    page = opened("mixtral-8x7b", "#of=flops&like=mixtral-8x7b&h=")  # with a fault
    grounds = []
    for on in (False, True):
        dark(page, on=on)
        for quantity in ("flops", "kv"):
            page.find_element("css selector", f"#quantities input[value={quantity}]").click()
            ground, faint = page.execute_script(CONTRAST)
            assert faint == []
        grounds.append(sum(map(int, re.findall(r"\d+", ground)[:3])))
    assert grounds[0] > 3 * 200 > 3 * 60 > grounds[1]


def test_numbers_are_written_alike_whatever_the_reader_speaks(opened):
    page = opened("gpt2")
    page.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": "de-DE"})
    page.find_element("id", "reset").click()
    assert page.find_element("css selector", "#total .exact").text == "124,439,808"
    page.execute_cdp_cmd("Emulation.setLocaleOverride", {})


ROUNDED = [1000, 999_999, 999_950_000, 12_345_678, 2**30, 1023 * 1024 + 1, 999_960, 10**15 - 1, 2**60, 9_999_600,
           10_239_999_999]


def test_words_beside_a_number_are_those_of_the_library(opened):
    page = opened("gpt2")
    for n in ROUNDED:
        script = "const a = [BigInt(arguments[0]), 1n]; return [rounded(a), inBytes(a)];"
        words, as_bytes = page.execute_script(script, str(n))
        assert as_bytes == in_bytes(n)
        assert words == rounded(n)


def test_python_says_the_same_refusals():
    with pytest.raises(ModelError, match="no KV cache"):
        symcount.page("bert-base-uncased", "kv")
