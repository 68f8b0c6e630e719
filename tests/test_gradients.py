"""What a backward pass goes through, beside PyTorch: what nothing reads, and what only chooses, has no gradient."""

from __future__ import annotations

import pytest

import agreement
from symcount import ModelError, activations, flops, model

ROWS = {row["id"]: row for row in agreement.rows(own=True)}

# FlopCounterMode around a forward and a backward pass of the sum of all outputs, all weights trained, with torch 2.13.0
# and transformers 5.23.0, on the meta device or the CPU
TRAINING = [
    ("canine/own1/CanineForSequenceClassification", "1x128", 37_874_592),      # characters are made, and not read
    ("lilt/own4/LiltModel", "1x128", 21_462_528),                              # places run through the last layer
    ("lilt/own1/LiltForSequenceClassification", "1x128", 53_836_704),
    ("fnet/own3/FNetForTokenClassification", "1x128", 6_160_896),              # a pooler runs
    ("bros/own2/BrosSpadeELForTokenClassification", "1x77", 182_289_664),
    ("luke/own1/LukeForMaskedLM", "1x128", 46_195_200),
    ("dpr/own3/DPRReader", "1x128", 61_125_408),                               # a map of the first token runs
    ("deepseek_v32/own2/DeepseekV32Model", "1x7", 693_714),                    # an indexer chooses
    ("glm_moe_dsa/own3/GlmMoeDsaForCausalLM", "1x7", 1_264_578),
    ("xlstm/own1/xLSTMForCausalLM", "1x7", 2_253_300),
    ("gemma3n_text/own1/Gemma3nForCausalLM", "1x7", 3_405_528),
    ("esmc/own1/EsmcForMaskedLM", "1x128", 60_211_200),
    ("kolibri1/own1/Kolibri1ForCausalLM", "1x7", 145_375_641_600),
    ("t5gemma/own1/T5GemmaForConditionalGeneration", "1x9+4", 6_766_464),
    ("axk1/own1/AXK1ForCausalLM", "1x7", 1_702_176),
]


@pytest.mark.parametrize(("row", "shape", "number"), TRAINING, ids=[row for row, *_ in TRAINING])
def test_training(row, shape, number):
    subject = agreement.row_model(ROWS[row])
    assert flops(subject, phase="train", **agreement.run_of(shape, subject)).total == number


@pytest.mark.parametrize("counted", [lambda subject: flops(subject, phase="train", s=9), activations])
def test_runs_without_a_gradient_are_refused(counted):
    with pytest.raises(ModelError, match=r"some runs of its fast stack have no gradient \(L_bp_cycles\), so "):
        counted(model("hrm-text-1b"))


def test_a_convention_that_takes_a_backward_pass_for_twice_a_forward_pass_goes_on():
    assert flops(model("hrm-text-1b"), "palm", phase="train", s=9).total > 0
