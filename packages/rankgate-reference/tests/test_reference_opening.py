"""A server whose library is still being opened, and one whose folder changes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import rankgate as rg
from rankgate_reference.documents.changes import state_of
from rankgate_reference.opening import LOOK, RETRY, Opening

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate_reference.tools.tool import Desk


def test_whoever_waits_too_long_is_told_how_far_it_is() -> None:
    go, desk, begun = threading.Event(), cast("Desk", object()), threading.Event()

    def opens(progress: Callable[[int, int], None]) -> Desk:
        progress(3, 12)
        begun.set()
        go.wait(20)
        return desk

    opening = Opening(opens).start()
    assert begun.wait(20)
    assert opening.waiting
    with pytest.raises(rg.SystemFailedError, match=r"still being built \(3 of 12 documents\).*call again"):
        opening.desk(0.01)
    go.set()
    assert opening.desk(20) == (desk, "")
    assert not opening.waiting


@pytest.mark.parametrize("error", [rg.InputError("no text files"), RuntimeError("no text files")])
def test_a_library_that_does_not_open_is_told_to_everyone(error: Exception) -> None:
    def opens(_: object) -> Desk:
        raise error

    told: list[str] = []
    opening = Opening(opens, tells=told.append).start()
    for _ in range(2):
        with pytest.raises(rg.RankgateError, match="no text files"):
            opening.desk(20)
    assert len(told) == 1
    assert "no text files" in told[0]


@dataclass
class Folder:
    """A folder that changes when it is told to, and can be slow or impossible to open."""

    state: str = "first"
    now: float = 100.0
    looks: int = 0
    wrong: bool = False
    free: threading.Event = field(default_factory=threading.Event)
    opened: list[str] = field(default_factory=list)

    def opening(self) -> Any:
        self.free.set()
        return Opening(self._opens, self._look, clock=lambda: self.now).start()

    def _look(self) -> str:
        self.looks += 1
        return self.state

    def _opens(self, _: object) -> Desk:
        state = self.state
        self.free.wait(20)
        self.opened.append(state)
        if self.wrong:
            raise rg.InputError("not now")
        return cast("Desk", state)


def test_a_folder_that_changed_is_opened_anew() -> None:
    folder = Folder()
    opening = folder.opening()
    assert opening.desk(20) == ("first", "")
    folder.state = "second"
    folder.now += LOOK
    assert opening.desk() == ("second", "")
    folder.now += LOOK
    assert opening.desk() == ("second", "")
    assert folder.opened == ["first", "second"]


def test_a_folder_is_looked_at_only_every_few_seconds() -> None:
    folder = Folder()
    opening = folder.opening()
    opening.desk(20)
    folder.now += LOOK
    before = folder.looks
    for _ in range(100):
        opening.desk()
    assert folder.looks == before + 1
    folder.now += LOOK
    opening.desk()
    assert folder.looks == before + 2


def test_until_changes_are_indexed_answers_are_from_before_and_say_so() -> None:
    folder = Folder()
    opening = folder.opening()
    opening.desk(20)
    folder.free.clear()
    folder.state = "second"
    folder.now += LOOK
    desk, note = opening.desk()
    assert (desk, note[:22]) == ("first", "Files have changed and")
    assert not opening.waiting
    folder.now += 60
    assert opening.desk()[0] == "first"
    folder.free.set()
    folder.now += -60
    assert opening.desk() == ("second", "")
    assert folder.opened == ["first", "second"]


def test_changes_that_cannot_be_indexed_are_told_and_tried_again() -> None:
    folder = Folder()
    opening = folder.opening()
    opening.desk(20)
    folder.state, folder.wrong = "second", True
    folder.now += LOOK
    desk, note = opening.desk()
    assert desk == "first"
    assert "could not be indexed" in note
    assert "not now" in note
    assert opening.desk()[1] == note
    folder.wrong = False
    folder.now += RETRY + 1
    assert opening.desk() == ("second", "")


def test_a_folder_that_could_not_be_opened_at_first_is_tried_again() -> None:
    folder = Folder(wrong=True)
    opening = folder.opening()
    with pytest.raises(rg.InputError, match="not now"):
        opening.desk(20)
    folder.wrong = False
    folder.now += RETRY + 1
    assert opening.desk(20) == ("first", "")


def test_the_state_of_a_folder_tells_what_is_searched(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("one")
    seen = [state_of(tmp_path)]

    def changed() -> bool:
        seen.append(state_of(tmp_path))
        return seen[-1] != seen[-2]

    assert not changed()
    (tmp_path / "docs/a.md").write_text("three")
    assert changed()
    (tmp_path / "docs/b.md").write_text("")
    assert changed()
    (tmp_path / "docs/b.md").rename(tmp_path / "docs/c.md")
    assert changed()
    (tmp_path / "docs/c.md").unlink()
    assert changed()
    for name in (".git", "__pycache__", "node_modules"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text("not searched")
    (tmp_path / ".hidden.md").write_text("not searched")
    assert not changed()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert changed()
    assert state_of(tmp_path / "nowhere") == state_of(tmp_path / "nowhere")
    assert state_of(tmp_path / "no\0where")


def test_a_cache_in_the_folder_is_no_change_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "kept").mkdir(parents=True)
    for root, kept in ((tmp_path, Path("deep/kept")), (Path(), tmp_path / "deep" / "kept")):
        before = state_of(root, kept)
        (tmp_path / "deep" / "kept" / f"{root.name}.bin").write_text("x")
        assert state_of(root, kept) == before
        assert state_of(root) != before
