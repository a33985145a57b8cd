"""In a terminal long paths broke in mid-name, and the command to copy was spread over three lines."""

from __future__ import annotations

import re
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from rankgate.reports.text.console import broken_lines
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = (
    "annual plans that were cancelled",
    "monthly plans that were cancelled",
    "accounts that were closed",
)
FOLDER = "handbook/operations/billing"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "docs" / FOLDER
    folder.mkdir(parents=True)
    cases = []
    for topic in TOPICS:
        name = f"how-billing-handles-refunds-for-{topic.replace(' ', '-')}.md"
        (folder / name).write_text(f"# {topic}\n\n## Details\n\nof {topic}\n", encoding="utf-8")
        cases.append(f"  - {{query: how does billing handle {topic}, at: '{FOLDER}/{name}#Details'}}\n")
    head = "corpus: docs/\ngates: [hit@1 >= 0.9]\ncases:\n"
    (tmp_path / "search.yaml").write_text(head + "".join(cases), encoding="utf-8")
    (tmp_path / "rankgate.toml").write_text(
        '[systems.app]\nkind = "function"\ntarget = "app.py:search"\n', encoding="utf-8"
    )
    (tmp_path / "app.py").write_text("def search(query, k):\n    return []\n", encoding="utf-8")
    return tmp_path


def test_names_go_on_where_a_part_ends_and_commands_stand_in_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with chdir(project):
        lines = rankgate("test", "search.yaml", "--system", "app").out.splitlines()
    commands = [line for line in lines if line.startswith("see one")]
    assert len(commands) == 1
    assert commands[0].endswith(
        "rankgate ask app --case how-does-billing-handle-annual-plans-that-were-cancelled --suite search.yaml"
    )
    shown = " ".join(lines)
    for topic in TOPICS:
        # Put together again, a name is whole: it was broken behind a hyphen or a slash.
        name = f"{FOLDER}/how-billing-handles-refunds-for-{topic.replace(' ', '-')}.md"
        assert name in re.sub(r"(?<=[-/]) +", "", shown)


@pytest.mark.parametrize("width", [10, 24, 60])
def test_lines_join_to_the_text_and_are_as_wide_as_parts_allow(width: int) -> None:
    text = f"{FOLDER}/how-billing-handles.md:5-7 › Details of it"
    lines = broken_lines(text, width)
    assert "".join(line.replace(" ", "") for line in lines) == text.replace(" ", "")
    longest = max(len(part) for part in ("operations/", "handbook/", "handles.md:5-7"))
    assert max(map(len, lines)) <= max(width, longest)
