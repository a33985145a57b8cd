"""A system that is a stored run (``run = …``) can be made a baseline, compared and mended as any other."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import polars as pl
import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"page{number}" for number in range(12)]
SUITE = "metrics: [ndcg@10]\ngates: [ndcg@10 >= {bar}, drop(ndcg@10) <= 0.1]\ncases:\n" + "".join(
    f"- query: where is {name}\n  id: {name}\n" for name in NAMES
)
CODE = """def first(query, k):
    return [query.split()[-1], 'a', 'b', 'c', 'd']

def fifth(query, k):
    return ['a', 'b', 'c', 'd', query.split()[-1]]
"""
SYSTEMS = """[systems.first]
function = "./app.py:first"
[systems.fifth]
function = "./app.py:fifth"
[systems.stored]
run = "kept"
[systems.listed]
run = "kept.trec"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.yaml").write_text(SUITE.replace("{bar}", "0.3"))
    (tmp_path / "app.py").write_text(CODE)
    (tmp_path / "rankgate.toml").write_text(SYSTEMS)
    rankgate("run", "search.yaml", "--system", "first", "-o", "kept").printed()
    rows = [f"where-is-{name} Q0 {name} 1 9 listed\n" for name in NAMES]
    (tmp_path / "kept.trec").write_text("".join(rows))
    return tmp_path


def test_the_baseline_that_its_test_offers_is_made_and_holds(project: Path) -> None:
    tested = rankgate("test", "search.yaml", "--system", "stored")
    offered = "rankgate baseline set search.yaml --system stored"
    assert tested.code == 0
    assert offered in tested.out
    rankgate(*offered.split()[1:]).printed()
    assert "drop(ndcg@10) <= 0.1" in rankgate("test", "search.yaml", "--system", "stored").printed()
    rankgate("run", "search.yaml", "--system", "fifth", "-o", "kept", "--replace").printed()
    assert rankgate("test", "search.yaml", "--system", "stored").code == 1


def test_the_baseline_of_a_test_that_failed_is_refused(project: Path) -> None:
    (project / "search.yaml").write_text(SUITE.replace("{bar}", "1.1"))
    assert rankgate("test", "search.yaml", "--system", "stored").code != 0
    assert "--failed" in rankgate("baseline", "set", "search.yaml", "--system", "stored").refused()
    rankgate("baseline", "set", "search.yaml", "--system", "stored", "--failed").printed()


def test_it_is_compared_without_a_test(project: Path) -> None:
    rankgate("test", "search.yaml", "--system", "fifth")
    by_name = rankgate("compare", "fifth", "stored", "search.yaml").printed()
    assert (
        by_name.replace("stored", "./kept") == rankgate("compare", "fifth", "./kept", "search.yaml").printed()
    )
    assert "better" in rankgate("compare", "fifth", "listed", "search.yaml").printed()
    assert project.is_dir()


def test_the_test_of_a_file_has_its_name_and_offers_no_command_that_is_refused(project: Path) -> None:
    pl.DataFrame({"query": ["where-is-page0"], "rank": [1], "id": ["page0"]}).write_parquet("hits.parquet")
    (project / "rankgate.toml").write_text(SYSTEMS + '[systems.columns]\nrun = "hits.parquet"\n')
    for bar, system in (("0.3", "listed"), ("1.1", "listed"), ("0.3", "columns")):
        (project / "search.yaml").write_text(SUITE.replace("{bar}", bar))
        tested = rankgate("test", "search.yaml", "--system", system)
        assert f"search · {system}" in tested.out
        offered = re.findall(r"  rankgate (?!\d)(.+)", tested.out)
        for command in set(offered):
            assert rankgate(*shlex.split(command)).code in (0, 1)


def test_a_file_that_does_not_say_what_was_asked_is_no_baseline(project: Path) -> None:
    rankgate("test", "search.yaml", "--system", "listed")
    said = rankgate("baseline", "set", "search.yaml", "--system", "listed").refused()
    assert "systems.listed.run: found the file kept.trec" in said
    assert "a folder that `rankgate run` wrote" in said
    assert project.is_dir()
