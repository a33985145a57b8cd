"""Nothing is written in CI, and nothing is proposed by a run that is not whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.model import Case, Suite
from rankgate.review.writing import refuse_in_ci, refuse_partial
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SUITE = Suite("s", (Case("a", "a"), Case("b", "b")))


def stored(
    folder: Path, shard: Shard | None = None, about: Mapping[str, str | None] | None = None
) -> StoredRun:
    manifest = Manifest("app", **{"suite": SUITE.fingerprint, "corpus": "c1", **(about or {})})  # type: ignore[arg-type]
    with RunWriter(folder, manifest) as writer:
        writer.add(shard or Shard.of_rankings({"a": ["x"], "b": []}))
    return StoredRun.open(folder)


@pytest.mark.parametrize("name", ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "JENKINS_URL"])
def test_ci_is_refused_by_its_own_word(name: str) -> None:
    with pytest.raises(InputError, match=f"in CI \\({name} is set\\)"):
        refuse_in_ci({name: "true"}, "accepting changes")


@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_a_person_at_home_is_not_ci(value: str) -> None:
    refuse_in_ci({"CI": value, "HOME": "/home/ann"}, "accepting changes")


def test_a_whole_run_of_this_suite_and_corpus_will_do(tmp_path: Path) -> None:
    refuse_partial(stored(tmp_path), SUITE, "c1", "rankgate test")


@pytest.mark.parametrize(
    ("about", "corpus", "words"),
    [
        ({"part": "2/4"}, "c1", "part 2/4 of a run, expected a whole run; merge the parts"),
        ({"suite": "other"}, "c1", "asked before the suite was changed"),
        ({"suite": None}, "c1", "does not say which suite it answers"),
        ({}, "c2", "another state of the corpus"),
        ({}, None, "another state of the corpus"),
    ],
)
def test_another_run_is_refused_in_words(
    tmp_path: Path, about: dict[str, str | None], corpus: str | None, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        refuse_partial(stored(tmp_path, about=about), SUITE, corpus, "rankgate test s.yaml")
    assert words in str(refused.value)
    assert len(refused.value.problems) == 1


def test_a_run_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    run = stored(tmp_path)
    short = StoredRun(run.folder, replace(run.manifest, finished=None))
    with pytest.raises(InputError, match=r"cut short.*rankgate test s\.yaml"):
        refuse_partial(short, SUITE, "c1", "rankgate test s.yaml")


def test_queries_that_failed_or_were_not_asked_are_counted(tmp_path: Path) -> None:
    import polars as pl

    whole = Shard.of_rankings({"a": ["x"], "b": []})
    failed = Shard.of(whole.queries.with_columns(status=pl.Series(["ok", "error"])), whole.hits)
    with pytest.raises(InputError, match="1 query that the system failed to answer"):
        refuse_partial(stored(tmp_path / "1", failed), SUITE, "c1", "rankgate test")
    with pytest.raises(InputError, match="1 query missing"):
        refuse_partial(stored(tmp_path / "2", Shard.of_rankings({"a": ["x"]})), SUITE, "c1", "rankgate test")


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        refuse_partial(
            stored(tmp_path, about={"part": "1/2", "suite": "other"}), SUITE, "c2", "rankgate test"
        )
    assert len(refused.value.problems) == 3
