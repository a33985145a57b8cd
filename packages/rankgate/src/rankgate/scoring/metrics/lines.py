"""How well the lines returned cover the lines wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.scoring.matches import Column, Cut, Spans, ratio
from rankgate.scoring.metric import SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Bools, Floats, Matches


@dataclass(frozen=True)
class _LineMetric(Metric):
    """What the three line metrics share: the union of target lines, and of the lines of the top hits."""

    needs: ClassVar[frozenset[str]] = frozenset({"spans"})
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = "0 where nothing is returned; hits without lines count against it"
    cut_by: ClassVar[tuple[str, ...]] = ("rank", "tokens")

    cut: Cut | None = None

    def _lines(self, matches: Matches) -> tuple[Floats, Floats, Floats, Bools]:
        """Count lines wanted, returned, and in either; and return where the relevant targets have lines."""
        wanted, returned = matches.target_spans, matches.hit_spans
        if wanted is None or returned is None or matches.unspanned is None:
            raise InputError(
                Code.METRIC_NEEDS(self.label, "a run or judgments without lines", "path, start and end")
            )
        above = returned.rank <= matches.depth(self.cut)[returned.query]
        top = Spans(*(getattr(returned, name)[above] for name in ("query", "rank", "file", "start", "end")))
        both = Spans(
            *(
                np.concatenate([getattr(wanted, name), getattr(top, name)])
                for name in ("query", "rank", "file", "start", "end")
            )
        )
        counts = [_covered(spans, matches.size) for spans in (wanted, top, both)]
        return counts[0], counts[1], counts[2], (matches.relevant_units(None) > 0) & ~matches.unspanned

    def _with_lines(self, matches: Matches) -> Floats:
        """Return which part of the hits above the cut has lines."""
        spans, depth = matches.hit_spans, matches.depth(self.cut)
        if spans is None:
            return np.ones(matches.size)
        have = matches.per_query(spans.query[spans.rank <= depth[spans.query]])
        return ratio(have, np.minimum(matches.returned, depth).astype(np.float64))


def _covered(spans: Spans, size: int) -> Floats:
    """Count the lines that a query's ranges cover, each once."""
    width = int(spans.end.max(initial=0)) + 2
    order = np.lexsort((spans.start, spans.file))
    # Files are laid end to end, so that ranges of different files cannot touch.
    start = (spans.file * width + spans.start)[order]
    end = (spans.file * width + spans.end)[order]
    seen = np.concatenate([[-1], np.maximum.accumulate(end)])[:-1]
    new = np.maximum(0, end - np.maximum(start, seen + 1) + 1)
    return np.bincount(spans.query[order], weights=new, minlength=size).astype(np.float64)


@dataclass(frozen=True)
class IoU(_LineMetric):
    """Line IoU: lines in both over lines in either.

    What it measures: the lines that the relevant targets and the first k hits share, over the lines
        that either of them has.
    Use it when: hits are pieces of files, and both missing lines and ballast hurt.
    Edge cases: undefined where nothing relevant is judged, or a relevant target has no lines. Of hits
        without lines nobody knows which were wanted: the value is multiplied by the share of hits that
        have some, so that it is 0 where none has. Shown best beside `line_p` and `line_r`, which say which
        of the two is wrong.
    Example: target lines 10-50, one hit on 30-60: 21 lines in both, 51 in either, 0.4118.
    Reference: Jaccard, 1912; for chunk retrieval, Smith and Troynikov, Evaluating chunking strategies, 2024.
    """

    name: ClassVar[str] = "iou"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        wanted, returned, either, defined = self._lines(matches)
        return Column(ratio(wanted + returned - either, either) * self._with_lines(matches), defined)


@dataclass(frozen=True)
class LinePrecision(_LineMetric):
    """Line precision: which part of the lines returned was wanted.

    What it measures: lines in both, over the lines of the first k hits, each counted once.
    Use it when: something has to read every line that is returned.
    Edge cases: as `iou`; 0 where nothing was returned.
    Example: target lines 10-50, one hit on 30-60: 21 of 31 lines, 0.6774.
    Reference: Smith and Troynikov, Evaluating chunking strategies for retrieval, 2024.
    """

    name: ClassVar[str] = "line_p"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        wanted, returned, either, defined = self._lines(matches)
        return Column(ratio(wanted + returned - either, returned) * self._with_lines(matches), defined)


@dataclass(frozen=True)
class LineRecall(_LineMetric):
    """Line recall: which part of the lines wanted was returned.

    What it measures: lines in both, over the lines of the relevant targets, each counted once.
    Use it when: half a function is not enough.
    Edge cases: as `iou`, but for hits without lines: they cover none, and that is all.
    Example: target lines 10-50, one hit on 30-60: 21 of 41 lines, 0.5122.
    Reference: Smith and Troynikov, Evaluating chunking strategies for retrieval, 2024.
    """

    name: ClassVar[str] = "line_r"
    failure: ClassVar[str] = "0 where no line is found; a hit without lines covers none"

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        wanted, returned, either, defined = self._lines(matches)
        return Column(ratio(wanted + returned - either, wanted), defined)
