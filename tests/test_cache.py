"""What is remembered between decoding steps, and the three forms of latent attention, against published figures."""

from __future__ import annotations

import numpy as np
import pytest

from symcount import ModelError, ShapeError, SizeError, evaluate, flops, model, network, parameters, read_config
from symcount.architectures import load, names, types
from symcount.layers.state_space import causal_convolution
from symcount.ledger import Term
from symcount.masks import Mask, pairs
from symcount.network import concat, contract, pointwise, rename, repeat, tensor, top, walk, weight, within
from symcount.readers.cache import kv_cache
from symcount.readers.checkpoint import checkpoint
from symcount.scopes import repeats
from symcount.sizes import letter
from symcount.symbols import symbol

GIB = 2**30

# ---------------------------------------------------------------- published figures

ROWS = [  # model, sizes, elements, who says so or how it comes about
    ("llama-3-8b", {"t": 8192}, 2*32*8*128*8192, "1 GiB in 16 bits"),
    ("llama-3-8b:kv=32", {"t": 131072}, 64*GIB//2, "MHA"),
    ("llama-3-8b:kv=8", {"t": 131072}, 16*GIB//2, "GQA-8"),
    ("llama-3-8b:kv=1", {"t": 131072}, 2*GIB//2, "MQA"),
    ("llama-3-8b", {"t": 100, "b": 3}, 3*2*32*8*128*100, "b texts"),
    # KB a token in 16 bits: Zhao et al. 2025, "Insights into DeepSeek-V3", table 1
    ("deepseek-v3", {"t": 1}, 70_272//2, "table 1"),
    ("qwen2.5-72b", {"t": 1}, 327_680//2, "table 1"),
    ("llama-3.1-405b", {"t": 1}, 516_096//2, "table 1"),
    ("deepseek-v3", {"t": 4096}, 61*(512 + 64)*4096, "143,917,056"),
    ("deepseek-v3:mla=absorbed", {"t": 4096}, 143_917_056, "the same rows"),
    ("deepseek-v3:mla=heads", {"t": 4096}, 10_234_101_760, "61·128·(192 + 128) a token"),
    ("deepseek-v2", {"t": 1}, 34_560, "DeepSeek-AI 2024, DeepSeek-V2, table 9: 34.6K elements a token"),
    ("deepseek-v3.2", {"t": 1}, 61*(512 + 64 + 128), "and the keys of the indexer"),
    ("glm-5.2", {"t": 1}, 78*(512 + 64) + 21*128, "of which 21 layers have an indexer of their own"),
    # GB of 256K tokens in 16 bits: Lieber et al. 2024, "Jamba", table 1, there without the states of the mixers
    ("llama-2-7b", {"t": 262144}, 128*GIB//2, "table 1"),
    ("mistral-7b-v0.2", {"t": 262144}, 32*GIB//2, "table 1"),
    ("mixtral-8x7b", {"t": 262144}, 32*GIB//2, "table 1"),
    ("jamba-v0.1@layers.attention", {"t": 262144}, 4*GIB//2, "table 1"),
    ("jamba-v0.1@layers.mixer", {"t": 262144}, 28*8192*(16 + 4), "a state of 16 and 4 rows of a convolution"),
    ("jamba-v0.1@layers.mixer.scan", {}, 28*8192*16, "a part of a part"),
    # windows: the last rows of local layers, all rows of global ones
    ("mistral-7b-v0.1", {"t": 4095}, 2*32*8*128*4095, "before the window is full"),
    ("mistral-7b-v0.1", {"t": 4096}, 2*32*8*128*4096, "as it is"),
    ("mistral-7b-v0.1", {"t": 4097}, 2*32*8*128*4096, "and after"),
    ("gemma-3-1b", {"t": 32768}, 2*256*(22*512 + 4*32768), "22 local layers, 4 global"),
    ("gemma-3-27b-text", {"t": 131072}, 2*16*128*(52*1024 + 10*131072), "52 local layers, 10 global"),
    ("gpt-oss-120b", {"t": 131072}, 2*8*64*(18*128 + 18*131072), "every second layer"),
    ("starcoder2-15b", {"t": 16384}, 2*4*128*40*4096, "Lozhkov et al. 2024: a window of 4,096"),
    ("qwen3-30b-a3b", {"t": 9000}, 2*4*128*48*9000, "its window is not used"),
    ("deepseek-v4-pro:chunk=4,chunk_h=128,window=128", {"t": 1030},
     61*128*512                              # one key that is its value too, of a window
     + 31*(8*512 + 2*6*512)                  # an entry for each 128 tokens, and key and gate of the 6 left over
     + 30*(257 + 2*2*2 + 2*4)*(512 + 128),   # for each 4; two series of the 2 left over; the first of the chunk before
     "Ca of the last chunk, two series of the rest, and the same for the indexer"),
    # two kinds of rows: those that the decoder wrote, and those that the encoder read
    ("t5-small", {"s": 512, "u": 114}, 2*6*8*64*(114 + 512), "self and cross"),
    ("t5-small@decoder.layers.cross", {"s": 512, "u": 114}, 2*6*8*64*512, "cross"),
    ("bart-large", {"s": 1024, "u": 100}, 2*12*1024*(100 + 1024), "self and cross"),
    ("whisper-large-v3", {"u": 448}, 2*32*1280*(448 + 1500), "30 seconds of sound are 1,500 rows"),
    # states, whatever t is
    ("mamba-2.8b", {"t": 10}, 64*5120*(16 + 4), "Gu and Dao 2023"),
    ("mamba-2.8b", {"t": 100_000}, 64*5120*(16 + 4), "the same"),
    ("mamba2-2.7b", {}, 64*(80*64*128 + 4*(5120 + 2*128)), "heads · width · state; x, B and C are convolved"),
    ("zamba-7b", {"t": 7}, 76*7424*(16 + 4) + 13*2*16*464*7, "one block, but rows of its own in each of 13 uses"),
    ("nemotron-h-8b", {"t": 7}, 24*(8192*128 + 4*(8192 + 2*8*128)) + 4*2*8*128*7, "24 mixers, 4 attentions"),
    ("lfm2-1.2b", {"t": 7}, 10*2048*3 + 6*2*8*64*7, "10 convolutions over 3 tokens"),
    ("qwen3-next-80b-a3b", {"t": 7}, 36*(32*128*128 + 4*(2*16*128 + 32*128)) + 12*2*2*256*7,
     "36 states of 128 × 128 a head; queries, keys and values are convolved"),
    ("kimi-linear-48b-a3b", {"t": 7}, 20*(32*128*128 + 4*3*32*128) + 7*(512 + 64)*7, "the same, and latents"),
    ("minimax-text-01", {"t": 7}, 70*64*128*128 + 10*2*8*128*7, "70 states of 128 × 128 a head"),
    ("rwkv-4-169m", {"t": 7}, 12*5*768, "two rows, two sums and an exponent"),
    ("lstm:d=3,m=5", {"t": 7}, 2*5, "state and memory"),
    ("gru:d=3,m=5", {"b": 2}, 2*5, "state"),
    ("bert-base-uncased:decoder=true", {"t": 7}, 2*12*768*7, "a decoder"),
]


@pytest.mark.parametrize(("name", "sizes", "elements", "source"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_elements(name, sizes, elements, source):
    assert kv_cache(model(name), **sizes).total == elements, source


def test_closed_forms():
    L, L_global, b, t, k = map(symbol, ("L", "L_global", "b", "t", "k"))
    kv, r_kv, rope, window = map(symbol, ("kv", "r_kv", "rope", "window"))
    grouped = kv_cache(model("llama:", k="k"), t="t").closed_form
    assert grouped == 2*L*b*t*k*kv
    assert kv_cache(model("deepseek_v3:"), t="t").closed_form.expand() == (L*b*t*(r_kv + rope)).expand()
    import sympy

    local = kv_cache(model("gemma3_text:"), t="t").closed_form
    assert sympy.expand(local - 2*b*k*kv*((L - L_global)*sympy.Min(t, window) + L_global*t)) == 0


def test_what_a_ledger_says():
    ledger = kv_cache(model("gemma-3-1b"), t=4096)
    assert (ledger.unit, ledger.subject) == ("element", "gemma-3-1b (Gemma3ForCausalLM), KV cache")
    assert [term.path for term in ledger.terms] == [
        f"layers.{kind}.attention.{name}" for kind in ("local", "global") for name in ("key", "value")]
    assert {term.kinds for term in ledger.terms} == {("activation", "cache")}
    assert ledger.notes[-1] == ("keys and values of t tokens, once for each key-value head or as latents; "
                                "of a window its rows, the newest token's among them")
    assert kv_cache(model("mamba-130m")).notes[-1] == "states after the newest token"
    assert kv_cache(model("llama-3-8b@layers.attention.key"), t=1).total == 32*8*128
    with pytest.raises(ModelError, match="has no part 'mlp'"):
        kv_cache(model("llama-3-8b@mlp"))
    with pytest.raises(SizeError, match="s = 9 is more than t = 5"):
        kv_cache(model("llama-3-8b"), s=9, t=5)


# ---------------------------------------------------------------- the same over other numbers

def everywhere():
    """One published model of each type, and each type with letters alone where none is published."""
    first = {}
    for name, (kind, *_) in names().items():
        first.setdefault(kind, name)
    return [name for name in first.values() if remembers(model(name))]


def remembers(one):
    try:
        return bool(kv_cache(one).terms)
    except ModelError:
        return False


@pytest.mark.parametrize("name", everywhere())
def test_over_ints_and_letters(name):
    one = model(name, b=2)
    known = {"t": 300, "s": 300} | {size: 300 for size in ("u", "frames") if one.architecture.knows(size)}
    known |= {"samples": 16_000} if one.architecture.knows("samples") else {}
    known = {size: min(n, one.values.get("P", n), one.values.get("P_dec", n)) for size, n in known.items()}
    if one.architecture.knows("frames") and "P" in one.values:
        known = {"frames": 2*one.values["P"], "u": 9}
    if one.architecture.name in ("clip", "mlp"):
        known = {"s": 7}
    one = one.replace(**{size: n for size, n in known.items() if one.architecture.knows(size)})
    ints = kv_cache(one.network(one.number)).total
    assert type(ints) is int
    assert kv_cache(one).total == ints


@pytest.mark.parametrize("name", ["llama-3-8b", "gemma-3-1b", "deepseek-v3", "jamba-v0.1", "t5-small"])
def test_over_sympy(name):
    one = model(name)
    assert kv_cache(one.network(symbol)).closed_form.expand() == kv_cache(one).closed_form.expand()


@pytest.mark.parametrize("w", [1, 3, 7])
@pytest.mark.parametrize("t", [1, 3, 8])
def test_a_window_remembers_what_the_newest_token_sees(w, t):
    mask = Mask(causal=True, window=w)
    ledger = kv_cache(attend(tensor(b=1, s=1, d=2), t=t, scores=mask, mix=mask))
    assert ledger.total == 2*2*pairs(mask, 1, t)


# ---------------------------------------------------------------- which rows are remembered

def attend(x, *, t, scores=None, mix=None, more=None):
    """Attention of one head whose two products have masks of their own."""
    key = network.cached(contract(x, weight("key", d=2, k=2), to="b s k", name="key"), "key", s=("t", t))
    value = network.cached(contract(x, weight("value", d=2, k=2), to="b s k", name="value"), "value", s=("t", t))
    query = contract(x, weight("query", d=2, k=2), to="b s k", name="query")
    weights = pointwise(contract(query, key, to="b s t", name="scores", mask=scores), kind="softmax")
    mixed = contract(weights, value, to="b s k", name="mix", mask=mix)
    return mixed if more is None else pointwise(mixed, more(key, value, query), kind="add")


CAUSAL, LOCAL = Mask(causal=True), Mask(causal=True, window=3)
X = {"b": 1, "s": 5, "d": 2}


def everything(key, value, query):
    """A second product with the same keys, renamed and merged on the way, of all of them."""
    rows = rename(network.merge(network.split(key, "t", i=1, j=5), m="i j"), m="t")
    many = concat(rows, pointwise(rows, kind="tanh"), axis="t")
    return contract(pointwise(contract(query, many, to="b s t", name="again"), kind="softmax"), many, to="b s k",
                    name="again_mix")


def repeated():
    return within("layers", lambda x: rename(attend(x, t=5, scores=LOCAL, mix=LOCAL), k="d"), tensor(**X), runs=4)


USES = [  # network, elements
    (lambda: attend(tensor(**X), t=5, scores=CAUSAL, mix=CAUSAL), 2*2*5),
    (lambda: attend(tensor(**X), t=5, scores=LOCAL, mix=LOCAL), 2*2*3),
    (lambda: attend(tensor(**X), t=5, scores=LOCAL, mix=CAUSAL), 2*3 + 2*5),
    (lambda: attend(tensor(**X), t=5, scores=LOCAL, mix=LOCAL, more=everything), 2*5 + 2*3),
    (lambda: attend(tensor(**X), t=5, scores=CAUSAL), 2*2*5),  # what is mixed was left out before
    (lambda: attend(tensor(**X), t=5, scores=LOCAL), 2*2*3),
    (repeated, 4*2*2*3),
]


@pytest.mark.parametrize(("made", "elements"), USES)
def test_rows_through_what_uses_them(made, elements):
    assert kv_cache(made()).total == elements


def test_rows_that_are_seen_without_a_mask_are_not_remembered():
    with pytest.raises(ModelError) as refusal:
        kv_cache(attend(tensor(**X), t=5))
    assert str(refusal.value) == ("no KV cache: no attention is causal and nothing recurs; mask=Mask(causal=True) says "
                                  "that scores are causal")


def test_rows_are_followed_through_experts():
    def expert(x, t):
        chosen = top(contract(x, weight("router", d=2, E=4), to="b s E", name="router"), E=("e", 2))
        table = network.lookup(chosen, weight("up", E=4, d=2, k=2), "up")
        query = contract(x, table, to="b s e k", name="query")
        key = network.cached(rename(x, d="k"), "key", s=("t", t))
        return contract(query, repeat(key, g=1), to="b g e s t", name="scores", mask=LOCAL)

    assert kv_cache(expert(tensor(**X), 5)).total == 2*3


def test_windows_of_two_sizes_on_one_row():
    def wider(key, value, query):
        scores = contract(query, value, to="b s t", name="wider", mask=Mask(causal=True, window=4))
        return pointwise(query, scores, kind="gather", to="b s k")

    with pytest.raises(ShapeError, match="value: its rows are seen through windows of unlike sizes: 3, 4"):
        kv_cache(attend(tensor(**X), t=5, scores=LOCAL, mix=LOCAL, more=wider))


NONE = ["bert-base-uncased", "modernbert-base", "vit-base-patch16-224", "siglip-base-patch16-224", "mit-b0",
        "resnet-50", "mlp:784-10", "xlnet-base-cased", "transformer:", "longformer-base-4096"]


@pytest.mark.parametrize("name", NONE)
def test_models_that_remember_nothing(name):
    one = model(name)
    with pytest.raises(ModelError) as refusal:
        kv_cache(one)
    assert str(refusal.value) == f"{one.title}: no KV cache: no attention is causal and nothing recurs"


def test_an_encoder_alone_remembers_nothing():
    with pytest.raises(ModelError, match="no KV cache"):
        kv_cache(model("t5-small", head="T5EncoderModel"))


# ---------------------------------------------------------------- what the network does not show

QWEN = {"model_type": "qwen2_moe", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}


def test_windows_that_the_network_does_not_show():
    shown = 2*2*2*4*5*4
    assert kv_cache(read_config(QWEN | {"use_sliding_window": False, "num_key_value_heads": 2}), t=20).total == shown
    with pytest.raises(ModelError) as refusal:
        kv_cache(read_config(QWEN | {"use_sliding_window": True}))
    assert str(refusal.value) == ("qwen2_moe: its KV cache is not written: use_sliding_window = true limits which "
                                  "tokens some layers see, and the network does not say which layers")
    with pytest.raises(ModelError, match="llama-4-scout-text: its KV cache is not written: layer_types"):
        kv_cache(model("llama-4-scout-text"), t=9)


def test_every_hidden_window_is_named():
    """Where a configuration may limit what a layer sees and the network ignores it, the cache is refused."""
    harmless = {"mistral", "mistral3", "ministral3", "nemotron_h"}  # of which sliding_window alone is read, or no key
    for kind in types():
        architecture = load(kind)
        told = [key for key, why in architecture.ignored.items() if "masked" in why and (
            "window" in key or "layer_types" in key or "chunk" in key)]
        if told and kind not in harmless:
            assert architecture.hides or not remembers(model(f"{kind}:")), (kind, told)


# ---------------------------------------------------------------- states

def test_a_state_replaces_what_was_remembered():
    x = tensor(b=2, s=5, d=3)
    kept = network.cached(x, "state", s=1)
    assert kept.axes == x.axes
    assert kv_cache(kept).total == 2*3
    assert [op.verb for op in walk(kept, step=True)] == ["input", "cached"]
    assert kv_cache(network.cached(x, "rows", s=8)).total == 2*8*3  # more than came: rows of nothing before them
    assert parameters(kept).terms == ()


STATES = [  # call, what it says
    (lambda x: network.cached(x, "state", q=1), "cached: x[b=2 s=5] has no axis 'q'"),
    (lambda x: network.cached(x, "state", s="t"), "state: axis 's' is 't': a size is a whole number or in letters"),
    (lambda x: network.cached(x, "state", s=-1), "state: axis 's' is -1, less than nothing"),
    (lambda x: network.cached(x, "state"), "cached takes one axis at a time, not 0"),
]


@pytest.mark.parametrize(("call", "says"), STATES, ids=[says for _, says in STATES])
def test_what_is_no_state(call, says):
    with pytest.raises((ShapeError, SizeError)) as refusal:
        call(tensor(b=2, s=5))
    assert str(refusal.value) == says


def test_states_cannot_be_given_to_a_run():
    def forward(z):
        x = causal_convolution(tensor(b=z.b, s=z.s, d=2), "convolution", over="d", w=3, bias=False)
        return attend(x, t=z.t, scores=CAUSAL, mix=CAUSAL)

    x, ones = np.ones((1, 2, 2)), lambda path, run: np.ones((2, 3) if path == "convolution.weight" else (2, 2))
    assert evaluate(model(forward), x=x, weights=ones).result.shape == (1, 2, 2)
    with pytest.raises(ModelError) as refusal:
        evaluate(model(forward, t=4), x=x, weights=ones)
    assert str(refusal.value) == ("key: rows of earlier tokens cannot be given, as the state convolution that they "
                                  "left cannot: evaluate all t tokens at once")


# ---------------------------------------------------------------- latent attention at decode

FORMS = {  # FLOPs of one token of DeepSeek-V3 at t = 4,096
    "expanded": 8_475_446_738_944,
    "heads": 93_717_397_504,
    "absorbed": 142_841_085_952,
}


@pytest.mark.parametrize("form", FORMS)
def test_one_token_of_deepseek_v3(form):
    one = model("deepseek-v3", mla=form, s=1, t=4096)
    steps = sum(Term(op.path, (2, *op.details["all"].values()), repeats(op.scope)).size
                for op in walk(one.network(one.number), step=True) if op.verb == "contract")
    assert steps == flops(one).total == flops(model(f"deepseek-v3:mla={form},s=1,t=4096")).total == FORMS[form]


def test_a_form_is_named():
    assert "mla=absorbed" in ", ".join(flops(model("deepseek-v3", mla="absorbed", s=1)).notes)
    assert model("deepseek-v3:mla=absorbed").title == "deepseek-v3:mla=absorbed (DeepseekV3ForCausalLM)"
    for form in ("absorb", None, True):
        with pytest.raises(ModelError, match="unknown form"):
            flops(model("deepseek-v3", mla=form))
    with pytest.raises(ModelError) as refusal:
        parameters(model("kimi-k2:mla=absorbd"))
    assert str(refusal.value) == ("kimi-k2:mla=absorbd: latent attention: mla = 'absorbd': unknown form; "
                                  "did you mean 'absorbed'?")
    with pytest.raises(ModelError, match="has no size or flag 'mla'"):
        model("llama-3-8b:mla=heads")


LATENT = [kind for kind in types() if "mla" in load(kind).flags]


@pytest.mark.parametrize("kind", LATENT)
def test_all_forms_have_the_same_weights(kind):
    forms = [model(next(name for name, (k, *_) in {**names(), kind: (kind,)}.items() if k == kind), mla=form)
             for form in FORMS]
    weights = [[(term.path, str(term.size), term.kinds) for term in parameters(one).terms] for one in forms]
    assert sorted(weights[0]) == sorted(weights[1]) == sorted(weights[2])
    stored = [sorted(map(str, checkpoint(one))) if forms[0].values.get("d") else [] for one in forms]
    assert stored[0] == stored[1] == stored[2]
    full = [flops(one.replace(s=64)).total for one in forms]
    assert full[0] == full[1]  # of all tokens at once, it is one map


def test_latent_attention_everywhere():
    assert [kind for kind in types() if "r_kv" in load(kind).known] == LATENT


SMALL = {"V": 11, "d": 8, "h": 4, "L": 2, "heads": 2, "r_q": 3, "r_kv": 5, "nope": 2, "rope": 2, "v": 3}


def turn(first):
    """Rotary positions of rows that begin at `first`, of which two numbers are turned."""
    def rotary(x):
        angles = first + np.arange(x.shape[1]).reshape(-1, *[1]*(x.ndim - 3))
        one, two = x[..., 0].astype(float), x[..., 1].astype(float)
        return np.stack([one*np.cos(angles) - two*np.sin(angles), one*np.sin(angles) + two*np.cos(angles)], -1)
    return rotary


def functions(first=0):
    return {"rotary": turn(first), "attention_scale": lambda x: x / 2}  # √(nope + rope)


def test_all_forms_give_the_same_numbers():
    """A full pass, and the last two of five tokens from what each form remembers of the first three."""
    draw = np.random.default_rng(5)
    ids = np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
    drawn: dict[str, np.ndarray] = {}

    def given(one):
        for op in walk(one.network(one.number)):
            if op.verb == "weight":
                runs = [n for _, n in repeats(op.scope) if n != 1]
                drawn.setdefault(op.path, draw.normal(size=[*runs, *op.axes.values()]))
        return drawn

    results = {}
    for form in FORMS:
        one = model("youtu", b=2, tied=False, mla=form, **SMALL)
        whole = evaluate(one, ids=ids, weights=given(one), functions=functions())
        rows = {path: np.stack([whole[path.replace("layers.", f"layers.{i}."), "cached"][:, :3] for i in range(2)])
                for path in {term.path for term in kv_cache(one).terms}}
        last = evaluate(one.replace(t=5), ids=ids[:, 3:], weights=given(one) | rows, functions=functions(3))
        assert last.result == pytest.approx(whole.result[:, 3:], abs=1e-9)
        results[form] = whole.result
        assert len(rows) == 2
    assert results["heads"] == pytest.approx(results["expanded"], abs=1e-9)
    assert results["absorbed"] == pytest.approx(results["expanded"], abs=1e-9)
    assert not np.allclose(results["absorbed"], results["absorbed"][::-1])


def test_the_scale_of_absorbed_scores_is_not_guessed():
    """Their contractions do not sum over the head width, whose root divides them."""
    one = model("youtu", b=1, tied=False, mla="absorbed", **SMALL)
    with pytest.raises(ModelError, match="no contraction, so there is no width to divide by the root of"):
        evaluate(one, ids=[[1, 2]], weights=lambda path, run: np.ones(shape_of(one, path)),
                 functions={"rotary": turn(0)})


def shape_of(one, path):
    return next([*op.axes.values()] for op in walk(one.network(one.number)) if op.verb == "weight" and op.path == path)


def test_letters_stay():
    """t is a letter until it is given; what is remembered of it does not ask for s."""
    ledger = kv_cache(model("llama-3-8b"), t="t")
    assert ledger.open == ["t"]
    assert str(ledger.terms[0].factors[1]) == str(letter("t"))
