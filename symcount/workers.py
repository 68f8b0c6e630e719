"""The workers that compute the chunks of a sweep: those of this process, or of a scheduler elsewhere."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager, nullcontext

from symcount.errors import ModelError, clipped, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any

_PATIENCE = "10 s"  # with a scheduler that does not answer


def watched(blocks: Any) -> Any:
    """Blocks of work with a bar on a terminal, after the first second."""
    try:
        from tqdm import tqdm
    except ImportError:
        return blocks  # the answer is the same without
    return tqdm(blocks, delay=1, disable=None, leave=False, unit="block")


def _bar() -> AbstractContextManager[Any]:
    """A bar of what Dask computes in this process, on a terminal, after the first second."""
    if not (sys.stderr and sys.stderr.isatty()):
        return nullcontext()
    from dask.diagnostics import ProgressBar

    bar: AbstractContextManager[Any] = ProgressBar(minimum=1, out=sys.stderr)
    return bar


@contextmanager
def workers(address: str | None = None) -> Iterator[None]:
    """Within it Dask computes on the workers of the scheduler at tcp://HOST:PORT, or on threads of this process.

    Raises ModelError for what is no address, and where no scheduler answers; SymcountError without the extra `sweep`.
    """
    if address is None:
        with _bar():
            yield
        return
    if not re.fullmatch(r"(tcp|tls)://(\w[\w.-]*|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}", address, re.ASCII) or not (
            0 < int(address.rpartition(":")[2]) < 65_536):
        raise ModelError(f"'{clipped(address)}' is no address of a scheduler, such as tcp://localhost:8786")
    try:
        import distributed
    except ImportError:
        raise missing("a scheduler is reached by distributed", "sweep") from None
    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=_PATIENCE, set_as_default=False)  # which it would stay if nobody answers
    except (OSError, TypeError, ValueError) as error:  # TypeError: tls, and no certificates in the settings of Dask
        raise ModelError(f"no scheduler answers at {address}: {' '.join(str(error).split())}") from None
    with client, client.as_current():
        yield
