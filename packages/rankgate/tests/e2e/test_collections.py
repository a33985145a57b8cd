"""Five judged collections with default settings after `baseline set`: what a change of the results shows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from support.commands import Done, rankgate
from support.judged_collections import collection

NAMES = ("cacm", "dl19", "trec-covid", "scifact", "esci")
APP = """import json
from pathlib import Path

RESULTS = json.loads(Path(__file__).with_name("results.json").read_text())


def search(query, k):
    return RESULTS[query][:k]
"""


class Project:
    """A suite of a collection, and a system that returns the results in a file."""

    def __init__(self, name: str, data: Path, folder: Path) -> None:
        judged, run = collection(name, data)
        if name == "scifact":
            # Its results are drawn, with the relevant one last: a search has it first.
            run = {query: ids[::-1] for query, ids in run.items()}
        found = (query for query in run if set(judged.get(query, ())) & set(run[query][:10]))
        self.queries = list(islice(found, 300 if name == "scifact" else 60))
        self.judged = {query: set(judged[query]) for query in self.queries}
        self.run = {query: run[query][:10] for query in self.queries}
        self.folder = folder
        cases = [{"query": query, "id": sorted(self.judged[query])} for query in self.queries]
        (folder / "search.yaml").write_text(f"cases: {json.dumps(cases)}\n")
        (folder / "rankgate.toml").write_text(
            'suites = ["search.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
        )
        (folder / "app.py").write_text(APP)
        self.write(self.run)

    def write(self, results: Mapping[str, list[str]]) -> None:
        (self.folder / "results.json").write_text(json.dumps(results))

    def test(self) -> tuple[Done, dict[str, Any]]:
        done = rankgate("test")
        return done, json.loads((self.folder / ".rankgate/search/app/report.json").read_text())


@pytest.fixture
def project(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Project:
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    made = Project(request.param, shared_data, tmp_path)
    monkeypatch.chdir(tmp_path)
    rankgate("baseline", "set", "--once").printed()
    return made


def _reversed(ids: list[str]) -> list[str]:
    return ids[::-1]


def _junk(ids: list[str]) -> list[str]:
    return [f"{name}0000" for name in ids]


def _emptied(_ids: list[str]) -> list[str]:
    return []


@pytest.mark.parametrize("project", NAMES, indirect=True)
@pytest.mark.parametrize("change", [_reversed, _junk, _emptied])
def test_changed_tenth_of_queries_is_red_and_named_first(
    project: Project, change: Callable[[list[str]], list[str]]
) -> None:
    high = [query for query in project.queries if project.judged[query] & set(project.run[query][:3])]
    changed = set(random.Random(1).sample(high, max(1, len(project.queries) // 10)))
    project.write({query: change(ids) if query in changed else ids for query, ids in project.run.items()})
    done, report = project.test()
    assert done.code == 1, done.out
    named = [
        case["query"] for name in report["attention"] for case in report["cases"] if case["name"] == name
    ]
    assert named
    assert set(named) <= changed
    assert named[0] in done.out


@pytest.mark.parametrize("project", NAMES, indirect=True)
def test_one_lost_query_is_named(project: Project) -> None:
    lost = project.queries[0]
    relevant = project.judged[lost]
    project.write(
        {
            query: [one for one in ids if one not in relevant] if query == lost else ids
            for query, ids in project.run.items()
        }
    )
    done, _ = project.test()
    assert done.code == (1 if len(project.queries) <= 200 else 0), done.out
    assert lost in done.out
    assert "not found" in done.out or "no results" in done.out


@pytest.mark.parametrize("project", NAMES, indirect=True)
def test_ids_with_a_prefix_are_a_mapping_problem(project: Project) -> None:
    (project.folder / "baselines" / "search.app.jsonl").unlink()
    project.write({query: [f"doc-{one}" for one in ids] for query, ids in project.run.items()})
    done, _ = project.test()
    assert done.code == 3, done.out
    assert "map:" in done.out


@pytest.mark.parametrize("project", NAMES, indirect=True)
def test_same_results_are_three_green_lines(project: Project) -> None:
    done, _ = project.test()
    assert done.code == 0, done.out
    assert len(done.out.splitlines()) == 3, done.out


def test_whole_files_show_their_length(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    cases, results, length = [], {}, {}
    for file in sorted((shared_data / "chroma" / "corpora").glob("*.md")):
        lines = file.read_text(encoding="utf-8").splitlines()
        (tmp_path / "docs" / file.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        length[file.name] = len(lines)
        middle = max(1, len(lines) // 2)
        query = f"a passage of {file.stem}"
        cases.append({"query": query, "at": f"{file.name}:{middle}"})
        results[query] = [{"path": file.name, "start": middle, "end": middle}]
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\ncases: {json.dumps(cases)}\n")
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "results.json").write_text(json.dumps(results))
    rankgate("baseline", "set", "--once").printed()
    for [hit] in results.values():
        hit.update(start=1, end=length[str(hit["path"])])
    (tmp_path / "results.json").write_text(json.dumps(results))
    done = rankgate("test")
    assert "longer than in the baseline" in done.out, done.out
