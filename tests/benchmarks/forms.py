"""Closed forms of every architecture as SymPy, with SymPy loaded, against its import; prints the slowest.

    python tests/benchmarks/forms.py          with symcount installed from a wheel into this Python

Budget: 50 ms for each architecture, where `import sympy` takes some 300 ms: at most a sixth of it.
"""

from __future__ import annotations

import subprocess
import sys
import time

from symcount import model, parameters
from symcount.architectures import load, types

SHOWN = 8


def once(name: str) -> float:
    """Milliseconds from the name to the SymPy expression, the file of the architecture already imported."""
    start = time.perf_counter()
    parameters(model(f"{name}:")).closed_form  # noqa: B018 - a property that computes
    return 1000 * (time.perf_counter() - start)


def main() -> int:
    """The slowest first, each the best of three; 1 if one is over the budget."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import sympy"], check=True)
    imported = 1000 * (time.perf_counter() - start)
    taken = []
    for name in types():
        if load(name).sizes == ("n",):  # widths are never free
            continue
        once(name)
        taken.append((min(once(name) for _ in range(3)), name))
    taken.sort(reverse=True)
    print(f"import sympy {imported:.0f} ms; {len(taken)} architectures, slowest first:")
    for milliseconds, name in taken[:SHOWN]:
        print(f"{milliseconds:6.1f} ms  {milliseconds / imported:5.2f} × import  {name}")
    return int(taken[0][0] > imported / 6)


if __name__ == "__main__":
    sys.exit(main())
