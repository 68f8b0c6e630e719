"""Write the index anew: `python -m symcount.architectures`."""

from collections.abc import Iterable
from pathlib import Path

from symcount.architectures import files, read_published, read_types

HEAD = '"""Which file holds which architecture and published model; made by `python -m symcount.architectures`."""'
WIDTH = 120


def packed(entries: Iterable[str]) -> str:
    """Entries with a comma behind each, as many on a line as it holds."""
    lines = ["   "]
    for entry in entries:
        if len(lines[-1]) + len(entry) + 2 > WIDTH:
            lines.append("   ")
        lines[-1] += f" {entry},"
    return "\n".join(lines)


if __name__ == "__main__":
    listed = packed(f'"{file}"' for file in files())
    kinds = packed(f'"{name}": "{file}"' for name, file in read_types().items())
    rows = packed(f'"{name}": ("{kind}", "{cls}", {count:_})'
                  for name, (kind, cls, count) in read_published().items())
    Path(__file__).with_name("index.py").write_text(
        f"{HEAD}\n\nFILES: tuple[str, ...] = (\n{listed}\n)\nTYPES: dict[str, str] = {{\n{kinds}\n}}\n"
        f"PUBLISHED: dict[str, tuple[str, str, int]] = {{\n{rows}\n}}\n", encoding="utf-8")
