"""Records in place of files: an id that is never parsed, found by its title, its id and its text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate_reference.documents.changes import state_of
from rankgate_reference.documents.nodes import RECORD, node_of_record
from rankgate_reference.finding import Finder
from rankgate_reference.lexical.titles import titles_of
from rankgate_reference.library.cache_folder import FORMAT
from rankgate_reference.library.library import Library
from rankgate_reference.system import open_reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytest.importorskip("tantivy")

OPERATIONS = {
    "createUser": ("Create a user", "Adds an account and invites the person."),
    "tests/test_user.py#a:b": ("Try a user", "Asks for a user that is only there to be tried."),
    "deleteUser": ("Delete a user", "Takes the account away."),
    "rotateKey": ("", "Makes a new key."),
}


def catalogue(file: Path, operations: Mapping[str, tuple[str, str]] = OPERATIONS) -> Path:
    records = [
        {"id": name, "title": summary, "text": f"{name}\n\n{summary}\n\n{told}"}
        for name, (summary, told) in operations.items()
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


@pytest.fixture
def api(tmp_path: Path) -> Path:
    return catalogue(tmp_path / "api.jsonl")


@pytest.fixture
def library(api: Path, tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(api, kind="jsonl", cache=tmp_path / "cache")
    yield opened
    opened.close()


def found(system: rg.System, text: str) -> list[str | None]:
    return [hit.id for hit in system.search(rg.Query(text, 10)).hits]


def test_an_operation_is_found_by_its_summary_its_id_and_its_description(library: Library) -> None:
    assert found(library, "delete a user")[0] == "deleteUser"
    assert found(library, "rotateKey") == ["rotateKey"]
    assert found(library, "invites") == ["createUser"]


def test_the_title_of_a_record_is_its_summary_or_else_its_first_line(library: Library) -> None:
    titles = {node.id: node.title for node in library.documents_without_text}
    assert titles["createUser"] == "Create a user"
    assert titles["rotateKey"] == "rotateKey"
    assert library.node("createUser").kind == RECORD


def test_an_id_is_never_parsed(library: Library) -> None:
    """It looks like a place, and is none."""
    name = "tests/test_user.py#a:b"
    assert library.read(name).startswith(name)
    assert Finder(library, "").node(name).id == name
    assert [node.id for node in library.tree(name)] == [name]


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_no_record_is_taken_for_a_test(api: Path, tmp_path: Path, mode: str) -> None:
    pytest.importorskip("lancedb")
    options = {"root": str(api), "corpus": "jsonl", "cache": str(tmp_path / "c"), "mode": mode}
    less = {"model": "reference_support.embedders:Letters", "weights": {"tests": 0.0}}
    system = open_reference("api", {**options, **less})
    scores = {hit.id: hit.score or 0.0 for hit in system.search(rg.Query("user only", 10)).hits}
    assert scores["tests/test_user.py#a:b"] > 0
    system.close()


def test_only_records_that_changed_are_indexed_anew(api: Path, tmp_path: Path, library: Library) -> None:
    assert len(library.changed) == 4
    catalogue(api, {**OPERATIONS, "rotateKey": ("Renew a key", "Makes a new key.")})
    again = Library.open(api, kind="jsonl", cache=tmp_path / "cache")
    assert again.changed == ("rotateKey",)
    assert found(again, "renew") == ["rotateKey"]
    again.close()


def test_a_record_that_is_gone_is_found_no_more(api: Path, tmp_path: Path, library: Library) -> None:
    assert found(library, "rotateKey")
    catalogue(api, {"createUser": OPERATIONS["createUser"]})
    again = Library.open(api, kind="jsonl", cache=tmp_path / "cache")
    assert len(again.removed) == 3
    assert found(again, "rotateKey") == []
    again.close()


def test_lines_of_json_are_records_as_well(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a", "text": "rotate keys"}\n{"id": "b", "text": "deploy"}\n')
    system = open_reference("pages", {"root": str(file), "corpus": "jsonl", "cache": str(tmp_path / "c")})
    assert found(system, "rotating") == ["a"]
    system.close()


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_records_are_found_by_vectors(api: Path, tmp_path: Path, mode: str) -> None:
    pytest.importorskip("lancedb")
    options = {"root": str(api), "corpus": "jsonl", "cache": str(tmp_path / "c"), "mode": mode}
    system = open_reference("api", {**options, "model": "reference_support.embedders:Letters"})
    assert found(system, "delete a user")[0] == "deleteUser"
    system.close()


@pytest.mark.parametrize(
    ("kind", "content", "error"),
    [
        ("jsonl", "\x00", rg.RankgateError),
        ("jsonl", "{", rg.FormatError),
        ("opnapi", "{}", rg.PluginError),
        ("folder", "{}", rg.InputError),
    ],
)
def test_what_is_not_of_that_kind_is_refused(
    tmp_path: Path, kind: str, content: str, error: type[Exception]
) -> None:
    file = tmp_path / "api.jsonl"
    file.write_text(content)
    with pytest.raises(error):
        Library.open(file, kind=kind, cache=tmp_path / "cache")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rg.InputError):
        Library.open(tmp_path / "none.jsonl", kind="jsonl", cache=tmp_path / "cache")


def test_a_changed_file_has_another_state(api: Path) -> None:
    before = state_of(api)
    assert state_of(api) == before
    catalogue(api, {"createUser": OPERATIONS["createUser"]})
    assert state_of(api) != before
    api.unlink()
    assert state_of(api)


def test_the_kind_has_an_index_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of BEIR is a folder, too: both are searched, each as what it was called."""
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "7", "title": "Keys", "text": "rotate"}\n')
    for kind, wanted in (("folder", "corpus.jsonl"), ("beir", "7"), ("folder", "corpus.jsonl")):
        opened = Library.open(folder, kind=kind)
        assert found(opened, "rotate") == [wanted]
        opened.close()


def test_a_cache_that_two_kinds_share_serves_each_as_what_it_is(tmp_path: Path) -> None:
    """A file of one record without a title, and a folder with the same name and text."""
    text = "# Keys\n\n## Rotation\n\nEvery day.\n"
    folder, file = tmp_path / "docs", tmp_path / "pages.jsonl"
    folder.mkdir()
    (folder / "keys.md").write_text(text)
    file.write_text(json.dumps({"id": "keys.md", "text": text}))
    for _ in range(2):
        for root, kind, nodes in ((folder, "folder", 3), (file, "jsonl", 1)):
            opened = Library.open(root, kind=kind, cache=tmp_path / "cache")
            assert len(opened.tree("keys.md")) == len(opened.lexical) == nodes
            opened.close()


def test_a_title_and_a_text_that_are_parted_elsewhere_are_others(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    titles = []
    for title, text in (("a b", "c"), ("a", "b\nc"), ("a", "b c")):
        file.write_text(json.dumps({"id": "x", "title": title, "text": text}))
        opened = Library.open(file, kind="jsonl", cache=tmp_path / "cache")
        titles.append((opened.node("x").title, opened.read("x"), opened.changed))
        opened.close()
    assert titles == [("a b", "c", ("x",)), ("a", "b\nc", ("x",)), ("a", "b c", ("x",))]


def test_a_field_of_title_is_the_title_of_a_record_and_is_searched(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a", "title": "Rotate keys", "text": "Every day."}\n{"id": "b", "text": "No."}\n')
    opened = Library.open(file, kind="jsonl", cache=tmp_path / "cache")
    assert opened.node("a").title == "Rotate keys"
    assert found(opened, "rotating") == ["a"]
    opened.close()


def test_the_options_of_a_kind_follow_it(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"key": "a", "head": "Rotate keys", "body": "Every day."}\n')
    options = {"root": str(file), "corpus": "jsonl,id=key,text=head,text=body", "cache": str(tmp_path / "c")}
    system = open_reference("pages", options)
    assert system.read("a") == "Rotate keys\n\nEvery day."
    assert system.describe()["corpus"] == options["corpus"]
    assert system.describe()["fingerprint"] == system.library.fingerprint
    system.close()


@pytest.mark.parametrize("kind", ["jsonl,id", "jsonl,=a", "jsonl,", "jsonl,nothing=a", "folder,id=a", ""])
def test_options_that_are_none_are_refused(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a", "text": "x"}\n')
    with pytest.raises(rg.RankgateError):
        Library.open(file, kind=kind, cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("root", "kind", "told"),
    [
        ("none", "folder", "found no folder, expected the folder to search"),
        ("none", "beir", "found no folder, expected a folder with corpus.jsonl"),
        ("none.jsonl", "jsonl", "found no file, expected a file of JSON objects, one a line"),
        ("x" * 5000, "jsonl", "found no file, expected a file of JSON objects, one a line"),
        ("api.jsonl", "beir", "found a file, expected a folder with corpus.jsonl"),
        (
            "api.jsonl",
            "folder",
            "found a file, expected the folder to search; say what it is: --corpus jsonl",
        ),
        (".", "jsonl", "found a folder, expected a file of JSON objects, one a line"),
        ("\0", "folder", "found no path"),
        ("\0", "jsonl", "found no path"),
    ],
)
def test_what_is_not_there_is_told_in_words_that_fit(
    api: Path, tmp_path: Path, root: str, kind: str, told: str
) -> None:
    with pytest.raises(rg.InputError) as caught:
        open_reference("api", {"root": root, "corpus": kind, "project": str(api.parent), "cache": "c"})
    assert told in str(caught.value)
    assert "suite" not in str(caught.value)
    with pytest.raises(rg.InputError):
        Library.open(api, kind="jsonl", cache=tmp_path / "\0")


@pytest.mark.parametrize("cache", ["kept", ".kept"])
def test_a_cache_in_a_folder_of_records_hides_none_of_them(tmp_path: Path, cache: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"_id": f"{cache}/a", "title": "", "text": "rotate"}))
    opened = Library.open(tmp_path, kind="beir", cache=tmp_path / cache)
    assert found(opened, "rotate") == [f"{cache}/a"]
    assert opened.notes == ()
    opened.close()


def test_what_lies_in_the_cache_has_the_format_that_it_says() -> None:
    """Where titles or terms are others, an index of before finds less: the format must be another too."""
    titles = [titles_of(node_of_record("getUser", title, "")) for title in ("Get a user", "Make the keys")]
    kept = {9: [["get user"], ["key make", "get user"]]}
    assert kept[FORMAT] == titles
