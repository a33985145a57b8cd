"""A target may be a passage, by its words: in any file, or in the one that is named."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "# Keys\n\nRotate the **API key** every [90 days](ttl.md). Tell the team the day before, by mail.\n"
HOOKS = "# Hooks\n\nA delivery that failed is tried again for a day.\n"
SUITE = """\
corpus: docs/
metrics: [rr]
gates: [rr >= 1]
cases:
  - query: how often are keys rotated
    quote: Rotate the API key every 90 days.
    path: keys.md
  - query: what happens to failed deliveries
    quote: [A delivery that failed is tried again for a day.]
    top: {quote: A delivery that failed is tried again}
  - query: who is told
    any_of: [[{quote: "Tell the team the day before, by mail."}, {at: hooks.md}]]
    never: {quote: A delivery that failed}
"""
APP = """\
def search(query, k):
    return ["hooks.md:3-3"] if "deliveries" in query else ["keys.md:3-3"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    files = {"docs/keys.md": KEYS, "docs/hooks.md": HOOKS, "s.yaml": SUITE, "app.py": APP}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_suite_of_passages_is_tested(project: Path) -> None:
    with chdir(project):
        good = rankgate("test", "s.yaml", "--system", "./app.py:search")
        (project / "app.py").write_text(APP.replace("in query", "not in query"), encoding="utf-8")
        bad = rankgate("test", "s.yaml", "--system", "./app.py:search")
    assert (good.code, bad.code) == (0, 1), good.err
    assert 'keys.md:3 › Keys "Rotate the API key every 90 days."' in bad.out


@pytest.mark.parametrize("name", ["o.yaml", "o.suite.jsonl"])
def test_passages_survive_every_format_of_ours(project: Path, name: str) -> None:
    from rankgate.suites.formats import load_suite

    with chdir(project):
        assert rankgate("suite", "convert", "s.yaml", name, "--strict").code == 0
        assert load_suite(name).cases == load_suite("s.yaml").cases
        assert rankgate("test", name, "--system", "./app.py:search").code == 0


def test_a_passage_that_is_not_there_is_told_with_the_file_that_has_it(project: Path) -> None:
    wrong = SUITE.replace("path: keys.md", "path: hooks.md")
    (project / "s.yaml").write_text(wrong, encoding="utf-8")
    with chdir(project):
        done = rankgate("test", "s.yaml", "--system", "./app.py:search")
    assert done.code == 2
    said = " ".join(done.out.split())
    assert "hooks.md has no such passage; it stands in keys.md: correct its path" in said
