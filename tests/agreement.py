"""symcount beside one measured row: where they disagree. Printed for every row, or for those of some types:

    python tests/agreement.py                    the share of the whole table that is exact
    python tests/agreement.py llama qwen3        each row of these types, and what is wrong with it
    TRUTH=own python tests/agreement.py llama    the configurations of our own instead
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from math import prod
from pathlib import Path

from symcount import ConfigError, active_parameters, flops, parameters, read_config
from symcount.readers.checkpoint import checkpoint
from symcount.sizes import value

DATA = Path(__file__).parent / "data"
# What a scan multiplies is one implementation's way; there only the products with weights are compared.
SCANS: set[str] = set()
TARGET = 16  # tokens that the decoder wrote beside a sound, where the shape of a row does not say
HEADS = {"head": "lm_head", "next_sentence": "lm_head", "classifier": "classifier", "pre_classifier": "classifier",
         "answers": "classifier", "pooler": "pooler"}
PARTS = ("router", "shared", "experts", "embeddings", "mixer", "attention", "cross", "mlp", "conv")
BUCKETS = {"shared": "shared_experts", "mixer": "ssm", "cross": "attention"}


def rows(*types, own=False):
    """The measured rows, or those of some model types; `own` are those of configurations made to break a family."""
    files = sorted((DATA / "own").glob("*.jsonl")) if own else [DATA / "truth.jsonl"]
    found = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [row for row in found if not types or row["id"].split("/")[0] in types]


def row_model(row):
    """The model of a row: its configuration, read as its class."""
    return read_config(row["config"] | {"model_type": row["id"].split("/")[0]}, head=row["arch_class"])


def bucket(term):
    """The component of a row that one of our terms belongs to; the first rule that fits decides."""
    parts = term.path.split(".")
    if parts[0] in HEADS:
        return HEADS[parts[0]]
    if "norm" in term.kinds:
        return "norm"
    part = next((part for part in PARTS if part in parts), "other")
    return BUCKETS.get(part, part)


def components(subject):
    found = Counter()
    for term in parameters(subject).terms:
        found[bucket(term)] += value(term.size, subject.values)
    return {part: count for part, count in found.items() if count}


SHAPE = re.compile(r"(?P<b>\d+)x(?P<kind>img|aud|mel)?(?P<n>\d+)(?:\+(?P<u>\d+))?(?:&img(?P<side>\d+))?")
LENGTH = {None: "s", "img": "side", "aud": "samples", "mel": "frames"}


def sizes_of(shape):
    """The sizes of a run that a row writes as 2x512, 1x128+32 (target), 1ximg224, 1xaud16000 or 1x77&img224."""
    found = SHAPE.fullmatch(shape)
    sizes = {"b": found["b"], LENGTH[found["kind"]]: found["n"], "u": found["u"], "side": found["side"]}
    if found["kind"] == "img":
        sizes["side"] = found["n"]
    return {name: int(size) for name, size in sizes.items() if size}


def work(row, subject, shape):
    """FLOPs of ours and of theirs."""
    sizes = sizes_of(shape)
    if "samples" in sizes and subject.architecture.knows("u"):
        sizes.setdefault("u", TARGET)
    ledger = flops(subject, **sizes)
    if row["id"].split("/")[0] in SCANS:
        theirs = row["flops_by_op"][shape]
        return ledger.by("kind")["weight"].total, sum(theirs.get(op, 0) for op in ("mm", "addmm", "convolution"))
    return ledger.total, row.get("flops_topk", row["flops"])[shape]


def stored(row):
    """Its total, its components and its tensors {(name, shape): how many}, as a checkpoint holds them.

    The classes of the T5 family tie their head whatever the configuration says, and the checkpoints of those that say
    no hold it: there the row has the total with it, and the matrix is added to the others here.
    """
    total, parts = row.get("params_total_checkpoint", row["params_total"]), dict(row["components"])
    tensors = {(name, tuple(shape)): count for name, shape, count in row["shapes"]}
    assert sum(prod(shape) * count for (_, shape), count in tensors.items()) == row["params_total"]
    if total > row["params_total"]:
        (word,) = [shape for name, shape in tensors if name == "shared.weight"]
        assert total == row["params_total"] + prod(word)
        parts["lm_head"], tensors["lm_head.weight", word] = prod(word), 1
    return total, parts, tensors


def disagreements(row):
    """(quantity, ours, theirs) wherever they differ. ConfigError where the configuration is refused."""
    subject = row_model(row)
    total, parts, theirs = stored(row)
    found = [("parameters", parameters(subject).total, total)]
    if row.get("active_params"):
        found.append(("active", active_parameters(subject).total, row["active_params"]))
    found.append(("components", components(subject), parts))
    ours = {(one.name, one.shape): one.count for one in checkpoint(subject)}
    found += [(f"checkpoint {name} {shape}", ours.get((name, shape)), theirs.get((name, shape)))
              for name, shape in {**ours, **theirs}]
    found += [(f"FLOPs {shape}", *work(row, subject, shape)) for shape in row["flops"] or {}]
    return [(what, one, other) for what, one, other in found if one != other]


def main(types):
    exact = refused = wrong = 0
    for row in rows(*types, own=os.environ.get("TRUTH") == "own"):
        try:
            bad = disagreements(row)
        except ConfigError as error:
            refused += 1
            if types:
                print(row["id"], "refused:", error)
            continue
        wrong += bool(bad)
        exact += not bad
        if bad:
            print(row["id"], *(f"\n    {what}: {one} and not {other}" for what, one, other in bad))
    print(f"{exact} exact, {refused} refused, {wrong} wrong, of {exact + refused + wrong}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
