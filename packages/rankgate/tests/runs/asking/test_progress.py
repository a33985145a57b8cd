"""Progress: for a person at a terminal who has waited, and nobody else."""

from __future__ import annotations

from io import StringIO

from rankgate.runs.asking.progress import TerminalProgress, progress_text


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(stream: StringIO, seconds: float) -> str:
    clock = Clock()
    progress = TerminalProgress(stream, clock)
    progress.start(100)
    progress.advance(0)
    clock.now += seconds
    progress.advance(3)
    progress.finish()
    progress.finish()
    return stream.getvalue()


def test_nothing_is_drawn_on_a_pipe() -> None:
    assert shown(StringIO(), 60.0) == ""


def test_nothing_is_drawn_in_the_first_two_seconds() -> None:
    assert shown(Terminal(), 1.9) == ""


def test_a_terminal_shows_rate_errors_and_time_left() -> None:
    assert "2/100, 0.5/s, 3 errors, 3:16 left" in shown(Terminal(), 4.0)


def test_hours_are_told() -> None:
    assert progress_text(1, 3601, 1, 2.0) == "1/3601, 0.5/s, 1 error, 2:00:00 left"
