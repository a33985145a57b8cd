"""Acceptance transcripts: commands in small projects, with their whole output, exit codes and verdicts."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.needs import VARIABLES, python_of, started
from support.transcripts import (
    blocks,
    directive,
    run_transcript,
    start_project,
    transcript_environment,
    undeclared,
    write_file,
)
from support.verdict_rows import Verdicts, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
VERDICTS = HERE / "verdicts.tsv"
TRANSCRIPTS = sorted(HERE.glob("*.md"))
_LINES = 30
"""The most lines of a project before its first command."""


@pytest.fixture(scope="session")
def need() -> Iterator[Callable[[str], str]]:
    """Start a server on its first use, and return its URL."""
    with ExitStack() as stack:
        urls: dict[str, str] = {}

        def give(name: str) -> str:
            if name not in urls:
                urls[name] = started(name, stack)
            return urls[name]

        yield give


def _marked(path: Path) -> object:
    need = directive(path.read_text(encoding="utf-8"), "needs")
    marks = [pytest.mark.real, pytest.mark.xdist_group(f"needs-{need}")] if need else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [_marked(path) for path in TRANSCRIPTS])
def test_transcript_output_and_verdicts_are_the_stored_ones(
    path: Path, tmp_path: Path, need: Callable[[str], str], request: pytest.FixtureRequest
) -> None:
    text = path.read_text(encoding="utf-8")
    needed = directive(text, "needs")
    url = need(needed) if needed else ""
    variables = transcript_environment(tmp_path, python_of(needed))
    if url:
        variables[VARIABLES[needed]] = url
    verdicts = Verdicts(path.stem, tmp_path / "project")

    wrong, rewritten = run_transcript(text, tmp_path / "project", variables, verdicts.after)
    if request.config.getoption("--update-transcripts"):
        path.write_text(rewritten, encoding="utf-8")
    else:
        assert not wrong, "\n\n".join(wrong)
        assert rewritten == text, "the layout differs; run pytest --update-transcripts"

    stored = [row for row in read_rows(VERDICTS) if row.transcript == path.stem]
    if verdicts.rows != stored:
        rows = "\n".join(f"{row}\t" for row in verdicts.rows)
        pytest.fail(
            f"verdicts.tsv differs; if that is meant, paste these rows by hand:\n{rows}", pytrace=False
        )


def test_verdicts_are_of_transcripts_that_exist() -> None:
    rows = read_rows(VERDICTS)
    assert {row.transcript for row in rows} <= {path.stem for path in TRANSCRIPTS}
    assert rows == sorted(rows, key=lambda row: (row.transcript, int(row.command), row.system))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript_starts_with_title_sentence_and_small_project(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, empty, sentence, *_ = text.split("\n")
    assert title.startswith("# ")
    assert not empty
    assert sentence[:1].isupper()
    assert undeclared(text) == []
    folder = tmp_path / "project"
    start_project(text, folder)
    for block in blocks(text):
        if block.language == "console":
            break
        write_file(block, folder)
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert sum(len(file.splitlines()) for file in files) <= _LINES
