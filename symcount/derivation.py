"""A derivation: steps that follow from one another, each checked when it is built, and what is needed to read it."""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import ProofError
from symcount.forms import Number, Quotient, size
from symcount.polynomials import letter
from symcount.sizes import letters, ratio, same
from symcount.substitution import substitute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.forms import Form
    from symcount.polynomials import Size


class Row(namedtuple("Row", "depth part runs formula count share")):
    """A part in a table: its depth in the tree, how often it runs (or None), count and share of it, if it has a number.

    `formula()` makes its form, only where formulas are shown; the share is in hundredths of a percent.
    """

    __slots__ = ()

    @property
    def form(self) -> Form:
        """The formula of the part."""
        form: Form = self.formula()
        return form


class Table(namedtuple("Table", "title unit rows total notes")):
    """The parts of a count as rows, and their total; shown in a notebook as a count is."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from symcount.render import bundle

        return bundle(self, include, exclude)

    def _repr_pretty_(self, printer: Any, _cycle: Any) -> None:  # of a tuple a notebook would show the fields
        printer.text(str(self))

    def __str__(self) -> str:
        from symcount.render import text

        return text.table(self)


SymbolRow = namedtuple("SymbolRow", "name meaning value")
# A row of the symbols of a proof: letter (a term over matrices), its shape as two forms, what it is
Declared = namedtuple("Declared", "letter rows columns meaning")
Valued = namedtuple("Valued", "letter rows columns value")  # of a counterexample: its value, a Figure
# A step of a proof: what is shown, and lines (term or Figure, reason) of which each equals the one before.
# A reason, like a remark, is a tuple of words, terms, figures and forms
Chain = namedtuple("Chain", "name lines")
Line = namedtuple("Line", "term reason")
# A step that solves: lines (left, sign, right) of forms, the right one perhaps Rounded, the left one words, or None
# where it is that of the line before. What solves an equation was checked when it was made (`roots.Solved`)
Solving = namedtuple("Solving", "lines")
Figure = namedtuple("Figure", "rows")  # a matrix of numbers
Remark = namedtuple("Remark", "label pieces")


Rounded = namedtuple("Rounded", "exact text")  # a number, and how it is shown

# Exercises to hand out. An item has its number, a label (its level and kind), and `asks`: paragraphs, each a tuple of
# pieces as a remark has them, or Quoted. Of a key it also has `answer`, a tuple of pieces, and `steps` that come to it:
# Equation, Chain, Solving or paragraphs; both are () where they are not to be seen. Notes are sentences
Sheet = namedtuple("Sheet", "title items notes")
Item = namedtuple("Item", "number label asks answer steps", defaults=((), ()))
# Lines (letter, pieces) as somebody wrote them, of which one may be wrong: they are shown, and nothing vouches for them
Quoted = namedtuple("Quoted", "lines")


class Listed:
    """What shows itself as rows under a head, which `listing()` gives: printed as text, typeset in a notebook."""

    __slots__ = ()
    if TYPE_CHECKING:
        def listing(self) -> Listing:
            """The rows, which each kind gives."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from symcount.render import bundle

        return bundle(self.listing(), include, exclude)

    def _repr_pretty_(self, printer: Any, _cycle: Any) -> None:  # of a tuple a notebook would show the fields
        printer.text(str(self))

    def __str__(self) -> str:
        from symcount.render import text

        return text.listing(self.listing())


class Listing(Listed, namedtuple("Listing", "title keys head rows says notes", defaults=((), ()))):
    """Rows under a head: cells are words, forms, numbers, exact or Rounded, or None; `keys` name the columns of data.

    `says` are sentences, and steps that solve, that stand below the rows.
    """

    __slots__ = ()

    def listing(self) -> Listing:
        """Itself."""
        return self


class Equation:
    """A counting step: `name` equals each of the forms, which are one another's values.

    The first form must be the polynomial `of`, and so must each other one that has letters; one without is its number
    for `values`.
    `where` says what letters stand for that a line may use instead of others: N for the sum that it is.
    Raises ProofError, with the step's name and the two numbers, where a line does not follow.

    >>> Equation("area", [Number(12), Number(13)], of=12)
    Traceback (most recent call last):
    symcount.errors.ProofError: step 'area': line 2 is 13, not 12
    """

    __slots__ = ("forms", "name")

    def __init__(self, name: str, forms: list[Form], *, of: Size, values: Mapping[str, int] | None = None,
                 where: Mapping[str, Size] | None = None) -> None:
        self.name = name
        self.forms = tuple(form for i, form in enumerate(forms) if i == 0 or form != forms[i - 1])
        values = values or {}
        first = _meant(self.forms[0], where)
        if not same(first, of):
            raise ProofError(f"step '{name}': the formula is {first}, not {of}")
        for i, form in enumerate(self.forms[1:], start=2):
            line = _meant(form, where)
            if letters(line):
                if not same(line, of):
                    raise ProofError(f"step '{name}': line {i} is {line}, not {of}")
                continue
            if any(name not in values for name in letters(of)):
                raise ProofError(f"step '{name}': line {i} is {line}, and {of} has no value to compare")
            if ratio(line, values) != ratio(of, values):
                found, wanted = (_exact(ratio(side, values)) for side in (line, of))
                raise ProofError(f"step '{name}': line {i} is {found}, not {wanted}")


class Derivation:
    """Title, symbols, steps, and a table of the parts; `steps` are counting steps, or chains of a proof.

    `symbols` are rows of sizes (SymbolRow) or of matrices (Declared); `table` is None where nothing is counted;
    `remarks` say when and why a proof holds; `proof` is what its replay read. Shown in a notebook as LaTeX and
    Markdown, printed as text.
    """

    __slots__ = ("notes", "proof", "remarks", "steps", "symbols", "table", "title")

    def __init__(self, title: str, steps: list[Any], *, symbols: tuple[Any, ...] = (),
                 table: Table | None = None, notes: tuple[str, ...] = (), remarks: tuple[Remark, ...] = (),
                 proof: Any = None) -> None:
        self.title, self.steps, self.symbols, self.table, self.notes = title, tuple(steps), symbols, table, notes
        self.remarks, self.proof = remarks, proof

    def to_text(self) -> str:
        """Plain text."""
        from symcount.render import text  # a front door: renderers stand above derivations

        return text.derivation(self)

    def to_markdown(self) -> str:
        """Markdown with `$$` displays, for a code host, a notebook or pandoc."""
        from symcount.render import markdown

        return markdown.derivation(self)

    def to_latex(self) -> str:
        """LaTeX displays, one for each step, which KaTeX and MathJax take too."""
        from symcount.render import latex

        return latex.derivation(self)

    def to_html(self) -> str:
        """A whole page of HTML, without scripts or anything from elsewhere; `symcount.render.html` has its pieces.

        >>> Derivation("nothing", []).to_html().splitlines()[0]
        '<!DOCTYPE html>'
        """
        from symcount.render import html

        return html.document([html.derivation(self)], self.title)

    def to_typst(self) -> str:
        """The source of a document that Typst compiles to PDF without any package."""
        from symcount.render import typst

        return typst.document([typst.derivation(self)], self.title)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from symcount.render import bundle

        return bundle(self, include, exclude)

    def __repr__(self) -> str:
        return f"<Derivation {self.title}: {len(self.steps)} steps>"

    def __str__(self) -> str:
        return self.to_text()


def _meant(form: Form, where: Mapping[str, Size] | None) -> Size:
    """The size of a form, each letter being what `where` says."""
    return substitute(size(form), lambda name: where.get(name, letter(name))) if where else size(form)


def _exact(fraction: tuple[int, int]) -> str:
    top, bottom = fraction
    return f"{top:,}" if bottom == 1 else f"{top:,}/{bottom:,}"


def number(amount: Any) -> Form:
    """A form for an exact amount: an int, or a fraction."""
    if amount.denominator == 1:
        return Number(int(amount))
    return Quotient(Number(amount.numerator), Number(amount.denominator))
