"""A library: what it parses again, what it keeps, and how it is walked."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import rankgate as rg
from rankgate.testing import check_system
from rankgate_reference.lexical.weights import Weights
from rankgate_reference.library import library as library_module
from rankgate_reference.library.library import Library
from rankgate_reference.library.store import Store
from rankgate_reference.system import open_reference

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


def test_a_file_under_another_name_is_found_under_that_alone(root: Path) -> None:
    _open(root).close()
    (root / "app.py").rename(root / "moved.py")
    again = _open(root)
    assert (again.changed, again.removed) == (("moved.py",), ("app.py",))
    assert _ids(again, "Client")[0] == "moved.py::Client"
    assert not any(str(one).startswith("app.py") for one in _ids(again, "Client send"))


def test_other_parsers_make_the_nodes_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _open(root).close()
    monkeypatch.setattr(library_module, "parsers", lambda: ("tree-sitter 99",))
    assert _open(root).changed == tuple(sorted(PAGES))
    assert _open(root).changed == ()


def test_what_is_open_stays_as_it_is_while_another_updates(root: Path) -> None:
    before = _open(root)
    (root / "app.py").write_text("def receive():\n    pass\n", encoding="utf-8")
    (root / "guide" / "keys.md").unlink()
    after = _open(root)
    for text in ("Client", "rotation"):
        for hit in before.search(rg.Query(text)).hits:
            assert before.node(hit.id or "").path == hit.path
    assert [node.id for node in before.documents()] == sorted(PAGES)
    assert [node.id for node in after.documents()] == ["app.py", "plain.csv"]


_OPEN_AND_WAIT = """
import sys
from rankgate_reference.library.library import Library
library = Library.open(sys.argv[1], cache=sys.argv[2])
print("open", flush=True)
sys.stdin.readline()
library.close()
"""


def test_one_that_ends_takes_nothing_from_another_that_made_the_cache_anew(root: Path) -> None:
    call = [sys.executable, "-c", _OPEN_AND_WAIT, str(root), str(root.parent / "cache")]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        weights = Weights(title=3)
        mine = _open(root, weights=weights)
        assert mine.changed == tuple(sorted(PAGES))
        other.communicate("end\n", timeout=60)
    assert [node.id for node in mine.documents()] == sorted(PAGES)
    third = _open(root, weights=weights)
    assert third.changed == ()
    assert [node.id for node in third.documents()] == sorted(PAGES)


def test_a_folder_that_no_library_made_is_left_alone(root: Path) -> None:
    kept = root.parent / "project" / "lexical" / "thesis.md"
    kept.parent.mkdir(parents=True)
    kept.write_text("years of work", encoding="utf-8")
    with pytest.raises(rg.InputError, match="no library made"):
        Library.open(root, cache=root.parent / "project")
    assert kept.read_text(encoding="utf-8") == "years of work"


def test_a_cache_inside_the_folder_is_not_searched(root: Path) -> None:
    for _ in range(2):
        library = Library.open(root, cache=root / "kept")
        assert [node.id for node in library.documents()] == sorted(PAGES)
        library.close()
    again = Library.open(root, cache=root / "kept")
    assert again.changed == ()
    assert any("the library's own cache" in note for note in again.notes)


def test_a_file_that_changes_while_it_is_read_is_read_again(root: Path) -> None:
    def edit(done: int, _total: int) -> None:
        if done == 0 and "zebra" not in (root / "app.py").read_text(encoding="utf-8"):
            (root / "app.py").write_text("def zebra():\n    pass\n", encoding="utf-8")

    library = _open(root, progress=edit)
    assert _ids(library, "zebra") == ["app.py::zebra"]
    assert not any("changing" in note for note in library.notes)
    assert sorted(library.changed) == sorted(PAGES)


def test_a_file_that_never_rests_is_left_as_it_was_and_named(root: Path) -> None:
    _open(root).close()
    (root / "app.py").write_text("def zebra():\n    pass\n", encoding="utf-8")
    (root / "plain.csv").write_text("a,zebra\n", encoding="utf-8")

    def write_on(_done: int, _total: int) -> None:
        with (root / "app.py").open("a", encoding="utf-8") as file:
            file.write("# more\n")

    library = _open(root, progress=write_on)
    assert _ids(library, "Client")[0] == "app.py::Client"
    assert _ids(library, "zebra") == ["plain.csv"]
    assert any(note.startswith("1 files kept changing") and "app.py" in note for note in library.notes)
    library.close()
    assert _open(root).changed == ("app.py",)


def test_files_are_written_in_parts_that_fit_into_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "_AT_ONCE", 1)
    seen: list[int] = []
    real = Store.replace

    def replace(store: Store, files: list[object], removed: object, fingerprint: str = "") -> None:
        seen.append(len(list(files)))
        if len(seen) == 2:
            raise KeyboardInterrupt
        real(store, files, removed, fingerprint)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Store, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            _open(root)
    assert seen == [1, 1]
    again = _open(root)
    assert again.changed == tuple(sorted(PAGES)[1:])
    anew = Library.open(root, cache=root.parent / "other")
    for query in ("client", "rotation", "keys", "send"):
        assert _ids(again, query) == _ids(anew, query)


def test_nodes_that_are_broken_inside_are_made_anew(root: Path) -> None:
    _open(root).close()
    file = root.parent / "cache" / "nodes.sqlite"
    data = file.read_bytes()
    file.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    assert _ids(_open(root), "rotation")[0] == "guide/keys.md#Keys/Rotation"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists what a process holds")
def test_a_system_that_does_not_open_holds_no_file(root: Path) -> None:
    cache = root.parent / "cache"
    with pytest.raises(rg.InputError, match="nowhere") as caught:
        open_reference("r", {"root": str(root), "cache": str(cache), "mode": "vector", "model": "nowhere"})
    held = [one.resolve() for one in Path("/proc/self/fd").iterdir()]
    assert not [one for one in held if one.parent == cache and one.name.startswith("nodes.sqlite")]
    assert caught.traceback


def test_a_folder_with_a_long_name_has_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    root = tmp_path / ("n" * 250)
    root.mkdir()
    (root / "a.md").write_text("# Zebra\n", encoding="utf-8")
    assert _ids(Library.open(root), "zebra")[0] == "a.md#Zebra"
