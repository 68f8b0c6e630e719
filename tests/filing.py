"""Where the table of measured models files a part by its name, and what the part is.

Nothing here changes what was measured: a tensor goes from one component to another, or gets its other name.
"""

from __future__ import annotations

import re
from collections import Counter
from math import prod

# The table goes by names: what a name does not say of these types, or says otherwise, is compared as one component.
ONE = {
    "convnext": ("conv", "other"),  # whose name has "conv" in it: all that is nothing else is a convolution
    "convnextv2": ("conv", "other"),
    "dinov3_convnext": ("conv", "mlp", "other"),
    "efficientnet": ("conv", "other"),  # its gates, linear maps of one vector, are stored as kernels of 1 × 1
    "focalnet": ("conv", "other"),  # its maps too
    "hgnet_v2": ("conv", "other"),
    "lilt": ("mlp", "other"),  # the second matrix of its narrow MLP is a `layout_output`
    "nemotron_h": ("attention", "ssm", "mlp", "other"),  # all is a mixer
    "rwkv": ("attention", "ssm", "mlp"),  # two matrices of its MLP are attention
    "speech_to_text": ("conv", "ssm"),  # its `conv.conv_layers` go by the name of a short convolution
    "zaya": ("mlp", "router"),  # a part of its router is a `router_mlp`
}
TIED = ("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight")  # the output matrix, the table of words

PLAIN = {"lm_head.weight": "lm_head", "multiple_choice_head.": "classifier"}  # what heads are where none is expected


def refiled(row):
    """The row with each tensor where it belongs."""
    return held(scored(by_the_maps(by_the_use(by_the_body(alike(with_heads(row)))))))


def joined(counts, parts):
    """The counts, those of some parts as one."""
    rest = {part: count for part, count in counts.items() if part not in parts}
    return {**rest, parts: sum(counts.get(part, 0) for part in parts)} if parts else rest


def with_heads(row):
    """A head as one, also where the class that has it is named as the body of others: GPT2DoubleHeadsModel."""
    parts = Counter(row["components"])
    for name, shape, count in row["shapes"]:
        here = next((part for start, part in PLAIN.items() if name.startswith(start)), "")
        if here and here not in row["components"] and "other" in row["components"]:
            parts = parts + Counter({here: prod(shape) * count}) - Counter(other=prod(shape) * count)
    return row | {"components": dict(parts)}


def alike(row):
    """What differs in the number of an expert, or in the language of an adapter, under one name, as are the layers."""
    found = Counter()
    for name, shape, count in row["shapes"]:
        found[one_name(name), tuple(shape)] += count
    return row | {"shapes": [[name, list(shape), count] for (name, shape), count in found.items()]}


def one_name(name):
    """The name of a tensor without the number of an expert or the language of an adapter."""
    return re.sub(r"(?<=adapter_modules\.)[^.]+", "{language}", re.sub(r"(?<=\.expert_)\d+", "{i}", name))


def by_the_body(row):
    """A tied matrix under its name in the body: where a class makes its head first, it goes by the head's.

    A row that has the output matrix and no table of words has one for both.
    """
    shapes = {name: (shape, count) for name, shape, count in row["shapes"]}
    head, body = TIED
    if head not in shapes or any(name.endswith(("word_embeddings.weight", "embed_tokens.weight")) for name in shapes):
        return row
    moved = prod(shapes[head][0])
    parts = Counter(row["components"]) + Counter(embeddings=moved) - Counter(lm_head=moved)
    return row | {"shapes": [[body if name == head else name, shape, count] for name, shape, count in row["shapes"]],
                  "components": dict(parts)}


def by_the_use(row):
    """The matrix that a name takes for the logits of words, where it scores a text, as what it is; and the map to the
    letters of a sound, which may be of a class of convolutions.
    """
    kernel = any(name == "ctc_head.weight" and len(shape) > 2 for name, shape, _ in row["shapes"])
    for beginning, there, here in (("logits_proj.", "lm_head", "classifier"),
                                   ("ctc_head.", "conv" if kernel else "other", "lm_head")):
        moved = sum(prod(shape) * count for name, shape, count in row["shapes"] if name.startswith(beginning))
        if moved:
            parts = Counter(row["components"]) + Counter({here: moved}) - Counter({there: moved})
            row = row | {"components": dict(parts)}
    return row


# (a part of names, the component that the table files them in, what they are, of which type, "" of all)
MOVED = (
    # maps that widen one residual stream to several, and join them again
    ("altup_projections.", "mlp", "other", ""),
    ("altup_unembed_projections.", "embeddings", "other", ""),
    ("embedding_projection.", "embeddings", "other", "embedding_gemma2_text"),  # to another width behind all layers
    (".self_attn.output_projection.", "lm_head", "attention", ""),  # the map out of an attention, named as a head
    (".post_attention_residual", "attention", "other", "doge"),  # a gain of a residual
    # rows of two tables that a router chooses, which are its experts
    (".mlp.down_embed.", "embeddings", "experts", ""),
    (".mlp.up_embed.", "embeddings", "experts", ""),
    # a norm that a map of low rank gates
    ("input_layernorm.mlp.", "mlp", "other", ""),
    ("post_attention_layernorm.mlp.", "attention", "other", ""),
    # the head that pools an image, which is filed whole where its tower is alone
    ("vision_tower.head.attention.", "attention", "pooler", ""),
    ("vision_tower.head.mlp.", "mlp", "pooler", ""),
    ("vision_tower.head.layernorm.", "norm", "pooler", ""),
    ("language_model.lm_head.", "other", "lm_head", "llama4"),
    ("vision_projection.norm.", "other", "norm", "lighton_ocr"),
)


def by_the_maps(row):
    """These parts as what they are."""
    parts, kind = Counter(row["components"]), row["id"].split("/")[0]
    for name, shape, count in row["shapes"]:
        for part, there, here, of in MOVED:
            if part in name and of in ("", kind):
                parts[there] -= prod(shape) * count
                parts[here] += prod(shape) * count
    return row | {"components": {part: count for part, count in parts.items() if count}}


def scored(row):
    """A bias that corrects the scores of a router is the router's, also where it is named `expert_bias`; a word table
    is an embedding, also where its class is a NormedEmbedding.

    Of the experts a token meets K/E, of the router all.
    """
    total, active, parts = row["params_total"], row.get("active_params"), dict(row["components"])
    ending, there, here = (("embed_tokens.weight", "norm", "embeddings") if "embeddings" not in parts
                           else (".expert_bias", "experts", "router"))
    moved = sum(prod(shape) * count for name, shape, count in row["shapes"] if name.endswith(ending))
    if not moved or there not in parts:
        return row
    if active and there == "experts":
        active = total - (total - active) * (parts[there] - moved) // parts[there]
    parts[there] -= moved
    parts[here] = parts.get(here, 0) + moved
    return row | {"components": {part: count for part, count in parts.items() if count}, "active_params": active}


def held(row):
    """What a checkpoint holds: the classes of the T5 family tie their head whatever the configuration says, and the
    checkpoints of those that say no hold it. There the row has the total with it, and the matrix is added to the rest.
    """
    total = row.get("params_total_checkpoint", row["params_total"])
    if total == row["params_total"]:
        return row
    word = next((shape for name, shape, _ in row["shapes"] if name == "shared.weight"), None)
    if word is None:  # of another family, whose classes do as the configuration says
        return row
    assert total == row["params_total"] + prod(word)
    return row | {"params_total": total, "components": {**row["components"], "lm_head": prod(word)},
                  "shapes": [*row["shapes"], ["lm_head.weight", word, 1]]}
