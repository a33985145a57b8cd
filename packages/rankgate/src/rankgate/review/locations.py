"""Fix: locations whose text stands elsewhere now. Trim: targets whose text, and whose file, are gone.

Both are proven by anchors, as `suite drift` proves them by the old corpus: the hash of what was judged tells
it from every other text, is looked for in all of the corpus, and must stand exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.model.locations import Lines, Location
from rankgate.model.wording import many
from rankgate.outline import own_end
from rankgate.review.subject import Category, Change, ReviewRemark
from rankgate.suites.editing.edits import DropTarget, Move
from rankgate.truth.anchors import AnchorState, anchor_of, compare
from rankgate.truth.locations.lookup import Miss, Spot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankgate.model.suite import Case
    from rankgate.outline.nodes import OutlineNode
    from rankgate.review.subject import ReviewSubject
    from rankgate.truth.anchors import Anchored
    from rankgate.truth.locations.corpus_reader import CorpusReader

MOST = 2_000_000
"""How many texts are hashed at most, so that a large corpus does not keep a person waiting."""

# Text without a line that is not blank tells no location from another.
_BLANK = anchor_of("")


def misplaced(subject: ReviewSubject) -> Iterator[Change | ReviewRemark]:
    """Propose where texts went, and to take out targets that are gone; what is not proven is only shown."""
    if subject.corpus is None:
        return
    comparison = compare(subject.suite, subject.reader, subject.anchors, subject.tell)
    lost: dict[Location, list[Anchored]] = {}
    for each in (*comparison.of(AnchorState.CHANGED), *comparison.of(AnchorState.LOST)):
        lost.setdefault(each.location, []).append(each)
    judged = {location: {each.then for each in some} for location, some in lost.items()}
    anchors = {
        location: kept for location, some in judged.items() if len(some) == 1 and (kept := next(iter(some)))
    }
    following = follow(subject.reader, anchors, subject.tell)
    for location, some in lost.items():
        yield from _settled(subject, location, some, following)


def _settled(
    subject: ReviewSubject, location: Location, some: Sequence[Anchored], following: AnchorMatches
) -> Iterator[Change | ReviewRemark]:
    case = some[0].case
    now = following.locations.get(location)
    if now and len(now) == 1 and following.complete:
        others = f", and for {many(len(some) - 1, 'other case')}" if len(some) > 1 else ""
        what = f"'{location}' becomes '{now[0]}'{others}"
        stood = (
            "finds another text now"
            if some[0].state is AnchorState.CHANGED
            else "is not in the corpus any more"
        )
        why = f"it {stood}; the text that was judged stands at '{now[0]}', and nowhere else"
        yield Change(Category.FIX, case.id, what, why, Move(location, now[0]), now)
        return
    if _is_gone(subject, location, now, following):
        for each in some:
            yield from _dropped(each.case, location)
        return
    for each in some:
        yield _remark(subject, each, now, following)


def _is_gone(
    subject: ReviewSubject, location: Location, now: tuple[Location, ...] | None, following: AnchorMatches
) -> bool:
    """Check that nothing is left: no record of the id; or no such file, and the text stands nowhere."""
    corpus = subject.corpus
    if corpus is None or location.quote is not None or isinstance(subject.reader.find(location), Spot):
        return False
    if corpus.records:
        return location.id is not None
    return now == () and following.complete and location.path is not None and location.path not in corpus


def _dropped(case: Case, location: Location) -> Iterator[Change | ReviewRemark]:
    numbers = [number for number, target in enumerate(case.targets) if target.location == location]
    left = [target for target in case.targets if target.location != location and target.grade > 0]
    if not left or any(top.location == location for top in case.top):
        said = f"'{location}' is gone, and it is all that the case must find"
        yield ReviewRemark.unproposed(case.id, said, "give it another target, or delete the case")
        return
    for number in numbers:
        why = "it is gone: neither its file nor its text is in the corpus any more"
        yield Change(
            Category.TRIM, case.id, f"take out the target '{location}'", why, DropTarget(case.id, number)
        )


def _remark(
    subject: ReviewSubject, anchored: Anchored, now: tuple[Location, ...] | None, following: AnchorMatches
) -> ReviewRemark:
    location = anchored.location
    if anchored.state is AnchorState.CHANGED:
        said = f"the text at '{location}' is not the one that was judged"
        file = subject.suite.path or "SUITE"
        fix = f"read it, then correct the place or rankgate suite anchor --accept {file}"
    else:
        spot = subject.reader.find(location)
        told = subject.reader.lookup.explain(location, spot) if isinstance(spot, Miss) else ("", "", "")
        said = f"found {told[0]}, expected {told[1]}"
        fix = told[2] or "correct the place"
    if now and len(now) > 1:
        some = ", ".join(map(str, now[:3]))
        said += f"; the text that was judged stands in {many(len(now), 'place')} ({some})"
    elif not following.complete:
        said += "; the corpus is too large to look for its text: rankgate suite drift follows it"
    elif anchored.then is None:
        said += "; it has no anchor by which its text could be found"
    return ReviewRemark.unproposed(anchored.case.id, said, fix)


@dataclass(frozen=True, slots=True)
class AnchorMatches:
    """What was found of the texts that were looked for."""

    locations: Mapping[Location, tuple[Location, ...]]
    """Where the text of each location stands now, as the suite would write it."""
    complete: bool = True
    """False where the corpus was too large to be looked through to its end."""


def follow(
    reader: CorpusReader, anchors: Mapping[Location, str], tell: Callable[[str], None]
) -> AnchorMatches:
    """Look for the texts of locations in the whole corpus, by their anchors.

    Lines are looked for as as many lines, a section or a symbol among those of files of the same kind, a
    file among the files.

    Args:
        reader: The texts of the corpus.
        anchors: The locations, and the hashes of the texts that were judged there.
        tell: Told in words how far the reading is.
    """
    found: dict[Location, list[Location]] = {location: [] for location in anchors}
    wanted: dict[str, list[Location]] = {}
    for location, kept in anchors.items():
        # The words of a quote find it, wherever it went.
        if kept != _BLANK and location.quote is None:
            wanted.setdefault(kept, []).append(location)
    corpus = reader.corpus
    if corpus is None or corpus.records or not anchors:
        return AnchorMatches(dict.fromkeys(anchors, ()))
    sizes = sorted({len(location.lines) for location in anchors if location.lines is not None})
    suffixes = {_suffix(location.path) for location in anchors if _named(location)}
    own = any(location.own for location in anchors)
    files = any(not _named(each) and each.lines is None and each.quote is None for each in anchors)
    hashed, complete = 0, True
    paths = corpus.paths()
    for number, path in enumerate(paths):
        tell(f"looking for judged texts in {number} of {len(paths)} files")
        nodes = reader.lookup.nodes(path) if _suffix(path) in suffixes else ()
        hashed += corpus.lines(path) * len(sizes) + len(nodes) + 1
        if hashed > MOST:
            complete = False
            break
        for here, text in _texts(reader, path, sizes, nodes, files=files, own=own):
            for location in wanted.get(anchor_of(text), ()):
                if _alike(here, location):
                    found[location].append(here)
    return AnchorMatches({location: tuple(dict.fromkeys(some)) for location, some in found.items()}, complete)


def _texts(
    reader: CorpusReader,
    path: str,
    sizes: list[int],
    nodes: tuple[OutlineNode, ...],
    *,
    files: bool,
    own: bool,
) -> Iterator[tuple[Location, str]]:
    text = reader.text_of(path)
    last = text.last_line
    if files:
        yield Location(path=path), text.whole
    for size in sizes:
        for start in range(1, last - size + 2):
            yield (
                Location(path=path, lines=Lines(start, start + size - 1)),
                text.between(start, start + size - 1),
            )
    for node in nodes:
        if node.kind != "document":
            location = _node_location(reader, path, node)
            if location is not None:
                yield location, text.between(node.start, node.end)
                if node.comment_lines:
                    # Anchors that are older than ADR 70 have a symbol without the comment above it.
                    yield location, text.between(node.start + node.comment_lines, node.end)
                if own:
                    yield replace(location, own=True), text.between(node.start, own_end(nodes, node))


def _node_location(reader: CorpusReader, path: str, node: OutlineNode) -> Location | None:
    """Write a section or a symbol by its whole name, where that finds it."""
    if not node.path or not all(name.strip() == name and name for name in node.path):
        return None
    if node.kind == "section":
        location = Location(path=path, heading=node.path)
    else:
        location = Location(path=path, symbol=".".join(node.path))
    spot = reader.find(location)
    return location if isinstance(spot, Spot) and (spot.start, spot.end) == (node.start, node.end) else None


def _alike(one: Location, other: Location) -> bool:
    """Check whether two locations are of one kind: lines of one number, names, or files."""
    if one.lines is not None or other.lines is not None:
        return one.lines is not None and other.lines is not None and len(one.lines) == len(other.lines)
    return _named(one) == _named(other) and one.own == other.own


def _named(location: Location) -> bool:
    return bool(location.heading) or location.symbol is not None


def _suffix(path: str | None) -> str:
    return PurePosixPath(path or "").suffix
