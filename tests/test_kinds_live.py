"""Activations and norms against models that transformers builds now: `pytest -m live tests/test_kinds_live.py`.

Every activation that a configuration may choose is set to another one. One small model of each type then runs, and each
activation and each norm is seen, with how many numbers it was given: a module of transformers' activations by its
class, a function of torch by its name, and a norm by what it computes (LayerNorm subtracts a mean). The network must
have the same kinds with as many numbers.

What the classes take when nothing is chosen needs no run.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from functools import reduce
from math import prod
from operator import getitem, itemgetter
from random import Random

import pytest

import agreement
from real import built, inputs
from symcount import ConfigError, read_config
from symcount.architecture import Model
from symcount.architectures import load, types
from symcount.network import walk
from symcount.scopes import repeats
from symcount.sizes import value

pytestmark = pytest.mark.live

# Other activations, of which none is the default of a class
OTHERS = ("mish", "laplace", "leaky_relu", "hardswish")
KEYS = ("hidden_act", "hidden_activation", "activation_function", "activation", "ff_activation", "encoder_hidden_act",
        "decoder_hidden_act", "mlp_hidden_act", "mamba_hidden_act", "hidden_mamba_act", "pooler_hidden_act",
        "pooler_act", "classifier_activation", "summary_activation", "conv_act")
TABLES = ("text_config", "vision_config", "ffn_config", "encoder", "decoder")
NORMS = ("layer_norm", "rms_norm", "group_norm", "batch_norm")
LARGE = 10_000_000
FIXED = ("ibert", "qwen4_exp_text", "neomme")  # their classes take one activation, or two, only
SEEN_AS = {  # type: {our kind: the function that torch is seen to call}
    "gpt_oss": {"swiglu": "sigmoid"},
    "minimax_m3_vl_text": {"swiglu": "sigmoid"},
    "openai_privacy_filter": {"swiglu": "sigmoid"},
    "rwkv": {"relu2": "relu"},
}
REFUSED = {  # their default configurations: a size is lacking or does not divide, a tower that is idle has its own, or
    # (neomme) another activation than that of the class
    "esm", "lfm2_moe", "moonshine_streaming", "qwen4_exp_text", "deepseek_ocr2_text", "hunyuan_vl_text",
    "phi4_multimodal", "qwen3_omni_moe_talker_text", "qwen3_omni_moe_text", "neomme"}
# {type, by whose default the tower does not fit the text: the key of the tower that must say the width of the text}
FITTED = {"qwen2_vl": "hidden_size", **dict.fromkeys(
    ("exaone4_5", "qwen2_5_vl", "qwen3_5", "qwen3_5_moe", "qwen3_vl", "qwen3_vl_moe"), "out_hidden_size")}
LACKED = {"pix2struct_text_model": {"initializer_range": 0.02}}  # what a class reads and its configuration has not
UNTOLD = {"conv_act"}  # keys that a class reads and has no default of
UNWRITTEN = {  # type: {what its class does and the network has not, or has of other sizes}
    "gemma2": {"tanh"},  # scores and logits are capped
    "vaultgemma": {"tanh"},
    "nanochat": {"tanh"},
    "recurrent_gemma": {"tanh"},
    "kimi_linear": {"softplus"},  # which is made of a logarithm and a power there
    "granite_swa": {"sigmoid"},  # how a sink enters a softmax, which is one operation here
    "granitemoe_swa": {"sigmoid"},
    "moonshine_streaming": {"layer_norm"},  # that of each frame of samples is no module's
    "kolibri1": {"sigmoid"},  # of the scores of those experts alone that were chosen
    "longformer": {"layer_norm"},  # the rows that fill up a window are embedded too
    # Every token runs through all experts; queries and keys without positions
    "llama4_text": {"mish", "rms_norm"},
    "llama4": {"laplace", "rms_norm"},
    "gemma3n_text": {"tanh"},  # logits are capped
    "t5gemma": {"tanh"},
    "xlstm": {"tanh"},  # gates and logits are capped
    "neomme": {"tanh"},  # of a weight of each head: its `unwritten`
    "muse_spark_text": {"rms_norm", "sigmoid"},  # of what heads mix; two weights of one number: its `unwritten`
}


def default_of(hub, kind):
    """What a file says that says nothing."""
    found = hub.CONFIG_MAPPING[kind]().to_dict()
    found.pop("_pad_token_id", None)  # no key, but how its class keeps one
    if kind in FITTED:
        found["vision_config"][FITTED[kind]] = found["text_config"]["hidden_size"]
    return found


def chosen(default, given, others=None):
    """A configuration with another activation for each key of the class's default that chooses one, also in tables."""
    others, found = list(OTHERS) if others is None else others, dict(given)
    for key, entry in default.items():
        if key in TABLES and isinstance(entry, dict):
            found[key] = chosen(entry, found.get(key) or {}, others)
        elif key in KEYS and not isinstance(entry, bool):
            found[key] = others.pop(0)
    with contextlib.suppress(KeyError):
        gated = str(found.get("feed_forward_proj", default["feed_forward_proj"])).startswith("gated")
        found["feed_forward_proj"] = ("gated-" if gated else "") + OTHERS[0]
        found.pop("dense_act_fn", None)
    if "dense_act_fn" in default and "feed_forward_proj" not in default:
        found["dense_act_fn"] = OTHERS[0]
    return found | {key: entry for key, entry in (
        ("ffn_act_fn", {"name": "mish"}), ("afn", "relu"), ("gelu_activation", False)) if key in default}


def ours(network, values):
    """{kind: how many numbers} of all pointwise operations."""
    found = Counter()
    for x in walk(network):
        if x.verb == "pointwise":
            sizes = (*x.axes.values(), *(runs for _, runs in repeats(x.scope)))
            found[x.details["kind"]] += prod(value(size, values) for size in sizes)
    return found


def theirs(network, given):
    """The same of activations and norms, seen while the network runs."""
    import torch
    from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
    from torch.utils._python_dispatch import TorchDispatchMode
    from transformers.activations import ACT2CLS

    names = {entry[0] if isinstance(entry, tuple) else entry: name for name, entry in reversed(ACT2CLS.items())}
    by_name = {"BloomGelu": "gelu_fast", "SiLU": "silu"}  # which two names stand for
    functions = {"silu": "silu", "relu": "relu", "tanh": "tanh", "sigmoid": "sigmoid", "softplus": "softplus",
                 "hardtanh": "relu6", "gelu": "gelu", "erf": "gelu_python"}
    found, inside, seen = Counter(), [], [set()]

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, f, types, args=(), kw=None):
            out, name = f(*args, **(kw or {})), f.overloadpacket.__name__
            seen[-1].add(name)
            if not inside and name in functions:
                kind = functions[name] if (kw or {}).get("approximate") != "tanh" else "gelu_pytorch_tanh"
                found[kind] += out.numel()
            return out

    def kind_of(module):
        return by_name.get(type(module).__name__) or names.get(type(module))

    def before(module, args):
        if kind := kind_of(module):
            found[kind] += 0 if inside else args[0].numel()
            inside.append(module)
        if "norm" in type(module).__name__.lower():
            seen.append(set())

    def after(module, args, out):
        if kind_of(module):
            inside.pop()
        if "norm" in type(module).__name__.lower():
            called = seen.pop()
            rooted, centred = called & {"rsqrt", "sqrt", "pow"}, called & {"sub", "var"}
            norm = ("layer_norm" if "native_layer_norm" in called or (rooted and centred) else
                    "rms_norm" if rooted or "_fused_rms_norm" in called else
                    "group_norm" if "native_group_norm" in called else
                    "batch_norm" if "Batch" in type(module).__name__ else None)
            found[norm] += args[0].numel() if norm else 0

    hooks = [register_module_forward_pre_hook(before), register_module_forward_hook(after)]
    try:
        with torch.no_grad(), Seen():
            network(**given)
    finally:
        for hook in hooks:
            hook.remove()
    return Counter({kind: n for kind, n in found.items() if n}), {*names.values(), *functions.values(), *NORMS}


@pytest.fixture(scope="module")
def cases():
    """{type: (class, its smallest measured row)}, of one class of each type, drawn by the type's name.

    Of types with experts, a row that has some.
    """
    found = {}
    for row in sorted(agreement.rows() + agreement.rows(own=True),
                      key=lambda row: ("active_params" not in row, row["params_total"])):
        kind, cls = row["id"].split("/")[0], row["arch_class"]
        if not row["flops"] or kind not in types() or cls not in load(kind).classes:
            continue
        if cls not in found.setdefault(kind, {}):
            with contextlib.suppress(ConfigError):
                agreement.row_model(row)
                found[kind][cls] = row
    for kind, rows in found.items():
        assert rows, f"{kind}: runs were measured, but all are refused"
        some = {cls: row for cls, row in rows.items() if "active_params" in row} or rows
        found[kind] = Random(kind).choice(sorted(some.items(), key=itemgetter(0)))
    return found


KINDS = [kind for kind in types() if load(kind).keys]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch = pytest.importorskip("torch", reason="the live tests need the extra 'live'")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # faster for small models
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("kind", KINDS)
def test_what_runs(hub, cases, kind):
    if kind not in cases:
        pytest.skip("no run of it was measured")
    cls, row = cases[kind]
    default = default_of(hub, kind)
    changed = dict(row["config"]) if kind in FIXED else chosen(default, row["config"])
    shape = next(shape for shape in row["flops"] if not (load(kind).knows("images") and "img" in shape))
    device = "cpu" if row["params_total"] < LARGE else "meta"  # small ones are faster with values
    sizes = agreement.run_of(shape, read_config(row["config"] | {"model_type": kind}, head=cls))
    network = built(hub, cls, hub.CONFIG_MAPPING[kind].from_dict(changed | LACKED.get(kind, {})), device)
    seen, known = theirs(network, inputs(network, sizes))
    subject = read_config(changed | {"model_type": kind}, head=cls).replace(**sizes)
    written = Counter()
    unseen = {"side": 0} if sizes.get("images") == 0 else {}  # no image runs, so of no size
    for name, n in ours(subject.network(), {**unseen, **subject.values}).items():
        as_seen = SEEN_AS.get(kind, {}).get(name, name)
        written[as_seen] += n if as_seen in known else 0
    unlike = {name for name in seen.keys() | written.keys() if seen[name] != written[name]}
    assert unlike <= UNWRITTEN.get(kind, set()), (cls, {name: (written[name], seen[name]) for name in unlike})


def defaults(default, changed):
    """{the activation that was chosen: what the class takes for it}."""
    found = {OTHERS[0]: default["dense_act_fn"]} if "dense_act_fn" in default else {}
    for key, entry in default.items():
        if key in TABLES and isinstance(entry, dict):
            found |= defaults(entry, changed[key])
        elif key in KEYS and changed[key] != entry:
            found[changed[key]] = "silu" if entry == "swish" else entry or "linear"
    special = {"ffn_act_fn": {"mish": "silu"}, "afn": {"relu": "gelu_new"}, "gelu_activation": {"relu": "gelu"}}
    for key in special.keys() & default.keys():
        found |= special[key]
    return found


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in REFUSED])
def test_class_default(hub, kind):
    default, architecture = default_of(hub, kind), load(kind)
    for key in filter(None, architecture.acts):
        *tables, name = key.split(".")
        assert name in reduce(getitem, tables, default) or key in UNTOLD
    changed = chosen(default, default)
    taken = defaults(default, changed)
    compared = 0
    for cls in architecture.classes:
        models = [read_config(config | {"model_type": kind}, head=cls) for config in (changed, default)]
        other, told = map(kinds, models)
        # With nothing said; and with the sizes alone, by which some layers are of several sorts
        sizes = {name: size for name, size in models[1].given.items() if name != "acts"}
        unsaid = kinds(Model(models[1].architecture, sizes, cls=cls)) | kinds(Model(architecture, {}, cls=cls))
        for path in (path for path in other if other[path] in taken and other[path] != told.get(path)):
            compared += 1
            assert told.get(path, "linear") == unsaid.get(path, "linear") == taken[other[path]], (cls, path)
    assert compared or not taken.keys() or not architecture.acts


def kinds(model):
    """{path: kind} of the pointwise operations; where several have one path, they are of one kind or not compared."""
    found = {}
    for x in walk(model.network()):
        if x.verb == "pointwise":
            found.setdefault(x.path, set()).add(x.details["kind"])
    return {path: kind for path, (kind, *more) in found.items() if not more}
