"""PDF: what `typst` writes, compiled by the Typst library (extra `pdf`); no TeX is needed, and no network."""

from __future__ import annotations

from symcount.errors import SymcountError, missing
from symcount.render import typst
from symcount.render.typst import derivation, formula, listing, sheet, table

__all__ = ["derivation", "document", "formula", "listing", "sheet", "table"]


def document(blocks: list[str], title: str) -> bytes:
    """The bytes of a PDF: the same for the same blocks.

    Raises SymcountError where the library is not installed, or cannot compile.
    """
    try:
        import typst as compiler
    except ImportError:
        raise missing("a PDF is made by Typst", "pdf") from None
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:  # the compiler reads files of this folder only
        source = f"{folder}/document.typ"
        with open(source, "w", encoding="utf-8") as file:
            file.write(typst.document(blocks, title))
        try:
            return bytes(compiler.compile(source, root=folder))
        except RuntimeError as error:
            raise SymcountError(f"Typst cannot compile this document: {error}") from None
