"""Statements as they are typed: `(X*W1 + 1*b1)*W2 = X*(W1*W2) + 1*(b1*W2)`, and the shapes of their letters.

    equation = sum "=" sum
    sum      = ["-"] product {("+" | "-") product}
    product  = factor {["*"] factor | "/" number}             also @ · and ×; / divides what stands before it
    factor   = atom {".T" | "'" | "^T" | "ᵀ" | ".I" | "^-1" | "⁻¹"}
    atom     = number | name | function "(" sum ")" | "(" sum ")" | "[" sum {"," sum} "]" | "[" sum {";" sum} "]"

A `1` is a column of ones (its length follows from its neighbours), `I` the identity, `0` the zero matrix, unless a
letter has that name; any other number, the 1 of `1/n`, a letter declared `number`, and a size are numbers.
Shapes: `X: n x d, W: d x d invertible, alpha: number, u: n x 1 ones`. Text is only read, never run.
"""

from __future__ import annotations

import re
from collections import namedtuple

from symcount.algebra.making import apply, eye, matrix, number, ones, side, stack
from symcount.algebra.sampling import fits, sizes_of
from symcount.algebra.scalars import Named, atoms
from symcount.algebra.terms import PROPERTIES, Inverse, Term, Transpose, Zero, agree, factors, product, scaled, total
from symcount.errors import FormulaError, ShapeError, SymcountError, clipped, nearest
from symcount.functions import FUNCTIONS
from symcount.polynomials import added, letter, lift, quotient
from symcount.sizes import per
from symcount.tokens import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from symcount.polynomials import Size

_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<after>(?:\.T|\.I|\^-1|\^T)(?![A-Za-z0-9_])|\^\{-1\}|'|ᵀ|⁻¹)"
                    r"|(?P<name>[A-Za-zα-ω][A-Za-z0-9_]*)|(?P<sign>[-+*/@·×−()\[\],;=]))")
_SAME = {"@": "*", "·": "*", "×": "*", "−": "-", "'": ".T", "^T": ".T", "ᵀ": ".T", "^-1": ".I", "^{-1}": ".I",
         "⁻¹": ".I"}
_HINTS = {"^": "; write X*X, X^-1 or X^T", ".": "; write fractions, 1/2 for 0.5"}
_DEEPEST, _DIGITS, _BITS = 40, 20, 4_096

# kind: number letter ones eye zero bracket sum product after apply side stack; of: what it is made of; at: where
Node = namedtuple("Node", "kind of at")


def read_shapes(told: str | Mapping[str, Any]) -> dict[str, Term | None]:
    """The letters that shapes declare; None for a number.

    >>> read_shapes("X: n x d, G: d x d invertible, alpha: number")
    {'X': X: n × d, 'G': G: d × d, 'alpha': None}
    >>> read_shapes({"X": "n d"})
    {'X': X: n × d}

    Raises FormulaError for what is no shape.
    """
    if not isinstance(told, str) and not hasattr(told, "items"):
        raise FormulaError(f"shapes: {told!r} is neither 'X: n x d' nor {{'X': 'n d'}}")
    if isinstance(told, str):
        pairs = []
        for part in filter(str.strip, told.split(",")):
            name, colon, shape = part.partition(":")
            if not colon:
                raise FormulaError(f"shapes: '{clipped(part.strip())}' is no NAME: ROWS x COLUMNS, as in X: n x d")
            pairs.append((name.strip(), shape))
    else:
        pairs = [(name, " ".join(map(str, shape)) if isinstance(shape, (tuple, list)) else str(shape))
                 for name, shape in told.items()]
    found: dict[str, Term | None] = {}
    for name, shape in pairs:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-zα-ω][A-Za-z0-9_]*", name) or name in FUNCTIONS:
            raise FormulaError(f"shapes: '{clipped(str(name))}' is no name of a matrix")
        if name in found:
            raise FormulaError(f"shapes: '{name}' is declared twice")
        found[name] = _declared(name, shape)
    for name in set(sizes_of(*filter(None, found.values()))) & {name for name, one in found.items() if one is None}:
        raise FormulaError(f"shapes: '{name}' is a number, and a size: give one of the two another name")
    return found


def _declared(name: str, shape: str) -> Term | None:
    words = re.sub(r"(?<=[\s\d)])[x×](?=\s)|×", " ", shape).split()
    if words == ["number"]:
        return None
    if words[1:] == ["1", "ones"]:
        return ones(words[0])
    known = [*PROPERTIES, "number"]
    if len(words) < 2 or (len(words) > 2 and words[1] in PROPERTIES):
        raise FormulaError(f"shapes: {name}: '{clipped(shape.strip())}' is no ROWS x COLUMNS, as in n x d")
    for word in words[2:]:
        if word == "number":
            raise FormulaError(f"shapes: {name}: a number has no shape; say {name}: number")
        if word not in PROPERTIES:
            raise FormulaError(f"shapes: {name}: '{clipped(word)}' is no property; {nearest(word, known)}")
    try:
        made = matrix(name, words[0], words[1], *words[2:])
    except SymcountError as error:
        raise FormulaError(f"shapes: {name}: {error}") from None
    if not fits(made):
        raise FormulaError(f"shapes: {name} is {made.shape}, more than is tried: write large sizes as letters; what "
                           "holds for n x d holds for 4096 x 768")
    return made


def read_equation(text: str, told: str | Mapping[str, Any]) -> tuple[Term, Term]:
    """Both sides of a statement; see `read_statement`.

    >>> left, right = read_equation("(X*W1 + 1*b1)*W2 = X*(W1*W2) + 1*(b1*W2)",
    ...                             "X: n x d, W1: d x r, b1: 1 x r, W2: r x m")
    >>> print(left)
    (X*W1 + 1*b1)*W2

    """
    left, right, _ = read_statement(text, told)
    return left, right


def read_statement(text: str, told: str | Mapping[str, Any]) -> tuple[Term, Term, list[str]]:
    """Both sides of a statement, and the numbers that it divides by, which must not be 0.

    Raises FormulaError with the column for what cannot be read, ShapeError for sides that do not fit.
    """
    reader = _Reader(text, read_shapes(told))
    left = reader.sum()
    reader.expect("=")
    right = reader.sum()
    reader.end()
    rows, columns = _first(reader.shape(left), reader.shape(right))
    a, b = reader.build(left, rows, columns), reader.build(right, rows, columns)
    if not (agree(a.rows, b.rows) and agree(a.columns, b.columns)):
        raise ShapeError(f"'{clipped(text)}', column {right.at + 1}: the left side is {a.shape}, and this is {b.shape}")
    return a, b, sorted(reader.divisors)


class _Reader(Tokens):
    __slots__ = ("declared", "depth", "divisors", "sizes")

    def __init__(self, text: str, declared: dict[str, Term | None]) -> None:
        super().__init__(text, "statement", _TOKEN, _SAME, _HINTS)
        self.declared, self.depth = declared, 0
        self.sizes = sizes_of(*filter(None, declared.values()))
        self.divisors: set[str] = set()

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"brackets nested deeper than {_DEEPEST}")
        at = self.tokens[self.at][2]
        parts = [(-1 if self.take("-", "+") == "-" else 1, self.product())]
        while sign := self.take("+", "-"):
            parts.append((-1 if sign == "-" else 1, self.product()))
        self.depth -= 1
        return parts[0][1] if len(parts) == 1 and parts[0][0] > 0 else Node("sum", parts, at)

    def product(self) -> Node:
        at = self.tokens[self.at][2]
        parts = [self.factor()]
        while True:
            kind, token, position = self.tokens[self.at]
            if self.take("*"):
                parts.append(self.factor())
            elif self.take("/"):  # what stands before it is divided; a 1 with numbers before it is one
                if parts[-1].kind == "ones" and all(part.kind == "number" for part in parts[:-1]):
                    parts[-1] = Node("number", 1, at)
                parts.append(Node("number", self.reciprocal(self.factor(), position), position))
            elif kind in ("name", "number") or token in ("(", "["):
                parts.append(self.factor())
            else:
                return self.folded(parts, at)

    def reciprocal(self, node: Node, position: int) -> Size:
        """1 over the number that a node is."""
        below: Size = 1
        for part in node.of.of if node.kind == "bracket" else (node,):
            if part.kind not in ("number", "ones", "zero"):
                raise self.error("only by a number is divided: a matrix has an inverse, A^-1", position)
            below = self.times(below, part)
            self.divisors |= {atom.name for atom, _ in atoms(part.of) if isinstance(atom, Named)}
        try:
            return quotient(1, below) if isinstance(below, int) and below else per(lift(1), below)
        except SymcountError as error:
            raise self.error(str(error), position) from None

    def folded(self, parts: list[Node], at: int) -> Node:
        """A product of nodes, or its only one; of numbers alone, a number."""
        if len(parts) > 1 and all(part.kind == "number" for part in parts):
            amount: Size = 1
            for part in parts:
                amount = self.times(amount, part)
            return Node("number", amount, at)
        return parts[0] if len(parts) == 1 else Node("product", parts, at)

    def times(self, amount: Size, node: Node) -> Size:
        """A number times that of a node, which must stay writable."""
        try:
            amount = amount * node.of
        except SymcountError as error:  # a power, or a sum, that is too long
            raise self.error(str(error), node.at) from None
        if any(max(abs(c.numerator), c.denominator).bit_length() > _BITS for _, c in lift(amount).terms.values()):
            raise self.error("this product is too large a number", node.at)
        return amount

    def factor(self) -> Node:
        node = self.atom()
        for _ in range(_DEEPEST):
            if not (sign := self.take(".T", ".I")):
                return node
            node = Node("after", (sign, node), node.at)
        raise self.error(f"more than {_DEEPEST - 1} transposes and inverses of one factor")

    def atom(self) -> Node:
        kind, token, at = self.tokens[self.at]
        if self.take("("):
            inner = self.sum()
            self.expect(")")
            return Node("bracket", inner, at) if inner.kind == "product" else inner
        if self.take("["):
            parts = [self.sum()]
            between = self.take(",", ";")
            while between:
                parts.append(self.sum())
                if not self.take(between):
                    break
            self.expect("]")
            return parts[0] if len(parts) == 1 else Node("side" if between == "," else "stack", parts, at)
        if kind not in ("name", "number"):
            hint = "; an equation has one '='" if token == "=" else ""
            raise self.error(f"expected a matrix, a number or '(', found '{token}'{hint}" if token
                             else "the statement ends where a matrix or a number is expected")
        self.at += 1
        return self.numeral(token, at) if kind == "number" else self.named(token, at)

    def numeral(self, token: str, at: int) -> Node:
        if len(token) > _DIGITS:
            raise self.error(f"a number of more than {_DIGITS} digits", at)
        if token[0] == "0" and len(token) > 1:
            raise self.error(f"'{token}' begins with 0", at)
        return Node({"1": "ones", "0": "zero"}.get(token, "number"), int(token), at)

    def named(self, token: str, at: int) -> Node:
        if token in FUNCTIONS:
            self.expect("(")
            inner = self.sum()
            self.expect(")")
            return Node("apply", (token, inner), at)
        if token in self.declared:
            found = self.declared[token]
            return Node("number", number(token), at) if found is None else Node("letter", found, at)
        if token == "I":
            return Node("eye", None, at)
        if token in self.sizes:
            return Node("number", letter(token), at)
        if self.tokens[self.at][1] == "(" and self.text[at + len(token):at + len(token) + 1] == "(":
            raise self.error(f"'{token}' is no function known here; {nearest(token, list(FUNCTIONS))}", at)
        raise self.error(f"the shapes say nothing of '{token}'; "
                         + nearest(token, [*self.declared, *self.sizes, *FUNCTIONS, "I"]), at)

    def shape(self, node: Node) -> tuple[Size | None, Size | None]:
        """Rows and columns as far as a node itself says them."""
        kind = node.kind
        if kind == "letter":
            return node.of.rows, node.of.columns
        if kind == "ones":
            return None, 1
        if kind in ("number", "eye", "zero"):
            return None, None
        if kind == "bracket":
            return self.shape(node.of)
        if kind == "sum":
            return _first(*(self.shape(part) for _, part in node.of))
        if kind == "product":
            parts = [part for part in node.of if part.kind != "number"]
            shapes = [self.shape(part) for part in parts if part.kind != "eye"]
            return (shapes[0][0], shapes[-1][1]) if shapes else (None, None)
        if kind == "after":
            return self.shape(node.of[1])[::-1]
        if kind == "apply":
            return self.shape(node.of[1])
        shapes = [self.shape(part) for part in node.of]
        sizes = [shape[1 if kind == "side" else 0] for shape in shapes]
        along = None if any(size is None for size in sizes) else added(sizes)
        across, other = _first(*shapes)
        return (across, along) if kind == "side" else (along, other)

    def build(self, node: Node, rows: Size | None, columns: Size | None) -> Term:
        """The term of a node, whose shape is known from around it where it does not say it."""
        try:
            return self.built(node, rows, columns)
        except ShapeError as error:
            raise ShapeError(f"'{clipped(self.text)}', column {node.at + 1}: {error}"
                             if "column" not in str(error) else str(error)) from None

    def built(self, node: Node, rows: Size | None, columns: Size | None) -> Term:
        kind, of = node.kind, node.of
        own = self.shape(node)
        rows, columns = own[0] if own[0] is not None else rows, own[1] if own[1] is not None else columns
        if kind == "letter":
            return of
        if kind in ("ones", "eye", "zero"):
            return self.constant(node, rows, columns)
        if kind == "bracket":
            return self.build(of, rows, columns)
        if kind == "sum":
            return total([scaled(sign, self.build(part, rows, columns)) for sign, part in of])
        if kind == "after":
            inner = self.build(of[1], columns, rows)
            return Transpose(inner) if of[0] == ".T" else Inverse(inner)
        if kind == "apply":
            return apply(of[0], self.build(of[1], rows, columns))
        if kind == "product":
            return self.multiplied(node, rows, columns)
        if kind in ("side", "stack"):
            if kind == "side":
                return side(*(self.build(part, rows, None) for part in of))
            return stack(*(self.build(part, None, columns) for part in of))
        raise self.error("a number stands where a matrix is needed", node.at)

    def multiplied(self, node: Node, rows: Size | None, columns: Size | None) -> Term:
        amount: Size = 1
        parts = []
        for part in node.of:
            amount = self.times(amount, part) if part.kind == "number" else amount
            parts += [part] if part.kind != "number" else []
        if not parts:
            raise self.error("a number stands where a matrix is needed", node.at)
        built: list[Term] = []
        for i, part in enumerate(parts):
            before = built[-1].columns if built else rows
            after = self.shape(parts[i + 1])[0] if i + 1 < len(parts) else columns
            term = self.build(part, before, after)
            built += factors(term) if not built and part.kind == "bracket" else [term]
        return scaled(amount, product(built))

    def constant(self, node: Node, rows: Size | None, columns: Size | None) -> Term:
        shown = {"ones": "1", "eye": "I", "zero": "0"}[node.kind]
        if node.kind == "eye":
            rows = rows if rows is not None else columns
        if rows is None or (node.kind == "zero" and columns is None):
            raise self.error(f"nothing around this {shown} says how large it is", node.at)
        if node.kind == "ones":
            return ones(rows)
        return eye(rows) if node.kind == "eye" else Zero(rows, columns)


def _first(*shapes: tuple[Size | None, Size | None]) -> tuple[Size | None, Size | None]:
    """The first rows and the first columns that are known."""
    rows = [shape[0] for shape in shapes if shape[0] is not None]
    columns = [shape[1] for shape in shapes if shape[1] is not None]
    return (rows[0] if rows else None), (columns[0] if columns else None)
