"""Texts are followed to where they are now, or to the places that may be meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Location
from rankgate.truth.follow import MOST_FILES, Documents, DriftStatus, Follower

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.truth.follow import LocationDrift


@pytest.fixture
def room(tmp_path: Path) -> Path:
    return tmp_path


def _documents(folder: Path, files: Mapping[str, str]) -> Documents:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Documents(FolderCorpus.open(folder, root=folder))


def _followed(
    room: Path, before: Mapping[str, str], after: Mapping[str, str], location: str
) -> LocationDrift:
    old, today = _documents(room / "old", before), _documents(room / "new", after)
    record = old.record(Location.at(location))
    assert record is not None
    return Follower(today).follow(Location.at(location), record)


def _proposed(found: LocationDrift) -> list[str]:
    return [str(one.location) for one in found.candidates]


TEST = """def test_delay():
    app = App()
    app.conf.delay = 3
    task = app.task(run)
    assert task.delay == 3
    assert task.delay != 4
"""
BOILERPLATE = "def test_{name}():\n    app = App()\n    task = app.task(run)\n    assert task.{name} == 9\n"


def test_lines_that_stand_everywhere_are_no_pieces(room: Path) -> None:
    edited = TEST.replace("task.delay == 3", "task.delay == 5").replace("delay != 4", "delay != 6")
    others = "\n\n".join(BOILERPLATE.format(name=name) for name in ("retry", "limit", "queue"))
    found = _followed(
        room, {"test_a.py": TEST}, {"test_a.py": f"{edited}\n\n{others}"}, "test_a.py::test_delay"
    )
    assert (found.status, found.why) == (DriftStatus.EDITED, "4 of its 6 lines left")
    assert str(found.location) == "test_a.py::test_delay"


def test_a_text_in_two_pieces_is_split(room: Path) -> None:
    halves = ["One.\nTwo.\nThree.\nFour.\n", "Five.\nSix.\nSeven.\nEight.\n"]
    before = {"a.md": "# Limits\n\n" + "".join(halves)}
    after = {"a.md": f"# Limits\n\n{halves[0]}", "b.md": f"# Rates\n\n{halves[1]}"}
    found = _followed(room, before, after, "a.md#Limits")
    assert (found.status, found.why) == (DriftStatus.SPLIT, "its lines stand in 2 locations")


def test_a_page_written_anew_in_another_markup_is_proposed_first(room: Path) -> None:
    title = "Counting\n--------\n\n"
    body = "A flag may be repeated.\nIt counts how often.\nThree\nmore\nlines.\n"
    before = {"click/docs/options.rst": f"{title}{body}"}
    after = {
        "click/docs/options.md": "## Counting\n\nRepeat a flag and it is counted.\n",
        "celery/docs/routing.rst": "Routing\n-------\n\nMessages go to queues.\n",
        "celery/docs/numbers.rst": f"{title}Numbers of all kinds.\n",
    }
    found = _followed(room, before, after, "click/docs/options.rst#Counting")
    assert found.status is DriftStatus.GONE
    assert _proposed(found)[:2] == ["click/docs/options.md#Counting", "celery/docs/numbers.rst#Counting"]


def test_a_name_is_found_in_a_corpus_of_many_files(room: Path) -> None:
    before = {"a/old.py": "def find_app(name):\n    return apps[name]\n"}
    after = {
        **{f"a/m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(MOST_FILES)},
        "a/new.py": "def find_app(spec):\n    return load(spec)\n",
        "b/new.py": "def find_app(anything):\n    pass\n",
    }
    found = _followed(room, before, after, "a/old.py::find_app")
    assert _proposed(found) == ["a/new.py::find_app", "b/new.py::find_app"]


def test_what_its_name_still_finds_comes_before_a_namesake_with_more_of_its_lines(room: Path) -> None:
    lines = ("one", "two", "three", "four", "five", "six")

    def consumer(kept: int) -> str:
        calls = [f"        {name}(a)\n" for name in (*lines[:kept], *["ten"] * 6)][:6]
        return "class Consumer:\n    def drain(self, a):\n" + "".join(calls)

    before = {"redis.py": consumer(6), "rpc.py": consumer(2)}
    after = {"redis.py": consumer(1), "rpc.py": consumer(2)}
    found = _followed(room, before, after, "redis.py::Consumer.drain")
    assert found.status is DriftStatus.GONE
    assert found.why == "another text has its name; 3 of its 7 lines left"
    assert _proposed(found)[0] == "redis.py::Consumer.drain"


def test_two_lines_without_their_neighbours_are_asked_with_the_reason(room: Path) -> None:
    before = {"a.py": "first = 1\nPID = 'pid'\nUMASK = 18\nlast = 2\n"}
    after = {"a.py": "import os\nPID = 'pid'\nUMASK = 18\nelse_ = 2\n"}
    found = _followed(room, before, after, "a.py:2-3")
    told = "2 lines may stand there by chance: too few of those around are left"
    assert found.status in (DriftStatus.AMBIGUOUS, DriftStatus.UNCHANGED)
    moved = {"a.py": "import os\n\nimport re\nPID = 'pid'\nUMASK = 18\nelse_ = 2\n"}
    found = _followed(room / "moved", before, moved, "a.py:2-3")
    assert (found.status, found.why) == (DriftStatus.AMBIGUOUS, told)


ALIKE = """@cases(
    "app",
    [
        (app, raises(Error)),
        (mounted(app), passes()),
    ],
)
def test_{name}(
    app: App,
    raised: {kind},
) -> None:
    client = make(app)
    fields = []
    for i in range(1001):
{body}    data = join(fields)
    with raised:
        found = client.post(
            data=data,
        )
        assert found.code == 400
        assert found.text == "Too many {said}."
"""


def test_of_functions_much_alike_the_one_of_its_name_is_proposed_first(room: Path) -> None:
    """The lines that are left in their order, in the whole file, are most of them in the next function."""

    def alike(name: str, said: str) -> str:
        return ALIKE.format(name=name, kind="Manager", body=f"        add('{name}')\n", said=said)

    body = "        fields.append(\n            'N'\n        )\n"
    before = {"t.py": ALIKE.format(name="files", kind="typing.Manager", body=body, said="files")}
    names = {"fields": "fields", "files": "files", "single": "files", "both": "files", "coded": "fields"}
    after = {"t.py": "\n\n".join(alike(name, said) for name, said in names.items())}
    found = _followed(room, before, after, "t.py::test_files")
    assert (found.status, found.why) == (DriftStatus.EDITED, "20 of its 24 lines left")
    assert str(found.location) == "t.py::test_files"


LONG = "`parcel key revoke` ends a leaked key at once, on all machines."
SHORT = "See the page of the team."
KEYS = "# Keys\n\nOne for each client.\n\n## Creating\n\nOn the console.\n"
TARGET = "keys.md#Revocation"
OTHER = "# Security\n\nWhat to do when something leaks.\n"


def _to_another_page(tmp_path: Path, line: str, heading: str) -> LocationDrift:
    """Follow a section that went to another page, under a heading."""
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{line}\n", "security.md": OTHER}
    after = {"keys.md": KEYS, "security.md": f"{OTHER}\n## {heading}\n\n{line}\n"}
    return _followed(tmp_path, before, after, TARGET)


@pytest.mark.parametrize("heading", ["Revocation", "Leaked keys"])
def test_a_long_line_is_followed_to_another_page(tmp_path: Path, heading: str) -> None:
    found = _to_another_page(tmp_path, LONG, heading)
    assert (found.status.proven, str(found.location)) == (True, f"security.md#{heading}")


@pytest.mark.parametrize("heading", ["Revocation", "Leaked keys"])
def test_a_short_line_is_proposed(tmp_path: Path, heading: str) -> None:
    found = _to_another_page(tmp_path, SHORT, heading)
    assert not found.status.proven
    assert str(found.candidates[0].location) == f"security.md#{heading}"


@pytest.mark.parametrize("copied", ["before", "after"])
def test_a_long_line_that_stands_twice_is_not_followed(tmp_path: Path, copied: str) -> None:
    copy = f"# Copy\n\n## Again\n\n{LONG}\n"
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{LONG}\n", "copy.md": OTHER}
    after = {"keys.md": KEYS, "security.md": f"{OTHER}\n## Leaked keys\n\n{LONG}\n", "copy.md": OTHER}
    (before if copied == "before" else after)["copy.md"] = copy
    assert not _followed(tmp_path, before, after, TARGET).status.proven


def test_a_long_line_among_others_is_not_the_section_that_was_judged(tmp_path: Path) -> None:
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{LONG}\n"}
    after = {"keys.md": KEYS, "security.md": f"{OTHER}\n## Leaks\n\n{LONG}\nTell us.\nThen wait.\n"}
    assert not _followed(tmp_path, before, after, TARGET).status.proven
