"""Issue 21, point 6: what takes more than two seconds says how far it is in the log of CI, too."""

from __future__ import annotations

import io

import pytest

from rankgate.runs.asking.progress import TerminalProgress


def _shown(total: int, seconds_each: float, *, in_ci: bool) -> list[str]:
    stream, now = io.StringIO(), [0.0]
    progress = TerminalProgress(stream, lambda: now[0], in_ci=in_ci)
    progress.start(total, "indexing")
    for _ in range(total):
        now[0] += seconds_each
        progress.advance(0)
    progress.finish()
    return stream.getvalue().splitlines()


def test_a_line_for_every_tenth_with_an_estimate() -> None:
    lines = _shown(200, 0.25, in_ci=True)
    assert lines[0] == "10 %: indexing 20/200, 4.0/s, 0:45 left"
    assert [line.partition(" ")[0] for line in lines] == [str(10 * tenth) for tenth in range(1, 11)]


@pytest.mark.parametrize(("seconds", "in_ci"), [(0.001, True), (0.25, False)])
def test_nothing_of_what_is_quick_and_nothing_on_another_pipe(seconds: float, in_ci: bool) -> None:
    assert _shown(200, seconds, in_ci=in_ci) == []


def test_the_variable_ci_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "yes")
    stream, now = io.StringIO(), [0.0]
    progress = TerminalProgress(stream, lambda: now[0])
    progress.start(1)
    now[0] = 3.0
    progress.advance(0)
    assert stream.getvalue() == "100 %: 1/1, 0.3/s, 0 errors, 0:00 left\n"
