"""What pictures have in common: colours, a page with its title and conventions, and labels that keep out of the way."""

from __future__ import annotations

import re

from symcount.errors import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

# Okabe and Ito 2008: neighbours differ in lightness too, and lines are none of the light ones
COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#009E73", "#F0E442", "#CC79A7")
LINES = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000")
REST = "#C8C8C8"  # of what stands together, or is nearly the whole
INK, GREY = "#222222", "#666666"
SMALL, TEXT, TITLE = 7.5, 9, 12  # points
EDGE = 0.2  # inches around a page


def styled() -> AbstractContextManager[None]:
    """Matplotlib's own defaults for a while: what a picture looks like does not hang on the reader's settings.

    Raises SymcountError, naming the extra, where matplotlib is missing.
    """
    try:
        from matplotlib import style
    except ImportError:
        raise missing("pictures need matplotlib", "plot") from None
    ours = {"font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans", "svg.hashsalt": "symcount",
            "hatch.linewidth": 1, "text.color": INK, "axes.edgecolor": GREY, "axes.labelcolor": INK,
            "xtick.color": INK, "ytick.color": INK, "axes.labelsize": TEXT, "xtick.labelsize": 8,
            "ytick.labelsize": 8}
    entered: AbstractContextManager[None] = style.context(["default", ours])
    return entered


def width(text: str, size: float) -> float:
    """Inches that a line of text takes, in which a dollar is a dollar."""
    return _taken(text, size, mathematics=False)


def typeset(text: str, size: float) -> float:
    """Inches that a line of mathematics, `$…$`, takes."""
    return _taken(text, size, mathematics=True)


def _taken(text: str, size: float, *, mathematics: bool) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    taken, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), mathematics)
    return float(taken) / 72


def line(size: float) -> float:
    """Inches from one line of text to the next."""
    return size * 1.25 / 72


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Lines that fit; a value stays with its letter, and a list without blanks may break after a comma.

    >>> wrapped("bert:V=40000,L=8,heads=8", 1.3, 9)
    ['bert:V=40000,', 'L=8,heads=8']
    """
    from textwrap import wrap

    signs = max(8, int(inches * len(text) / max(width(text, size), 0.01)))
    marked = re.sub(r",(?=\S)", ",\u200b ", text.replace(" = ", "\u00a0=\u00a0"))
    return [part.replace("\u200b ", "").replace("\u200b", "").replace("\u00a0", " ") for part in wrap(marked, signs)]


def page(across: float, height: float, title: str, notes: str, *, left: float, right: float, above: float = 0.1,
         below: float = 0.55) -> Any:
    """Axes of a figure of its own, `height` inches high, the title above and the conventions below in small letters."""
    from matplotlib.figure import Figure

    head = wrapped(title, 0.88 * (across - 2 * EDGE), TITLE)
    foot = wrapped(notes, 0.96 * (across - 2 * EDGE), SMALL)
    bottom = EDGE + len(foot) * line(SMALL) + below
    whole = bottom + height + above + len(head) * line(TITLE) + EDGE
    figure = Figure(figsize=(across, whole), dpi=150, facecolor="white")
    figure.suptitle("\n".join(head), x=EDGE / across, y=1 - EDGE / whole, ha="left", va="top", size=TITLE,
                    weight="bold", parse_math=False, linespacing=1.1)
    figure.text(EDGE / across, EDGE / whole, "\n".join(foot), va="bottom", size=SMALL, color=GREY, parse_math=False)
    axes = figure.add_axes((left / across, bottom / whole, (across - left - right) / across, height / whole))
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def inked(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour."""
    return "white" if lightness(colour) < 0.22 else "black"


def lightness(colour: str) -> float:
    """The relative luminance of a colour, from 0 to 1.

    >>> lightness("#FFFFFF"), lightness("#000000")
    (1.0, 0.0)

    Source: WCAG 2.1, relative luminance.
    """
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def pale(colour: str) -> str:
    """The colour nearer to white.

    >>> pale("#000000")
    '#4d4d4d'
    """
    return "#" + "".join(f"{int(0.7 * int(colour[i:i + 2], 16) + 0.3 * 255 + 0.5):02x}" for i in (1, 3, 5))


def spread(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Centres nearest to the wanted ones at which blocks of these heights lie in 0 … room without touching.

    >>> spread([1, 1, 5], [2, 2, 2], 6)
    [1.0, 3.0, 5.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at = list(map(float, wanted))
    edge = 0.0
    for i in order:
        at[i] = max(at[i], edge + heights[i] / 2)
        edge = at[i] + heights[i] / 2
    edge = room
    for i in reversed(order):
        at[i] = min(at[i], edge - heights[i] / 2)
        edge = at[i] - heights[i] / 2
    return at


def beside(axes: Any, marks: Sequence[tuple[float, float, str]], crowd: Any, size: float = 8) -> None:
    """Write each text (x, y, text) near its point, where it covers least of the crowd of points and no other text."""
    import numpy

    axes.autoscale_view()  # the transform knows the limits only now
    to_points = axes.transData.transform
    scale = axes.figure.dpi / 72
    taken = to_points(numpy.asarray(crowd, float)) / scale
    box = axes.get_window_extent().extents / scale
    spots = to_points(numpy.array([(x, y) for x, y, _ in marks])) / scale
    written: list[Any] = []
    for (x, y, said), spot in zip(marks, spots, strict=True):
        lines = said.split("\n")
        reach = numpy.array([72 * max(width(one, size) for one in lines) + 4, 72 * line(size) * len(lines) + 4])
        places = [(dx, dy, spot + numpy.array((dx, dy)) - reach * [_back(dx), _back(dy)]) for dx, dy in _offsets()]
        costs = [_cost(low, low + reach, taken, box, written, spots) + max(abs(dx), abs(dy)) / 20
                 for dx, dy, low in places]
        dx, dy, low = places[costs.index(min(costs))]
        written.append((low, low + reach))
        axes.annotate(said, (x, y), (dx, dy), textcoords="offset points", size=size, parse_math=False,
                      ha="right" if dx < 0 else "left" if dx else "center",
                      va="top" if dy < 0 else "bottom" if dy else "center",
                      bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
                      arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 3})


def _offsets() -> Iterator[tuple[float, float]]:
    for far in (10, 18, 30, 46, 66):
        for dx, dy in ((-1, 1), (1, -1), (1, 1), (-1, -1), (0, 1.4), (0, -1.4)):
            yield far * dx, far * dy


def _back(offset: float) -> float:
    """How much of a text lies before its point."""
    return 1 if offset < 0 else 0 if offset else 0.5


def _cost(low: Any, high: Any, taken: Any, box: Any, written: list[Any], spots: Any) -> float:
    """How much a text in this place hides."""
    covered = ((taken > low) & (taken < high)).all(axis=1).sum()
    hidden = ((spots > low - 3) & (spots < high + 3)).all(axis=1).sum()
    across = sum(bool((low < top).all() and (bottom < high).all()) for bottom, top in written)
    outside = (low < box[:2]).any() or (high > box[2:]).any()
    return float(covered + 40 * hidden + 200 * across + 400 * outside)
