"""How far each architecture was checked; made by `python tests/agreement.py --write`."""

ROWS: dict[str, tuple[int, int, int]] = {}
