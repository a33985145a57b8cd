"""A section of one line is followed to another page where the line cannot stand there by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Location
from rankgate.truth.mending.follow import Follower
from rankgate.truth.mending.plan import Documents

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.truth.drift.documents import LocationDrift

LONG = "`parcel key revoke` ends a leaked key at once, on all machines."
SHORT = "See the page of the team."
KEYS = "# Keys\n\nOne for each client.\n\n## Creating\n\nOn the console.\n"
OTHER = "# Security\n\nWhat to do when something leaks.\n"


def _documents(folder: Path, files: Mapping[str, str]) -> Documents:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Documents(FolderCorpus.open(folder, root=folder))


def _followed(tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str]) -> LocationDrift:
    old, today = _documents(tmp_path / "old", before), _documents(tmp_path / "new", after)
    target = Location.at("keys.md#Revocation")
    record = old.record(target)
    assert record is not None
    return Follower(today.reader, today.finder).follow(target, record)


def _moved(tmp_path: Path, line: str, heading: str) -> LocationDrift:
    """Follow a section that went to another page, under a heading."""
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{line}\n", "security.md": OTHER}
    return _followed(tmp_path, before, {"keys.md": KEYS, "security.md": f"{OTHER}\n## {heading}\n\n{line}\n"})


@pytest.mark.parametrize("heading", ["Revocation", "Leaked keys"])
def test_a_long_line_is_followed_to_another_page(tmp_path: Path, heading: str) -> None:
    found = _moved(tmp_path, LONG, heading)
    assert (found.status.proven, str(found.location)) == (True, f"security.md#{heading}")


@pytest.mark.parametrize("heading", ["Revocation", "Leaked keys"])
def test_a_short_line_is_proposed(tmp_path: Path, heading: str) -> None:
    found = _moved(tmp_path, SHORT, heading)
    assert not found.status.proven
    assert str(found.candidates[0].location) == f"security.md#{heading}"


@pytest.mark.parametrize("copied", ["before", "after"])
def test_a_long_line_that_stands_twice_is_not_followed(tmp_path: Path, copied: str) -> None:
    copy = f"# Copy\n\n## Again\n\n{LONG}\n"
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{LONG}\n", "copy.md": OTHER}
    after = {"keys.md": KEYS, "security.md": f"{OTHER}\n## Leaked keys\n\n{LONG}\n", "copy.md": OTHER}
    (before if copied == "before" else after)["copy.md"] = copy
    assert not _followed(tmp_path, before, after).status.proven


def test_a_long_line_among_others_is_not_the_section_that_was_judged(tmp_path: Path) -> None:
    before = {"keys.md": f"{KEYS}\n## Revocation\n\n{LONG}\n"}
    after = {"keys.md": KEYS, "security.md": f"{OTHER}\n## Leaks\n\n{LONG}\nTell us.\nThen wait.\n"}
    assert not _followed(tmp_path, before, after).status.proven
