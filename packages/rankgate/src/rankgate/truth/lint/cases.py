"""Rules about cases, their targets and their judgments."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.outline import own_end
from rankgate.truth.anchors import AnchorState
from rankgate.truth.lint.check import Remark, Severity, marked, other_case, query_text, rule
from rankgate.truth.lookup import DocumentText, Miss, MissReason, Spot
from rankgate.truth.words import STOPWORDS, fold, name_words, plain
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from rankgate.locations import Location
    from rankgate.model import Case, Target
    from rankgate.outline import OutlineNode
    from rankgate.truth.lint.check import CaseLocation, LintContext

NEAR = 50
"""For how many missing targets similar names are looked for, which takes long in a large corpus."""
LONGEST_LINE = 1000
"""The length in characters from which a line as a target is too broad: half of a usual chunk."""
WORDS, SHORT_WORDS, LETTERS = 3, 2, 12
"""A query is searched for in its target if it has three words, or two words and twelve characters."""
TITLE_SHARE, FEWEST_QUERIES = 0.2, 10
"""The share of queries that may consist of words of a title, and the smallest number of queries to count."""
SOURCE_SHARE = 0.9
"""The share of relevant targets that may come from one system."""
_PEOPLE = frozenset(
    [
        "annotator",
        "click",
        "clicks",
        "estimated",
        "expert",
        "human",
        "import",
        "llm",
        "log",
        "logs",
        "model",
        "people",
        "person",
    ]
)


@rule("missing-target", Severity.ERROR, needs_corpus=True)
def missing_target(context: LintContext) -> Iterator[Remark]:
    """Look up every location, including those of checks, scenarios and invariants."""
    named: list[tuple[str, Location, Spot | Miss, Remark]] = [
        (f"case {each.case.id}", each.location, each.found, Remark("", each.case))
        for each in context.case_locations
    ]
    for probe, found in context.probe_locations:
        where = probe.where or f"{context.where}: {probe.owner}"
        named.append((probe.owner, probe.location, found, Remark("", where=where)))
    messages: dict[Location, str] = {}
    reported: set[tuple[str, Location]] = set()
    for owner, location, found, remark in named:
        if isinstance(found, Spot) or (owner, location) in reported:
            continue
        reported.add((owner, location))
        if location not in messages:
            messages[location] = _missing_message(context, location, found, near=len(messages) < NEAR)
        yield Remark(messages[location], remark.case, remark.where)


def _missing_message(context: LintContext, location: Location, miss: Miss, *, near: bool) -> str:
    found, expected, fix = context.reader.lookup.explain(location, miss, near=near)
    if miss.why is MissReason.NO_EXTRA:
        return f"The location {found}. Install it: `{fix}`."
    skipped = context.corpus is not None and location.path in context.corpus.skipped
    if not skipped and any(location.whole in kept for kept in context.anchors.cases.values()):
        fix = f"it was there when it was anchored. Follow its text with {context.fix_command}"
    elif not skipped and not fix:
        fix = f"correct it, or follow changed documents with {context.fix_command}"
    end = "" if fix.endswith(("?", ".")) or not fix else "."
    return f"The location {found} is missing: expected {expected}. {fix[:1].upper()}{fix[1:]}{end}"


@rule("changed-target", Severity.WARNING, needs_corpus=True)
def changed_target(context: LintContext) -> Iterator[Remark]:
    """Compare every text with its anchor."""
    for target in context.comparison.of(AnchorState.CHANGED):
        message = f"The text of '{target.location}' has changed since it was anchored."
        yield Remark(f"{message} Check it with {context.fix_command}.", target.case)


@rule("not-anchored", Severity.HINT, needs_corpus=True)
def not_anchored(context: LintContext) -> Iterator[Remark]:
    """Count the locations without an anchor."""
    new, every = len(context.comparison.of(AnchorState.NEW)), len(context.comparison.locations)
    if new:
        message = f"{new} of {every} locations have no anchor, so a change of their text goes unnoticed."
        yield Remark(f"{message} Add anchors with {context.fix_command[:-1]} --yes`.")


@rule("inexact-quote", Severity.WARNING, needs_corpus=True)
def inexact_quote(context: LintContext) -> Iterator[Remark]:
    """Report the share of each quote that was found."""
    reported: set[tuple[str, Location]] = set()
    for each in context.case_locations:
        spot, key = each.found, (each.case.id, each.location)
        if (
            isinstance(spot, Spot)
            and each.location.quote is not None
            and spot.share < 1
            and key not in reported
        ):
            reported.add(key)
            place = f"{spot.path or spot.id}:{spot.start}"
            message = f"Only {spot.share:.0%} of the quote {each.location} occurs in the corpus, at {place}."
            yield Remark(f"{message} Quote the words of the document.", each.case)


@rule("broad-target", Severity.WARNING, needs_corpus=True)
def broad_target(context: LintContext) -> Iterator[Remark]:
    """Find sections and symbols that cover a target of a lower grade, and very long lines."""
    for document, each, spot in context.relevant():
        location = each.location
        if location.lines is not None:
            lines = context.reader.lines(document)[(spot.start or 1) - 1 : spot.end]
            longest = max(map(len, lines), default=0)
            if longest > LONGEST_LINE:
                message = (
                    f"'{location}' has a line of {longest:,} characters. A result with any part of it counts."
                )
                yield Remark(f"{message} Write the passage as `quote:`.", each.case)
            continue
        lower = next(iter(_lower_below(context, each, spot)), None)
        if lower is not None:
            message = f"'{location}' with grade {each.grade:g} covers '{lower.location}' with grade "
            message += f"{lower.grade:g}, so a result there earns {each.grade:g}."
            yield Remark(f"{message} Write '{location}/.' for its own text alone.", each.case)


def _lower_below(context: LintContext, whole: CaseLocation, spot: Spot) -> Iterator[CaseLocation]:
    """Find the targets of the same case with a lower grade inside the sections below a heading or symbol."""
    location = whole.location
    if location.own or not (location.heading or location.symbol) or spot.path is None or spot.end is None:
        return
    node = context.reader.lookup.node(location)
    if isinstance(node, Miss):
        return
    own = own_end(context.reader.lookup.nodes(spot.path), node)
    for target in whole.case.targets:
        found = context.reader.find(target.location)
        if not 0 < target.grade < whole.grade or not isinstance(found, Spot) or found.path != spot.path:
            continue
        if own < (found.start or 0) and (found.end or 0) <= spot.end:
            yield type(whole)(whole.case, target.location, found, target)


@rule("duplicate-query", Severity.WARNING)
def duplicate_query(context: LintContext) -> Iterator[Remark]:
    """Compare queries without case, white space and punctuation.

    Cases of one group may differ in case and punctuation: whether a search depends on them is their question.
    """
    first: dict[Hashable, Case] = {}
    verbatim: dict[Hashable, Case] = {}
    for case in context.suite.cases:
        tags = frozenset(tag for tag in case.tags if "=" in tag)
        slice_of_case = (case.category, tags, case.facets)
        same = first.setdefault((context.folded[case.id], slice_of_case), case)
        literal = verbatim.setdefault((case.query, case.group, slice_of_case), case)
        if same is not case and case.group is not None and case.group == same.group:
            same = literal
        if same is case:
            continue
        targets, others = ({(each.location, each.grade) for each in one.targets} for one in (case, same))
        fix = "Delete one" if targets == others else "Merge their expected results"
        message = (
            f"{other_case(same).capitalize()} has the same query {query_text(case)}, so it counts twice."
        )
        yield Remark(f"{message} {fix}, or distinguish them by category or filters.", case)


@rule("contradictory-grades", Severity.ERROR)
def contradictory_grades(context: LintContext) -> Iterator[Remark]:
    """Compare the grades of each location within a case, and between cases with one query and filters."""
    own: dict[Hashable, tuple[Case, Target]] = {}
    asked: dict[Hashable, tuple[Case, Target]] = {}
    reported: set[Hashable] = set()
    for each in context.case_locations:
        if each.target is None:
            continue
        place = tuple(each.found.fields().values()) if isinstance(each.found, Spot) else each.location
        here = (each.case.id, place)
        _, first = own.setdefault(here, (each.case, each.target))
        case, judged = asked.setdefault(
            (context.folded[each.case.id], each.case.facets, place), (each.case, each.target)
        )
        if here in reported:
            continue
        reported.add(here)
        same = "" if first.location == each.location else f" ('{first.location}' is the same location)"
        if first.grade != each.grade:
            message = f"'{each.location}' has the grades {first.grade:g} and {each.grade:g}{same}."
            yield Remark(f"{message} Keep the right one.", each.case)
        elif first is not each.target and first.group == each.target.group:
            message = f"'{each.location}' occurs twice in this case{same}, so it counts twice in the ideal."
            yield Remark(f"{message} Delete one.", each.case, severity=Severity.WARNING)
        elif judged.grade != each.grade:
            grades = f"the grade {each.grade:g}, and {judged.grade:g} in {other_case(case)}"
            message = f"'{each.location}' has {grades}."
            yield Remark(f"{message} Keep the right one.", each.case)
        else:
            reported.discard(here)


@rule("no-expectation", Severity.WARNING)
def no_expectation(context: LintContext) -> Iterator[Remark]:
    """Find cases without targets, checks and an answer."""
    for case in context.suite.cases:
        if not (case.targets or case.top or case.expects_nothing or case.answer):
            message = f"The query {query_text(case)} has no expected result and no check."
            yield Remark(
                f"{message} Judge it, or write `expect: empty` if the right answer is no result.", case
            )


@rule("expired-xfail", Severity.WARNING)
def expired_xfail(context: LintContext) -> Iterator[Remark]:
    """Compare the last day of every known miss with today."""
    for case in context.suite.cases:
        until = None if case.xfail is None else case.xfail.until
        if case.xfail is not None and until is not None and until.isoformat() < context.today:
            message = f"The known miss expired on {until} ({case.xfail.reason})."
            yield Remark(f"{message} Remove `xfail`, or give it a new date.", case)


@rule("single-source", Severity.WARNING)
def single_source(context: LintContext) -> Iterator[Remark]:
    """Count the relevant targets of each source; person, import, clicks, model and logs are no systems."""
    sources = Counter(
        target.source for case in context.suite.cases for target in case.targets if target.grade > 0
    )
    if not sources:
        return
    source, number = sources.most_common(1)[0]
    if not independent(source) and number >= SOURCE_SHARE * sources.total():
        message = f"{number} of {sources.total()} relevant targets come from {source!r}, "
        message += "so the suite cannot find that system wrong."
        yield Remark(f"{message} Judge the results of several systems with `rankgate judge`.")


def independent(source: str) -> bool:
    """Check whether a source of judgments is something else than a system.

    >>> independent("model:gpt-5 prompt 3"), independent("engine:bm25")
    (True, False)
    """
    return source.strip().casefold().partition(":")[0].split(" ")[0] in _PEOPLE


@rule("easy-query", Severity.WARNING, needs_corpus=True)
def easy_query(context: LintContext) -> Iterator[Remark]:
    """Search each query in the texts of its relevant targets, and count queries that repeat a title.

    Cases that are marked `exact`, and names of symbols, are meant to be easy.
    """
    wanted = {
        case.id for case in context.suite.cases if _long_enough(case.query) and not marked(case, "exact")
    }
    document, text = None, DocumentText("")
    for name, each, spot in context.relevant():
        case = each.case
        if case.id not in wanted:
            continue
        if name != document:
            document, text = name, DocumentText(plain(context.reader.text_of(name).whole))
        if _contains(text, spot, context.folded[case.id]) and not _is_symbol_name(case):
            wanted.discard(case.id)
            message = f"The text of '{each.location}' contains the query {query_text(case)} word for word."
            yield Remark(
                f"{message} Use the words of someone who has not read it, or mark the case `exact`.", case
            )
    counted = counted_cases(context)
    worded = title_worded(context) if len(counted) >= FEWEST_QUERIES else ()
    if len(worded) > TITLE_SHARE * len(counted):
        such = ", ".join(query_text(case) for case in worded[:3])
        message = f"{len(worded)} of {len(counted)} queries consist of words of their target's title: {such}."
        yield Remark(f"{message} Write queries without looking at headings, or mark the cases `exact`.")


def _long_enough(query: str) -> bool:
    words = len(query.split())
    return words >= WORDS or (words >= SHORT_WORDS and len(query.strip()) >= LETTERS)


def _contains(text: DocumentText, spot: Spot, query: str) -> bool:
    start, end = text.offsets(spot.start, spot.end)
    # Nearly every text lacks a word of the query, and is then not split into words.
    if any(text.whole.find(word, start, end) < 0 for word in query.split()):
        return False
    return f" {query} " in f" {fold(text.whole[start:end])} "


def _is_symbol_name(case: Case) -> bool:
    query = name_words(case.query)
    symbols = (target.location.symbol for target in case.targets if target.grade > 0)
    return any(
        query in (name_words(symbol), name_words(symbol.rpartition(".")[2]))
        for symbol in symbols
        if symbol is not None
    )


def counted_cases(context: LintContext) -> tuple[Case, ...]:
    """Return the cases with relevant targets that are not meant to use a name."""
    return tuple(
        case
        for case in context.suite.cases
        if not marked(case, "exact")
        and not marked(case, "symbol")
        and any(target.grade > 0 for target in case.targets)
    )


def title_worded(context: LintContext) -> tuple[Case, ...]:
    """Return the counted cases whose query has only words of the title or name of one relevant target."""
    wanted = {case.id: _stems(case.query, context) for case in counted_cases(context)}
    found: set[str] = set()
    for name, each, spot in context.relevant():
        stems = wanted.get(each.case.id)
        if stems and each.case.id not in found:
            nodes = () if spot.path is None else context.reader.lookup.nodes(name)
            if stems <= _stems(_title(name, spot, nodes), context):
                found.add(each.case.id)
    return tuple(case for case in context.suite.cases if case.id in found)


def _stems(text: str, context: LintContext) -> frozenset[str]:
    return frozenset(context.stems(word) for word in name_words(text) if word not in STOPWORDS)


def _title(name: str, spot: Spot, nodes: Sequence[OutlineNode]) -> str:
    """Return the names of a target: its own and those above it, or the file and the title of a page."""
    if spot.path is None:
        return name
    start, end = spot.start or 1, spot.end or max((node.end for node in nodes), default=1)
    around = [node for node in nodes if node.kind != "document" and node.start <= start and end <= node.end]
    inner = max(around, key=lambda node: (node.start, -node.end), default=None)
    if inner is not None:
        return " ".join(inner.path)
    titles = [node.name for node in nodes if node.kind != "document" and node.level == 1][:1]
    return " ".join([PurePosixPath(name).stem, *titles])


@rule("not-checked", Severity.HINT)
def not_checked(context: LintContext) -> Iterator[Remark]:
    """Name the rules that need a corpus, and count the ids that have no text."""
    if context.corpus is None:
        if context.not_checked:
            message = f"There is no corpus, so {many(len(context.not_checked), 'rule')} did not run: "
            message += f"{', '.join(context.not_checked)}."
            yield Remark(f"{message} Name it as `corpus:` in the suite, or with --corpus.")
        return
    opaque = sum(
        isinstance(each.found, Spot)
        and each.found.strategy == "id"
        and context.reader.document(each.found) is None
        for each in context.case_locations
    )
    if opaque and context.not_checked:
        message = (
            f"{opaque} of {len(context.case_locations)} targets are opaque ids, so no rule reads their text."
        )
        yield Remark(f"{message} Write them as `at:` if they are locations.")
