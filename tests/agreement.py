"""symcount beside one measured row: where they disagree. Printed for every row, or for those of some types:

    python tests/agreement.py                    the share of the whole table that is exact
    python tests/agreement.py llama qwen3        each row of these types, and what is wrong with it
    TRUTH=own python tests/agreement.py llama    the configurations of our own instead
    python tests/agreement.py --write            docs/architectures.md, and what `symcount models --architectures` says
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from math import prod
from pathlib import Path

import filing
from symcount import ConfigError, active_parameters, flops, parameters, read_config
from symcount.architectures import _agreed, load, types
from symcount.readers.checkpoint import checkpoint
from symcount.readers.parameters import buffers
from symcount.sizes import value

DATA = Path(__file__).parent / "data"
AGREED = Path(_agreed.__file__)
BINS = 4  # where nobody says how many, a Reformer takes what fits its first text, which had 128 tokens
TARGET = 16  # tokens that the decoder wrote beside a sound, where the shape of a row does not say
HEADS = {"head": "lm_head", "next_sentence": "lm_head", "classifier": "classifier", "pre_classifier": "classifier",
         "answers": "classifier", "pooler": "pooler"}
TOWERS = ("text", "image")
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
    parts = parts[1:] if parts[0] in TOWERS else parts
    if parts[0] in HEADS:
        return HEADS[parts[0]]
    if "norm" in term.kinds:
        return "norm"
    part = next((part for part in PARTS if part in parts), "conv" if "kernel" in term.kinds else "other")
    return BUCKETS.get(part, part)


def components(subject):
    found = Counter()
    for term in parameters(subject).terms:
        found[bucket(term)] += value(term.size, subject.values)
    return {part: count for part, count in found.items() if count}


SHAPE = re.compile(r"(?P<b>\d+)x(?P<kind>img|aud|mel)?(?P<n>\d+)(?:\+(?P<u>\d+))?(?:&(?P<images>\d*)img(?P<side>\d+))?")
LENGTH = {None: "s", "img": "side", "aud": "samples", "mel": "frames"}


def sizes_of(shape):
    """The sizes of a run that a row writes as 2x512, 1x128+32 (target), 1ximg224, 1xaud16000 or 1x77&img224."""
    found = SHAPE.fullmatch(shape)
    sizes = {"b": found["b"], LENGTH[found["kind"]]: found["n"], "u": found["u"], "side": found["side"],
             "images": found["images"]}
    if found["kind"] == "img":
        sizes["side"] = found["n"]
    return {name: int(size) for name, size in sizes.items() if size}


def run_of(shape, subject):
    """The same for a model: tokens on the other side only where it writes some, TARGET where it is not said;
    where it sees, one image for each text or none.
    """
    sizes, architecture = sizes_of(shape), subject.architecture
    if architecture.knows("images"):
        sizes.setdefault("images", sizes["b"] if "side" in sizes else 0)
    if "samples" in sizes:
        sizes.setdefault("u", TARGET)
    if architecture.knows("bins") and "bins" not in subject.values:
        sizes["bins"] = BINS
    return {name: size for name, size in sizes.items() if name != "u" or architecture.knows("u")}


def work(row, subject, shape):
    """FLOPs of ours and of theirs."""
    sizes = run_of(shape, subject)
    return flops(subject, **sizes).total, row.get("flops_topk", row["flops"])[shape]


def disagreements(row):
    """(quantity, ours, theirs) wherever they differ. ConfigError where the configuration is refused."""
    subject = row_model(row)
    row, as_one = filing.refiled(row), filing.ONE.get(row["id"].split("/")[0], ())
    found = [("parameters", parameters(subject).total, row["params_total"])]
    untrained = parameters(subject).by("trainable").get("frozen")
    found.append(("frozen", untrained.total if untrained else 0, row.get("params_frozen", 0)))
    if row.get("active_params"):
        found.append(("active", active_parameters(subject).total, row["active_params"]))
    if not subject.architecture.buffers and "own" not in row["id"]:
        found.append(("buffers", buffers(subject).total,
                      sum(prod(shape) * count for _, shape, count in row.get("buffers", ()))))
    found.append(("components", *(filing.joined(parts, as_one) for parts in (components(subject), row["components"]))))
    ours = Counter()
    for one in checkpoint(subject):  # a row writes every number in a name as {i}, not that of the layer alone
        if not prod(one.shape):  # some implementations store an empty tensor, and some leave it out
            continue
        ours[re.sub(r"(?<=\.)\d+(?=\.)", "{i}", one.name), one.shape] += one.count
    theirs = {(name, tuple(shape)): count for name, shape, count in row["shapes"] if prod(shape)}
    assert sum(prod(shape) * count for (_, shape), count in theirs.items()) == row["params_total"]
    found += [(f"checkpoint {name} {shape}", ours.get((name, shape)), theirs.get((name, shape)))
              for name, shape in {**ours, **theirs}]
    found += [(f"FLOPs {shape}", *work(row, subject, shape)) for shape in row["flops"] or {}]
    return [(what, one, other) for what, one, other in found if one != other]


def tally():
    """{type: {"exact", "refused", "own": how many; "why": the reasons of refusals}}, and the rows that are wrong."""
    found, wrong = {}, []
    for own in (False, True):
        for row in rows(own=own):
            kind = row["id"].split("/")[0]
            one = found.setdefault(kind, {"exact": 0, "refused": 0, "own": 0, "why": Counter()})
            try:
                bad = disagreements(row)
            except ConfigError as error:
                one["refused"] += not own
                one["why"][str(error).partition(": ")[2]] += 1
                continue
            if bad:
                wrong.append(row["id"])
            else:
                one["own" if own else "exact"] += 1
    return found, wrong


def write():
    """The page of what is supported, and the numbers that the command line shows."""
    found, wrong = tally()
    assert not wrong, wrong
    kinds, measured = types(), {row["id"].split("/")[0] for row in rows()}
    exact = sum(one["exact"] for one in found.values())
    total = sum(one["exact"] + one["refused"] for one in found.values())
    own = sum(one["own"] for one in found.values())
    lines = [HEAD.format(exact=exact, total=total, types=len(measured & kinds.keys()), all=len(measured),
                         further=len(found.keys() & kinds.keys() - measured), own=own),
             "| type | file | classes | rows exact | refused | own |", "| --- | --- | --- | --: | --: | --: |"]
    for kind, file in kinds.items():
        one = found.get(kind, {"exact": 0, "refused": 0, "own": 0})
        if load(kind).keys:
            lines.append(f"| {linked(kind, file)} | {file}.py | {len(load(kind).classes)} | {one['exact']} "
                         f"| {one['refused']} | {one['own']} |")
    alone = [linked(kind, file) for kind, file in kinds.items() if not load(kind).keys]
    lines += ["", "## Layers and classics without a config.json", "", ", ".join(alone)]
    lines += ["", "## All types of transformers 5.23.0", "", SORTS, "", "| reads | types | supported |",
              "| --- | --: | --: |"]
    sorts = json.loads((DATA / "types.json").read_text(encoding="utf-8"))
    lines += [f"| {READS[sort]} | {len(of)} | {len(kinds.keys() & set(of))} |" for sort, of in sorts.items()]
    every = {one for of in sorts.values() for one in of}
    lines += [f"| all | {len(every)} | {len(kinds.keys() & every)} |"]
    refused = [(kind, why, n) for kind, one in sorted(found.items()) if kind in kinds for why, n in one["why"].items()]
    lines += ["", "## Refused in supported types", "", *(f"- `{kind}` ({n}): {why}" for kind, why, n in refused),
              "", "## Not supported yet", "", "Measured: " + (", ".join(
                  f"`{kind}`" for kind in sorted(found) if kind not in kinds) or "none."),
              "", "Text, and not measured: " + ", ".join(f"`{one}`" for one in sorts["text"] if one not in kinds) + "."]
    (DATA.parents[1] / "docs" / "architectures.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = "".join(f'    "{kind}": ({one["exact"]}, {one["refused"]}, {one["own"]}),\n'
                   for kind, one in sorted(found.items()) if kind in kinds)
    AGREED.write_text('"""How far each architecture was checked; made by `python tests/agreement.py --write`."""\n\n'
                      f"ROWS: dict[str, tuple[int, int, int]] = {{\n{told}}}\n", encoding="utf-8")
    print(f"{exact} of {total} rows exact ({100 * exact / total:.1f} %)")


def linked(kind, file):
    """A type, with a link to its place on the page of its file."""
    return f"[`{kind}`](architectures/{file}.md#{kind})"


HEAD = """# Architectures

Written by `python tests/agreement.py --write`. Of {total:,} models of {all} types that were measured on the real
implementations (tests/data/README.md), {exact:,} are exact: parameters, active parameters, every tensor of the
checkpoint by name and shape, and FLOPs. No number is wrong; the rest is refused. {types} of
the types are supported and stand here; {further} further types of transformers are supported, and are not among them.

*Own* counts further configurations, odd shapes and turned flags, that were made to break a family after it was written
and measured in the same way; all of these are exact or refused too. Only where an axis has size 1 (one token, a state
or a chunk of one) torch multiplies without a matrix product and counts less work than symcount does.
"""

SORTS = """By what their classes say that they read; parts of others, as towers, are no models alone. What is not
supported is refused by name."""
READS = {"text": "text", "images": "images or video", "sound": "sound", "several": "several of these",
         "series": "series of numbers", "parts": "parts of others"}


def main(kinds):
    if kinds == ["--write"]:
        return write()
    exact = refused = wrong = 0
    for row in rows(*kinds, own=os.environ.get("TRUTH") == "own"):
        try:
            bad = disagreements(row)
        except ConfigError as error:
            refused += 1
            if kinds:
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
