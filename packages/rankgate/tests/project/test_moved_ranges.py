"""Ranges of a baseline are located after edits; an oracle follows every line by its identity."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count
from pathlib import Path

from rankgate.corpora.folder import FolderCorpus
from rankgate.model import Suite
from rankgate.project.baselines import locate
from rankgate.runs.baseline import Baseline, BaselineAnchors, BaselineHit, BaselineQuery, Place
from rankgate.runs.store.hits import read_hits
from rankgate.truth.textsearch import LineHashes

Line = tuple[int, str]
Documents = dict[str, list[Line]]
POOL = ["}", "    return None", "---", "## Example", "pass", "Note:"]
WORDS = ["rotate", "the", "key", "of", "team", "once", "it", "leaves", "ask", "for", "token", "and", "keep"]


class Editor:
    """Documents whose lines have identities, and edits that keep them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.fresh = count()
        self.documents: Documents = {
            f"docs/{name}.md": [self.line() for _ in range(self.draw.randrange(15, 60))] for name in "abcd"
        }

    def line(self) -> Line:
        draw = self.draw
        kind = draw.random()
        if kind < 0.15:
            return next(self.fresh), ""
        if kind < 0.25:
            return next(self.fresh), draw.choice(POOL)
        return next(self.fresh), " ".join(draw.choices(WORDS, k=draw.randrange(4, 9)))

    def edit(self) -> None:
        made = self.draw.choice(
            [
                self.insert,
                self.delete,
                self.change,
                self.move,
                self.rename,
                self.split,
                self.copy,
                self.indent,
            ]
        )
        if self.documents:
            made(self.draw.choice(list(self.documents)))

    def some(self, path: str) -> tuple[int, int]:
        lines = self.documents[path]
        start = self.draw.randrange(len(lines) + 1)
        return start, min(len(lines), start + self.draw.randrange(1, 8))

    def insert(self, path: str) -> None:
        start, _ = self.some(path)
        self.documents[path][start:start] = [self.line() for _ in range(self.draw.randrange(1, 6))]

    def delete(self, path: str) -> None:
        start, end = self.some(path)
        del self.documents[path][start:end]

    def change(self, path: str) -> None:
        start, end = self.some(path)
        for at in range(start, min(end, start + 2)):
            identity, text = self.documents[path][at]
            self.documents[path][at] = identity, f"{text} {self.draw.choice(WORDS)} now"

    def move(self, path: str) -> None:
        start, end = self.some(path)
        block = self.documents[path][start:end]
        del self.documents[path][start:end]
        there = self.documents[self.draw.choice(list(self.documents))]
        at = self.draw.randrange(len(there) + 1)
        there[at:at] = block

    def rename(self, path: str) -> None:
        self.documents[f"docs/{next(self.fresh)}.md"] = self.documents.pop(path)

    def split(self, path: str) -> None:
        at = self.draw.randrange(len(self.documents[path]) + 1)
        self.documents[f"docs/{next(self.fresh)}.md"] = self.documents[path][at:]
        del self.documents[path][at:]

    def copy(self, path: str) -> None:
        start, end = self.some(path)
        # A copy is as good as what it is a copy of: nothing that is kept could tell them apart.
        self.documents[self.draw.choice(list(self.documents))].extend(self.documents[path][start:end])

    def indent(self, path: str) -> None:
        start, end = self.some(path)
        for at in range(start, end):
            identity, text = self.documents[path][at]
            self.documents[path][at] = identity, f"  {text}" if text else text

    def texts(self) -> list[tuple[str, str]]:
        return [(path, "".join(f"{text}\n" for _, text in lines)) for path, lines in self.documents.items()]


def _outcome(editor: Editor, old: list[Line], found: Place | None) -> str:
    """Say what is right: which of the old lines lie where the finder says."""
    said = [(identity, text.strip()) for identity, text in old if text.strip()]
    now = [
        [(identity, text.strip()) for identity, text in lines if text.strip()]
        for lines in editor.documents.values()
    ]
    mine = {identity for identity, _ in said}
    left = mine & {identity for lines in now for identity, _ in lines}
    same = {*said} & {one for lines in now for one in lines}
    kind = "unchanged" if any(_within(said, lines) for lines in now) else _share(len(same) / len(said))
    if found is None:
        return f"not found, {kind}"
    path, start, end = found
    there = editor.documents[path][(start or 1) - 1 : end]
    wrong = left and not left & {identity for identity, _ in there}
    return f"{'wrong' if wrong else 'found'}, {kind}"


def _within(said: list[Line], lines: list[Line]) -> bool:
    return any(lines[at : at + len(said)] == said for at in range(len(lines) - len(said) + 1))


def _share(share: float) -> str:
    return "torn apart" if share == 1 else "most left" if share >= 0.8 else "less"


def drawn(seed: int, folder: Path) -> list[str]:
    """Draw documents, results and edits; return what became of each result."""
    editor = Editor(seed)
    ranges: dict[Place, str] = {}
    saved: dict[Place, list[Line]] = {}
    hashes = LineHashes(editor.texts())
    for _ in range(6):
        path = editor.draw.choice(list(editor.documents))
        lines = editor.documents[path]
        start = editor.draw.randrange(len(lines))
        end = min(len(lines), start + editor.draw.randrange(1, 15))
        place = path, start + 1, end
        text = hashes.hash(place)
        assert text is not None
        if any(one.strip() for _, one in lines[start:end]):
            ranges[place], saved[place] = text, lines[start:end]
    for _ in range(editor.draw.randrange(1, 40)):
        editor.edit()
    for path, text in editor.texts():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    corpus = FolderCorpus.open(folder, root=folder)
    hits = tuple(BaselineHit(path=path, start=start, end=end) for path, start, end in saved)
    baseline = Baseline("app", 10, {"q": BaselineQuery("q", hits=hits)})
    located = locate(baseline, BaselineAnchors(ranges), Suite("s", ()), corpus)
    found = [
        None if hit.path is None else (hit.path, hit.start, hit.end)
        for hit in read_hits(located.run).get("q", [])
    ]
    return [_outcome(editor, old, place) for old, place in zip(saved.values(), found, strict=True)]


def test_moved_ranges_are_located_and_hardly_any_elsewhere(tmp_path: Path) -> None:
    counts = Counter(one for seed in range(200) for one in drawn(seed, tmp_path / str(seed)))
    wrong = sum(count for one, count in counts.items() if one.startswith("wrong"))
    assert wrong <= 0.01 * sum(counts.values()), counts
    found, missed = counts["found, unchanged"], counts["not found, unchanged"]
    assert found >= 0.9 * (found + missed), counts
