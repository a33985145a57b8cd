"""Real history: Django 4.2 to 5.2.8, against an oracle that shares no code with what it checks."""

from __future__ import annotations

import ast
import random
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.model import Lines, Location
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from support.memory_corpus import suite_of
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate.truth.drift.find import Drift

pytestmark = pytest.mark.once

SYMBOLS, RANGES = 600, 600
Place = tuple[str, int, int]
Files = dict[str, list[str]]


@dataclass(frozen=True)
class History:
    old: Files
    new: Files
    before: Mapping[Place, int]
    """How often the text of each place stands in 4.2."""
    after: Mapping[Place, list[Place]]
    """Every place where it stands in 5.2.8."""
    drift: Drift
    names: Drift
    seconds: float


@pytest.fixture(scope="module")
def history() -> History:
    folders = [unpacked("django-4.2"), unpacked("django-5.2.8")]
    old, new = map(_files, folders)
    drawn, named = _drawn(old)
    before, after = (FolderCorpus.open(folder, root=folder) for folder in folders)
    begun = time.process_time()
    lines = suite_of(*(Location(path=path, lines=Lines(start, end)) for path, start, end in drawn))
    drift = find_drift(lines, before, after)
    seconds = time.process_time() - begun
    names = find_drift(suite_of(*(f"{path}::{name}" for path, name in named)), before, after)
    times = {place: len(found) for place, found in _everywhere(drawn, old, old).items()}
    return History(old, new, times, _everywhere(drawn, old, new), drift, names, seconds)


def test_text_that_stands_once_in_both_lands_on_its_exact_lines(history: History) -> None:
    checked = 0
    for found in history.drift.locations:
        place = _place(found.location)
        if history.before[place] == len(history.after[place]) == 1:
            (there,) = history.after[place]
            wanted = DriftStatus.UNCHANGED if there == place else DriftStatus.MOVED
            assert (found.drift.status, _place(found.drift.location)) == (wanted, there), found
            checked += 1
    assert checked > 900


def test_nothing_is_anchored_to_another_text(history: History) -> None:
    for found in [*history.drift.locations, *history.names.locations]:
        if found.drift.status.proven:
            span, now = found.drift.span, found.drift.location
            assert span is not None
            assert now is not None
            was = _old_place(found.location, history.old)
            assert _text(history.new, (span.path, span.start, span.end)) == _text(history.old, was)
            assert now.lines is None or _place(now) == (span.path, span.start, span.end)


def test_text_that_is_another_is_never_called_unchanged_or_moved(history: History) -> None:
    edited = [found for found in history.drift.locations if not history.after[_place(found.location)]]
    assert {found.drift.status for found in edited} == {
        DriftStatus.EDITED,
        DriftStatus.SPLIT,
        DriftStatus.GONE,
    }
    assert len(edited) > 100


def test_repeated_text_is_ambiguous_where_its_file_changed(history: History) -> None:
    repeated = 0
    for found in history.drift.locations:
        place = _place(found.location)
        if history.after[place] and (history.before[place] > 1 or len(history.after[place]) > 1):
            same_file = history.old[place[0]] == history.new.get(place[0])
            assert found.drift.status is (DriftStatus.UNCHANGED if same_file else DriftStatus.AMBIGUOUS), (
                found
            )
            repeated += not same_file
    assert repeated > 10


def test_names_that_stand_are_kept_and_those_that_moved_are_found(history: History) -> None:
    for found in history.names.locations:
        drift = found.drift
        if drift.status is DriftStatus.MOVED and found.to_write:
            assert drift.location is not None
            assert (
                drift.location.path != found.location.path or drift.location.symbol != found.location.symbol
            )
        if drift.status is DriftStatus.EDITED and drift.stands:
            assert drift.location == found.location
    assert {DriftStatus.UNCHANGED, DriftStatus.MOVED, DriftStatus.EDITED} <= {
        found.drift.status for found in history.names.locations
    }


def test_the_whole_history_takes_seconds(history: History) -> None:
    assert history.seconds < 30
    assert len(history.drift.locations) == 1200
    assert _said(history.drift) == "750 unchanged, 281 moved, 134 edited, 4 split, 20 ambiguous, 11 gone"
    assert _said(history.names) == "374 unchanged, 153 moved, 60 edited, 0 split, 0 ambiguous, 10 gone"


def _said(drift: Drift) -> str:
    return ", ".join(f"{count} {status.value}" for status, count in drift.counts.items())


def _files(folder: Path) -> Files:
    """Read every text of a folder by hand."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") or part in ("__pycache__", "node_modules") for part in name.parts)
        if hidden or not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()
        if b"\0" not in data and len(data) <= 5_000_000:
            text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
            files[name.as_posix()] = text.removesuffix("\n").split("\n") if text else []
    return files


def _drawn(files: Files) -> tuple[list[Place], list[tuple[str, str]]]:
    """Draw whole symbols and random ranges of lines, and symbols by name."""
    rng = random.Random(42)
    sources = [path for path, lines in files.items() if path.endswith(".py") and len(lines) > 5]
    documents = [path for path, lines in files.items() if path.endswith((".py", ".txt")) and len(lines) > 5]
    drawn: set[Place] = set()
    named: set[tuple[str, str]] = set()
    while len(drawn) < SYMBOLS:
        path = rng.choice(sources)
        symbols = _symbols("\n".join(files[path]) + "\n")
        for name, start, end in rng.sample(symbols, min(3, len(symbols), SYMBOLS - len(drawn))):
            drawn.add((path, start, end))
            if [symbol for symbol, _, _ in symbols].count(name) == 1:
                named.add((path, name))
    while len(drawn) < SYMBOLS + RANGES:
        path = rng.choice(documents)
        start = rng.randint(1, len(files[path]))
        drawn.add((path, start, min(len(files[path]), start + rng.randint(0, 40))))
    return sorted(drawn), sorted(named)


def _symbols(text: str) -> list[tuple[str, int, int]]:
    """List the classes and functions at the top of a file and in its classes, with what belongs to them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError:
        return []
    found = []
    # With a blank line in front, so that none stands before the first.
    lines = ["", *text.split("\n")]
    pending: list[tuple[str, Sequence[ast.stmt]]] = [("", tree.body)]
    while pending:
        prefix, body = pending.pop()
        for node in body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                while lines[first - 1].startswith(" " * node.col_offset + "#"):
                    first -= 1
                found.append((prefix + node.name, first, node.end_lineno or first))
                if isinstance(node, ast.ClassDef):
                    pending.append((f"{prefix}{node.name}.", node.body))
    return found


def _everywhere(drawn: Iterable[Place], old: Files, where: Files) -> dict[Place, list[Place]]:
    """Find every place of the texts by trying each wherever its longest line stands."""
    texts = {place: _text(old, place) for place in drawn}
    by_line: dict[str, list[tuple[Place, int]]] = {}
    for place, text in texts.items():
        longest = max(range(len(text)), key=[len(line) for line in text].__getitem__)
        by_line.setdefault(text[longest], []).append((place, longest))
    found: dict[Place, list[Place]] = {place: [] for place in texts}
    for path, lines in where.items():
        for at, line in enumerate(lines):
            for place, offset in by_line.get(line, ()):
                text, start = texts[place], at - offset
                if start >= 0 and lines[start : start + len(text)] == text:
                    found[place].append((path, start + 1, start + len(text)))
    return found


def _text(files: Files, place: Place) -> list[str]:
    path, start, end = place
    return files[path][start - 1 : end]


def _place(location: Location | None) -> Place:
    assert location is not None
    assert location.path is not None
    assert location.lines is not None
    return location.path, location.lines.start, location.lines.end


def _old_place(location: Location, files: Files) -> Place:
    if location.symbol is None:
        return _place(location)
    assert location.path is not None
    symbols = _symbols("\n".join(files[location.path]) + "\n")
    (found,) = [(start, end) for name, start, end in symbols if name == location.symbol]
    return (location.path, *found)
