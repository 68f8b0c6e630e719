"""Models that see: a tower for images beside a model of text, each read from a table of its own in the configuration.

A family says which architectures its towers may be, what it makes of the tokens of the image tower, and where its
checkpoints keep each tower; forward passes, keys and names of a tower are those of its own architecture.
"""

from __future__ import annotations

from collections import namedtuple

from symcount.architecture import Architecture
from symcount.errors import ConfigError, ModelError
from symcount.hub.images import TOWER_NOTES, behind, relettered
from symcount.layers import linear
from symcount.layers.towers import IMAGE_LETTERS, Tower
from symcount.network import keep, rename, walk, weights, within
from symcount.sizes import bounded, conditions, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from symcount.tensors import Tensor

    Settle = Callable[[dict[str, Any]], dict[str, Any]]

# kinds: {model_type of its table: its architecture, or the file that the architecture of this name is in}, first the
# one where the table says none; at: what its tensors are stored behind; absent: what an absent table holds;
# equal: {letter of a tower for images: the letter of the text that it must equal}; early: whether it is read before its
# last layer
Part = namedtuple("Part", "kinds at absent equal early", defaults=({}, {}, False))
TEXT, IMAGE = "text_config", "vision_config"
_SHARED = ("c", "side", "patch", "merge", "tube")  # letters of images, which no model of text has
_CLASSES = ("num_labels", "tie_word_embeddings")  # of the whole model
_UNREAD = {**TOWER_NOTES, f"{TEXT}.tie_word_embeddings": "the whole says whether words are tied"}
_NO_WINDOW = {"sliding_window": ((None,), "windows are not written for this family"),
           "use_sliding_window": ((False,), "windows are not written for this family")}


def seeing(name: str, family: Callable[[str], tuple[Architecture, ...]], text: Part, image: Part, *,
           classes: Mapping[str, bool], ties: Mapping[str, bool],
           project: Callable[..., Tensor] | None = None,
           rewritten: Callable[[dict[str, Any]], dict[str, Any]] = dict, **whole: Any) -> Architecture:
    """The architecture of a family with a tower for images, and of each pair of towers that it may have.

    family   gives the architectures of a file
    classes  {class: whether it predicts words}
    ties     {key, of which any ties the words: the class default}
    project  project(*what the image tower gives, z=z) -> the vectors (b s d) that stand for words; without it they are
             all that the tower gives
    rewritten  what the configuration class makes of older files before it reads them
    whole    keys, stored and all else that an `Architecture` takes, of what is of no tower
    """
    def load(part: Part, kind: str) -> Architecture:
        found = part.kinds[kind]
        return next(one for one in family(found) if one.name == kind) if isinstance(found, str) else found

    def pair(words: str, pictures: str) -> Architecture:
        towers = load(text, words), load(image, pictures)
        letters = _letters(towers[1], image.equal)
        fields = (_fields(towers[0], TEXT, "text", text, {}), _fields(towers[1], IMAGE, "image", image, letters))
        usual: dict[str, Any] = {"flags": {"tied": any(ties.values())}, "reads": dict(ties), "ignored": _UNREAD,
                                 "stored_heads": {"head": "lm_head"}, "published": {}}
        tables: dict[str, Any] = {
            field: {key: entry for one in (*fields, usual, whole) for key, entry in one.get(field, {}).items()}
            for field in (*fields[0], "stored_heads", "published")}
        return Architecture(
            name, **tables,
            classes=_classes(towers, letters, project, classes, early=image.early),
            sizes=" ".join(["images", *whole.get("sizes", "").split(), *towers[0].sizes,
                            *(letters.get(size, size) for size in towers[1].sizes)]),
            settle=_settled(towers, letters, image.equal, whole.get("settle"), ties),
            base=whole.get("base", "model"),
            buffers=towers[0].buffers or towers[1].buffers,
            composed=composed,
            gradients=whole.get("gradients") or towers[0].gradients or towers[1].gradients,
            unmasked=whole.get("unmasked") or towers[0].unmasked,
            unwritten=whole.get("unwritten") or towers[0].unwritten or towers[1].unwritten,
        )

    def composed(config: Mapping[str, Any]) -> tuple[Architecture, dict[str, Any]]:
        config = rewritten(dict(config))
        words, pictures = _table(config, TEXT, text), _table(config, IMAGE, image)
        return (pair(_kind(words, TEXT, text), _kind(pictures, IMAGE, image)),
                {**config, TEXT: words, IMAGE: pictures})

    return pair(next(iter(text.kinds)), next(iter(image.kinds)))


def nested(text: Architecture) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What older files of a family mean, which have the keys of the text beside the table of the image tower."""
    known = {*text.keys, *text.reads, *text.ignored, *text.only, *text.aliases, *text.acts} - {"tie_word_embeddings"}

    def rewritten(config: dict[str, Any]) -> dict[str, Any]:
        if config.get(TEXT) is not None:
            return config
        return {**{key: entry for key, entry in config.items() if key not in known},
                TEXT: {key: entry for key, entry in config.items() if key in known}}
    return rewritten


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
    if not isinstance(said, str) or said not in part.kinds:
        raise ConfigError(f"{table}.model_type = {said!r} is not written as a tower of this family; supported: "
                          + ", ".join(part.kinds))
    return said


def _letters(image: Architecture, equal: Mapping[str, str]) -> dict[str, str]:
    """{letter or flag of a tower for images: what it is called beside a text}; it is run for so many images."""
    own = {letter: letter if letter in _SHARED else f"{letter}_img"
           for letter in (*_SHARED, *image.sizes, *image.follows, *image.flags)}
    return {**IMAGE_LETTERS, **own, **equal, "b": "images"}


def _classes(towers: tuple[Architecture, Architecture], letters: Mapping[str, str], project: Any,
             classes: Mapping[str, bool], *, early: bool) -> dict[str, Callable[[Any], Tensor]]:
    """The forward passes, of the base classes of both towers."""
    read, see = (next(iter(one.classes.values())) for one in towers)

    def body(z: Any) -> Tensor:
        """What the text becomes with images in it."""
        seen = within("image", lambda: see(Tower(z, letters, early=early)))
        seen = seen if isinstance(seen, tuple) else (seen,)
        placed = (project(*seen, z=z),) if project else seen
        among = tuple(_fitting(one, z) for one in placed)
        told: Tensor = within("text", lambda: read(Tower(z, {}, among=among)))
        if sum(x.details.get("kind") == "place" for x in walk(told)) != len(among):
            raise ModelError(f"{towers[0].name}: nothing can stand among its words: it does not begin with `words`")
        return told

    def predict(z: Any) -> Tensor:
        """Logits over the vocabulary at every position: dV parameters, none when tied."""
        x = body(z)
        return linear(x, "head", bias=False, w=weights(x)["text.embeddings.weight"][0] if z.tied else None, V=z.V)

    return {cls: predict if predicts else body for cls, predicts in classes.items()}


def _fitting(x: Tensor, z: Any) -> Tensor:
    """The vectors of all images, of which there are no more than words."""
    n = x.axes["s"]
    return rename(keep(x, s=noted(n, *conditions(bounded(z.images * n, z.b * z.s)))), b="b'", s="s'")


def _fields(part: Architecture, table: str, tower: str, told: Part, letters: Mapping[str, str]) -> dict[str, Any]:
    """What `Architecture` takes of a tower: keys behind the name of its table, parts behind that of the tower."""
    def keyed(entries: Mapping[str, Any]) -> dict[str, Any]:
        return {f"{table}.{key}": entry for key, entry in entries.items() if key not in _CLASSES}

    def repeated(entries: Mapping[str, str]) -> dict[str, str]:
        return {f"{table}.{key}": f"{table}.{of}" for key, of in entries.items()}

    known = {*part.keys, *part.reads, *part.ignored, *part.only, *part.aliases}
    equal = {key: default for key, (letter, default) in part.keys.items() if letter in told.equal}
    return {
        "keys": {key: (letters.get(letter, letter), default)
                 for key, (letter, default) in keyed(part.keys).items() if letter not in told.equal},
        "reads": keyed({**part.reads, **equal}),
        "ignored": keyed(part.ignored),
        "only": keyed({**{key: entry for key, entry in _NO_WINDOW.items() if key not in known}, **part.only}),
        "hides": keyed(part.hides),
        "aliases": repeated(part.aliases),
        "same": repeated(part.same),
        "acts": {f"{table}.{key}": (default, _paths(path, tower)) for key, (default, path) in part.acts.items()},
        "follows": {letters.get(one, one): relettered(formula, letters) for one, formula in part.follows.items()},
        "flags": {letters.get(flag, flag): default for flag, default in part.flags.items()},
        "stored": behind(tower, told.at, part.stored, letters),
    }


def _settled(towers: tuple[Architecture, Architecture], letters: Mapping[str, str], equal: Mapping[str, str],
             own: Settle | None, tied: Mapping[str, bool]) -> Settle:
    """What several keys say together: of each tower, of the whole, whether words are tied."""
    def settle(config: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = dict(own(config)) if own else {}
        for table, tower, part, names, ending in ((TEXT, "text", towers[0], {}, ""),
                                                  (IMAGE, "image", towers[1], letters, "_img")):
            inner = {key.removeprefix(f"{table}."): entry for key, entry in config.items()
                     if key.startswith(f"{table}.")}
            try:
                defaults = {key: default for key, (_, default) in part.keys.items()}
                gives = part.settle({**defaults, **inner}) if part.settle else {}
            except ConfigError as error:
                raise ConfigError(f"{table}: {error}") from None
            acts = {_paths(path, tower): kind for path, kind in gives.pop("acts", {}).items()}
            found |= {names.get(size, size + ending): entry for size, entry in gives.items()}
            found |= {"acts": {**found.get("acts", {}), **acts}} if acts else {}
        for mine, theirs in equal.items():
            one, other = (f"{table}.{_key(part, letter)}" for table, part, letter in (
                (IMAGE, towers[1], mine), (TEXT, towers[0], theirs)))
            if config[one] != config[other]:
                raise ConfigError(f"{one} = {config[one]!r} must be {other} = {config[other]!r}: what the tower gives "
                                  "stands among the words")
        ties = {key: config[key] for key in tied}
        if wrong := [key for key, entry in ties.items() if not isinstance(entry, bool)]:
            raise ConfigError(f"{wrong[0]} = {ties[wrong[0]]!r}: true or false is needed")
        return {**found, "tied": any(ties.values())}
    return settle


def _key(part: Architecture, letter: str) -> str:
    """The key that gives a letter."""
    return next(key for key, (size, _) in part.keys.items() if size == letter)


def _paths(path: str, tower: str) -> str:
    """The paths of a tower's activations within the whole: layers.mlp becomes text.layers.mlp."""
    return " ".join(f"{tower}.{one}" for one in path.split()) or tower
