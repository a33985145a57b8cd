"""`just results --test` on a small stand-in: the test half alone, into a log, once a version."""

from __future__ import annotations

import os
import subprocess
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


@pytest.fixture
def suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "suites"
    (folder / "small" / "corpus").mkdir(parents=True)
    names = [f"word{number}" for number in range(11)]
    page = "".join(f"## Part {name}\n\nAll about {name}.\n\n" for name in names)
    (folder / "small" / "corpus" / "page.md").write_text(f"# Page\n\n{page}")
    cases = "".join(f'  - {{query: {name}, at: "page.md#Page/Part {name}"}}\n' for name in names)
    text = f"name: small\ncorpus: corpus/\nmetrics: [ndcg@10]\ncases:\n{cases}"
    (folder / "small" / "small.yaml").write_text(text)
    (folder / "small" / "rankgate.toml").write_text('suites = ["small.yaml"]\n')
    monkeypatch.setattr(suite_ground, "SUITES", folder)
    return folder


def contender(name: str) -> Contender:
    known = next(one for one in CONTENDERS if one.name == name)
    return Contender(known.name, known.label, known.kind, known.setting, known.options, suites=("small",))


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
    assert entry.splitlines()[2].startswith("  SQLite FTS5: nDCG@10 1.000 [1.000, 1.000]; judged@10")
    ask_test_halves([PLAN], [contender("sqlite")], log, AskedVersion("10.0", "123456abcdef"))
    assert log.read_text().count("\n== ") == 2
    assert log.read_text().startswith(f"{head}\n== {entry}"[:200])


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
