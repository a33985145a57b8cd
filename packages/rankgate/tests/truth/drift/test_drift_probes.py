"""The places of scenarios and invariants are followed as those of cases are."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import InputError
from rankgate.suites.editing.revision import edit_suite
from rankgate.suites.native.yaml_suite import parse_suite, read_native
from rankgate.truth.drift.find import find_drift
from support.commands import rankgate
from support.memory_corpus import MemoryCorpus

OLD = {
    "auth.md": "# OAuth\n\n## Flows\n\nchoose one\n\n## Scopes\n\nall of them\n",
    "keys.md": "# Keys\n\nrotate\n",
    "store.py": "class Store:\n    def put(self):\n        return 1\n",
}
NEW = {
    "auth.md": "# OAuth\n\nnew\n\n## Flows\n\nchoose two\n",
    "login.md": "# Login\n\nin\n\n## Scopes\n\nall of them\n",
    "doors.md": OLD["keys.md"],
    "store.py": OLD["store.py"],
}
SUITE = """\
corpus: old/
scenarios:
  - name: walk
    steps:
      - search: which scopes   # a comment that stays
        finds: ['auth.md#Scopes', {at: "keys.md:3"}, {id: auth.md#Scopes}]
      - {tree: keys.md, has: Keys}
      - read: auth.md#Flows
        excludes: all
      - {subtree: auth.md#Scopes, contains: all of them}
invariants:
  - {ranks-above: put, above: store.py::Store.put, below: auth.md#Scopes}
  - {stable: keys.md}
cases:
  - {query: put, at: store.py}
"""


def test_every_place_is_followed_and_told_with_what_names_it() -> None:
    suite = parse_suite(SUITE, Path("s.yaml"))
    drift = find_drift(suite, MemoryCorpus(OLD), MemoryCorpus(NEW))
    assert [
        (each.case, str(each.location), each.drift.status.value, str(each.drift.location))
        for each in drift.locations
    ] == [
        ("put", "store.py", "unchanged", "store.py"),
        ("scenario walk, step 1", "auth.md#Scopes", "moved", "login.md#Scopes"),
        ("scenario walk, step 1", "keys.md:3-3", "moved", "doors.md:3-3"),
        ("scenario walk, step 2", "keys.md", "moved", "doors.md"),
        ("scenario walk, step 3", "auth.md#Flows", "edited", "auth.md#Flows"),
        ("scenario walk, step 4", "auth.md#Scopes", "moved", "login.md#Scopes"),
        ("invariant ranks-above-put", "store.py::Store.put", "unchanged", "store.py::Store.put"),
        ("invariant ranks-above-put", "auth.md#Scopes", "moved", "login.md#Scopes"),
    ]
    assert drift.ids == 1


def test_a_place_that_is_not_in_the_old_corpus_is_refused_where_it_stands() -> None:
    suite = parse_suite(SUITE.replace("tree: keys.md", "tree: gone.md"), Path("s.yaml"))
    with pytest.raises(InputError, match=r"s\.yaml:7:9: found 'gone\.md', expected a file of the corpus"):
        find_drift(suite, MemoryCorpus(OLD), MemoryCorpus(NEW))


def test_what_is_proven_is_written_and_nothing_else_and_no_anchors_are_made(tmp_path: Path) -> None:
    for folder, texts in (("old", OLD), ("new", NEW)):
        (tmp_path / folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / name).write_text(text)
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    done = rankgate("suite", "drift", path, "--to", "new/", "--write", "--root", tmp_path)
    assert done.code == 1
    assert path.read_text() == (
        SUITE.replace("old/", "new/")
        .replace("'auth.md#Scopes', {at: \"keys.md:3\"}", "'login.md#Scopes', {at: \"doors.md:3-3\"}")
        .replace("tree: keys.md", "tree: doors.md")
        .replace("subtree: auth.md#Scopes", "subtree: login.md#Scopes")
        .replace("below: auth.md#Scopes", "below: login.md#Scopes")
    )
    assert "1 location of a scenario or an invariant finds another text than before: read it." in done.out
    assert "keeps the old text's hash" not in done.out
    assert not (tmp_path / "s.anchors.json").exists()
    again = read_native(path)
    assert find_drift(again, MemoryCorpus(NEW), MemoryCorpus(NEW)).open == ()


def test_places_that_would_become_one_stay_as_they_are_and_are_told(tmp_path: Path) -> None:
    old = {"a.md": "# A\n\none\ntwo\n", "b.md": "# B\n\nthree\n"}
    new = {"c.md": old["a.md"], "b.md": old["b.md"]}
    above = "{ranks-above: q, above: 'a.md:3-4', below: 'c.md:3-4'}"
    text = f"corpus: old/\ninvariants: [{above}]\ncases: [{{query: q}}]\n"
    suite = parse_suite(text, tmp_path / "s.yaml")
    both = {**old, "c.md": "# C\n\nx\ny\n"}
    drift = find_drift(suite, MemoryCorpus(both), MemoryCorpus(new))
    (tmp_path / "s.yaml").write_text(text)
    edited = edit_suite(suite, drift.moves)
    assert [(str(each.location), each.why) for each in edited.left] == [
        ("a.md:3-4", "c.md:3-4 would stand twice in one case")
    ]
    assert (tmp_path / "s.yaml").read_text() == text
