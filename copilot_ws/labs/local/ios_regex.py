"""IOS's regular expressions, matched in linear time: a person's pattern must not stall the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NESTING_MAX = 40

_SPECIAL = frozenset("|)")
_REPEATS = frozenset("*+?")
_DELIMITERS = frozenset(" ,{}()_")


class BadPattern(ValueError):
    """A pattern that cannot be compiled."""


@dataclass(slots=True)
class _Step:
    """One state: consume a character, look at the position, or (neither) go on to all of `next`."""

    next: list[int]
    accepts: Callable[[str], bool] | None = None
    holds: Callable[[str, int], bool] | None = None


class Pattern:
    """`found_in(line)`: whether the pattern matches anywhere. Raises `BadPattern` when built."""

    def __init__(self, source: str) -> None:
        self._steps = _Compiler(source).steps

    def found_in(self, line: str) -> bool:
        final = len(self._steps) - 1
        active: set[int] = set()
        for at in range(len(line) + 1):
            active = self._reach(active | {0}, line, at)
            if final in active:
                return True
            if at < len(line):
                active = self._consume(active, line[at])
        return False

    def _reach(self, states: set[int], line: str, at: int) -> set[int]:
        reached, waiting = set(states), list(states)
        while waiting:
            step = self._steps[waiting.pop()]
            if step.accepts is not None or (step.holds is not None and not step.holds(line, at)):
                continue
            fresh = [state for state in step.next if state not in reached]
            reached.update(fresh)
            waiting += fresh
        return reached

    def _consume(self, states: set[int], char: str) -> set[int]:
        steps = (self._steps[state] for state in states)
        return {after for step in steps if step.accepts and step.accepts(char) for after in step.next}


class _Compiler:
    """Recursive descent over the source; steps are appended in the order they are entered."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._depth = 0
        self.steps: list[_Step] = []
        self._alternatives()
        if self._at < len(source):
            raise BadPattern(source)
        self.steps.append(_Step([]))

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _read(self) -> str:
        char = self._peek()
        if not char:
            raise BadPattern(self._source)
        self._at += 1
        return char

    def _add(self, step: _Step) -> _Step:
        self.steps.append(step)
        return step

    def _alternatives(self) -> None:
        branch = self._add(_Step([]))
        leaves: list[_Step] = []
        while True:
            branch.next.append(len(self.steps))
            self._sequence()
            leaves.append(self._add(_Step([])))
            if self._peek() != "|":
                break
            self._at += 1
        for leaf in leaves:
            leaf.next.append(len(self.steps))

    def _sequence(self) -> None:
        while (char := self._peek()) and char not in _SPECIAL:
            entry = self._add(_Step([]))
            entry.next.append(len(self.steps))
            self._atom(self._read())
            while self._peek() in _REPEATS:
                self._repeat(entry, self._read())

    def _repeat(self, entry: _Step, sign: str) -> None:
        back = self._add(_Step([]))
        after = len(self.steps)
        if sign in "*+":
            back.next.append(entry.next[0])
        if sign in "*?" and after not in entry.next:
            entry.next.append(after)
        back.next.append(after)

    def _atom(self, char: str) -> None:
        here = len(self.steps) + 1
        if char == "(":
            self._group()
        elif char == "[":
            self._add(_Step([here], accepts=self._char_class()))
        elif char == ".":
            self._add(_Step([here], accepts=lambda _char: True))
        elif char == "^":
            self._add(_Step([here], holds=lambda _line, at: at == 0))
        elif char == "$":
            self._add(_Step([here], holds=lambda line, at: at == len(line)))
        elif char == "_":
            self._delimiter(here)
        else:
            self._add(_Step([here], accepts=(self._read() if char == "\\" else char).__eq__))

    def _group(self) -> None:
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise BadPattern(self._source)
        self._alternatives()
        self._depth -= 1
        if self._read() != ")":
            raise BadPattern(self._source)

    def _delimiter(self, here: int) -> None:
        """`_`: a delimiting character, or an end of the line."""
        self._add(_Step([here, here + 1]))
        self._add(_Step([here + 2], accepts=_DELIMITERS.__contains__))
        self._add(_Step([here + 2], holds=lambda line, at: at in (0, len(line))))

    def _char_class(self) -> Callable[[str], bool]:
        negated = self._peek() == "^"
        self._at += negated
        ranges: list[tuple[str, str]] = []
        while not ranges or self._peek() != "]":
            low = high = self._read()
            if self._peek() == "-" and self._source[self._at + 1 : self._at + 2] not in ("", "]"):
                self._at += 1
                high = self._read()
            ranges.append((low, high))
        self._at += 1
        return lambda char: any(low <= char <= high for low, high in ranges) is not negated
