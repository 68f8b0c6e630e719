"""Curves: how counts grow with one size."""

from __future__ import annotations

from symcount.counting import conventions, formula
from symcount.errors import ModelError, SizeError, clipped
from symcount.ledger import UNITS, Ledger
from symcount.plots import words
from symcount.plots.page import LINES, TEXT, beside, page, spread, styled, typeset, width, wrapped
from symcount.render import latex, signed, text
from symcount.symbols import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from matplotlib.figure import Figure

MOST_LINES = 2 * len(LINES)
_FORMULA = 110  # signs of a formula that stands beside its line; a longer one stands below
_BESIDE = 2.5  # inches of a label


def curves(ledgers: Iterable[Ledger] | Mapping[str, Ledger], size: str, values: Iterable[int],
           crossings: Iterable[tuple[Any, Any, str]] = ()) -> Figure:
    """Counts over one size, both axes logarithmic: a line a ledger, with its formula; crossings (x, y, text) marked.

    Every point is counted exactly, under the conditions of its ledger, and rounded only where it is drawn. A mapping
    gives the lines their names.

    >>> from symcount import flops, model
    >>> work = flops(model("llama-7b"))
    >>> shown = curves([work.where("scores"), work.where("query")], "s", [1024, 2048, 4096])
    >>> [int(y) for y in shown.axes[0].lines[0].get_ydata()]
    [274877906944, 1099511627776, 4398046511104]

    Raises ModelError for no ledger, more than 14 of them, or a crossing outside of the lines; UnitError for two units;
    SizeError where another size is open, `size` has a value already, or a number is not above zero.
    """
    named = words.named(ledgers, MOST_LINES)
    meaning = row(size).meaning
    across = sorted(set(values))
    if len(across) < 2 or across[0] < 1:
        raise SizeError(f"{size}: a line takes two values or more, and a logarithmic axis takes none under 1; "
                        f"here they are {clipped(', '.join(map(str, across))) or 'none'}")
    for name, ledger in named:
        if size in ledger.letters and size in ledger.values:
            raise SizeError(f"{name}: {size} is {ledger.values[size]:,} already; leave it open")
        if others := [letter for letter in ledger.open if letter != size]:
            raise SizeError(f"{name}: {' and '.join(others)} must have a value; only {size} is drawn over")
    points = [[_positive(_at(ledger, size, value).total, f"{name} at {size} = {value:,}") for value in across]
              for name, ledger in named]
    marks = [(_positive(x, label), _positive(y, label), label) for x, y, label in crossings]
    lowest, highest = min(map(min, points)), max(map(max, points))
    for x, y, label in marks:
        if not (across[0] <= x <= across[-1] and lowest <= y <= highest):
            raise ModelError(f"the crossing '{clipped(label)}' at {size} = {x:,.6g} lies outside of the lines, which "
                             f"go from {across[0]:,} to {across[-1]:,}")
    said = words.said([(name, _run(ledger, size, across[-1])) for name, ledger in named])
    with styled():
        return _drawn(named, points, across, (size, meaning), said, marks)


def _at(ledger: Ledger, size: str, value: int) -> Ledger:
    """The ledger with a value for its open size, under all its conditions."""
    return Ledger(ledger.unit, ledger.terms, {**ledger.values, size: value}, ledger.subject, ledger.notes,
                  ledger.bounds, convention=ledger.convention)


def _run(ledger: Ledger, size: str, value: int) -> list[str]:
    """The conventions of a ledger, and its run but for the size that the axis has."""
    return [note for note in conventions(_at(ledger, size, value)) if note != f"{size} = {value:,}"]


def _positive(number: Any, where: str) -> float:
    if not number > 0:
        raise SizeError(f"{clipped(where)}: {number} is not above zero, and a logarithmic axis has no place for it")
    try:
        return float(number)
    except OverflowError:
        raise SizeError(f"{clipped(where)}: a number of {len(str(int(number)))} digits is too large to draw") from None


def _drawn(named: list[tuple[str, Ledger]], points: list[list[float]], across: list[int], size: tuple[str, str],
           said: str, marks: list[tuple[float, float, str]]) -> Figure:
    written = [_formula(ledger) for _, ledger in named]
    below = [f"{name} = {text.form(formula(ledger))}" for (name, ledger), lines in zip(named, written, strict=True)
             if not lines]
    labels = [[*(one.replace("$", r"\$") for one in words.broken(name, _BESIDE, TEXT)), *lines]
              for (name, _), lines in zip(named, written, strict=True)]
    heights = [0.08 + 0.175 * len(label) for label in labels]
    height = max(4.2, sum(heights))
    right = 0.55 + max((typeset if one.startswith("$") else width)(one, TEXT) for label in labels for one in label)
    axes = page(5.9 + right, height, words.titled(named, f"over {size[0]}"), "; ".join(filter(None, [said, *below])),
                left=0.9, right=right)
    axes.set(xscale="log", yscale="log", xlabel=", ".join(size), ylabel=UNITS[named[0][1].unit])
    for i, ((name, _), ys) in enumerate(zip(named, points, strict=True)):
        covered = sum(ys == other for other in points[i + 1:])  # then it shows on both sides of what lies on it
        axes.plot(across, ys, **_stroke(i), linewidth=1.8 + 1.5 * covered, label=name)
    axes.margins(x=0.02)
    axes.grid(visible=True, color="#E6E6E6", linewidth=0.6)
    _ticks(axes.xaxis, across)
    axes.autoscale_view()  # the transform knows the limits only now
    inch = axes.figure.dpi
    ends = [axes.transData.transform((across[-1], ys[-1]))[1] / inch for ys in points]
    low = axes.get_window_extent().y0 / inch
    for i, (label, at) in enumerate(zip(labels, spread([end - low for end in ends], heights, height), strict=True)):
        axes.annotate("\n".join(label), (across[-1], points[i][-1]), (1.045, at / height), va="center", size=TEXT,
                      textcoords="axes fraction", linespacing=1.15, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "linewidth": 1.1, "shrinkA": 1, "shrinkB": 3,
                                  "relpos": (0, 0.5), **_stroke(i), "linestyle": ":"})  # no part of the line
    if marks:
        axes.plot([x for x, _, _ in marks], [y for _, y, _ in marks], "o", color="black", markersize=6,
                  markerfacecolor="white", markeredgewidth=1.6, label="crossings", zorder=4)
        beside(axes, [(x, y, "\n".join(wrapped(label, 2.2, 8))) for x, y, label in marks],
               [point for ys in points for point in _dense(across, ys)])
    figure: Figure = axes.figure
    return figure


def _stroke(i: int) -> dict[str, str]:
    return {"color": LINES[i % len(LINES)], "linestyle": "-" if i < len(LINES) else "--"}


def _dense(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    """Points along a line, as it is drawn between logarithms."""
    from math import exp, log

    steps = [k / 40 for k in range(41)]
    return [(exp(log(x) + k * (log(x2) - log(x))), exp(log(y) + k * (log(y2) - log(y))))
            for x, x2, y, y2 in zip(xs, xs[1:], ys, ys[1:], strict=False) for k in steps]


def _ticks(axis: Any, values: list[int]) -> None:
    """The values themselves where they are few, else the powers of ten; thousands are separated."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if len(values) <= 8:
        axis.set_major_locator(FixedLocator(values))
        axis.set_minor_locator(NullLocator())
    if values[-1] < 10**7:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _formula(ledger: Ledger) -> list[str]:
    """The formula of a ledger as mathematics, in lines that break before a sign; nothing where it is long.

    One with fractions, which are higher than a line, is text.
    """
    shown = formula(ledger)
    if len(text.form(shown)) > _FORMULA:
        return []
    if "/" in text.form(shown):
        return [one.replace("$", r"\$") for one in wrapped(text.form(shown), _BESIDE, TEXT)]
    lines: list[str] = []
    for sign, term in getattr(shown, "terms", ((1, shown),)):
        piece = signed([(1, term)], latex.form)
        signed_piece = f"{'+' if sign > 0 else '-'} {piece}"
        if lines and typeset(f"${lines[-1]} {signed_piece}$", TEXT) <= _BESIDE:
            lines[-1] += f" {signed_piece}"
        else:
            lines.append(f"{{}} {signed_piece}" if lines or sign < 0 else piece)
    return [f"${one}$" for one in lines]
