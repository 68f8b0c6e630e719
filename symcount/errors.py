"""What symcount refuses, by kind: every message says where, what, which values, and what to do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SymcountError(Exception):
    """Anything symcount refuses; the command line prints it on one line and leaves with status 2."""


class ShapeError(SymcountError):
    """A network is wired wrongly: an axis is missing, unequal or made twice."""


class SizeError(SymcountError):
    """A size is missing, negative, fractional, or does not divide another."""


class UnitError(SymcountError):
    """Two accounts in different units were added."""


class FormulaError(SymcountError):
    """A formula or a change cannot be read, or names a letter that nothing gives a value."""


class ConfigError(SymcountError):
    """A configuration has an unknown, missing or unsupported key, or cannot be read."""


class ModelError(SymcountError):
    """No model, class, path, convention or quantity has this name."""


class ProofError(SymcountError):
    """A step of a derivation does not follow, or a claim is not proved.

    `sides` are the two terms that are not shown to be equal, and `witness` derives a counterexample, if there is one;
    `also` is a sentence and two more sides, whose counterexample says that nothing else would do either.
    """

    sides: Any = None
    also: Any = None
    witness: Any = None


def missing(what: str, extra: str) -> SymcountError:
    """The refusal for a library that is not installed, with what installs it.

    >>> missing("pictures need matplotlib", "plot")
    SymcountError("pictures need matplotlib: pip install 'symcount[plot]'")
    """
    return SymcountError(f"{what}: pip install 'symcount[{extra}]'")


def clipped(text: str, longest: int = 60) -> str:
    r"""A stranger's text as a message may quote it: short, and without control characters.

    >>> clipped("ab\x1b[31m"), clipped("x" * 99, 5)
    ('ab\\x1b[31m', 'xxxx…')
    """
    shown = text if len(text) <= longest else text[:longest - 1] + "…"
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown)


def nearest(word: str, known: list[str] | tuple[str, ...] | set[str]) -> str:
    """The hint that ends a refusal: the closest known name, or all of them when they are few.

    >>> nearest("hidden_sizes", ["hidden_size", "vocab_size"])
    "did you mean 'hidden_size'?"
    >>> nearest("zzz", ["b", "a"])
    'known: a, b'
    """
    from difflib import get_close_matches  # only a refusal pays for this import

    names = sorted(known)
    word = word[:80]
    longer = sorted((name for name in names if len(word) > 3 and name.lower().startswith(word.lower() + "-")), key=len)
    if longer:
        return f"did you mean {' or '.join(repr(name) for name in longer[:3])}?"
    folded = {name.lower(): name for name in reversed(names)}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=0.7)
    if close:
        return f"did you mean '{folded[close[0]]}'?"
    shown = names if len(names) <= 24 else [*names[:24], "…"]
    return "known: " + ", ".join(shown)
