"""``rankgate baseline set``: what it saves, what prevents it, and the gate that it adds."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from rankgate.runs.baseline import read_baseline
from support.commands import rankgate
from support.topics import SYSTEM, lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path

MANY = 10
SAVED = f"baseline saved: baselines/search.app.jsonl ({MANY} queries)"
COUNTING = """
from pathlib import Path

CALLS = Path("calls.txt")

def search(query, k):
    calls = CALLS.read_text().split("\\n")[:-1] if CALLS.exists() else []
    CALLS.write_text("".join(one + "\\n" for one in [*calls, query]))
    topic = query.split()[-1]
    again = query in calls
    if topic in Path("unstable.txt").read_text().split() and again:
        return ["other.md", topic + ".md"][:k]
    if topic in Path("swapped.txt").read_text().split() and again:
        return [topic + ".md", "two.md", "one.md"][:k]
    return [topic + ".md", "one.md", "two.md"][:k]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project of ten cases without a baseline."""
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, MANY, "ndcg@10 >= 0.5", "k: 10\n")
    return tmp_path


@pytest.fixture
def counting(project: Path) -> Path:
    """Return a project whose search writes down its calls, and may have other results in the second run."""
    (project / "app.py").write_text(COUNTING)
    for name in ("unstable.txt", "swapped.txt"):
        (project / name).write_text("")
    return project


def edit(project: Path, *changes: tuple[str, str]) -> None:
    file = project / "search.yaml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def unstable(project: Path) -> list[str]:
    asked = read_baseline(project / "baselines/search.app.jsonl").queries
    return [name for name, query in asked.items() if query.unstable]


def test_baseline_set_runs_every_query_twice(counting: Path) -> None:
    assert rankgate("baseline", "set").printed().startswith(SAVED)
    queries = (counting / "calls.txt").read_text().splitlines()
    assert queries == [f"about topic{number:03}" for number in range(MANY)] * 2
    assert unstable(counting) == []
    assert '"unstable"' not in (counting / "baselines/search.app.jsonl").read_text()


def test_baseline_set_once_runs_every_query_once(counting: Path) -> None:
    (counting / "unstable.txt").write_text("topic001")
    rankgate("baseline", "set", "--once").printed()
    assert len((counting / "calls.txt").read_text().splitlines()) == MANY
    assert unstable(counting) == []


def test_baseline_set_marks_unstable_queries(counting: Path) -> None:
    (counting / "unstable.txt").write_text("topic001")
    (counting / "swapped.txt").write_text("topic002")
    assert "1 of 10 queries is unstable: they count in drop, not in lost and regressed\n" in (
        rankgate("baseline", "set").printed()
    )
    assert unstable(counting) == ["about-topic001"]
    line = next(
        json.loads(line)
        for line in (counting / "baselines/search.app.jsonl").read_text().splitlines()
        if '"name": "about-topic001"' in line
    )
    assert line["unstable"] is True
    assert line["hits"][0] == {"id": "other.md"}  # the second run is saved


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2, None),
        (3, "gates on lost and regressed queries protect the other 7 queries only"),
        (MANY, "gates on lost and regressed queries protect no query"),
    ],
)
def test_baseline_set_prints_what_no_longer_protects(
    counting: Path, number: int, expected: str | None
) -> None:
    (counting / "unstable.txt").write_text(" ".join(f"topic{at:03}" for at in range(number)))
    lines = rankgate("baseline", "set").printed().splitlines()
    found = [line for line in lines if line.startswith("gates on lost")]
    assert found == ([expected] if expected else [])


def test_baseline_set_after_a_failed_gate_accepts_it(project: Path) -> None:
    rankgate("baseline", "set").printed()
    lose(project, "topic001.md")
    assert rankgate("test").code == 1
    assert rankgate("baseline", "set").printed() == SAVED + "\n"
    assert rankgate("test").code == 0


def test_baseline_set_does_not_save_errors(project: Path) -> None:
    code = (project / "app.py").read_text()
    (project / "app.py").write_text(
        code.replace("    wanted, topics", '    assert "topic003" not in query\n    wanted, topics')
    )
    done = rankgate("baseline", "set")
    assert (done.code, (project / "baselines").exists()) == (3, False)
    assert "search.yaml: the baseline was not saved: 1 error (about-topic003)." in done.err


def test_baseline_set_does_not_save_missing_targets(project: Path) -> None:
    (project / "docs/topic004.md").unlink()
    done = rankgate("baseline", "set")
    assert (done.code, (project / "baselines").exists()) == (2, False)
    assert "search.yaml: the baseline was not saved: 1 missing target." in done.err
    assert "rankgate suite fix" in done.err


def test_baseline_set_does_not_save_hits_without_location(project: Path) -> None:
    code = (project / "app.py").read_text()
    (project / "app.py").write_text(
        code.replace(
            "[:k]",
            "[:k]\n\nfound = search\n\ndef search(query, k):\n"
            '    return ["/" + name.removesuffix(".md") + "/" for name in found(query, k)]\n',
        )
    )
    done = rankgate("baseline", "set")
    assert (done.code, (project / "baselines").exists()) == (3, False)
    assert "hits could not be located" in done.err
    assert "map: pages" in done.err


def test_baseline_set_saves_a_stored_run_itself(project: Path) -> None:
    run = "".join(
        f"about-topic{at:03} Q0 {name} {rank} {9 - rank} x\n"
        for at in range(MANY - 1)
        for rank, name in enumerate([f"topic{at:03}.md", "topic009.md"], 1)
    )
    (project / "found.trec").write_text(run)
    (project / "rankgate.toml").write_text('suites = ["search.yaml"]\n[systems.app]\nrun = "found.trec"\n')
    rankgate("baseline", "set").printed()
    saved = read_baseline(project / "baselines/search.app.jsonl")
    assert len(saved.queries) == MANY  # also the query that the run does not have
    assert unstable(project) == []
    assert rankgate("test").code == 0


# --- the gate --------------------------------------------------------------------------------------------


def test_first_baseline_adds_a_gate(project: Path) -> None:
    before = (project / "search.yaml").read_text()
    assert rankgate("baseline", "set").printed() == (
        f"{SAVED}\nadded to search.yaml: gates: [drop(ndcg@10) <= 0.04]\n"
    )
    after = (project / "search.yaml").read_text()
    assert after == before.replace("[ndcg@10 >= 0.5]", "[ndcg@10 >= 0.5, drop(ndcg@10) <= 0.04]")
    edit(project, (", drop(ndcg@10) <= 0.04", ""))
    assert rankgate("baseline", "set").printed() == SAVED + "\n"


def test_baseline_of_a_second_system_adds_no_gate(project: Path) -> None:
    with (project / "rankgate.toml").open("a") as file:
        file.write(SYSTEM.format(name="other"))
    assert "added to" in rankgate("baseline", "set", "--system", "app").printed()
    edit(project, (", drop(ndcg@10) <= 0.04", ""))
    assert "added to" not in rankgate("baseline", "set", "--system", "other").printed()


@pytest.mark.parametrize(
    ("gate", "added"),
    [
        ("regressed(ndcg@10) <= 2", False),
        ("drop(ndcg@10) <= 0.5", False),
        ("drop(rr) <= 0.1", True),
        ("lost@10 = 0", True),
        ("drop(ndcg@10) <= 0.1 where tag = a", True),
        ("drop(ndcg@10) <= 0.1 against app", True),
    ],
)
def test_first_baseline_keeps_a_gate_on_its_metric(project: Path, gate: str, added: bool) -> None:
    edit(project, ("ndcg@10 >= 0.5", f"'{gate}'"))
    printed = rankgate("baseline", "set").printed()
    assert ("added to search.yaml: gates: [drop(ndcg@10) <= 0.04]" in printed) is added


@pytest.mark.parametrize(
    ("metric", "more", "expected"),
    [("rr", "", "drop(rr) <= 0.05"), ("ndcg", "", "drop(ndcg) <= 0.04"), ("ndcg@10", "weight: 4, ", "0.13")],
)
def test_threshold_depends_on_metric_and_weights(
    project: Path, metric: str, more: str, expected: str
) -> None:
    edit(project, ("metrics: [ndcg@10]", f"metrics: [{metric}]"), ("gates: [ndcg@10 >= 0.5]\n", ""))
    if more:  # nine of weight 1 and one of weight 4: their sum divided by the largest is 3.25
        edit(project, ("query: about topic000", f"{more}query: about topic000"))
    assert expected in rankgate("baseline", "set").printed()
    assert expected in (project / "search.yaml").read_text()


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        ("", "gates: [drop(ndcg@10) <= 0.04]\ncases:\n"),
        ("gates: []\n", "gates: [drop(ndcg@10) <= 0.04]\n"),
        ("gates:  # ours\n  - rr >= 0.1\n", "  - rr >= 0.1\n  - drop(ndcg@10) <= 0.04\n"),
        ("gates: rr >= 0.1\n", "gates: [rr >= 0.1, drop(ndcg@10) <= 0.04]\n"),
    ],
)
def test_first_baseline_edits_gates_in_place(project: Path, gates: str, expected: str) -> None:
    edit(project, ("gates: [ndcg@10 >= 0.5]\n", gates))
    assert "added to search.yaml" in rankgate("baseline", "set").printed()
    assert expected in (project / "search.yaml").read_text()
    assert rankgate("test").code == 0


CSV = "query,docid,rating\n" + "".join(f"about topic{at:03},topic{at:03}.md,1\n" for at in range(MANY))
GATE = "drop(ndcg@10) <= 0.04"


@pytest.mark.parametrize(
    "suites",
    [
        '["search.csv"]  # all',
        '[\n  "other.yaml",\n  "search.csv",\n]',
        '[{file = "search.csv", system = "app"}]',
        '[{file = "search.csv"}, {file = "search.csv", system = "app", gates = [\n  "rr >= 0.1",\n]}]',
        "['search.csv']",
    ],
)
def test_first_baseline_adds_the_gate_to_the_entry(project: Path, suites: str) -> None:
    (project / "search.csv").write_text(CSV)
    written = f"# top\nsuites = {suites}\n\n{SYSTEM.format(name='app')}"
    (project / "rankgate.toml").write_text(written)
    printed = rankgate("baseline", "set", "search.csv").printed()
    assert "added to rankgate.toml: suites = [{" in printed
    text = (project / "rankgate.toml").read_text()
    entry = next(one for one in reversed(tomllib.loads(text)["suites"]) if isinstance(one, dict))
    assert entry["file"] == "search.csv"
    assert entry["gates"][-1] == GATE
    assert text.startswith("# top\n")
    done = rankgate("test", "search.csv", "--report", "json=report.json")
    assert done.code == 0
    assert GATE in (project / "report.json").read_text()


def test_first_baseline_without_an_entry_prints_the_line(project: Path) -> None:
    (project / "search.csv").write_text(CSV)
    (project / "rankgate.toml").unlink()
    assert (
        f'add to rankgate.toml: suites = [{{file = "search.csv", gates = ["{GATE}"]}}]'
        in rankgate("baseline", "set", "search.csv", "--system", "./app.py:search").printed()
    )


def test_swapped_case_names_are_matched_by_query(project: Path) -> None:
    rankgate("baseline", "set").printed()
    first, second = "query: about topic000", "query: about topic001"
    edit(project, (first, f"name: about-topic001, {first}"), (second, f"name: about-topic000, {second}"))
    assert rankgate("test").code == 0
    lose(project, "topic001.md")
    done = rankgate("test")
    assert done.code == 1
    assert "rank 1 → not found" in done.out


def test_baseline_show_scores_the_queries_of_the_baseline(project: Path) -> None:
    rankgate("baseline", "set").printed()
    with (project / "search.yaml").open("a") as file:
        file.write("  - {query: a new one, at: topic003.md}\n")
    shown = rankgate("baseline", "show").printed()
    assert shown == "search: 10 queries of app\n  ndcg@10 1.0000  10 queries\n"


ANSWERED = """
metrics: [r@5, r@40tokens]
gating_sources: [person, estimated]
cases:
  - {query: how often, answer: Rotate a key every ninety days.}
  - {query: what first, id: b}
"""
ANSWERING = """
def search(query, k):
    texts = ["Keys open doors and other things.", "Rotate a key every ninety days, or sooner."]
    hits = [{"id": name, "text": text} for name, text in zip("ab", texts)]
    return hits if query == "how often" or WORSE is False else hits[:1]
"""


def test_baseline_has_tokens_and_answers_that_metrics_and_targets_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.yaml").write_text(ANSWERED)
    (tmp_path / "app.py").write_text("WORSE = False\n" + ANSWERING)
    (tmp_path / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n{SYSTEM.format(name="app")}')
    rankgate("baseline", "set").printed()
    lines = (tmp_path / "baselines/search.app.jsonl").read_text().splitlines()
    first, second = json.loads(lines[1])["hits"]
    assert first.keys() == {"id", "tokens"}
    assert (second["id"], second["answers"]) == ("b", [0])
    assert second["tokens"] > 0
    assert not (tmp_path / "baselines/search.app.anchors.json").exists()
    done = rankgate("test")
    assert done.code == 0, done.out
    assert "r@5 1.000 (baseline 1.000) · 0 improved, 0 regressed" in done.out
    (tmp_path / "app.py").write_text("WORSE = True\n" + ANSWERING.replace('"ab"', '"ac"'))
    assert "1 of 2 queries regressed · r@5 0.500 (baseline 1.000)" in rankgate("test").out
