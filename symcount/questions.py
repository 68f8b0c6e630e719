"""The verbs for questions of scale: each calls the library, and gives what is to be printed, or data for JSON."""

from __future__ import annotations

import re
from contextlib import nullcontext
from math import prod
from os.path import basename, splitext

from symcount import cells
from symcount.errors import ModelError
from symcount.verbs import ledgers, listings, models, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symcount.cells import Call
    from symcount.solutions import Solution

_CHUNK = 1_000_000  # points that a worker computes together
_LABEL = 40  # characters of a closed form beside a crossing
_TABLES = (".txt", ".md", ".tex", ".html", ".typ", ".pdf")
_ROWS, _MOST_ROWS, _MOST_SET = 40, 100_000, 5_000  # of a table in a terminal, of any, and of a PDF: a hundred pages
_RELATION = re.compile(r"[<>≤≥≈~]|\s=|=\s|±|\+-|^[^:]*=")  # a change of a model has a colon before it, and no blanks


def _solve(asked: Any) -> Any:
    relations = [text for text in asked.models if _RELATION.search(text)]
    if len(relations) != 1 or relations[0].strip() in ("=", "<=", ">="):
        raise ModelError("solve needs one relation, in quotes, as in "
                         "symcount solve gpt2 \"params <= 350e6\" --for L")
    _needs_for(asked, "L, or d=128*1..,L")
    asked.models.remove(relations[0])
    options: dict[str, Any] = {"convention": asked.convention, "phase": asked.phase}
    if asked.head and not asked.models:
        raise ModelError("--head is of a model, and none is named")
    changes, asked.set = cells.changes(asked.set), None  # what follows an unknown cannot be set before it
    named = [(one,) for one in cells.models(asked)] if asked.models else [()]
    return _solutions(asked, [cells.call("solve", relations[0], asked.unknowns, *one, **options, **changes)
                              for one in named])


def _cross(asked: Any) -> Any:
    if len(asked.models) != 3:
        raise ModelError("cross takes a model and two sides, as in "
                         "symcount cross llama-7b \"flops@scores + flops@mix\" flops@mlp --for s")
    _needs_for(asked, "s")
    *asked.models, one, other = asked.models
    changes, asked.set = cells.changes(asked.set), None
    options: dict[str, Any] = {"convention": asked.convention, "phase": asked.phase}
    return _solutions(asked, [cells.call("crossover", one, other, asked.unknowns, each, **options, **changes)
                              for each in cells.models(asked)])


def _needs_for(asked: Any, example: str) -> None:
    if not asked.unknowns:
        raise ModelError(f"{asked.verb}: for which size? say --for {example}")


def _solutions(asked: Any, calls: list[Call]) -> Any:
    found = list(map(cells.answered, calls))
    asked.status = 1 if any(not one.reached for one in found) else 0
    return shown(asked, calls, [_data(one) for one in found] if asked.format == "json" else [])


def _data(one: Solution) -> dict[str, Any]:
    """A solution beside its rows: closed forms as SymPy reads them, the root with its digits."""
    from symcount.render.data import amount, code
    from symcount.render.text import cell
    from symcount.solutions import near

    return {"relation": one.relation.text, "unknowns": list(one.names), "sizes": one.sizes,
            "solutions": sum(row.holds for row in one.found),
            "left": amount(one.best.left) if one.best else None,
            "closed_form": [code(each.form) for each in one.closed],
            "root": None if one.root is None else cell(near(one.root)).replace(",", "")}


def _compare(asked: Any) -> Any:
    from symcount.readers.quantities import fitting

    one, *others = cells.models(asked)
    if not others:
        raise ModelError("compare takes two models or more, as in "
                         "symcount compare bert-base-uncased distilbert-base-uncased")
    quantities = (asked.of or "params").split(",")
    options = fitting(quantities, asked.convention, asked.phase)
    return shown(asked, [cells.call("compare", one, other, quantity, **options[quantity]) for other in others
                         for quantity in quantities])


def _sweep(asked: Any) -> Any:
    """A table of a sweep, or of its front; a file that holds all of it."""
    from symcount.fronts import frontier
    from symcount.saving import FORMATS, write
    from symcount.workers import workers

    swept = _swept(asked)
    one, = _only(asked, [*swept])
    suffix = splitext(f"_{basename(asked.output or '')}")[1].lower()
    if suffix not in ("", *FORMATS, *_TABLES):
        raise ModelError(f"-o {asked.output}: a sweep is written as {', '.join(FORMATS)}, or its table as "
                         f"{', '.join(_TABLES)}")
    if suffix in FORMATS and asked.format != "text":
        raise ModelError(f"-o {asked.output} is written as its suffix says, and takes no --format")
    if suffix not in FORMATS and not asked.frontier:
        _few(prod(map(len, swept.values())))
    with workers(asked.scheduler) if _chunk(asked) else nullcontext():
        found = _points(asked, one, swept)
        found = frontier(found, **_ends(asked.frontier, found)) if asked.frontier else found
        if suffix not in FORMATS:
            return listings(asked, [_listed(asked, one, found)])
        write(found, asked.output)
        skipped = _skipped(found)
    written, asked.output, asked.format = asked.output, None, "text"
    return f"{one.title}: {_counted(prod(found.sizes.values()))} in {written}; skipped: {skipped}"


def _swept(asked: Any) -> dict[str, list[int]]:
    """The sizes that are swept, with their values."""
    from symcount.choices import choices, each

    _needs_for(asked, "d=128*8..64,L=16,24,32")
    return {name: each(name, those) for name, those in choices(asked.unknowns).items()}


def _points(asked: Any, one: Any, swept: dict[str, list[int]]) -> Any:
    """The dataset of a sweep."""
    from symcount.sweeping import sweep

    if asked.frontier and not asked.of:
        asked.of = ",".join(part.partition(":")[2].strip() for part in asked.frontier.split(","))
    options = {"chunk": _chunk(asked)}
    if "chunk" in swept and options["chunk"]:
        raise ModelError("chunk is swept here, so the points cannot be computed in chunks: leave out --chunk and "
                         "--scheduler")
    return sweep(one, asked.of or "params", convention=asked.convention, phase=asked.phase, unbuildable="mark",
                 **{**options, **swept})


def _chunk(asked: Any) -> int | None:
    """The points of a chunk, None where all are computed at once."""
    return _points_of(asked.chunk) if asked.chunk else _CHUNK if asked.scheduler else None


def _few(total: int) -> None:
    """Raise ModelError for more points than a table has rows."""
    if total > _MOST_ROWS:
        raise ModelError(f"{total:,} points are too many for a table; write them to a file, as in -o points.csv")


def _counted(points: int) -> str:
    return f"{points:,} point{'' if points == 1 else 's'}"


def _skipped(found: Any) -> str:
    """How many points cannot be built, and why where that is known; of chunks they are counted here."""
    total, said = prod(found.sizes.values()), str(found.skipped)
    if "buildable" not in found or found.buildable.chunks is None:
        return said
    missing = total - int(found.buildable.sum())
    return f"{missing:,} of {total:,} points cannot be built" if missing else "nothing"


def _points_of(chunk: str) -> int:
    """How many points a chunk has."""
    from symcount.given import amount

    found = amount("chunk", chunk)
    if found.denominator != 1:
        raise ModelError(f"--chunk {chunk}: a whole number of points is needed")
    return int(found)


def _ends(text: str, found: Any) -> dict[str, list[str]]:
    """What is to be least and most: least:kv,most:params; where kv is swept too, the quantity is kv_bytes."""
    ends: dict[str, list[str]] = {"least": [], "most": []}
    for part in text.split(","):
        end, _, name = part.strip().partition(":")
        if end not in ends or not name:
            raise ModelError(f"--frontier {text}: say what is to be least and what most, as in least:kv,most:params")
        ends[end].append(name if name in found.data_vars else next(
            (str(one) for one in found.data_vars if str(one).partition("_")[0] == name), name))
    return ends


def _listed(asked: Any, one: Any, found: Any) -> Any:
    """The points that can be built as rows; of many, in text, the first."""
    from symcount.derivation import Listing
    from symcount.saving import columns
    from symcount.saving import points as rows_of

    total = prod(found.sizes.values())
    _few(total)
    if asked.format == "pdf" and total > _MOST_SET:
        raise ModelError(f"{total:,} points are too many for a PDF, which takes {_MOST_SET:,}: write points.csv")
    points = [tuple(map(int, row)) for some in rows_of(found) for row in some]
    asked.status = 0 if points else 1
    kept = points[:_ROWS] if asked.format == "text" else points
    more = [f"… and {len(points) - len(kept):,} more points; -o points.csv writes them all"] if kept != points else []
    skipped = _skipped(found)
    units = [found[name].attrs.get("unit", "") if name in found.data_vars else "" for name in columns(found)]
    head = tuple(f"{name}, {unit}" if unit in ("bytes", "elements") and "_" not in name else name
                 for name, unit in zip(columns(found), units, strict=True))
    notes = dict.fromkeys(note for name in found.data_vars for note in found[name].attrs.get("notes", "").split("; ")
                          if note)
    front = [f"the points with {asked.frontier.replace(':', ' ').replace(',', ' and ')}"] if asked.frontier else []
    formulas = [f"{name} = {found[name].attrs['closed_form']}" for name in found.data_vars if name != "buildable"]
    said = [*formulas, *front, *more, *([f"skipped: {skipped}"] if skipped != "nothing" else [])]
    return Listing(f"{one.title}: {_counted(len(points))}", tuple(columns(found)), head, tuple(kept), tuple(said),
                   tuple(notes))


def _plot(asked: Any) -> Any:
    """One model as an icicle, several as bars; over sizes as curves, or a sweep with its front."""
    from symcount import plots

    if not (asked.output or "").lower().endswith((".png", ".svg")):
        raise ModelError("a picture is a file: say -o picture.png, or .svg")
    over = "frontier" if asked.frontier else "for" if asked.unknowns else ""
    for option in ("without", "by"):
        if over and getattr(asked, option):
            raise ModelError(f"plot with --{over} takes no --{option}: parts are drawn as in --of params@layers")
    if asked.by == "name":
        raise ModelError("a picture has no room for the tensors of a checkpoint: --by takes a depth, kind or trainable")
    if asked.frontier:
        figure = _front(asked, plots)
    elif asked.unknowns:
        figure = _curves(asked, plots)
    else:
        counted = [ledger for _, _, ledger in ledgers(asked)]
        by = [cells.depth(asked.by)] if asked.by is not None else []
        figure = plots.icicle(counted[0], *by) if len(counted) == 1 else plots.bars(counted, *by)
    plots.save(figure, asked.output)
    written, asked.output = asked.output, None
    return f"written: {written}"


def _front(asked: Any, plots: Any) -> Any:
    from symcount.fronts import frontier

    swept = _swept(asked)
    one, = _only(asked, [*swept])
    points = _points(asked, one, swept)
    ends = _ends(asked.frontier, points)
    if len(ends["least"]) != 1 or len(ends["most"]) != 1:
        raise ModelError(f"--frontier {asked.frontier}: a picture has two sides, as in least:kv,most:params")
    return plots.frontier(points, frontier(points, **ends), *ends["most"], *ends["least"])


def _curves(asked: Any, plots: Any) -> Any:
    """Counts over one size, one line a model and quantity; where those of one model cross, it is marked."""
    from symcount.choices import choices, each
    from symcount.readers.quantities import fitting, read

    told = choices(asked.unknowns)
    if len(told) != 1:
        raise ModelError("curves are over one size, as in --for s=2^7..15")
    (name, those), = told.items()
    values = each(name, those)
    sides = (asked.of or "params").split(",")
    options = fitting([quantity for side in sides for quantity in side.split("+")], asked.convention, asked.phase)
    lines = {}
    named = _freed(asked, [name])
    for one in named:
        for side in sides:
            first, *others = [_built(one, read(one, quantity, **options[quantity]),
                                     read(one.whole(), quantity.partition("@")[0], **options[quantity]), name)
                              for quantity in side.split("+")]
            for other in others:
                first = first + other
            said = side if len(named) == 1 else f"{one.title}, {side}" if len(sides) > 1 else one.title
            if said in lines:
                raise ModelError(f"{said} is asked for twice, and would be one line")
            lines[said] = first
    crossings = _crossings(asked, named[0], sides, name, values) if len(named) == 1 else []
    return plots.curves(lines, name, values, crossings)


def _crossings(asked: Any, one: Any, sides: list[str], name: str, values: list[int]) -> list[tuple[Any, Any, str]]:
    """Where two of the lines meet, within the values."""
    from itertools import combinations

    from symcount.solutions import near
    from symcount.solving import crossover

    found: list[tuple[Any, Any, str]] = []
    for pair in combinations(sides, 2):
        solution = crossover(*pair, f"{name}={values[0]}..{values[-1]}", one, convention=asked.convention,
                             phase=asked.phase)
        at = solution.best
        if solution.height is not None and values[0] <= solution.root <= values[-1]:
            said = solution.sentences()[0]
            found.append((solution.root, solution.height, said if len(said) <= _LABEL else
                          f"{name} ≈ {near(solution.root).text}"))
        elif at is not None:
            found.append((at.sizes[name], at.left, f"{name} = {at.sizes[name]:,}"))
    return found


def _built(one: Any, ledger: Any, full: Any, name: str) -> Any:
    """A ledger under all that must hold of a free size for the whole model to be built."""
    from symcount.building import needs

    bounds = (*ledger.bounds, *(need.condition for need in needs(one, [full], [name])))
    return type(ledger)(ledger.unit, ledger.terms, ledger.values, ledger.subject, ledger.notes, bounds,
                        convention=ledger.convention)


def _freed(asked: Any, names: list[str]) -> list[Any]:
    """The models with these sizes left as letters, then changed: so h = 8d/3 is not asked of the d that was there."""
    changes, told = cells.changes(asked.set), asked.set
    for name in names:
        if name in changes:
            raise ModelError(f"{name} is in --for and in --set; say one of them")
    asked.set = None
    free = [one.freed(*names) for one in models(asked)]
    asked.set = told
    return [one.replace(**changes) for one in free] if changes else free


def _only(asked: Any, names: list[str]) -> list[Any]:
    """The only model, with these sizes left as letters."""
    if len(asked.models) > 1:
        raise ModelError(f"{asked.verb} takes one model here, not {len(asked.models)}")
    return _freed(asked, names)


def _page(asked: Any) -> str:
    """One HTML file to play with."""
    from symcount.playing import page

    named = models(asked)
    if len(named) > 1:
        raise ModelError(f"page takes one model, not {len(named)}")
    return page(named[0], asked.of or "", convention=asked.convention, phase=asked.phase)


RUN = {"solve": _solve, "cross": _cross, "compare": _compare, "sweep": _sweep, "plot": _plot, "page": _page}
