"""One TREC file is read one way by every command, and a carriage return loses nothing in silence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.outline import read_outline
from rankgate.runs.formats.load import load_run
from rankgate.truth.judgments.formats import load_judgments
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SUITE = "gates: [rr >= 0.9]\ncases:\n  - {query: q, id: right}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a run whose ranks and scores say different things, and make its folder the current one."""
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "run.txt").write_text("q Q0 wrong 1 1.0 t\nq Q0 right 2 2.0 t\n")
    (tmp_path / "qrels.txt").write_text("q 0 right 1\n")
    (tmp_path / "rankgate.toml").write_text('[systems.kept]\nrun = "run.txt"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_score_and_test_order_one_file_alike_and_say_how(project: Path) -> None:
    scored = rankgate("score", "-q", "qrels.txt", "-r", "run.txt", "-m", "rr").printed()
    assert "1.0000" in scored
    assert "trec_eval (score as float32, ties by id descending" in scored
    tested = rankgate("test", "search.yaml")
    assert tested.code == 0, tested.out
    said = " ".join(tested.out.split())
    assert "ordered as trec_eval does: by score as float32, equal scores by id, both descending" in said
    assert (project / "run.txt").is_file()


def test_the_order_of_the_rank_column_can_be_asked_for_in_both(project: Path) -> None:
    assert (
        "0.5000" in rankgate("score", "-q", "qrels.txt", "-r", "run.txt", "-m", "rr", "--no-trec").printed()
    )
    configuration = project / "rankgate.toml"
    configuration.write_text(configuration.read_text() + 'order = "returned"\n')
    tested = rankgate("test", "search.yaml")
    assert tested.code == 1
    assert "ordered as trec_eval" not in tested.out
    configuration.write_text(configuration.read_text().replace("returned", "random"))
    assert "systems.kept.order: found 'random'" in rankgate("test", "search.yaml").refused()


def test_compare_orders_a_file_as_test_does(project: Path) -> None:
    (project / "other.txt").write_text("q Q0 right 1 2.0 t\nq Q0 wrong 2 1.0 t\n")
    said = rankgate("compare", "run.txt", "other.txt", "--suite", "search.yaml", "--format", "json").printed()
    (comparison,) = json.loads(said)["comparisons"]
    # The metric of the suite, and that of its gate, without a cut: files do not say how deep they were asked.
    assert [row["metric"] for row in comparison["rows"]] == ["ndcg@10", "rr"]
    for row in comparison["rows"]:
        assert (row["numbers"]["before"], row["numbers"]["after"], row["same"]) == (1.0, 1.0, 1)
    assert comparison["moved"] == []


def test_a_carriage_return_alone_ends_no_line_and_is_told(project: Path) -> None:
    (project / "run.txt").write_bytes(b"q Q0 right 1 2.0 t\rq Q0 wrong 2 1.0 t\n")
    (project / "qrels.txt").write_bytes(b"q 0 right 1\rq 0 wrong 1\n")
    note = "1 carriage return within lines, read as white space, which ends no line"
    assert note in load_run("run.txt").notes
    assert note in load_judgments("qrels.txt").notes
    scored = " ".join(rankgate("score", "-q", "qrels.txt", "-r", "run.txt", "-m", "rr").printed().split())
    assert scored.count(note) == 2
    assert note in " ".join(rankgate("test", "search.yaml").out.split())


def test_ends_of_lines_as_windows_writes_them_are_not_told(project: Path) -> None:
    (project / "run.txt").write_bytes(b"q Q0 right 1 2.0 t\r\nq Q0 wrong 2 1.0 t\r\n")
    assert load_run("run.txt").notes == ()


def test_a_carriage_return_in_a_corpus_ends_a_line_for_every_part_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# One\rtext\r\n# Two\ntext\n")
    (tmp_path / "b.md").write_bytes(b"# One\r\ntext\r\n")
    corpus = FolderCorpus.open(tmp_path, root=tmp_path)
    assert corpus.lines("a.md") == 4
    assert corpus.text("a.md").count("\n") == 4
    nodes = read_outline("a.md", (tmp_path / "a.md").read_bytes().decode())
    assert nodes is not None
    assert [node.start for node in nodes if node.name in ("One", "Two")] == [1, 3]
    told = [note for note in corpus.notes if "carriage return" in note]
    assert told == ["1 file has lone carriage returns, which end lines here; other tools may count fewer"]
