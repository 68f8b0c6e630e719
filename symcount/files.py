"""A whole file or none."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole(target: str) -> Iterator[str]:
    """A name beside the target to write to; it becomes the target, with the mode of a file there, if nothing is raised.

    Raises OSError for a place that cannot be written.
    """
    import os
    import tempfile

    with tempfile.TemporaryDirectory(dir=os.path.dirname(target), prefix=".symcount-") as folder:
        kept = os.path.join(folder, os.path.basename(target))  # the suffix is what libraries go by
        yield kept
        if os.path.isfile(target):
            os.chmod(kept, os.stat(target).st_mode & 0o777)
        os.replace(kept, target)
