"""Judges what a device would do with lines that are sent to it: only read, change something, or do harm."""

from copilot_ws.labs.danger.judge import judge_configuration, judge_reading
from copilot_ws.labs.danger.plain import lines_of
from copilot_ws.labs.danger.verdict import Level, Verdict

__all__ = ["Level", "Verdict", "judge_configuration", "judge_reading", "lines_of"]
