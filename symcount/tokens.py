"""A stranger's text as tokens with columns: what the readers of formulas and of statements share.

Text is only read, never run.
"""

from __future__ import annotations

from symcount.errors import FormulaError, clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_LONGEST = 10_000  # characters


class Tokens:
    """The tokens of a text, (kind, token, position), and how far they are read; `pattern` names the kinds.

    `same` are other spellings of a sign, `hints` what to do about signs that cannot be read.
    Raises FormulaError, with the column (from 1), for a text that is too long or has another sign.
    """

    __slots__ = ("at", "text", "tokens")

    def __init__(self, text: str, called: str, pattern: re.Pattern[str], same: Mapping[str, str],
                 hints: Mapping[str, str] | None = None) -> None:
        self.text, self.at = text, 0
        self.tokens: list[tuple[str, str, int]] = []
        if len(text) > _LONGEST:
            raise FormulaError(f"a {called} of {len(text):,} characters; at most {_LONGEST:,} are read")
        position = 0
        while text[position:].strip():
            match = pattern.match(text, position)
            if not match:
                bad = position + len(text[position:]) - len(text[position:].lstrip())
                raise self.error(f"cannot read {text[bad]!r}{(hints or {}).get(text[bad], '')}", bad)
            kind = match.lastgroup or ""
            self.tokens.append((kind, same.get(match[kind], match[kind]), match.start(kind)))
            position = match.end()
        self.tokens.append(("end", "", len(text)))

    def error(self, what: str, position: int | None = None) -> FormulaError:
        """What is wrong, with the text and the column of the next token, or of a position."""
        column = (self.tokens[self.at][2] if position is None else position) + 1
        return FormulaError(f"'{clipped(self.text)}', column {column}: {what}")

    def take(self, *signs: str) -> str:
        """The next sign if it is one of these, else nothing."""
        kind, token, _ = self.tokens[self.at]
        if kind not in ("number", "name") and token and token in signs:
            self.at += 1
            return token
        return ""

    def expect(self, sign: str) -> None:
        """Take this sign; FormulaError for another."""
        if not self.take(sign):
            found = self.tokens[self.at][1]
            raise self.error(f"expected '{sign}'" + (f", found '{found}'" if found else " before the end"))

    def end(self) -> None:
        """That nothing is left; FormulaError for more."""
        if self.tokens[self.at][0] != "end":
            raise self.error(f"expected an operator, found '{self.tokens[self.at][1]}'")
