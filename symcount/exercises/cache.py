"""the cache of keys and values.

For every token, layer and key-value head a key and a value of k numbers: 2·L·kv·k numbers a token.
"""

from __future__ import annotations

from symcount.exercise import Exercise, paragraph
from symcount.exercises._counted import amounts, counted, largest
from symcount.naming import model
from symcount.readers.memory import cache_bytes
from symcount.solving import solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.drawing import Draw

_HINTS = ("Each layer remembers a key and a value for every key-value head, of as many numbers as a head has.",
          "16 bits are 2 bytes. Query heads do not matter: queries are not remembered.")


def exercise(level: int, draw: Draw) -> Exercise:
    """Level 1 is one token, level 2 a batch of texts, level 3 the longest text that fits."""
    k, kv = draw.one((64, 96, 128)), draw.one((2, 3, 4, 5, 6, 8))
    heads = kv * draw.one((2, 3, 4, 5))
    sizes = {"L": draw.between(9, 80), "d": k * heads, "heads": heads, "kv": kv}
    made = model("llama", V=32_000, h=4 * k * heads, **sizes)
    told = paragraph("A decoder of {L=} layers and width {d=} has {heads} query heads and {kv=} key-value heads of "
                     "width `d`/`heads`. It remembers keys and values in 16 bits a number.", **sizes)
    a_token = 4 * sizes["L"] * kv * k
    wrong = [(2, 1, "a number of 16 bits takes 2 bytes"), (2, 1, "a key and a value are remembered"),
             (kv, heads, "only key-value heads are remembered, not query heads"),
             (k * kv, kv, "a head has `d`/`heads` numbers"), (sizes["L"], 1, "every layer has a cache of its own")]
    if level == 1:
        asks = (told, "By how many bytes does its cache grow with each token?")
        return _told(counted(asks, cache_bytes(made, t=1), _HINTS, [
            (a_token * by // of, says) for of, by, says in wrong]))
    if level == 2:
        tokens, batch = draw.between(11, 99) * 100, draw.between(3, 24)
        asks = (told, f"It reads {batch} texts of {tokens:,} tokens each, side by side. "
                      "How many bytes does the cache take?")
        right = a_token * tokens * batch
        return _told(counted(asks, cache_bytes(made, t=tokens, b=batch), (
            *_HINTS, "Every text of the batch has its own cache."), [
                (a_token * tokens, "that is one text"), (a_token * batch, "that is one token of each"),
                *((right * by // of, says) for of, by, says in wrong)]))
    room = draw.between(3, 60)
    budget = room * 2**30
    found = solve(f"kv <= {room}GiB", "t", made)
    answer = largest(found, "tokens")
    asks = (told, f"{room} GiB of memory are left for the cache (1 GiB is 2³⁰ bytes). "
                  "How many tokens of one text fit in at most?")
    return _told(Exercise(
        asks, answer, lambda: list(found.derivation().steps),
        (*_HINTS, "How many bytes does one token take? Divide, and round down."),
        amounts([(room * 10**9 // a_token, "a GiB is 2³⁰ bytes, not 10⁹"),
                 (answer.number + 1, "one token more does not fit: round down"),
                 *((budget * of // (a_token * by), says) for of, by, says in wrong)], answer)))


def _told(one: Exercise) -> Exercise:
    """The exercise, its solution with where the 4 in the formula comes from."""
    return one._replace(steps=lambda: [
        paragraph("In each layer a token has a key and a value of `kv*d/heads` numbers, and a number takes 2 bytes: "
                  "`4d*kv/heads` bytes."), *one.steps()])
