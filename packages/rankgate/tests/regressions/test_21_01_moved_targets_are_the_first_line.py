"""Issue 21, found 1: edited documents are told as targets that changed, with the command, before any gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TOPICS = range(1, 9)
PAGE = "".join(f"Line {one} says what topic {one} is about, and nothing else.\n" for one in TOPICS)
SEARCH = """import pathlib
def search(query, k):
    lines = pathlib.Path("docs/page.md").read_text().splitlines()
    found = [at for at, line in enumerate(lines, 1) if f"topic {query.split()[-1]} " in line]
    return [{"path": "page.md", "lines": f"{at}-{at}"} for at in found]
"""


def test_line_targets_that_point_at_other_text_are_the_headline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    (tmp_path / "app.py").write_text(SEARCH)
    cases = "".join(f"  - {{query: topic {one}, at: 'page.md:{one}-{one}'}}\n" for one in range(1, 7))
    (tmp_path / "s.yaml").write_text(f"corpus: docs/\ngates: [rr >= 0.9]\ncases:\n{cases}")
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    rankgate("suite", "mend", "s.yaml", "--yes")
    assert rankgate("test").code == 0
    (tmp_path / "docs" / "page.md").write_text("A new first line.\n\n" + PAGE)
    done = rankgate("test")
    lines = done.out.splitlines()
    assert done.code == 1
    assert lines[1].startswith("6 targets ")
    # Where each was and is, so that nobody needs to look it up.
    assert "page.md:1-1 → page.md:3-3" in lines[2]
    assert "moved" in lines[1]
    steps = [line for line in lines[:25] if "rankgate suite mend s.yaml" in line]
    assert steps
    assert "synonyms" not in done.out
