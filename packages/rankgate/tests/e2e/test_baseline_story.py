"""A baseline is kept, the system changes, and what changed is said: by gates, in the report, by `compare`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import APP, SYSTEM, lose, topics_project, without_places

if TYPE_CHECKING:
    from pathlib import Path


STALE = "the documents changed since the baseline was set"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder: Path, many: int = 48, gates: str = "drop(ndcg@10) < 0.1", more: str = "") -> list[str]:
    """A project whose search finds everything, and its baseline."""
    names = topics_project(folder, many, gates, more)
    assert rankgate("test").code == 0
    assert "search.app.jsonl" in rankgate("baseline", "set").printed()
    return names


def edited(folder: Path, old: str, new: str) -> None:
    file = folder / "search.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_three_of_48_from_first_to_absent_fail_by_lost_whatever_chance_says(project: Path) -> None:
    names = kept(project)
    lose(project, *names[5:8])
    done = rankgate("test")
    assert done.code == 1
    assert "❌ failed · search · app (exit code 1)\n3 queries no longer find their page\n" in done.out
    told = " ".join(done.out.split())
    assert (
        "❌ lost(10 -> absent@10) 3 3 of 48 queries lost their relevant hit from the top 10 (about-" in told
    )
    assert re.search(
        r"✅  drop\(ndcg@10\) < 0\.1 +0\.0625  3 worse, 0 better, 45 unchanged; 48 queries", done.out
    )
    row = next(line for line in done.out.splitlines() if re.match(r" +ndcg@10 +1\.0000 +0\.9375", line))
    assert re.search(r"−0\.0625 +– +0\.250 +3 +0 +45", row)
    assert "too few changed" in row
    assert "lost: rank 1 in the baseline of app, not in the top 10 now" in done.out


def test_a_judgment_that_is_added_does_not_turn_an_unchanged_system_red(project: Path) -> None:
    names = kept(project)
    # A second target that the search finds late: the value falls, for the baseline as well.
    edited(project, f"at: {names[0]}}}", f"at: {{{names[0]}: 1, {names[9]}: 3}}}}")
    done = rankgate("test")
    assert done.code == 0
    assert re.search(r"✅  drop\(ndcg@10\) < 0\.1 +0\.0000", done.out)
    assert not re.search(r"^ndcg@10 +1\.0000", done.out, re.MULTILINE)


def test_a_query_that_is_asked_otherwise_is_not_compared_and_is_counted(project: Path) -> None:
    names = kept(project)
    lose(project, names[0])
    edited(project, "query: about topic000", "name: about-topic000, query: tell me about topic000")
    done = rankgate("test")
    assert done.code == 0
    assert "47 queries compared, 1 left out" in done.out
    assert "1 not in the baseline" in done.out


def stale(project: Path) -> None:
    """Let the documents change since a baseline of before, which does not say what finds its hits."""
    without_places(project / "baselines" / "search.app.jsonl")
    (project / "docs" / "topic000.md").write_text("# Rewritten\n")


def test_other_documents_leave_a_comparison_with_a_baseline_of_before_open(project: Path) -> None:
    kept(project)
    stale(project)
    done = rankgate("test")
    assert done.code == 4
    assert STALE in " ".join(done.out.split())
    assert "rankgate baseline set search.yaml --system app" in " ".join(done.out.split())
    with (project / "rankgate.toml").open("a") as file:
        file.write('on_inconclusive = "warn"\n')
    warned = rankgate("test")
    assert warned.code == 0
    assert "❔ inconclusive · search · app\n2 gates inconclusive: " in warned.out


@pytest.mark.parametrize(("system", "code"), [("", 4), ("gate = false\n", 0)])
def test_a_baseline_of_other_documents_is_told_of_where_no_gate_compares(
    project: Path, system: str, code: int
) -> None:
    kept(project, gates="ndcg@10 >= 0.9")
    with (project / "rankgate.toml").open("a") as file:
        file.write(system)
    assert STALE not in " ".join(rankgate("test").out.split())
    stale(project)
    done = rankgate("test")
    said = " ".join(done.out.split())
    # That no query is lost cannot be told, and a gate that cannot be told does not pass.
    assert done.code == code
    assert STALE in said
    assert "to set it again: rankgate baseline set search.yaml --system app" in said
    assert STALE in " ".join((project / ".rankgate" / "search" / "app" / "report.md").read_text().split())
    rankgate("baseline", "set").printed()
    assert STALE not in " ".join(rankgate("test").out.split())


def test_a_baseline_of_another_map_or_depth_is_told_of_where_no_gate_compares(project: Path) -> None:
    kept(project, gates="ndcg@10 >= 0.9")
    edited(project, "metrics: [ndcg@10]", "metrics: [ndcg@10, rr]\nk: 20")
    done = rankgate("test")
    said = " ".join(done.out.split())
    assert "the baseline of app has 10 hits a query, too few to compare rr@20; to set it again:" in said
    assert (done.code, "0 of 48 queries lost" in said) == (0, True)
    edited(project, "rr]\nk: 20", "rr]")
    edited(project, "cases:", "map: [{from: '(.*)', to: '\\1'}]\ncases:")
    said = " ".join(rankgate("test").out.split())
    assert "the map rules changed since the baseline was set; to set it again:" in said


def test_each_gate_that_a_stale_baseline_leaves_open_says_so(project: Path) -> None:
    kept(project)
    stale(project)
    assert " ".join(rankgate("test").out.split()).count(STALE) == 2
    with (project / "rankgate.toml").open("a") as file:
        file.write("gate = false\n")
    assert " ".join(rankgate("test").out.split()).count(STALE) == 2


def test_what_an_undecided_gate_does_is_fail_or_warn(project: Path) -> None:
    kept(project)
    with (project / "rankgate.toml").open("a") as file:
        file.write('on_inconclusive = "perhaps"\n')
    assert "fail or warn" in rankgate("test").refused()


def test_a_known_miss_may_be_lost(project: Path) -> None:
    names = kept(project)
    lose(project, names[3])
    miss = "xfail: {reason: rewritten, until: 2999-01-01}"
    edited(project, f"at: {names[3]}}}", f"at: {names[3]}, {miss}}}")
    done = rankgate("test")
    assert done.code == 0
    assert "1 xfail" in done.out


def test_of_many_queries_one_in_two_hundred_may_be_lost(project: Path) -> None:
    names = kept(project, 201)
    lose(project, names[0])
    once = rankgate("test")
    assert once.code == 0
    assert re.search(r"✅  lost\(10 -> absent@10\) +1  1 of 201 queries lost", once.out)
    lose(project, *names[:2])
    assert rankgate("test").code == 1


def test_a_drop_is_that_of_the_mean_over_all_times_that_the_same_was_asked(project: Path) -> None:
    names = kept(project, gates="'drop(ndcg@10) < 0.05', 'lost(1 -> absent@10) <= 3'")
    lose(project, *names[:3])
    once = "wanted in lost and not (query in SEEN or SEEN.add(query)) else"
    (project / "app.py").write_text("SEEN = set()\n" + APP.replace("wanted in lost else", once))
    varied = rankgate("test", "--repeat", "2")
    assert varied.code == 0
    said = " ".join(varied.out.split())
    assert "drop(ndcg@10) < 0.05 0.0312 3 worse, 0 better, 45 unchanged; 48 queries" in said
    assert "3 of 48 queries flaky, judged by the mean: " in said
    assert rankgate("test").code == 1


def test_gates_of_a_system_stand_in_the_configuration(project: Path) -> None:
    names = kept(project)
    lose(project, names[0])
    with (project / "rankgate.toml").open("a") as file:
        file.write('gates = ["drop(ndcg@10) <= 0.01", "lost(1 -> absent@10) <= 1"]\n')
    done = rankgate("test")
    assert done.code == 1
    assert "❌  drop(ndcg@10) <= 0.01" in done.out
    assert "✅  lost(1 -> absent@10) <= 1" in done.out


def test_a_run_with_errors_is_no_baseline(project: Path) -> None:
    topics_project(project)
    (project / "app.py").write_text("def search(query, k):\n    raise OSError('down')\n")
    assert rankgate("test").code == 3
    assert "exit code 3" in rankgate("baseline", "set").refused()
    assert "48 queries without an answer" in rankgate("baseline", "set", "--failed").refused()


def test_a_baseline_of_a_suite_that_changed_since_is_refused(project: Path) -> None:
    topics_project(project)
    assert "no test yet" in rankgate("baseline", "set").refused()
    rankgate("test")
    edited(project, "query: about topic000", "query: what about topic000")
    assert "no answer to 1 query ('what-about-topic000')" in rankgate("baseline", "set").refused()


def test_the_same_answers_make_the_same_bytes(project: Path) -> None:
    kept(project)
    file = project / "baselines" / "search.app.jsonl"
    first = file.read_bytes()
    rankgate("test")
    rankgate("baseline", "set")
    assert file.read_bytes() == first
    # The head, a line a query, and a line a page that is a hit.
    assert len(first.splitlines()) == 1 + 48 + 48


def test_a_system_comes_before_a_folder_of_its_name_and_a_baseline_is_that_of_the_default(
    project: Path,
) -> None:
    kept(project)
    (project / "app").mkdir()
    by_name = rankgate("compare", "baseline", "app").printed()
    assert "48 queries compared" in by_name
    (project / "app").rmdir()
    run = project / ".rankgate" / "search" / "app" / "run"
    assert "48 queries compared" in rankgate("compare", "baseline", str(run)).printed()
    assert "manifest.json" in rankgate("compare", "baseline", str(project / ".rankgate")).refused()


def test_compare_holds_several_claims_to_holm(project: Path) -> None:
    names = kept(project)
    with (project / "rankgate.toml").open("a") as file:
        file.write(
            '[systems.one]\nfunction = "./app.py:search"\n[systems.two]\nfunction = "./app.py:search"\n'
        )
    base = "baselines/search.app.jsonl"
    lose(project, *names[:7])
    rankgate("test", "-s", "one")
    lose(project, *names[:8])
    rankgate("test", "-s", "two")
    found = json.loads(rankgate("compare", base, "one", "two", "--format", "json").printed())
    # The larger p value stands, the smaller one counts twice.
    ps = [one["rows"][0]["numbers"]["p"] for one in found["comparisons"]]
    assert ps == pytest.approx([2 / 2**7, 4 / 2**8])


def test_systems_that_are_asked_in_turn_are_compared_by_their_latency_too(project: Path) -> None:
    topics_project(project, 12)
    with (project / "rankgate.toml").open("a") as file:
        file.write('[systems.slow]\nfunction = "./slow.py:search"\n')
    slow = "import time\n" + APP.replace(
        "def search(query, k):", "def search(query, k):\n    time.sleep(0.01)"
    )
    (project / "slow.py").write_text(slow)
    found = json.loads(rankgate("compare", "app", "slow", "--ask", "--format", "json").printed())
    row = found["comparisons"][0]["rows"][1]
    assert row["metric"] == "latency.mean"
    assert row["numbers"]["difference"] > 9
    assert (row["worse"], row["better"], row["finding"]) == (12, 0, "worse (secondary metric)")


def test_compare_refuses_answers_to_another_corpus_or_suite(project: Path) -> None:
    kept(project)
    edited(project, "query: about topic000", "query: what about topic000")
    assert "no answer to 1 query" in rankgate("compare", "baseline", "app").refused()
    (project / "docs" / "topic001.md").write_text("# Rewritten\n")
    assert "another state of the corpus" in rankgate("compare", "baseline", "app").refused()


def test_new_hits_that_nobody_judged_are_queued(project: Path) -> None:
    names = kept(project)
    lose(project, names[0])
    rankgate("test")
    rankgate("compare", "baseline", "app", "--unjudged", project / "queue.jsonl").printed()
    queue = [json.loads(line) for line in (project / "queue.jsonl").read_text().splitlines()]
    assert queue == [
        {
            "case": "about-topic000",
            "query": "about topic000",
            "rank": 10,
            "location": "topic010.md",
            "side": "after",
        }
    ]


def test_more_than_five_thousand_rankings_are_kept_as_parquet(project: Path) -> None:
    ids = [f"d{number}" for number in range(5001)]
    cases = "".join(f"  - {{query: about {name}, id: {name}}}\n" for name in ids)
    (project / "large.yaml").write_text(f"cases:\n{cases}")
    (project / "app.py").write_text("def search(query, k):\n    return [query.split()[-1], 'other']\n")
    (project / "rankgate.toml").write_text(
        'suites = ["large.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    assert len((project / "baselines" / "large.app.jsonl").read_text().splitlines()) == 1
    assert (project / "baselines" / "large.app.rankings").is_dir()
    done = rankgate("test")
    assert done.code == 0
    assert "5,001 queries compared" in done.out
    assert "large: 5,001 rankings of app" in rankgate("baseline", "show").printed()


def test_gate_against_an_unknown_system_names_the_nearest(project: Path) -> None:
    topics_project(project, 6, "'drop(ndcg@10) < 0.1 against mian'")
    with (project / "rankgate.toml").open("a") as file:
        file.write(SYSTEM.format(name="main"))
    said = rankgate("test", "-s", "app").refused()
    assert "found against mian, which is no system and has no baseline, expected one of app, main" in said
    assert "did you mean main?" in said
    assert not (project / ".rankgate" / "search" / "app" / "run").exists()
