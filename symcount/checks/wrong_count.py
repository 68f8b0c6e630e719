"""wrong-count: a figure is not what the model has that the text speaks of.

What it does
    Where a text names a model, or states the sizes of one, each figure under a label that names a part ("position
    table", "one block", "KV cache per token") is compared with the count of that part, read from the forward pass. A
    figure that agrees with no convention that the text leaves open, and that one known slip explains, is an error.
    "MODEL has N parameters" is compared with the count of the published model, without what the sentence leaves out,
    and "MODEL has 32 layers" with its sizes. What is right under a convention only is named.

Why it matters
    The arithmetic may be right and the count still wrong: a bias of the wrong width, a matrix left out, query heads
    where key-value heads are cached.

Bad
    GPT-2 small has 117M parameters.

Good
    GPT-2 small has 124M parameters.

Source
    The counts of the published models, each with its own source: `symcount explain MODEL`.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from symcount.asserted import asserted, compared
from symcount.claims.agreement import agreement, in_binary
from symcount.claims.expressions import figures
from symcount.claims.page import Span, words
from symcount.claims.related import as_printed
from symcount.claims.slips import amount
from symcount.claims.units import PARAMETERS
from symcount.counted import ACTIVE, after, chosen, totals
from symcount.omitted import omitted
from symcount.parts import Judgement, described, elsewhere, known_active, known_total, without
from symcount.parts import judge as judged
from symcount.readers.quantities import read as read_quantity
from symcount.settings import MOST, meant, published, unplaced
from symcount.shortfalls import judge_number
from symcount.told import batch, layers, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.asserted import Size
    from symcount.claims.figures import Figure
    from symcount.claims.page import Claim, Page, Read
    from symcount.diagnostics import Diagnostic
    from symcount.mentions import Heard, Mention
    from symcount.settings import Setting
    from symcount.told import Layer, Told

CODE = "SC201"
_WIDE = {"width", "dimension", "size", "hidden", "model", "of"}
_UNITS = ("parameter", "flop", "multiply-add", "byte")


def judge(claim: Claim, page: Page) -> Iterator[Diagnostic]:
    """The finding about one claim whose arithmetic is right, if the part that its label names has another count."""
    summed = claim.node.kind == "sum" and all(part.kind == "figure" for part in claim.node.parts)
    parts = {part.parts.value for part in claim.node.parts} if summed else set()
    found = agreement(claim, page)
    models = meant(page.setting, claim.printed.start) if claim.label else ()
    said = []
    if found.verdict == "holds" and parts <= page.vouched:  # the root is the part, not the sum
        said = list(_judged(claim.label, claim.printed, claim.passage, models, page))
        yield from said
    if len(models) == 1 and found.verdict in ("holds", "rounded", "implied") and not (
            summed or said or page.covered(claim.printed)):
        yield from _elsewhere(claim, found.local, models[0], page)


def _elsewhere(claim: Claim, value: Fraction, model: Any, page: Page) -> Iterator[Diagnostic]:
    """The finding about a right value of an expression with the sizes of another model."""
    if value.denominator == 1 and _unit(claim.printed, claim.label, page) in ("", "parameter"):
        how = unplaced(page.setting.at(claim.printed.start).manner)
        operands = [figure.value for figure in figures(claim.node)]
        yield from _said(elsewhere(claim.label, value, operands, model, how), claim.printed, page)


def announce(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about the models whose counts a passage states, and about labelled figures without an expression."""
    heard = page.setting.of(read.passage)
    found_ = heard.mentions
    settled: set[int] = set()
    for mention in found_:  # the digits of a name are no figures
        page.cover(Span(read.passage.start + mention.start, read.passage.start + mention.end))
    for names, figure, at in totals(read, found_, page):
        printed = as_printed(read, at)
        active = ACTIVE & {word.lower() for word in after(read, at).split()[:3]}
        found = (known_active(names[:MOST], printed.value, printed.place) if active else
                 known_total(names, printed.value, printed.place))
        if found.verdict != "unknown":
            page.judged(figure)
        yield from _said(_explained(found, figure, names), figure, page)
        settled |= {figure.start} if found.verdict not in ("unknown", "right") else set()
        for part in chosen(read, at):
            page.judged(part)
            yield from _said(known_active(names[:MOST], part.value, part.place), part, page)
    for less in omitted(read, found_):
        figure = read.tokens[less.at].figure
        printed = as_printed(read, less.at)
        of = without(less.names, less.left, printed.value, printed.place) if less.left else known_total(
            less.names, printed.value, printed.place)
        if of.verdict != "unknown" and figure.start not in settled:
            page.judged(figure)
            settled.add(figure.start)
            yield from _said(of, figure, page)
    for size in asserted(read, heard):
        yield from _size(size, page)
    computed = read.computed() if read.relations else ()
    for layer in layers(read):
        if layer.figure.start not in computed:
            yield from _layer(layer, page)
    for one in told(read, found_):
        yield from _quantity(one, as_printed(read, one.at), page)
    for label, figure in _prose(read, found_) if read.passage.kind == "text" else ():
        if figure.start not in settled:
            yield from _labelled(label, figure, read.passage, page)


def overhear(read: Read, page: Page) -> Iterator[Diagnostic]:
    """The findings about counts that are computed, and about the one figure of a row or an item that is not."""
    computed = read.computed() if read.relations else ()
    for layer in layers(read) if computed else ():
        if layer.figure.start in computed and page.correction(layer.figure) is None:
            yield from _layer(layer, page)
    figures = [token.figure for token in read.tokens if token.figure]
    if read.passage.kind in ("item", "row") and len(figures) == 1 and not read.relations:
        label = " ".join(token.text for token in read.tokens if token.kind == "word" and token.end <= figures[0].start)
        if label and not page.covered(figures[0]):
            yield from _labelled(label, figures[0], read.passage, page)


def _explained(found: Judgement, figure: Figure, names: tuple[str, ...]) -> Judgement:
    """A judgement with what the author left out or counted twice, where all digits are printed and one thing does."""
    if found.verdict != "wrong" or not figure.exact or len(names) != 1:
        return found
    why = judge_number(figure.value, published(names[0]), "params")
    if why.verdict == "unknown" or "is right" in why.says or "differs by" in why.says:
        return found  # nothing that is left out or doubled explains it
    return found._replace(says=f"{found.says}: the printed number {why.says}")


def _quantity(one: Told, figure: Figure, page: Page) -> Iterator[Diagnostic]:
    """The finding about the bytes or FLOPs of a model: wrong where one model is meant and no usual way gives them."""
    ways = [(name, exact, says) for name in one.names[:MOST] for exact, says in _ways(published(name), one)]
    for name, exact, says in ways:
        binary = in_binary(figure, exact)
        if figure.holds(exact) or binary:
            page.judged(figure)
            page.cover(*one.beside)
            how = " ".join(filter(None, (f"for {name}", says, binary)))
            yield from _said(Judgement("convention" if says or binary else "right", exact, how), figure, page)
            return
    name, exact, _ = ways[0]
    if len(one.names) == 1 and one.quantity in ("kv", "params"):
        near = not figure.exact and abs(figure.value - exact) <= exact / 20
        says = f"of {name} it is {amount(figure, figure.within(exact))}"
        yield from _said(Judgement("note" if near else "wrong", exact, says), figure, page)


def _size(one: Size, page: Page) -> Iterator[Diagnostic]:
    """The finding about a size that a sentence says a published model has."""
    about = page.setting.at(one.figure.start)
    found = Judgement(*compared(one, about.models if about.given else ()))
    if found.verdict == "right":
        page.judged(one.figure)
    yield from _said(found, one.figure, page)


def _layer(one: Layer, page: Page) -> Iterator[Diagnostic]:
    """The finding about the one count that a sentence says of a layer that it describes."""
    found = described(one.model, one.figure)
    if found.verdict != "unknown":
        page.judged(one.figure)
        page.cover(Span(one.start, one.end), *([Span(*one.batch)] if one.batch else []))
    yield from _said(found, one.figure, page)


def _ways(model: Any, one: Told) -> Iterator[tuple[Fraction, str]]:
    """(the exact quantity, how it is counted) of a model, the usual way first."""
    total = Fraction(read_quantity(model.replace(**one.sizes) if one.sizes else model, one.quantity).total)
    if one.quantity == "params":
        yield total * one.width, ""
    elif one.quantity == "kv":
        yield total * (one.width or 2) / 2, ""  # it is counted with two bytes a number
        for width in (1, 4) if one.width is None else ():
            yield total * width / 2, f"with {width} bytes a number"
    else:
        yield total, ""
        if one.quantity == "flops":
            yield total / 2, "as multiply-adds"


def _labelled(label: str, figure: Figure, passage: Any, page: Page) -> Iterator[Diagnostic]:
    """The finding about a figure by its label."""
    yield from _judged(label, figure, passage, meant(page.setting, figure.start) if label else (), page)


def _judged(label: str, figure: Figure, passage: Any, models: Sequence[Any], page: Page) -> Iterator[Diagnostic]:
    """The finding about a figure by its label: wrong only if it is for every model that may be meant."""
    if not models:
        return
    unit = _unit(figure, label, page)
    about = page.setting.at(figure.start)
    if about.spans and _WIDE & {*label.lower().split()}:
        label = _beside_sizes(label, about, page.setting.of(passage), figure)
    found = [judged(label, unit, figure.value, figure.place, one, unplaced(about.manner)) for one in models]
    run = _run(page.setting.of(passage), figure) if unit in ("flop", "multiply-add") else None
    settled = {one.verdict for one in found} & {"right", "convention"}
    if run and not settled and all("b" in one.values for one in models):
        found = [judged(" ".join(word for word in label.split() if word.lower() != "batch"), unit, figure.value,
                        figure.place, one.replace(b=run[0]), unplaced(about.manner)) for one in models]
        if {one.verdict for one in found} & {"right", "convention"}:
            page.cover(Span(*run[1:]))
    if unit == "byte" and {one.verdict for one in found} == {"unknown"} and "cache" in page.heading(figure.start):
        found = [judged(f"{label} KV cache", unit, figure.value, figure.place, one, unplaced(about.manner))
                 for one in models]
    verdicts = {one.verdict for one in found}
    if verdicts & {"right", "convention"}:
        page.judged(figure)
        page.vouched.add(figure.value)
    wrong = [one for one in found if one.verdict == "wrong"]
    if verdicts == {"wrong"} or (about.layer and wrong and not verdicts & {"right", "convention"}):
        if len({one.expected for one in wrong}) == 1:
            yield from _said(wrong[0], figure, page)
    elif verdicts == {"convention"}:
        yield from _said(found[0], figure, page)


def _beside_sizes(label: str, about: Setting, heard: Heard, figure: Figure) -> str:
    """A label without the width that its sentence states: "the attention of a Transformer of width 512"."""
    passage = heard.passage
    start, _ = heard.bounds(figure.start - passage.start)
    for first, last in about.spans:
        if start <= first - passage.start < figure.start - passage.start:
            said = "".join(sign if sign.isalpha() else " " for sign in passage.text[
                first - passage.start:last - passage.start]).split()
            if said and {*map(str.lower, said)} <= _WIDE:
                label = label.replace(" ".join(said), "", 1)
    return label


def _run(heard: Heard, figure: Figure) -> tuple[int, int, int] | None:
    """The batch that the sentence of a figure states: how large, and where in the document."""
    passage = heard.passage
    if "batch" not in passage.text:
        return None
    start, end = heard.bounds(figure.start - passage.start)
    found = batch(passage.text[start:end])
    return (found[0], *(passage.start + start + place for place in found[1:])) if found else None


def _unit(figure: Figure, label: str, page: Page) -> str:
    """What a figure counts: its unit, else FLOPs in a section that printed FLOPs before it and says what one is."""
    if figure.counts in _UNITS:
        return figure.counts
    told = unplaced(page.setting.at(figure.start).manner).flop_per_mac
    parameters = {*PARAMETERS, "weights", "entries", "n"} & set(label.lower().split())
    return "flop" if told and not parameters and page.unit_before(figure.start) == "flop" else ""


def _said(found: Any, figure: Figure, page: Page) -> Iterator[Diagnostic]:
    """A judgement as a diagnostic; none for what is right or unknown."""
    severity = {"wrong": "error", "note": "note", "convention": "convention"}.get(found.verdict)
    if severity is None:
        return
    right = None if found.expected is None else figure.within(Fraction(found.expected))
    says = f"right {found.says}" if severity == "convention" else found.says
    if severity == "error" and right is not None:
        page.correct(CODE, figure, Fraction(found.expected), [page.line(figure.start)])
        page.judged(figure)
        yield page.report(CODE, severity, figure, found.says, expected=right, todo=page.advice(figure, right),
                          fix=page.rewritten(figure, right))
    else:
        yield page.report(CODE, severity, figure, says, expected=right)


def _prose(read: Read, found: Sequence[Mention]) -> Iterator[tuple[str, Figure]]:
    """(the clause around it without the names of models, figure) of each figure with a unit that is in no relation."""
    computed = read.computed()
    tokens = list(read.tokens) if found else read.tokens
    for mention in found:
        first, last = (bisect_left(tokens, read.passage.start + place, key=lambda token: token.start)
                       for place in (mention.start, mention.end))
        tokens[first:last] = [token._replace(kind="name") for token in tokens[first:last]]
    plain = read._replace(tokens=tokens)
    for at, token in enumerate(read.tokens):
        figure = token.figure
        if figure and figure.counts in _UNITS and figure.start not in computed:
            yield f"{words(plain, at, 24)} {after(read, at)}", figure
