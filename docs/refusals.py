"""What building refuses: a tool that is missing, a document that is wrong."""

from __future__ import annotations

TEX = "texlive-xetex texlive-fonts-recommended texlive-plain-generic"  # Debian's packages with all that a PDF needs


class MissingError(Exception):
    """A tool or a library is not installed; the message says what installs it. Status 2."""


class WrongError(Exception):
    """A document is wrong: each line of the message says where and what. Status 1."""
