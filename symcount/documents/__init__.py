"""Documents of every kind, read into passages."""

from __future__ import annotations

import os

from symcount.documents.passages import Document
from symcount.documents.stretches import normal
from symcount.errors import ModelError, SymcountError

_MARKDOWN = (".md", ".markdown", ".qmd", ".rmd", ".mdx")
_TEX = (".tex", ".ltx", ".latex")
_LARGEST = 20_000_000  # bytes of a file


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


def load(path: str) -> str:
    """The text of a file in UTF-8, without the mark that some systems put before it.

    Raises ModelError for what is no file, SymcountError for one that is too large, binary or in another encoding.
    """
    if os.path.isdir(path):
        raise ModelError(f"{path}: a folder: name the files in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ModelError(f"{path}: not a regular file")
    try:
        with open(path, "rb") as file:
            found = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        raise ModelError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if len(found) > _LARGEST:
        raise SymcountError(f"{path}: a document has at most {_LARGEST:,} bytes")
    if found[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise SymcountError(f"{path}: byte 0: this is UTF-16: save it as UTF-8")
    if (nul := found.find(0)) >= 0:
        raise SymcountError(f"{path}: byte {nul} is NUL: a binary file is no document")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + 3 * found.startswith(b"\xef\xbb\xbf")  # the mark is not counted in the error
        raise SymcountError(f"{path}: byte {at} (0x{found[at]:02x}) is not UTF-8: save the file as UTF-8") from None
