"""Which sizes a passage states, in words, TeX, tables and code: "width $d = 1024$, 24 layers", `n_head = 12`.

One pattern of plain words finds a size however it is typeset. What is not certainly a size of the whole model is not
read: sizes of a part, of another model, of what might be; operands and results of arithmetic.
"""

from __future__ import annotations

import re
from collections import namedtuple

from symcount.notations import notation
from symcount.plain import Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from symcount.documents.passages import Passage


class Said(namedtuple("Said", "start end letter value symbol", defaults=("",))):
    """A size that a passage states, from start to end of its text.

    letter  of our table: P is how many positions there may be (a context length), s how many tokens are processed
    value   an int, or the text of a formula ("4d")
    symbol  how the author calls it ("T"), "" where no symbol is given
    """

    __slots__ = ()


# The least and the most that is read: what no network has is something else
BOUNDS = {"V": (16, 3_000_000), "d": (4, 200_000), "h": (4, 1_000_000), "L": (1, 1_000), "heads": (1, 1_024),
          "kv": (1, 1_024), "k": (2, 4_096), "P": (8, 100_000_000), "s": (2, 100_000_000), "b": (1, 10_000_000),
          "E": (2, 4_096), "K": (1, 256), "h_e": (4, 200_000), "types": (1, 16), "side": (16, 8_192), "patch": (2, 128)}
ALONE = {"d": (32, 200_000, 8), "V": (1_000, 3_000_000, 1), "L": (2, 200, 1)}  # a symbol: from, to, in steps of
KEYS = {key: letter for name in ("huggingface", "gpt2", "nanogpt", "llama") for key, letter in notation(name).items()
        if key != "dim"}
KEYS.update(num_layers="L", num_heads="heads", n_kv_head="kv", num_kv_heads="kv", vocabulary_size="V", d_model="d",
            d_ff="h", ffn_dim="h", d_head="k", d_k="k", embed_dim="d", embedding_dim="d", seq_len="s",
            sequence_length="s", max_seq_len="P", max_seq_length="P", context_length="P")

_N = r"#(?P<n>[0-9]+)"
# Units and operators behind a number make it another number; a letter does too, unless it is set equal
_TAIL = (r"(?! (?:[-+*/^×·÷%→\\]|[A-Za-z] (?!=)|(?:[munkc]?m|inch(?:es)?|ft|k?g|lb|[mun]?s|[kmgtp]i?b|[kmg]?hz|px|"
         r"pixels|(?:b|m|tr)illion|thousand|percent|degrees|bits?|bytes?|hours?|days?|years?|times|gpus) ))")
_OWNED = (r"(?! (?:each|per|(?:of|in|for|inside|within|at) (?:the|each|every|its|both|an?|one|ffn|mlp|student|teacher)"
          r"(?! (?:whole |entire )?(?:model|network|transformer)) ))")
_LINK = r"(?: (?:is|of|=|:|equals|again|to be)){0,2}(?: \()?(?: (?P<symbol>[A-Za-z]\w{0,11}) =)?"
_SIGN = r"(?: (?:is|=|:|equals)(?: (?P<symbol>[A-Za-z]\w{0,11}) =)?| \()"
_4D = r"[#@](?P<times>[0-9]{1,2})(?: [·×*])? (?:d|D|d_model|n_embd)(?= )(?: = #(?P<product>[0-9]+))?"
_SIZE = "(?:size|width|dimension|dim)"
_MLP = "(?:ffn|mlp|feed ?forward)"
# (letter, a word of it, a noun): "vocabulary size is 40,000", "inner width 4d"
_NOUNS = (
    ("V", "vocab", "(?:vocabulary|vocab)(?: size)?"),
    ("h", "", f"(?:(?:{_MLP}|intermediate)(?: network| layer| block)?(?: inner| hidden| intermediate)? {_SIZE}"
              f"|inner (?:layer )?{_SIZE}|(?:{_MLP}|network) of (?:inner |hidden )?{_SIZE})"),
    ("d", "", "(?:hidden|embedding|model|residual)(?: state| stream)? (?:dimensionality|size|width|dimension|dim)"),
    ("d", "width", "width"),
    ("k", "head", f"(?:head {_SIZE}|heads of {_SIZE}|dimension per head)"),
    ("P", "", "(?:context (?:length|window|size)|max(?:imum)? (?:sequence |context |input )?length)"),
    ("s", "sequence", "sequence length"),
    ("b", "batch", "batch size"),
    ("side", "image", "image size"),
    ("patch", "patch", "patch size"),
)
# The same where a sign is needed: "layers: 12", "heads (12)", "the context is T = 2048"
_SIGNED = (
    ("L", "layers", "(?:number of )?(?:transformer |decoder |encoder )?layers"),
    ("kv", "heads", "(?:number of )?(?:key (?:/ )?value|kv) heads"),
    ("heads", "heads", "(?:number of )?(?:attention |query )?heads"),
    ("P", "context", "context"),
)
_TRANSFORMER = r"(?:transformer|decoder|encoder|identical|attention)"
# (letter, a word of it, what follows its number): "24 layers", "8 key/value heads"
_COUNTED = (
    ("L", "layer", rf"(?:{_TRANSFORMER} )?layers(?! (?:of (?!{_SIZE})|are (?:frozen|removed|dropped|shared|skipped)))"),
    ("L", "layer", rf"layer (?:causal |pre norm )?(?:{_TRANSFORMER}|model|network|stack|gpt|bert)"),
    ("L", "block", rf"(?:{_TRANSFORMER} )?blocks(?! of (?!{_SIZE}))"),
    ("kv", "head", "(?:key (?:/ |and )?value|kv) heads?"),
    ("heads", "head", rf"(?:attention |query |self attention )?heads(?! of (?!{_SIZE}))"),
    ("V", "vocab", "(?:token|word|subword|entry|piece) (?:vocabulary|vocab)"),
    ("V", "vocab", "(?:tokens|words|entries|subwords|pieces) in (?:the|its) vocabulary"),
    ("d", "dimensional", "dimensional (?:embeddings?|hidden states?|model|residual stream|token vectors?)"),
    ("P", "position", "(?:learned )?positions"),
    ("P", "context", "token context"),
    ("K", "expert", "(?:active )?experts per token"),
    ("E", "expert", "experts"),
    ("side", "px", "px"),
    ("types", "segment", "segment embeddings"),
)
# (letter, a word of it, what stands before its number, what stands behind)
_AROUND = (
    ("P", "up to", "up to", "tokens"),
    ("s", "tokens", "(?:sequences?|prompt|request|context) of", "tokens"),
    ("s", "context", "at", "tokens of context"),
    ("b", "batch", "batch of", ""),
    ("side", "px", "(?:of|at|for|on)", "px"),
    ("side", "pixel", "(?:of|at|for|on)", "pixels"),
    ("patch", "patches", "patches of", r"× #(?P=n)"),
    ("side", "image", "images of", r"× #(?P=n)"),
)
_READ = tuple((letter, word, kind, re.compile(pattern)) for letter, word, kind, pattern in (
    *((letter, word, "noun", f" {noun}{_LINK} " + (f"(?:{_4D}|{_N}{_TAIL}{_OWNED})" if letter == "h" else
                                                   f"{_N}{_TAIL}{_OWNED}")) for letter, word, noun in _NOUNS),
    *((letter, word, "noun", f" {noun}{_SIGN} {_N}{_TAIL}{_OWNED}") for letter, word, noun in _SIGNED),
    *((letter, word, "counted", f" {_N} {noun}(?= ){_OWNED}") for letter, word, noun in _COUNTED),
    *((letter, word, "around", rf" {before}(?: (?P<symbol>[A-Za-z]\w{{0,11}}) =)? {_N}{after and ' ' + after}(?= )"
                               f"{_TAIL}{_OWNED}") for letter, word, before, after in _AROUND),
))
_KEY = re.compile(rf" (?P<key>[a-z]+(?:_[a-z]+)+) [=:] {_N}{_TAIL}")
_SYMBOL = re.compile(rf" (?P<key>[dVL]) = {_N}{_TAIL}")
_PRODUCT = re.compile(r" [#@][0-9]{1,2} [×·*] \w+ = #(?P<n>[0-9]+) ")
_CELL = re.compile(rf" {_N}{_TAIL}(?: [a-z]+){{0,2}} ")
# "linear maps from 768 dimensions to 3072 dimensions, and then back to 768"
_THERE_AND_BACK = re.compile(r" from #(?P<d>[0-9]+) dimensions to #(?P<n>[0-9]+) (?:[^.?!]{0,80} )?back "
                             r"(?:from #(?P=n) )?to #(?P=d) ")

# What may stand before a number that is counted ("has 12 layers", not "layer 12" nor "the first 4 layers"), before such
# an "of", and before a plain width
_OPENS = frozenset(("", "|", ",", "(", ":", ";", ".", "?", "!", "with", "has", "have", "having", "and", "are", "is",
                    "uses", "use", "using", "the", "all", "its", "contains", "comprises", "a", "an", "stacks"))
_OF = frozenset(("stack", "model", "transformer", "decoder", "encoder", "network", "total", "consists", "composed",
                 "made"))
_WIDE = frozenset(("", "|", ",", "(", ":", ";", ".", "?", "!", "with", "has", "have", "having", "and", "of", "the", "a",
                   "an", "is", "its", "same", "at"))
_PARTS = frozenset(("head", "ffn", "mlp", "forward", "feedforward", "inner", "expert", "per", "each", "image", "kernel",
                    "page", "line", "beam", "band", "bit"))
_OPERATORS = frozenset(("+", "-", "*", "/", "^", "×", "·", "÷", "→", "±", "\\", "<", ">", "≈"))
# A sentence with one of these speaks of another model, or of what might be
_ELSEWHERE = frozenset((
    "student", "teacher", "draft", "drafter", "adapter", "discriminator", "generator", "baseline", "variant",
    "variants", "ablation", "than", "versus", "vs", "unlike", "compared", "instead", "if", "would", "could", "might",
    "imagine", "doubling", "double", "doubles", "halving", "halve", "halves", "increase", "increases", "increasing",
    "reduce", "reduces", "reducing", "smaller", "larger", "bigger", "deeper", "shallower", "wider", "between", "lora",
    "rank", "lstm", "gru", "rnn", "cnn", "recurrent", "convolution", "convolutional", "convolutions"))
# Words of the field: without one, and without a second size, "3 layers" may be those of a cake
_FIELD = frozenset((
    "transformer", "transformers", "decoder", "decoders", "encoder", "network", "networks", "model", "models",
    "attention", "embedding", "embeddings", "hidden", "ffn", "mlp", "parameters", "params", "neural", "token", "tokens",
    "bert", "gpt", "llm", "vit", "feedforward"))
_DIGIT = re.compile("[0-9]")
_STRONG = re.compile(" (?:vocabulary size|vocab size|hidden size|embedding (?:size|dimension)|ffn|context length"
                     "|(?:key / value|key value|kv|query) heads?) ")
_ABOUT = ("layer", "head", "vocab", "width", "size", "dimension", "_", "token", "context", "block", "batch", "length",
          "position", "expert", "px", "pixel", "patch", "d =", "d=", "v =", "v=", "l =",
          "l=")  # of these a passage has one
_ROWS = {
    **dict.fromkeys(("layers", "number of layers", "transformer layers", "decoder layers"), "L"),
    **dict.fromkeys(("heads", "attention heads", "query heads", "number of heads"), "heads"),
    **dict.fromkeys(("key value heads", "key / value heads", "kv heads"), "kv"),
    **dict.fromkeys(("vocabulary", "vocabulary size", "vocab", "vocab size"), "V"),
    **dict.fromkeys(("width", "model width", "model dimension", "hidden size", "embedding size", "embedding dimension",
                     "embedding width"), "d"),
    **dict.fromkeys(("ffn size", "ffn width", "ffn dimension", "feed forward size", "feed forward width", "mlp width",
                     "feed forward dimension", "intermediate size", "inner width", "mlp size"), "h"),
    **dict.fromkeys(("head size", "head width", "head dimension", "head dim"), "k"),
    **dict.fromkeys(("context", "context length", "context size", "context window", "positions", "maximum length"),
                    "P"),
    **dict.fromkeys(("batch", "batch size"), "b"),
    "sequence length": "s", "image size": "side", "patch size": "patch", "experts": "E",
}


def stated(passage: Passage) -> list[Said]:
    """The sizes that a passage states, in order; a number states one size.

    >>> from symcount.documents.passages import Passage
    >>> [said[2:] for said in stated(Passage("text", 0, "It has $L = 24$ layers and an FFN of inner width $4d$."))]
    [('L', 24, 'L'), ('h', '4d', '')]
    """
    if passage.kind == "row":
        return _row(passage)
    lower = passage.text.lower()
    if not any(word in lower for word in _ABOUT) or not _DIGIT.search(lower):
        return []
    plain = Plain(passage.text)
    elsewhere = _elsewhere(plain)
    found: dict[int, Said] = {}
    code = passage.kind in ("code", "output")
    for letter, number, start, end, value, symbol in _keys(plain) if code else _all(plain, passage):
        low, high = BOUNDS[letter]
        if (number not in found and plain.sentences[number] not in elsewhere
                and (isinstance(value, str) or low <= value <= high)):
            found[number] = Said(plain.spans[start][0], plain.spans[end][1], letter, value, symbol)
    certain = (len({said.letter for said in found.values()}) > 1 or any("_" in said.symbol for said in found.values())
               or _STRONG.search(plain.text) or not _FIELD.isdisjoint(plain.words))
    return sorted(found.values()) if certain else []


def _elsewhere(plain: Plain) -> set[int]:
    """The sentences that speak of something else, or of an encoder and a decoder that have sizes of their own."""
    stacks: dict[int, str] = {}
    return {sentence for word, sentence in zip(plain.words, plain.sentences, strict=True) if word in _ELSEWHERE or
            (word in ("encoder", "decoder") and stacks.setdefault(sentence, word) != word)}


def _all(plain: Plain, passage: Passage) -> Iterator[tuple[str, int, int, int, int | str, str]]:
    """(letter, which word is the number, the first and the last word, value, symbol): the surest patterns first."""
    text = plain.text
    for letter, word, kind, pattern in _READ:
        if word not in text:
            continue
        for match in pattern.finditer(text):
            first, last = plain.index(match.start() + 1), plain.index(match.end() - 1)
            told = match.groupdict()
            number = plain.index(match.start("n" if told["n"] else "product" if told.get("product") else "times"))
            symbol = told.get("symbol") or ""
            if kind == "counted" and plain.word(first - 1) == "=" and plain.word(first - 2).isidentifier():
                first, symbol = first - 2, plain.word(first - 2)
            if kind == "around" or (_opens if kind == "counted" else _may_precede)(plain, first, letter):
                digits = told["n"] or told.get("product")
                value = int(digits) if digits else f"{told['times']}d"
                if value == 0:
                    continue  # nothing is no size of a model
                yield letter, number, first, last, value, symbol
    for match in _THERE_AND_BACK.finditer(text):
        at = plain.index(match.start("n"))
        yield "h", at, plain.index(match.start() + 1), at, int(match["n"]), ""
    yield from _keys(plain)
    yield from _symbols(plain, passage)


def _may_precede(plain: Plain, first: int, letter: str) -> bool:
    """Whether a noun names a size of the model: the width, but not that of a head, nor of a page."""
    before = plain.word(first - 1).lower()
    return before in _WIDE if letter == "d" and plain.word(first) == "width" else before not in _PARTS


def _opens(plain: Plain, first: int, _: str) -> bool:
    """Whether a count stands where a model's sizes are listed; `first` is the number, or the symbol set equal to it."""
    before = plain.word(first - 1).lower()
    return before in _OPENS or (before == "of" and plain.word(first - 2) in _OF)


def _keys(plain: Plain) -> Iterator[tuple[str, int, int, int, int | str, str]]:
    """`n_head = 12`, `"hidden_size": 768`."""
    for match in _KEY.finditer(plain.text):
        first, number = plain.index(match.start("key")), plain.index(match.start("n"))
        if match["key"] in KEYS and plain.word(first - 1) not in _OPERATORS:
            yield KEYS[match["key"]], number, first, number, int(match["n"]), match["key"]


def _symbols(plain: Plain, passage: Passage) -> Iterator[tuple[str, int, int, int, int | str, str]]:
    """`d = 1024`, where the symbol begins the mathematics, or a list goes on with it."""
    begins = {start for start, _ in passage.math}
    heads = {sentence for word, sentence in zip(plain.words, plain.sentences, strict=True) if word in ("head", "heads")}
    for match in _SYMBOL.finditer(plain.text):
        key, value = match["key"], int(match["n"])
        first, number = plain.index(match.start("key")), plain.index(match.start("n"))
        low, high, step = ALONE[key]
        start = plain.spans[first][0]
        begun = any(not passage.text[place:start].strip(" $\\([") for place in range(start - 3, start + 1)
                    if place in begins)
        of_a_head = key == "d" and plain.sentences[first] in heads  # the d of √d, perhaps
        if ((begun or plain.word(first - 1) in _OPENS) and not of_a_head
                and low <= value <= high and value % step == 0):
            yield key, number, first, number, value, key


def _row(passage: Passage) -> list[Said]:
    """`| vocab_size | 50,304 |`: a key and its value, in a table of two columns."""
    cells = [(start, passage.text[start:end]) for start, end in passage.cells if passage.text[start:end].strip()]
    if len(cells) != 2 or not passage.table or not passage.table[1]:
        return []
    (start, key), (behind, told) = cells
    name, value = Plain(key).text.strip(), Plain(told).text
    letter = KEYS.get(name) or _ROWS.get(name)
    match = _CELL.fullmatch(value) or _PRODUCT.fullmatch(value)
    letter = letter or ("h" if match and match.re is _PRODUCT and name in ("ffn", "mlp", "feed forward") else None)
    if not letter or not match:
        return []
    low, high = BOUNDS[letter]
    number, symbol = int(match["n"]), name if name in KEYS else ""
    return [Said(start, behind + len(told), letter, number, symbol)] if low <= number <= high else []


class Told(namedtuple("Told", "value start end")):
    """What a text says about counting, and where in the source it says so."""

    __slots__ = ()


class Manner(namedtuple("Manner", "biases norms tied positions gated flop_per_mac bias_vectors bytes_per_value",
                        defaults=(None, None, None, None, None, None, None, None))):
    """How a text says that it counts; None where it says nothing, or one thing here and another there.

    biases        True there are some, False there are none or they are left out
    norms         "layer", "rms", or False where they are left out
    tied          whether the output matrix is the word table
    positions     "learned", "rotary", "sinusoidal"
    gated         whether the MLP has a third matrix
    flop_per_mac  2 or 1 for a multiply-add
    bias_vectors  1 or 2 for each gate of a recurrent layer
    bytes_per_value  2 or 4 for a stored number
    """

    __slots__ = ()


_LEFT = "(?:ignoring|ignore|ignores|neglecting|neglect|omitting|omit|excluding|without|dropping|leaving out|leave out)"
_ARE_LEFT = "(?:are|is) (?:all )?(?:ignored|omitted|neglected|left out|not counted|excluded|dropped|disregarded)"
_NORMS = "(?:layer ?norms?|rms ?norms?|norms|layer normali[sz]ations?)"
_MAC = "(?:multiply adds?|multiply accumulates?|macs?|madds?|fmas?)"
_WHOLLY = r"(?= (?:(?:[.,;:)!]|and|or|but|anywhere|at all|in any|in all|are|at) |$))"
_SAYS = tuple((field, value, re.compile(f" (?:{pattern}) ")) for field, value, pattern in (
    ("biases", False, f"(?:no|{_LEFT})(?: the| any| all)? (?:biases|bias (?:terms?|vectors?)){_WHOLLY}"),
    ("biases", False, f"(?:biases|bias (?:terms?|vectors?))(?: and {_NORMS})? {_ARE_LEFT}"),
    ("biases", False, f"(?:biases|bias terms?) (?:left out|ignored|omitted|excluded|not counted|neglected){_WHOLLY}"),
    ("biases", True, "biases in (?:every|all|each)(?: linear| dense)? (?:layers?|maps?|matrix|matrices|projections?)"),
    ("biases", True, "(?:including|with)(?: the| all)? biases(?= [.,;:)])|(?:biases|bias terms)(?: are)? included"),
    ("norms", False, rf"{_LEFT}(?: (?:the|all|bias terms|biases|bias) ?(?:and|or)?){{0,2}} {_NORMS}"),
    ("norms", False, f"{_NORMS} {_ARE_LEFT}|{_LEFT} bias terms and other small (?:contributions|terms)"),
    ("norms", False, f"biases and {_NORMS} {_ARE_LEFT}"),
    ("norms", "layer", "layer ?norms?(?:ali[sz]ation)?"),
    ("norms", "rms", "rms ?norms?(?:ali[sz]ation)?"),
    ("tied", False, "(?:not|never) tied|untied|without(?: weight)? tying|tie_word_embeddings [=:] false"),
    ("tied", False, "separate (?:output|lm|unembedding) (?:head|matrix|projection|layer)"),
    ("tied", True, "tied(?: word| token| input| output)?(?: embeddings?| weights?| head| matrix)"
                   "|(?<!without )weight tying|tie_word_embeddings [=:] true"
                   "|(?<!not )(?<!never )tied (?:to|with)(?: the| its)?(?: word| token| input)?"
                   " (?:embeddings?|table|head|output|matrix)"),
    ("positions", "learned", "learn(?:ed|able)(?: absolute)? position(?:s|al)?(?: embeddings?| encodings?)?"),
    ("positions", "rotary", "rotary(?: positions?| embeddings?| positional)?|rope"),
    ("positions", "sinusoidal", "sinusoidal(?: positions?| positional)?"),
    ("gated", True, rf"swiglu|geglu|gated (?:mlp|ffn|feed ?forward|variant)|{_MLP}(?: made)? (?:of|with|has) three"
                    " (?:weight )?matrices"),
    ("gated", False, rf"{_MLP}(?: network)? (?:there are|of|with|has|consists of) two (?:weight |linear )?"
                     "(?:matrices|maps|layers|transformations)"),
    ("flop_per_mac", 2, f"(?:#2|two) (?:flops?|operations) (?:per|for each|for every) {_MAC}"
                        f"|{_MAC} (?:is|counts? as|counts? for|costs?|as|=) (?:#2|two) (?:flops?|operations)"
                        "|flops? = #2 ×? ?macs?|#1 mac = #2 flops?"),
    ("flop_per_mac", 1, f"(?:#1|one|a) (?:flop|operation) (?:per|for each|for every) {_MAC}"
                        f"|{_MAC} (?:is|counts? as|counts? for|costs?|as|=) (?:#1|one|a single) (?:flop|operation)"
                        "|flops? = macs?|#1 mac = #1 flop"),
    ("bias_vectors", 1, "(?:one|#1|a single) bias vector(?: per gate| per layer)?|keras convention"),
    ("bias_vectors", 2, "(?:two|#2) bias vectors|pytorch convention"),
    ("bytes_per_value", 2, "(?:in|at|with) (?:#16 bits|#2 bytes)|#16 bit (?:floats?|precision|weights|values)|bf16"
                 "|bfloat16|fp16|float16|half precision|#2 bytes per (?:parameter|value|weight|number)"),
    ("bytes_per_value", 4, "(?:in|at|with) (?:#32 bits|#4 bytes)|#32 bit (?:floats?|precision|weights|values)|fp32"
                 "|float32|single precision|#4 bytes per (?:parameter|value|weight|number)"),
))
_SAYING = ("bias", "norm", "tied", "tying", "tie_", "positi", "rotary", "rope", "glu", "gated", "matrices", "float",
           "transformations", "flop", "multiply", "mac", "bit", "f16", "p16", "p32", "precision", "bytes", "separate",
           "convention")


def manner(passages: Iterable[Passage]) -> Manner:
    """What these passages say about how they count.

    >>> from symcount.documents.passages import Passage
    >>> said = manner([Passage("text", 100, "No biases; 2 FLOPs per multiply-add.")])
    >>> said.biases, said.flop_per_mac.value, said.tied
    (Told(value=False, start=100, end=109), 2, None)
    """
    found: dict[str, list[Told]] = {}
    for passage in passages:
        lower = passage.text.lower()
        if not any(word in lower for word in _SAYING):
            continue
        plain = Plain(passage.text)
        for field, value, pattern in _SAYS:
            for match in pattern.finditer(plain.text):
                first, last = plain.index(match.start() + 1), plain.index(match.end() - 2)
                found.setdefault(field, []).append(Told(
                    value, passage.start + plain.spans[first][0], passage.start + plain.spans[last][1]))
    left = [told for told in found.get("norms", ()) if told.value is False]
    if left:
        found["norms"] = left  # who names a norm to leave it out has named it
    return Manner(**{field: told[0] for field, told in found.items() if len({one.value for one in told}) == 1})
