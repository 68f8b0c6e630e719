"""the share of the tables of embeddings.

The share falls as a model grows: a table has V·d numbers, layers have some multiple of L·d².
"""

from __future__ import annotations

from fractions import Fraction

from symcount.answers import Percent
from symcount.errors import ProofError
from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import WIDTHS, gated_width, head_count, percentage
from symcount.naming import model
from symcount.readers.parameters import parameters
from symcount.scaling import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.drawing import Draw
    from symcount.ledger import Ledger

_HINTS = ("Count what the tables hold, and the whole model.", "Divide the first by the second.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is a tied decoder like GPT-2, level 2 an encoder like BERT, level 3 a head that is not tied."""
    d = draw.one(WIDTHS)
    sizes: dict[str, Any] = {"V": 250 * draw.between(60, 400), "d": d, "L": draw.between(4, 40),
                             "heads": head_count(d)}
    if level == 1:
        sizes["P"] = draw.one((512, 1024, 2048))
        ledger = parameters(model("gpt2", **sizes))
        asks = (paragraph("A decoder like GPT-2 with {V=}, {P=}, {d=} and {L=} has `12d^2 + 13d` parameters in each "
                          "layer, tables for words and positions, and `2d` parameters more in its last norm. "
                          "Its head is the table of words again.", **sizes),
                "Which share of its parameters is in the two tables, in percent with two decimals?")
        rows = sizes["V"] + sizes["P"]
        return _shared(asks, ledger, ("embeddings",), [
            (sizes["V"] * d, 0, "positions have a table, too"), (rows * d, sizes["V"] * d, "the head counts once"),
            (2 * sizes["V"] * d + sizes["P"] * d, sizes["V"] * d, "the head is the table again, and counts once")])
    if level == 2:
        sizes |= {"P": draw.one((256, 512, 1024)), "types": 2, "h": "4d"}
        ledger = parameters(model("bert", **sizes))
        asks = (paragraph("An encoder like BERT with {V=}, {P=}, {types=}, {d=} and {L=} has `12d^2 + 13d` parameters "
                          "in each layer, a pooler of `d^2 + d`, and tables for words, positions and token types, "
                          "behind which a LayerNorm of `2d` stands.", **sizes),
                "Which share of its parameters is in the three tables, without the norm, in percent with two decimals?")
        return _shared(asks, ledger.without("embeddings.norm"), ("embeddings",), [
            (sizes["V"] * d, 0, "positions and token types have tables, too")], whole=ledger)
    h = gated_width(d, draw)
    ledger = parameters(model("llama", **sizes, h=h))
    asks = (paragraph("A decoder like LLaMA with {V=}, {d=}, {h=} and {L=} has `4d^2 + 3d*h + 2d` parameters in each "
                      "layer, a norm of d at the end, a table of words and a head that is not tied to it.",
                      **sizes, h=h),
            "Which share of its parameters do table and head hold together, in percent with two decimals?")
    return _shared(asks, ledger, ("embeddings", "head"), [
        (sizes["V"] * d, 0, "that is the table alone: the head is as large"),
        (sizes["V"] * d, -sizes["V"] * d, "the head is not tied: it is a part of the whole, and of what is asked for")])


def _shared(asks: Any, ledger: Ledger, paths: tuple[str, ...], slips: Any, whole: Ledger | None = None) -> Exercise:
    """The share of some parts; a slip is (what is counted, what the whole has more, what it comes from)."""
    whole = whole or ledger
    total = int(whole.total)
    part = sum(int(ledger.where(path).total) for path in paths)
    answer = Percent(Fraction(part, total))

    def steps() -> list[Any]:
        ratio = share(whole, *(paths if whole is ledger else ("word", "position", "type")))
        if ratio.value != answer.share:
            raise ProofError(f"the share is {ratio.value}, not {answer.share}")
        return [*ratio.derivation().steps, percentage(answer)]

    wrong = [(Percent(Fraction(top, total + more)), says) for top, more, says in slips]
    wrong.append((Percent(Fraction(part, total - part)), "divide by the whole model, not by the rest of it"))
    return Exercise(asks, answer, steps, _HINTS, tuple(wrong))
