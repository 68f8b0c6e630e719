"""The words of a label, and which part of a model they name: one line for each part, its names and its paths.

A selector is `path`, or `path~kind` for the terms of one kind under it; `^path` begins the whole path, `a+b` joins
two, `a, b` is the first of the two that a model has, and `a | b` are two readings of the same words.
"""

from __future__ import annotations

import re
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    # {the first word of a phrase: (the phrase, its role, what it says), the longest first}
    Phrases = Mapping[str, list[tuple[tuple[str, ...], str, Any]]]

_WORD = "embeddings.word, ^embeddings.weight, ^table"
_HEAD = "^head, ^classifier, *head"  # *head: the word table, where the head shares it
_PARTS = (
    ("token table|word table|vocabulary table|vocab table|token embedding|token embedding table|token embedding matrix|"
     "token embedding layer|word embedding|word embedding table|word embedding matrix|word embedding layer|"
     "vocabulary embedding|vocab embedding|wte", _WORD),
    ("embedding|embedding layer|embedding table|embedding matrix|input embedding|input embedding matrix|lookup table",
     f"{_WORD} | ^embeddings, ^table"),
    ("position|position table|positional table|position embedding|position embedding table|position embedding layer|"
     "positional embedding|position encoding|positional encoding|learned position|learned position embedding|"
     "learned positional embedding|pos embedding|wpe", "embeddings.position"),
    ("token type|token type table|token type embedding|segment|segment table|segment embedding|type table|"
     "type embedding", "embeddings.type"),
    ("class token|cls token|cls|cls embedding|class embedding|classification token", "embeddings.cls"),
    ("patch embedding|patch embedding layer|patch projection|patch embed|patchify|patch convolution",
     "embeddings.patch"),
    ("embedding norm|embedding layernorm|embedding layer norm", "embeddings.norm"),
    ("qkv|qkv projection|qkv matrix|qkv layer|fused qkv|attention qkv|q k v|q k and v|q k v projection|c attn|"
     "query key value|query key value projection|query key value matrix|query key and value|"
     "query key and value projection|query key and value matrix|input projection|attention input projection",
     "attention.query+attention.key+attention.value"),
    ("query projection|query matrix|query map|attention query|q projection|q proj|w q|wq", "attention.query"),
    ("key projection|key matrix|key map|attention key|k projection|k proj|w k|wk", "attention.key"),
    ("value projection|value matrix|value map|attention value|v projection|v proj|w v|wv", "attention.value"),
    ("attention output|attention output projection|attention output matrix|attention out projection|"
     "attention projection|o projection|o proj|out proj|w o|wo", "attention.output"),
    ("output projection|output matrix|out projection", f"attention.output | {_HEAD}"),
    ("attention|attention block|attention layer|attention module|attention sublayer|self attention|"
     "self attention block|self attention layer|multi head attention|multihead attention|multi head self attention|"
     "mha|mhsa|msa|gqa|mqa|grouped query attention|multi query attention|causal self attention|masked self attention|"
     "attention param", "attention"),
    ("cross attention|cross attention block|cross attention layer|encoder decoder attention", "cross"),
    ("ffn|ffn block|ffn layer|ffn param|mlp|mlp block|mlp layer|mlp module|feed forward|feed forward network|"
     "feed forward network ffn|feed forward layer|feed forward block|feed forward sublayer|feedforward|"
     "feedforward network|feedforward layer|position wise feed forward|position wise feed forward network|"
     "position wise ffn|swiglu|swiglu mlp|geglu|gated mlp|gated ffn", "mlp"),
    ("ffn in|ffn in projection|mlp in|"
     "ffn up|ffn up projection|mlp up|mlp up projection|up projection|up matrix|up proj|w up|first ffn matrix|"
     "first ffn layer|ffn first matrix|first mlp matrix|first mlp layer|c fc|fc1|ffn expansion",
     "mlp.up | mlp.experts.up"),
    ("ffn out|ffn out projection|mlp out|"
     "ffn down|ffn down projection|mlp down|mlp down projection|down projection|down matrix|down proj|w down|"
     "second ffn matrix|second ffn layer|ffn second matrix|second mlp matrix|second mlp layer|fc2|ffn contraction",
     "mlp.down | mlp.experts.down"),
    ("ffn gate|mlp gate|gate projection|gate matrix|gate proj|w gate|gating matrix",
     "mlp.gate | mlp.experts.gate | mlp.router"),
    ("router|router matrix|moe router|gating network|gate network", "mlp.router, router"),
    ("expert|expert ffn|expert mlp|all expert|routed expert|moe|moe layer|moe block|moe ffn|moe mlp",
     "experts | mlp"),
    ("shared expert", "shared"),
    ("layernorm|layer norm|norm|rmsnorm|rms norm|normalization|normalisation|layer normalization|ln|norm weight|"
     "norm layer|norm vector|batchnorm|batch norm|batch normalization",
     "layers~norm | ~norm | attention_norm | ^norm"),
    ("attention norm|attention layernorm|attention layer norm|input layernorm|ln 1|ln1|norm1", "attention_norm"),
    ("mlp norm|ffn norm|ffn layernorm|mlp layernorm|ln 2|ln2|norm2", "mlp_norm"),
    ("final layernorm|final layer norm|final norm|final rmsnorm|final rms norm|final normalization|last norm|"
     "last layernorm|last layer norm|last rmsnorm|ln f|closing norm", "^norm, ^decoder.norm, ^last.norm"),
    ("head|lm head|output head|output layer|output embedding|unembedding|unembedding matrix|unembedding layer|"
     "language model head|language modeling head|prediction head|vocabulary projection|logit|logit projection|"
     "logit layer|classifier|classifier head|classification head|classification layer", _HEAD),
    ("pooler|pooler layer|pooling layer", "^pooler"),
    ("score|score product|score matrix|attention score|attention score product|qk product|q k product", "scores"),
    ("weighted sum|weighted sum of value|weighted sum of the value|score value product", "mix"),
    ("attention product|attention matrix product|attention dot product|score and weighted sum", "scores+mix"),
    ("relative position bias|relative attention bias", "attention.relative"),
    ("lstm|lstm layer|lstm cell|gru|gru layer|gru cell|recurrent layer", "layer.input+layer.recurrent"),
    ("stem|stem convolution", "^embeddings.convolution"),
    ("dense|dense layer|fully connected layer|linear layer", "^layer.weight+^layer.bias"),
)
_ONE = "per|each|every|one|single|a|in each|in one|in a|of each|of one|for each|for one|in every"
_KIND = "block|layer|transformer block|transformer layer"
_ROLES = (  # role, phrases; what a phrase says beside is in the role's name
    ("block", f"{_KIND}|residual block|trunk|transformer stack"),
    ("one", "|".join(f"{many} {what}" for many in _ONE.split("|") for what in _KIND.split("|")) + "|layerwise|f layer"),
    ("all", "all|all of the|in all|over all|across all|throughout"),
    ("total", "total|grand total|in total|overall|whole model|entire model|full model|whole network|entire network|"
              "total parameter|parameter count|model size|complete model|altogether"),
    ("within encoder", "encoder"), ("within decoder", "decoder"),
    ("bias", "bias|bias vector|bias term"),
    ("matrix", "weight|matrix|weight matrix|entry|element|linear weight"),
    ("bare", "without bias|no bias|bias free|ignoring bias|excluding bias|bias ignored|without any bias"),
    ("token", "per token|one token|each token|a token|every token|single token|for one token|for each token"),
    ("run", "sequence|per sequence|prompt|image|per image|one image|example|per example|one example"),
    ("forward", "forward|forward pass|one forward pass|a forward pass|single forward pass|inference|prefill|pass"),
    ("train", "training|train|training step|training token|one training token|forward and backward"),
    ("backward", "backward|backward pass"),
    ("head", "per head|each head|one head|single head|for each head|every head"),
    ("expert", "per expert|one expert|each expert|single expert|every expert"),
    ("active", "active|activated|active per token|active parameter"),
    ("outside", "non embedding|without embedding|excluding embedding|except embedding"),
    ("cache", "kv cache|key value cache|key and value cache|kv|cache|kv cache size|kv cache memory|a key and a value|"
              "one key and one value|for every head in every layer|for each head in each layer|"
              "for every layer and head|for each head and layer|for every head and layer|for each layer and head|"
              "for every head of every layer|"
              "in every layer for every head"),
    ("and", "and|plus"),
    ("fill", "the|a|an|of|in|for|to|at|on|with|per|each|every|both|its|it|is|are|be|has|have|hold|take|cost|need|count|"
             "contain|use|give|make|that|this|these|there|then|so|thus|hence|about|roughly|approximately|around|"
             "exactly|precisely|nearly|learned|parameter|param|number|size|flop|mac|operation|op|multiply|add|mult|byte|"
             "model|network|transformer|part|component|vector|keep|store|cached|stored|learnable|trainable|we|get|find|"
             "s|f|n|p|i e|first|bit|precision|half|fp|bf|float|bfloat|everything"),
)
_NUMBERS = {word: n for n, word in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight",
                                              "nine", "ten", "eleven", "twelve"))}
_NUMBERS |= {"sixteen": 16, "eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40}
_PLURALS = {"biases": "bias", "matrices": "matrix", "entries": "entry", "classes": "class", "queries": "query",
            "vocabularies": "vocabulary", "passes": "pass", "batches": "batch", "patches": "patch"}
_AS_IT_IS = ("bias", "class", "pass", "cls", "gpus", "less", "across", "plus", "thus", "its", "is", "this", "has",
             "parameterless", "s")
_EXPERT = (("experts",), ("mlp",))
LONGEST = 300  # characters of a label that are read; a longer one is no label


def _phrases() -> Phrases:
    found: dict[str, dict[tuple[str, ...], tuple[str, Any]]] = {}
    lines = [("part", names, paths) for names, paths in _PARTS] + [(role, names, None) for role, names in _ROLES]
    for role, names, paths in lines:
        for name in names.split("|"):
            phrase = tuple(name.split())
            found.setdefault(phrase[0], {}).setdefault(phrase, (role, paths))
    return {first: sorted(((phrase, *what) for phrase, what in those.items()), key=lambda one: -len(one[0]))
            for first, those in found.items()}


_PHRASES = _phrases()
# word: without its plural; many: whether it had one; number: what it counts, None for a word
Token = namedtuple("Token", "word many number")


class Said(namedtuple("Said", "parts within roles many plain order")):
    """What a label says.

    parts   of each part that it names: its readings, each a tuple of selectors of which the first that exists is meant
    within  "encoder" or "decoder", where it says so, "" elsewhere
    roles   what it says beside: "one" layer, "all" of them, "total", "token", "bias" and so on
    many    the number of layers that it counts, None where it says none
    plain   whether every word of it was understood
    order   whether "and" stood between the parts
    """

    __slots__ = ()


def tokens(label: str) -> list[Token]:
    """The words and the numbers of a label, without plurals.

    >>> [token.word for token in tokens("LayerNorms (per block)")]
    ['layernorm', 'per', 'block']
    """
    found = []
    for piece in re.findall(r"[^\W\d_]+[0-9]?(?![0-9])|[0-9][0-9,]*(?:\.[0-9]+)?", label):
        if piece[0].isdigit():
            digits = piece.replace(",", "")
            number = int(digits) if digits.isdigit() and len(digits) < 16 else None
            found.append(Token(piece, many=False, number=number))
            continue
        word = piece.lower()
        bare = _PLURALS.get(word) or (word[:-1] if word.endswith("s") and not word.endswith(("ss", "us"))
                                      and word not in _AS_IT_IS and len(word) > 2 else word)
        found.append(Token(bare, bare != word, _NUMBERS.get(word)))
    return found


def read(label: str, own: Phrases, sizes: frozenset[int], names: frozenset[str]) -> Said:
    """What a label says of a model.

    `own` are phrases of the model's own paths, `sizes` numbers that may stand in a label without changing what it
    means, `names` the words that the model is called by.

    >>> said = read("FFN down (per block)", {}, frozenset(), frozenset())
    >>> said.parts, said.roles, said.plain
    (((('mlp.down',), ('mlp.experts.down',)),), {'one'}, True)
    """
    if len(label) > LONGEST:
        return Said((), "", set(), None, plain=False, order=False)
    parts: list[Any] = []
    roles: set[str] = set()
    within, many, plain, before = "", None, True, None
    words, i = tokens(label), 0
    while i < len(words):
        phrase, role, paths = next(_matching(words, i, own), ((), "", None))
        length = len(phrase)
        last = words[i + length - 1] if length else words[i]
        if not role and words[i].number is not None:
            before = words[i].number
            plain &= before in sizes or before <= 4
            i += 1
            if i < len(words) and next(_matching(words, i, own), ((), "", None))[1] == "block":
                many = before
            continue
        if phrase == ("head",) and last.many:  # of attention: the head of a model is one
            plain = False
        elif role == "part":
            parts.append(_readings(str(paths)))
            roles |= {"several"} if last.many else set()
        elif role == "block":
            roles |= {"block", "several" if last.many else "single"}
        elif role.startswith("within"):
            within = role.split()[1]
        elif role:
            roles.add(role)
            parts += [_EXPERT] if role == "expert" else []
        else:
            plain &= words[i].word in names
        before = None
        i += max(1, length)
    plain &= bool(words) and not (parts and "cache" in roles)
    return Said(tuple(parts), within, roles - {"fill", "and"}, many, plain, "and" in roles)


def _matching(words: list[Token], i: int, own: Phrases) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """The phrases that begin at a word, the longest first; ours come before those of the model's own."""
    first = words[i].word
    fitting = [one for those in (_PHRASES.get(first, ()), own.get(first, ())) for one in those
               if len(one[0]) <= len(words) - i
               and all(word == words[i + j].word for j, word in enumerate(one[0]))]
    yield from sorted(fitting, key=lambda one: -len(one[0]))


def phrases(paths: Iterable[str]) -> Phrases:
    """The phrases of a model's own paths: all their names, the last two or three of them, and numbered ones alone.

    >>> [phrase for phrase, *_ in phrases(["layer1"])["layer"]]
    [('layer', '1')]
    """
    found: dict[str, dict[tuple[str, ...], tuple[str, str]]] = {}
    for path in paths:
        names = path.split(".")
        ends = [(f"^{path}", names), *((".".join(names[-n:]), names[-n:]) for n in (2, 3) if n < len(names)),
                *((name, [name]) for name in names if name[-1].isdigit() and not name.isdigit())]
        for selector, last in ends:
            for spelled in (last, [re.sub(r"([0-9]+)$", r" \1", name) for name in last]):
                phrase = tuple(token.word for token in tokens(" ".join(spelled).replace("_", " ")))
                if phrase:
                    found.setdefault(phrase[0], {}).setdefault(phrase, ("part", selector))
    return {first: sorted(((phrase, *what) for phrase, what in those.items()), key=lambda one: -len(one[0]))
            for first, those in found.items()}


def _readings(paths: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.strip() for each in reading.split(",")) for reading in paths.split("|"))
