"""What the README shows is what a reader gets, and it fits on a screen or two."""

from pathlib import Path

from support.repository import ROOT
from support.transcripts import environment, run_page, undeclared

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_print_what_the_readme_says(tmp_path: Path) -> None:
    wrong = run_page(README, tmp_path / "project", environment(tmp_path))
    assert not wrong, "\n\n".join(wrong)


def test_every_block_is_run() -> None:
    assert undeclared(README) == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 80
