"""What IOS answers to a line that is no command."""

from __future__ import annotations

from copilot_ws.labs.cli.tree import Ambiguous, Fault, Invalid


def fault_text(fault: Fault, line: str, prompt_width: int) -> str:
    """The caret stands under the offending column of the echoed line."""
    if isinstance(fault, Invalid):
        caret = " " * (prompt_width + fault.column) + "^"
        return f"{caret}\n% Invalid input detected at '^' marker.\n\n"
    if isinstance(fault, Ambiguous):
        return f'% Ambiguous command:  "{line}"\n'
    return "% Incomplete command.\n\n"
