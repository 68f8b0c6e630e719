"""Sizes that a passage states however it is typeset, sizes that it does not state, and how it says that it counts."""

from __future__ import annotations

import re

import pytest

from symcount.architectures import family
from symcount.documents.passages import Passage
from symcount.errors import ModelError
from symcount.notations import notation, notations
from symcount.plain import Plain
from symcount.stated import BOUNDS, KEYS, manner, stated
from symcount.symbols import TABLE


def passage(text, kind="text"):
    """A passage whose mathematics stands between dollars."""
    return Passage(kind, 0, text, tuple((one.start() + 1, one.end() - 1) for one in re.finditer(r"\$[^$]+\$", text)))


def row(text, number=1):
    cells = tuple(one.span() for one in re.finditer(r"[^|]+", text))
    return Passage("row", 0, text, (), cells, (0, number))


def sizes(one):
    return {said.letter: said.value for said in stated(one)}


@pytest.mark.parametrize(("text", "meant"), [
    # words
    ("The encoder has 6 layers, width 384 and 6 heads.", {"L": 6, "d": 384, "heads": 6}),
    ("Its hidden size is 640; the vocabulary has no limit.", {"d": 640}),
    ("We train a 10-layer decoder with 320-dimensional embeddings.", {"L": 10, "d": 320}),
    ("The embedding dimension is again 1,280.", {"d": 1280}),
    ("A model of model dimension 512 with FFN width 2,048.", {"d": 512, "h": 2048}),
    ("40 query heads and 10 key/value heads of size 96, in every model.", {"heads": 40, "kv": 10, "k": 96}),
    ("It has 16 attention heads and 4 KV heads.", {"heads": 16, "kv": 4}),
    ("The vocabulary of 24,576 tokens is learned with the model.", {"V": 24576}),
    ("vocabulary size: 24576", {"V": 24576}),
    ("A 24,576-token vocabulary for all models.", {"V": 24576}),
    ("The model reads sequences of up to 768 tokens.", {"P": 768}),
    ("The context length is 6,144.", {"P": 6144}),
    ("At 640 tokens of context the scores of the model cost more.", {"s": 640}),
    ("A batch of 48 fits into memory with the model.", {"b": 48}),
    ("hidden size (320) and heads (5) stay as they are", {"d": 320, "heads": 5}),
    ("layers: 9, heads: 5, hidden size: 320", {"L": 9, "heads": 5, "d": 320}),
    ("ViT on images of 192 px, patches of 12 × 12", {"side": 192, "patch": 12}),
    ("There are 16 experts, 2 experts per token, in this model.", {"E": 16, "K": 2}),
    ("In the MLP, vectors go from 320 dimensions to 1280 dimensions, and then back from 1280 to 320.", {"h": 1280}),
    # TeX
    ("A model with $L = 18$ layers, width $d = 640$ and $n = 10$ heads.", {"L": 18, "d": 640, "heads": 10}),
    ("a vocabulary of $V = 24{,}576$ tokens", {"V": 24576}), ("a vocabulary of $24\\,576$ tokens", {"V": 24576}),
    ("a vocabulary of 24 576 tokens", {"V": 24576}), ("a vocabulary of 24\u202f576 tokens", {"V": 24576}),
    ("a vocabulary of 24_576 tokens", {"V": 24576}),
    ("The context is $T = 3072$ tokens.", {"P": 3072}),
    ("$d_{\\text{model}} = 640$, $d_{\\mathrm{ff}} = 2560$", {"d": 640, "h": 2560}),
    ("An FFN of inner width $4d$ follows.", {"h": "4d"}), ("FFN width $4 \\cdot d = 2{,}560$", {"h": 2560}),
    ("with $d = 640$ in the model", {"d": 640}),
    # code and configurations
    ("n_layer=9, n_head=5, n_embd=320", {"L": 9, "heads": 5, "d": 320}),
    ('"num_hidden_layers": 9, "intermediate_size": 1280, "num_key_value_heads": 1', {"L": 9, "h": 1280, "kv": 1}),
])
def test_what_is_stated(text, meant):
    assert sizes(passage(text)) == meant


@pytest.mark.parametrize("text", [
    # parts, other models, what might be
    "A layer of 128 units in the network.", "Each head of the model has 64-dimensional outputs.",
    "The 6-layer student of the model", "8 heads of the student model", "a model with 24-layer teacher",
    "With 48 layers the model would not fit.", "If the model had 48 layers", "smaller than a model with 48 layers",
    "8 instead of 64 heads in the model", "the first 4 layers of the model", "layers from 12 → 6 in the model",
    "between 6 and 12 layers of the model", "LoRA of rank 8 in a model of width 768", "The LSTM has hidden size 256.",
    "6 encoder layers and 6 decoder layers", "3 convolutional layers of the network", "2 dense layers of the network",
    # operands and results
    "$2 d V = 65{,}536$ in the model", "the model's width 4 × 96 = 384", "6 × 2 = 12 layers of the model",
    "$d = 768 / 12$ in the model", "12 layers × 7 = 84", "$L = 3 \\cdot 4$ layers",
    # numbers that are none
    "a vocabulary of 128K tokens", "a vocabulary of 4.5 tokens", "GPT-2 layers in the model", "width 2e3 of the model",
    "Table 4 layers of the model", "layer 12 heads of the model", "chapter 2 layers of the network",
    "width 10^3 of the model",
    # other fields
    "The cake has 3 layers.", "2 heads of garlic and 3 layers of pasta", "a beam of width 3 mm, d = 120 m",
    "a page of width 640 px", "on 3 May 2021, 12 layers of paint", "It costs 1,240 dollars at version 2.5.1.",
    "Children know a vocabulary of 5,000 words.", "a batch of 24 biscuits", "$d = 64$ is the distance", "width: 300",
    "positions 12 to 40", "a depth of 12", "128 bits", "12 heads of cattle",
    # no size of a network
    "a vocabulary of 25,755,648 tokens in the model", "The model has 5000 layers.",
])
def test_what_is_not_stated(text):
    assert stated(passage(text)) == []


@pytest.mark.parametrize(("text", "meant"), [
    ("| vocab_size | 24,576 |", {"V": 24576}), ("| hidden size | 320 |", {"d": 320}), ("| n_layer | 9 |", {"L": 9}),
    ("| block_size | 640 |", {"P": 640}), ("| FFN | 4 x n_embd = 1,280 |", {"h": 1280}),
    ("| heads | 5 |", {"heads": 5}), ("| vocabulary | 24,576 tokens |", {"V": 24576}),
    ("| FFN | 1,280 |", {}), ("| vocabulary | 25,755,648 |", {}), ("| width | 3 mm |", {}), ("| width | 4 x 96 |", {}),
    ("| n_layer | 9 | 12 |", {}), ("| name | 12 |", {}),
])
def test_rows(text, meant):
    assert sizes(row(text)) == meant
    assert stated(row(text, 0)) == []  # the header


def test_code_is_read_for_keys_only():
    assert sizes(passage("n_layer = 9  # 12 heads of the model", "code")) == {"L": 9}


def test_spans_symbols_and_order():
    text = "Its width is $w = 640$; $L = 18$ layers follow in the model."
    assert [(text[one.start:one.end], one.letter, one.symbol) for one in stated(passage(text))] == [
        ("width is $w = 640", "d", "w"), ("L = 18$ layers", "L", "L")]


@pytest.mark.parametrize(("field", "value", "texts"), [
    ("biases", False, ["No biases.", "There are no biases at all", "all without bias terms.", "we ignore biases,",
                       "Biases are left out.", "biases and norms are ignored"]),
    ("biases", True, ["biases in every linear layer", "counted with biases.", "bias terms included"]),
    ("biases", None, ["no biases in the attention", "a model with no bias against anybody", "The jury has no bias."]),
    ("norms", False, ["ignoring biases and norms", "LayerNorms are ignored."]),
    ("norms", "rms", ["It has RMSNorm."]), ("norms", "layer", ["LayerNorm in front", "layer normalization"]),
    ("norms", None, ["LayerNorm there, RMSNorm here", "the norm of a vector", "without normalization of inputs"]),
    ("tied", True, ["tied embeddings", "the head is tied to the word table", "weight tying"]),
    ("tied", False, ["untied", "a head that is not tied to the embedding", "without weight tying", "separate LM head"]),
    ("tied", None, ["a tied game", "tied to the mast", "tied embeddings in one, untied in the other"]),
    ("positions", "learned", ["learned positions", "learnable positional embeddings"]),
    ("positions", "rotary", ["with RoPE", "rotary embeddings"]), ("positions", None, ["learned positions or RoPE"]),
    ("gated", True, ["a SwiGLU block", "an MLP made of three matrices", "a gated MLP"]),
    ("gated", False, ["the FFN consists of two linear transformations"]),
    ("flop_per_mac", 2, ["2 FLOPs per multiply-add", "a multiply-add counts as two FLOPs", "1 MAC = 2 FLOPs"]),
    ("flop_per_mac", 1, ["a MAC is one FLOP", "we write FLOPs = MACs"]),
    ("bias_vectors", 1, ["one bias vector per gate", "the Keras convention"]),
    ("bias_vectors", 2, ["two bias vectors", "the PyTorch convention"]),
    ("bytes_per_value", 2, ["everything in 16 bits", "weights in bf16", "16-bit floats", "half precision",
                  "2 bytes per parameter"]),
    ("bytes_per_value", 4, ["stored in float32", "single precision", "4 bytes per weight"]),
    ("bytes_per_value", None, ["a 32-bit processor", "float32, then bf16", "a 16 bit converter"]),
])
def test_the_manner_of_counting(field, value, texts):
    for text in texts:
        told = getattr(manner([Passage("text", 50, text)]), field)
        assert (told and told.value) == (value if told else None), text
        assert (told is None) == (value is None), text
        assert told is None or 50 <= told.start < told.end <= 50 + len(text), text


def test_plain_words():
    text = "A 12-layer $d_{\\text{model}} = 1{,}024$, GPT-2, 4.5M or 6–8; 3 x 4."
    assert Plain(text).text == " A #12 layer d_model = #1024 , gpt - @2 , @4 M or #6 - #8 ; #3 × #4 . "


@pytest.mark.parametrize("text", [
    "9" * 200_000, "width " + "1,000" + ",000" * 50_000, "12 layers and width 768, " * 8_000, "$" * 200_000,
    "from 768 dimensions to 3072 dimensions " * 5_000, "a_" * 100_000, "\\text{" * 40_000, "no " * 60_000 + "biases",
    "d = " * 50_000, "width width " * 20_000, "\x00\ud800 12 layers \u202e",
])
def test_strange_texts_end(text):
    assert all(said.start < said.end <= len(text) for said in stated(passage(text)))
    manner([passage(text)])


def test_letters_of_the_tables_are_ours():
    assert set(BOUNDS) | set(KEYS.values()) <= set(TABLE)
    assert {letter for name in notations() for letter in notation(name).values()} <= set(TABLE)


@pytest.mark.parametrize(("name", "file"), [("huggingface", "llama"), ("gpt2", "gpt2")])
def test_keys_mean_what_they_mean_to_a_configuration(name, file):
    keys = family(file)[0].keys
    shared = [(letter, keys[key][0]) for key, letter in notation(name).items() if key in keys]
    assert len(shared) > 5
    assert all(ours == read for ours, read in shared)


@pytest.mark.parametrize(("name", "symbol", "letter"), [
    ("megatron", "h", "d"), ("megatron", "a", "heads"), ("kaplan", "d_ff", "h"), ("palm", "Q", "k"), ("palm", "T", "s"),
    ("attention-paper", "N", "L"), ("scaling-book", "N", "heads"), ("scaling-book", "F", "h"), ("chinchilla", "N", "N"),
])
def test_notations(name, symbol, letter):
    assert notation(name)[symbol] == letter


def test_an_unknown_notation_is_refused():
    with pytest.raises(ModelError, match="megatron"):
        notation("megatrom")
