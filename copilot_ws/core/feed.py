"""The numbered feed of one user in one project, and the cursors that read it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from copilot_ws.wire.codecs import Codec, to_json

SLOW_EVENTS = 1024
SLOW_BYTES = 4 * 1024 * 1024
SLOW_SECONDS = 5.0
# A reader that keeps up gets every event as it was published; from here on it counts as behind.
MERGE_BEHIND = 64
MERGED_BYTES = 64 * 1024

Event = dict[str, Any]


class Entry:
    """One published event, encoded at most once per codec for all its readers."""

    __slots__ = ("_encoded", "event", "seq", "size", "total")

    def __init__(self, event: Event, total_before: int) -> None:
        json = to_json(event)
        self.event = event
        self.seq: int = event["seq"]
        self.size = len(json)
        self.total = total_before + self.size
        self._encoded = {"json": json}

    def encoded(self, codec: Codec) -> bytes:
        found = self._encoded.get(codec.name)
        if found is None:
            found = self._encoded[codec.name] = codec.encode(self.event)
        return found


class Merged:
    """Neighbouring `content` events of one message as one frame, for a reader that is behind."""

    __slots__ = ("event", "seq")

    def __init__(self, entries: list[Entry]) -> None:
        first, last = entries[0], entries[-1]
        text = "".join(entry.event["content"] for entry in entries)
        self.seq = last.seq
        self.event = {**first.event, "content": text, "seq": last.seq, "first_seq": first.seq}

    def encoded(self, codec: Codec) -> bytes:
        return codec.encode(self.event)


class Feed:
    """Events in order, each with the last one's `seq` plus 1; the newest are kept for replay.

    At most `max_events` events and `max_bytes` bytes (as JSON) are kept. `publish` is synchronous
    and never waits for a reader.
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self.epoch = secrets.token_hex(8)
        self.seq = 0
        self.total = 0
        self._max_events, self._max_bytes = max_events, max_bytes
        self._entries: dict[int, Entry] = {}
        self._oldest = 1
        self._kept = 0
        self._cursors: set[Cursor] = set()

    def publish(self, event: Event) -> int:
        """Numbers `event` (it gets its `seq`) and wakes the readers; the number."""
        self.seq += 1
        event["seq"] = self.seq
        entry = Entry(event, self.total)
        self._entries[self.seq] = entry
        self.total = entry.total
        self._kept += entry.size
        while len(self._entries) > self._max_events or (self._kept > self._max_bytes and len(self._entries) > 1):
            self._kept -= self._entries.pop(self._oldest).size
            self._oldest += 1
        for cursor in tuple(self._cursors):
            cursor.notify()
        return self.seq

    def keeps(self, after: int) -> bool:
        """Whether every event after number `after` is still there."""
        return self._oldest - 1 <= after <= self.seq

    def entry(self, seq: int) -> Entry:
        return self._entries[seq]

    def events_after(self, after: int) -> list[Event]:
        """The kept events after number `after`, oldest first."""
        return [self._entries[seq].event for seq in range(max(after + 1, self._oldest), self.seq + 1)]

    def cursor(self, after: int | None = None, on_slow: Callable[[], None] | None = None) -> Cursor:
        """A reader of what follows `after` (None: from now on). It must be closed.

        `on_slow` is called once, when the reader stays too far behind or is overtaken.
        """
        cursor = Cursor(self, self.seq if after is None else after, on_slow)
        self._cursors.add(cursor)
        return cursor

    def drop(self, cursor: Cursor) -> None:
        self._cursors.discard(cursor)

    @property
    def oldest(self) -> int:
        return self._oldest

    @property
    def watched(self) -> bool:
        return bool(self._cursors)


class Cursor:
    """Where one reader stands in a feed. What it had to catch up with at the start does not count as slow."""

    def __init__(self, feed: Feed, after: int, on_slow: Callable[[], None] | None) -> None:
        self.seq = after
        self._feed = feed
        self._news = asyncio.Event()
        self._on_slow = on_slow
        self._replay_until, self._replay_total = feed.seq, feed.total
        self._total = feed.total
        self._timer: asyncio.TimerHandle | None = None
        if after < feed.seq:
            self._news.set()

    def take(self) -> Entry | Merged | None:
        """The next event for this reader, merged with its neighbours if it is behind; None: none yet."""
        feed = self._feed
        if self.seq >= feed.seq or self.seq + 1 < feed.oldest:
            self._news.clear()
            return None
        entry = feed.entry(self.seq + 1)
        found = self._merge(entry) if self._behind() else entry
        self.seq = found.seq
        self._total = feed.entry(found.seq).total
        if self._timer is not None and not self._over_mark():
            self._timer.cancel()
            self._timer = None
        return found

    async def wait(self, until: float | None = None) -> bool:
        """Whether the feed has news by `until` (the loop's time; None: whenever it has)."""
        try:
            async with asyncio.timeout_at(until):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def notify(self) -> None:
        self._news.set()
        if self._on_slow is None:
            return
        if self.seq + 1 < self._feed.oldest:
            self._give_up()
        elif self._timer is None and self._over_mark():
            self._timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._still_slow)

    def close(self) -> None:
        self._on_slow = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._feed.drop(self)

    def _behind(self) -> bool:
        return self.seq >= self._replay_until and self._feed.seq - self.seq > MERGE_BEHIND

    def _merge(self, first: Entry) -> Entry | Merged:
        if first.event["type"] != "content":
            return first
        message_id, entries, size = first.event["message_id"], [first], first.size
        while size < MERGED_BYTES and entries[-1].seq < self._feed.seq:
            following = self._feed.entry(entries[-1].seq + 1)
            if following.event["type"] != "content" or following.event["message_id"] != message_id:
                break
            entries.append(following)
            size += following.size
        return Merged(entries) if len(entries) > 1 else first

    def _over_mark(self) -> bool:
        events = self._feed.seq - max(self.seq, self._replay_until)
        size = self._feed.total - max(self._total, self._replay_total)
        return events > SLOW_EVENTS or size > SLOW_BYTES

    def _still_slow(self) -> None:
        self._timer = None
        if self._over_mark():
            self._give_up()

    def _give_up(self) -> None:
        if self._on_slow is not None:
            on_slow, self._on_slow = self._on_slow, None
            on_slow()
