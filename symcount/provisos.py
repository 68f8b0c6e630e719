"""What a sentence says behind a model: "with h = 4d", "without its last norm", "in bf16", "with full recomputation".

A clause changes the model, or says what of it is counted, or how. One clause that is not understood, and the whole is
not.
"""

from __future__ import annotations

import re
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

Proviso = namedtuple("Proviso", "changes phase convention without which", defaults=((), None, None, (), None))
"""changes     of the model, as `naming.read_changes` reads them: ("h=4d", "lora=8@query+value")
phase       of the work that is counted; convention  how numbers are stored; None where nothing is said
without     what is not counted, as the rules of `shortfalls.parts` call it
which       which parameters N stands for, as `shortfalls.meanings` calls them; None where nothing is said
"""

_MOST = 6  # clauses
# Where what is said of the model begins
_BEGINS = re.compile(r"\s*,|\s+(?=(?:with|without|in|at|for|where|excluding|ignoring|not\s+counting|leaving\s+out|"
                     r"but\s+for)\s)")
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s+)?|and\s+)?")
_ENDS = r"(?=\s*(?:$|,|\s(?:and|with|without|in|at|for|where)\s))"

# What may be left out, by the words for it, and as the rules of `shortfalls.parts` call it
LEFT = {
    **dict.fromkeys(("biases", "bias terms", "bias vectors"), "every bias"),
    **dict.fromkeys(("norms", "layer norms", "layernorms", "rmsnorms", "normalization layers"), "every norm"),
    **dict.fromkeys(("last norm", "final norm", "last layernorm", "final layernorm", "last layer norm",
                     "final layer norm", "last rmsnorm", "final rmsnorm"), "the final norm"),
    **dict.fromkeys(("embeddings", "embedding tables", "embedding parameters"), "the embeddings"),
    **dict.fromkeys(("positions", "position table", "position embeddings", "positional embeddings",
                     "table of positions"), "the table of positions"),
    **dict.fromkeys(("token types", "table of token types", "segment embeddings"), "the table of token types"),
    **dict.fromkeys(("output matrix", "lm head", "unembedding", "unembedding matrix"), "the output matrix"),
    "pooler": "the pooler",
    **dict.fromkeys(("router", "routers"), "the router"),
    "logits": "the logits",
}
_MAPS = {**{name: name for name in ("query", "key", "value", "output", "gate", "up", "down")},
         "queries": "query", "keys": "key", "values": "value",
         **{spelled: name for letter, name in zip("qkvo", ("query", "key", "value", "output"), strict=True)
            for spelled in (letter, f"{letter}_proj", f"w_{letter}", f"w{letter}")}}
_STORED = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "half precision": "bf16",
           "16 bits": "bf16", "fp32": "fp32", "float32": "fp32", "single precision": "fp32", "32 bits": "fp32",
           **{f"{count} bytes {each} {what}": name for count, name in (("2", "bf16"), ("4", "fp32"))
              for each in ("a", "per", "for each") for what in ("number", "value", "element")}}
_PHASES = {"full": "recompute", "complete": "recompute", "selective": "selective"}
# Which parameters N stands for, by the words for it
_WHICH: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("number of parameters", "number of its parameters", "parameter count"), ()),
    **dict.fromkeys(("all parameters", "number of all parameters", "all its parameters"), ("all",)),
    **dict.fromkeys(("non-embedding parameters", "number of non-embedding parameters", "parameters without embeddings",
                     "number of parameters without embeddings"), ("layers", "no tables")),
    **dict.fromkeys(("active parameters", "number of active parameters"), ("active", "multiplied")),
}


def _among(words: Iterable[str]) -> str:
    """A pattern of these words, the longest first, with any blanks between them."""
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in sorted(words, key=len, reverse=True))


_ITS = r"(?:(?:its|the|any|all|of|their)\s+)*"
_SIZE = re.compile(r"(?:(?:with|at|for|where)\s+)?([A-Za-z]\w{0,11})\s*=\s*([\w^*+/().×·−-][\w^*+/().×·− -]{0,40}?)"
                   + _ENDS)
_WITHOUT = re.compile(r"(?:without|excluding|ignoring|not\s+counting|leaving\s+out|but\s+for)\s+"
                      rf"({_ITS}(?:{_among(LEFT)})(?:(?:,|\s+and|\s+or)\s+{_ITS}(?:{_among(LEFT)})){{0,4}}){_ENDS}",
                      re.IGNORECASE)
_RECOMPUTED = re.compile(r"with\s+(full|complete|selective)\s+(?:activation\s+)?(?:recomputation|checkpointing)"
                         rf"(?:\s+of\s+activations)?{_ENDS}", re.IGNORECASE)
_HELD = re.compile(rf"(?:stored\s+)?(?:in|at|with)\s+({_among(_STORED)}){_ENDS}", re.IGNORECASE)
_ONE_MAP = rf"{_ITS}(?:{_among(_MAPS)})"
_LORA = re.compile(r"with\s+(?:(?:LoRA|low-rank\s+adapters?|adapters?)\s+of\s+rank\s+(r|[0-9]{1,4})|"
                   r"rank-?\s?(r|[0-9]{1,4})\s+(?:LoRA|adapters?))\s+(?:on|in|at|beside)\s+"
                   rf"({_ONE_MAP}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*\+\s*){_ONE_MAP}){{0,6}})"
                   rf"(?:\s+(?:projections?|maps?|matrices|weights|layers))?{_ENDS}", re.IGNORECASE)
_N = re.compile(rf"(?:where|with)\s+N\s+(?:is|are|being|counts|counting)\s+{_ITS}({_among(_WHICH)}){_ENDS}")


_FIELDS: dict[re.Pattern[str], tuple[str, dict[str, Any]]] = {
    _RECOMPUTED: ("phase", _PHASES), _HELD: ("convention", _STORED), _N: ("which", _WHICH)}


def divided(words: str) -> tuple[str, str]:
    """The name of a model, and what is said behind it.

    >>> divided("llama with h = 4d"), divided("gpt2")
    (('llama', 'with h = 4d'), ('gpt2', ''))
    """
    words = " ".join(words.split())
    begins = _BEGINS.search(words)
    return (words[:begins.start()], words[begins.end():].strip()) if begins else (words, "")


def proviso(words: str) -> Proviso | None:
    """What the clauses behind a model say, None where one of them is not understood, or two speak of one thing.

    >>> proviso("with h = 4d, kv = heads and without its last norm")[::3]
    (('h=4d', 'kv=heads'), ('the final norm',))
    >>> proviso("with LoRA of rank r on query and value").changes
    ('lora=r@query+value',)
    >>> proviso("with luck")
    """
    found, at = Proviso(), 0
    words = " ".join(words.split())
    for _ in range(_MOST):
        if at == len(words):
            return found
        joint = _JOINT.match(words, at)
        at = joint.end() if joint else at
        match = next(filter(None, (one.match(words, at) for one in (_WITHOUT, _RECOMPUTED, _HELD, _LORA, _N, _SIZE))),
                     None)
        later = _added(found, match) if match else None
        if match is None or later is None:
            return None
        found, at = later, match.end()
    return found if at == len(words) else None


def _added(found: Proviso, match: re.Match[str]) -> Proviso | None:
    """What was said before, and by this clause; None where that was said before."""
    if match.re is _SIZE:
        name, size = match[1], "".join(match[2].split())
        again = any(one.startswith(f"{name}=") for one in found.changes)
        apart = re.search(r"[A-Za-z]\s+\w", match[2])  # 4d of course
        return None if again or apart else found._replace(changes=(*found.changes, f"{name}={size}"))
    if match.re is _WITHOUT:
        left = [LEFT[_plain(one[0])] for one in re.finditer(_among(LEFT), match[1], re.IGNORECASE)]
        return found._replace(without=tuple(dict.fromkeys((*found.without, *left))))
    if match.re is _LORA:
        maps = [_MAPS[_plain(one[0])] for one in re.finditer(rf"\b(?:{_among(_MAPS)})\b", match[3], re.IGNORECASE)]
        again = any(one.startswith("lora=") for one in found.changes) or len(set(maps)) < len(maps)
        rank = (match[1] or match[2]).lower()
        return None if again else found._replace(changes=(*found.changes, f"lora={rank}@{'+'.join(maps)}"))
    field, table = _FIELDS[match.re]
    return None if getattr(found, field) is not None else found._replace(**{field: table[_plain(match[1])]})


def _plain(words: str) -> str:
    return " ".join(words.lower().split())
