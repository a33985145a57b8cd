"""Folders of results and baselines: no two suites or systems share one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import APP

if TYPE_CHECKING:
    from pathlib import Path


BAD = "def search(query, k):\n    return [{'path': 'other.md', 'start': 1, 'end': 1}]\n"


SUITE = "corpus: docs/\nmetrics: [rr]\ngates: [rr >= 0.5]\ncases: [{query: about topic0, at: topic0.md}]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with two systems, of which the second finds another document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "topic0.md").write_text("# Topic\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n")
    (tmp_path / "good.py").write_text(APP)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "s.yaml").write_text(SUITE)
    configure(tmp_path, "a.b", "a-b")
    return tmp_path


def configure(project: Path, good: str, bad: str) -> None:
    tables = [
        f'[systems."{name}"]\nfunction = "./{file}.py:search"\n'
        for name, file in ((good, "good"), (bad, "bad"))
    ]
    (project / "rankgate.toml").write_text("".join(tables))


@pytest.mark.parametrize("names", [("a.b", "a-b"), ("a", "A"), ("é", "è"), ("x" * 81, "x" * 82)])
def test_similar_system_names_store_separate_results(project: Path, names: tuple[str, str]) -> None:
    configure(project, *names)
    assert rankgate("test", "s.yaml", "-s", names[0]).code == 0
    rankgate("baseline", "set", "s.yaml", "-s", names[0]).printed()
    assert rankgate("test", "s.yaml", "-s", names[1]).code == 1
    assert "does not exist" in rankgate("baseline", "show", "s.yaml", "-s", names[1]).refused()
    kept = [path.name.lower() for path in (project / ".rankgate" / "s").iterdir()]
    assert len(set(kept)) == 2
    assert "1.000" in rankgate("compare", *names, "--suite", "s.yaml").printed()


@pytest.mark.parametrize(
    "names",
    [("s.v1.yaml", "s-v1.yaml"), ("x/s.yaml", "y/s.yaml"), ("s.yaml", "S.yaml"), ("x/s.yaml", "x-s.yaml")],
)
def test_similar_suite_names_store_separate_results(project: Path, names: tuple[str, str]) -> None:
    for name, failing in zip(names, (True, False), strict=True):
        (project / name).parent.mkdir(exist_ok=True)
        depth = "../" * name.count("/")
        check = ", top: {within: 1, at: other.md}" if failing else ""
        text = SUITE.replace("docs/", f"{depth}docs/").replace("topic0.md}", f"topic0.md{check}}}")
        (project / name).write_text(text)
        assert rankgate("test", name, "-s", "a.b").code == failing
    found = sorted((project / ".rankgate").glob("*/*"))
    assert len({str(path).lower() for path in found}) == 2
    assert "<failure" in rankgate("report", *found, "--format", "junit").printed()
