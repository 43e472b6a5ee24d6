"""The folders of all projects: which there are, and how one goes."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from copilot_ws.labs.local.records import CANONICAL_ID, PROJECT_FILE, ProjectRecord, read_record, write_whole

TRASH = ".deleted-"

_MARKER = ".first-start-done"

log = logging.getLogger(__name__)


def scan(folder: Path) -> tuple[dict[str, ProjectRecord], bool]:
    """All readable projects, and whether this data directory is new. Finishes interrupted deletions."""
    folder.mkdir(parents=True, exist_ok=True)
    records: dict[str, ProjectRecord] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(TRASH):
            remove(path)
        elif CANONICAL_ID.fullmatch(path.name):
            try:
                records[path.name] = read_record(path)
            except FileNotFoundError:
                continue  # another lab's project: only its chats are kept here
            except (OSError, ValueError):
                log.exception("project %s is skipped: its %s is damaged", path.name, PROJECT_FILE)
    return records, not (folder / _MARKER).exists()


def mark_started(folder: Path) -> None:
    """From now on this data directory is not new. Raises OSError."""
    write_whole(folder / _MARKER, "")


def remove(folder: Path) -> None:
    """What cannot be removed now is removed by the next start."""
    try:
        shutil.rmtree(folder)
    except OSError:
        log.exception("the folder of a deleted project cannot be removed")
