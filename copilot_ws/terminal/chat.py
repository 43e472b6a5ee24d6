"""`copilot-ws chat`: one message, its answer as it comes, and an exit code that says how it went."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import shlex
import sys
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp

from copilot_ws.settings import default_data_dir
from copilot_ws.terminal.client import GIVE_UP_SECONDS, Dialer, Refused
from copilot_ws.terminal.conversation import WAITING, Conversation
from copilot_ws.terminal.keyboard import Typist, standard_keyboard
from copilot_ws.terminal.leaving import READER_GONE, Leaving
from copilot_ws.terminal.server import Endpoint, Problem, choose_project, fetch_projects, locate
from copilot_ws.terminal.view import View, standard_view
from copilot_ws.terminal.wording import program

GOOD, FAILED, CANNOT, INTERRUPTED = 0, 1, 2, 130
OUTCOMES = {"completed": GOOD, "limited": GOOD, WAITING: GOOD}
LAST_WORDS = {
    "stopped": "The run was stopped.",
    "failed": "The run failed.",
    "limited": "The run was ended by a limit.",
    "unfinished": "The run did not run to its end, as it seems: the answer is not complete.",
}


@dataclass(frozen=True)
class ChatOptions:
    """What was typed. `message` `-` stands for standard input, None follows what runs in `session`.

    `undo` is a run of `session` to be taken back, in the place of a message.
    """

    message: str | None
    url: str | None
    project: str | None
    session: str | None
    token: str | None = field(repr=False)
    data_dir: Path
    undo: str | None = None


def run_chat(options: ChatOptions) -> int:
    """The exit code: 0 answered, 1 the run failed, 2 it could not begin or go on, 130 Ctrl-C."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    view = standard_view(lively=sys.stdout.isatty())
    try:
        if options.message == "-":
            options = replace(options, message=sys.stdin.read())
        code = asyncio.run(chat(options, view, standard_keyboard()))
    except KeyboardInterrupt:
        return INTERRUPTED
    if code == READER_GONE:
        _forget_output()
    return code


def _forget_output() -> None:
    """Python flushes standard output at its end, and would complain that nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def chat(
    options: ChatOptions, view: View, typist: Typist | None = None, *, give_up: float = GIVE_UP_SECONDS
) -> int:
    """The command on a running loop. Without `typist` nobody is asked anything here."""
    async with Leaving() as leaving:
        view.when_gone(lambda: leaving.leave(READER_GONE))
        try:
            outcome = await _converse(options, view, typist, leaving, give_up)
        except asyncio.CancelledError:
            if leaving.code is None:
                raise
            return leaving.code
        except (Problem, Refused) as problem:
            view.error(str(problem))
            return leaving.code or CANNOT
        finally:
            view.close()
        return leaving.code or OUTCOMES.get(outcome, FAILED)


async def _converse(options: ChatOptions, view: View, typist: Typist | None, leaving: Leaving, give_up: float) -> str:
    if options.undo is not None and (options.message is not None or options.session is None):
        raise Problem("To undo a run, say with --session which conversation it belongs to, and give no message.")
    if options.message is None and options.session is None:
        raise Problem("There is no message. Without one, say with --session which conversation to follow.")
    if options.message is not None and not options.message.strip():
        raise Problem("There is no message: nothing but blanks was given.")

    def found() -> Endpoint:
        return locate(options.url, options.token, options.data_dir)

    endpoint = await asyncio.to_thread(found)
    async with aiohttp.ClientSession() as http:
        project = choose_project(await fetch_projects(http, endpoint), options.project)
        dialer = Dialer(http, endpoint, found, project.project_id, give_up)
        session_id = options.session or uuid.uuid4().hex
        decide = _next_command(options, endpoint, session_id)
        elsewhere = f"It waits. To decide, open {endpoint.url} in a browser, or type in a terminal: {decide}"
        conversation = Conversation(dialer, view, options.message, session_id, typist, elsewhere, options.undo)
        leaving.politely(conversation.stop)
        try:
            outcome = await conversation.run()
            if outcome in LAST_WORDS:
                view.warning(LAST_WORDS[outcome])
            if outcome == WAITING:
                view.warning(elsewhere)
            return outcome
        finally:
            view.close()
            if conversation.began and not conversation.left_waiting:
                view.note(f"To go on: {decide} MESSAGE")
            if conversation.undoable is not None:
                view.note(f"To undo what this changed: {decide} --undo {conversation.undoable}")


def _next_command(options: ChatOptions, endpoint: Endpoint, session_id: str) -> str:
    """The command that continues the conversation; a token is never shown."""
    words = [program(), "chat"]
    if options.url is not None:
        words += ["--url", str(endpoint.url)]
    elif options.data_dir != default_data_dir():
        words += ["--data-dir", str(options.data_dir)]
    if options.project is not None:
        words += ["--project", options.project]
    return shlex.join([*words, "--session", session_id])
