"""Evaluation: axes run step by step, masks, families against NumPy; with `-m live`, what transformers computes."""

from __future__ import annotations

from itertools import product
from math import erf

import pytest

from networks import HALF, A, B, affine, attend, drawn, shapes, step, steps
from symcount import Mask, ModelError, evaluate, model, within
from symcount.layers import attention, linear
from symcount.network import (
    contract,
    pointwise,
    select,
    tensor,
    walk,
)

np = pytest.importorskip("numpy", reason="evaluation needs NumPy, which the extra 'evaluate' installs")


# ---------------------------------------------------------------- over an axis

def total(x, state):
    """Running totals of the affine of each step, and the last."""
    state = pointwise(state, step(x), kind="add")
    return state, state


def turning(x, state):
    """A body that returns its axes in another order."""
    state = contract(pointwise(state, x, kind="add"), to="d b", name="turned")
    return state, state


state = tensor("h", d=1)
OVER = [  # network, inputs, weights, what it makes
    (lambda: within("rnn", total, tensor(s=3, d=1), state, over="s", shared=True),
     {"x": [[1], [2], [3]], "h": [10]}, {"rnn.up": A}, ([[13], [18], [25]], [25])),
    (lambda: within("rnn", total, tensor(d=1, s=3), state, over="s", shared=True)[0],
     {"x": [[1, 2, 3]], "h": [10]}, {"rnn.up": A}, [[13, 18, 25]]),
    (lambda: within("rnn", total, tensor(s=2, d=1), state, over="s"),
     {"x": [[1], [2]], "h": [10]}, {"rnn.up": [A, B]}, ([[13], [18]], [18])),
    (lambda: within("rnn", total, tensor(s=1, d=1), state, over="s"),
     {"x": [[1]], "h": [10]}, {"rnn.up": A}, ([[13]], [13])),
    (lambda: within("rnn", turning, tensor(b=2, s=2, d=2), tensor("h", b=2, d=2), over="s"),
     {"x": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "h": [[0, 10], [20, 30]]}, {},
     ([[[1, 12], [4, 16]], [[25, 36], [32, 44]]], [[4, 16], [32, 44]])),
    (lambda: within("same", lambda x: state, tensor(s=2, d=1), over="s"),
     {"x": [[1], [2]], "h": [5]}, {}, [[5], [5]]),
    (lambda: within("none", lambda x, h: (x, h), tensor(s=0, d=1), state, over="s"),
     {"x": np.zeros((0, 1), int), "h": [5]}, {}, ([], [5])),
    (lambda: within("layers", lambda x: within("rnn", step, x, over="s", shared=True), tensor(s=2, d=1), runs=2),
     {"x": [[1], [2]]}, {"layers.rnn.up": [A, B]}, [[affine(1, A, B)], [affine(2, A, B)]]),
    *((lambda runs=runs: within("turned", lambda x: contract(x, to="d b", name="turned"), tensor(b=2, d=2), runs=runs),
       {"x": [[1, 2], [3, 4]]}, {}, [[1, 2], [3, 4]]) for runs in (0, 1, 3)),
]


@pytest.mark.parametrize(("net", "numbers", "weights", "made"), OVER)
def test_over_an_axis(net, numbers, weights, made):
    result = evaluate(net(), weights=steps(weights), **numbers).result
    assert (tuple(x.tolist() for x in result) if isinstance(made, tuple) else result.tolist()) == made


def test_an_lstm():
    def cell(x, h, c):
        gates = pointwise(linear(x, "input", gates=4, h=3), linear(h, "hidden", over="h", gates=4, h=3), kind="add")
        enter, forget, new, leave = (select(gates, "gates", i) for i in range(4))
        enter, forget, leave = (pointwise(gate, kind="sigmoid") for gate in (enter, forget, leave))
        kept = pointwise(forget, c, kind="multiply", name="kept")
        c = pointwise(kept, pointwise(enter, pointwise(new, kind="tanh"), kind="multiply", name="new"), kind="add")
        h = pointwise(leave, pointwise(c, kind="tanh", name="shown"), kind="multiply", name="out")
        return h, h, c

    def lstm(z):
        states = tensor("h", b=z.b, h=3), tensor("c", b=z.b, h=3)
        return within("lstm", cell, tensor(b=z.b, s=z.s, d=2), *states, over="s", shared=True)[0]

    rng = np.random.default_rng(1)
    x, h, c = rng.normal(size=(2, 5, 2)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    w = drawn(model(lstm).network(), {"s": 5})
    run = evaluate(model(lstm), x=x, h=h, c=c, weights=w)
    flat = {path: array.reshape(*array.shape[:-2], 12) for path, array in w.items()}
    for i in range(5):
        gates = x[:, i] @ flat["lstm.input.weight"] + flat["lstm.input.bias"]
        gates = gates + h @ flat["lstm.hidden.weight"] + flat["lstm.hidden.bias"]
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        c = c/(1 + np.exp(-forget)) + np.tanh(new)/(1 + np.exp(-enter))
        h = np.tanh(c)/(1 + np.exp(-leave))
        assert run.result[:, i] == pytest.approx(h, abs=1e-12)
        assert run[f"lstm.{i}.out"] == pytest.approx(h, abs=1e-12)


# ---------------------------------------------------------------- masks

MASKS = [None, Mask(), Mask(causal=True), *(Mask(causal=True, window=w) for w in range(1, 6))]


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize(("s", "t"), [(1, 1), (4, 4), (1, 4), (3, 5)])
def test_masks_pair_by_pair(s, t, mask):
    """The queries are the last s of the t positions; a key counts if it is none of those after, nor too far before."""
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(s, 2)), rng.normal(size=(t, 2)), rng.normal(size=(t, 2))
    made = evaluate(attend(s, t, mask), q=q, k=k, v=v).result
    for i in range(s):
        at = t - s + i
        counted = [j for j in range(t) if mask in (None, Mask()) or (j <= at and at - j < (mask.window or t))]
        powers = [np.exp(q[i] @ k[j]) for j in counted]
        assert made[i] == pytest.approx(sum(p*v[j] for p, j in zip(powers, counted, strict=True)) / sum(powers))


def test_a_masked_score_is_minus_infinity_and_takes_no_part_also_among_fractions():
    run = evaluate(attend(2, 2, Mask(causal=True)), q=[[0, 0], [0, 0]], k=[[1, 2], [3, 4]], v=[[2, 4], [6, 9]])
    assert run.exact
    assert run["scores"].tolist() == [[0, float("-inf")], [0, 0]]
    assert run["softmax"].tolist() == [[1, 0], [HALF, HALF]]
    assert run.result.tolist() == [[2, 4], [4, 13*HALF]]


def test_without_a_softmax_masked_pairs_are_left_out_of_the_sum():
    q, k, v = tensor("q", s=3, k=1), tensor("k", t=3, k=1), tensor("v", t=3)
    scores = contract(q, k, to="s t", name="scores", mask=Mask(causal=True))
    numbers = {"q": [[1], [2], [3]], "k": [[1], [10], [100]], "v": [1, 1, 1]}
    for net in (contract(scores, v, to="s", name="mix", mask=Mask(causal=True)),
                contract(q, k, v, to="s", name="mix", mask=Mask(causal=True))):
        assert evaluate(net, **numbers).result.tolist() == [1, 22, 333]


# ---------------------------------------------------------------- families, against NumPy

def rotary(x):
    """Pairs (i, i + k/2) of the last axis are turned by s·10000^(-2i/k), s being the second axis: Su et al. 2021."""
    half = x.shape[-1] // 2
    angle = np.arange(x.shape[1])[:, None] * 10_000.0 ** (-np.arange(half) / half)
    angle = angle.reshape(1, x.shape[1], *[1]*(x.ndim - 3), half)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate([left*np.cos(angle) - right*np.sin(angle), right*np.cos(angle) + left*np.sin(angle)], -1)


def layer_norm(x, w, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * w + b


def rms_norm(x, w):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * w


gelu = np.vectorize(lambda x: x*(1 + erf(x / 2**0.5)) / 2)


def gelu_new(x):
    return x / (1 + np.exp(-2 * (2/np.pi)**0.5 * (x + 0.044715 * x**3)))  # (1 + tanh y)/2 = σ(2y)


def heads(x, w, name, causal, turned=lambda x: x):
    """Attention, one head after another; every head of g key-value groups is asked by q queries."""
    def through(name):
        return np.tensordot(x, w[f"{name}.weight"], 1) + w.get(f"{name}.bias", 0)

    query, key, value = turned(through(f"{name}.query")), turned(through(f"{name}.key")), through(f"{name}.value")
    made = np.zeros((*x.shape[:2], w[f"{name}.output.weight"].shape[-1]))
    for b, g, q in product(range(x.shape[0]), range(key.shape[2]), range(query.shape[3])):
        scores = query[b, :, g, q] @ key[b, :, g].T / query.shape[-1]**0.5
        scores = np.where(np.tril(np.ones_like(scores)) == 1, scores, -1e30) if causal else scores
        powers = np.exp(scores - scores.max(1, keepdims=True))
        made[b] += powers / powers.sum(1, keepdims=True) @ value[b, :, g] @ w[f"{name}.output.weight"][g, q]
    return made + w.get(f"{name}.output.bias", 0)


def feed(x, w, name, f=gelu):
    return f(x @ w[f"{name}.up.weight"] + w[f"{name}.up.bias"]) @ w[f"{name}.down.weight"] + w[f"{name}.down.bias"]


def llama(ids, w, layers):
    x = w["embeddings.weight"][ids]
    for at in layers:
        x = x + heads(rms_norm(x, at["attention_norm.weight"]), at, "attention", causal=True, turned=rotary)
        y = rms_norm(x, at["mlp_norm.weight"])
        gate = y @ at["mlp.gate.weight"]
        x = x + (gate / (1 + np.exp(-gate)) * (y @ at["mlp.up.weight"])) @ at["mlp.down.weight"]
    return rms_norm(x, w["norm.weight"]) @ w["head.weight"]


def gpt2(ids, w, layers):
    x = w["embeddings.word.weight"][ids] + w["embeddings.position.weight"][:ids.shape[1]]
    for at in layers:
        y = layer_norm(x, at["attention_norm.weight"], at["attention_norm.bias"])
        x = x + heads(y, at, "attention", causal=True)
        x = x + feed(layer_norm(x, at["mlp_norm.weight"], at["mlp_norm.bias"]), at, "mlp", gelu_new)
    return layer_norm(x, w["norm.weight"], w["norm.bias"]) @ w["embeddings.word.weight"].T


def bert(ids, w, layers):
    x = w["embeddings.word.weight"][ids] + w["embeddings.type.weight"][ids % 2]
    x = x + w["embeddings.position.weight"][:ids.shape[1]]
    x = layer_norm(x, w["embeddings.norm.weight"], w["embeddings.norm.bias"])
    for at in layers:
        x = x + heads(x, at, "attention", causal=False)
        x = layer_norm(x, at["attention_norm.weight"], at["attention_norm.bias"])
        x = layer_norm(x + feed(x, at, "mlp"), at["mlp_norm.weight"], at["mlp_norm.bias"])
    return x, np.tanh(x[:, 0] @ w["pooler.weight"] + w["pooler.bias"])


FAMILIES = {
    "llama": (llama, "llama:V=11,d=12,h=5,L=2,heads=6,kv=3,k=4"),
    "gpt2": (gpt2, "gpt2:V=11,d=6,P=9,L=2,heads=3"),
    "bert": (bert, "bert:V=11,d=6,h=5,P=9,L=2,heads=3,types=2"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_against_numpy(family):
    by_hand, name = FAMILIES[family]
    one = model(name)
    ids, w = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]), drawn(one.network(), one.values)
    inputs = {op.name: ids % 2 if op.name == "types" else ids for op in walk(one.network()) if op.verb == "input"}
    run = evaluate(one, weights=w, functions={"rotary": rotary} if family == "llama" else None, **inputs)
    stacked = {path: array for path, array in w.items() if path.startswith("layers.")}
    layers = [{path[7:]: array[i] for path, array in stacked.items()} for i in range(2)]
    expected = by_hand(ids, w, layers)
    for made, hand in zip(*((x if isinstance(x, tuple) else (x,)) for x in (run.result, expected)), strict=True):
        assert made.shape == hand.shape
        assert made == pytest.approx(hand, abs=1e-9)


def test_decoding_with_remembered_rows_is_the_last_of_the_whole():
    """Rows of earlier positions, given for every layer at the paths of `cached`, instead of being computed."""
    def decoder(z):
        def block(x):
            return pointwise(x, within("attention", attention, x, z=z, t=z.t, mask=Mask(causal=True)), kind="add")
        return within("layers", block, tensor(b=z.b, s=z.s, d=z.d), runs=z.L)

    one = model(decoder, d=4, heads=2, L=2)
    x, w = np.random.default_rng(3).normal(size=(2, 5, 4)), drawn(one.network(), one.values)
    whole = evaluate(one, x=x, weights=w)
    rows = {f"layers.attention.{name}": np.stack([whole[f"layers.{i}.attention.{name}"][:, :3] for i in range(2)])
            for name in ("key", "value")}
    last = evaluate(one.replace(t=5), x=x[:, 3:], weights=w | rows)
    assert last.result == pytest.approx(whole.result[:, 3:], abs=1e-12)


# ---------------------------------------------------------------- against transformers: -m live

# ours: theirs, a `*` for the number of a layer; where theirs is three in one, which of them
GPT2 = {
    "embeddings.word.weight": "transformer.wte.weight", "embeddings.position.weight": "transformer.wpe.weight",
    "layers.attention_norm": "transformer.h.*.ln_1", "layers.mlp_norm": "transformer.h.*.ln_2",
    **{f"layers.attention.{name}": ("transformer.h.*.attn.c_attn", i)
       for i, name in enumerate(("query", "key", "value"))},
    "layers.attention.output": "transformer.h.*.attn.c_proj",
    "layers.mlp.up": "transformer.h.*.mlp.c_fc", "layers.mlp.down": "transformer.h.*.mlp.c_proj",
    "norm": "transformer.ln_f",
}
BERT = {
    "embeddings.word.weight": "embeddings.word_embeddings.weight",
    "embeddings.position.weight": "embeddings.position_embeddings.weight",
    "embeddings.type.weight": "embeddings.token_type_embeddings.weight", "embeddings.norm": "embeddings.LayerNorm",
    **{f"layers.attention.{name}": f"encoder.layer.*.attention.self.{name}" for name in ("query", "key", "value")},
    "layers.attention.output": "encoder.layer.*.attention.output.dense",
    "layers.attention_norm": "encoder.layer.*.attention.output.LayerNorm",
    "layers.mlp.up": "encoder.layer.*.intermediate.dense", "layers.mlp.down": "encoder.layer.*.output.dense",
    "layers.mlp_norm": "encoder.layer.*.output.LayerNorm", "pooler": "pooler.dense",
}
LLAMA = {
    "embeddings": "model.embed_tokens", "norm": "model.norm", "head": "lm_head",
    "layers.attention_norm": "model.layers.*.input_layernorm",
    "layers.mlp_norm": "model.layers.*.post_attention_layernorm",
    **{f"layers.attention.{ours}": f"model.layers.*.self_attn.{theirs}_proj" for ours, theirs in (
        ("query", "q"), ("key", "k"), ("value", "v"), ("output", "o"))},
    **{f"layers.mlp.{name}": f"model.layers.*.mlp.{name}_proj" for name in ("gate", "up", "down")},
}
LIVE = {  # family: class, ours, configuration, names
    "gpt2": ("GPT2LMHeadModel", "gpt2:V=23,d=12,h=10,P=9,L=3,heads=4", GPT2, {
        "vocab_size": 23, "n_embd": 12, "n_inner": 10, "n_positions": 9, "n_layer": 3, "n_head": 4,
        "bos_token_id": 0, "eos_token_id": 0}),
    "bert": ("BertModel", "bert:V=23,d=12,h=10,P=9,L=3,heads=4,types=2", BERT, {
        "vocab_size": 23, "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 9,
        "num_hidden_layers": 3, "num_attention_heads": 4, "type_vocab_size": 2, "layer_norm_eps": 1e-5}),
    "llama": ("LlamaForCausalLM", "llama:V=23,d=12,h=10,L=3,heads=6,kv=2,k=4,attention_bias=true", LLAMA, {
        "vocab_size": 23, "hidden_size": 12, "intermediate_size": 10, "num_hidden_layers": 3, "num_attention_heads": 6,
        "num_key_value_heads": 2, "head_dim": 4, "attention_bias": True, "rms_norm_eps": 1e-5, "pad_token_id": 0}),
}


def copied(ours, wanted, names, theirs, in_by_out):
    """A weight of theirs in our shape."""
    base, leaf = (ours, "") if ours in names else ours.rsplit(".", 1)
    found = names[base]
    found, third = found if isinstance(found, tuple) else (found, None)
    repeated = "*" in found
    arrays = []
    for i in range(wanted[0] if repeated else 1):
        array = theirs[f"{found.replace('*', str(i))}{'.' * bool(leaf)}{leaf}"]
        table = "embed" in found or "wte" in found or "wpe" in found
        array = array.T if array.ndim == 2 and not table and not in_by_out else array
        array = array if third is None else np.split(array, 3, -1)[third]
        arrays.append(array.reshape(wanted[1:] if repeated else wanted))
    return np.stack(arrays) if repeated else arrays[0]


@pytest.mark.live
@pytest.mark.parametrize("family", LIVE)
def test_against_transformers(family):
    torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
    transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")
    cls, name, names, settings = LIVE[family]
    torch.manual_seed(4)
    config = transformers.CONFIG_MAPPING[family](**settings)
    network = getattr(transformers, cls)._from_config(config, attn_implementation="eager").eval().double()
    with torch.no_grad():
        for parameter in network.parameters():  # as they come, biases are 0 and norms 1
            parameter.copy_(torch.randn_like(parameter) / 2)
    theirs = {key: array.detach().numpy() for key, array in network.named_parameters()}
    ids = torch.randint(0, 23, (2, 7))
    with torch.no_grad():
        told = {"token_type_ids": ids % 2} if family == "bert" else {"use_cache": False}
        expected = network(ids, **told)
    one = model(name, head=cls)
    weights = {ours: copied(ours, wanted, names, theirs, in_by_out=family == "gpt2")
               for ours, wanted in shapes(one.network(), one.values).items()}
    assert sum(array.size for array in weights.values()) == sum(array.size for array in theirs.values())
    inputs = {op.name: (ids % 2 if op.name == "types" else ids).numpy() for op in walk(one.network())
              if op.verb == "input"}
    run = evaluate(one, weights=weights, functions={"rotary": rotary} if family == "llama" else None, **inputs)
    made = run.result if isinstance(run.result, tuple) else (run.result,)
    for ours, hers in zip(made, expected.to_tuple(), strict=True):
        assert ours == pytest.approx(hers.numpy(), abs=1e-5)


@pytest.mark.parametrize(("name", "kinds"), [("gemma2", "layers.local and layers.global"),
                                             ("qwen3_moe", "layers.dense and layers.moe")])
def test_layers_of_two_kinds_are_not_evaluated(name, kinds):
    """How they alternate is known to the implementation alone: an order of our own would give another result."""
    sizes = dict.fromkeys(("V", "d", "h", "heads", "kv", "k", "E", "K", "h_e"), 2)
    told = {"L": 3, "L_global": 1, "window": 4} if name == "gemma2" else {"L": 3, "L_dense": 1, "dense": True}
    known = model(name).architecture.known
    mixed = model(name, **{size: n for size, n in {**sizes, **told}.items() if size in known})
    with pytest.raises(ModelError, match=f"how {kinds} alternate is not part of the network"):
        evaluate(mixed, ids=[[0, 1]])
