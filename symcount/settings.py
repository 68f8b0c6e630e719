"""What a document is about: the model it speaks of, with the sizes it states, and from where to where.

A flag wins, then a directive, then the title, then a sentence that names a model and its sizes or announces its count;
where no model is named, an architecture is recognised by what is said of it. Sizes stated in prose bind. A family name
alone ("BERT") is settled by the sizes, or not at all: nothing is guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import namedtuple
from contextlib import suppress
from functools import cache
from itertools import islice

from symcount.architecture import Model
from symcount.declared import declared
from symcount.directives import directed, instructions
from symcount.errors import SymcountError, clipped
from symcount.given import RUN
from symcount.mentions import Heard, Mention, compared, hear
from symcount.naming import model as named
from symcount.notations import notation
from symcount.plain import Plain
from symcount.stated import Manner, manner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from symcount.documents.passages import Document, Passage


class Setting(namedtuple(
        "Setting", "model models names sizes symbols manner unsaid layer why spans start end given scenes heard",
        defaults=(None, (), (), {}, {}, Manner(), (), "", "", (), 0, 0, False, (), ()))):
    """What a document, or a stretch of it, is about.

    model    the Model, None where none is certain
    models   all that may be meant, so that what is wrong for each is wrong; `model` where it is the only one
    names    the published names that were mentioned
    sizes    {letter: int} that the text states without contradicting itself, of the model and of a run
    symbols  {the author's symbol: our letter}, where a size was stated with a symbol
    manner   how the text says that it counts; what it leaves out, biases or norms, `model` still has
    unsaid   what an architecture was recognised without, of the fields of Manner and of sizes: a convention, not known
    layer    "lstm" or "gru" where the models are single layers of a network, and no count of the whole is theirs
    why      a sentence for reports: what was taken from where, or why there is no model
    spans    where in the source: of the mention, and of each size
    start, end  from where to where in the source it holds
    given    whether a flag or a directive says which model is meant
    scenes   of a document: the stretches that have a setting of their own
    heard    of a document: its passages with what they name and state
    """

    __slots__ = ()

    def at(self, offset: int) -> Setting:
        """What is spoken of at an offset of the source: the innermost stretch there."""
        last = bisect_right(self.scenes, offset, key=lambda scene: scene.start) - 1
        around = (self.scenes[last], self.scenes[0]) if last >= 0 else ()  # a section, or what holds throughout
        return next((scene for scene in around if scene.end > offset), Setting())

    def heard_at(self, offset: int) -> Heard | None:
        """What was heard in the passage around an offset of the source."""
        at = bisect_right(self.heard, offset, key=lambda one: one.passage.start) - 1
        return self.heard[at] if at >= 0 else None

    def of(self, passage: Passage) -> Heard:
        """What was heard in a passage, or in a piece of one."""
        one = self.heard_at(passage.start)
        if one is None:
            return Heard(passage, [], [], [])
        return one if one.passage is passage else one.of(passage)


def meant(about: Setting, offset: int) -> tuple[Model, ...]:
    """The models that may be meant at an offset of the source: those that its sentence names, else those of the scene.

    None where too many may be meant. A family that the scene has settled stays settled; another name for its model may
    also mean the published one.
    """
    one, scene = about.heard_at(offset), about.at(offset)
    names = one.spoken(offset - one.passage.start) if one else ()
    own = {one.name.partition(":")[0] for one in scene.models} & set(names)
    if not names or names == scene.names or (own and not scene.names):
        return tuple(scene.models)
    several = [published(name) for name in names] if len(names) <= MOST else []
    return tuple(_unlike([*scene.models, *several]) if own else several)


def unplaced(how: Manner) -> Manner:
    """A manner without its places: what is said, None where nothing is; of norms only whether they are counted."""
    plain = Manner(*(told and told.value for told in how))
    return plain._replace(norms=None if plain.norms is None else bool(plain.norms))


@cache
def published(name: str) -> Model:
    """The published model of this name, made once."""
    return named(name)


_ANNOUNCED = re.compile(r"\b(?:parameters?|size|sizes|counts?|counting|costs?|memory|cache|weights|flops?|compute)\b"
                      r"[^.!?]{0,60}\b(?:of|in|for|does|do)\s{1,3}(?:an? |the )?$")


def setting(document: Document, model: Model | None = None) -> Setting:
    """What a document is about; `model` is the one that was given by hand, which then is the model.

    Raises what `instructions` raises for a directive, with its line.
    """
    heard = [hear(passage) for passage in document.passages]
    end = len(document.source) + 1
    directions = _directions(document)
    given = [_scene(heard, 0, end, [model], f"{model.name} was given")._replace(given=True)] if model else []
    tried: list[Setting] = []
    scenes: list[Setting] = []
    for found in (given,) if given else _looked(directions, heard, end):
        if any(scene.models for scene in found):
            scenes = found
            break
        tried += found
    start = min((scene.start for scene in scenes), default=end)
    before = [_scene(heard, 0, start, [], "no model is named, and none recognised by its sizes")] if start else []
    letters = {symbol: letter for _, says in directions for name in (says.get("notation"),) if isinstance(name, str)
               for symbol, letter in notation(name).items()}
    main, *parts = (scene._replace(symbols={**letters, **scene.symbols})
                    for scene in ((*scenes, *tried, *before)[0], *before, *scenes))
    return main._replace(scenes=tuple(parts), heard=heard)


def _looked(directions: Sequence[tuple[int, dict[str, Any]]], heard: Sequence[Heard],
            end: int) -> Iterator[list[Setting]]:
    """What is found in one place after the other, until there is a model."""
    asked = [(offset, directed(says["model"])) for offset, says in directions if "model" in says]
    starts = [0, *(offset for offset, _ in asked[1:]), end]  # the first goes back to the beginning
    yield [_scene(heard, starts[place], starts[place + 1], [model], f"a directive says {model.name}")._replace(
        given=True)
           for place, (_, model) in enumerate(asked)]
    yield _titles(heard, end)
    yield _sentences(heard, end)
    yield _recurrent(heard, end)
    yield _recognised(heard, end)
    yield _declared(heard)


def _directions(document: Document) -> list[tuple[int, dict[str, Any]]]:
    """What each directive says, and where."""
    found = []
    for directive in document.directives:
        try:
            found.append((directive.offset, instructions(directive)))
        except SymcountError as error:
            line, column = document.place(directive.offset)
            raise type(error)(f"{document.path}:{line}:{column}: {error}") from None
    return found


def _titles(heard: Sequence[Heard], end: int) -> list[Setting]:
    """The title, for all of the document, and further headings, each to the next heading, which name a model."""
    headings = [one for one in heard if one.passage.kind == "heading"]
    if not headings or headings[0] is not heard[0]:
        return []
    ends = [one.passage.start for one in headings[1:]] + [end]
    scenes = []
    for place, (one, stop) in enumerate(zip(headings, ends, strict=True)):
        mention = one.mentions[0] if len({mention.names for mention in one.mentions}) == 1 else None
        if mention and not compared(one.passage.text, mention) and not _BESIDE.search(one.passage.text):
            scenes.append(_settled(heard, one, mention, one.passage.start if place else 0, stop if place else end))
    return scenes if scenes and (scenes[0].models or len(scenes) == 1) and not scenes[0].start else []


def _sentences(heard: Sequence[Heard], end: int) -> list[Setting]:
    """Sentences that name one model with two sizes of it, or announce its count at the beginning.

    The first holds until there is another; what is spoken of behind that is not certain.
    """
    opening: list[tuple[Heard, Mention]] = []
    texts = [one for one in heard if one.passage.kind == "text"]
    for place, one in enumerate(texts):
        named_in: dict[int, set[tuple[str, ...]]] = {}
        sizes: dict[int, set[str]] = {}
        for mention in one.mentions:
            named_in.setdefault(one.sentence(mention.start), set()).add(mention.names)
        for said in one.said:
            sizes.setdefault(one.sentence(said.start), set()).add(said.letter)
        for mention in one.mentions:
            sentence, text = one.sentence(mention.start), one.passage.text
            before = text[max(0, mention.start - 100):mention.start].lower()
            tells = len(sizes.get(sentence, ())) > 1 or (
                place < _EARLY and _ANNOUNCED.search(before) and not _BESIDE.search(text))
            if tells and len(named_in[sentence]) == 1 and not compared(text, mention):
                opening.append((one, mention))
                break
    ends = [one.passage.start + len(one.passage.text) for one, _ in opening]
    ends[:1] = [opening[1][0].passage.start if len(opening) > 1 else end]
    return [_settled(heard, one, mention, one.passage.start, stop)
            for (one, mention), stop in zip(opening, ends, strict=False)]


_EARLY = 2  # among the first paragraphs a count is announced
# What is counted in a text about these is not the model
_BESIDE = re.compile(r"\b(?:lora|adapters?|distil(?:l\w*)?|pruned?|pruning|fine.?tun\w+|tokeni[sz]\w+|inspired|beyond|"
                     r"scaled|smaller|custom)\b", re.IGNORECASE)


def _settled(heard: Sequence[Heard], one: Heard, mention: Mention, start: int, end: int) -> Setting:
    """The scene of a mention: its models with the sizes that the text states."""
    where = one.passage.start
    called = f"'{clipped(' '.join(one.passage.text[mention.start:mention.end].split()))}'"
    scene = _scene(heard, start, end, [], "", mention.names)
    sentence = one.sentence(mention.start)
    here = {said.letter for said in one.said if one.sentence(said.start) == sentence}
    models, why = _bound([published(name) for name in mention.names], scene.sizes, here)
    if len(models) > MOST:
        models, why = [], f"{called} may be {_listed(models)}, and the sizes do not tell"
    elif models:
        why = f"{called} {'is' if len(models) == 1 else 'may be'} {_listed(models)}{why}"
    else:
        why = f"{called} may be {_listed(mention.names)}{why}"
    return scene._replace(model=models[0] if len(models) == 1 else None, models=tuple(models), why=why,
                          spans=((where + mention.start, where + mention.end), *scene.spans))


MOST = 4  # models that a passage may mean


def _listed(several: Sequence[Model | str]) -> str:
    shown = [one if isinstance(one, str) else one.name for one in several]
    return ", ".join(shown[:MOST]) + (", …" if len(shown) > MOST else "")


def _bound(candidates: list[Model], sizes: Mapping[str, int], here: set[str]) -> tuple[list[Model], str]:
    """The candidates with the stated sizes, no two of them alike, and what is to be said of that.

    Those that have all these sizes are meant; else those of the stated width, changed; else, of a family in which
    widths differ, all of them, changed. One certain model is also meant as published, unless its sentence changes it:
    `here` are the letters that are stated there.
    """
    own = {letter: size for letter, size in sizes.items() if letter not in RUN}
    fits = [one for one in candidates if all(one.values.get(letter, size) == size for letter, size in own.items())]
    if fits:
        return _unlike(fits), ", as its sizes say" if len(candidates) > len(fits) else ""
    widths = {one.values.get("d") for one in candidates}
    if "d" in own and own["d"] not in widths and len(widths) == 1:
        return [], f"; d = {own['d']:,} is stated, and it has {widths.pop()}"
    changed, told, trouble = [], {}, ""
    for one in candidates:
        if "d" in own and own["d"] in widths and own["d"] != one.values.get("d"):
            continue
        told = {letter: size for letter, size in own.items()
                if letter in one.asked and one.values.get(letter, size) != size}
        changed += [one] if len(widths) == 1 and told.keys() - here else []
        try:
            changed.append(one.replace(**told))
        except SymcountError as error:
            trouble = f"; its sizes do not go together: {error}"
    return _unlike(changed), trouble or f", with {_sizes(told)} as the text states"


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{letter} = {size:,}" for letter, size in sizes.items())


def _unlike(models: list[Model]) -> list[Model]:
    """The first of each that count alike: of one architecture and class, with the same sizes and flags."""
    return list({(one.architecture.name, one.cls, repr(sorted(one.values.items())), repr(sorted(
        (name, flag) for name, flag in one.given.items() if isinstance(flag, bool)))): one
        for one in reversed(models)}.values())[::-1]


def _scene(heard: Sequence[Heard], start: int, end: int, models: list[Model], why: str,
           names: tuple[str, ...] = ()) -> Setting:
    """A stretch: what is stated there, but for sentences that name another model."""
    values: dict[str, dict[int | str, tuple[int, int]]] = {}
    symbols: dict[str, str] = {}
    first, last = (bisect_left(heard, place, key=lambda one: one.passage.start) for place in (start, end))
    within = heard[first:last]
    for one in within:
        others = {one.sentence(mention.start) for mention in one.mentions if not set(mention.names) & set(names)}
        for said in one.said:
            if one.sentence(said.start) not in others:
                place = (one.passage.start + said.start, one.passage.start + said.end)
                values.setdefault(said.letter, {}).setdefault(said.value, place)
                symbols.setdefault(said.symbol, said.letter)
    sizes = {letter: value for letter, told in values.items() if len(told) == 1
             for value in told if isinstance(value, int)}
    wide = next(iter(values.get("h", {"": ()})))
    if isinstance(wide, str) and wide and "d" in sizes and len(values["h"]) == 1:
        sizes["h"] = int(wide.rstrip("d")) * sizes["d"]
    symbols.pop("", None)
    model = models[0] if len(models) == 1 else None
    return Setting(model, tuple(models), names, sizes, symbols, manner(one.passage for one in within), (), "", why,
                   tuple(place for letter in sizes for place in values[letter].values()), start, end)


_OTHERS = re.compile(r"\b(?:encoder|segment|convolution\w*|lstm|gru|experts?|mixture|mamba|patch\w*|pixels?)\b",
                     re.IGNORECASE)


def _recognised(heard: Sequence[Heard], end: int) -> list[Setting]:
    """A decoder that nobody names: by width, layers, vocabulary and more, and by what is said of norms and MLP."""
    scene = _scene(heard, 0, end, [], "")
    sizes, how = scene.sizes, scene.manner
    if not {"d", "L", "V"} <= sizes.keys() or not {"heads", "h"} & sizes.keys() or any(one.mentions for one in heard):
        return []
    if any(_OTHERS.search(one.passage.text) for one in heard):
        return []
    said = {field: told.value for field, told in how._asdict().items() if told}
    gated = said.get("gated") or (said.get("norms") == "rms" and said.get("gated") is None)
    grouped = sizes.get("kv", sizes.get("heads")) != sizes.get("heads")
    if gated:
        odd = (said.get("norms") == "layer" or said.get("biases") or said.get("positions") == "learned"
               or not {"h", "heads"} <= sizes.keys())
    else:
        odd = said.get("norms") == "rms" or said.get("positions", "learned") != "learned" or grouped
    if odd:
        return []
    free = named("llama:" if gated else "gpt2:")
    ours = {letter: size for letter, size in sizes.items() if letter not in RUN and free.architecture.knows(letter)}
    try:  # what is unsaid follows: h = 4d, k = d/heads
        model = Model(free.architecture, {}, cls=free.cls).replace(
            **ours, **({"tied": said["tied"]} if "tied" in said else {}))
    except SymcountError:
        return []
    unsaid = [field for field in ("biases", "norms", "tied", "positions", "gated") if field not in said]
    unsaid += [letter for letter in ("h", "heads") if letter not in sizes]
    like = "a decoder like LLaMA" if gated else "a decoder like GPT-2"
    why = f"no model is named; {_sizes(ours)} as the text states, taken for {like}"
    return [scene._replace(model=model, models=(model,), unsaid=tuple(unsaid),
                           why=why + (f"; unsaid: {', '.join(unsaid)}" if unsaid else ""))]


_LAYER = re.compile(r"(?<![\w.])(Bidirectional\(\s?)?(LSTM|GRU)\((?:units=)?([0-9]{1,5})\b")
_EMBEDDING = re.compile(r" embedding \( #(?:[0-9]+) (?:words|tokens) , #(?P<d>[0-9]+) dimensions \) "
                        r"| embedding \( #[0-9]+ , #(?P<width>[0-9]+) \) ")


def _recurrent(heard: Sequence[Heard], end: int) -> list[Setting]:
    """Layers as Keras writes them, one on the other: embedding (40,000 words, 100 dimensions), LSTM(128), LSTM(64)."""
    for one in heard:
        layers = _LAYER.findall(one.passage.text)
        inputs = _EMBEDDING.search(Plain(one.passage.text).text) if layers else None
        if not inputs or any(both for both, _, _ in layers):
            continue
        scene = _scene(heard, 0, end, [], "")
        vectors = scene.manner.bias_vectors
        width, models = int(inputs["d"] or inputs["width"]), []
        for _, kind, units in layers[:MOST]:
            flags = {"biases": "two" if vectors.value == 2 else "one"} if vectors else {}
            models.append(named(f"{kind.lower()}:").replace(d=width, m=int(units), **flags))
            width = int(units)
        kinds = {kind.lower() for _, kind, _ in layers}
        return [scene._replace(
            model=models[0] if len(models) == 1 else None, models=tuple(models), layer=" ".join(sorted(kinds)),
            unsaid=() if vectors else ("bias_vectors",), start=one.passage.start,
            why=f"single layers, {_listed(models)}, one on the other")]
    return []


def _declared(heard: Sequence[Heard]) -> list[Setting]:
    """Sentences about the attention of "a Transformer of width 512", where no model is named: a setting of each."""
    if any(one.mentions for one in heard):
        return []
    scenes = []
    for one in heard:
        for start, stop, sizes in islice(declared(one.passage, one.said, one.stops), _DECLARED):
            free = named("gpt2:")
            with suppress(SymcountError):  # heads that do not divide the width
                model = Model(free.architecture, {}, cls=free.cls).replace(**sizes, L=1)
                scenes.append(_scene([one], one.passage.start + start, one.passage.start + stop, [model],
                                     f"the attention of a Transformer of width {sizes['d']:,}"))
    return scenes


_DECLARED = 20  # such sentences of a passage
