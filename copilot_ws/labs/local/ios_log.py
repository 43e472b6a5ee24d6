"""Log messages as the router's console shows them."""

from __future__ import annotations

from datetime import UTC, datetime


def log_line(facility: str, text: str) -> str:
    """`*Mar  1 00:00:12.345: %SYS-5-CONFIG_I: text`, with a newline; the time is UTC."""
    now = datetime.now(UTC)
    return f"*{now:%b} {now.day:2} {now:%H:%M:%S}.{now.microsecond // 1000:03}: %{facility}: {text}\n"
