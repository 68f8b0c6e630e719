"""Ten million LLaMAs: a sweep beside the formula written by hand in NumPy, in chunks; prints ratios of medians.

    python tests/benchmarks/sweeps.py         with symcount[sweep] installed from a wheel into this Python

Goals: a sweep in one process, its conditions checked, and one by two workers of Dask are at least as fast as what is
written by hand, which checks nothing; and beside columns and result no more memory is taken than blocks need.
"""

from __future__ import annotations

import statistics
import sys
import time

import dask
import numpy as np
from distributed import Client, LocalCluster

from symcount.sweeping import sweep

POINTS, CHUNK, LAZY, RUNS = 10**7, 16_384, 10**6, 7


def columns() -> dict[str, np.ndarray]:
    """Sizes as a list of configurations has them: d a multiple of the head width, all else at random."""
    draw = np.random.default_rng(0)
    return {"d": 128 * draw.integers(4, 129, POINTS), "L": draw.integers(1, 129, POINTS),
            "h": 256 * draw.integers(4, 129, POINTS), "V": draw.integers(10_000, 260_000, POINTS)}


def by_hand(d: np.ndarray, L: np.ndarray, h: np.ndarray, V: np.ndarray) -> np.ndarray:
    """What one would write for this one family."""
    found = np.empty(len(d), np.int64)
    for start in range(0, len(d), CHUNK):
        at = slice(start, start + CHUNK)
        found[at] = formula(d[at], L[at], h[at], V[at])
    return found


def formula(d: np.ndarray, L: np.ndarray, h: np.ndarray, V: np.ndarray) -> np.ndarray:
    """The parameters of LLaMA."""
    return L*(4*d*d + 3*d*h + 2*d) + 2*V*d + d


def swept(sizes: dict[str, np.ndarray], chunk: int | None = None) -> np.ndarray:
    """The same as a sweep, which checks that heads divide d, that k is whole, and that no number is too large."""
    return sweep("llama-7b", chunk=chunk, **{name: ("model", values) for name, values in sizes.items()}).params.values


def median(f, *args) -> float:
    """Seconds of one of several runs."""
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        f(*args)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def held(what: str) -> int:
    """Bytes that this process holds now (VmRSS), or held at most since it was last asked to forget (VmHWM)."""
    with open("/proc/self/status", encoding="ascii") as status:
        return 1024 * int(next(line for line in status if line.startswith(what)).split()[1])


def peak(sizes: dict[str, np.ndarray]) -> int:
    """Bytes that a sweep takes at most beside its columns and its result."""
    before = held("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    result = swept(sizes)
    return held("VmHWM") - before - result.nbytes


def main() -> int:
    """Ratios to the formula by hand; 1 if a goal is missed."""
    sizes = columns()
    if not (np.array_equal(swept(sizes), by_hand(**sizes)) and np.array_equal(swept(sizes, LAZY), by_hand(**sizes))):
        print("the numbers differ")
        return 1
    print(f"{peak(sizes) / 2**20:.1f} MiB are held at most beside columns and result")
    hand = median(lambda: by_hand(**sizes))
    print(f"{POINTS:,} configurations; by hand in NumPy, chunks of {CHUNK:,}: {1000 * hand:.0f} ms")
    ratios = {"one process": median(swept, sizes) / hand}
    with dask.config.set(scheduler="threads", num_workers=2):
        ratios["Dask, two threads"] = median(swept, sizes, LAZY) / hand
    print(*(f"{ratio:5.2f} × by hand  {what}" for what, ratio in ratios.items()), sep="\n")
    two = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**two) as cluster, Client(cluster):
        away = median(swept, sizes, LAZY) / hand
    print(f"{away:5.2f} × by hand  Dask, two processes, to which all columns are sent and from which results come back")
    return int(max(ratios.values()) > 1)


if __name__ == "__main__":
    sys.exit(main())
