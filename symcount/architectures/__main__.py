"""Write the index anew: `python -m symcount.architectures`."""

from pathlib import Path

from symcount.architectures import files, published

if __name__ == "__main__":
    rows = "".join(f'    "{name}": ("{file}", "{cls}", {count:_}),\n' for name, (file, cls, count) in published().items())
    listed = "".join(f'    "{file}",\n' for file in files())
    Path(__file__).with_name("index.py").write_text(
        '"""Which file holds which published model; made by `python -m symcount.architectures`, compared by a test."""\n\n'
        f"FILES: tuple[str, ...] = (\n{listed})\nPUBLISHED: dict[str, tuple[str, str, int]] = {{\n{rows}}}\n", encoding="utf-8")
