"""Where the table of measured models files a part by its name, and what the part is.

Nothing here changes what was measured: a tensor goes from one component to another, or gets its other name.
"""

from __future__ import annotations

from collections import Counter
from math import prod

# The table goes by names, which say attention of two matrices of RWKV's MLP, and mixer of all in Nemotron-H: these
# components are compared as one. Where the name of a body has "conv" in it, all that is nothing else is a convolution;
# the `conv.conv_layers` of S2T go by the name of a short convolution.
ONE = {"rwkv": ("attention", "ssm", "mlp"), "nemotron_h": ("attention", "ssm", "mlp", "other"),
       "speech_to_text": ("conv", "ssm"), "convnext": ("conv", "other"), "convnextv2": ("conv", "other")}
TIED = ("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight")  # the output matrix, the table of words


def refiled(row):
    """The row with each tensor where it belongs."""
    return held(scored(by_the_use(by_the_body(row))))


def joined(counts, parts):
    """The counts, those of some parts as one."""
    rest = {part: count for part, count in counts.items() if part not in parts}
    return {**rest, parts: sum(counts.get(part, 0) for part in parts)} if parts else rest


def by_the_body(row):
    """A tied matrix under its name in the body: where a class makes its head first, it goes by the head's.

    A row that has the output matrix and no table of words has one for both.
    """
    shapes = {name: (shape, count) for name, shape, count in row["shapes"]}
    head, body = TIED
    if head not in shapes or any(name.endswith("word_embeddings.weight") for name in shapes):
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
    word, = (shape for name, shape, _ in row["shapes"] if name == "shared.weight")
    assert total == row["params_total"] + prod(word)
    return row | {"params_total": total, "components": {**row["components"], "lm_head": prod(word)},
                  "shapes": [*row["shapes"], ["lm_head.weight", word, 1]]}
