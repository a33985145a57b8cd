"""Nothing is written in CI, and nothing is proposed by a run that is not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.errors import InputError
from rankgate.project.review.writing import refuse_failed, refuse_in_ci
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard

if TYPE_CHECKING:
    from pathlib import Path


def stored(folder: Path, shard: Shard | None = None) -> StoredRun:
    with RunWriter(folder, Manifest("app")) as writer:
        writer.add(shard or Shard.of_rankings({"a": ["x"], "b": []}))
    return StoredRun.open(folder)


@pytest.mark.parametrize("name", ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "JENKINS_URL"])
def test_ci_is_refused_by_its_own_word(name: str) -> None:
    with pytest.raises(InputError, match=f"in CI \\({name} is set\\)"):
        refuse_in_ci({name: "true"}, "accepting changes")


@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_a_person_at_home_is_not_ci(value: str) -> None:
    refuse_in_ci({"CI": value, "HOME": "/home/ann"}, "accepting changes")


def test_queries_that_failed_are_counted(tmp_path: Path) -> None:
    refuse_failed(stored(tmp_path / "0"), "rankgate test")
    whole = Shard.of_rankings({"a": ["x"], "b": []})
    failed = Shard.of(whole.queries.with_columns(status=pl.Series(["ok", "error"])), whole.hits)
    with pytest.raises(InputError, match="1 query that the system failed to answer"):
        refuse_failed(stored(tmp_path / "1", failed), "rankgate test")
