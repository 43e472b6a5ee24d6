"""The numbered feed: numbering, eviction, resuming, merging for who is behind, and who is too slow."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.waiting import soon

from copilot_ws.core import feed as feeds
from copilot_ws.core.feed import Cursor, Feed
from copilot_ws.wire.codecs import JSON, MSGPACK, decode_frame

Json = dict[str, Any]


def content(text: str, message_id: str = "m") -> Json:
    return {"type": "content", "session_id": "s", "message_id": message_id, "content": text}


def other() -> Json:
    return {"type": "usage", "session_id": "s"}


def a_feed(events: int = 0, *, max_events: int = 10_000, max_bytes: int = 1 << 24) -> Feed:
    feed = Feed(max_events, max_bytes)
    for number in range(events):
        feed.publish(content(f"{number} "))
    return feed


def read(cursor: Cursor) -> list[Json]:
    """All that the cursor has, as its client would decode it."""
    frames = []
    while (entry := cursor.take()) is not None:
        frame = decode_frame(JSON, entry.encoded(JSON))
        assert frame["seq"] == entry.seq
        frames.append(frame)
    return frames


def numbers(frames: list[Json]) -> list[int]:
    """Every number that the frames stand for; merged ones stand for several."""
    return [n for frame in frames for n in range(frame.get("first_seq", frame["seq"]), frame["seq"] + 1)]


class TestNumbering:
    def test_each_event_has_the_last_ones_number_plus_one(self) -> None:
        feed = a_feed(3)
        assert feed.publish(other()) == feed.seq == 4
        assert [event["seq"] for event in feed.events_after(0)] == [1, 2, 3, 4]

    def test_every_feed_has_an_epoch_of_its_own(self) -> None:
        assert a_feed().epoch != a_feed().epoch

    async def test_two_codecs_say_the_same(self) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        feed.publish(content("ü🙂"))
        entry = cursor.take()
        assert entry is not None
        assert decode_frame(JSON, entry.encoded(JSON)) == decode_frame(MSGPACK, entry.encoded(MSGPACK))

    async def test_an_event_is_encoded_once_per_codec_for_all(self) -> None:
        feed = a_feed()
        cursors = [feed.cursor() for _ in range(3)]
        feed.publish(content("x"))
        entries = [cursor.take() for cursor in cursors]
        for codec in (JSON, MSGPACK):
            assert len({id(entry.encoded(codec)) for entry in entries if entry is not None}) == 1


class TestKeeping:
    def test_the_newest_events_are_kept(self) -> None:
        feed = a_feed(10, max_events=4)
        assert [event["seq"] for event in feed.events_after(0)] == [7, 8, 9, 10]
        assert [after for after in range(12) if feed.keeps(after)] == [6, 7, 8, 9, 10]

    def test_also_by_their_bytes(self) -> None:
        feed = a_feed(max_bytes=1000)
        for _ in range(10):
            feed.publish(content("x" * 200))
        assert 1 < len(feed.events_after(0)) < 5

    def test_the_last_one_is_kept_whatever_its_size(self) -> None:
        feed = a_feed(max_bytes=100)
        feed.publish(content("x" * 1000))
        assert len(feed.events_after(0)) == 1

    @pytest.mark.parametrize("after", [-1, 11, 10**9])
    def test_a_place_that_it_never_had_is_not_kept(self, after: int) -> None:
        assert not a_feed(10).keeps(after)


class TestReading:
    async def test_a_reader_gets_what_comes_after_it(self) -> None:
        feed = a_feed(5)
        cursor = feed.cursor()
        assert read(cursor) == []
        feed.publish(content("new"))
        await soon(cursor.wait(), "news")
        assert [frame["content"] for frame in read(cursor)] == ["new"]

    async def test_a_reader_that_resumes_gets_all_that_it_missed_first(self) -> None:
        feed = a_feed(500)
        cursor = feed.cursor(after=100)
        await soon(cursor.wait(), "news")
        feed.publish(content("live"))
        assert numbers(read(cursor)) == list(range(101, 502))

    async def test_a_reader_that_keeps_up_gets_every_event_as_it_is(self) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        for number in range(200):
            feed.publish(content(str(number)))
            (frame,) = read(cursor)
            assert "first_seq" not in frame

    async def test_a_closed_reader_is_forgotten(self) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        assert feed.watched
        cursor.close()
        assert not feed.watched


class TestMerging:
    async def test_neighbours_are_merged_for_who_is_behind(self) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        for number in range(200):
            feed.publish(content(f"{number} "))
        frames = read(cursor)
        assert len(frames) < 100
        assert (frames[0]["first_seq"], frames[0]["seq"]) == (1, 200)

    @given(
        st.lists(st.sampled_from(["content a", "content b", "other"]), max_size=400),
        st.integers(0, 400),
    )
    def test_nothing_is_lost_mixed_or_moved(self, kinds: list[str], at: int) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        frames = []
        for number, kind in enumerate(kinds):
            feed.publish(other() if kind == "other" else content(f"<{number}>", kind[-1]))
            if number == at:
                frames += read(cursor)
        frames += read(cursor)
        assert numbers(frames) == list(range(1, len(kinds) + 1))
        for message_id in "ab":
            said = "".join(f["content"] for f in frames if f.get("message_id") == message_id)
            assert said == "".join(f"<{n}>" for n, kind in enumerate(kinds) if kind[-1] == message_id)
        others = [f["seq"] for f in frames if f["type"] == "usage"]
        assert others == [n for n, kind in enumerate(kinds, 1) if kind == "other"]

    async def test_a_merged_frame_has_a_limit(self) -> None:
        feed = a_feed()
        cursor = feed.cursor()
        for _ in range(300):
            feed.publish(content("x" * 1000))
        assert max(len(frame["content"]) for frame in read(cursor)) <= feeds.MERGED_BYTES + 1000

    async def test_what_was_kept_for_others_stays_unmerged(self) -> None:
        feed = a_feed()
        behind = feed.cursor()
        for number in range(200):
            feed.publish(content(f"{number} "))
        read(behind)
        assert [len(event["content"].split()) for event in feed.events_after(0)] == [1] * 200


class TestTooSlow:
    """`on_slow` is called for a reader that stays behind, and only for it."""

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feeds, "SLOW_SECONDS", 0.05)
        monkeypatch.setattr(feeds, "SLOW_EVENTS", 20)
        monkeypatch.setattr(feeds, "SLOW_BYTES", 20_000)

    @staticmethod
    async def told(slow: asyncio.Event) -> bool:
        """Whether it was called, after the time that it would have taken."""
        try:
            async with asyncio.timeout(0.15):
                await slow.wait()
        except TimeoutError:
            return False
        return True

    @pytest.mark.parametrize(("events", "size"), [(21, 10), (3, 10_000)], ids=["by events", "by bytes"])
    async def test_who_stays_behind_is_told(self, events: int, size: int) -> None:
        feed, slow = a_feed(), asyncio.Event()
        feed.cursor(on_slow=slow.set)
        for _ in range(events):
            feed.publish(content("x" * size))
        assert not slow.is_set()
        assert await self.told(slow)

    async def test_who_catches_up_in_time_is_not(self) -> None:
        feed, slow = a_feed(), asyncio.Event()
        cursor = feed.cursor(on_slow=slow.set)
        for _ in range(100):
            feed.publish(content("x"))
        read(cursor)
        assert not await self.told(slow)

    async def test_at_the_mark_is_not_over_it(self) -> None:
        feed, slow = a_feed(), asyncio.Event()
        feed.cursor(on_slow=slow.set)
        for _ in range(20):
            feed.publish(content("x"))
        assert not await self.told(slow)

    async def test_a_replay_does_not_count(self) -> None:
        feed, slow = a_feed(1000), asyncio.Event()
        feed.cursor(after=0, on_slow=slow.set)
        for _ in range(20):
            feed.publish(content("x"))
        assert not await self.told(slow)
        feed.publish(content("one more"))
        assert await self.told(slow)

    async def test_the_replayed_bytes_do_not_count_either(self) -> None:
        feed, slow = a_feed(), asyncio.Event()
        for _ in range(10):
            feed.publish(content("x" * 10_000))
        feed.cursor(after=0, on_slow=slow.set)
        feed.publish(content("x" * 10_000))
        assert not await self.told(slow)

    async def test_who_is_overtaken_is_told_at_once(self) -> None:
        feed, slow = a_feed(max_events=5), asyncio.Event()
        cursor = feed.cursor(on_slow=slow.set)
        for _ in range(6):
            feed.publish(content("x"))
        assert slow.is_set()
        assert cursor.take() is None

    async def test_others_are_not_concerned(self) -> None:
        feed, slow = a_feed(), asyncio.Event()
        feed.cursor(on_slow=slow.set)
        quick_is_slow = asyncio.Event()
        quick = feed.cursor(on_slow=quick_is_slow.set)
        for number in range(100):
            feed.publish(content(str(number)))
            assert [frame["content"] for frame in read(quick)] == [str(number)]
        assert await self.told(slow)
        assert not quick_is_slow.is_set()

    async def test_who_has_gone_is_not(self) -> None:
        feed, slow = a_feed(), asyncio.Event()
        cursor = feed.cursor(on_slow=slow.set)
        for _ in range(100):
            feed.publish(content("x"))
        cursor.close()
        assert not await self.told(slow)
