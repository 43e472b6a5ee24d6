"""Spans of time as IOS writes them."""

from __future__ import annotations


def route_age(seconds: float) -> str:
    """`00:01:12`, `1d02h` or `3w4d`."""
    whole = int(seconds)
    days = whole // 86400
    if days >= 7:
        return f"{days // 7}w{days % 7}d"
    if days:
        return f"{days}d{whole // 3600 % 24:02}h"
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
