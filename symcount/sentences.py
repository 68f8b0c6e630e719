"""Sentences that say a quantity of a model: `12*L*d^2 is parameters of gpt2`, "the KV cache of X takes 2 GB per token".

Only a sentence of which every word is understood is read; any other says nothing here.
"""

from __future__ import annotations

import re
from collections import namedtuple

from symcount.directives import directed
from symcount.errors import SymcountError
from symcount.formulas import read as formula
from symcount.mentions import mentions
from symcount.naming import read_changes
from symcount.polynomials import letter
from symcount.provisos import divided, proviso
from symcount.settings import MOST, published
from symcount.sizes import letters
from symcount.symbols import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from symcount.claims.page import Read
    from symcount.polynomials import Size

Quantity = namedtuple("Quantity", "name phase share kind")
"""What is counted: a quantity by its short name, its phase, "token", "layer" or None for its share, and the kind."""

Said = namedtuple("Said", "start end until formula quantity models proviso")
"""A formula in our letters, where it stands in the document and until where its sentence goes, what it is a formula of,
of which models, and what is said of these."""

_LONGEST = 600  # characters of a sentence
_MOST = 24  # words before a verb in which a formula is looked for
_SAID = re.compile(r"is|are|equal|give|count")
_VERB = re.compile(r"\s(?:is|are|equals?|gives?|counts?)\s")
_OF = re.compile(r"\s(?:of|in|for)\s")
_END = re.compile(r"[.;?!](?=\s|$)|\n\s*\n")
_NAMES = {"parameters": "params", "params": "params", "weights": "params", "flops": "flops", "flop": "flops",
          "macs": "macs", "multiply-adds": "macs", "activations": "activations", "cache": "kv", "memory": "memory"}
_FILL = {"the", "a", "number", "of", "total", "all", "count", "its", "in", "bytes", "byte", "kv", "key-value", "per",
         "scores", "attention"}
_PHASES = {"training": "train", "train": "train", "backward": "backward", "recomputation": "recompute",
           "inference": "forward", "forward": "forward"}
_KINDS = {"norm": "norm", "norms": "norm", "bias": "bias", "biases": "bias", "embedding": "embedding",
          "embeddings": "embedding", "trainable": "trainable", "trained": "trainable", "adapter": "adapter",
          "adapters": "adapter", "lora": "adapter"}


def quantity(words: str) -> Quantity | None:
    """The quantity that a phrase names, None where any word of it is not understood.

    >>> quantity("training FLOPs per token")
    Quantity(name='flops', phase='train', share='token', kind='')
    >>> quantity("happiness per token")
    """
    said = words.lower().replace("multiply-add ", "multiply-adds ").split()
    share = " ".join(one for one in ("token", "layer") if f"per {one}" in " ".join(said))
    rest = [word for word in said if word not in ("token", "layer") or not share]
    named = [word for word in rest if word in _NAMES]
    name = "kv" if "cache" in named else "activations" if "activations" in named else _NAMES[named[0]] if named else ""
    if "active" in rest and name == "params":
        name = "active"
    phase = next((_PHASES[word] for word in rest if word in _PHASES), None)
    kind = next((_KINDS[word] for word in rest if word in _KINDS), "")
    understood = all(word in _NAMES or word in _FILL or word in _PHASES or word in _KINDS or word == "active"
                     for word in rest)
    return Quantity(name, phase, share or None, kind) if name and understood else None


def said(read: Read, symbols: Mapping[str, str]) -> Iterator[Said]:
    """The formulas that a passage says to be a quantity of a model; `symbols` are the author's for our letters."""
    if not _SAID.search(read.passage.text):
        return
    text, places = _plain(read)
    at = 0
    for end in [*(stop.start() for stop in _END.finditer(text)), len(text)]:
        sentence, start, at = text[at:end], at, end + 1
        verb = _VERB.search(sentence) if len(sentence) <= _LONGEST else None
        of = _OF.search(sentence, verb.end() - 1) if verb else None
        if verb is None or of is None:
            continue
        counted = quantity(sentence[verb.end():of.start()])
        for later in _OF.finditer(sentence, of.end() - 1):  # bytes of activations of gpt2
            longer = quantity(sentence[verb.end():later.start()])
            counted, of = (longer, later) if longer else (counted, of)
        name, behind = divided(sentence[of.end():].strip().strip("`"))
        told = proviso(behind) if counted else None
        if told and told.phase and counted and counted.phase not in (None, "train"):
            continue  # a forward pass with recomputation
        models = _models(name, told.changes) if told else ()
        found = _formula(sentence[:verb.start()], _reading(symbols)) if models else None
        if found and counted and told:
            first, size = found
            yield Said(places[start + first], places[start + verb.start() - 1] + 1, places[end - 1] + 1, size,
                       counted._replace(phase=told.phase or counted.phase), models, told)


def _plain(read: Read) -> tuple[str, list[int]]:
    """The text of a passage with mathematics as formula text, and where each character stands in the document."""
    base, text = read.passage.start, read.passage.text
    spans = {base + start: base + end for start, end in read.passage.math}
    pieces: list[str] = []
    places: list[int] = []
    at, number = 0, 0
    for start, end in [*sorted(spans.items()), (base + len(text), base + len(text))]:
        pieces.append(text[at:start - base])
        places += range(base + at, start)
        while number < len(read.tokens) and read.tokens[number].start < end:
            token = read.tokens[number]
            number += 1
            if token.start >= start:
                shown = f"{token.text} "
                pieces.append(shown)
                places += [token.start] * (len(shown) - 1) + [token.end - 1]
        at = end - base
    return "".join(pieces), places


def _models(name: str, changes: Sequence[str]) -> tuple[Any, ...]:
    """The models of this name, changed so: a published one, or an architecture with all sizes free."""
    name, told = name.strip("` ").removeprefix("the ").strip("` "), ",".join(changes)
    try:
        return (directed(name + (f"{',' if ':' in name else ':'}{told}" if told else "")),)
    except SymcountError:
        found = mentions(name)
    if len(found) != 1 or found[0].start or found[0].end != len(name):
        return ()
    try:
        several = [published(one) for one in found[0].names[:MOST]]
        return tuple(one.replace(**read_changes(told)) if told else one for one in several)
    except SymcountError:
        return ()


def _reading(symbols: Mapping[str, str]) -> Callable[[str], Size | None]:
    def size(name: str) -> Size | None:
        ours = symbols.get(name, name)
        return letter(ours) if known(ours) else None
    return size


def _formula(words: str, names: Callable[[str], Size | None]) -> tuple[int, Size] | None:
    """The longest formula that ends here, of two letters or numbers at least: (where it begins, the formula)."""
    starts = [0, *(found.end() for found in re.finditer(r"\s+", words))]
    for start in starts[-_MOST:]:
        begins = len(words) - len(words[start:].lstrip(" \n`,:"))
        part = words[begins:].rstrip(" `,:")
        if not re.search(r"[0-9*^+(]|[a-z] ?[a-z]", part) or not _opens(words[:start], names):
            continue
        try:
            found = formula(part, names)
        except SymcountError:
            continue
        if letters(found):
            return begins, found
    return None


def _opens(before: str, names: Callable[[str], Size | None]) -> bool:
    """Whether a formula may begin behind these words: no end of one that cannot be read as a whole."""
    last = before.split()[-1:]
    word = last[0].strip("`$,:") if last else "="
    return word in ("=", "≈", "") or (len(word) > 1 and word.isalpha() and names(word) is None)
