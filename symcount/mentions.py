"""Which published models a text names, as people spell them: "BERT Large (uncased)", "Llama 3 8B", "ViT-B/16".

The spellings follow from the published names by rule: a name is a run of words and numbers, which a hyphen, a blank or
nothing joins; the beginning of a name means all that begin so ("GPT-2", "Llama 3"). What no rule gives is in one table.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import namedtuple
from functools import lru_cache

from symcount.architectures import names
from symcount.stated import stated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.documents.passages import Passage


class Mention(namedtuple("Mention", "start end names")):
    """Where a model is named in a text, and the published names that may be meant: one where that is certain."""

    __slots__ = ()


# What the rules do not give: a usual name, and the published names that it may mean; none where it means another model
USUAL = {
    "gpt2": "gpt2 gpt2-medium gpt2-large gpt2-xl",
    "gpt2-small": "gpt2",
    **dict.fromkeys(("gpt2-117m", "gpt2-124m"), "gpt2"),
    **dict.fromkeys(("gpt2-345m", "gpt2-355m"), "gpt2-medium"),
    **dict.fromkeys(("gpt2-762m", "gpt2-774m"), "gpt2-large"),
    **dict.fromkeys(("gpt2-1.5b", "gpt2-1542m", "gpt2-1558m", "gpt2-extra-large"), "gpt2-xl"),
    "gpt-1": "openai-gpt",
    "gpt-j": "gpt-j-6b",
    "gpt-oss": "gpt-oss-20b gpt-oss-120b",
    "llama-1": "llama-7b llama-13b llama-30b llama-65b",
    "llama-1-7b": "llama-7b",
    "llama-1-13b": "llama-13b",
    "llama-1-65b": "llama-65b",
    "llama-33b": "llama-30b",
    "llama-8b": "llama-3-8b llama-3.1-8b",
    "llama-70b": "llama-2-70b llama-3-70b llama-3.1-70b llama-3.3-70b",
    **dict.fromkeys(("llama-405b", "llama-3-405b"), "llama-3.1-405b"),
    "mixtral-8x22b": "mixtral-8x22b mixtral-8x22b-v0.3",
    "mistral-nemo": "mistral-nemo-12b",
    "command-r": "command-r-35b command-r-08-2024",
    "codestral": "codestral-22b",
    **dict.fromkeys(("xlm-r-base", "xlmr-base"), "xlm-roberta-base"),
    **dict.fromkeys(("xlm-r-large", "xlmr-large"), "xlm-roberta-large"),
    "minilm-l6-v2": "all-minilm-l6-v2",
    "minilm-l12-v2": "all-minilm-l12-v2",
    # Touvron et al. 2021, "Training data-efficient image transformers", table 1: DeiT-Ti and DeiT-S are ViTs so small
    **dict.fromkeys((f"vit-{size}{rest}" for size in ("ti", "tiny") for rest in ("", "-16", "-patch16-224")),
                    "deit-tiny-patch16-224"),
    **dict.fromkeys((f"vit-{size}{rest}" for size in ("s", "small") for rest in ("", "-16", "-patch16-224")),
                    "deit-small-patch16-224"),
    # usually of images of 224 pixels, and published for 384
    **dict.fromkeys((f"vit-{size}-{patch}" for size in ("b", "base", "l", "large") for patch in ("32", "patch32")), ""),
    # others have these names too, or they are words of every day
    **dict.fromkeys(("opus-mt", "opus-mt-en", "bit-50", "ctrl", "cwm", "mvp", "helium-1"), ""),
    "distilroberta": "distilroberta-base",
}
# Families that may stand alone, others that may, written so, and those that are never written otherwise
_ALONE = frozenset(("biogpt", "codellama", "convnext", "dbrx", "deberta", "deit", "dialogpt", "distilbert",
                    "distilroberta", "imagegpt", "lenet", "longformer", "mbart", "mixtral", "mobilebert", "modernbert",
                    "mpnet", "nystromformer", "olmoe", "rembert", "resnet", "santacoder", "siglip", "smollm",
                    "squeezebert", "vgg", "xlnet"))
_WRITTEN = {"albert": ("ALBERT",), "bart": ("BART",), "beit": ("BEiT",), "bert": ("BERT", "bert"), "bloom": ("BLOOM",),
            "camembert": ("CamemBERT",), "clip": ("CLIP",), "electra": ("ELECTRA",), "olmo": ("OLMo",),
            "opt": ("OPT",), "llama": ("Llama", "LLaMA", "LLAMA"), "pythia": ("Pythia",), "regnet": ("RegNet",),
            "roberta": ("RoBERTa",), "swin": ("Swin",), "vit": ("ViT",)}
_ALWAYS = {"phi": ("Phi", "PHI"), "mit": ("MiT", "mit")}  # no angle, no university
_RARE = frozenset(("in", "multilingual", "chinese", "mae", "distilled", "text", "registers"))  # said where it is meant
_SHORT = {"tiny": ("t", "ti"), "small": ("s",), "base": ("b",), "large": ("l",), "huge": ("h",), "giant": ("g",),
          "xlarge": ("xl",)}
_SIZES = frozenset((*_SHORT, *(short for those in _SHORT.values() for short in those), "medium", "mini", "xxlarge"))
_SHORTENED = frozenset(("vit", "deit", "swin", "swinv", "convnext", "convnextv", "beit", "dinov", "clip", "siglip"))
_TOGETHER = frozenset(("gpt", "xlm", "open"))  # GPT-NeoX is also written GPTNeoX
_APART = {"codellama": "code-llama", "tinyllama": "tiny-llama"}
_AFTER = frozenset(("instruct", "chat", "hf", "it"))  # the same network, trained on

_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+(?:[._][0-9]+)?|×")
_WORD = re.compile(r"[A-Za-z]{2,}|[Tt](?=5)|[Mm](?=2[Mm])")
_JOINT = re.compile(r"[-‐‑/.]|, | ?\(|[ \t\u00a0~]{1,3}(?:\r?\n[ \t]{0,4})?|\r?\n[ \t]{0,4}"
                    r"|\$?_\{?(?:\\[a-z]{2,10}\{?)?")
_PIECE = re.compile(r"([-.]?)([a-z]+|[0-9]+(?:[._][0-9]+)?)")
_ONE_OF_SEVERAL = re.compile(r"[0-9][bm](?![a-z])|-(?:tiny|mini|small|base|medium|large|xl|pro|flash|air|lite)\b")
_BEFORE = re.compile(r"[\w./\\@‑-]")
_BEHIND = re.compile(r"[\w+]|[-‐‑./@:][A-Za-z0-9]")
_NUMBER = re.compile(r"(?:[-‐‑ ]| ?\()?([vV]?)[0-9]")

_REACH = 1_000  # characters: no sentence is followed further
_PROSE = ("text", "heading")  # a bullet, a row and a line of code are one sentence
_STOP = re.compile(r"[.!?](?=[\s)\"'*_]|$)")
_COMPARED = re.compile(r"(?:than|unlike|like|versus|vs\.?|compared (?:to|with)|against|over|from|instead of|similar to|"
                       r"based on|follows?|following|as in|same as|beats|outperforms)\s{1,3}(?:the |an? |our )?$")


def mentions(text: str) -> list[Mention]:
    """The models that a text names, in order; a part of a path, an address or an identifier is no name.

    >>> [mention.names for mention in mentions("BERT Large (uncased) against GPT-2 XL, trained by train_gpt2.py")]
    [('bert-large-uncased',), ('gpt2-xl',)]
    >>> mentions("a GPT-2")
    [Mention(start=2, end=7, names=('gpt2', 'gpt2-medium', 'gpt2-large', 'gpt2-xl'))]
    """
    spelled = _spellings()
    if not any(word.lower() in spelled for word in set(_WORD.findall(text))):
        return []
    found: list[Mention] = []
    end = 0
    for word in _WORD.finditer(text):
        root, start = word[0].lower(), word.start()
        if root in spelled and start >= end and not (start and _BEFORE.match(text, start - 1)):
            mention = _longest(text, word[0], start)
            if mention:
                found.append(mention)
                end = mention.end
    return found


class Heard(namedtuple("Heard", "passage mentions stops said")):
    """A passage, the models that it names, where its sentences end, and the sizes that it states."""

    __slots__ = ()

    def sentence(self, at: int) -> int:
        """Which sentence a place of the text is in."""
        return bisect_right(self.stops, at)

    def bounds(self, at: int) -> tuple[int, int]:
        """Where the sentence, bullet or row around a place begins and ends, as far as it is followed."""
        sentence, least, most = self.sentence(at), max(0, at - _REACH), min(len(self.passage.text), at + _REACH)
        return (max(least, self.stops[sentence - 1]) if sentence else least,
                min(most, self.stops[sentence]) if sentence < len(self.stops) else most)

    def of(self, passage: Passage) -> Heard:
        """What was heard in a piece of the passage, by places in it."""
        by = passage.start - self.passage.start
        mentions, said = ([one._replace(start=one.start - by, end=one.end - by) for one in those
                           if by <= one.start < by + len(passage.text)] for those in (self.mentions, self.said))
        return Heard(passage, mentions, [stop - by for stop in self.stops if by < stop], said)

    def spoken(self, at: int) -> tuple[str, ...]:
        """The published names that are meant at a place, in its sentence, bullet or row; none where unsaid.

        What stands nearest before is meant, else the only one; what is compared with ("smaller than BERT") is not.

        >>> from symcount.documents.passages import Passage
        >>> one = hear(Passage("text", 0, "DistilGPT2 has 82M, GPT-2 XL has 1.6B. It grew."))
        >>> one.spoken(15), one.spoken(34), one.spoken(40)
        (('distilgpt2',), ('gpt2-xl',), ())
        """
        if not self.mentions:
            return ()
        start, end = self.bounds(at)
        first, last = (bisect_left(self.mentions, place, key=lambda one: one.start) for place in (start, end))
        found = [one for one in self.mentions[first:last] if one.end <= end and not compared(self.passage.text, one)]
        before = [one for one in found if one.end <= at]
        if before:
            return tuple(before[-1].names)
        return tuple(found[0].names) if len({one.names for one in found}) == 1 else ()


def hear(passage: Passage) -> Heard:
    """The models that a passage names, where its sentences end, and the sizes that it states."""
    stops = [stop.end() for stop in _STOP.finditer(passage.text)] if passage.kind in _PROSE else []
    return Heard(passage, mentions(passage.text), stops, stated(passage))


def compared(text: str, mention: Mention) -> bool:
    """Whether a model is named only to compare with it.

    >>> text = "30 % smaller than GPT-2"
    >>> compared(text, mentions(text)[0])
    True
    """
    return bool(_COMPARED.search(text[max(0, mention.start - 30):mention.start].lower()))


def _longest(text: str, word: str, start: int) -> Mention | None:
    """The longest name that begins with this word; None where the text goes on as no published name does."""
    spelled, path = _spellings(), word.lower()
    if word not in _ALWAYS.get(path, (word,)):
        return None
    at = end = start + len(word)
    meant = spelled[path] if path in _ALONE or word in _WRITTEN.get(path, ()) else ()
    best, last, opened = path, path, False
    while True:
        joint = _JOINT.match(text, at)
        token = _TOKEN.match(text, at) or (joint and _TOKEN.match(text, joint.end()))
        if not token:
            break
        by = text[at:token.start()]
        if last == word and word.islower() and by[:1].isspace() and last not in _ALONE:
            break  # an everyday word, and what follows it
        longer = _next(path, last, by, token[0].lower().replace("×", "x").replace("_", "."))
        if not longer:
            break
        path, last, at, opened = longer, token[0].lower(), token.end(), opened or "(" in by
        if opened and text[at:at + 1] != ")":
            continue
        at, opened = at + opened, False
        if spelled[path] or path in USUAL:
            best, end, meant = path, at, spelled[path]
    number = _NUMBER.match(text, end)
    if not meant or _BEHIND.match(text, end) or (number and _goes_on(best, number[1].lower())):
        return None
    return Mention(start, end, meant)


def _next(path: str, last: str, by: str, token: str) -> str:
    """The longer path that a token leads to, "" for none; `by` is what stands before it."""
    spelled = _spellings()
    blank = by in ("", "-", "‐", "‑") or by.isspace() or "~" in by or "(" in by
    if by == "/":
        blank = token[0].isdigit() and last in _SIZES
    elif by == ", ":
        blank = token in ("cased", "uncased")
    elif by == ".":
        return path + by + token if path + by + token in spelled else ""
    elif "_" in by:
        blank = token in _SIZES
    if not blank:
        return ""
    close = not by or "x" in (last, token) or (last.isalpha() and len(last) > 1 and token[0].isdigit())
    apart = by or (last.isalpha() and token[0].isdigit())
    for joint in (["-"] if apart else []) + ([""] if close else []):
        if path + joint + token in spelled:
            return path + joint + token
    return path if token in _AFTER and by == "-" and spelled[path] else ""


def _goes_on(path: str, version: str) -> bool:
    """Whether names go on from here with a number, or with a version."""
    return any(path + joint + sign in _tables()[1] for joint in ("-", "") for sign in (["v"] if version else _DIGITS))


_DIGITS = tuple("0123456789")


def _spellings() -> dict[str, tuple[str, ...]]:
    """{the beginning of a spelling: the names that it means alone, none where it must go on}."""
    return _tables()[0]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """The spellings, and every beginning of one with the first sign of what follows it; made on first use."""
    spelled: dict[str, tuple[str, ...]] = {}
    starts: set[str] = set()
    whole: dict[str, list[str]] = {}
    begun: dict[str, list[tuple[str, str]]] = {}
    spellings = [(name, spelling) for name in names() for spelling in _ways(name)]
    for name, pieces in spellings + [("", _pieces(usual)) for usual in USUAL]:
        path = ""
        for place, (joint, token) in enumerate(pieces):
            path += joint + token
            starts.add(path[:len(path) - len(token) + 1])
            rest = pieces[place + 1:]
            begun.setdefault(path, [])
            if name and not rest:
                whole.setdefault(path, []).append(name)
            elif name and rest[0][0] and not ("-" in path and _RARE & {piece for _, piece in rest}):
                begun[path].append((name, "".join(map("".join, rest))))
    for path, longer in begun.items():
        several = tuple(dict.fromkeys(name for name, _ in longer))
        only = len(several) == 1 and _ONE_OF_SEVERAL.search(longer[0][1])  # and the others are not published
        spelled[path] = tuple(dict.fromkeys(whole[path])) if path in whole else () if only else several
    spelled.update({"".join(map("".join, _pieces(usual))): tuple(meant.split()) for usual, meant in USUAL.items()})
    return spelled, starts


def _pieces(name: str) -> list[tuple[str, str]]:
    """A published name as words and numbers, each behind what joins it to the one before.

    >>> _pieces("qwen2.5-7b")
    [('', 'qwen'), ('', '2.5'), ('-', '7'), ('', 'b')]
    """
    return [(joint, token.replace("_", ".")) for joint, token in _PIECE.findall(name)]


def _ways(name: str) -> list[list[tuple[str, str]]]:
    """The ways in which a name is spelled, as pieces."""
    pieces = _pieces(name)
    root = pieces[0][1]
    ways = [pieces]
    if root in _TOGETHER and len(pieces) > 1 and pieces[1][0] == "-":
        ways.append([("", root + pieces[1][1]), *pieces[2:]])
    if root in _APART:
        ways.append([*_pieces(_APART[root]), *pieces[1:]])
    if root in _SHORTENED:
        ways = [[(joint, short if token == size else token) for joint, token in pieces]
                for size in _SHORT if ("-", size) in pieces for short in (size, *_SHORT[size])] or ways
        ways += [_unpatched(way) for way in ways if ("-", "patch") in way]
    return ways


def _unpatched(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """ViT-B/16: the patch is a number alone."""
    at = pieces.index(("-", "patch"))
    return [*pieces[:at], ("-", pieces[at + 1][1]), *pieces[at + 2:]]
