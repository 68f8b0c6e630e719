"""Bars of a hundred percent: what share each component has in a ledger."""

from __future__ import annotations

from symcount.counting import conventions
from symcount.errors import ModelError
from symcount.ledger import UNITS
from symcount.plots import words
from symcount.plots.page import COLOURS, EDGE, GREY, REST, SMALL, TEXT, inked, line, page, styled, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from matplotlib.figure import Figure

    from symcount.ledger import Ledger

MOST_BARS = 24
_SMALL, _RAISED = 2, 20  # percent: what is smaller in every bar joins the others; so far this may rise
_ACROSS, _BAR = 9.0, 0.66  # inches; how much of a row is bar


def bars(ledgers: Iterable[Ledger] | Mapping[str, Ledger], depth: int | str | Mapping[str, str] = 2) -> Figure:
    """One bar a ledger, of the shares that its components at `depth` have in it; the total stands beside.

    Components of one path have one colour. What is under 2 % in every bar joins "other"; where colours run out, the
    limit rises, and the figure says to what. A mapping gives the bars their names.

    >>> from symcount import model, parameters
    >>> shown = bars([parameters(model("gpt2"))])
    >>> [(one.get_label(), f"{one.patches[0].get_width():.4f}") for one in shown.axes[0].containers][:2]
    [('embeddings.word', '0.3102'), ('layers.attention', '0.2278')]

    Raises ModelError for no ledger, more than 24 of them, and more components than colours; UnitError for two units;
    SizeError for an open size or a total of zero.
    """
    named = words.named(ledgers, MOST_BARS)
    totals = [words.total(ledger) for _, ledger in named]
    parts = [{path: part.total for path, part in ledger.by(depth).items()} for _, ledger in named]
    paths = _merged(parts)
    most = {path: max(inside.get(path, 0) / total for inside, total in zip(parts, totals, strict=True))
            for path in paths}
    limit = next((limit for limit in range(_SMALL, _RAISED + 1)
                  if sum(100 * share >= limit for share in most.values()) <= 2 * len(COLOURS)), None)
    if limit is None:
        raise ModelError(f"more than {2 * len(COLOURS)} components have {_RAISED} % of a bar, and no colours are left: "
                         "draw fewer ledgers, or group by a smaller depth")
    groups = {path: [path] for path in paths if 100 * most[path] >= limit}
    names = {path: words.short(path, paths) for path in groups}
    small = [path for path in paths if path not in groups and most[path]]
    said = words.said([(name, conventions(ledger)) for name, ledger in named])
    if small:
        groups["other"], names["other"] = small, "other"
        few = [words.short(path, paths) for path in small]
        which = ", ".join(few) if len(few) <= 6 else f"{len(few)} components"
        said = "; ".join(filter(None, [said, f"other: {which}, under {limit} % of every bar"]))
    counts = {path: [sum(inside.get(one, 0) for one in group) for inside in parts] for path, group in groups.items()}
    with styled():
        return _drawn(named, counts, totals, names, said)


def _drawn(named: list[tuple[str, Ledger]], counts: dict[str, list[Any]], totals: list[Any], names: dict[str, str],
           said: str) -> Figure:
    from matplotlib.ticker import PercentFormatter

    unit = named[0][1].unit
    labels = [words.broken(name, 2.4, TEXT) for name, _ in named]
    amounts = [words.amount(total, unit).split(", ") for total in totals]
    left = 2 * EDGE + max(width(one, TEXT) for label in labels for one in label)
    right = 2 * EDGE + max(width(one, TEXT) for lines in amounts for one in lines)
    columns = _columns([width(name, TEXT) + 0.42 for name in names.values()], _ACROSS - 2 * EDGE)
    rise = max(0.52, *(line(TEXT) * len(label) + 0.12 for label in labels))
    above = 0.25 + 0.18 * -(-len(names) // columns)
    axes = page(_ACROSS, rise * len(named) + 0.1, words.titled(named, "by component"), said, left=left, right=right,
                above=above)
    at, room = range(len(named)), _ACROSS - left - right
    ends = [0] * len(named)
    paints = _paints(counts, totals)
    for path, own in counts.items():
        colour, hatch = paints[path]
        shares = [float(count / total) for count, total in zip(own, totals, strict=True)]
        starts = [float(end / total) for end, total in zip(ends, totals, strict=True)]
        axes.barh(at, shares, _BAR, starts, color=colour, edgecolor="white", linewidth=1, label=path,
                  hatch=hatch)
        for y, share, start in zip(at, shares, starts, strict=True):
            if label := _fitting(names[path], own[y], totals[y], share * room - 0.1):
                axes.text(start + share / 2, y, label, ha="center", va="center", size=SMALL, color=inked(colour),
                          linespacing=1.1, parse_math=False, bbox=_plate(colour) if hatch else None)
        ends = [end + count for end, count in zip(ends, own, strict=True)]
    axes.annotate("total", (1, 1), (6, -2), xycoords="axes fraction", textcoords="offset points", size=SMALL,
                  color=GREY)
    for y, lines in zip(at, amounts, strict=True):
        axes.annotate("\n".join(lines), (1, y), (6, 0), textcoords="offset points", va="center", size=TEXT)
    axes.set(xlim=(0, 1), ylim=(len(named) - 0.5, -0.4), xlabel=f"share of the {UNITS[unit]}, %")
    axes.set_yticks(at, ["\n".join(label) for label in labels], size=TEXT, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=""))
    figure: Figure = axes.figure
    _legend(axes, list(names.values()), columns, above)
    return figure


def _legend(axes: Any, names: list[str], columns: int, above: float) -> None:
    """What each colour is, row by row in the order of the bars."""
    across, high = axes.figure.get_size_inches()
    order = [i for column in range(columns) for i in range(column, len(names), columns)]  # matplotlib fills columns
    handles = [one.patches[0] for one in axes.containers]
    shown = axes.figure.legend([handles[i] for i in order], ["part"] * len(order), ncols=min(columns, len(names)),
                               loc="upper left", frameon=False, fontsize=TEXT, handlelength=1.2, handleheight=1.1,
                               bbox_to_anchor=(EDGE / across, axes.get_position().y1 + (above - 0.1) / high),
                               columnspacing=1.2, borderpad=0, borderaxespad=0, labelspacing=0.35)
    for label, i in zip(shown.get_texts(), order, strict=True):  # a legend drops names that begin with "_"
        label.set(text=names[i], parse_math=False)


def _fitting(name: str, count: Any, total: Any, room: float) -> str:
    """The fullest text that fits across a segment."""
    percent = words.percent(count, total)
    return next((one for one in (f"{name}\n{percent}", percent, words.percent(count, total, 2))
                 if max(width(part, SMALL) for part in one.split("\n")) <= room), "")


def _plate(colour: str) -> dict[str, str]:
    """What a text stands on where there are stripes."""
    return {"boxstyle": "square,pad=0.1", "facecolor": colour, "edgecolor": "none"}


def _paints(counts: dict[str, list[Any]], totals: list[Any]) -> dict[str, tuple[str, str | None]]:
    """A colour for each component, and stripes for those with the least of all bars where colours come again."""
    weight = {path: sum(count / total for count, total in zip(own, totals, strict=True))
              for path, own in counts.items() if path != "other"}
    plain = sorted(weight, key=lambda path: weight[path], reverse=True)[:len(COLOURS)]
    found: dict[str, tuple[str, str | None]] = {"other": (REST, None)}
    for hatch, group in ((None, [path for path in weight if path in plain]),
                         ("///", [path for path in weight if path not in plain])):
        found.update({path: (colour, hatch) for path, colour in zip(group, COLOURS, strict=False)})
    return found


def _columns(widths: list[float], room: float) -> int:
    """Into how many columns entries of these widths fit, row by row."""
    return next((n for n in range(len(widths), 1, -1) if sum(max(widths[i::n]) for i in range(n)) <= room), 1)


def _merged(orders: Iterable[Iterable[str]]) -> list[str]:
    """All paths once: a path that only later ledgers have stands after the one before it there."""
    merged: list[str] = []
    for order in orders:
        at = 0
        for path in order:
            if path not in merged:
                merged.insert(at, path)
            at = merged.index(path) + 1
    return merged
