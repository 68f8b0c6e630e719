"""Pictures of ledgers: shares as bars, growth as curves, one network as an icicle, a sweep with its front."""

from __future__ import annotations

from symcount.errors import ModelError, clipped
from symcount.output import write
from symcount.plots.growth import curves
from symcount.plots.page import styled
from symcount.plots.parts import icicle
from symcount.plots.shares import bars
from symcount.plots.sweeps import frontier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["bars", "curves", "frontier", "icicle", "save"]


def save(figure: Figure, path: str) -> None:
    """Write a figure as PNG or SVG, as the suffix says: a whole file or none, and always the same bytes.

    Raises ModelError for another suffix, and where the file cannot be written.
    """
    from io import BytesIO

    path = str(path)
    suffix = path.rpartition(".")[2].lower() if "." in path else ""
    if suffix not in ("png", "svg"):
        raise ModelError(f"cannot write a picture as '{clipped(path)}': its name ends with .png or .svg")
    about = ({"Date": None, "Creator": None, "Title": figure.get_suptitle().replace("\n", " ")} if suffix == "svg"
             else {"Software": None})
    drawn = BytesIO()
    with styled():
        figure.savefig(drawn, format=suffix, dpi=figure.dpi, metadata=about)
    write(path, drawn.getvalue())
