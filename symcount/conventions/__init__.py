"""What counts as work: named conventions, one file each, found by file name."""

from __future__ import annotations

from collections import namedtuple

from symcount.errors import ModelError, nearest

# flops: FLOPs a multiply-add; full: whether pairs that a mask hides count too; says: the line that ends an answer;
# source: whose convention it is
Convention = namedtuple("Convention", "name flops full says source")


def names() -> list[str]:
    """The conventions that there are.

    >>> names()
    ['causal', 'matmul']
    """
    from os import listdir
    from os.path import dirname

    return sorted(file[:-3] for file in listdir(dirname(__file__)) if file.endswith(".py") and file[0] != "_")


def convention(name: str | Convention) -> Convention:
    """The convention of that name; a Convention of the caller's own passes through.

    Raises ModelError for an unknown name.
    """
    if isinstance(name, Convention):
        return name
    from importlib import import_module

    if not name.isidentifier() or name not in names():
        raise ModelError(f"unknown convention '{name}'; {nearest(name, names())}")
    found: Convention = import_module(f"symcount.conventions.{name}").CONVENTION
    return found
