"""Proofs, as ratios measured in one run: layer collapse against its depth, and `prove` against importing SymPy.

    python tests/benchmarks/proofs.py           with symcount installed from a wheel into this Python

Budgets: collapse is linear in the layers, so the cost of one layer may at most double from 125 layers to 1,000;
`prove` takes at most 1.6 × as long as `import sympy`, which it does without.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from symcount import prove

RUNS = 7
LAYERS = (125, 250, 500, 1000)


def once(command: list[str]) -> float:
    """Wall-clock milliseconds of one process."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


def main() -> int:
    """Print a table; 1 if a budget is broken."""
    prove("layer_collapse")
    each = {}
    for layers in LAYERS:
        taken = []
        for _ in range(3):
            start = time.process_time()
            prove("layer_collapse", layers=layers)
            taken.append(time.process_time() - start)
        each[layers] = statistics.median(taken) / layers * 1000
    for layers, cost in each.items():
        print(f"{cost:5.2f} ms a layer, {cost / each[LAYERS[0]]:4.2f} × that of {LAYERS[0]}   {layers:,} layers")
    command = [sys.executable, "-m", "symcount", "prove", "layer_collapse"]
    pairs = [(once([sys.executable, "-c", "import sympy"]), once(command)) for _ in range(RUNS)]
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    print(f"{ratio:5.2f} × (budget 1.6)   symcount prove layer_collapse, against import sympy")
    return int(each[LAYERS[-1]] > 2 * each[LAYERS[0]] or ratio > 1.6)


if __name__ == "__main__":
    sys.exit(main())
