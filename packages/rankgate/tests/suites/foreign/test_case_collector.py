"""Cases gathered from files of other tools: corpora, contradictions, labels and what messages say."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from rankgate.cli.suite.options import read_grades
from rankgate.errors import FormatError
from rankgate.model.suite import CorpusSource
from rankgate.suites.foreign.case_collector import CaseCollector
from rankgate.suites.formats import ReadOptions, format_of, load_suite
from support.formats import judged, read

if TYPE_CHECKING:
    from pathlib import Path

IDS = {"a.csv": "query,docid,rating\nq,1,3\n", "a.qrels": "q 0 1 3\n"}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("kind", ["beir", "jsonl"])
def test_ids_keep_a_corpus_of_records(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_text(IDS[name])
    corpus = CorpusSource("corpus.jsonl", kind)
    assert load_suite(tmp_path / name, reading=ReadOptions(corpus=corpus)).corpus == corpus


@pytest.mark.parametrize("name", IDS)
def test_a_corpus_of_files_is_left_out_of_ids_with_a_note(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(IDS[name])
    suite = load_suite(tmp_path / name, reading=ReadOptions(corpus=CorpusSource("docs/")))
    assert suite.corpus is None
    assert "the corpus, docs/, left out: it holds files, and every target is an id" in suite.notes


def test_tags_in_any_order_are_the_same_case(tmp_path: Path) -> None:
    gathering = CaseCollector(tmp_path / "a", ReadOptions())
    words = [f"tag{number}" for number in range(40)]
    # Words whose hashes fall on one slot stand in a set in the order they came.
    one, two = next(pair for pair in permutations(words, 2) if hash(pair[0]) % 8 == hash(pair[1]) % 8)
    first = gathering.case("q", "a:1", tags=frozenset([one, two]))
    assert gathering.case("q", "a:2", tags=frozenset([two, one])) is first
    assert gathering.case("q", "a:3", tags=frozenset([one])) is not first


def test_the_grades_that_a_refusal_suggests_can_be_given_at_once(tmp_path: Path) -> None:
    text = "query,docid,rating\nq,1,good\nq,2,2\nq,3,not bad\nq,4,0.5\n"
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.csv", text)
    (problem,) = error.value.problems
    assert problem.found == "the labels good (1), not bad (1), 2 (1), 0.5 (1)"
    assert problem.fix == "say what each is worth: --grades 'good=2,not bad=1,2=2,0.5=0.5'"
    suggested = read_grades("good=2,not bad=1,2=2,0.5=0.5")
    assert judged(read(tmp_path / "a.csv", text, grades=suggested))["q"] == {"1": 2, "2": 2, "3": 1, "4": 0.5}
    with pytest.raises(FormatError, match=r"add them: --grades 'good=3,2=2,not bad=1,0\.5=0\.5'"):
        read(tmp_path / "a.csv", text, grades={"good": 3})


def test_the_parameter_that_a_query_was_taken_from_is_named(tmp_path: Path) -> None:
    def body(name: str) -> object:
        entry = {"id": "1", "params": {name: "en"}, "ratings": [{"_id": "a", "rating": 1}]}
        return {"requests": [entry]}

    assert "queries taken from params.lang (1)" in read(tmp_path / "a.json", body("lang"), "rank_eval").notes
    for name in ("query", "query_string", "q"):
        assert read(tmp_path / "a.json", body(name), "rank_eval").notes == ()


def test_long_text_is_shortened_before_it_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"found 'x{79}…', without a relevance"):
        read(tmp_path / "a.csv", f"query,result1\nq,{'x' * 200}\n")


def test_a_folder_of_no_known_format_is_called_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"found a folder that looks like none of .* with --from"):
        format_of(tmp_path)
