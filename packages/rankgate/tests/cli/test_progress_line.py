"""A person who waits is told what for; nobody else is."""

from __future__ import annotations

import io

from rankgate.cli.progress_line import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_said_in_the_first_two_seconds_and_nothing_on_a_pipe() -> None:
    for stream, seconds in ((Terminal(), 1.9), (io.StringIO(), 60.0)):
        times = iter([0.0, seconds])
        with ProgressLine(stream, lambda times=times: next(times)) as waiting:  # type: ignore[misc]
            waiting.tell("reading")
        assert stream.getvalue() == ""


def test_one_line_is_written_over_and_taken_away() -> None:
    stream = Terminal()
    times = iter([0.0, 3.0, 3.01, 4.0])
    with ProgressLine(stream, lambda: next(times)) as waiting:
        waiting.tell("one")
        waiting.tell("too soon")
        waiting.tell("two \x1b[31m")
    said = [part.strip() for part in stream.getvalue().split("\r")]
    assert said == ["", "one", "two \\x1b[31m", "", ""]
