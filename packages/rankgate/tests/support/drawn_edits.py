"""Documents whose lines have identities, edits that keep them, and what became of targets in them.

    python -m support.drawn_edits 10000     # in packages/rankgate/tests; counts what became of the targets

A copy of a line has its identity, as nothing could tell the two apart.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, Suite, Target
from rankgate.truth.anchors import Anchors, compare, updated
from rankgate.truth.follow import Documents, find_changes, span_of

Line = tuple[int, str]
WORDS = ["rotate", "the", "key", "of", "team", "once", "it", "leaves", "ask", "for", "token", "and", "keep"]
MORE = ["limits", "pages", "server", "queue", "retry", "header", "cache", "route", "theme", "worker", "lock"]
POOL = ["}", "    return None", "---", "pass", "Note:", "See above."]
MOST_LEFT = 0.8
MOST_OF_IT = 0.6


class Editor:
    """Documents of sections and of functions, and what people do to them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.fresh = count(1)
        self.documents: dict[str, list[Line]] = {}
        for name in "abc":
            self.documents[f"{name}.md"] = [
                self.line(f"# Page {name}"),
                *(line for _ in range(self.draw.randrange(2, 6)) for line in self.section()),
            ]
        self.documents["d.py"] = [line for _ in range(self.draw.randrange(2, 5)) for line in self.function()]

    def line(self, text: str) -> Line:
        return next(self.fresh), text

    def prose(self) -> Line:
        draw, kind = self.draw, self.draw.random()
        if kind < 0.15:
            return self.line("")
        if kind < 0.22:
            return self.line(draw.choice(POOL))
        return self.line(" ".join(draw.choices(WORDS + MORE, k=draw.randrange(4, 15))))

    def section(self) -> list[Line]:
        title = " ".join(self.draw.choices(MORE, k=2)).capitalize()
        lines = [self.prose() for _ in range(self.draw.randrange(1, 12))]
        return [self.line(f"{'#' * self.draw.randrange(2, 4)} {title}"), self.line(""), *lines, self.line("")]

    def function(self) -> list[Line]:
        name = "_".join(self.draw.choices(MORE, k=2))
        body = [self.line(f"    {' = '.join(self.draw.choices(WORDS, k=2))}  # {self.draw.random():.4f}")
                for _ in range(self.draw.randrange(1, 8))]  # fmt: skip
        return [self.line(f"def {name}():"), *body, self.line(""), self.line("")]

    def edit(self) -> None:
        made = [self.insert, self.delete, self.change, self.move, self.rename, self.split, self.merge]
        made += [self.copy, self.indent, self.rewrap, self.retitle, self.move_section]
        if self.documents:
            self.draw.choice(made)(self.draw.choice(list(self.documents)))

    def some(self, path: str, most: int = 8) -> tuple[int, int]:
        lines = self.documents[path]
        start = self.draw.randrange(len(lines) + 1)
        return start, min(len(lines), start + self.draw.randrange(1, most))

    def other(self, path: str) -> str:
        """Draw a document of the same kind."""
        suffix = path.rpartition(".")[2]
        return self.draw.choice([name for name in self.documents if name.endswith(suffix)])

    def new(self, path: str) -> str:
        return f"{self.draw.choice('xyz')}{next(self.fresh)}.{path.rpartition('.')[2]}"

    def whole(self, path: str) -> tuple[int, int]:
        """Draw a section or a function: from one beginning to the next."""
        lines = self.documents[path]
        starts = [at for at, (_, text) in enumerate(lines) if text.startswith(("#", "def "))]
        if not starts:
            return 0, len(lines)
        number = self.draw.randrange(len(starts))
        return starts[number], (starts[number + 1] if number + 1 < len(starts) else len(lines))

    def insert(self, path: str) -> None:
        start, _ = self.some(path)
        added = (
            self.function()
            if path.endswith("py")
            else [self.prose() for _ in range(self.draw.randrange(1, 6))]
        )
        if path.endswith("py"):
            start, _ = self.whole(path)
        self.documents[path][start:start] = added

    def delete(self, path: str) -> None:
        start, end = self.some(path)
        del self.documents[path][start:end]

    def change(self, path: str) -> None:
        start, end = self.some(path)
        for at in range(start, min(end, start + 2)):
            identity, text = self.documents[path][at]
            if not text.startswith(("#", "def ")):
                self.documents[path][at] = identity, f"{text} {self.draw.choice(WORDS)} now"

    def move(self, path: str) -> None:
        start, end = self.some(path)
        self.put(path, start, end, self.other(path))

    def move_section(self, path: str) -> None:
        start, end = self.whole(path)
        self.put(path, start, end, self.other(path))

    def put(self, path: str, start: int, end: int, other: str) -> None:
        block = self.documents[path][start:end]
        del self.documents[path][start:end]
        there = self.documents[other]
        at = self.draw.randrange(len(there) + 1)
        there[at:at] = block

    def rename(self, path: str) -> None:
        self.documents[self.new(path)] = self.documents.pop(path)

    def split(self, path: str) -> None:
        at, _ = self.whole(path)
        self.documents[self.new(path)] = self.documents[path][at:]
        del self.documents[path][at:]

    def merge(self, path: str) -> None:
        other = self.other(path)
        if other != path:
            self.documents[other].extend(self.documents.pop(path))

    def copy(self, path: str) -> None:
        start, end = self.whole(path) if self.draw.random() < 0.5 else self.some(path)
        self.documents[self.other(path)].extend(self.documents[path][start:end])

    def indent(self, path: str) -> None:
        start, end = self.some(path)
        for at in range(start, end):
            identity, text = self.documents[path][at]
            if text and not text.startswith(("#", "def ")):
                self.documents[path][at] = identity, f"  {text}"

    def rewrap(self, path: str) -> None:
        """Cut the words of two lines elsewhere; both keep an identity, and neither its text."""
        start, end = self.some(path, 3)
        lines = self.documents[path][start:end]
        if len(lines) == 2 and path.endswith("md") and all(text and text[0].isalpha() for _, text in lines):
            words = " ".join(text for _, text in lines).split()
            at = self.draw.randrange(1, len(words))
            texts = " ".join(words[:at]), " ".join(words[at:])
            self.documents[path][start:end] = [
                (one, text) for (one, _), text in zip(lines, texts, strict=True)
            ]

    def retitle(self, path: str) -> None:
        start, end = self.whole(path)
        if start < end:
            identity, text = self.documents[path][start]
            if text.startswith("#"):
                mark = text.split(" ")[0]
                title = " ".join(self.draw.choices(MORE + WORDS, k=3)).capitalize()
                self.documents[path][start] = identity, f"{mark} {title}"

    def write(self, folder: Path) -> FolderCorpus:
        folder.mkdir()
        (folder / "always.md").write_text("# Always\n", encoding="utf-8")
        for path, lines in self.documents.items():
            (folder / path).write_text("".join(f"{text}\n" for _, text in lines), encoding="utf-8")
        return FolderCorpus.open(folder, root=folder)


@dataclass(frozen=True)
class DrawnTarget:
    """A target, and the lines that it means."""

    location: Location
    lines: tuple[Line, ...]


def _targets(editor: Editor, documents: Documents) -> list[DrawnTarget]:
    found: dict[Location, DrawnTarget] = {}
    for path, lines in editor.documents.items():
        places = [Location(path=path)]
        for node in documents.reader.lookup.nodes(path):
            if node.kind == "section":
                places.append(Location(path=path, heading=node.path[-1:]))
            elif node.kind != "document":
                places.append(Location(path=path, symbol=node.qualified))
        for _ in range(3):
            start = editor.draw.randrange(len(lines)) + 1
            places.append(Location.at(f"{path}:{start}-{min(len(lines), start + editor.draw.randrange(12))}"))
        for at, (_, text) in enumerate(lines):
            if len(text.split()) > 5 and editor.draw.random() < 0.05:
                places.append(Location.of_quote(lines[at][1].strip(), path))
        for location in places:
            span = span_of(location, documents.reader)
            if span is not None:
                some = tuple(line for line in lines[span.start - 1 : span.end] if line[1].strip())
                if some:
                    found[location] = DrawnTarget(location, some)
    return list(found.values())


def _kind(editor: Editor, target: DrawnTarget) -> str:
    """Say what is left of a target: all of it in one piece, all of it, four fifths, or less."""
    said = [(identity, text.strip()) for identity, text in target.lines]
    size = len(said)
    best = 0
    for lines in editor.documents.values():
        now = [(identity, text.strip()) for identity, text in lines if text.strip()]
        if any(now[at : at + size] == said for at in range(len(now) - size + 1)):
            return "unchanged"
        best = max(best, len({*said} & {*now}))
    return "most left" if best >= MOST_LEFT * size else "less"


def _right(
    editor: Editor, target: DrawnTarget, location: Location | None, documents: Documents, least: float = 0
) -> bool:
    """Check that a location has this part of the lines of a target that are left, one at least.

    Where it says the same, line for line, one of them is enough: of two stock lines of one text, nothing
    could tell which was moved.
    """
    mine = {identity for identity, _ in target.lines}
    left = mine & {identity for lines in editor.documents.values() for identity, _ in lines}
    span = None if location is None else span_of(location, documents.reader)
    if span is None:
        return False
    lines = [one for one in editor.documents.get(span.path, [])[span.start - 1 : span.end] if one[1].strip()]
    there = {identity for identity, _ in lines}
    if [text.strip() for _, text in lines] == [text.strip() for _, text in target.lines]:
        least = 0
    return not left or len(left & there) >= max(1, least * len(left))


def drawn(seed: int) -> list[str]:
    """Draw documents, targets and edits; return what became of each target."""
    with tempfile.TemporaryDirectory() as name:
        return _drawn(seed, Path(name))


def _drawn(seed: int, folder: Path) -> list[str]:
    editor = Editor(seed)
    before = Documents(editor.write(folder / "before"))
    targets = _targets(editor, before)
    cases = tuple(Case(f"c{number}", "q", (Target(one.location),)) for number, one in enumerate(targets))
    suite = Suite("drawn", cases, corpus=CorpusSource("docs"))
    texts = {one.location.whole: record for one in targets if (record := before.record(one.location))}
    comparison = compare(suite, before.reader, Anchors())
    anchors = updated(comparison, suite, before.corpus.fingerprint, texts=texts)
    for _ in range(editor.draw.randrange(1, 25)):
        editor.edit()
    today = Documents(editor.write(folder / "after"))
    changes = find_changes(suite, today, anchors)
    by_location = {one.location: one for one in targets}
    return [_outcome(editor, by_location[one.location], one, today) for one in changes.targets]


def _outcome(editor: Editor, target: DrawnTarget, change: object, today: Documents) -> str:
    from rankgate.truth.follow import TargetChange

    if not isinstance(change, TargetChange):
        raise TypeError(change)
    kind, drift = _kind(editor, target), change.drift
    if change.sure:
        # Nobody looks at it, so all of it must be there; of one that was taken apart, most of what is left.
        least = 1.0 if kind == "unchanged" else MOST_OF_IT
        return f"{'sure' if _right(editor, target, drift.location, today, least) else 'wrong'}, {kind}"
    first = drift.candidates[0].location if drift.candidates else None
    if first is not None and _right(editor, target, first, today):
        return f"first proposal, {kind}"
    others = [one.location for one in drift.candidates[1:]]
    if any(_right(editor, target, one, today) for one in others):
        return f"later proposal, {kind}"
    return f"not found, {kind}"


def main(sequences: int, first: int = 0) -> int:
    """Print what became of the targets of some sequences; return 1 where that is not good enough."""
    counts = Counter(one for seed in range(first, first + sequences) for one in drawn(seed))
    sys.stdout.write(f"{sequences} sequences, {sum(counts.values())} targets\n")
    for kind in ("unchanged", "most left", "less"):
        rows = {one.rpartition(", ")[0]: number for one, number in counts.items() if one.endswith(kind)}
        every = sum(rows.values())
        told = ", ".join(f"{word} {n} ({n / every:.1%})" for word, n in sorted(rows.items()))
        sys.stdout.write(f"{kind}: {every}; {told}\n")
    good = all(
        counts[f"sure, {kind}"] + counts[f"first proposal, {kind}"]
        >= least * sum(count for one, count in counts.items() if one.endswith(kind))
        for kind, least in (("unchanged", 0.95), ("most left", MOST_LEFT))
    )
    return int(not good or any(one.startswith("wrong") for one in counts))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
