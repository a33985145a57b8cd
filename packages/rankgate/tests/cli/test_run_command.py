"""``rankgate run`` and ``rankgate runs merge``: answers kept, in one go, in parts, again and again."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rankgate.runs.store.run_folder import StoredRun
from support.commands import rankgate

SUITE = """\
gates: [rr >= 0.5]
metrics: [rr, ndcg@3]
cases:
""" + "".join(f"  - query: number {n}\n    id: d{n}\n" for n in range(7))

APP = """\
import random, threading, time
ASKED, THREADS = [], set()
def search(query, k):
    ASKED.append(query)
    THREADS.add(threading.get_ident())
    time.sleep(0.002)
    return [(f"d{query.split()[1]}", 0.9), ("other", 0.1)][:k]
def broken(query, k):
    if query.endswith(("2", "5")):
        raise ConnectionError("the index is gone")
    return search(query, k)
def varies(query, k):
    hits = ["other", f"d{query.split()[1]}"]
    return hits if random.random() < 0.5 else hits[::-1]
def flaky(query, k):
    if len(ASKED) >= 7 and not query.endswith("0"):
        raise ConnectionError("gone by now")
    return search(query, k)
class Engine:
    made = 0
    def __init__(self):
        Engine.made += 1
    def search(self, query, k):
        time.sleep(0.002)
        return [f"d{query.split()[1]}"]
"""

CONFIGURATION = """\
[systems.app]
function = "run_app:search"
thread_safe = true
concurrency = 3
[systems.broken]
function = "run_app:broken"
[systems.varies]
function = "run_app:varies"
[systems.flaky]
function = "run_app:flaky"
[systems.engine]
function = "run_app:Engine"
[systems.single]
function = "run_app:search"
concurrency = 4
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "run_app", raising=False)
    Path("search.yaml").write_text(SUITE)
    Path("run_app.py").write_text(APP)
    Path("rankgate.toml").write_text(CONFIGURATION)


def cut_short(folder: str) -> None:
    """Leave of a run what a kill would have left."""
    path = Path(folder, "manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "finished": None}))


def queries(folder: str) -> list[str]:
    return sorted(query for shard in StoredRun.open(folder).shards() for query in shard.queries["query"])


def test_a_run_is_stored_and_told_in_a_few_lines() -> None:
    told = rankgate("run", "search.yaml", "-s", "app", "-o", "out").printed()
    assert told.startswith("✅ app: 7 queries answered; 14 hits\n  latency: p50 ")
    assert told.endswith("  stored in out\n")
    assert queries("out") == [f"number-{n}" for n in range(7)]
    manifest = StoredRun.open("out").manifest
    assert manifest.paces == ({"concurrency": 3},)
    assert manifest.finished


def test_options_stand_in_for_the_configuration() -> None:
    rankgate(
        "run", "search.yaml", "-s", "app", "-o", "out", "-c", "2", "--warmup", "1", "--retries", "0"
    ).printed()
    assert StoredRun.open("out").manifest.paces == ({"concurrency": 2, "retries": 0, "warmup": 1},)
    import run_app  # type: ignore[import-not-found]

    assert len(run_app.THREADS) >= 2
    assert len(run_app.ASKED) == 7 + 2


def test_a_run_that_is_there_is_kept_resumed_or_replaced_as_one_says() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out").printed()
    before = Path("out/manifest.json").read_text()
    assert (
        "say --resume to go on with it, --replace to write over it, or name another folder"
        in rankgate("run", "search.yaml", "-s", "app", "-o", "out").refused()
    )
    assert (
        "one of the two"
        in rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--replace", "--resume").refused()
    )
    assert Path("out/manifest.json").read_text() == before
    import run_app

    run_app.ASKED.clear()
    cut_short("out")
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").printed()
    assert run_app.ASKED == []
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--replace").printed()
    assert len(run_app.ASKED) == 7


def test_queries_that_fail_are_told_and_end_with_exit_3() -> None:
    done = rankgate("run", "search.yaml", "-s", "broken", "-o", "out")
    assert done.code == 3
    assert done.out.startswith("❌ broken: 5 queries answered, 2 failed; 10 hits\n")
    assert "  number-2: ConnectionError: the index is gone (run_app.py:10)" in done.out
    assert queries("out") == [f"number-{n}" for n in range(7)]


def test_parts_are_merged_and_scored_as_the_whole() -> None:
    for part in (1, 2, 3):
        rankgate("run", "search.yaml", "-s", "app", "-o", f"part-{part}", "--shard", f"{part}/3").printed()
    assert [len(queries(f"part-{part}")) for part in (1, 2, 3)] == [3, 2, 2]
    assert "no part 2/3" in rankgate("runs", "merge", "part-1", "part-3", "-o", "whole").refused()
    told = rankgate("runs", "merge", "part-1", "part-2", "part-3", "-o", "whole").printed()
    assert told.startswith("✅ app: 7 queries answered")
    Path("rankgate.toml").write_text('[systems.stored]\nrun = "whole"\n')
    assert rankgate("test", "search.yaml").printed().startswith("✓ search · stored · 7 queries passed")


PROBED = (
    SUITE
    + """\
scenarios:
"""
    + "".join(f"  - name: s{n}\n    steps: [{{search: number {n}, finds: d{n}}}]\n" for n in range(4))
    + """\
invariants:
  - {stable: number 1}
  - {same-results: [number 1, number  1]}
  - {empty: number 3}
"""
)


def test_scenarios_and_invariants_are_divided_and_merged_too() -> None:
    Path("search.yaml").write_text(PROBED)
    for part in (1, 2, 3):
        rankgate("run", "search.yaml", "-s", "app", "-o", f"part-{part}", "--shard", f"{part}/3").printed()
    assert queries("part-2/probes") == [
        "invariant:same-results-number-1-number-1:0",
        "invariant:same-results-number-1-number-1:1",
        "scenario:s1:0",
    ]
    rankgate("runs", "merge", "part-1", "part-2", "part-3", "-o", "whole").printed()
    rankgate("run", "search.yaml", "-s", "app", "-o", "at-once").printed()
    assert queries("whole/probes") == queries("at-once/probes")
    Path("rankgate.toml").write_text('[systems.stored]\nrun = "whole"\n')
    done = rankgate("test", "search.yaml")
    assert done.code == 1
    assert "invariants = 66.7% over 3 invariants (required: 100%): empty" in done.out
    assert "scenarios = 100% over 4 scenarios" in done.out


def test_probes_that_fail_end_a_run_with_exit_3() -> None:
    Path("search.yaml").write_text(
        SUITE[: SUITE.index("  - query: number 2")] + "invariants: [{stable: number 5}]\n"
    )
    done = rankgate("run", "search.yaml", "-s", "broken", "-o", "out")
    assert done.code == 3
    assert "3 probes of scenarios and invariants failed" in done.out


def test_a_shard_that_is_none_is_refused() -> None:
    assert (
        "1/4 to 4/4" in rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--shard", "4/3").refused()
    )


def test_a_function_that_is_not_thread_safe_is_not_asked_from_threads() -> None:
    said = rankgate("run", "search.yaml", "-s", "single", "-o", "out").refused()
    assert "single.concurrency: found 4" in said
    assert "thread_safe = true" in said


def test_a_class_is_made_once_a_thread() -> None:
    rankgate("run", "search.yaml", "-s", "engine", "-o", "out", "-c", "3").printed()
    import run_app

    assert run_app.Engine.made == 3


def test_repeats_are_runs_of_their_own() -> None:
    done = rankgate("test", "search.yaml", "-s", "varies", "--repeat", "4")
    assert done.code in (0, 1)
    folders = sorted(path.name for path in Path(".rankgate/search/varies/run").glob("repeat-*"))
    assert folders == ["repeat-2", "repeat-3", "repeat-4"]


def test_errors_of_a_repeat_end_with_exit_3_too() -> None:
    done = rankgate("test", "search.yaml", "-s", "flaky", "--repeat", "2")
    assert done.code == 3
    assert "6 errors (exit code 3)" in done.out
    assert "(in repeat 2)" in done.out
    import run_app

    run_app.ASKED.clear()
    done = rankgate("run", "search.yaml", "-s", "flaky", "-o", "out", "--repeat", "2")
    assert done.code == 3
    assert "  6 failed in repeat 2\n" in done.out


def test_a_run_is_not_resumed_or_merged_with_another_k() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--k", "20").printed()
    assert (
        "k was 20 and is 3" in rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").refused()
    )
    rankgate("run", "search.yaml", "-s", "app", "-o", "p1", "--shard", "1/2", "--k", "20").printed()
    rankgate("run", "search.yaml", "-s", "app", "-o", "p2", "--shard", "2/2").printed()
    assert "k was 20 and is 3" in rankgate("runs", "merge", "p1", "p2", "-o", "whole").refused()


def test_replacing_a_run_takes_all_that_belongs_to_it() -> None:
    Path("search.yaml").write_text(PROBED)
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "2").printed()
    Path("out/mine.txt").write_text("notes")
    Path("search.yaml").write_text(SUITE)
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--replace").printed()
    left = sorted(
        str(path.relative_to("out")) for path in Path("out").rglob("*") if path.suffix in (".json", ".txt")
    )
    assert left == ["manifest.json", "mine.txt"]


def test_a_neighbour_is_not_touched_by_repeats() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out-2").printed()
    before = Path("out-2/manifest.json").read_text()
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--repeat", "2", "--replace").printed()
    assert Path("out-2/manifest.json").read_text() == before


def test_what_was_stored_before_is_told() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out").printed()
    cut_short("out")
    told = rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--resume").printed()
    assert (
        "  7 answers were stored before; hits and lines are counted for those that were asked now\n" in told
    )


def test_parts_of_which_one_was_stopped_before_its_scenarios_are_not_merged() -> None:
    Path("search.yaml").write_text(PROBED)
    for part in (1, 2):
        rankgate("run", "search.yaml", "-s", "app", "-o", f"part-{part}", "--shard", f"{part}/2").printed()
    Path("part-2/probes").rename("elsewhere")
    said = rankgate("runs", "merge", "part-1", "part-2", "-o", "whole").refused()
    assert "part-2: found no probes" in said
    assert "resume it" in said


def test_a_merge_that_was_refused_can_be_done_again() -> None:
    Path("search.yaml").write_text(PROBED)
    for part in (1, 2):
        rankgate("run", "search.yaml", "-s", "app", "-o", f"part-{part}", "--shard", f"{part}/2").printed()
    file = Path("part-2/hits-00000.parquet")
    content = file.read_bytes()
    file.write_bytes(content[:-1] + b"x")
    said = rankgate("runs", "merge", "part-1", "part-2", "-o", "whole").refused()
    assert "part-2/hits-00000.parquet: found what Polars cannot read" in said
    file.write_bytes(content)
    rankgate("runs", "merge", "part-1", "part-2", "-o", "whole").printed()
    assert len(queries("whole/probes")) == 10


def test_junit_of_two_suites_is_one_document() -> None:
    Path("other.yaml").write_text(SUITE)
    rankgate("test", "search.yaml", "other.yaml", "-s", "app", "-o", "junit=all.xml", "-o", "markdown=all.md")
    names = [suite.get("name") for suite in ET.parse("all.xml").getroot().iter("testsuite")]
    assert names == ["search", "other"]
    assert Path("all.md").read_text().count("# ✓") == 2


def test_a_stored_run_cannot_be_asked() -> None:
    Path("rankgate.toml").write_text('[systems.stored]\nrun = "whole"\n')
    rankgate("run", "search.yaml", "-s", "run_app:search", "-o", "whole").printed()
    assert (
        "a run that was made before" in rankgate("run", "search.yaml", "-s", "stored", "-o", "out").refused()
    )
