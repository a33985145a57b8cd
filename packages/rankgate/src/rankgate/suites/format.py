"""What a format of suites is: how it is recognised, read and written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rankgate.model.suite import CorpusSource, Suite

GROUP = "rankgate.suite_formats"
"""The entry points that bring formats: each is a `SuiteFormat`."""

OLD_GROUP = "rankgate.loaders"
"""What the group was called in 0.1.0; its entry points are read for one more release, with a warning."""

START = 1 << 16
"""How many bytes of a file are shown to each format that may know it."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a file does not say and its reader must be told."""

    grades: Mapping[str, float] = field(default_factory=dict)
    """What each label of the file is worth; without it numbers are taken as they are and words refused."""
    corpus: CorpusSource | None = None
    """What the places of the file are in."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the format alone knows, such as the names of columns."""


@dataclass(frozen=True, slots=True)
class SuiteFormat:
    """One format of suites. Plugins bring more, as entry points of the group ``rankgate.suite_formats``."""

    name: str
    """What people call it on the command line."""
    about: str
    """One line that says whose files these are."""
    read: Callable[[Path, ReadOptions], Suite]
    """Read a file; what it drops or merges stands in the notes of the suite."""
    recognise: Callable[[Path, bytes], bool]
    """Check by the name of a file and its first 64 kB (empty for a folder) whether it is of this format."""
    write: Callable[[Suite, Path], tuple[str, ...]] | None = None
    """Write a suite, and tell in words and with counts what the format cannot hold; None where it cannot."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The options it knows, each with a line that explains it."""
