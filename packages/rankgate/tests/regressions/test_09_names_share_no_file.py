"""Two systems or two suites never share a file, and two queries never share a case id in silence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import APP

if TYPE_CHECKING:
    from pathlib import Path

BAD = "def search(query, k):\n    return []\n"
SUITE = "corpus: docs/\nmetrics: [rr]\ngates: [rr >= 0.5]\ncases: [{query: about topic0, at: topic0.md}]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with two systems, of which the second finds nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "topic0.md").write_text("# Topic\n")
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
    (project / "rankgate.toml").write_text("require_baseline = false\n" + "".join(tables))


@pytest.mark.parametrize("names", [("a.b", "a-b"), ("a", "A"), ("é", "è"), ("x" * 81, "x" * 82)])
def test_names_of_systems_that_look_alike_have_runs_and_baselines_of_their_own(
    project: Path, names: tuple[str, str]
) -> None:
    configure(project, *names)
    assert rankgate("test", "s.yaml", "-s", names[0]).code == 0
    rankgate("baseline", "set", "s.yaml", "-s", names[0]).printed()
    assert rankgate("test", "s.yaml", "-s", names[1]).code == 1
    assert "does not exist" in rankgate("baseline", "show", "s.yaml", "-s", names[1]).refused()
    kept = [path.name.lower() for path in (project / ".rankgate" / "s").iterdir()]
    assert len(set(kept)) == 2
    assert "1.0000" in rankgate("compare", *names, "--suite", "s.yaml").printed()


@pytest.mark.parametrize(
    "names",
    [("s.v1.yaml", "s-v1.yaml"), ("x/s.yaml", "y/s.yaml"), ("s.yaml", "S.yaml"), ("x/s.yaml", "x-s.yaml")],
)
def test_suites_that_look_alike_have_results_of_their_own_and_the_report_shows_every_failure(
    project: Path, names: tuple[str, str]
) -> None:
    for name, bar in zip(names, ("1.5", "0.5"), strict=True):
        (project / name).parent.mkdir(exist_ok=True)
        depth = "../" * name.count("/")
        (project / name).write_text(SUITE.replace("docs/", f"{depth}docs/").replace("0.5", bar))
        assert rankgate("test", name, "-s", "a.b").code == (bar == "1.5")
    found = sorted((project / ".rankgate").glob("*/*"))
    assert len({str(path).lower() for path in found}) == 2
    assert "<failure" in rankgate("report", *found, "--format", "junit").printed()


def test_suites_of_one_own_name_have_baselines_of_their_own(project: Path) -> None:
    (project / "s.v1.yaml").write_text(SUITE)
    (project / "s-v1.yaml").write_text(SUITE.replace("about topic0", "more about topic0"))
    for name in ("s.v1.yaml", "s-v1.yaml"):
        rankgate("test", name, "-s", "a.b")
        rankgate("baseline", "set", name, "-s", "a.b").printed()
    assert len(list((project / "baselines").iterdir())) == 2


CPP = "cases:\n- {query: what is C++, id: cpp}\n- {query: what is C#, id: csharp}\n"


def test_queries_of_one_slug_are_refused_with_both_lines(project: Path) -> None:
    (project / "s.yaml").write_text(CPP)
    said = rankgate("test", "s.yaml", "-s", "a.b").refused()
    assert (
        "s.yaml:3:3: found 'what is C#', whose name would be 'what-is-c', that of 'what is C++' in line 2"
        in said
    )
    assert "give one of them a name" in said
    (project / "s.yaml").write_text(CPP.replace("id: cpp", "id: cpp, name: c-plus-plus"))
    assert rankgate("test", "s.yaml", "-s", "a.b").code == 0


def test_queries_of_one_slug_are_refused_in_json_lines_too(project: Path) -> None:
    lines = [json.dumps({"query": text, "id": "x"}) for text in ("what is C++", "what is C#")]
    (project / "s.suite.jsonl").write_text("\n".join(lines))
    assert (
        "'what-is-c', that of 'what is C++' in line 1"
        in rankgate("test", "s.suite.jsonl", "-s", "a.b").refused()
    )


def test_queries_of_one_slug_in_a_file_of_another_tool_have_ids_that_their_order_does_not_change(
    project: Path,
) -> None:
    rows = [{"query": text, "expected": ["x"]} for text in ("what is C++", "what is C#", "keys")]
    ids = []
    for name, order in (("one", rows), ("two", rows[::-1])):
        (project / f"{name}.json").write_text(json.dumps(order))
        done = rankgate("suite", "convert", f"{name}.json", f"{name}.yaml", "--from", "expected")
        assert "2 queries whose id another query would have too" in done.out + done.err
        text = (project / f"{name}.yaml").read_text()
        ids.append(sorted(line.split()[-1] for line in text.splitlines() if "~" in line))
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
