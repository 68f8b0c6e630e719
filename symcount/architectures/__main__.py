"""Write the index anew: `python -m symcount.architectures`."""

from pathlib import Path

from symcount.architectures import files, published

HEAD = '"""Which file holds which published model; made by `python -m symcount.architectures`."""'

if __name__ == "__main__":
    listed = "".join(f'    "{file}",\n' for file in files())
    rows = "".join(f'    "{name}": ("{file}", "{cls}", {count:_}),\n'
                   for name, (file, cls, count) in published().items())
    Path(__file__).with_name("index.py").write_text(
        f"{HEAD}\n\nFILES: tuple[str, ...] = (\n{listed})\n"
        f"PUBLISHED: dict[str, tuple[str, str, int]] = {{\n{rows}}}\n", encoding="utf-8")
