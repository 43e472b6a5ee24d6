"""The newest token of each user, in memory only: on whose behalf runs go on."""

from __future__ import annotations

import time

from copilot_ws.labs.base import Caller


class Callers:
    def __init__(self) -> None:
        self._newest: dict[str, tuple[Caller, float | None]] = {}

    def note(self, caller: Caller, expires: float | None) -> None:
        """A user has authenticated, until `expires` (seconds since the epoch; None: for ever)."""
        known = self._newest.get(caller.user_id)
        if known is None or expires is None or (known[1] is not None and known[1] <= expires):
            self._newest[caller.user_id] = (caller, expires)

    def newest(self, user_id: str) -> Caller | None:
        """None: the user has no token that is still valid."""
        caller, expires = self._newest.get(user_id, (None, None))
        if caller is not None and expires is not None and expires <= time.time():
            del self._newest[user_id]
            return None
        return caller
