"""Labels are appended, survive a crash, and the last word of a judge on a passage counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.truth.judgments.labels import Label, LabelLog, labels_folder, read_labels, settled_label

if TYPE_CHECKING:
    from pathlib import Path


def _label(grade: float | None, at: str = "keys.md:3-9", **more: object) -> Label:
    return Label("ada", "rotate", "rotate a key", at=at, grade=grade, **more)  # type: ignore[arg-type]


def test_the_last_label_of_a_judge_on_a_passage_counts(tmp_path: Path) -> None:
    suite = tmp_path / "docs.yaml"
    log = LabelLog(suite, "ada")
    log.append(_label(1))
    log.append(_label(2, "keys.md:20-30"))
    log.append(_label(3, comment="names the command"))
    found = read_labels(suite)
    assert [(label.at, label.grade, label.comment) for label in found.each] == [
        ("keys.md:20-30", 2.0, None),
        ("keys.md:3-9", 3.0, "names the command"),
    ]
    assert len((labels_folder(suite) / "ada.jsonl").read_text().splitlines()) == 3


def test_a_last_line_without_its_end_is_left_out_told_and_cut_by_the_next(tmp_path: Path) -> None:
    suite = tmp_path / "docs.yaml"
    log = LabelLog(suite, "ada")
    log.append(_label(1))
    with log.path.open("ab") as file:
        file.write(b'{"judge": "ada", "case": "rot')
    found = read_labels(suite)
    assert [label.grade for label in found.each] == [1.0]
    assert found.notes == (f"{log.path}: the last line has no end and is left out",)
    log.append(_label(2, "keys.md:20-30"))
    assert [label.grade for label in read_labels(suite).each] == [1.0, 2.0]
    assert read_labels(suite).notes == ()


def test_suites_beside_each_other_share_a_log_and_see_their_own_labels(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        LabelLog(tmp_path / name, "ada").append(_label(1 if name == "a.yaml" else 2))
    (tmp_path / "b.yaml").touch()
    assert [label.grade for label in read_labels(tmp_path / "a.yaml").each] == [1.0]
    (tmp_path / "b.yaml").unlink()
    notes = read_labels(tmp_path / "a.yaml").notes
    assert notes == (f"{tmp_path / 'judgments'}: 1 label of b.yaml, which does not exist, left out",)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"judge": "eve"}, "the judge 'eve'"),
        ({"at": "keys.md:9-3"}, "keys.md:9-3"),
        ({"at": "keys.md#Rotation"}, "keys.md#Rotation"),
        ({"id": "k"}, "both id and at"),
        ({"grade": None}, "said 'grade' with grade None"),
        ({"grade": "high"}, "high"),
        ({"said": "unsure"}, "said 'unsure' with grade 2"),
        ({"better": "x.md:0"}, "x.md:0"),
    ],
)
def test_a_line_that_is_wrong_is_refused_with_its_number(
    tmp_path: Path, row: dict[str, object], wrong: str
) -> None:
    suite = tmp_path / "docs.yaml"
    good = {"judge": "ada", "case": "rotate", "query": "q", "at": "keys.md:3-9", "grade": 2}
    labels_folder(suite).mkdir()
    lines = [json.dumps(good), json.dumps({**good, **row})]
    (labels_folder(suite) / "ada.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(FormatError) as caught:
        read_labels(suite)
    assert "ada.jsonl:2" in str(caught.value)
    assert wrong in str(caught.value)


@pytest.mark.parametrize("name", ["", "../eve", "a/b", ".hidden", "a" * 65, "new\nline"])
def test_a_judge_has_a_name_that_can_be_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        LabelLog(tmp_path / "docs.yaml", name)


def test_where_judges_differ_nothing_counts_until_it_is_settled() -> None:
    one, other = _label(1), _label(2)
    assert settled_label([one, one]) == one
    assert settled_label([one, other]) is None
    third = _label(1, settles=True, time="2026-01-02T00:00:00Z")
    assert settled_label([one, other, third]) == third


_WRITER = """
import sys
from rankgate.truth.judgments.labels import Label, LabelLog
log = LabelLog(sys.argv[1], "ada")
for number in range(100000):
    log.append(Label("ada", "c", "q", at=f"keys.md:{number + 1}", grade=number % 4))
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_kill_loses_at_most_the_label_being_written(tmp_path: Path) -> None:
    suite = tmp_path / "docs.yaml"
    for moment in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(suite)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.01 * moment)
            writer.send_signal(signal.SIGKILL)
            told = 1 + sum(1 for line in writer.stdout if line.endswith("\n"))
        assert len(read_labels(suite).each) >= told
        LabelLog(suite, "ada").path.unlink()
