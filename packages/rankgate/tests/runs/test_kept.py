"""A run that was made before is read where it is whole, unchanged, and answers what is asked today."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError
from rankgate.model import Case, Hit, MapRule, Query, Ranking, Suite
from rankgate.project.suite_run import questions_of
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.kept import AskAgain, RunNeeds, cut_run, kept_run
from rankgate.runs.store.hits import read_hits
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.questions import fingerprint_of
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import MemoryRun, Shard

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.runs.store.tables import Run

SUITE = Suite("s", (Case("a", "first"), Case("b", "second"), Case("c", "third", filters={"lang": "py"})))
AGAIN = AskAgain("rankgate run s.yaml --system app -o out")


class Engine:
    def search(self, query: Query) -> Ranking:
        return Ranking(tuple(Hit(id=f"{query.text} {rank}") for rank in range(1, query.k + 1)))


def stored(folder: Path, **about: Any) -> StoredRun:
    questions = fingerprint_of(RunNeeds.of_suite(SUITE, None).questions)
    told = {"corpus": "c1", "k": 5, "contents": {}, "questions": questions, **about}
    keep = KeepOptions(folder=folder)
    run = execute(questions_of(SUITE.cases, 5), Engine(), manifest=Manifest("app", **told), keep=keep)
    assert isinstance(run, StoredRun)
    return run


def read(run: StoredRun, suite: Suite = SUITE, corpus: str | None = "c1", depth: int = 5) -> StoredRun:
    return kept_run(run, RunNeeds.of_suite(suite, corpus, depth), AGAIN)


def answers(run: Run) -> dict[str, list[str | None]]:
    return {query: [hit.id for hit in hits] for query, hits in sorted(read_hits(run).items())}


def test_a_whole_run_of_this_suite_and_corpus_will_do(tmp_path: Path) -> None:
    run = stored(tmp_path)
    kept = read(run)
    assert answers(kept) == answers(run)
    assert kept.notes == ()


@pytest.mark.parametrize(
    ("about", "corpus", "depth", "words"),
    [
        (
            {"part": "2/4"},
            "c1",
            5,
            "part 2/4 of a run, expected a whole run; join the parts",
        ),
        ({}, "c2", 5, "another state of the corpus"),
        ({}, None, 5, "another state of the corpus"),
        ({"corpus": None}, "c1", 5, "another state of the corpus"),
        ({"rules": "other"}, "c1", 5, "another map"),
        (
            {},
            "c1",
            8,
            "found 5 hits a query, expected 8, as they are needed; ask again: rankgate run",
        ),
    ],
)
def test_another_run_is_refused_in_words(
    tmp_path: Path, about: dict[str, Any], corpus: str | None, depth: int, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        read(stored(tmp_path, **about), corpus=corpus, depth=depth)
    assert words in str(refused.value)
    assert len(refused.value.problems) == 1


def test_a_run_that_was_cut_short_is_refused_with_the_command_that_finishes_it(tmp_path: Path) -> None:
    run = stored(tmp_path)
    with pytest.raises(InputError, match=r"not finished.*-o out --resume"):
        read(StoredRun(run.folder, replace(run.manifest, finished=None)))


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    other = replace(SUITE, cases=(Case("a", "another"), *SUITE.cases[1:]), map_rules=(MapRule("a", "b"),))
    with pytest.raises(InputError) as refused:
        read(stored(tmp_path, part="1/2"), other, "c2", 9)
    assert len(refused.value.problems) == 5


def test_questions_that_were_changed_or_added_are_named(tmp_path: Path) -> None:
    run = stored(tmp_path)
    cases = (Case("a", "another"), SUITE.cases[1], Case("c", "third"), Case("d", "fourth"))
    with pytest.raises(InputError) as refused:
        read(run, replace(SUITE, cases=cases))
    said = str(refused.value)
    assert "the query 'a' was 'first' and is 'another', the filters of the query 'c' were changed" in said
    assert "no answer to 1 query ('d')" in said
    assert "rankgate run s.yaml --system app -o out --replace" in said


def test_renamed_questions_keep_their_answers_and_others_are_left_out(tmp_path: Path) -> None:
    run = stored(tmp_path)
    kept = read(run, replace(SUITE, cases=(Case("y", "first"), Case("z", "second"))))
    before = answers(run)
    assert answers(kept) == {"y": before["a"], "z": before["b"]}
    assert sorted(query for shard in kept.shards() for query in shard.queries["query"]) == ["y", "z"]
    assert kept.notes == (
        "1 query of the run not asked any more, left out",
        "2 queries of the run matched by question, not by id",
    )


def test_a_question_that_is_asked_twice_today_has_one_answer(tmp_path: Path) -> None:
    kept = read(stored(tmp_path), replace(SUITE, cases=(*SUITE.cases, Case("again", "first"))))
    assert answers(kept)["again"] == answers(kept)["a"]


def test_cases_that_swapped_their_questions_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the query 'a' was 'first' and is 'second'"):
        read(stored(tmp_path), replace(SUITE, cases=(Case("a", "second"), Case("b", "first"))))


def test_what_gates_and_judgments_say_is_no_matter_of_a_run(tmp_path: Path) -> None:
    cases = tuple(replace(case, weight=2.0, notes="new", category="x") for case in SUITE.cases)
    assert answers(read(stored(tmp_path), replace(SUITE, cases=cases, metrics=("rr",), name="t")))


def test_a_deeper_run_is_read_as_deep_as_it_is_needed(tmp_path: Path) -> None:
    kept = read(stored(tmp_path), depth=2)
    assert answers(kept)["a"] == ["first 1", "first 2"]
    assert [hits for shard in kept.shards() for hits in shard.queries["hits"]] == [2, 2, 2]
    memory = MemoryRun("m", [Shard.of_rankings({"a": ["x", "y"], "b": ["z"]})])
    assert answers(cut_run(memory, 1)) == {"a": ["x"], "b": ["z"]}
    assert answers(cut_run(kept, 1))["a"] == ["first 1"]


def test_an_older_run_is_matched_by_ids_and_says_what_it_does_not_tell(tmp_path: Path) -> None:
    with_ids = Shard.of_rankings({"a": ["x"], "b": [], "c": []})
    with RunWriter(tmp_path, Manifest("app", corpus="c1", k=5)) as writer:
        writer.add(with_ids)
    kept = read(StoredRun.open(tmp_path))
    assert answers(kept) == {"a": ["x"]}
    assert kept.notes == ("the run does not tell what its system was made of",)
