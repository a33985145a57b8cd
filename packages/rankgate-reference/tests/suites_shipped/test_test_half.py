"""`just results --test` on a small stand-in: the test half alone, into a log, once a version."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import suite_ground
from rankgate.chunks.chunking import Chunking
from rankgate.corpora.cache import cache_folder
from rankgate.suites.formats import load_suite
from suite_ground import Ground, Plan
from suite_halves import halves
from suite_measuring import Desk, measured
from suite_systems import CONTENDERS, Contender
from suite_test_half import AskedVersion, ask_test_halves, check_unasked, version_asked

if TYPE_CHECKING:
    from pathlib import Path

PLAN = Plan("small", {"nDCG@10": "ndcg@10"}, "sqlite", Chunking("section"), half="development")
NOW = AskedVersion("9.9", "abcdef123456")


SECOND = Plan("second", {"nDCG@10": "ndcg@10"}, "sqlite", Chunking("section"), half="development")


@pytest.fixture
def suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "suites"
    for suite in ("small", "second"):
        (folder / suite / "corpus").mkdir(parents=True)
        names = [f"{suite}{number}" for number in range(11)]
        page = "".join(f"## Part {name}\n\nAll about {name}.\n\n" for name in names)
        (folder / suite / "corpus" / "page.md").write_text(f"# Page\n\n{page}")
        # A second word that stands nowhere: who wants all words finds nothing in one of the two suites.
        absent = " nowhere" if suite == "second" else ""
        cases = "".join(
            f'  - {{query: {name}{absent}, at: "page.md#Page/Part {name}", tags: [{tag}]}}\n'
            for name, tag in zip(names, [*["hard"] * 8, *["plain"] * 3], strict=True)
        )
        text = f"name: {suite}\ncorpus: corpus/\nmetrics: [ndcg@10]\ncases:\n{cases}"
        (folder / suite / f"{suite}.yaml").write_text(text)
        (folder / suite / "rankgate.toml").write_text(f'suites = ["{suite}.yaml"]\n')
    monkeypatch.setattr(suite_ground, "SUITES", folder)
    return folder


def contender(name: str) -> Contender:
    known = next(one for one in CONTENDERS if one.name == name)
    return replace(known, suites=("small", "second"))


def test_the_test_half_is_asked_alone_and_logged_with_version_and_commit(suites: Path) -> None:
    ground = Ground.read(PLAN, "test")
    which = halves(load_suite(suites / "small" / "small.yaml"))
    assert {case.id for case in ground.suite.cases} == {
        name for name, half in which.items() if half == "test"
    }
    assert len(ground.suite.cases) == 5
    log = suites / "TEST.log"
    ask_test_halves([PLAN], [contender("sqlite")], log, NOW)
    head, *rest = log.read_text().split("\n== ")
    assert head.startswith("# What the test halves")
    (entry,) = rest
    assert entry.splitlines()[0].endswith(", rankgate 9.9, commit abcdef123456")
    assert entry.splitlines()[1] == "small, 5 queries of the test half"
    assert entry.splitlines()[2].startswith(
        "  SQLite FTS5: nDCG@10 1.000 [1.000, 1.000]; nDCG@10, hard (4) 1.000; "
    )
    ask_test_halves([PLAN], [contender("sqlite")], log, AskedVersion("10.0", "123456abcdef"))
    assert log.read_text().count("\n== ") == 2
    assert log.read_text().startswith(f"{head}\n== {entry}"[:200])


def test_suites_taken_together_are_compared_query_by_query_and_the_hard_ones_again(suites: Path) -> None:
    strict = replace(contender("sqlite"), name="strict", label="all words", options={"query": "all"})
    absent = replace(contender("sqlite"), name="absent", label="absent", options={"tokenizer": "none"})
    log = suites / "TEST.log"
    ask_test_halves(
        [PLAN, SECOND], [contender("sqlite"), strict, absent], log, NOW, together=("small", "second")
    )
    whole, hard = log.read_text().split("small and second together, ")[1:]
    assert whole.startswith("10 queries of the test half: less SQLite FTS5\n")
    assert hard.startswith("8 hard queries of the test half: less SQLite FTS5\n")
    for entry, half in ((whole, 5), (hard, 4)):
        assert "  all words: difference in nDCG@10 -0.500; 95 % interval -" in entry
        assert f"; better 0; worse {half}; alike {half}\n" in entry
        assert "  absent: difference in nDCG@10 not measured: " in entry
    one_only = suites / "ONE.log"
    ask_test_halves([PLAN], [contender("sqlite"), strict], one_only, NOW, together=("small", "second"))
    assert "together" not in one_only.read_text()


def test_a_version_is_asked_once(suites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = suites / "TEST.log"
    check_unasked(log, NOW)
    ask_test_halves([PLAN], [contender("sqlite")], log, NOW)
    with pytest.raises(SystemExit, match=r"TEST\.log has it: .*rankgate 9\.9.* once a version"):
        check_unasked(log, NOW)
    check_unasked(log, AskedVersion("9.90", "abcdef123456"))
    assert "small, 5 queries" in capsys.readouterr().out


def test_what_is_not_committed_is_not_asked(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "file").write_text("one")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    assert len(version_asked(tmp_path).commit) == 12
    (tmp_path / "file").write_text("two")
    with pytest.raises(SystemExit, match="not committed"):
        version_asked(tmp_path)


def test_indexes_go_and_what_was_fetched_or_embedded_stays(suites: Path) -> None:
    user = cache_folder()
    with Desk() as desk:
        own = cache_folder()
        assert own != user
        measured(Ground.read(PLAN), [contender("sqlite"), contender("bm25s")], desk, rounds=0, builds=1)
        # An index of the same documents is built once where no time is wanted.
        assert len(desk.ready) == 2
        again = measured(Ground.read(PLAN, "test"), [contender("sqlite")], desk, rounds=0, builds=1)
        assert again[0].seconds == 0
        for name in ("downloads", "corpora", "vectors"):
            (own / name / "kept").write_text(name)
        desk.use_vectors(kept=False)
        assert not (own / "vectors").exists()
        (own / "vectors").mkdir()
        (own / "vectors" / "gone").write_text("made for a time")
        desk.use_vectors(kept=True)
        assert [one.name for one in (own / "vectors").iterdir()] == ["kept"]
    assert not own.exists()
    assert os.environ["RANKGATE_CACHE"] == str(user)
    assert {one.name for one in user.iterdir()} == {"downloads", "corpora", "vectors"}
    assert (user / "vectors" / "kept").read_text() == "vectors"
