"""Models that see: a tower for images beside a model of text, each read from a table of its own in the configuration.

A family says which architectures its towers may be, what it makes of the tokens of the image tower, and where its
checkpoints keep each tower; forward passes, keys and names of a tower are those of its own architecture.
"""

from __future__ import annotations

import re
from collections import namedtuple

from symcount.architecture import Architecture
from symcount.errors import ConfigError
from symcount.hub.images import TOWER_NOTES, behind
from symcount.layers import linear
from symcount.layers.towers import IMAGE_LETTERS, Tower
from symcount.network import rename, weights, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.tensors import Tensor

# kinds: {model_type of its table: its architecture, or the file that the architecture of this name is in}, first the one
# that is taken where the table says none; at: what its tensors are stored behind; absent: what an absent table holds
Part = namedtuple("Part", "kinds at absent", defaults=({},))
TEXT, IMAGE = "text_config", "vision_config"
_SHARED = ("c", "side", "patch")  # letters of images, which no model of text has
_CLASSES = ("num_labels", "tie_word_embeddings")  # of the whole model
_WINDOW = {"sliding_window": ((None,), "windows are not written for this family"),
           "use_sliding_window": ((False,), "windows are not written for this family")}


def seeing(name: str, family: Callable[[str], tuple[Architecture, ...]], text: Part, image: Part, *,
           project: Callable[[tuple[Tensor, ...], Any], tuple[Tensor, ...]], classes: Mapping[str, bool],
           tie: Callable[[bool, bool], bool], tied: bool, keys: Mapping[str, tuple[str, Any]] | None = None,
           stored: Mapping[Any, Any], **told: Any) -> Architecture:
    """The architecture of a family with a tower for images, and of each pair of towers that it may have.

    family   gives the architectures of a file
    project  project(what the image tower gives, z) -> the vectors (b s d) that stand for words, one tensor or several
    classes  {class: whether it predicts words}
    tie      tie(tie_word_embeddings of the whole, of the text): whether the words are tied; `tied`: the class default
    keys, stored, told  of the whole model, as of any `Architecture`
    """
    def load(part: Part, kind: str) -> Architecture:
        found = part.kinds[kind]
        return next(one for one in family(found) if one.name == kind) if isinstance(found, str) else found

    def pair(words: str, pictures: str) -> Architecture:
        made = _pair(name, load(text, words), load(image, pictures), (text.at, image.at), project=project,
                     classes=classes, tie=tie, tied=tied, keys=keys or {}, stored=stored, told=told)
        made.composed = composed
        return made

    def composed(config: Mapping[str, Any]) -> tuple[Architecture, dict[str, Any]]:
        words, pictures = _table(config, TEXT, text), _table(config, IMAGE, image)
        return (pair(_kind(words, TEXT, text), _kind(pictures, IMAGE, image)),
                {**config, TEXT: words, IMAGE: pictures})

    return pair(next(iter(text.kinds)), next(iter(image.kinds)))


def _table(config: Mapping[str, Any], table: str, part: Part) -> dict[str, Any]:
    """The table of a tower, or what one that is absent holds."""
    found = config.get(table)
    if found is None:
        return dict(part.absent)
    if not isinstance(found, dict):
        raise ConfigError(f"{table}: a table is needed")
    return found


def _kind(found: Mapping[str, Any], table: str, part: Part) -> str:
    """The model_type of a table."""
    said = found.get("model_type") or next(iter(part.kinds))
    if said not in part.kinds:
        raise ConfigError(f"{table}.model_type = {said!r} is not written as a tower of this family; supported: "
                          + ", ".join(part.kinds))
    return str(said)


def _letters(image: Architecture) -> dict[str, str]:
    """{letter or flag of a tower for images: what it is called beside a text}; it is run for so many images."""
    own = {letter: f"{letter}_img" for letter in (*image.sizes, *image.follows, *image.flags) if letter not in _SHARED}
    return {**IMAGE_LETTERS, **own, "b": "images"}


def _pair(name: str, text: Architecture, image: Architecture, at: tuple[str, str], *, project: Any,
          classes: Mapping[str, bool], tie: Any, tied: bool, keys: Mapping[str, tuple[str, Any]],
          stored: Mapping[Any, Any], told: Mapping[str, Any]) -> Architecture:
    letters = _letters(image)

    def body(z: Any) -> Tensor:
        """What the text becomes with images in it."""
        seen = within("image", lambda: next(iter(image.classes.values()))(Tower(z, letters)))
        placed = project(seen if isinstance(seen, tuple) else (seen,), z)
        among = tuple(rename(one, b="b'", s="s'") for one in placed)
        return within("text", lambda: next(iter(text.classes.values()))(Tower(z, {}, among)))  # type: ignore[no-any-return]

    def predict(z: Any) -> Tensor:
        """Logits over the vocabulary at every position: dV parameters, none when tied."""
        x = body(z)
        return linear(x, "head", bias=False, w=weights(x)["text.embeddings.weight"][0] if z.tied else None, V=z.V)

    parts = ((TEXT, text, {}), (IMAGE, image, letters))
    mine = told.get("settle")

    def settle(config: dict[str, Any]) -> dict[str, Any]:
        found = dict(mine(config)) if mine else {}
        for table, part, names in parts:
            if part.settle is not None:
                inner = {key.removeprefix(f"{table}."): value for key, value in config.items()
                         if key.startswith(f"{table}.")}
                try:
                    gives = part.settle({**{key: entry for key, (_, entry) in part.keys.items()}, **inner})
                except ConfigError as error:
                    raise ConfigError(f"{table}: {error}") from None
                found.update(_acts(entry, table) if size == "acts" else (names.get(size, size), entry)
                             for size, entry in gives.items())
        whole, inner_tied = config["tie_word_embeddings"], config.get(f"{TEXT}.tie_word_embeddings", False)
        if not isinstance(whole, bool) or not isinstance(inner_tied, bool):
            raise ConfigError(f"tie_word_embeddings = {whole!r}, {inner_tied!r} in {TEXT}: true or false is needed")
        return {**found, "tied": tie(whole, inner_tied)}

    def behind_table(table: str, entries: Mapping[str, Any]) -> dict[str, Any]:
        return {f"{table}.{key}": entry for key, entry in entries.items() if key not in _CLASSES}

    every: dict[str, dict[str, Any]] = {field: {} for field in ("keys", "reads", "ignored", "only", "hides")}
    aliases: dict[str, str] = {}
    same: dict[str, str] = {}
    acts: dict[str, tuple[str, str]] = {}
    for table, part, names in parts:
        every["keys"] |= {key: (names.get(letter, letter), default)
                          for key, (letter, default) in behind_table(table, part.keys).items()}
        for field in ("reads", "ignored", "only", "hides"):
            every[field] |= behind_table(table, getattr(part, field))
        known = {*part.keys, *part.reads, *part.ignored, *part.only, *part.aliases}
        every["only"] |= {f"{table}.{key}": entry for key, entry in _WINDOW.items() if key not in known}
        aliases |= {f"{table}.{key}": f"{table}.{of}" for key, of in part.aliases.items()}
        same |= {f"{table}.{key}": f"{table}.{of}" for key, of in part.same.items()}
        acts |= {f"{table}.{key}" if key else f"{table}.": (default, _paths(path, table))
                 for key, (default, path) in part.acts.items()}
    inner = text.keys.get("tie_word_embeddings", ("", False))[1]
    return Architecture(
        name,
        classes={cls: predict if predicts else body for cls, predicts in classes.items()},
        sizes=" ".join(["images", *text.sizes, *(letters.get(size, size) for size in image.sizes)]),
        follows={**text.follows, **{letters.get(size, size): _renamed(formula, letters)
                                    for size, formula in image.follows.items()}, **told.get("follows", {})},
        flags={**text.flags, **{letters.get(flag, flag): default for flag, default in image.flags.items()},
               "tied": tie(tied, inner), **told.get("flags", {})},
        keys={**every["keys"], **keys},
        reads={**every["reads"], f"{TEXT}.tie_word_embeddings": inner, "tie_word_embeddings": tied,
               **told.get("reads", {})},
        settle=settle,
        aliases={**aliases, **told.get("aliases", {})},
        ignored={**TOWER_NOTES, **every["ignored"], **told.get("ignored", {})},
        only={**every["only"], **told.get("only", {})},
        same=same,
        acts={**acts, **told.get("acts", {})},
        hides={**every["hides"], **told.get("hides", {})},
        stored={**behind("text", at[0], text.stored, {}), **behind("image", at[1], image.stored, letters), **stored},
        stored_heads=told.get("stored_heads", {"head": "lm_head"}),
        base=told.get("base", "model"),
        buffers=text.buffers or image.buffers,
        unwritten=told.get("unwritten", "") or text.unwritten or image.unwritten,
        published=told.get("published"),
    )


def _paths(path: str, table: str) -> str:
    """The paths of a tower's activations within the whole: layers.mlp becomes text.layers.mlp."""
    tower = {TEXT: "text", IMAGE: "image"}[table]
    return " ".join(f"{tower}.{one}" for one in path.split()) or tower


def _acts(entry: Mapping[str, str], table: str) -> tuple[str, dict[str, str]]:
    return "acts", {_paths(path, table): kind for path, kind in entry.items()}


def _renamed(formula: str, letters: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda found: letters.get(found[0], found[0]), formula)
