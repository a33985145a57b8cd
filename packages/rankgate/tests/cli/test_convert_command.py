"""``rankgate suite convert``, ``rankgate list formats`` and ``rankgate list corpora``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.cli.suite.options import read_corpus, read_grades
from rankgate.errors import InputError
from rankgate.plugins import listed
from rankgate.suites.formats import format_named, load_suite
from support.commands import rankgate
from support.formats import judged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CELLS = (
    "query,result1,result2\n"
    "rotate keys,keys.md:5-7:2,README.md:1\nrotate keys,keys.md:5-7:2,\nhelp,a.md:1-2:2,\n"
)
RATED = "query,docid,rating\nq,a.md,good\nq,b.md,fair\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_was_read_noted_written_and_lost_is_printed(
    tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    (tmp_path / "code.csv").write_text(CELLS)
    done = rankgate("suite", "convert", "code.csv", "code.qrels")
    assert done.code == 0
    golden("suite_convert", f"{done.out}--- errors\n{done.err}")
    assert judged(load_suite(tmp_path / "code.qrels"))["rotate-keys"] == {"keys.md:5-7": 2, "README.md": 1}


def test_losses_fail_a_strict_conversion_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\n")
    assert rankgate("suite", "convert", "a.csv", "b.json", "--to", "judgment_list", "--strict").printed() == (
        "read   a.csv as quepid: 1 case, 1 target (1 of grade 3)\nwrote  b.json as judgment_list\n"
    )
    done = rankgate("suite", "convert", "a.csv", "c.json", "--to", "expected", "--strict")
    lost = "warn   1 grade other than 1 left out\nwarn   unlisted: unjudged left out\n"
    assert (done.code, done.err) == (1, lost)
    assert (tmp_path / "c.json").is_file()


def test_nothing_is_written_over_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\n")
    (tmp_path / "b.qrels").write_text("mine\n")
    said = rankgate("suite", "convert", "a.csv", "b.qrels").refused()
    assert "write over it with --force" in said
    assert (tmp_path / "b.qrels").read_text() == "mine\n"
    assert rankgate("suite", "convert", "a.csv", "b.qrels", "--force").code == 0
    assert (tmp_path / "b.qrels").read_text() == "q 0 1 3\n"


def test_words_are_refused_until_grades_are_given(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RATED)
    said = rankgate("suite", "convert", "a.csv", "b.qrels").refused()
    assert "--grades good=2,fair=1" in said
    assert not (tmp_path / "b.qrels").exists()
    done = rankgate("suite", "convert", "a.csv", "b.qrels", "--grades", "good=3,fair=0.5")
    assert done.code == 0
    assert (tmp_path / "b.qrels").read_text() == "q 0 a.md 3\nq 0 b.md 0.5\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["missing.csv", "b.qrels"], "missing.csv does not exist"),
        (["a.csv", "b.csv"], "name the format with --to: one of beir, cells"),
        (["a.csv", "b.json", "--to", "ragas"], "a format that is only read"),
        (["a.csv", "b.json", "--to", "quepit"], "did you mean quepid"),
        (["a.csv", "b.qrels", "--from", "cells"], "expected query,result1,result2"),
        (["a.csv", "b.qrels", "--option", "ratings=x"], "did you mean rating?"),
        (["a.csv", "b.qrels", "--option", "rating"], "expected key=value"),
        (["a.csv", "b.qrels", "--grades", "good"], "--grades: found 'good'"),
    ],
)
def test_a_call_that_is_wrong_is_refused_in_words(tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\n")
    assert words in rankgate("suite", "convert", *args).refused()


def test_headings_become_lines_for_a_format_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\ntext\n")
    (tmp_path / "search.yaml").write_text(
        "corpus: docs/\ncases:\n  - query: rotate\n    at: keys.md#Rotation\n"
    )
    done = rankgate("suite", "convert", "search.yaml", "out/code.csv", "--to", "cells")
    assert done.code == 0, done.err
    assert "note   1 headings, symbols and quotes became the lines they stand for" in done.out
    assert (tmp_path / "out" / "code.csv").read_text() == "query,result1\nrotate,keys.md:3-5:1\n"


def test_grades_and_corpora_are_read_from_one_word() -> None:
    assert read_grades("a=b=2, c =-1") == {"a=b": 2, "c": -1}
    with pytest.raises(InputError, match="'a' twice"):
        read_grades("a=1,a=2")
    found = read_corpus("folder:docs/,under=src")
    assert found is not None
    assert (found.kind, found.place, found.options) == ("folder", "docs/", {"under": "src"})
    assert str(read_corpus("C:/docs")) == "C:/docs"


def test_every_format_is_listed_with_its_options() -> None:
    text = rankgate("list", "formats").printed()
    for name in listed("rankgate.suite_formats"):
        known = format_named(name)
        assert f"\n{name} " in f"\n{text}"
        assert known.about in text
        assert all(f"--option {key}=…  {about}" in text for key, about in known.options.items())
    assert rankgate("list", "formats", "trec").printed().startswith("trec           TREC qrels")


def test_every_kind_of_corpus_is_listed() -> None:
    lines = rankgate("list", "corpora").printed().splitlines()
    assert [line.split()[0] for line in lines] == sorted(listed("rankgate.corpora"))
    assert all(len(line.split()) > 3 for line in lines)


def test_the_corpus_is_named_as_it_is_seen_from_the_new_suite(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "code.csv").write_text(CELLS)
    done = rankgate("suite", "convert", "code.csv", "suites/code.yaml", "--corpus", "docs/")
    assert (done.code, done.err) == (0, "")
    suite = load_suite(tmp_path / "suites" / "code.yaml")
    assert str(suite.corpus) == "../docs/"
    assert judged(suite)["rotate keys"] == {"keys.md:5-7": 2, "README.md": 1}


def test_places_without_a_corpus_are_told(tmp_path: Path) -> None:
    (tmp_path / "code.csv").write_text(CELLS)
    done = rankgate("suite", "convert", "code.csv", "code.yaml")
    assert "note   targets are locations in a corpus that is not named; name it with --corpus" in done.out
    assert done.err.startswith("warn   ")


def test_chunkers_are_listed_with_their_options_and_what_is_missing() -> None:
    printed = rankgate("list", "chunkers").printed()
    assert "window         Windows of as many lines each, the last one shorter\n" in printed
    assert "               lines = 40, overlap = 0\n" in printed
    assert "langchain_markdown\n               LangChain's MarkdownHeaderTextSplitter" in printed
    assert "not here: langchain-text-splitters; to install: pip install 'rankgate[langchain]'" in printed
