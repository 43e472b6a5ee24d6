"""How many runs each user has going on, on the whole server; one that waits for a person takes no place."""

from __future__ import annotations

from collections import Counter

from copilot_ws.wire.errors import TooManyRuns


class Quota:
    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    def check(self, user_id: str) -> None:
        """Raises `TooManyRuns` if there is no place left."""
        if self._taken[user_id] >= self._most:
            message = f"You have {self._most} runs going on: wait for one of them, or stop it."
            raise TooManyRuns(message, {"retry_after": 5})

    def take(self, user_id: str) -> None:
        self._taken[user_id] += 1

    def give_back(self, user_id: str) -> None:
        self._taken[user_id] -= 1
        if self._taken[user_id] <= 0:
            del self._taken[user_id]
