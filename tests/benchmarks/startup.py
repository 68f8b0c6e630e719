"""Start-up of the installed command as ratios to a bare Python, all measured in one run; prints a table.

    python tests/benchmarks/startup.py          with symcount installed from a wheel into this Python

Budgets: at most 4 × for help, version, models and count; at most 6 × for formula and derive; at most 10 × for solve,
cross and compare, which is a third of what importing SymPy takes; 25 MiB; no SymPy.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

RUNS = 31
CONFIG = Path(__file__).parents[1] / "data" / "llama-7b.json"
COMMANDS = [
    (4, ["--help"]),
    (4, ["--version"]),
    (4, ["models"]),
    (4, ["count", "llama-7b"]),
    (4, ["count", "bert-base-uncased", "gpt2"]),
    (4, ["count", "deepseek-v3"]),
    (4, ["count", str(CONFIG)]),
    (6, ["formula", "llama-7b"]),
    (6, ["derive", "llama-7b"]),
    (6, ["derive", "llama-7b", "--format", "markdown"]),
    (6, ["derive", "llama-7b", "--format", "latex"]),
    (10, ["solve", "gpt2:d=1024,heads=16", "params <= 350e6", "--for", "L"]),
    (10, ["cross", "llama-7b", "flops@scores + flops@mix", "flops@mlp", "--for", "s"]),
    (10, ["compare", "bert-base-uncased", "distilbert-base-uncased"]),
]


def once(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall-clock milliseconds, and peak MiB, of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return (time.perf_counter() - start) * 1000, usage.ru_maxrss / 1024


def main() -> int:
    """Measure in turns, so that a busy machine slows all alike; 1 if a budget is broken."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    script = Path(sysconfig.get_path("scripts")) / "symcount"
    bare = [sys.executable, "-c", "pass"]
    commands = [bare, *([str(script), *words] for _, words in COMMANDS)]
    for command in commands:
        once(command, environment)
    taken: list[list[tuple[float, float]]] = [[] for _ in commands]
    for _ in range(RUNS):
        for command, row in zip(commands, taken, strict=True):
            row.append(once(command, environment))
    floor = statistics.median(milliseconds for milliseconds, _ in taken[0])
    imported = subprocess.run([sys.executable, "-c", "import sys; from symcount.cli import main; main(['derive', "
                               "'llama-7b', '-o', '/dev/null']); print('sympy' in sys.modules)"],
                              capture_output=True, text=True, env=environment, check=False).stdout.strip()
    print(f"bare python {floor:.1f} ms; SymPy imported by derive: {imported or 'not measured'}")
    broken = 0
    for (budget, words), row in zip(COMMANDS, taken[1:], strict=True):
        ratio = statistics.median(milliseconds for milliseconds, _ in row) / floor
        peak = max(mebibytes for _, mebibytes in row)
        late = ratio > budget or peak > 25
        broken += late
        shown = " ".join(Path(word).name for word in words)
        print(f"{ratio:5.2f} × (budget {budget})  {peak:5.1f} MiB  symcount {shown}{'   OVER' if late else ''}")
    return 1 if broken else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
