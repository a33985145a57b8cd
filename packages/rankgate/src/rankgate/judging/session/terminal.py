"""The same session in a terminal: a passage is printed, a line is read; nothing of the corpus steers it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.errors import InputError
from rankgate.judging.session.documents import lines_of
from rankgate.judging.session.session import Judgment
from rankgate.reports.text.printable import printable, printable_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.judging.session.session import JudgingSession
    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.judgments.labels import Label, Saying

AROUND = 3
"""How many lines are shown above and below a passage at first."""
_STEP = 20
_LONGEST = 400
_GRADED = re.compile(r"(?P<grade>\d{1,3})(?:\s+(?P<comment>\S.*))?")
_SAID = re.compile(r"(?P<said>[us])(?:\s+(?P<comment>\S.*))?")
_LINES = re.compile(r"l\s+(?P<start>\d{1,9})(?:\s*-\s*(?P<end>\d{1,9}))?")
_OTHER = re.compile(r"a\s+(?P<number>\d{1,3})")
HELP = """\
  2            grade it 2; `2 because …` adds a comment
  u, s         unsure; skip it for now (a comment may follow)
  b            back to the one before, to change it
  l 12-18      these lines are the better location; `l` alone drops it
  a 1          alternative: this or passage 1 of those listed will do
  +            more lines above and below
  g, ?         guidelines; this list
  q            end; everything said is on the disk"""


class JudgingTerminal:
    """Judges passages by lines that are typed."""

    def __init__(
        self, session: JudgingSession, read: Callable[[str], str], write: Callable[[str], object]
    ) -> None:
        self._session = session
        self._read = read
        self._write = write
        self._around = AROUND
        self._better: tuple[int, int] | None = None
        self._alternative: str | None = None

    def run(self) -> None:
        """Ask until nothing is left, or the judge ends it."""
        earlier: JudgingUnit | None = None
        while (unit := earlier or self._session.next()) is not None:
            self._around, self._better, self._alternative = AROUND, None, None
            self._show(unit)
            typed = self._answer(unit)
            if typed is None:
                return
            earlier = self._back(earlier) if typed == "b" else None
        self._say(f"{self._session.progress().remaining.words}. Nothing more is needed.")

    def _back(self, earlier: JudgingUnit | None) -> JudgingUnit | None:
        found = self._session.before(earlier)
        if found is None:
            self._say("This is the first one.")
            return earlier
        label = self._session.label(found)
        if label is not None:
            self._say(f"An earlier judgment: {_said(label)}")
        return found

    def _answer(self, unit: JudgingUnit) -> str | None:
        """Read lines until the passage is judged; ``b`` for the one before, None for the end."""
        top = self._session.task.scale.top
        while True:
            try:
                typed = self._read(f"0-{top}, u, s, b, l, +, g, ?, q> ").strip()
            except (EOFError, KeyboardInterrupt):
                return None
            if typed in ("q", "b"):
                return None if typed == "q" else typed
            judgment = self._judgment(typed)
            if judgment is not None:
                if self._record(unit, judgment):
                    return typed
            elif not self._helped(unit, typed):
                self._say("not understood; ? lists what can be typed")

    def _judgment(self, typed: str) -> Judgment | None:
        if found := _GRADED.fullmatch(typed):
            comment = found["comment"] or ""
            return Judgment("grade", int(found["grade"]), comment, self._better, self._alternative)
        if found := _SAID.fullmatch(typed):
            said: Saying = "unsure" if found["said"] == "u" else "skip"
            return Judgment(said, comment=found["comment"] or "")
        return None

    def _record(self, unit: JudgingUnit, judgment: Judgment) -> bool:
        """Write a judgment, and tell what does not agree with it; False where it was refused."""
        while True:
            try:
                self._session.record(unit, judgment)
                break
            except InputError as error:
                self._say(str(error))
                return False
            except OSError as error:
                self._say(f"NOT WRITTEN: {error}. It is kept here.")
                try:
                    self._read("Enter tries again> ")
                except (EOFError, KeyboardInterrupt):
                    self._say("This judgment is lost; all others are on the disk.")
                    return False
        for one in self._session.related(unit):
            mark = "NOT GRADED ALIKE: " if one.mismatch else ""
            self._say(f"{mark}{one.location} has {one.grade:g} for “{one.query}”")
        return True

    def _helped(self, unit: JudgingUnit, typed: str) -> bool:
        """Do what is no judgment; False where it is nothing that is known."""
        if found := _LINES.fullmatch(typed):
            self._better = int(found["start"]), int(found["end"] or found["start"])
            self._say(f"lines {self._better[0]} to {self._better[1]} are the better location; grade it")
        elif typed == "l":
            self._better = None
        elif found := _OTHER.fullmatch(typed):
            others = self._session.alternatives(unit)
            number = int(found["number"])
            if not 0 < number <= len(others):
                return False
            self._alternative = others[number - 1].unit[1]
            self._say(f"this or {self._alternative}; grade it")
        elif typed == "+":
            self._around += _STEP
            self._show(unit)
        elif typed == "g":
            self._say(self._session.task.guidelines.text or "there are no guidelines")
        elif typed == "?":
            self._say(HELP)
        else:
            return False
        return True

    def _show(self, unit: JudgingUnit) -> None:
        progress = self._session.progress()
        state = [f"{progress.judged} judged", progress.remaining.words, progress.pace, progress.time_left]
        names = self._session.task.scale
        lines = [
            "",
            " · ".join(part for part in state if part),
            f"Query: {printable(unit.query)}",
            " › ".join(map(printable, (unit.location, *unit.outline))),
            *self._passage(unit),
            "   ".join(names.label(grade) for grade in names.grades),
        ]
        others = self._session.alternatives(unit)
        lines += [f"a {at}: {one.unit[1]} has {one.grade:g}" for at, one in enumerate(others[:9], 1)]
        self._say("\n".join(lines))

    def _passage(self, unit: JudgingUnit) -> Iterator[str]:
        """Return the lines of a passage with some around it; those to be judged have a mark."""
        lines, first = lines_of(unit, self._session.task.documents)
        start = first if unit.start is None else unit.start
        end = first + len(lines) - 1 if unit.end is None else unit.end
        shown = range(max(first, start - self._around), min(first + len(lines), end + self._around + 1))
        for number in shown:
            text = lines[number - first].removesuffix("\r")
            more = f" … {len(text) - _LONGEST:,} more characters" if len(text) > _LONGEST else ""
            mark = ">" if start <= number <= end else " "
            yield f"{mark}{number:>6}  {printable_block(text[:_LONGEST])}{more}"

    def _say(self, text: str) -> None:
        """Print lines; whatever would steer a terminal is shown as an escape."""
        self._write("\n".join(map(_line, text.split("\n"))))


def _said(label: Label) -> str:
    said = label.said if label.grade is None else f"grade {label.grade:g}"
    return f"{said}, {label.comment}" if label.comment else said


def _line(text: str) -> str:
    return printable_block(text.expandtabs(4))
