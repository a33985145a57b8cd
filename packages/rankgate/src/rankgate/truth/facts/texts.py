"""What the corpus, the anchors and the suite say of targets, without asking anybody."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, InputError
from rankgate.truth.anchors import Anchors, AnchorState, anchors_path, compare, read_anchors
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.locations import Location
    from rankgate.model.suite import Case, Suite

_SHORTEST_COPY = 40
"""How many letters a text has at least that is called a copy of another."""
_NAMED = 5
_HEADING = re.compile(r"\A(?:#{1,6}[^\n]*\n|[^\n]+\n[=\-~^\"]{3,}\n)\s*")


def target_text(reader: CorpusReader, row: Mapping[str, Any]) -> str | None:
    """Read the text of a target of the judgments, or of a hit; None where the corpus does not have it.

    Args:
        reader: What reads the corpus.
        row: Its id, path, start and end.
    """
    spot = Spot(row["id"], row["path"], row["start"], row["end"], "")
    try:
        return reader.text(spot)
    except (KeyError, InputError):
        # A file that changed meanwhile: nothing is certain of it.
        return None


def changed_texts(suite: Suite, reader: CorpusReader, cases: Sequence[Case]) -> dict[str, list[Location]]:
    """Return the locations of some cases whose text is not what was anchored, by case."""
    found: dict[str, list[Location]] = {}
    for each in compare(replace(suite, cases=tuple(cases)), reader, kept_anchors(suite)).locations:
        if each.state is AnchorState.CHANGED:
            found.setdefault(each.case.id, []).append(each.location)
    return found


def changed_words(suite: Suite, corpus: Corpus | None, command: str) -> tuple[str, ...]:
    """Return in one line which judged texts changed since they were anchored; nothing where none did.

    Args:
        suite: What is judged.
        corpus: What its locations are in.
        command: What looks at them.
    """
    kept = suite.path is not None and anchors_path(suite.path).is_file()
    if corpus is None or not kept:
        return ()
    changed = changed_texts(suite, CorpusReader(corpus), suite.cases)
    names = [f"{location} of {case}" for case, some in changed.items() for location in some]
    if not names:
        return ()
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    texts = "the text of 1 target" if len(names) == 1 else f"the texts of {len(names)} targets"
    said = f"{texts} changed since it was judged: {', '.join(names[:_NAMED])}{more}"
    return (f"{said}; to look at it: {command}",)


def kept_anchors(suite: Suite) -> Anchors:
    """Read the anchors of a suite; none where there are none, or where the file is wrong."""
    try:
        return (None if suite.path is None else read_anchors(anchors_path(suite.path))) or Anchors()
    except FormatError:
        # `suite lint` says what is wrong with the file.
        return Anchors()


def same_text(reader: CorpusReader, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check whether a location has the whole text of another, headings and white space aside.

    Args:
        reader: What reads the corpus.
        one: The location of the text.
        other: Where it may stand as well.
    """
    if overlapping(one, other):
        return False
    text, elsewhere = target_text(reader, one), target_text(reader, other)
    if text is None or elsewhere is None:
        return False
    body = _folded(_HEADING.sub("", text.strip()))
    return len(body) >= _SHORTEST_COPY and body in _folded(elsewhere)


def overlapping(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check whether two locations have anything in common: lines of a file, or an id where there is none."""
    if one["path"] != other["path"] or (one["path"] is None and one["id"] != other["id"]):
        return False
    if one["start"] is None or other["start"] is None:
        return True
    return bool(one["start"] <= other["end"] and other["start"] <= one["end"])


def _folded(text: str) -> str:
    return " ".join(text.split())
