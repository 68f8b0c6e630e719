"""The roofline: whether arithmetic or memory bounds each part of a network, and the least time that it takes.

    intensity = FLOPs / bytes        ridge = peak / bandwidth        least time = max(FLOPs / peak, bytes / bandwidth)

Below the ridge memory is the roof, from it on arithmetic is. Operations run one after another, each under its own roof:
the least time of a part is the sum over its operations, however finely parts are shown.

Source: Williams et al. 2009, "Roofline: an insightful visual performance model for multicore architectures".
"""

from __future__ import annotations

from collections import namedtuple

from symcount.conventions import convention as as_named
from symcount.counting import conventions, no_value
from symcount.derivation import Listed, Listing, Rounded, number
from symcount.errors import ModelError, SizeError
from symcount.given import amount
from symcount.ledger import Ledger
from symcount.polynomials import quotient
from symcount.readers.traffic import operation_of, traffic
from symcount.readers.work import flops
from symcount.render import exact, seconds, significant, text
from symcount.scopes import matches
from symcount.sizes import fraction, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


# A part, and how often it runs (a form, or None); FLOPs, bytes and FLOPs/byte are exact, the last None where nothing
# is moved; bound is "compute" or "memory"; seconds are exact
Roof = namedtuple("Roof", "depth part runs flops bytes intensity bound seconds")
_Operation = namedtuple("_Operation", "path scopes flops bytes seconds")


class Roofline(Listed, namedtuple("Roofline", "title rows total notes told")):
    """The rows of a network's parts, and its total, as Roofs; `told` has the peak, the bandwidth and the ridge."""

    __slots__ = ()

    def listing(self) -> Listing:
        """What is printed: exact FLOPs and bytes, four digits of the rest."""
        def cells(one: Roof) -> tuple[Any, ...]:
            often = f"{text.form(one.runs)} × " if one.runs is not None else ""
            name = "  " * (one.depth - 1) + often + (one.part.split(".")[-1] if one.depth > 1 else one.part)
            near = None if one.intensity is None else Rounded(one.intensity, significant(one.intensity))
            return name, one.flops, one.bytes, near, one.bound, Rounded(one.seconds, seconds(one.seconds))

        return Listing(self.title, ("part", "flops", "bytes", "intensity", "bound", "seconds"),
                       ("part", "FLOPs", "bytes", "FLOPs/byte", "bound by", "least time"),
                       tuple(map(cells, (*self.rows, self.total))), (), self.notes)


def roofline(subject: Any, peak: Any, bandwidth: Any, *, width: Any = 2, phase: str = "forward",
             fused: str = "nothing", convention: Any = "matmul", depth: int = 2, **sizes: Any) -> Roofline:
    """FLOPs, bytes, FLOPs/byte, roof and least time of each part down to `depth`, on a chip of this peak and bandwidth.

    `peak` is in FLOPs a second, `bandwidth` in bytes a second, each an exact number: 312 * 10**12, or "2.039e12".
    `width`, `phase` and `fused` say what is read and written, see `traffic`; the phases are forward and decode.

    >>> from symcount.naming import model
    >>> found = roofline(model("llama-7b"), "312e12", "2.039e12", phase="decode", t=2048)
    >>> found.total.bound, round(float(found.total.seconds), 5), float(found.told["ridge"]) // 1
    ('memory', 0.00703, 153.0)

    Raises SizeError for a peak or a bandwidth that is no positive number, and for sizes without a value; ModelError for
    a convention that does not count FLOPs operation by operation.
    """
    peak, bandwidth = amount("peak", peak), amount("bandwidth", bandwidth)
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise ModelError(f"depth = {depth!r}: a whole number from 1 is needed")
    work, moved = _both(subject, width, phase, fused, convention, sizes)
    if unknown := list(dict.fromkeys((*work.open, *moved.open))):
        raise SizeError(f"{_named(work)}roofline needs numbers, and {no_value(unknown)}; say {unknown[0]}=…, or ask "
                        "for the intensity, which has a closed form")
    done = _operations(work, moved, peak, bandwidth)
    ridge = _over(peak, bandwidth)
    said = (*conventions(work)[:1], *conventions(moved), *conventions(work),
            f"peak {exact(peak)} FLOPs a second, bandwidth {exact(bandwidth)} bytes a second: ridge "
            f"{significant(ridge)} FLOPs a byte", "operations one after another")
    return Roofline(f"{_named(work)}roofline", tuple(_rows(done, 1, depth, ridge, work.values)),
                    _roof(0, "total", None, done, ridge), tuple(dict.fromkeys(said)),
                    {"peak": peak, "bandwidth": bandwidth, "ridge": ridge})


def intensity(subject: Any, *, width: Any = 2, phase: str = "forward", fused: str = "nothing",
              convention: Any = "matmul", **sizes: Any) -> Any:
    """FLOPs a byte of a pass: an exact number, or while sizes are open the SymPy formula.

    A product of x[n, d] and W[d, h] has 2ndh/(width·(nd + dh + nh)).

    >>> from symcount.layers import linear
    >>> from symcount.network import tensor
    >>> intensity(linear(tensor(b=1, d=4096), "layer", h=11008, bias=False))
    Fraction(176128, 176187)

    Raises ModelError where nothing is moved.
    """
    work, moved = _both(subject, width, phase, fused, convention, sizes)
    if work.open or moved.open:
        return work.closed_form / moved.closed_form
    if not moved.total:
        raise ModelError(f"{_named(work)}no bytes are moved, so there are no FLOPs a byte")
    return _over(work.total, moved.total)


def _both(subject: Any, width: Any, phase: str, fused: str, convention: Any,
          sizes: dict[str, Any]) -> tuple[Ledger, Ledger]:
    rule = as_named(convention)
    if rule.unit != "FLOP" or rule.weights or rule.beside or rule.sizes:
        raise ModelError(f"{rule.name} does not count FLOPs operation by operation, so no operation has an intensity; "
                         "matmul and causal do")
    parts = getattr(subject, "parts", ())
    if parts:  # of a part without a product there are no FLOPs to be found
        title, subject = subject.title, subject.whole()
    moved = traffic(subject, width, phase, fused, **sizes).where(*parts)
    work = flops(subject, rule, phase, **sizes)
    if parts:
        terms = [term for term in work.terms if all(matches(term.path, part) for part in parts)]
        work = Ledger("FLOP", terms, work.values, title, work.notes, work.bounds, convention=work.convention)
    return work, moved


def _operations(work: Ledger, moved: Ledger, peak: Any, bandwidth: Any) -> list[_Operation]:
    """Every operation with all its runs."""
    scopes: dict[str, Any] = {}
    done: dict[str, Any] = {}
    read: dict[str, Any] = {}
    for term in moved.terms:
        path = operation_of(term.path)
        scopes[path] = term.scopes
        read[path] = read.get(path, 0) + fraction(term.size, moved.values)
    for term in work.terms:
        scopes.setdefault(term.path, term.scopes)
        done[term.path] = done.get(term.path, 0) + fraction(term.size, work.values)
    found = []
    for path, around in scopes.items():
        of, to = done.get(path, 0), read.get(path, 0)
        found.append(_Operation(path, around, of, to, max(_over(of, peak), _over(to, bandwidth))))
    return found


def _rows(done: list[_Operation], depth: int, deepest: int, ridge: Any, values: Any) -> Iterator[Roof]:
    for name, inside in _by_path(done, depth).items():
        if len(name.split(".")) < depth or not any(one.seconds for one in inside):
            continue
        runs = {value(often, values) for one in inside for path, often in one.scopes if path == name} - {1}
        yield _roof(depth, name, number(runs.pop()) if len(runs) == 1 else None, inside, ridge)
        if depth < deepest:
            yield from _rows(inside, depth + 1, deepest, ridge, values)


def _by_path(done: list[_Operation], depth: int) -> dict[str, list[_Operation]]:
    groups: dict[str, list[_Operation]] = {}
    for one in done:
        groups.setdefault(".".join(one.path.split(".")[:depth]), []).append(one)
    return groups


def _roof(depth: int, part: str, runs: Any, inside: list[_Operation], ridge: Any) -> Roof:
    of, to = sum(one.flops for one in inside), sum(one.bytes for one in inside)
    found = _over(of, to) if to else None
    bound = "compute" if found is None or found >= ridge else "memory"
    return Roof(depth, part, runs, of, to, found, bound, sum(one.seconds for one in inside))


def _over(a: Any, b: Any) -> Any:
    """The exact quotient of two numbers."""
    return quotient(a.numerator * b.denominator, a.denominator * b.numerator)


def _named(work: Ledger) -> str:
    return f"{work.subject}: " if work.subject else ""
