"""What a person sees: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from copilot_ws.terminal.wording import ENDINGS, NOT_RUN, call_words, cut, duration, faults, preview, printable, reason

STYLES = {"success": "green"} | dict.fromkeys(NOT_RUN, "yellow")


class Screen(Console):
    """A console that reports a reader who has gone; rich's own would end the program."""

    gone: Callable[[], None] | None = None

    def on_broken_pipe(self) -> None:
        self.quiet = True
        if self.gone is not None:
            self.gone()


def standard_view(lively: bool) -> View:
    """The view of this process. Not `lively` (standard output is no terminal): no colour, nothing moves."""
    force = None if lively else False
    out = Screen(highlight=False, force_terminal=force)
    return View(out, Screen(stderr=True, highlight=False, force_terminal=force), lively=lively)


class View:
    """Draws one run as it comes.

    Answer and notes may share a terminal: the view knows which line is open and ends it before
    it writes elsewhere. On a pipe the answer's text is passed on as it is.
    """

    def __init__(self, out: Screen, err: Screen, *, lively: bool) -> None:
        self._out, self._err, self._lively = out, err, lively
        self._spins = lively and err.is_terminal and err.is_interactive
        self._live: Live | None = None
        self._message = ""
        self._tail = "\n"
        self._wrote = False
        self._thinking = False
        self._prompt = ""
        self._open: set[str] = set()
        self._several = False
        self._calls: dict[str, list[str]] = {}
        self._running: dict[str, str] = {}

    def when_gone(self, gone: Callable[[], None]) -> None:
        """`gone` is called when nobody reads the output any more."""
        self._out.gone = self._err.gone = gone

    # the answer

    def answer(self, message_id: str, text: str) -> None:
        self._still()
        self._end_thought()
        if self._lively:
            text = printable(text)
        if message_id != self._message:
            self._message = message_id
            self._end_answer()
            if self._wrote and not self._lively:
                self._write("\n")
        self._write(text)

    def thought(self, text: str) -> None:
        self._still()
        if not self._thinking:
            self._end_line()
            self._thinking = True
        self._err.print(Text(printable(text), "dim"), end="", soft_wrap=True)

    def waiting(self) -> None:
        """The model's next words are awaited."""
        self._spin("thinking")

    def retried(self, why: str, seconds: float, attempt: int, of: int) -> None:
        """The model's provider failed, and is asked again after so many seconds."""
        pause = duration(round(seconds * 1000))
        self.warning(f"Trying again in {pause} (attempt {attempt} of {of}). {why}")
        self._spin("waiting for the model provider")

    # tools

    def tool_called(self, call_id: str, name: str, arguments: str) -> None:
        self._end_answer()  # calls end what a message says
        self._open.add(call_id)
        self._several = self._several or len(self._open) > 1
        words = self._calls[call_id] = call_words(name, arguments)
        self._line(f"> {words[0]}", "cyan")
        for word in words[1:]:
            self._line(f"  {word}", "cyan")

    def tool_started(self, call_id: str, name: str) -> None:
        self._running[call_id] = name
        self._spin(name)

    def tool_progress(self, call_id: str, device: str, done: int, total: int, text: str) -> None:
        name = self._running.get(call_id, "")
        self._spin(cut(f"{name} {device} {done}/{total} {text}", max(20, self._err.width - 4)))

    def tool_ended(
        self, call_id: str, status: str, milliseconds: int | None, output: str, executed: dict[str, Any] | None = None
    ) -> None:
        """How it went, in a line that names the call where that is not plain from the line above.

        `executed`: the arguments with which a person replaced the model's.
        """
        alone = not self._several
        self._open.discard(call_id)
        self._several = self._several and bool(self._open)
        name = self._running.pop(call_id, "")
        words = self._calls.get(call_id, [name])
        took = "" if milliseconds is None or status in NOT_RUN else f", {duration(milliseconds)}"
        whose = "" if alone else f" ({cut(' '.join(words), 80)})"
        style = STYLES.get(status, "red")
        self._line(f"  {ENDINGS.get(status, status)}{took}{whose}", style)
        if executed is not None:
            for word in call_words("changed by a person:", json.dumps(executed, ensure_ascii=False)):
                self._line(f"    {word}", "yellow")
        self._output(status, output, style)
        self._spin(next(iter(self._running.values()), "thinking"))

    def _output(self, status: str, output: str, style: str) -> None:
        if status in NOT_RUN:
            if why := reason(output):
                self._line(f"    {why}", style)
            return
        for fault in faults(output):
            self._line(f"    {fault}", "red")
        if status == "success" or not faults(output):
            for line in preview(output):
                self._line(f"    {line}", "dim")

    # questions

    def show(self, lines: Sequence[Text]) -> None:
        """Lines that are drawn already, without anything that could steer the terminal."""
        for line in lines:
            self._draw(line)

    def ask(self, prompt: str) -> None:
        """A person is typing behind `prompt` from now on; it is drawn anew below whatever else is written."""
        self._still()
        self._end_line()
        self._prompt = prompt
        self._draw_prompt()

    def answered(self) -> None:
        """The person has ended the line."""
        self._prompt = ""

    def withdrawn(self) -> None:
        """Nobody waits for the line any more."""
        if self._prompt:
            self._prompt = ""
            self._err.print()

    def _draw_prompt(self) -> None:
        self._err.print(Text(printable(self._prompt), "bold"), end="", soft_wrap=True)

    # words beside it

    def note(self, text: str) -> None:
        self._line(text, "dim")

    def warning(self, text: str) -> None:
        self._line(text, "yellow")

    def error(self, text: str) -> None:
        self._line(text, "bold red")

    def close(self) -> None:
        """Ends every open line and stops whatever moves. The view can be used again."""
        self._still()
        self.withdrawn()
        self._end_thought()
        self._end_answer()

    # lines

    def _line(self, text: str, style: str) -> None:
        self._draw(Text(printable(text), style))

    def _draw(self, line: Text) -> None:
        self._still()
        self._end_line()
        if self._prompt:
            self._err.print()
        self._err.print(line, soft_wrap=True)
        if self._prompt:
            self._draw_prompt()

    def _end_line(self) -> None:
        """On a terminal both streams share the line; a pipe's line stays open for what comes."""
        self._end_thought()
        if self._lively:
            self._end_answer()

    def _end_answer(self) -> None:
        if self._tail != "\n":
            self._write("\n")

    def _end_thought(self) -> None:
        if self._thinking:
            self._thinking = False
            self._err.print()

    def _write(self, text: str) -> None:
        """rich would wrap and expand what a reader wants as it is."""
        if not text or self._out.quiet:
            return
        try:
            self._out.file.write(text)
            self._out.file.flush()
        except BrokenPipeError:
            self._out.on_broken_pipe()
        self._wrote = True
        self._tail = text[-1]

    # what moves

    def _spin(self, text: str) -> None:
        if not self._spins or self._prompt:
            return
        spinner = Spinner("dots", Text(printable(text), "dim"))
        if self._live is not None:
            self._live.update(spinner)
            return
        self._end_line()
        self._live = Live(spinner, console=self._err, transient=True, redirect_stdout=False, redirect_stderr=False)
        self._live.start()

    def _still(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
