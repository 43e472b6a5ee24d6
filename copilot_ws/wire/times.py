"""Times as they are stored and sent."""

from __future__ import annotations

from datetime import UTC, datetime


def utcnow() -> str:
    """Now as ISO 8601 UTC, with microseconds, so that text order is time order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def time_text(value: str | None) -> str | None:
    """A stored time as ISO 8601 UTC; older files hold SQLite's `YYYY-MM-DD HH:MM:SS`, which is UTC."""
    if value is None:
        return None
    when = datetime.fromisoformat(value)
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return when.isoformat(timespec="microseconds")
