"""Proofs about matrices of symbolic sizes: terms, rules, replay, counterexamples, certificates.

    matrix ones eye zero side stack apply      make terms; + - * and .T .I combine them, shapes always checked
    sizes are letters of the one table, so nothing is "maybe equal"
"""

from symcount.algebra.making import apply, eye, matrix, ones, side, stack, zero

__all__ = ["apply", "eye", "matrix", "ones", "side", "stack", "zero"]
