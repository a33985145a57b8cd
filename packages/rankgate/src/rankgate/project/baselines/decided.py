"""Texts that somebody decided about when a suite was mended, and where they are, whatever they say now."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from rankgate.truth.anchors import anchors_path, read_anchors
from rankgate.truth.drift.refinding import HALF, unpacked
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.model.placing import KeptLines
    from rankgate.truth.drift.refinding import Refinder
    from rankgate.truth.locations.corpus_reader import Span

_LEAST = 2
"""Of how many lines that a hit has in common with a former text it is taken for that text."""


class DecidedTexts:
    """Finds kept hits by what the texts of targets were before: a person said what they have become."""

    def __init__(self, suite: Suite, corpus: Corpus, finder: Refinder) -> None:
        """Take the suite, whose anchors have the former texts, the documents of today, and what finds lines.

        Raises:
            FormatError: for a file of anchors that cannot be read: what it decides would be left out unseen.
        """
        self._suite, self._corpus, self._finder = suite, corpus, finder
        self._anchors = read_anchors(anchors_path(suite.path)) if suite.path else None

    def span(self, kept: KeptLines) -> Span | None:
        """Return where the text of a hit is now; None where nobody decided, or it may be one of several."""
        wanted = Counter(unpacked(kept.lines).tolist())
        if wanted.total() == 1:
            return self._line(kept)
        shared = Counter(
            {
                span: max(known, default=0)
                for span, former in self._former.items()
                if (known := [sum((wanted & Counter(one)).values()) for one in former])
            }
        )
        best = shared.most_common(2)
        if not best or best[0][1] < max(_LEAST, HALF * wanted.total()):
            return None
        return best[0][0] if len(best) == 1 or best[1][1] < best[0][1] else None

    def _line(self, kept: KeptLines) -> Span | None:
        """Return where a single line is now: once, in what a text became that had it beside its neighbour."""
        line = unpacked(kept.lines).tolist()
        pairs = [(*unpacked(kept.before).tolist()[-1:], *line), (*line, *unpacked(kept.behind).tolist()[:1])]
        pairs = [pair for pair in pairs if len(pair) == _LEAST]
        now = self._finder.once(line[0])
        texts = ((span, one) for span, former in self._former.items() for one in former)
        known = {span for span, one in texts if any(pair in pairwise(one) for pair in pairs)}
        return now if now is not None and any(span.overlaps(now) for span in known) else None

    @cached_property
    def _former(self) -> dict[Span, list[list[int]]]:
        """The hashes of the lines of former texts, by where they are now."""
        found: dict[Span, list[list[int]]] = {}
        for span, lines in self._read():
            found.setdefault(span, []).append(unpacked(lines).tolist())
        return found

    def _read(self) -> Iterator[tuple[Span, str]]:
        anchors = self._anchors
        if anchors is None:
            return
        reader = CorpusReader(self._corpus)
        for target in (target for case in self._suite.cases for target in case.targets):
            record = anchors.texts.get(target.location.whole)
            if record is not None and record.formerly and (span := reader.span(target.location)) is not None:
                yield from ((span, lines) for lines in record.formerly)
