"""The anchors of a suite brought up to date: new targets get one, those that are gone lose theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.anchors import Anchors, compare, updated

if TYPE_CHECKING:
    from rankgate.model import Suite
    from rankgate.truth.mending.plan import Documents


def updated_anchors(suite: Suite, documents: Documents, kept: Anchors | None) -> Anchors:
    """Compare what a suite points at with what was anchored, returning the anchors to keep.

    Args:
        suite: The suite.
        documents: What its locations are in.
        kept: What the file of anchors says; None where there is none.
    """
    comparison = compare(suite, documents.reader, kept or Anchors())
    found = {each.location for each in comparison.locations if each.now is not None}
    texts = {one.whole: record for one in found if (record := documents.record(one)) is not None}
    fingerprint = documents.corpus.fingerprint
    return updated(comparison, suite, fingerprint, kept=kept, texts=texts)
