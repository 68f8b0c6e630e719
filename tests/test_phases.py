"""Phases of work, each against another way to the same number; against torch: test_phases_live.py."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symcount import ModelError, SizeError, flops, model, multiply_adds, train
from symcount.sizes import same

DECODERS = ["llama-7b", "gpt2", "llama-3-8b", "mixtral-8x7b", "gemma-3-1b", "gpt-oss-20b"]


def total(name, phase="forward", convention="matmul", **sizes):
    return flops(model(name), convention, phase, **sizes).total


@pytest.mark.parametrize("name", DECODERS)
def test_decoding_every_token_is_the_causal_forward_pass(name):
    """Token t attends to t others, its own among them: in all, the pairs that a causal mask leaves."""
    assert sum(total(name, "decode", t=t) for t in range(1, 41)) == total(name, convention="causal", s=40)


@pytest.mark.parametrize("name", DECODERS)
def test_generation_is_a_prompt_and_steps(name):
    s, new = (1020, 10) if name != "gpt2" else (1000, 10)  # beyond the windows of gemma-3 and gpt-oss
    steps = sum(total(name, "decode", t=s + i) for i in range(1, new))
    assert total(name, "generate", s=s, new=new) == total(name, s=s) + steps
    assert total(name, "generate", s=s, new=1) == total(name, s=s)


def test_an_encoder_is_run_once_for_a_text():
    steps = sum(total("t5-small", "decode", s=40, t=1 + i) for i in range(1, 20))
    assert total("t5-small", "generate", s=40, new=20) == total("t5-small", s=40, u=1) + steps


@pytest.mark.parametrize("name", [*DECODERS, "bert-base-uncased", "t5-small"])
def test_training_is_three_forward_passes_where_everything_is_trained(name):
    assert total(name, "backward", s=64) == 2 * total(name, s=64)
    assert total(name, "train", s=64) == 3 * total(name, s=64)


def test_an_image_needs_no_gradient():
    """Of its first product only the weights do: a backward pass is less than twice the forward pass by one of it."""
    vit = flops(model("vit-base-patch16-224"))
    first = vit.where("embeddings").total
    assert first == 2 * 196 * 768 * 768
    assert flops(model("vit-base-patch16-224"), phase="backward").total == 2 * vit.total - first


@pytest.mark.parametrize("phase", ["backward", "train"])
def test_layers_that_never_run_change_nothing_of_adapters(phase):
    """Qwen2 has layers with a window, and here none of them: it multiplies as LLaMA of the same sizes does."""
    qwen = model("qwen2-0.5b:lora=8@query+value", s=64)
    sizes = ",".join(f"{name}={qwen.values[name]}" for name in ("V", "d", "h", "L", "heads", "kv", "k"))
    llama = model(f"llama:{sizes},lora=8@query+value", head="LlamaForCausalLM", s=64)
    assert flops(qwen, phase=phase).total == flops(llama, phase=phase).total


def test_recomputation_is_of_layers_and_not_of_the_head():
    ledger = flops(model("llama-7b"), s=2048)
    layers, head = ledger.where("layers").total, ledger.where("head").total
    assert total("llama-7b", "recompute", s=2048) == 4 * layers + 3 * head
    scores = 2 * 32 * 2048**2 * 4096  # 2·L·s²·d for the one product, as much for the other
    assert total("llama-7b", "selective", s=2048) == 3 * ledger.total + 2 * scores
    assert total("llama-7b", "flash", s=2048) == 3 * ledger.total + scores


def test_flash_attention_runs_backward_two_and_a_half_times():
    """Five products for two: Dao et al. 2022, algorithm 4."""
    step = flops(model("llama-7b"), phase="flash", s=2048)
    forward = flops(model("llama-7b"), s=2048).where("scores").total * 2
    backward = step.total - 3 * flops(model("llama-7b"), s=2048).total + 2 * forward
    assert backward * 2 == 5 * forward


@pytest.mark.parametrize("phase", ["forward", "decode", "backward", "train", "recompute", "selective", "flash",
                                   "generate"])
def test_letters_and_numbers_agree(phase):
    sizes = {"b": 3, "s": 1 if phase == "decode" else 50, **({"t": 70} if phase == "decode" else {}),
             **({"new": 7} if phase == "generate" else {})}
    free = flops(model("llama:"), phase=phase)
    numbers = flops(model("llama-3-8b"), phase=phase, **sizes)
    values = {**model("llama-3-8b").values, **sizes}
    assert free.closed_form.subs({symbol: values[symbol.name] for symbol in free.closed_form.free_symbols}
                                 ) == numbers.total
    assert numbers.total == 2 * multiply_adds(model("llama-3-8b"), phase=phase, **sizes).total


@pytest.mark.parametrize("seconds", [1, 7, 86_400])
def test_days_of_training_that_takes_whole_seconds(seconds):
    """A device that does all of the work in so many seconds."""
    one = model("gpt2", s=10)
    work = 3 * flops(one).total * 10**6  # of 10⁷ tokens
    row, = (row for row in train(one, 10**7, devices=1, peak=Fraction(work, seconds), mfu=1).rows if row[0] == "days")
    assert row[1].exact == Fraction(seconds, 86_400)


def test_parts_of_a_step():
    step = flops(model("gpt2"), phase="train", s=10)
    assert list(step.by(1)) == ["forward", "backward"]
    assert step.where("mlp").total == 3 * flops(model("gpt2"), s=10).where("mlp").total


def test_generation_in_letters():
    """L(8d² + 6dh) for each token, and 4Ld for each pair: s² of the prompt, then s + 1, s + 2, …"""
    from symcount.symbols import L, V, b, d, h, new, s

    found = flops(model("llama:k=d/heads,kv=heads"), phase="generate").closed_form
    pairs = s**2 + (new - 1) * s + (new - 1) * new / 2
    assert (found - b * ((s + new - 1) * (L * (8 * d**2 + 6 * d * h) + 2 * V * d) + 4 * L * d * pairs)).expand() == 0


REFUSED = [
    (lambda: total("llama-7b", "decoding"), ModelError, "unknown phase 'decoding'; did you mean 'decode'?"),
    (lambda: total("llama-7b", "forward", s=4, new=3), ModelError, "new, tokens to come after a prompt, is read by the "
                                                                   "phase generate, not by forward"),
    (lambda: total("llama-7b", "generate", s=4, t=9, new=3), ModelError,
     "generate: t follows the prompt; say s (tokens of the prompt) and new (tokens to come)"),
    (lambda: total("gpt2", "generate", s=1000, new=26), SizeError, "s + new - 1 = 1,025 is more than P = 1,024"),
    (lambda: total("gpt2", "decode", t=1025), SizeError, "t = 1,025 is more than P = 1,024"),
    (lambda: total("mamba-130m", "decode", t=9), ModelError, "is a state: what one more token costs it is not written"),
    (lambda: total("bert-base-uncased", "decode", t=9), ModelError, "no KV cache"),
    (lambda: total("llama-7b", "generate", s=4, new=0), SizeError, "new = 0: tokens generated is a whole number"),
]


@pytest.mark.parametrize(("ask", "error", "says"), REFUSED, ids=[says for *_, says in REFUSED])
def test_refused(ask, error, says):
    with pytest.raises(error) as caught:
        ask()
    assert says in str(caught.value)


def test_the_network_of_a_step_is_not_kept():
    """A decode step writes one token as 1; the model's own network keeps its letters."""
    one = model("llama-7b", s=5)
    before = flops(one).size
    flops(one, phase="decode", t=9)
    assert same(before, flops(one).size)




def mistral(window):
    return model("mistral", V=50, d=24, h=40, L=2, heads=4, kv=2, k=6, window=window)


@pytest.mark.parametrize("s", [1, 3, 9])
@pytest.mark.parametrize("window", [2, 4, 40])
def test_a_step_of_all_tokens_is_the_forward_pass_of_what_a_window_shows(s, window):
    """With nothing remembered, s rows meet all s; with t remembered, the last window - 1 + s at most."""
    step = flops(mistral(window), phase="decode", s=s, t=s + 20)
    shown = min(s + 20, window - 1 + s)
    assert step.where("scores").total == 2 * 2 * s * shown * 24
    alone = flops(mistral(window), phase="decode", s=s, t=s)
    assert alone.where("scores").total == 2 * 2 * s * min(s, window - 1 + s) * 24


def test_weights_of_two_texts_are_not_counted_for_one():
    for phase, sizes in (("forward", {"s": 32, "u": 3}), ("train", {"s": 32, "u": 3})):
        with pytest.raises(ModelError, match="counts parameters for every token of one text"):
            flops(model("t5-small"), "folk", phase, **sizes)


def test_a_step_does_not_read_an_image_again():
    with pytest.raises(ModelError, match=r"would read .* again"):
        flops(model("clip-vit-base-patch32"), phase="decode", t=64)
