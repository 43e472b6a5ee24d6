"""Files that only their owner may read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_secret(path: Path, text: str) -> None:
    """Writes a file that only its owner can read, at once or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    move(part, path)


def move(source: Path, target: Path) -> None:
    """Puts a file in another's place, also for the time after a power cut."""
    source.replace(target)
    with contextlib.suppress(OSError):  # Windows has no handles of folders, and needs none
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
