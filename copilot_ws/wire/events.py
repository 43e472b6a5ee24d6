"""The names of everything that the server sends without being asked; docs/protocol.md has a heading for each."""

from __future__ import annotations

EVENT_TYPES = frozenset(
    {
        # a run
        "run_started",
        "content",
        "reasoning",
        "tool_call",
        "tool_start",
        "tool_progress",
        "tool_end",
        "hitl_required",
        "hitl_resolved",
        "usage",
        "llm_retry",
        "limit_reached",
        "error",
        "done",
        # a session
        "session_created",
        "session_updated",
        "session_deleted",
        # the project
        "project_updated",
        "topology_updated",
        # the stream itself
        "heartbeat",
        "replay_lost",
    }
)

# Frames of a WebSocket that are no events: its first one, and the answer to a command.
FRAME_TYPES = frozenset({"hello", "result"})
