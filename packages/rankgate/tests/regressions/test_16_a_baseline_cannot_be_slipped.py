"""Renamed cases, deleted lines, a deeper metric or a deleted baseline do not take a guard away in silence."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.pytest_sessions import run_pytest
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


def test_renamed_cases_keep_their_baseline(project: Path) -> None:
    edit(
        project,
        *((f"query: about topic00{at}", f"name: new-{at}, query: about topic00{at}") for at in range(8)),
    )
    assert rankgate("test").code == 0
    lose(project, *names(*range(8)))
    done = rankgate("test")
    assert done.code == 1
    assert "8 of 10 queries lost their relevant hit from the top 10 (new-0: rank 1 → not found, " in " ".join(
        done.out.split()
    )
    assert "10 queries compared" in rankgate("compare", "baseline", "app").printed()


def test_names_that_change_hands_are_told_by_the_question(project: Path) -> None:
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
def test_lines_that_are_deleted_from_a_baseline_leave_the_gates_open(
    project: Path, lines: int, code: int
) -> None:
    keep(project, lines)
    lose(project, *names(*range(lines, MANY)))
    done = rankgate("test")
    said = " ".join(done.out.split())
    assert done.code == code
    if code:
        of = f"{lines} of its {'1 query' if lines == 1 else f'{lines} queries'} still asked"
        assert f"{lines} of 10 cases in the baseline of app, {of}; a comparison needs 80 % of both" in said


@pytest.mark.parametrize(("asked", "code"), [(8, 0), (7, 4)])
def test_cases_that_are_taken_out_of_a_suite_leave_the_gates_open(
    project: Path, asked: int, code: int
) -> None:
    edit(
        project,
        *((f"  - {{query: about {name[:-3]}, at: {name}}}\n", "") for name in names(*range(asked, MANY))),
    )
    done = rankgate("test")
    assert done.code == code
    if code:
        told = f"{asked} of {asked} cases in the baseline of app, {asked} of its 10 queries still asked"
        assert told in " ".join(done.out.split())


def test_the_shares_are_those_of_each_gate_after_where(project: Path) -> None:
    gates = "'drop(ndcg@10) < 0.1'", "'drop(ndcg@10) < 0.1', 'drop(ndcg@10) < 0.1 where category = new'"
    changed = [
        (f"query: about topic00{at}", f"category: new, query: about {'the ' * (at < 2)}topic00{at}")
        for at in range(6)
    ]
    edit(project, gates, *changed)
    done = rankgate("test")
    statuses = {row["gate"]: row["status"] for row in verdicts(project)}
    assert done.code == 4
    assert statuses == {
        "drop(ndcg@10) < 0.1": "passed",
        "drop(ndcg@10) < 0.1 where category = new": "inconclusive",
        "lost(10 -> absent@10)": "passed",
    }
    assert "4 of 6 cases in the baseline of app, 8 of its 10 queries still asked" in " ".join(
        done.out.split()
    )


def verdicts(project: Path) -> list[dict[str, str]]:
    found = json.loads((project / ".rankgate" / "search" / "app" / "verdicts.json").read_text())
    rows: list[dict[str, str]] = found["verdicts"]
    return rows


def test_a_deeper_metric_leaves_the_guard_of_the_others_in_place(project: Path) -> None:
    deeper = ("metrics: [ndcg@10]", "metrics: [ndcg@10, r@20]"), ("k: 10\n", "")
    edit(project, ("'drop(ndcg@10) < 0.1'", "ndcg@10 >= 0.5"), *deeper)
    lose(project, *names(0))
    done = rankgate("test")
    assert done.code == 1
    assert "1 of 10 queries lost" in done.out
    assert "the baseline of app has 10 hits a query, too few to compare r@20" in " ".join(done.out.split())


def test_a_gate_on_a_deeper_metric_is_left_open_and_no_other(project: Path) -> None:
    edit(project, ("'drop(ndcg@10) < 0.1'", "'drop(ndcg@10) < 0.1', 'drop(r@20) < 0.1'"), ("k: 10\n", ""))
    done = rankgate("test")
    assert done.code == 4
    assert [row["status"] for row in verdicts(project)] == ["passed", "inconclusive", "passed"]
    assert "the baseline of app has 10 hits a query, 20 are needed" in " ".join(done.out.split())


def test_a_deleted_baseline_is_missed(project: Path) -> None:
    assert "require_baseline = true" in (project / "rankgate.toml").read_text()
    (project / "baselines" / "search.app.jsonl").unlink()
    lose(project, *names(*range(MANY)))
    done = rankgate("test", "-o", "junit=report.xml")
    assert done.code == 2
    told = "no baseline, and the configuration says require_baseline; to make it: rankgate baseline set"
    assert told in " ".join(done.out.split())
    assert (project / "report.xml").exists()
    session = run_pytest(project, "search.yaml")
    assert session.code == 1
    assert "no baseline, and the configuration says require_baseline" in " ".join(session.out.split())


def test_a_required_baseline_is_made_of_a_test_that_only_lacked_it(project: Path) -> None:
    (project / "baselines" / "search.app.jsonl").unlink()
    assert rankgate("test").code == 2
    rankgate("baseline", "set").printed()
    assert rankgate("test").code == 0


def test_a_system_that_is_only_reported_needs_no_baseline(project: Path) -> None:
    (project / "baselines" / "search.app.jsonl").unlink()
    with (project / "rankgate.toml").open("a") as file:
        file.write("gate = false\n")
    assert rankgate("test").code == 0


def test_a_red_run_becomes_a_baseline_only_on_demand(project: Path) -> None:
    file = project / "baselines" / "search.app.jsonl"
    before = file.read_bytes()
    lose(project, *names(0))
    assert rankgate("test").code == 1
    said = rankgate("baseline", "set").refused()
    assert "a test that ended with exit code 1" in said
    assert "lost(10 -> absent@10): failed" in said
    assert "say --failed" in said
    assert file.read_bytes() == before
    rankgate("baseline", "set", "--failed").printed()
    assert file.read_bytes() != before
    assert rankgate("test").code == 0


def test_a_test_that_came_to_no_verdict_is_no_green_one(project: Path) -> None:
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
def test_the_key_is_written_where_it_belongs_and_nothing_else_changes(
    project: Path, name: str, text: str
) -> None:
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


def test_a_configuration_that_wants_none_is_left_alone(project: Path) -> None:
    file = project / "rankgate.toml"
    text = file.read_text().replace("require_baseline = true", "require_baseline = false")
    file.write_text(text)
    rankgate("baseline", "set").printed()
    assert file.read_text() == text
    (project / "baselines" / "search.app.jsonl").unlink()
    assert rankgate("test").code == 0


def test_a_project_of_init_is_green_in_ci_before_its_first_baseline_and_guarded_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(
        "# Keys\n\n## Rotation\n\nIf you want to replace a leaked key, call it.\n"
    )
    rankgate("init", "--ci", "github").printed()
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    text = (tmp_path / "rankgate.toml").read_text()
    assert tomllib.loads(text)["require_baseline"] is True
    assert text.startswith("# What rankgate tests")
    assert rankgate("test").code == 0
    (tmp_path / "baselines" / "search.app.jsonl").unlink()
    assert rankgate("test").code == 2
