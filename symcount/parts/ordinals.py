"""Layers that are counted in words: "the first convolution", "the second fully connected layer"."""

from __future__ import annotations

from symcount.parts.amounts import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from symcount.parts.amounts import Amount
    from symcount.parts.words import Phrases

_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
          "twelfth", "thirteenth")
_CALLED = {"kernel": ("convolution", "convolutional layer", "conv", "conv layer", "convolution layer"),
           "dense": ("fully connected layer", "dense layer", "linear layer", "layer")}


def ordinals(amounts: Iterable[Amount]) -> dict[str, list[str]]:
    """{"kernel" or "dense": the paths of its layers, in order}, as far as they follow each other once.

    >>> from symcount import model
    >>> from symcount.parts.amounts import counts
    >>> ordinals(counts(model("lenet-5")).parameters)
    {'kernel': ['conv1', 'conv2'], 'dense': ['dense1', 'dense2', 'classifier']}
    """
    found: dict[str, list[str]] = {"kernel": [], "dense": []}
    for one in amounts:
        path = stem(one.path)
        if path.count(".") > 1 or one.path == path or any(runs != 1 for _, runs in one.scopes):
            break  # from here on there are blocks within blocks, and no author counts one by one
        if "kernel" in one.kinds and one.path.endswith(".weight"):
            found["kernel"].append(path)
        elif one.path.endswith(".weight") and not {"norm", "embedding"} & set(one.kinds):
            found["dense"].append(path)
    return found


def called(found: dict[str, list[str]]) -> Phrases:
    """The phrases for such layers, as `words.phrases` has them; a plain "layer" is meant where there is one kind."""
    told: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
    for kind, paths in found.items():
        for word, path in zip(_WORDS, paths, strict=False):
            for name in _CALLED[kind]:
                if name != "layer" or not found["kernel"]:
                    told.setdefault(word, []).append(((word, *name.split()), "part", f"^{path}"))
    return told


def neighbour(path: str, value: Any, found: dict[str, list[str]], amounts: Sequence[Amount]) -> str:
    """The other layer of the kind of this one whose parameters these are, with its biases or without; "" for none."""
    alike = next((paths for paths in found.values() if path in paths), ())
    for other in alike:
        whole = sum(a.number for a in amounts if stem(a.path) == other)
        bare = sum(a.number for a in amounts if stem(a.path) == other and "bias" not in a.kinds)
        if other != path and value in (whole, bare):
            return other
    return ""
