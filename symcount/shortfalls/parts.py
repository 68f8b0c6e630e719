"""What an author may have left out, counted twice or counted half of: terms, modules, kinds; and what is a convention.

Source: in each row of RULES.
"""

from __future__ import annotations

from collections import namedtuple
from functools import lru_cache, reduce
from operator import or_

from symcount.polynomials import quotient
from symcount.scopes import matches
from symcount.sizes import is_one, letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from symcount.ledger import Term

HALF = quotient(1, 2)

# says: what is left out, doubled or halved; share: 1 left out, −1 counted twice, 1/2 counted half; units: of which
# ledgers, () for all; of(terms): which of them; source: whose convention it is
Rule = namedtuple("Rule", "says share units of source")

# A part that a formula may treat otherwise: `at` are the bits of its terms, `share` as in Rule, `cost` how far it is to
# seek, `rule` the convention that it is, or None
Part = namedtuple("Part", "says share at cost rule")

_WORK = ("FLOP", "multiply-add")
_STORED = ("parameter", "byte", "element")
_KAPLAN = "Kaplan et al. 2020, Scaling laws for neural language models, section 2.1 and table 1"


def _kind(*wanted: str, but: str = "") -> Callable[[Sequence[Term]], list[Term]]:
    return lambda terms: [t for t in terms if all(kind in t.kinds for kind in wanted) and but not in t.kinds]


def _last_norms(terms: Sequence[Term]) -> list[Term]:
    """Norms that stand beside the layers, before or after them, where layers have norms too."""
    norms = _kind("norm")(terms)
    beside = [t for t in norms if all(is_one(runs) for _, runs in t.scopes)
              and len(t.path.removeprefix("weights.").split(".")) <= 3]
    return beside if len(beside) < len(norms) else []


def _final(terms: Sequence[Term]) -> list[Term]:
    """The norm after all layers."""
    return [t for t in _last_norms(terms) if t.path.rpartition(".")[0].split(".")[-1] == "norm"
            and "embeddings" not in t.path.split(".")]


def _over(*first: str) -> Callable[[Term], bool]:
    """Whether one of a term's factors is a size of these names: V, V_dec."""
    return lambda term: any(name.split("_")[0] in first for factor in term.factors for name in letters(factor))


def _positions(terms: Sequence[Term]) -> list[Term]:
    return [t for t in terms if "embedding" in t.kinds and _over("P")(t)]


def _types(terms: Sequence[Term]) -> list[Term]:
    return [t for t in terms if "embedding" in t.kinds and _over("types")(t)]


def _logits(terms: Sequence[Term]) -> list[Term]:
    """The product with all words of the vocabulary, or its matrix; a table that is also looked up is none."""
    return [t for t in terms if "weight" in t.kinds and "embedding" not in t.kinds and "bias" not in t.kinds
            and "elementwise" not in t.kinds and _over("V")(t)]


def _tied(terms: Sequence[Term]) -> list[Term]:
    """The table of words, where no output matrix stands beside it."""
    return [] if _logits(terms) else [t for t in terms if "embedding" in t.kinds and _over("V")(t)]


# What may be left out, or counted otherwise, without being wrong. All else is.
RULES = (
    Rule("every bias", 1, (), _kind("bias", but="norm"), f"{_KAPLAN}: biases are sub-leading"),
    Rule("every norm", 1, (), _kind("norm"), f"{_KAPLAN}: norms are sub-leading"),
    Rule("the shifts of norms", 1, (), _kind("norm", "bias"),
         "Zhang and Sennrich 2019, Root mean square layer normalization: gains without shifts"),
    Rule("the final norm", 1, (), _final,
         "Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters, equation 2"),
    Rule("the final norm and the shifts of the others", 1, (), lambda terms: [
        t for t in terms if t in _final(terms) or t in _kind("norm", "bias")(terms)],
         "the two rules above, which have the shift of the final norm in common"),
    Rule("the norms outside of the layers", 1, (), _last_norms,
         "Narayanan et al. 2021, Efficient large-scale language model training on GPU clusters, equation 2"),
    Rule("the embeddings", 1, _STORED, _kind("embedding"), f"{_KAPLAN}: N without embeddings"),
    Rule("the table of positions", 1, _STORED, _positions, "nanoGPT, model.py, get_num_params"),
    Rule("the table of token types", 1, _STORED, _types, "Narayanan et al. 2021, Efficient large-scale language model "
         "training on GPU clusters, equation 2: tables of words and positions alone"),
    Rule("the router", 1, (), lambda terms: [t for t in terms if matches(t.path, "router")],
         f"{_KAPLAN}: sub-leading terms are left out"),
    Rule("the output matrix", 1, _STORED, _logits,
         f"{_KAPLAN}: N without the vocabulary; Press and Wolf 2017, Using the output embedding: one with the table"),
    Rule("an output matrix beside the table of words that it is tied to", -1, _STORED, _tied,
         "12Ld² + 2Vd of models with an output matrix of its own, as Touvron et al. 2023, LLaMA"),
    Rule("the pooler", 1, (), lambda terms: [t for t in terms if matches(t.path, "pooler")],
         "transformers, BertModel(add_pooling_layer=False)"),
    Rule("the logits", 1, _WORK, _logits, f"{_KAPLAN}: no logits"),
    Rule("the look-up of words as a product with the whole table", -1, _WORK, _logits,
         "Hoffmann et al. 2022, Training compute-optimal large language models, appendix F"),
    Rule("attention's scores and what mixes values by them", 1, _WORK, _kind("attention"),
         f"{_KAPLAN}: 2N and 6N, for short contexts"),
    Rule("attention's scores and what mixes values by them, as a causal mask leaves", HALF, _WORK, _kind("attention"),
         "Dao 2023, FlashAttention-2, section 4.1"),
)
_RULED = {1: 2, -1: 3, HALF: 3}  # what a convention costs


@lru_cache(maxsize=8)
def parts(terms: tuple[Term, ...], unit: str) -> tuple[Part, ...]:
    """Every part that a formula for the sum of these terms may treat otherwise, conventions first.

    >>> from symcount.naming import model
    >>> from symcount.readers.parameters import parameters
    >>> [part.says for part in parts(parameters(model("llama-7b")).terms, "parameter")][:4]
    ['every norm', 'the final norm', 'the embeddings', 'the output matrix']
    """
    place = {term.path: i for i, term in enumerate(terms)}
    found: dict[tuple[int, Any], Part] = {}
    for rule in RULES:
        at = sum(1 << place[term.path] for term in rule.of(terms)) if not rule.units or unit in rule.units else 0
        if at:
            found.setdefault((at, rule.share), Part(rule.says, rule.share, at, _RULED[rule.share], rule))
    every = (1 << len(terms)) - 1
    for says, at, cost in _groups(terms):
        if at == every and len(terms) > 1:
            continue  # twice or half of everything is another question
        for share, dearer in ((1, cost), (-1, cost + 1), (HALF, 2 * cost + 3)):  # half of it is dearer than two parts
            found.setdefault((at, share), Part(says, share, at, dearer, None))
    return tuple(found.values())


def _groups(terms: Sequence[Term]) -> Iterator[tuple[str, int, int]]:
    """(what it is called, its terms, how far it is to seek): modules, like modules in several places, kinds, terms."""
    modules: dict[str, int] = {}
    alike: dict[str, dict[str, int]] = {}
    for i, term in enumerate(terms):
        names = term.path.split(".")
        names = names[:-1] if names[-1] in ("weight", "bias") else names
        for end in range(1, len(names) + 1):
            before = ".".join(names[:end])
            modules[before] = modules.get(before, 0) | 1 << i
            for start in range(max(0, end - 2), end):
                held = alike.setdefault(".".join(names[start:end]), {})
                held[before] = held.get(before, 0) | 1 << i
    kinds = (("norm", _kind("norm"), 5), ("bias", _kind("bias", but="norm"), 5), ("shift of a norm", _kind(
        "norm", "bias"), 6), ("gain of a norm", _kind("norm", but="bias"), 6), ("matrix", _matrices, 6))
    chosen = [(says, sum(1 << i for i, term in enumerate(terms) if of([term])), cost) for says, of, cost in kinds]
    for path, at in modules.items():
        within = any(other.startswith(f"{path}.") for other in modules)
        kind = next((f"every {says} of " for says, those, _ in chosen if not at & ~those), "") if within else ""
        yield kind + path, at, 5
    for name, places in alike.items():
        if len(places) > 1:
            yield f"every {name}", reduce(or_, places.values()), 5
    for path, at in modules.items():
        for says, those, cost in chosen:
            if (at & those).bit_count() > 1:
                yield f"every {says} of {path}", at & those, cost
    for says, those, cost in chosen:
        if those:
            yield f"every {says}", those, cost
    for i, term in enumerate(terms):
        yield term.path, 1 << i, 7 if {"norm", "bias"} & {*term.kinds} else 5


def _matrices(terms: Sequence[Term]) -> list[Term]:
    return [t for t in terms if t.kinds[:1] == ("weight",) and "bias" not in t.kinds]
