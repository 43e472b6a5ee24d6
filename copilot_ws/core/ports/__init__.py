"""What the core needs of agent and store, and gives to them: no side imports another but for this package."""

from copilot_ws.core.ports.agent import Agent, Job, Standing, Title
from copilot_ws.core.ports.asking import Apply, DangerLevel, Decision, DecisionKind, Judged, Pending, Prompt
from copilot_ws.core.ports.run import Journal, Outcome, Sink, Stop, Stopped, StopReason, Tokens, ToolStatus
from copilot_ws.core.ports.store import (
    AlreadyThere,
    Audit,
    AuditRow,
    Copies,
    Counts,
    DeviceCopy,
    Ending,
    RunRow,
    Runs,
    Sessions,
    StoredModel,
    StoredModels,
)

__all__ = [
    "Agent",
    "AlreadyThere",
    "Apply",
    "Audit",
    "AuditRow",
    "Copies",
    "Counts",
    "DangerLevel",
    "Decision",
    "DecisionKind",
    "DeviceCopy",
    "Ending",
    "Job",
    "Journal",
    "Judged",
    "Outcome",
    "Pending",
    "Prompt",
    "RunRow",
    "Runs",
    "Sessions",
    "Sink",
    "Standing",
    "Stop",
    "StopReason",
    "Stopped",
    "StoredModel",
    "StoredModels",
    "Title",
    "Tokens",
    "ToolStatus",
]
