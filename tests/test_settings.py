"""What a document is about: its model, the sizes that bind, and what is left open rather than guessed."""

from __future__ import annotations

import re

import pytest

from symcount import model, parameters
from symcount.directives import directed, instructions
from symcount.documents.passages import Directive, Document, Passage
from symcount.errors import FormulaError, ModelError, SymcountError
from symcount.settings import Setting, meant, setting

KINDS = {"#": "heading", "-": "item", "|": "row"}


def document(*blocks, directives=()):
    """A document of paragraphs; one that begins with #, - or | is a heading, a bullet or a row of a table."""
    passages, start = [], 0
    for number, block in enumerate(blocks):
        kind = KINDS.get(block[0], "text")
        text = block if kind == "text" else " " + block[1:]
        math = tuple((one.start() + 1, one.end() - 1) for one in re.finditer(r"\$[^$]+\$", text))
        cells = tuple(one.span() for one in re.finditer(r"[^|]+", text)) if kind == "row" else ()
        passages.append(Passage(kind, start, text, math, cells, (0, number) if cells else None))
        start += len(block) + 2
    told_at = [Directive(passages[place].start, says, True) for place, says in directives]
    return Document("page.md", "\n\n".join(blocks), passages, told_at)


def model_of(*blocks):
    about = setting(document(*blocks))
    return about.model.name if about.model else None


@pytest.mark.parametrize(("blocks", "name"), [
    # a title, and sizes that agree
    (["# Counting Llama 3 8B", "It has 32 layers and width 4,096."], "llama-3-8b"),
    (["# GPT-2", "With 36 layers, a width of 1,280 and 20 heads."], "gpt2-large"),
    (["# ViT-B/16 on 384 px", "It has 12 layers."], "vit-base-patch16-384"),
    # a sentence with sizes, or one that announces a count
    (["We size GPT-2 XL: 48 layers, width 1,600 and 25 heads."], "gpt2-xl"),
    (["To find the number of parameters in a ResNet-50, add up its stages."], "resnet-50"),
    (["The first LLaMA, at its smallest: width 4,096, 32 layers, a vocabulary of 32,000 tokens."], "llama-7b"),
    # sizes that bind
    (["Take BERT-base with a vocabulary of 24,000 tokens and 9 layers."], "bert-base-uncased:V=24000,L=9"),
    (["# Our BERT", "The vocabulary size is 24,000.", "Its width is 768, FFN size 3072, with 9 layers and 12 heads."],
     "bert-base-uncased:V=24000,L=9"),
    (["# GPT-2", "Ours is a GPT-2 with width 320, 5 layers and 5 heads."], "gpt2:d=320,L=5,heads=5"),
    # left open: a family, two models, a comparison, a text about something beside the model
    (["# BERT", "BERT has a vocabulary of 24,000 tokens and 9 layers."], None),
    (["# BERT and GPT-2", "Both are old."], None),
    (["Unlike BERT-large, our model has 9 layers and a width of 320."], None),
    (["# Fine-tuning Llama 2 7B", "The model has 32 layers and width 4,096."], None),
    (["# LoRA for Llama 2 7B"], None),
    (["GPT-2 small is old.", "The model has 60M parameters."], None),
    (["# BERT-base uncased", "It has a hidden size of 96 in this model."], None),
    (["# Lasagne", "It has 5 layers, a width of 20 cm, and 800 kcal."], None),
    ([""" The 12 layers were painted on 3 May 2021 for 1,240 dollars."""], None),
])
def test_the_model_of_a_document(blocks, name):
    assert model_of(*blocks) == name


def test_sizes_that_bind_are_counted():
    about = setting(document("Take BERT-base with a vocabulary of 24,000 tokens and 9 layers."))
    d, h, V, L = 768, 3072, 24_000, 9
    layer = 4 * d * d + 4 * d + 2 * d * h + d + h + 4 * d
    assert parameters(about.model).total == (V + 512 + 2) * d + 2 * d + L * layer + d * d + d
    assert about.sizes == {"V": V, "L": L}
    assert "V = 24,000, L = 9" in about.why


def test_a_size_said_elsewhere_may_not_change_a_certain_model():
    about = setting(document("# BERT-base uncased", "Now the model has 9 layers."))
    assert about.model is None
    assert [one.name for one in about.models] == ["bert-base-uncased", "bert-base-uncased:L=9"]


def test_what_contradicts_itself_is_not_taken():
    about = setting(document("# GPT-2 small", "The model has 9 layers.", "The model has 10 layers."))
    assert (about.model.name, about.sizes) == ("gpt2", {})


def test_sizes_that_do_not_go_together_are_told():
    about = setting(document("# Llama 2", "Our Llama 2 has width 320, 7 heads and 5 layers."))
    assert about.model is None
    assert "k = d/heads is not a whole number" in about.why


DECODER = ("A small decoder with tied embeddings, learned positions and biases in every linear layer, LayerNorm.",
           "It has $L = 5$ layers, width $d = 320$, 5 heads, a vocabulary of $V = 24{,}000$ tokens.",
           "The context length is 640.")


def test_a_decoder_that_nobody_names():
    about = setting(document("# Ours", *DECODER))
    d, V, P, L = 320, 24_000, 640, 5
    assert parameters(about.model).total == V * d + P * d + L * (12 * d * d + 13 * d) + 2 * d
    assert about.symbols == {"L": "L", "d": "d", "V": "V"}
    assert set(about.unsaid) == {"gated", "h"}


def test_a_gated_decoder_that_nobody_names():
    about = setting(document("A decoder with RMSNorm, SwiGLU, no biases, and an untied head: width 320, 5 layers, "
                             "10 heads, 2 key/value heads, inner width 864, a vocabulary of 24,000 tokens."))
    d, h, V, L = 320, 864, 24_000, 5
    layer = 2 * d * d + 2 * d * d // 5 + 3 * d * h + 2 * d
    assert parameters(about.model).total == 2 * V * d + L * layer + d


@pytest.mark.parametrize("more", [
    "Its encoder has segments.", "It is a mixture of experts.", "Behind it stands an LSTM.", "It uses RoPE.",
    "It is smaller than GPT-2.", "It has RMSNorm and a plain FFN of two matrices.", "It has 1 key/value head.",
    "The model has a width of 640.",
])
def test_no_decoder_is_recognised(more):
    assert setting(document(*DECODER[1:], more)).model is None
    assert setting(document(*DECODER[1:])).model


def test_too_few_sizes_are_no_model():
    assert setting(document("The decoder has 5 layers, width 320 and 5 heads.")).model is None


def test_recurrent_layers():
    about = setting(document("Take embedding (8,000 words, 50 dimensions), LSTM(32), LSTM(16), Dense(1), "
                             "in the Keras convention."))
    assert [parameters(one).total for one in about.models] == [4 * (50 + 32 + 1) * 32, 4 * (32 + 16 + 1) * 16]
    assert (about.model, about.layer) == (None, "lstm")


def test_two_bias_vectors():
    about = setting(document("An embedding (8,000 words, 50 dimensions) and GRU(32), with two bias vectors."))
    assert parameters(about.model).total == 3 * (50 + 32 + 2) * 32


def test_a_model_that_is_given_wins():
    page = document("# GPT-2 XL", "48 layers and width 1,600")
    about = setting(page, model("llama-7b"))
    assert about.model.name == about.at(0).model.name == "llama-7b"


def test_a_directive_wins_over_the_title():
    page = document("# GPT-2 XL", "Text.", "More.", "End.", directives=[(1, "model=gpt2:L=9"), (3, "model=llama-7b")])
    about = setting(page)
    assert [about.at(one.start).model.name for one in page.passages] == ["gpt2:L=9"] * 3 + ["llama-7b"]


def test_a_notation_gives_letters():
    page = document("# GPT-2 small", "A width of $d = 768$, and 12 layers.", directives=[(0, "notation=megatron")])
    assert setting(page).symbols["h"] == "d"
    assert setting(page).symbols["d"] == "d"  # what the text says itself wins


def test_a_heading_holds_to_the_next():
    page = document("# Llama 2 7B", "Text.", "# GPT-2 small", "Text.", "# The end", "Text.")
    assert [setting(page).at(one.start).model.name for one in page.passages] == [
        "llama-2-7b", "llama-2-7b", "gpt2", "gpt2", "llama-2-7b", "llama-2-7b"]


def test_a_sentence_holds_from_where_it_stands_to_another():
    page = document("A network of 784 inputs.", "GPT-2 small has 12 layers and a width of 768.", "It grows.",
                    "GPT-2 XL has 48 layers and a width of 1,600.", "It shrinks.")
    names = [about.model and about.model.name for about in map(setting(page).at, [one.start for one in page.passages])]
    assert names == [None, "gpt2", "gpt2", "gpt2-xl", None]


def test_sizes_of_another_model_are_not_those_of_the_document():
    about = setting(document("# Llama 2 7B", "It has 32 layers. The GPT-2 XL has 48 layers.",
                             "- GPT-2 small: 12 layers, width 768"))
    assert about.sizes == {"L": 32}


def test_what_is_meant_in_a_sentence():
    page = document("# Llama 2 7B", "It has 6.7B parameters, and GPT-2 small 124M.", "- ResNet: 25M",
                    "- Some BERT: 110M")
    about = setting(page)

    def names(word):
        one = next(one for one in page.passages if word in one.text)
        return [found.name for found in meant(about, one.start + one.text.index(word))]

    assert names("124M") == ["gpt2"]
    assert names("Llama") == ["llama-2-7b"]
    assert names("25M") == names("110M") == []  # too many may be meant


def test_a_settled_family_stays_settled():
    page = document("Count the parameters of a BERT: width 768, FFN size 3072, 12 heads, 9 layers.",
                    "Its vocabulary size is 24,000.", "The BERT has 83M, and BERT-large has 335M.")
    about, one = setting(page), page.passages[2]
    assert [found.name for found in meant(about, one.start + 14)] == ["bert-base-uncased:L=9,V=24000"]
    assert [found.name for found in meant(about, one.start + one.text.index("335"))] == [
        "bert-large-uncased", "bert-large-cased"]


def test_nothing_is_a_setting_too():
    about = setting(Document("empty.md", "", ()))
    assert (about.model, about.sizes, about.at(0).model, about.at(99)) == (None, {}, None, Setting())


@pytest.mark.parametrize(("says", "means"), [
    ("model=gpt2", {"model": "gpt2"}), ("notation=kaplan", {"notation": "kaplan"}), ("ignore", {"ignore": ()}),
    ("ignore SC101", {"ignore": ("SC101",)}), ("ignore SC101,SC102 SC103", {"ignore": ("SC101", "SC102", "SC103")}),
    ("model=bert-base-uncased:V=24000,L=9 notation=palm ignore=SC101",
     {"model": "bert-base-uncased:V=24000,L=9", "notation": "palm", "ignore": ("SC101",)}),
])
def test_directives(says, means):
    assert instructions(Directive(0, says, True)) == means


@pytest.mark.parametrize("says", [
    "", "modle=gpt2", "model=", "model", "model=gpt2 model=gpt2", "ignore=", "ignore spelling", "gpt2", "model=gpt22",
    "notation=megatrom", "model=gpt2:L", "model=gpt2:Q=3", "ignore SC1", "model=gpt2 SC101",
])
def test_directives_that_are_refused(says):
    with pytest.raises(SymcountError):
        instructions(Directive(0, says, True))


def test_an_unknown_key_is_told_with_the_known_ones():
    with pytest.raises(FormulaError, match=r"'modle'.*did you mean 'model'"):
        instructions(Directive(0, "modle=gpt2", True))


def test_a_wrong_directive_is_told_with_its_place():
    with pytest.raises(ModelError, match=r"^page\.md:3:1: no model 'gpt22'.*gpt2"):
        setting(document("Text.", "Text.", directives=[(1, "model=gpt22")]))


@pytest.mark.parametrize("text", ["steal.py", "./steal.py", "-", "-:L=2", "gpt2:steal.py", "gpt2/steal.py", "steal",
                                  "..", "config.json", "gpt2@steal.py"])
def test_a_document_names_no_file(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("steal.py", "gpt2:steal.py", "gpt2@steal.py"):
        (tmp_path / name).write_text("raise SystemExit('it ran')")
    (tmp_path / "steal").mkdir()
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "steal" / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(SymcountError, match=r"no model|no change|no part"):
        parameters(directed(text))


@pytest.mark.parametrize(("text", "sizes"), [
    ("gpt2", {"L": 12}), ("gpt2:L=9", {"L": 9, "d": 768}), ("lstm:d=3,m=2", {"d": 3}),
])
def test_directed_models(text, sizes):
    assert sizes.items() <= directed(text).values.items()


def test_an_architecture_with_all_sizes_free():
    assert directed("gpt2:").values == {"b": 1}
