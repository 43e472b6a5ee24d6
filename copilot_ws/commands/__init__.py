"""What clients can ask for: CHAT is the socket's table, with its REST routes; LAB is REST's alone."""

from copilot_ws.commands import chat, hitl, models, projects, sessions
from copilot_ws.commands.registry import by_name

CHAT = by_name((*chat.COMMANDS, *sessions.COMMANDS, *hitl.COMMANDS))
LAB = (*projects.COMMANDS, *models.COMMANDS)
