"""Write the index anew: `python -m symcount.architectures`."""

from pathlib import Path

from symcount.architectures import files, read_published, read_types

HEAD = '"""Which file holds which architecture and published model; made by `python -m symcount.architectures`."""'

if __name__ == "__main__":
    listed = "".join(f'    "{file}",\n' for file in files())
    kinds = "".join(f'    "{name}": "{file}",\n' for name, file in read_types().items())
    rows = "".join(f'    "{name}": ("{kind}", "{cls}", {count:_}),\n'
                   for name, (kind, cls, count) in read_published().items())
    Path(__file__).with_name("index.py").write_text(
        f"{HEAD}\n\nFILES: tuple[str, ...] = (\n{listed})\nTYPES: dict[str, str] = {{\n{kinds}}}\n"
        f"PUBLISHED: dict[str, tuple[str, str, int]] = {{\n{rows}}}\n", encoding="utf-8")
