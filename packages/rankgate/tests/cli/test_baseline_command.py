"""``rankgate baseline set``, and baselines that lack queries."""

from __future__ import annotations

import shutil
import tomllib
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path


MANY = 10


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project of ten cases with a baseline that finds everything."""
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, MANY, "'drop(ndcg@10) < 0.1'", "k: 10\n")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    return tmp_path


def names(*numbers: int) -> list[str]:
    return [f"topic{number:03}.md" for number in numbers]


def edit(project: Path, *changes: tuple[str, str]) -> None:
    file = project / "search.yaml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def keep(project: Path, lines: int) -> None:
    """Keep the head of the baseline and so many lines."""
    file = project / "baselines" / "search.app.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[: 1 + lines]))


def test_swapped_case_names_are_matched_by_query(project: Path) -> None:
    first, second = "query: about topic000", "query: about topic001"
    edit(project, (first, f"name: about-topic001, {first}"), (second, f"name: about-topic000, {second}"))
    assert rankgate("test").code == 0
    lose(project, *names(1))
    done = rankgate("test")
    assert done.code == 1
    assert (
        "1 of 10 queries lost its relevant hit from the top 10 (about-topic000: rank 1 → not found)"
        in " ".join(done.out.split())
    )


@pytest.mark.parametrize(("lines", "code"), [(8, 0), (7, 4), (1, 4), (0, 4)])
def test_deleted_baseline_lines_make_gates_inconclusive(project: Path, lines: int, code: int) -> None:
    keep(project, lines)
    lose(project, *names(*range(lines, MANY)))
    done = rankgate("test")
    said = " ".join(done.out.split())
    assert done.code == code
    if code:
        of = f"{lines} of its {'1 query' if lines == 1 else f'{lines} queries'} still asked"
        assert f"{lines} of 10 cases in the baseline of app, {of}; a comparison needs 80 % of both" in said


@pytest.mark.parametrize(("asked", "code"), [(8, 0), (7, 4)])
def test_deleted_cases_make_gates_inconclusive(project: Path, asked: int, code: int) -> None:
    edit(
        project,
        *((f"  - {{query: about {name[:-3]}, at: {name}}}\n", "") for name in names(*range(asked, MANY))),
    )
    done = rankgate("test")
    assert done.code == code
    if code:
        told = f"{asked} of {asked} cases in the baseline of app, {asked} of its 10 queries still asked"
        assert told in " ".join(done.out.split())


def test_baseline_set_rejects_a_test_without_verdict(project: Path) -> None:
    edit(project, ("'drop(ndcg@10) < 0.1'", "ndcg@10 >= 0.1 where category = none"))
    assert rankgate("test").code == 2
    assert "a test that ended with exit code 2" in rankgate("baseline", "set").refused()
    (project / ".rankgate" / "search" / "app" / "verdicts.json").unlink()
    assert "did not come to a verdict" in rankgate("baseline", "set").refused()


CONFIGURATIONS = {
    "rankgate.toml": [
        'suites = ["search.yaml"]\n# the search\n[systems.app]  # ours\nfunction = "./app.py:search"\n',
        '# top\n\n[systems.app]\nfunction = "./app.py:search"',
        'suites = [\n  "search.yaml",  # all\n]\r\n\r\n[systems."app"]\r\nfunction = "./app.py:search"\r\n',
        'systems.app = {function = "./app.py:search"}\nsuites = [\n"search.yaml"\n]',
    ],
    "pyproject.toml": [
        '[tool.rankgate]  # here\n[tool.rankgate.systems.app]\nfunction = "./app.py:search"\n[a]\nb = 1\n',
        '[tool.other]\na = [\n  [1],\n]\n\n[tool.rankgate.systems.app]\nfunction = "./app.py:search"\n',
    ],
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in CONFIGURATIONS.items() for text in texts]
)
def test_baseline_set_writes_require_baseline_only(project: Path, name: str, text: str) -> None:
    (project / "rankgate.toml").unlink()
    (project / name).write_text(text, newline="")
    rankgate("test", "search.yaml")
    assert f"{name}: require_baseline = true" in rankgate("baseline", "set", "search.yaml").printed()
    with (project / name).open(newline="") as file:
        written = file.read()
    found = tomllib.loads(written)
    assert (found if name == "rankgate.toml" else found["tool"]["rankgate"])["require_baseline"] is True
    left = iter(written.splitlines())
    assert all(line in left for line in text.splitlines())
    again = rankgate("baseline", "set", "search.yaml").printed()
    assert "require_baseline" not in again


def test_baseline_set_rejects_a_run_over_older_documents(project: Path) -> None:
    shutil.rmtree(project / "baselines")
    (project / "docs" / "topic000.md").write_text("# Another\n")
    done = rankgate("baseline", "set")
    assert done.code == 2
    assert "corpus" in done.err
    assert "test" in done.err
    assert not (project / "baselines").exists()
    rankgate("test")
    rankgate("baseline", "set").printed()
