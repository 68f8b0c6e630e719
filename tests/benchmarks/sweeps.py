"""Ten million LLaMAs: a sweep beside the formula written by hand in NumPy, in chunks; prints ratios of medians.

    python tests/benchmarks/sweeps.py         with symcount[sweep] installed from a wheel into this Python

Goals: a sweep, its conditions checked, is at least as fast as what is written by hand, which checks nothing, in one
process and over Dask with two workers; and beside columns and result no more memory is taken than blocks need. What
Dask itself costs at this size, against one process without it, is printed too: within a worker every short step waits
for the thread that talks to the scheduler, so there what is written by hand has longer chunks too.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc

import dask.array
import numpy as np
from distributed import Client, LocalCluster, wait

from symcount.sweeping import sweep

POINTS, CHUNK, LONG, LAZY, RUNS = 10**7, 16_384, 131_072, 10**6, 9


def columns() -> dict[str, np.ndarray]:
    """Sizes as a list of configurations has them: d a multiple of the head width, all else at random."""
    draw = np.random.default_rng(0)
    return {"d": 128 * draw.integers(4, 129, POINTS), "L": draw.integers(1, 129, POINTS),
            "h": 256 * draw.integers(4, 129, POINTS), "V": draw.integers(10_000, 260_000, POINTS)}


def by_hand(d: np.ndarray, L: np.ndarray, h: np.ndarray, V: np.ndarray, chunk: int = CHUNK) -> np.ndarray:
    """What one would write for this one family."""
    found = np.empty_like(d)
    for start in range(0, len(d), chunk):
        at = slice(start, start + chunk)
        found[at] = formula(d[at], L[at], h[at], V[at])
    return found


def formula(d: np.ndarray, L: np.ndarray, h: np.ndarray, V: np.ndarray) -> np.ndarray:
    """The parameters of LLaMA."""
    return L*(4*d*d + 3*d*h + 2*d) + 2*V*d + d


def swept(sizes: dict[str, np.ndarray], chunk: int | None = None) -> np.ndarray:
    """The same as a sweep, which checks that heads divide d, that k is even, and that no number is too large."""
    return np.asarray(lazily(sizes, chunk))


def lazily(sizes: dict[str, np.ndarray], chunk: int | None = LAZY) -> np.ndarray:
    """The sweep, not computed where it is in chunks."""
    return sweep("llama-7b", chunk=chunk, **{name: ("model", values) for name, values in sizes.items()}).params.data


def lazily_by_hand(sizes: dict[str, np.ndarray]) -> np.ndarray:
    """What one would write for Dask: the same chunks, each as by hand."""
    columns = (dask.array.from_array(size, chunks=LAZY, name=False) if isinstance(size, np.ndarray) else size
               for size in sizes.values())
    return dask.array.map_blocks(by_hand, *columns, chunk=LONG, dtype=np.int64, meta=np.empty(0, np.int64))


def medians(*ways) -> list[float]:
    """Seconds of one of several runs, in turns, so that a busy machine is as busy for each."""
    taken: list[list[float]] = [[] for _ in ways]
    for _ in range(RUNS):
        for way, seconds in zip(ways, taken, strict=True):
            start = time.perf_counter()
            way()
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in taken]


def peak(sizes: dict[str, np.ndarray]) -> int:
    """Bytes that a sweep allocates at most beside its result; NumPy tells tracemalloc of its arrays."""
    tracemalloc.start()
    result = swept(sizes)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most - result.nbytes


def main() -> int:
    """Ratios to the formula by hand; 1 if a goal is missed."""
    sizes = columns()
    right = by_hand(**sizes)
    if not all(np.array_equal(swept(sizes, chunk), right) for chunk in (None, LAZY)):
        print("the numbers differ")
        return 1
    print(f"{POINTS:,} configurations, {RUNS} runs; by hand in NumPy in chunks of {CHUNK:,}, on one core:")
    with dask.config.set(scheduler="threads", num_workers=2):
        hand, alone, two, two_by_hand = medians(
            lambda: by_hand(**sizes), lambda: swept(sizes), lambda: swept(sizes, LAZY),
            lambda: np.asarray(lazily_by_hand(sizes)))
    print(f"{1000 * hand:5.0f} ms      by hand")
    print(f"{alone / hand:5.2f} × that  a sweep in one process, conditions checked, on one core too")
    print(f"{two / two_by_hand:5.2f} × by hand over Dask, both by 2 threads ({two / hand:.2f} × by hand without Dask)")
    print(f"{peak(sizes) / 2**20:5.1f} MiB     at most beside columns and result, in one process")
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        there = {name: client.persist(dask.array.from_array(size, chunks=LAZY)) for name, size in sizes.items()}
        stay, stay_by_hand = medians(lambda: wait(client.persist(lazily(there))),
                                     lambda: wait(client.persist(lazily_by_hand(there))))
    print(f"{stay / stay_by_hand:5.2f} × by hand over Dask, both by 2 processes that have the columns and keep the "
          f"results ({stay / hand:.2f} × by hand without Dask)")
    return int(alone > hand or two > two_by_hand or stay > stay_by_hand)


if __name__ == "__main__":
    sys.exit(main())
