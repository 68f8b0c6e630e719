"""Notebooks made of MyST sources: cells with ids that stay, executed, nothing of the machine or the hour in them."""

from __future__ import annotations

import asyncio
import hashlib
import re

from refusals import MissingError, WrongError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

SECONDS = 120  # that a cell may take
_HEAD = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
         "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python",
                           "pygments_lexer": "ipython3"}}
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def unexecuted(source: Path) -> Any:
    """The notebook that a source describes, without outputs.

    The id of a cell is made of what stands in it: a cell that is put in leaves those after it as they are.
    """
    try:
        import jupytext
    except ImportError:
        raise MissingError("reading notebooks' sources needs jupytext: pip install -e '.[notebooks]'") from None
    notebook = jupytext.reads(source.read_text(encoding="utf-8"), fmt="md:myst")
    told = notebook.metadata.get("jupytext", {}).get("text_representation", {})
    notebook.metadata = {**_HEAD, "jupytext": {"text_representation": {
        key: told[key] for key in ("extension", "format_name") if key in told}}}
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        name = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[name] = seen.get(name, 0) + 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def lines(notebook: Any, source: str) -> list[int]:
    """The line of the source at which each cell begins; 0 for one that does not stand there."""
    found, start = [], 0
    for cell in notebook.cells:
        at = source.find(cell.source, start)
        found.append(source.count("\n", 0, at) + 1 if at >= 0 else 0)
        start = at + len(cell.source) if at >= 0 else start
    return found


def executed(source: Path) -> Any:
    """The notebook of a source after a run of all its cells in a new kernel of this Python.

    Raises WrongError, with the line of the source, where a cell fails, takes too long or warns.
    """
    try:
        import ipykernel  # noqa: F401 - the kernel that is started
        from jupyter_client import AsyncKernelManager
        from jupyter_client.kernelspec import KernelSpecManager
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError as missing:
        raise MissingError(f"executing notebooks needs {missing.name}: pip install -e '.[notebooks]'") from None
    notebook = unexecuted(source)
    # No folder of kernels: the one that runs is this Python's own, whatever else is registered on this machine.
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
    client = NotebookClient(notebook, km=manager, timeout=SECONDS, record_timing=False,
                            extra_arguments=["--log-level=ERROR"],
                            resources={"metadata": {"path": str(source.parent)}})
    begins = lines(notebook, source.read_text(encoding="utf-8"))
    try:
        asyncio.run(client.async_execute(cleanup_kc=True))  # a manager that is given is else left running
    except CellExecutionError as failure:
        at = next(i for i, cell in enumerate(notebook.cells) if any(
            output.output_type == "error" for output in cell.get("outputs", ())))
        raise WrongError(f"{source}:{begins[at]}: {failure.ename}: {_COLOUR.sub('', failure.evalue)}") from None
    except CellTimeoutError:
        raise WrongError(f"{source}: a cell takes more than {SECONDS} s") from None
    except DeadKernelError:
        raise WrongError(f"{source}: the kernel died") from None
    for cell, line in zip(notebook.cells, begins, strict=True):
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
            cell.outputs = _settled(cell.outputs)
            if any(output.get("name") == "stderr" for output in cell.outputs):
                raise WrongError(f"{source}:{line}: the cell writes to stderr, as a warning does")
    notebook.metadata = {**notebook.metadata, **_HEAD}  # the kernel adds its version
    return notebook


def _settled(outputs: list[Any]) -> list[Any]:
    """Outputs as they are whenever they come: pieces of one stream in one, without colours of a terminal."""
    settled: list[Any] = []
    for output in outputs:
        before = settled[-1] if settled else {}
        if output.output_type == "stream" and output.name == before.get("name"):
            before.text += output.text
        else:
            settled.append(output)
    for output in settled:
        if output.output_type == "stream":
            output.text = _COLOUR.sub("", output.text)
    return settled


def written(notebook: Any) -> str:
    """The notebook as its file holds it."""
    import nbformat

    nbformat.validate(notebook)
    return nbformat.writes(notebook, indent=1, sort_keys=True, ensure_ascii=False).rstrip("\n") + "\n"
