"""What the end of a console's output means: a prompt, a pager, a question, or that more is to come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from copilot_ws.labs.base import Platform

_DEVICE = re.compile(r"(?P<host>\w[\w.:/@-]{0,62})(?P<mode>\([\w.:/ -]{1,40}\))?[>#]")
_SHELL = re.compile(r"(?P<host>\[?[\w.-]+@[\w.-]+)\b.{0,160}?[$#>%]")
_BARE = re.compile(r"(?P<host>)(?:[~/][\w./~-]{0,160} ?)?[$#]")

PROMPT_MAX: Final = 400
"""Characters; a longer line is no prompt, whatever it looks like."""

_FORMS: Final[dict[Platform, tuple[re.Pattern[str], ...]]] = {
    "ios": (_DEVICE,),
    "vpcs": (_DEVICE,),
    "linux": (_SHELL, _DEVICE, _BARE),
    "generic": (_DEVICE, _SHELL, _BARE),
}

_PAGER = re.compile(
    r"(?:-+ ?\(?more\)? ?-+(?: ?\([^)]{1,12}\))?|<-+ ?more ?-+>|press (?:any )?key to continue\W*)$", re.I
)
_RETURN = re.compile(r"press (?:return|enter) to (?:get started|continue|activate)", re.I)
_LOGIN = re.compile(r"(?:^|\W)(?:user ?name|login|pass(?:word|code|phrase))(?: for \S+)? ?:$", re.I)
_QUESTION = re.compile(
    r"(?:\[confirm\]|[\[(](?:yes|y) ?[/|] ?(?:no|n)\b[^\])]*[\])] ?[:?]?"
    r"|\[[^\]]*\] ?[?:]|(?-i:[a-z]{2})[^?]*\?)$",
    re.I,
)
_TEXT_WANTED = re.compile(r"end with the character ", re.I)

_TIME = r"[*.]?[A-Z][a-z]{2} +\d+ (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{2,5})?: "
_LOG = re.compile(
    rf"(?:\d{{1,10}}: )?(?:{_TIME}|%[A-Z\d_]+(?:-[A-Z\d_]+)*-[0-7]-[A-Z\d_]+:)"
    r"|\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d:\d\d\S* "
    r"|\[ *\d+\.\d{3,}\] "
)
_LOG_LINE = re.compile(rf"(?:\r?\n)?(?:{_LOG.pattern})[^\n]*\n")
_UNSEEN = re.compile(r"\x1b\[[\d;?]*[@-~]|[\x00-\x20\x7f-\x9f]")
_REDRAWN = re.compile(r"[\b\r\x1b]")
_SCROLLED = re.compile(r"(?:^|[>#] ?)[<$](?P<end>.{8,})$")
_ECHO_END = 8


class Sign(Enum):
    """What the end of the output shows, from the surest sign of a prompt to none."""

    SAME = auto()
    """The reference prompt, character for character."""
    MODE = auto()
    """A prompt of the same host in another mode or directory."""
    OTHER = auto()
    """Something of the shape of a prompt: another host name."""
    LOGGED = auto()
    """A prompt that only log messages have followed."""
    PAGER = auto()
    RETURN = auto()
    LOGIN = auto()
    QUESTION = auto()
    TYPED = auto()
    """The reference prompt, and behind it what somebody types."""
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt without its trailing blanks; `host` is what stays the same in another mode or directory."""

    text: str
    host: str

    @property
    def configuring(self) -> bool:
        """Whether lines typed here change a device's configuration."""
        return "(conf" in self.text


def parse(line: str, platform: Platform) -> Prompt | None:
    """The prompt that `line` is as a whole, or None."""
    text = line.rstrip()
    for form in _FORMS[platform] if len(text) <= PROMPT_MAX else ():
        if match := form.fullmatch(text):
            return Prompt(text, match["host"])
    return None


def read_end(
    line: str, recent: Sequence[str], platform: Platform, reference: Prompt | None
) -> tuple[Sign, Prompt | None]:
    """What the line under way and the last finished lines say, and the prompt if that is one."""
    text = line.rstrip()
    if reference and text == reference.text:
        return Sign.SAME, reference
    if prompt := parse(text, platform):
        return (Sign.MODE if reference and prompt.host == reference.host else Sign.OTHER), prompt
    if _PAGER.search(text[-40:]):
        return Sign.PAGER, None
    if _LOGIN.search(text[-80:]):
        return Sign.LOGIN, None
    last = text or next((line for line in reversed(recent) if line), "")
    if _QUESTION.search(text[-200:]) or _TEXT_WANTED.search(last[:200]):
        return Sign.QUESTION, None
    if _RETURN.search(last[:200]):
        return Sign.RETURN, None
    if reference and (prompt := _before_logs([*recent, text], platform, reference)):
        return Sign.LOGGED, prompt
    if reference and typed_behind(text, reference):
        return Sign.TYPED, reference
    return Sign.NONE, None


def after_prompt(line: str, prompt: Prompt) -> str | None:
    """The log message that `line` shows behind `prompt` ("" if it is the prompt alone), else None."""
    rest = line[len(prompt.text) :].lstrip() if line.startswith(prompt.text) else None
    return rest if rest == "" or (rest and _LOG.match(rest)) else None


def typed_behind(line: str, prompt: Prompt) -> str:
    """What stands behind `prompt` on the line under way and is no log message; "" for nothing."""
    text = line.rstrip()
    if not text.startswith(prompt.text) or after_prompt(text, prompt) is not None:
        return ""
    return text[len(prompt.text) :].strip()


def moved(line: str, prompt: Prompt) -> bool:
    """Whether `line` stands at a prompt of the same device in another mode than `prompt`."""
    found = _DEVICE.match(line)
    return found is not None and found["host"] == prompt.host and not line.startswith(prompt.text)


def foreign(command: str, line: str, prompt: Prompt) -> bool:
    """Whether more stands behind `prompt` than can have come from typing `command`.

    Characters of `command` that are missing were lost on the way; a line that scrolls tells nothing.
    """
    shown = typed_behind(line, prompt)
    if shown.startswith(("<", "$")) or shown.endswith("$"):
        return False
    characters = iter(command)
    return not all(character in characters for character in shown)


def _before_logs(lines: Sequence[str], platform: Platform, reference: Prompt) -> Prompt | None:
    logged = False
    for line in reversed(lines):
        if after_prompt(line, reference):
            return reference
        if _LOG.match(line):
            logged = True
        elif line:
            prompt = parse(line, platform) if logged else None
            return prompt if prompt and prompt.host == reference.host else None
    return None


def echoed(command: str, line: str, received: str, prompt: Prompt) -> bool:
    """Whether the device has shown all of `command`, typed at `prompt`.

    `line` is the line under way as it looks, `received` all that came since the command was sent. A command
    that is longer than the device's line comes back wrapped or scrolled, so it may never stand on `line`.
    """
    if line.rstrip().removeprefix(prompt.text).strip() == command:
        return True
    shown, wanted = _UNSEEN.sub("", _LOG_LINE.sub("", received)), _UNSEEN.sub("", command)
    before = shown.removesuffix(wanted)
    if before != shown and (not before or before.endswith(_UNSEEN.sub("", prompt.text))):
        return True
    if scrolled := _SCROLLED.search(line.rstrip()):
        return command.endswith(scrolled["end"])
    if not _REDRAWN.search(received) or not shown.endswith(wanted[-_ECHO_END:]):
        return False
    characters = iter(shown)
    return all(character in characters for character in wanted)
