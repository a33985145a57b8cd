"""Random corpora and random changes: what is proven is right, by looking at every line of both."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.model import Lines, Location
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from support.memory_corpus import MemoryCorpus, suite_of

Files = dict[str, list[str]]
WORDS = ["", "    return x", "def f(x):", "x = 1", "y = 2", "# note", "end"]


def drawn(rng: random.Random) -> Files:
    """Some files whose lines are partly repeated and partly their own."""
    own = iter(range(10_000))
    return {
        f"{name}.py": [
            rng.choice(WORDS) if rng.random() < 0.4 else f"line {next(own)}"
            for _ in range(rng.randint(1, 25))
        ]
        for name in rng.sample("abcdef", rng.randint(1, 4))
    }


def changed(files: Files, rng: random.Random) -> Files:
    """Insert, delete, replace, move and copy blocks, and rename files."""
    new = {path: list(lines) for path, lines in files.items()}
    for _ in range(rng.randint(0, 5)):
        path = rng.choice(sorted(new))
        lines = new[path]
        start = rng.randint(0, len(lines))
        end = min(len(lines), start + rng.randint(0, 6))
        block = lines[start:end]
        match rng.choice(["insert", "delete", "replace", "move", "copy", "rename"]):
            case "insert":
                lines[start:start] = [f"new {rng.random()}" for _ in range(rng.randint(1, 4))]
            case "delete":
                del lines[start:end]
            case "replace" if block:
                lines[start] += "!"
            case "move":
                del lines[start:end]
                other = new[rng.choice(sorted(new))]
                at = rng.randint(0, len(other))
                other[at:at] = block
            case "copy":
                other = new[rng.choice(sorted(new))]
                other.extend(block)
            case "rename":
                new[f"{path[:-3]}_new.py"] = new.pop(path)
            case _:
                pass
    return new


def corpus(files: Files) -> MemoryCorpus:
    return MemoryCorpus({path: "".join(f"{line}\n" for line in lines) for path, lines in files.items()})


def places(text: list[str], files: Files) -> list[tuple[str, int, int]]:
    return [
        (path, at + 1, at + len(text))
        for path, lines in files.items()
        for at in range(len(lines) - len(text) + 1)
        if lines[at : at + len(text)] == text
    ]


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_what_is_proven_is_right_and_what_can_be_proven_is(seed: int) -> None:
    rng = random.Random(seed)
    old = drawn(rng)
    new = changed(old, rng)
    targets = []
    for _ in range(8):
        path = rng.choice(sorted(old))
        start = rng.randint(1, len(old[path]))
        end = min(len(old[path]), start + rng.randint(0, 8))
        targets.append(Location(path=path, lines=Lines(start, end)))
    for found in find_drift(suite_of(*targets), corpus(old), corpus(new)).locations:
        assert found.location.path is not None
        assert found.location.lines is not None
        here = (found.location.path, found.location.lines.start, found.location.lines.end)
        text = old[here[0]][here[1] - 1 : here[2]]
        before, after = places(text, old), places(text, new)
        status, span = found.drift.status, found.drift.span
        if old[here[0]] == new.get(here[0]):
            assert status is DriftStatus.UNCHANGED
        elif not any(line.strip() for line in text):
            assert not status.proven
        elif len(before) == len(after) == 1:
            assert status is (DriftStatus.UNCHANGED if after == before else DriftStatus.MOVED)
            assert span is not None
            assert [(span.path, span.start, span.end)] == after
        elif after:
            assert status is DriftStatus.AMBIGUOUS
            assert len(found.drift.candidates) + found.drift.more == len(after)
        else:
            assert status in (DriftStatus.EDITED, DriftStatus.SPLIT, DriftStatus.GONE)
        if found.drift.location is not None:
            assert found.drift.location.path in new
            assert found.drift.location.lines is not None
            assert found.drift.location.lines.end <= len(new[str(found.drift.location.path)])
        assert found.drift.stands == (here[2] <= len(new.get(here[0], [])))


@given(st.integers(0, 2**32))
def test_whole_files_are_moved_only_where_one_file_had_and_has_their_lines(seed: int) -> None:
    rng = random.Random(seed)
    old = drawn(rng)
    new = changed(old, rng)
    for found in find_drift(suite_of(*sorted(old)), corpus(old), corpus(new)).locations:
        path = str(found.location)
        same = [other for other, lines in new.items() if lines == old[path]]
        copies = [other for other, lines in old.items() if lines == old[path]]
        if path in new:
            assert found.drift.status is (DriftStatus.UNCHANGED if path in same else DriftStatus.EDITED)
        elif same:
            once = len(same) == len(copies) == 1 and any(line.strip() for line in old[path])
            assert found.drift.status is (DriftStatus.MOVED if once else DriftStatus.AMBIGUOUS)
        else:
            assert found.drift.status in (DriftStatus.EDITED, DriftStatus.GONE)
