"""Cases proposed from headings and symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.corpora.folder import FolderCorpus
from rankgate.evaluation.project.case_proposals import propose

if TYPE_CHECKING:
    from pathlib import Path


def test_sections_come_first_spread_over_the_files_and_symbols_fill_up(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n## Rotate keys\n\ntext\n\n## Expiry\n\ntext\n")
    (tmp_path / "b.md").write_text("# B\n\n## Retry webhooks\n\ntext\n")
    (tmp_path / "c.py").write_text("def build_index():\n    pass\n\n\ndef _hidden_one():\n    pass\n")
    found = propose(FolderCorpus.open(tmp_path, root=tmp_path))[0]
    assert [(case.query, str(case.at)) for case in found] == [
        ("rotate keys", "a.md#A/Rotate keys"),
        ("retry webhooks", "b.md#B/Retry webhooks"),
        ("a expiry", "a.md#A/Expiry"),
        ("build index", "c.py::build_index"),
    ]


def test_the_same_folder_gives_the_same_cases(tmp_path: Path) -> None:
    for number in range(8):
        text = "".join(f"## Part {number} {n}\n\ntext\n\n" for n in range(4))
        (tmp_path / f"{number}.md").write_text(text)
    corpus = FolderCorpus.open(tmp_path, root=tmp_path)
    assert propose(corpus)[0] == propose(corpus)[0]
    assert len({case.at.path for case in propose(corpus)[0]}) == 8
    assert len(propose(corpus)[0]) == 10


def test_two_headings_of_the_same_words_are_not_proposed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## Getting started\n\ntext\n\n## Rotate keys\n\ntext\n")
    (tmp_path / "b.md").write_text("## Getting started\n\ntext\n")
    found = propose(FolderCorpus.open(tmp_path, root=tmp_path))[0]
    assert [case.query for case in found] == ["rotate keys"]


def test_a_file_that_cannot_be_outlined_is_left_out_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "broken.md").write_text("# Keys\n\n## Rotation of keys\ntext\n")
    (tmp_path / "deep.rs").write_text("mod a { " * 300 + "}" * 300)
    proposals, unread = propose(FolderCorpus.open(tmp_path, root=tmp_path))
    assert [str(proposal.at) for proposal in proposals] == ["broken.md#Keys/Rotation of keys"]
    assert list(unread) == ["deep.rs"]
    assert "nested" in unread["deep.rs"]
