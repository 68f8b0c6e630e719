"""An icicle: one network as rectangles inside of rectangles, read from left to right."""

from __future__ import annotations

from collections import namedtuple

from symcount.counting import conventions, table
from symcount.errors import ModelError
from symcount.ledger import UNITS
from symcount.plots import words
from symcount.plots.page import (
    COLOURS,
    GREY,
    REST,
    SMALL,
    TEXT,
    inked,
    line,
    page,
    pale,
    spread,
    styled,
    width,
)
from symcount.render import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

    from symcount.ledger import Ledger

MOST_PARTS = 2_000
_SMALLEST = 1  # percent: a part that is smaller, and has no room for its name, stands without
_NEUTRAL = 80  # percent: what is nearly the whole network, or repeated, leaves the colours to its parts
_HAIRLINE = "#8C8C8C"
_COLUMN, _HIGH, _LEFT = 1.75, 5.4, 0.85  # inches

_Box = namedtuple("_Box", "column top share path name percent amount colour")


def icicle(ledger: Ledger, depth: int = 3) -> Figure:
    """One network from left to right: every part is a rectangle, as high as its share, beside what it is a part of.

    >>> from symcount import model, parameters
    >>> shown = icicle(parameters(model("llama-7b")), 1)
    >>> [(one.get_label(), round(one.get_height(), 4)) for one in shown.axes[0].patches][1:3]
    [('embeddings', 0.0195), ('layers', 0.9611)]

    Raises SizeError for an open size or a total of zero, ModelError for a depth that is no number from 1, and for more
    than 2,000 parts.
    """
    whole = words.total(ledger)
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise ModelError(f"cannot draw to the depth {depth!r}: it is a number from 1")
    rows = table(ledger, depth).rows
    if len(rows) > MOST_PARTS:
        raise ModelError(f"{len(rows):,} parts are too many for one picture of at most {MOST_PARTS:,}: draw to a "
                         "smaller depth")
    inside = {_above(one.part) for one in rows}
    with styled():
        return _drawn(ledger, _boxes(ledger, rows, inside, whole), inside)


def _boxes(ledger: Ledger, rows: Any, inside: set[str], whole: Any) -> list[_Box]:
    boxes = [_Box(0, 0.0, 1.0, "", ledger.subject or "all", "100 %", words.amount(whole, ledger.unit), REST)]
    tops: dict[int, Any] = {1: 0}  # where the next part of each depth begins
    colours = {"": REST}
    used = 0
    for one in rows:
        top, colour = tops[one.depth], colours[_above(one.part)]
        tops[one.depth], tops[one.depth + 1] = top + one.count, top
        if colour != REST:
            colour = pale(colour)
        elif 100 * one.count < _SMALLEST * whole:
            colour = _HAIRLINE
        elif one.part not in inside or (one.runs is None and 100 * one.count <= _NEUTRAL * whole):
            colour, used = COLOURS[used % len(COLOURS)], used + 1
        colours[one.part] = colour
        boxes.append(_Box(one.depth, float(top / whole), float(one.count / whole), one.part,
                          _name(one), words.percent(one.count, whole),
                          words.amount(one.count, ledger.unit), colour))
    return boxes


def _name(row: Any) -> str:
    """The last part of the path, with how often it runs; a number stands with what it numbers."""
    name = text.part_name(row).strip()
    number = row.part.split(".")[-1]
    return f"{name[:-len(number)]}{'.'.join(row.part.split('.')[-2:])}" if number.isdecimal() else name


def _above(path: str) -> str:
    return path.rpartition(".")[0]


def _drawn(ledger: Ledger, boxes: list[_Box], inside: set[str]) -> Figure:
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import PercentFormatter

    columns, paths = 1 + max(box.column for box in boxes), [box.path for box in boxes]
    labels = [_fitting(box, box.share * _HIGH) for box in boxes]
    without = [box for box, label in zip(boxes, labels, strict=True) if not label and box.path not in inside]
    outside = [box for box in without if 100 * box.share >= _SMALLEST]
    names = [f"{words.short(box.path, paths)}  {box.percent}" for box in outside]
    said = [words.said([("", conventions(ledger))])]
    if len(without) > len(outside):
        said.append(f"{len(without) - len(outside)} parts of under {_SMALLEST} % stand without their names")
    step = line(SMALL) + 0.02
    height, right = max(_HIGH, step * len(outside)), 0.5 + max([0, *(width(name, SMALL) for name in names)])
    axes = page(_LEFT + _COLUMN * columns + right, height, words.titled([("", ledger)], "by part"),
                "; ".join(filter(None, said)), left=_LEFT, right=right)
    for box, label in zip(boxes, labels, strict=True):
        axes.add_patch(Rectangle((box.column, box.top), 1, box.share, facecolor=box.colour, edgecolor="white",
                                 linewidth=min(0.8, 36 * box.share * height), label=box.path))
        if label:
            size, lines = label
            axes.text(box.column + 0.07 / _COLUMN, box.top + box.share / 2, "\n".join(lines), va="center", size=size,
                      color=inked(box.colour), parse_math=False, linespacing=1.2)
    ends = spread([height * (box.top + box.share / 2) for box in outside], [step] * len(outside), height)
    for box, name, end in zip(outside, names, ends, strict=True):
        middle = box.top + box.share / 2
        axes.plot([box.column + 1, columns, columns + 0.15 / _COLUMN], [middle, middle, end / height], color=GREY,
                  linewidth=0.6, clip_on=False)
        axes.text(columns + 0.2 / _COLUMN, end / height, name, va="center", size=SMALL, parse_math=False)
    axes.set(xlim=(0, columns), ylim=(1, 0), ylabel=f"share of the {UNITS[ledger.unit]}, %", xlabel="depth of the part")
    axes.set_xticks([column + 0.5 for column in range(columns)], ["whole", *map(str, range(1, columns))])
    axes.tick_params(axis="x", length=0)
    axes.spines["bottom"].set_visible(False)
    axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=""))
    figure: Figure = axes.figure
    return figure


def _fitting(box: _Box, high: float) -> tuple[float, list[str]] | None:
    """The size and the lines of the fullest label that fits into a rectangle of this height, or None."""
    across = _COLUMN - 0.14
    for called, size in ((box.name, TEXT), (box.name, SMALL), (words.shortly(box.name), TEXT)):
        if called != words.shortly(called) and max(width(one, size) for one in called.split()) > across:
            continue  # a class that does not fit is left out rather than broken
        name = words.broken(called, across, size)
        for lines in ([*name, box.percent, *box.amount.split(", ")], [*name, box.percent],
                      [f"{called}  {box.percent}"], name):
            if len(lines) * line(size) + 0.04 <= high and max(width(one, size) for one in lines) <= across:
                return size, lines
    return None
