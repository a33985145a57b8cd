"""A library: what it parses again, what it keeps, and how it is walked."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.reference.library import Library
from rankgate.reference.store import Store
from rankgate.reference.system import open_reference
from rankgate.reference.weights import Weights
from rankgate.testing import check_system

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {
    "guide/keys.md": "# Keys\n\nAbout keys.\n\n## Rotation\n\nRotate them.\n\n## Loss\n\nReport it.\n",
    "app.py": "class Client:\n    def send(self):\n        return 1\n\n\ndef send():\n    return 2\n",
    "plain.csv": "a,b\n1,2\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in PAGES.items():
        file = tmp_path / "root" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "root"


def _open(root: Path, **options: object) -> Library:
    return Library.open(root, cache=root.parent / "cache", **options)  # type: ignore[arg-type]


def _ids(library: Library, text: str) -> list[str | None]:
    return [hit.id for hit in library.search(rg.Query(text)).hits]


def test_only_what_changed_is_parsed_again(root: Path) -> None:
    assert _open(root).changed == tuple(sorted(PAGES))
    assert _open(root).changed == ()
    (root / "app.py").write_text("def receive():\n    pass\n", encoding="utf-8")
    (root / "plain.csv").unlink()
    again = _open(root)
    assert (again.changed, again.removed) == (("app.py",), ("plain.csv",))
    assert _ids(again, "receive")[0] == "app.py::receive"
    assert _ids(again, "Client") == []
    assert _ids(again, "rotation")[0] == "guide/keys.md#Keys/Rotation"


def test_a_library_that_was_changed_answers_as_one_made_anew(root: Path) -> None:
    _open(root).close()
    (root / "app.py").write_text(
        "class Client:\n    def receive(self):\n        return 1\n", encoding="utf-8"
    )
    changed = _open(root)
    anew = Library.open(root, cache=root.parent / "other")
    for query in ("client", "receive", "rotation", "keys"):
        assert _ids(changed, query) == _ids(anew, query)
    assert [node.id for node in changed.tree("app.py")] == [node.id for node in anew.tree("app.py")]


def test_an_update_that_was_cut_short_is_repeated(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _open(root).close()
    (root / "new.md").write_text("# Zebra\n", encoding="utf-8")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    # The index has the new file by then, and the nodes have not.
    with monkeypatch.context() as patched:
        patched.setattr(Store, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            _open(root)
    (root / "new.md").unlink()
    again = _open(root)
    assert _ids(again, "zebra") == []
    assert again.removed == ("new.md",)


@pytest.mark.parametrize("broken", ["nodes.sqlite", "lexical/meta.json"])
def test_a_broken_cache_is_made_anew(root: Path, broken: str) -> None:
    _open(root).close()
    (root.parent / "cache" / broken).write_bytes(b"nonsense" * 500)
    assert _ids(_open(root), "rotation")[0] == "guide/keys.md#Keys/Rotation"


def test_an_index_that_lost_its_nodes_is_made_anew(root: Path) -> None:
    library = _open(root)
    library.lexical.update([], ["app.py"])
    library.close()
    assert "app.py::Client" in _ids(_open(root), "Client")


def test_other_weights_of_fields_make_the_index_anew(root: Path) -> None:
    _open(root).close()
    assert _open(root, weights=Weights(title=3)).changed == tuple(sorted(PAGES))


def test_progress_is_told_to_the_end(root: Path) -> None:
    told: list[tuple[int, int]] = []
    _open(root, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_notes_tell_what_was_skipped_and_what_could_not_be_read(root: Path) -> None:
    (root / "b.bin").write_bytes(b"\0\1")
    (root / "bad.py").write_text("def (:\n", encoding="utf-8")
    for _ in range(2):
        notes = _open(root).notes
        assert "1 binary files skipped" in notes
        assert any(note.startswith("bad.py: one node") for note in notes)


def test_a_hit_has_the_lines_of_its_node(root: Path) -> None:
    library = _open(root)
    hit = library.search(rg.Query("rotation")).hits[0]
    assert (hit.path, hit.lines) == ("guide/keys.md", rg.Lines(5, 8))
    assert library.read(hit.id or "").strip() == "## Rotation\n\nRotate them."


def test_a_subtree_is_all_below_depth_first(root: Path) -> None:
    library = _open(root)
    assert library.subtree("guide/keys.md").split() == PAGES["guide/keys.md"].split()
    assert [node.title for node in library.tree("guide/keys.md")] == ["Keys", "Keys", "Rotation", "Loss"]
    assert sorted(node.id for node in library.documents()) == sorted(PAGES)


@pytest.mark.parametrize(
    "id", ["", "../root/app.py", "/etc/passwd", "app.py::Nobody", "\ud800", "x" * 10_000]
)
def test_an_unknown_id_is_refused(root: Path, id: str) -> None:  # noqa: A002 - what it is
    library = _open(root)
    for ask in (library.read, library.subtree, library.node):
        with pytest.raises(rg.SystemFailedError):
            ask(id)


def test_nothing_outside_the_root_is_read(root: Path) -> None:
    (root.parent / "secret.md").write_text("# Secret zebra\n", encoding="utf-8")
    (root / "link.md").symlink_to(root.parent / "secret.md")
    (root / "loop").symlink_to(root)
    library = _open(root)
    assert _ids(library, "zebra") == []
    assert any("symbolic links" in note for note in library.notes)


def test_the_system_keeps_the_contract(root: Path) -> None:
    options = {"root": str(root), "cache": str(root.parent / "cache"), "texts": True}
    check_system(open_reference("reference", options), ("rotation", "Client.send"))


def test_every_wrong_option_is_named_at_once() -> None:
    with pytest.raises(rg.InputError) as caught:
        open_reference("r", {"rot": ".", "mode": "psychic", "texts": 1, "weights": {"title": 0.5, "x": 1}})
    said = str(caught.value)
    for where in ("r.rot", "r.mode", "r.texts", "r.weights.title", "r.weights.x"):
        assert where in said


def test_a_description_has_every_weight(root: Path) -> None:
    options = {"root": str(root), "cache": str(root.parent / "c"), "weights": {"filler": 1}}
    described = open_reference("r", options).describe()
    assert described["weights"] == {**asdict(Weights()), "filler": 1.0}
