"""``rankgate suite convert``, ``rankgate list formats`` and ``rankgate list corpora``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.cli.suite.options import read_corpus, read_grades
from rankgate.errors import InputError
from rankgate.plugins import listed
from rankgate.suites.formats import format_named, format_names, load_suite
from support.commands import rankgate
from support.formats import judged

if TYPE_CHECKING:
    from pathlib import Path

CELLS = (
    "query,result1,result2\n"
    "rotate keys,keys.md:5-7:2,README.md:1\nrotate keys,keys.md:5-7:2,\nhelp,a.md:1-2:2,\n"
)
RATED = "query,docid,rating\nq,a.md,good\nq,b.md,fair\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_nothing_is_written_over_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\n")
    (tmp_path / "b.yaml").write_text("mine\n")
    said = rankgate("suite", "convert", "a.csv", "b.yaml").refused()
    assert "write over it with --force" in said
    assert (tmp_path / "b.yaml").read_text() == "mine\n"
    assert rankgate("suite", "convert", "a.csv", "b.yaml", "--force").code == 0
    assert judged(load_suite(tmp_path / "b.yaml")) == {"q": {"1": 3}}


def test_words_are_refused_until_grades_are_given(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RATED)
    said = rankgate("suite", "convert", "a.csv", "b.yaml").refused()
    assert "--grades good=2,fair=1" in said
    assert not (tmp_path / "b.yaml").exists()
    done = rankgate("suite", "convert", "a.csv", "b.yaml", "--grades", "good=3,fair=0.5")
    assert done.code == 0
    assert judged(load_suite(tmp_path / "b.yaml")) == {"q": {"a.md": 3, "b.md": 0.5}}


def test_source_of_all_judgments_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\nr,1,1\n")
    assert rankgate("suite", "convert", "a.csv", "b.yaml", "--source", "clicks").code == 0
    suite = load_suite(tmp_path / "b.yaml")
    assert {target.source for case in suite.cases for target in case.targets} == {"clicks"}
    assert suite.unlisted == "unjudged"
    said = rankgate("suite", "convert", "a.csv", "c.yaml", "--source", "robots").refused()
    assert "--source: unknown source 'robots'" in said


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["missing.csv", "b.yaml"], "missing.csv does not exist"),
        (["a.csv", "b.csv"], "name the format with --to: one of jsonl, native"),
        (["a.csv", "b.json", "--to", "ragas"], "a format that is only read"),
        (["a.csv", "b.json", "--to", "quepit"], "did you mean quepid"),
        (["a.csv", "b.yaml", "--from", "esci"], "no targets for 'q'"),
        (["a.csv", "b.yaml", "--option", "grdae=x"], "did you mean grade?"),
        (["a.csv", "b.yaml", "--option", "rating"], "expected key=value"),
        (["a.csv", "b.yaml", "--grades", "good"], "--grades: found 'good'"),
    ],
)
def test_a_call_that_is_wrong_is_refused_in_words(tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,1,3\n")
    assert words in rankgate("suite", "convert", *args).refused()


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
    for name in format_names():
        known = format_named(name)
        assert f"\n{name} " in f"\n{text}"
        assert known.about in text
    options = format_named("mapped").options
    assert all(f"--option {key}=…  {about}" in text for key, about in options.items())
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


def test_chunkers_are_listed_with_their_options() -> None:
    printed = rankgate("list", "chunkers").printed()
    assert "window         Windows of as many lines each, the last one shorter\n" in printed
    assert "               lines = 40, overlap = 0\n" in printed
