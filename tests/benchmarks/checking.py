"""Documents of 10,000 and 20,000 lines, read and checked; time must grow as they do.

    python tests/benchmarks/checking.py       with symcount[check] installed from a wheel into this Python

Budget: 10,000 lines of each kind under 3 s, and twice as many in less than three times as long.
"""

from __future__ import annotations

import sys
import time

from symcount.lint import inspect

LINES = 10_000
SECONDS = 3
GROWTH = 3


def prose(lines: int) -> str:
    return "A paragraph without any mathematics, of which documents mostly consist, in 2024 as in 1999.\n" * lines


def products(lines: int) -> str:
    """Right products, each in a paragraph of its own."""
    return "".join(f"The layer has ${i} \\times 768 = {i * 768:,}$ weights.\n\n" for i in range(1, lines // 2 + 1))


def carried(lines: int) -> str:
    """One slip at the top that all that follows builds on."""
    return "Start: 2 x 3 = 7\n\n" + "".join(f"Step {i}: {7 + i} + 1 = {8 + i}\n\n" for i in range(lines // 2 - 1))


def table(lines: int) -> str:
    rows = [f"| layer {i} | {i} x 512 + 512 | {i * 512 + 512:,} |\n" for i in range(1, lines - 2)]
    total = sum(i * 512 + 512 for i in range(1, lines - 2))
    return "| part | size | parameters |\n|---|---|---:|\n" + "".join(rows) + f"| total | | {total:,} |\n"


def models(lines: int) -> str:
    return "GPT-2 small has 12 layers of width 768, and 124M parameters.\n\n" * (lines // 2)


def aligned(lines: int) -> str:
    rows = "".join(f"  x_{{{i}}} &= {i} \\cdot 4096 = {4096 * i} \\\\\n" for i in range(1, lines - 1))
    return "\\begin{align}\n" + rows + "\\end{align}\n"


KINDS = [(prose, "md"), (products, "md"), (carried, "md"), (table, "md"), (models, "md"), (aligned, "tex"),
         (products, "txt")]


def once(text: str, path: str) -> float:
    """Seconds for one document."""
    start = time.perf_counter()
    inspect(text, path=path)
    return time.perf_counter() - start


def main() -> int:
    """Each kind twice, the best of three; 1 if one is over the budget."""
    inspect("1 + 1 = 2", path="warm.md")
    over = 0
    print(f"{'':10}{'':5}{f'{LINES:,} lines':>14}{f'{2 * LINES:,} lines':>14}{'growth':>9}")
    for kind, ending in KINDS:
        short, long = (min(once(kind(lines), f"document.{ending}") for _ in range(3)) for lines in (LINES, 2 * LINES))
        over += short > SECONDS or long / short >= GROWTH
        print(f"{kind.__name__:10}{ending:5}{short:12.2f} s{long:12.2f} s{long / short:9.2f}")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
