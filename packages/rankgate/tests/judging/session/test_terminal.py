"""The session in a terminal: what is typed, what is written, and that nothing of the corpus steers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.judging.session.documents import NoDocuments
from rankgate.judging.session.terminal import JudgingTerminal
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import read_labels
from support.judging_pages import handbook_units, session_in

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.judging.session.session import JudgingSession
    from rankgate.truth.judgments.labels import Label

UNITS = handbook_units(60)


class _Typist:
    """Types lines, and reads what is printed."""

    def __init__(self, *lines: str) -> None:
        self.left = [*lines]
        self.printed: list[str] = []

    def read(self, prompt: str) -> str:
        self.printed.append(prompt)
        if not self.left:
            raise EOFError
        return self.left.pop(0)

    @property
    def text(self) -> str:
        return "\n".join(self.printed)


def _typed(session: JudgingSession, *lines: str) -> _Typist:
    typist = _Typist(*lines)
    JudgingTerminal(session, typist.read, typist.printed.append).run()
    return typist


def _labels(folder: Path) -> list[Label]:
    return [*read_labels(folder / "handbook.yaml").each]


def test_grades_comments_unsure_and_skip_are_written_as_they_are_typed(tmp_path: Path) -> None:
    typist = _typed(session_in(tmp_path, UNITS), "2 because it says so", "u", "s later", "0", "q", "3")
    assert [(one.said, one.grade, one.comment) for one in _labels(tmp_path)] == [
        ("grade", 2.0, "because it says so"),
        ("unsure", None, None),
        ("skip", None, "later"),
        ("grade", 0.0, None),
    ]
    assert typist.left == ["3"]
    assert f"Query: {UNITS[4].query}" in typist.text
    assert "0, not relevant   1, related" in typist.text
    assert "57 passages remain" in typist.text


def test_fifty_judgments_and_the_end_of_input(tmp_path: Path) -> None:
    _typed(session_in(tmp_path, UNITS), *(str(number % 4) for number in range(50)))
    assert [one.grade for one in _labels(tmp_path)] == [float(number % 4) for number in range(50)]
    typist = _typed(session_in(tmp_path, UNITS), *["1"] * 10)
    assert typist.printed[-1] == "0 passages remain. Nothing more is needed."


def test_back_changes_what_was_said(tmp_path: Path) -> None:
    typist = _typed(session_in(tmp_path, UNITS), "b", "1", "2", "b", "b", "3", "0")
    assert "This is the first one." in typist.text
    assert "An earlier judgment: grade 2" in typist.text
    found = {one.unit: one.grade for one in _labels(tmp_path)}
    assert [found[unit.key] for unit in UNITS[:3]] == [3.0, 2.0, 0.0]


def test_a_better_location_an_alternative_more_lines_and_help(tmp_path: Path) -> None:
    same = [unit for unit in UNITS if unit.case == UNITS[0].case][:2]
    typist = _typed(session_in(tmp_path, same), "?", "g", "+", "l 2-5", "2", "a 2", "a 1", "3")
    first, second = _labels(tmp_path)
    assert {first.better, second.better} == {None, f"{same[0].path}:2-5"}
    assert (first.group, second.group) == ("a", "a")
    assert "end; everything said is on the disk" in typist.text
    assert "# How to grade" in typist.text
    assert f"a 1: {same[0].location} has 2" in typist.text
    assert "not understood" in typist.text


def test_what_is_no_grade_is_refused_and_asked_again(tmp_path: Path) -> None:
    typist = _typed(session_in(tmp_path, UNITS), "7", "x", "", "l 900-1", "1", "l", "1")
    assert "grade: found 7, expected a grade from 0 to 3" in typist.text
    assert typist.text.count("not understood") == 2
    assert "better: found lines 900 to 1" in typist.text
    assert len(_labels(tmp_path)) == 1


def test_a_failed_write_is_told_and_tried_again(tmp_path: Path) -> None:
    session = session_in(tmp_path, UNITS)
    blocked = tmp_path / "judgments"
    blocked.write_text("a file where the folder should be")

    class _Mending(_Typist):
        def read(self, prompt: str) -> str:
            if prompt.startswith("Enter"):
                blocked.unlink()
            return super().read(prompt)

    typist = _Mending("3", "", "q")
    JudgingTerminal(session, typist.read, typist.printed.append).run()
    assert "NOT WRITTEN: " in typist.text
    assert [one.grade for one in _labels(tmp_path)] == [3.0]


def test_what_is_not_graded_alike_is_told(tmp_path: Path) -> None:
    units = [
        JudgingUnit(case, case, "api/errors.md:1-4", "api/errors.md", 1, 4)
        for case in ("clock change", "crontab")
    ]
    typist = _typed(session_in(tmp_path, units), "3", "1")
    assert "NOT GRADED ALIKE: api/errors.md:1-4 has 3 for “clock change”" in typist.text


def test_no_control_byte_of_the_corpus_reaches_the_terminal(tmp_path: Path) -> None:
    bad = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e\u2066\x00\x08\r<b>"
    text = f"{bad}\n\t{bad}\n{'y' * 100_000}\n{bad}\r\n"
    unit = JudgingUnit(f"c{bad}", bad, f"a{bad}.md:1-4", f"a{bad}.md", 1, 4, text, (bad,))
    session = session_in(tmp_path, [unit, UNITS[0]], documents=NoDocuments(), guidelines=f"- 1: {bad}\n{bad}")
    typist = _typed(session, "g", "?", "+", "l 2-3", "2", "b", "q")
    for line in typist.text.split("\n"):
        assert line.isprintable(), repr(line)
    assert max(map(len, typist.text.split("\n"))) < 1000
    assert "99,600 more characters" in typist.text
    assert "\\x1b]0;title" in typist.text
