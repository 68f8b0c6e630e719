"""Numbers with a label, judged: which part of a model is meant, what it has, and which slip makes the difference."""

from symcount.parts.described import described
from symcount.parts.elsewhere import elsewhere
from symcount.parts.judging import UNKNOWN, Judgement, judge
from symcount.parts.shares import shares
from symcount.parts.totals import known_active, known_total
from symcount.parts.without import without

__all__ = ["UNKNOWN", "Judgement", "described", "elsewhere", "judge", "known_active", "known_total", "shares",
           "without"]
