"""What stands beside the metrics of a sweep: tokens, latency, index; shown where known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate
from support.sweep_projects import APP, NAMES, inside_project, rows, swept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIMED = """
import pathlib, time
ORDER = pathlib.Path(__file__).with_name("order.txt")

def _slow(name, seconds, query):
    with ORDER.open("a") as file:
        file.write(f"{name} {query}\\n")
    time.sleep(seconds)
    return [query + ".md"]

def quick(query, k):
    return _slow("quick", 0.001, query)

def slow(query, k):
    return _slow("slow", 0.02, query)

def fails(query, k):
    raise RuntimeError("down")
"""
TWO = """
metrics = ["rr@10"]
baseline = "quick"
seed = 5
[variants.quick]
set = { function = "timed:quick" }
[variants.slow]
set = { function = "timed:slow" }
[variants.again]
set = { function = "timed:slow" }
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    with inside_project(tmp_path) as folder:
        (folder / "timed.py").write_text(TIMED)
        yield folder


def test_a_column_that_nobody_has_a_value_of_is_left_out(project: Path) -> None:
    swept()
    said = rankgate("sweep").printed()
    assert not [word for word in ("tokens", "latency", "index") if word in said]


def test_tokens_of_lines_are_estimated_by_the_corpus(project: Path) -> None:
    (project / "tokens.py").write_text(
        "def lines(query, k):\n    return [{'path': name, 'start': 1, 'end': 1}"
        " for name in (query + '.md', 'nothing.md')]\n"
    )
    (project / "sweep.toml").write_text('[variants.one]\nset = { function = "tokens:lines" }\n')
    found = rows(swept())["one"]
    # `# topic00` and `# nothing` have nine bytes: three tokens each, of four bytes at most.
    assert (found["tokens"], found["tokens_estimated"]) == (6.0, True)
    assert "≈6" in rankgate("sweep").printed().split()


def test_tokens_that_a_system_reports_are_no_estimate(project: Path) -> None:
    more = """
def counted(query, k):
    return [{"path": query + ".md", "tokens": 7}, {"path": "nothing.md", "tokens": 5}]
"""
    (project / "counted.py").write_text(more)
    (project / "sweep.toml").write_text('[variants.one]\nset = { function = "counted:counted" }\n')
    found = rows(swept())["one"]
    assert (found["tokens"], found["tokens_estimated"]) == (12.0, False)
    assert "12" in rankgate("sweep").printed().split()


def order(project: Path) -> list[list[str]]:
    return [line.split() for line in (project / "order.txt").read_text().splitlines()]


def test_latency_is_a_pass_in_which_all_variants_are_asked_in_turn(project: Path) -> None:
    (project / "sweep.toml").write_text(TWO)
    assert all(row["latency"] is None for row in swept()["rows"])
    (project / "order.txt").unlink()
    found = swept("--latency")
    asked = order(project)
    # One warm-up each, then every query of both before the next; `again` is no system of its own.
    assert sorted(asked[:2]) == [["quick", "topic00"], ["slow", "topic00"]]
    turns = [asked[at : at + 2] for at in range(2, len(asked), 2)]
    assert [{query for _, query in turn} for turn in turns] == [{name} for name in NAMES]
    firsts = {turn[0][0] for turn in turns}
    assert firsts == {"quick", "slow"}
    assert all({name for name, _ in turn} == {"quick", "slow"} for turn in turns)
    # The order is drawn with the seed: it is no rotation, and the same again.
    assert [turn[0][0] for turn in turns] not in (["quick", "slow"] * 10, ["slow", "quick"] * 10)
    (project / "order.txt").unlink()
    swept("--latency")
    assert order(project) == asked
    quick, slow = rows(found)["quick"], rows(found)["slow"]
    assert 1 <= quick["latency"] < 20 <= slow["latency"] <= slow["latency_p95"]
    assert rows(found)["again"]["latency"] == slow["latency"]
    said = rankgate("sweep").printed()
    assert "latency p50" in said
    assert "latency p95" in said


def test_times_are_shown_only_of_one_pass_that_has_all_variants(project: Path) -> None:
    (project / "sweep.toml").write_text(TWO)
    before = swept("--latency")
    (project / "order.txt").unlink()
    kept = swept("--only", "slow")
    # Nothing is asked for times that are there.
    assert not (project / "order.txt").exists()
    assert rows(kept)["slow"]["latency"] == rows(before)["slow"]["latency"]
    assert any(note.startswith("latency: 2 variants asked in turn") for note in kept["notes"])
    (project / "sweep.toml").write_text(TWO + '[variants.more]\nset = { function = "app:first" }\n')
    assert all(row["latency"] is None for row in swept()["rows"])


def test_a_variant_that_answers_nothing_has_no_time(project: Path) -> None:
    (project / "sweep.toml").write_text(TWO + '[variants.down]\nset = { function = "timed:fails" }\n')
    found = rows(swept("--latency"))
    assert found["down"]["latency"] is None
    assert found["quick"]["latency"] > 0
    assert "| – | – |" in rankgate("sweep", "--format", "markdown").printed()


@pytest.mark.parametrize("other", [("--limit", "3"), ("--shard", "1/2")])
@pytest.mark.usefixtures("project")
def test_a_pass_is_of_all_variants_and_queries(other: tuple[str, str]) -> None:
    assert f"{other[0]}: found --latency too" in rankgate("sweep", "--latency", *other).refused()


def test_a_variant_whose_index_another_one_overwrites_is_not_timed(project: Path) -> None:
    (project / "app.py").write_text(APP)
    build = 'prepare = ["sh", "-c", "echo {} > index.txt"]'
    sweep = "".join(
        f'[variants.{name}]\nset = {{ function = "app:{name}", {build.format(name)} }}\n'
        for name in ("first", "second")
    )
    (project / "sweep.toml").write_text(sweep)
    found: dict[str, Any] = json.loads(rankgate("sweep", "--latency", "--format", "json").printed())
    (report,) = found["sweeps"]
    assert all(row["latency"] is None for row in report["rows"])
    assert sum("was not measured" in note for note in report["notes"]) == 2
    assert "have prepare write to {index}" in report["notes"][0]
