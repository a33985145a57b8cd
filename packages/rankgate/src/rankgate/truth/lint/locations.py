"""Locations that are not in the corpus, or past the end of their file; texts and their anchors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.truth.anchors import AnchorState
from rankgate.truth.lint.context import LintRemark, Severity, rule
from rankgate.truth.locations.lookup import MissReason, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.locations import Location
    from rankgate.truth.lint.context import CaseLocation, LintContext
    from rankgate.truth.locations.lookup import Miss


LONGEST_LINE = 1000
"""How many characters a line may have that is named: about half of what is usually indexed as one piece."""

NEAR = 50
"""For how many locations a near miss is looked for, which takes long in a large corpus."""


@rule(
    "unresolved",
    Severity.ERROR,
    "a location of a case, a scenario or an invariant is not in the corpus, or not only once",
    needs_corpus=True,
)
def unresolved(context: LintContext) -> Iterator[LintRemark]:
    """Look every location up, those of `top` too."""
    explained: dict[Location, tuple[str, str, str]] = {}
    for location, miss, said in _missed(context, past_the_end=False):
        if location not in explained:
            near = len(explained) < NEAR
            found, expected, fix = context.reader.lookup.explain(location, miss, near=near)
            if miss.why is not MissReason.NO_EXTRA:
                fix = _fix(context, location, fix)
            explained[location] = found, expected, fix
        found, expected, fix = explained[location]
        yield replace(said, found=found, expected=expected, fix=fix)


@rule("past-the-end", Severity.ERROR, "a line range goes past the end of its file", needs_corpus=True)
def past_the_end(context: LintContext) -> Iterator[LintRemark]:
    """Compare the last line of every range with the last line of its file."""
    for location, miss, said in _missed(context, past_the_end=True):
        found, expected, fix = context.reader.lookup.explain(location, miss)
        yield replace(said, found=found, expected=expected, fix=_fix(context, location, fix))


def _fix(context: LintContext, location: Location, near: str) -> str:
    """Return what to do: what was there once is followed, what never was is misspelt."""
    corpus = context.reader.corpus
    if near and corpus is not None and location.path in corpus.skipped:
        return near
    if any(location.whole in kept for kept in context.anchors.cases.values()):
        return f"it was there when it was anchored; {context.mend} to follow its text"
    ended = near if near.endswith("?") else f"{near}."
    return f"{ended} If the documents changed: {context.mend}" if near else f"correct it, or {context.mend}"


def _missed(context: LintContext, *, past_the_end: bool) -> Iterator[tuple[Location, Miss, LintRemark]]:
    """Return what was not found, with a remark that says whose it is; once for each owner."""
    told: set[tuple[str, Location]] = set()
    for owner, location, miss, said in _named_locations(context):
        if isinstance(miss, Spot) or (miss.why is MissReason.NO_LINES) != past_the_end:
            continue
        if (owner, location) not in told:
            told.add((owner, location))
            yield location, miss, said


def _named_locations(context: LintContext) -> Iterator[tuple[str, Location, Spot | Miss, LintRemark]]:
    """Return what names each location, the location, where it is, and a remark that says whose it is."""
    for each in context.case_locations:
        yield f"case {each.case.id}", each.location, each.found, LintRemark("", "", case=each.case)
    for probe, found in context.probe_locations:
        where = context.where_of(probe.where, probe.owner)
        yield probe.owner, probe.location, found, LintRemark("", "", where=where)


@rule("long-line", Severity.WARNING, "a line that is named is as long as a page", needs_corpus=True)
def long_line(context: LintContext) -> Iterator[LintRemark]:
    """Measure the lines of targets that are named by lines: a hit on any part of one reaches it."""
    for document, each, spot in context.relevant():
        if each.location.lines is None:
            continue
        lines = context.reader.lines(document)[(spot.start or 1) - 1 : spot.end]
        longest = max(map(len, lines), default=0)
        if longest > LONGEST_LINE:
            found = f"'{each.location}' with a line of {longest:,} characters, any piece of which reaches it"
            fix = "write the passage that is meant as a quote, so that characters are compared"
            yield LintRemark(found, f"lines of at most {LONGEST_LINE:,} characters", fix, each.case)


@rule(
    "several-places",
    Severity.HINT,
    "a quote stands in several locations, and any of them counts",
    needs_corpus=True,
)
def several_places(context: LintContext) -> Iterator[LintRemark]:
    """Name the quotes that stand more than once; more than five places are `unresolved`."""
    for each, spot in _quotes(context):
        if spot.copies:
            shown = ", ".join(f"{one.path or one.id}:{one.start}" for one in spot.every)
            found = f"'{each.location}' in {len(spot.every)} locations: {shown}"
            fix = "any of them will do; name its path or its start_char if one is meant"
            yield LintRemark(found, "a passage that stands once", fix, each.case)


@rule("inexact-quote", Severity.WARNING, "only a part of a quote stands in the corpus", needs_corpus=True)
def inexact_quote(context: LintContext) -> Iterator[LintRemark]:
    """Name the quotes of which some words are not there, with the share that is."""
    for each, spot in _quotes(context):
        if spot.share < 1:
            found = (
                f"'{each.location}', of which {spot.share:.0%} stands in {spot.path or spot.id}:{spot.start}"
            )
            yield LintRemark(found, "the words of the corpus", "quote what stands there", each.case)


def _quotes(context: LintContext) -> Iterator[tuple[CaseLocation, Spot]]:
    """Return the quotes that were found, each once for its case."""
    told: set[tuple[str, Location]] = set()
    for each in context.case_locations:
        key = each.case.id, each.location
        if each.location.quote is not None and isinstance(each.found, Spot) and key not in told:
            told.add(key)
            yield each, each.found


@rule(
    "changed-anchor", Severity.ERROR, "the text of a target is another than was anchored", needs_corpus=True
)
def changed_anchor(context: LintContext) -> Iterator[LintRemark]:
    """Compare every text with its anchor."""
    for target in context.comparison.of(AnchorState.CHANGED):
        found = f"another text at '{target.location}' than was anchored ({target.then}, now {target.now})"
        fix = f"{context.mend}: it follows the text where it moved, and asks whether an edited one stays"
        yield LintRemark(found, "the text that was judged", fix, target.case)


@rule("not-anchored", Severity.HINT, "targets have no anchor yet", needs_corpus=True)
def not_anchored(context: LintContext) -> Iterator[LintRemark]:
    """Count the locations without an anchor, in one line."""
    new, every = len(context.comparison.of(AnchorState.NEW)), len(context.comparison.locations)
    if new and not context.unread:
        fix = f"{context.mend} --yes, so that a change of their text is noticed"
        yield LintRemark(f"{new} of {every} locations without an anchor", "an anchor for each", fix)


@rule(
    "left-over-anchor",
    Severity.HINT,
    "the file of anchors has locations that the suite no longer names",
    needs_corpus=True,
)
def left_over_anchor(context: LintContext) -> Iterator[LintRemark]:
    """Count the anchors of what the suite no longer names, in one line, with the first as an example."""
    if context.corpus is None or not (left := context.comparison.left_over):
        return
    case, location = left[0]
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    found = f"{len(left)} anchors of locations that are gone: {location!r} of case {case}{more}"
    yield LintRemark(found, "anchors of what the suite names", f"{context.mend} --yes drops them")
