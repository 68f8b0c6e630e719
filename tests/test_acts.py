"""Which activation a network has: that of its class, of a published model, or the one a configuration asks for."""

from __future__ import annotations

import re

import pytest

from networks import drawn
from symcount import ConfigError, ModelError, evaluate, flops, model, parameters, read_config
from symcount.architecture import Model
from symcount.architectures import load, types
from symcount.config import UNLEARNED
from symcount.kinds import KINDS
from symcount.network import walk


def kinds(subject, *paths):
    """The kind of the operation at each of these paths, None where there is none."""
    found = {x.path: x.details["kind"] for x in walk(subject.network()) if x.verb == "pointwise"}
    return [found.get(path) for path in paths]


MLP = "layers.mlp.act"
# configuration, class, {path: kind}
ASKED = [
    ({"model_type": "bert"}, "BertForMaskedLM", {MLP: "gelu", "head.act": "gelu"}),
    ({"model_type": "bert", "hidden_act": "relu"}, "BertForMaskedLM", {MLP: "relu", "head.act": "relu"}),
    ({"model_type": "bert", "hidden_act": "relu"}, "BertModel", {MLP: "relu", "tanh": "tanh"}),
    ({"model_type": "bert", "activation_function": "relu"}, "BertModel", {MLP: "gelu"}),  # a key it does not read
    ({"model_type": "roberta", "hidden_act": "relu"}, "RobertaForMaskedLM", {MLP: "relu", "head.act": "gelu"}),
    ({"model_type": "albert"}, "AlbertForMaskedLM", {MLP: "gelu_new", "head.act": "gelu_new"}),
    ({"model_type": "llama", "hidden_act": "swish"}, "LlamaModel", {MLP: "silu"}),
    ({"model_type": "llama", "hidden_act": "gelu_pytorch_tanh"}, "LlamaModel", {MLP: "gelu_pytorch_tanh"}),
    ({"model_type": "gemma2", "hidden_act": "relu"}, "Gemma2Model", {"layers.local.mlp.act": "gelu_pytorch_tanh"}),
    ({"model_type": "gemma2", "hidden_activation": "relu"}, "Gemma2Model", {"layers.local.mlp.act": "relu"}),
    ({"model_type": "gpt_oss", "hidden_act": "silu"}, "GptOssModel", {"layers.local.mlp.experts.act": "swiglu"}),
    ({"model_type": "bloom", "hidden_act": "relu"}, "BloomModel", {MLP: "gelu_fast"}),
    ({"model_type": "clip", "text_config": {"hidden_act": "gelu"}, "vision_config": {}}, "CLIPModel",
     {"text.layers.mlp.act": "gelu", "image.layers.mlp.act": "quick_gelu"}),
    ({"model_type": "moonshine", "decoder_hidden_act": "gelu"}, "MoonshineModel",
     {"encoder.layers.mlp.act": "gelu", "decoder.layers.mlp.act": "gelu", "encoder.conv.tanh": "tanh"}),
    ({"model_type": "moonshine", "encoder_hidden_act": "relu"}, "MoonshineModel",
     {"encoder.layers.mlp.act": "relu", "decoder.layers.mlp.act": "silu", "encoder.conv.tanh": "tanh"}),
    ({"model_type": "modernbert", "classifier_activation": "relu"}, "ModernBertForMaskedLM",
     {"layers.rest.mlp.act": "gelu", "head.act": "relu"}),
    ({"model_type": "modernbert", "hidden_activation": "relu"}, "ModernBertForMaskedLM",
     {"layers.rest.mlp.act": "relu", "head.act": "gelu"}),
    ({"model_type": "mamba", "hidden_act": "relu"}, "MambaModel",
     {"layers.mixer.act": "relu", "layers.mixer.gate_act": "silu"}),
    ({"model_type": "t5"}, "T5Model", {"encoder.layers.mlp.act": "relu"}),
    ({"model_type": "t5", "feed_forward_proj": "gated-gelu"}, "T5Model", {"encoder.layers.mlp.gated.act": "gelu_new"}),
    ({"model_type": "t5", "feed_forward_proj": "gated-silu"}, "T5Model", {"decoder.layers.mlp.gated.act": "silu"}),
    ({"model_type": "t5", "dense_act_fn": "gelu"}, "T5Model", {"encoder.layers.mlp.act": "gelu"}),
    ({"model_type": "openai-gpt", "afn": "gelu"}, "OpenAIGPTModel", {MLP: "gelu_new"}),
    ({"model_type": "openai-gpt", "afn": "swish"}, "OpenAIGPTModel", {MLP: "silu"}),
    ({"model_type": "xlm", "gelu_activation": False}, "XLMModel", {MLP: "relu"}),
    ({"model_type": "xlnet"}, "XLNetForSequenceClassification", {"classifier.act": "tanh"}),
    ({"model_type": "xlnet", "summary_activation": None}, "XLNetForSequenceClassification", {"classifier.act": None}),
    ({"model_type": "dbrx", "ffn_config": {"ffn_act_fn": {"name": "gelu"}}}, "DbrxModel",
     {"layers.mlp.experts.act": "gelu"}),
    ({"model_type": "apertus"}, "ApertusModel", {MLP: "xielu"}),
    ({"model_type": "apertus", "hidden_act": "relu2"}, "ApertusModel", {MLP: "relu2"}),
    ({"model_type": "deepseek_v4", "scoring_func": "sigmoid"}, "DeepseekV4Model",
     {"layers.csa.mlp.routing": "sigmoid"}),
    ({"model_type": "deberta-v2", "conv_kernel_size": 3}, "DebertaV2Model", {"mixer.act": "tanh"}),
    ({"model_type": "deberta-v2", "conv_kernel_size": 3, "conv_act": "gelu"}, "DebertaV2Model",
     {"mixer.act": "gelu", "layers.rest.mlp.act": "gelu"}),
    ({"model_type": "t5", "hidden_act": "silu"}, "T5Model", {"encoder.layers.mlp.act": "relu"}),
    ({"model_type": "mobilebert"}, "MobileBertModel", {"layers.attention_norm": "bias"}),
    ({"model_type": "gpt2"}, "GPT2DoubleHeadsModel", {MLP: "gelu_new", "classifier_act": None}),
    ({"model_type": "openai-gpt", "summary_activation": "tanh"}, "OpenAIGPTDoubleHeadsModel",
     {MLP: "gelu_new", "classifier_act": "tanh"}),
    ({"model_type": "axk2", "hidden_act": "relu"}, "AXK2Model",
     {"layers.moe.mlp.experts.act": "relu", "layers.moe.mlp_norm.act": "silu"}),
    ({"model_type": "hy_v4", "hidden_act": "relu"}, "HYV4Model",
     {"layers.dense.mlp.act": "relu", "layers.moe.mlp.shared.act": "relu", "layers.moe.mlp.experts.act": "silu"}),
    # What a table says that is there, and the whole where it is absent
    ({"model_type": "lighton_ocr"}, "LightOnOcrModel", {"image.layers.mlp.act": "silu"}),
    ({"model_type": "lighton_ocr", "vision_config": {}}, "LightOnOcrModel", {"image.layers.mlp.act": "gelu"}),
    ({"model_type": "llava", "vision_config": {"vocab_size": 32000}}, "LlavaModel",
     {"image.layers.first.mlp.act": "quick_gelu"}),
]


@pytest.mark.parametrize(("config", "cls", "wanted"), ASKED, ids=[f"{config} {cls}" for config, cls, _ in ASKED])
def test_what_a_configuration_asks_for(config, cls, wanted):
    assert kinds(read_config(config, head=cls), *wanted) == [*wanted.values()]


@pytest.mark.parametrize("told", ["snake", "dropout", "bias", "layer_norm", "softmax", "SiLU", "", 3, None, ["gelu"]])
def test_what_transformers_has_not_is_no_known_kind(told):
    plain, other = read_config({"model_type": "llama"}), read_config({"model_type": "llama", "hidden_act": told})
    kind, = kinds(other, MLP)
    assert kind.startswith("hidden_act = ")
    assert parameters(plain).total == parameters(other).total
    assert flops(plain, s=9).total == flops(other, s=9).total


def test_an_unknown_activation_is_refused_where_it_matters():
    config = {"model_type": "gpt2", "vocab_size": 3, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_positions": 2}
    known, unknown = (read_config({**config, "activation_function": told}, head="GPT2Model") for told in (
        "relu", "snake"))
    weights = drawn(known.network(), known.values)
    evaluate(known, weights=weights, ids=[[0]])
    with pytest.raises(ModelError, match=re.escape("""layers.mlp.act: 'activation_function = "snake"' of up""")):
        evaluate(unknown, weights=weights, ids=[[0]])


@pytest.mark.parametrize("config", [
    {"model_type": "llama", "hidden_act": "prelu"}, {"model_type": "t5", "feed_forward_proj": "gated-prelu"},
    {"model_type": "openai-gpt", "afn": "xielu"},
    {"model_type": "dbrx", "ffn_config": {"ffn_act_fn": {"name": "prelu"}}}])
def test_an_activation_with_weights_is_refused(config):
    with pytest.raises(ConfigError, match="this activation has weights"):
        read_config(config)


def test_one_network_does_not_change_the_next():
    with pytest.raises(ModelError):
        model("bert:d=8,lora=1@nothing").network()
    other = read_config({"model_type": "bert", "hidden_act": "relu"}, head="BertModel")
    assert kinds(other, MLP) == kinds(other.replace(L=3), MLP) == ["relu"]
    assert kinds(model("bert"), MLP) == ["gelu"]


@pytest.mark.parametrize(("name", "path", "kind"), [
    ("gpt2", MLP, "gelu_new"), ("gpt-neox-20b", MLP, "gelu_fast"), ("pythia-70m", MLP, "gelu"),
    ("opus-mt-en-de", "encoder.layers.mlp.act", "silu"), ("pegasus-xsum", "decoder.layers.mlp.act", "relu"),
    ("lightonocr-1b", "image.layers.mlp.act", "silu"),
    ("clip-vit-h-14", "image.layers.mlp.act", "gelu"), ("clip-vit-base-patch32", "image.layers.mlp.act", "quick_gelu"),
    ("t5-small", "encoder.layers.mlp.act", "relu"), ("flan-t5-small", "encoder.layers.mlp.gated.act", "gelu_new")])
def test_published_models(name, path, kind):
    assert kinds(model(name), path) == [kind]


def test_the_kinds_are_these():
    found = set()
    for kind in types():
        architecture = load(kind)
        found |= {x.details["kind"] for cls in architecture.classes if kind != "mlp"
                  for x in walk(Model(architecture, {}, cls=cls).network()) if x.verb == "pointwise"}
    assert found <= {*KINDS, *UNLEARNED}
    assert found >= set(KINDS) - {"adapt"}  # of PVT v2 with linear_attention, which no class default has
