"""What is said about a document: where, how grave, what is wrong, what is right, and how it may be mended."""

from __future__ import annotations

from collections import namedtuple

SEVERITIES = ("error", "carried", "convention", "note", "skipped")


class Diagnostic(namedtuple("Diagnostic", "path line column end_column code severity message expected help fix "
                                          "source also", defaults=(None, "", None, "", ()))):
    """One finding.

    line, column, end_column   of what is marked, in code points from 1; the end is exclusive
    code       SC101 and so on, "" for what was skipped
    severity   "error" the root, "carried" right for wrong operands, "convention" right under the named convention,
               "note", "skipped" not judged, and why
    expected   what should stand there, in the unit that stands there: an int or a Fraction, None where that is open
    help       what to do
    fix        the text that would replace what is marked, None where that is not certain
    source     the line, as it was written
    also       of a carried figure, what else the fix replaces: the operands that are printed again, as diagnostics
    """

    __slots__ = ()
