"""Reading configurations: what a key does, and the full text of every refusal."""

from __future__ import annotations

import contextlib
import json

import pytest

from symcount import ConfigError, SymcountError, flops, parameters, read_config
from symcount.architectures import load, types

KINDS = [name for name in types() if load(name).keys]
TYPES = ", ".join([*sorted(KINDS)[:24], "…"])
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
BERT = {"model_type": "bert", "architectures": ["BertForMaskedLM"]}

REFUSED = [  # configuration, the whole message
    ({}, f"config: no key 'model_type', so the family is unknown; known: {', '.join(KINDS)}"),
    ({"model_type": "lama"}, "config: model_type = \"lama\" is not supported; did you mean 'llama'?"),
    ({"model_type": 3}, f"config: model_type = 3 is not supported; known: {TYPES}"),
    ({"model_type": "mlp"}, f"config: model_type = \"mlp\" is not supported; known: {TYPES}"),
    ({**LLAMA, "hidden_sizes": 4096}, "config: unknown key 'hidden_sizes', did you mean 'hidden_size'?"),
    ({**LLAMA, "hidden_size": "4096"}, 'config: hidden_size = "4096": a whole number is needed'),
    ({**LLAMA, "hidden_size": 4096.0}, "config: hidden_size = 4096.0: a whole number is needed"),
    ({**LLAMA, "hidden_size": True}, "config: hidden_size = true: a whole number is needed"),
    ({**LLAMA, "hidden_size": None}, "config: hidden_size = null: a whole number is needed"),
    ({**LLAMA, "hidden_size": -8}, "config: hidden_size: d = -8: model width is a whole number of at least 1"),
    ({**LLAMA, "num_hidden_layers": 10**16}, "config: num_hidden_layers: L has 17 digits; the largest size read is "
                                             "1,000,000,000,000,000"),
    ({**LLAMA, "num_attention_heads": 10},
     "config: k = d/heads is not a whole number of at least 1 for d = 4,096, heads = 10 (d is hidden_size, heads is "
     "num_attention_heads, k is head_dim)"),
    ({**LLAMA, "tie_word_embeddings": 1}, "config: tie_word_embeddings = 1: true or false is needed"),
    ({**LLAMA, "architectures": ["LlamaForMaskedLM"]}, "config: class 'LlamaForMaskedLM' is not written for llama; "
                                                       "did you mean 'LlamaForCausalLM'?"),
    ({**LLAMA, "architectures": "LlamaForCausalLM"}, 'config: architectures = "LlamaForCausalLM": a list of class '
                                                     "names is needed"),
    ({**LLAMA, "is_encoder_decoder": True}, "config: is_encoder_decoder = true is not supported (this family has one "
                                            "stack); supported: false"),
    ({**BERT, "add_cross_attention": True}, "config: add_cross_attention = true is not supported (cross attention is "
                                            "not written for this family); supported: false"),
    ({**BERT, "position_embedding_type": "relative_key"},
     'config: position_embedding_type = "relative_key" is not supported (relative keys have a table of their own); '
     'supported: "absolute"'),
    ({**BERT, "pruned_heads": {"0": [1]}}, 'config: pruned_heads = {"0": [1]} is not supported (pruned heads leave '
                                           "layers of unlike shapes); supported: {}, null"),
    ({**BERT, "id2label": {"0": "a", "1": "b", "2": "c"}, "num_labels": 5},
     "config: id2label has 3 labels and num_labels is 5"),
    ({**BERT, "id2label": ["a"]}, 'config: id2label = ["a"]: a table of labels is needed'),
    ({"model_type": "phi4_multimodal", "audio_config": {"downsample_rate": 2}},
     "config: audio_config.downsample_rate = 2 is not supported (the tower for sounds of Phi-4-multimodal has one "
     "size); supported: 1"),
    ({"model_type": "phi4_multimodal", "audio_config": {"nemo_final_size": 11}},
     "config: audio_config.nemo_final_size = 11 is not supported (the tower for sounds of Phi-4-multimodal has one "
     "size); supported: 10"),
    ({"model_type": "bros", "dim_bbox_projection": 17},
     "config: dim_bbox_projection = 17 is not supported: 64 follows from hidden_size = 768 and "
     "num_attention_heads = 12"),
    ({"model_type": "mobilebert", "true_hidden_size": 9},
     "config: true_hidden_size = 9 repeats intra_bottleneck_size, and intra_bottleneck_size is 128"),
    ({"model_type": "gpt2", "n_vocab": 50258}, "config: n_vocab = 50258 repeats vocab_size, and vocab_size is 50257"),
    ({"model_type": "gpt2", "adapters": {"adapters": {"a": "b"}, "config_map": {}}},
     'config: adapters = {"adapters": {"a": "b"}, "config_map": {}} is not supported (adapters have weights of their '
     'own); supported: {"adapters": {}, "config_map": {}}, {}, null'),
    ({**LLAMA, "sliding_window": 4096}, "config: sliding_window = 4096 is not supported (windows are not written for "
                                        "this family); supported: null"),
    ({"model_type": "minimax_m2", "attn_type_list": [1, 0]},
     "config: attn_type_list: a list with 1 for every layer is needed; other attention is not written"),
    ({"model_type": "t5", "is_gated_act": None}, "config: is_gated_act = None: true or false is needed"),
    ({"model_type": "gpt2", "n_embd": 768, "hidden_size": 1024},
     "config: 'n_embd' and 'hidden_size' are one key with two values"),
]


@pytest.mark.parametrize(("config", "said"), REFUSED, ids=[said[:60] for _, said in REFUSED])
def test_refused(config, said):
    with pytest.raises(ConfigError) as error:
        parameters(read_config(config))
    assert str(error.value) == said


FILES = [  # what the file holds, how the message goes on after the path (Python's own words differ by version)
    ("", ", line 1, column 1: not JSON: "),
    ('{"model_type" "llama"}', ", line 1, column 15: not JSON: "),
    ("[1, 2]", ": a JSON object is needed, not list"),
    ('{"hidden_size": 1, "hidden_size": 2}', ": cannot be read as JSON: the key 'hidden_size' stands twice"),
    ("[" * 100_000, ": cannot be read as JSON: maximum recursion depth exceeded"),
    ("\xff", ": cannot be read as JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    (" " * 5_000_000, ": a configuration has at most 4,000,000 bytes"),
]


@pytest.mark.parametrize(("text", "said"), FILES, ids=[said[:50] for _, said in FILES])
def test_unreadable_files(tmp_path, text, said):
    path = tmp_path / "config.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as error:
        read_config(str(path))
    assert str(error.value).startswith(f"{path}{said}")


def test_missing_files(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_config(str(tmp_path / "none.json"))
    with pytest.raises(ConfigError, match=r"config\.json: no such file"):
        read_config(str(tmp_path))  # a folder without one


def test_a_folder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "hidden_size": 2048}), encoding="utf-8")
    assert parameters(read_config(tmp_path)).values["d"] == 2048


def test_absent_keys_take_the_class_default_and_say_so():
    bert = read_config({"model_type": "bert", "hidden_size": 768})
    assert bert.cls == "BertModel"
    assert parameters(bert).total == 109_482_240  # all defaults: BERT base
    assert bert.conventions[-1] == (
        "defaults taken: vocab_size=30522, max_position_embeddings=512, type_vocab_size=2, intermediate_size=3072, "
        "num_hidden_layers=12, num_attention_heads=12, is_decoder=false")
    assert ("hidden_size", "768", "d") in bert.keys
    assert ("vocab_size", "absent", "class default: V = 30522") in bert.keys
    assert ("architectures", "null", "absent: base model BertModel") in bert.keys


def test_null_follows_where_the_class_lets_it():
    """num_key_value_heads and head_dim are null in LlamaConfig until heads and width fill them."""
    given = {**LLAMA, "hidden_size": 512, "num_attention_heads": 8, "num_key_value_heads": None, "head_dim": None}
    assert read_config(given).values["kv"] == 8
    assert read_config(given).values["k"] == 64


def test_head_width_of_its_own():
    """Gemma-like: heads times head width need not be the model width. 2·300·(20·3) + 2·300·20 by hand."""
    tiny = read_config({**LLAMA, "hidden_size": 300, "num_attention_heads": 3, "num_key_value_heads": 1,
                        "head_dim": 20, "num_hidden_layers": 1})
    assert parameters(tiny).where("attention").total == 2 * 300 * 60 + 2 * 300 * 20


def test_labels():
    assert read_config({**BERT, "id2label": {str(i): f"label {i}" for i in range(7)}}).values["C"] == 7
    assert read_config({**BERT, "num_labels": 4}).values["C"] == 4
    assert read_config(BERT).values["C"] == 2


def test_aliases():
    gpt2 = read_config({"model_type": "gpt2", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16},
                       head="GPT2LMHeadModel")
    assert parameters(gpt2).total == 354_823_168  # gpt2-medium


def test_masked_lm_of_bert_base():
    """The class of bert-base-uncased's own config.json: no pooler, the transform and its biases instead."""
    assert parameters(read_config(BERT)).total == 109_514_298
    assert flops(read_config(BERT), b=1, s=128).total == 28_499_116_032  # FlopCounterMode, torch 2.13


def test_positions_bound_the_sequence():
    from symcount import SizeError

    short = read_config({"model_type": "gpt2", "n_positions": 16}, head="GPT2LMHeadModel")
    assert flops(short, s=16).total > 0
    with pytest.raises(SizeError) as error:
        flops(short, s=17)
    assert str(error.value) == "gpt2 (GPT2LMHeadModel): s = 17 is more than P = 16"


@pytest.mark.parametrize(("old", "new", "kind"), [("T5WithLMHeadModel", "T5ForConditionalGeneration", "t5"),
                                                  ("LLaMAForCausalLM", "LlamaForCausalLM", "llama")])
def test_a_class_that_was_renamed_is_read(old, new, kind):
    assert read_config({"model_type": kind, "architectures": [old]}).cls == new


# ---------------------------------------------------------------- whatever a stranger writes

STRANGE = [None, True, "x", "", -1, 0, 3, 2.5, 10**30, [], [1], ["x"], [None, {}], {}, {"a": 1}, [[["x"], 2]]]


@pytest.mark.parametrize("kind", KINDS)
def test_strange_values_are_read_or_refused(kind):
    """Any value of any key: a model, or a refusal of ours; never another error."""
    architecture = load(kind)
    for key in (*architecture.keys, *architecture.reads, *architecture.only, *architecture.same):
        table, _, inner = key.partition(".")
        for entry in STRANGE:
            for written in [{key: entry}] if not inner else [{table: {inner: entry}}, {table: entry}]:
                with contextlib.suppress(SymcountError):
                    found = read_config({"model_type": kind, **written})
                    if key in architecture.reads:
                        found.network(found.number)
