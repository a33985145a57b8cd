"""The anchors of a suite brought up to date: new targets get one, those that are gone lose theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.anchors import Anchors, compare, updated

if TYPE_CHECKING:
    from rankgate.model.suite import Suite
    from rankgate.truth.anchors import AnchorComparison
    from rankgate.truth.mending.plan import Documents


def updated_anchors(
    suite: Suite, documents: Documents, kept: Anchors | None, *, accept: bool = False
) -> tuple[AnchorComparison, Anchors]:
    """Compare what a suite points at with what was anchored, and return the anchors to keep.

    Args:
        suite: The suite.
        documents: What its locations are in.
        kept: What the file of anchors says; None where there is none.
        accept: True to anchor changed texts as they are now.
    """
    comparison = compare(suite, documents.reader, kept or Anchors())
    # A file that `suite mend` has not written yet stays as older versions read it.
    recorded = comparison.locations if kept is not None and kept.texts else ()
    found = {each.location for each in recorded if each.now is not None}
    texts = {one.whole: record for one in found if (record := documents.record(one)) is not None}
    fingerprint = documents.corpus.fingerprint
    return comparison, updated(comparison, suite, fingerprint, accept=accept, kept=kept, texts=texts)
