"""Numbers with a label, judged: which part of a model is meant, what it has, and which slip makes the difference."""

from symcount.parts.judging import Judgement, Meaning, judge, meant
from symcount.parts.totals import known_total

__all__ = ["Judgement", "Meaning", "judge", "known_total", "meant"]
