"""Sentences that declare a network by its width, perhaps its heads: "the attention of a Transformer of width 512"."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from symcount.documents.passages import Passage
    from symcount.stated import Said

_WIDTH_OF = re.compile(r"\b(?:transformer|decoder|encoder)(?: layer| block)? (?:of|with)(?: an?)?(?: model)? \$?$")
_LONGEST = 600  # characters of a sentence
# Parts whose sizes do not follow from the width, and attention of another kind
_OTHER = re.compile(r"\b(?:mlp|ffn|feed.?forward|inner|grouped|multi.?query|gqa|mqa|kv|key.value|cross|linear|latent|"
                    r"sparse|bottleneck|each|convolution\w*)\b")


def declared(passage: Passage, said: Sequence[Said], stops: Sequence[int]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """(start, end, sizes) of each sentence about the attention of a network, of which it states the width.

    `said` are the sizes that the passage states, `stops` where its sentences end.

    >>> from symcount.documents.passages import Passage
    >>> from symcount.stated import stated
    >>> passage = Passage("text", 0, "The attention of a Transformer of width 512 has 786,432 parameters.")
    >>> list(declared(passage, stated(passage), [67]))
    [(0, 67, {'d': 512})]
    """
    if passage.kind != "text" or "ttention" not in passage.text:
        return
    at = 0
    for start, stop in zip([0, *stops], [*stops, len(passage.text)], strict=True):
        here = []
        while at < len(said) and said[at].start < stop:
            here.append(said[at])
            at += 1
        if not here or len(here) > 2 or here[0].letter != "d" or not {one.letter for one in here} <= {"d", "heads"}:
            continue
        text = passage.text[start:min(stop, start + _LONGEST)].lower()
        if _WIDTH_OF.search(text[:here[0].start - start]) and "attention" in text and not _OTHER.search(text):
            yield start, stop, {one.letter: one.value for one in here}
