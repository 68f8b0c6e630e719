"""Where answers go: standard output, or a whole file or none."""

from __future__ import annotations

import sys

from symcount.errors import ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def show(output: str | bytes) -> None:
    """Write to standard output, bytes as they are; a reader that stops reading is no error."""
    import os

    if sys.stdout is None:
        raise ModelError("standard output is closed")
    try:
        stream: Any = sys.stdout.buffer if isinstance(output, bytes) else escaping(sys.stdout)
        stream.write(output)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough; nothing is to be said at the exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise ModelError(f"cannot write to standard output: {error.strerror}") from None


def escaping(stream: Any) -> Any:
    r"""The stream, which writes \xb2 where it has no ²."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream


def write(target: str, output: str | bytes) -> None:
    """Write a whole file or none, text as UTF-8; what is no regular file (a device) is written to, never replaced."""
    import os

    from symcount.files import whole  # most answers are shown

    try:
        data = output if isinstance(output, bytes) else output.encode()
        if os.path.exists(target) and not os.path.isfile(target):  # /dev/stdout too, whose real path opens no pipe
            with open(target, "wb") as file:
                file.write(data)
            return
        target = os.path.realpath(target)
        with whole(target) as kept, open(kept, "wb") as file:
            file.write(data)
    except (OSError, UnicodeError) as error:
        raise ModelError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from None
