"""Documents of every kind, read into passages."""

from __future__ import annotations

import os

from symcount.documents.passages import Document
from symcount.documents.stretches import normal

_MARKDOWN = (".md", ".markdown", ".qmd", ".rmd", ".mdx")
_TEX = (".tex", ".ltx", ".latex")


def read(text: str, path: str = "<text>") -> list[Document]:
    r"""The documents of a text, which is read as the suffix of its path says; without a known suffix it is plain text.

    One document, of a notebook one for every cell and output. Offsets count the characters of the text as it is given;
    a lone carriage return ends a line as "\n" does, and stands as "\n" in `source`. "\r\n" stays as it is.

    >>> [document] = read("The cache takes **2.6 MB**.")
    >>> document.passages[0].text
    'The cache takes   2.6 MB  .'

    Raises SymcountError for a notebook that is none, and where a library to read this kind is missing.
    """
    suffix = os.path.splitext(path)[1].lower()
    text = normal(text)
    if suffix == ".ipynb":
        from symcount.documents import notebook

        return notebook.read(text, path)
    if suffix in _MARKDOWN:
        from symcount.documents import markdown

        return [Document(path, text, *markdown.read(text, path))]
    if suffix in _TEX:
        from symcount.documents import tex

        return [Document(path, text, *tex.read(text))]
    from symcount.documents import plain

    return [Document(path, text, *plain.read(text))]
