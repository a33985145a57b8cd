"""The rule about scenarios and invariants that no system can pass, or that check nothing.

Runs of white space count as one space. What `read` returns is a section without those below it, but systems
differ in what belongs to a section. So a text that must be there may be in a section below, and one that must
not be there is reported only if it is in the lines of the section alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import did_you_mean
from rankgate.locations import fits_glob
from rankgate.model import Action, Relation
from rankgate.progress import counted_steps
from rankgate.truth.lint.check import Remark, Severity, rule
from rankgate.truth.lookup import Spot
from rankgate.truth.outline_below import outline_below
from rankgate.truth.resolve import invariant_owner, step_owner
from rankgate.truth.words import plain
from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.model import Invariant, Step
    from rankgate.outline import OutlineNode
    from rankgate.truth.lint.check import LintContext


@rule("impossible-check", Severity.ERROR, needs_corpus=True)
def impossible_check(context: LintContext) -> Iterator[Remark]:
    """Compare the steps of scenarios and the terms of invariants with the documents."""
    if context.corpus is None:
        return
    for scenario in context.suite.scenarios:
        for number, step in enumerate(scenario.steps):
            where = step.where or f"{context.where}: {step_owner(scenario, number)}"
            spot = None if step.at is None else context.reader.find(step.at)
            if step.at is not None and isinstance(spot, Spot) and spot.path is not None:
                for message, severity in _step_problems(context, step, step.at, spot):
                    yield Remark(message, where=where, severity=severity)
    for invariant in context.suite.invariants:
        where = invariant.where or f"{context.where}: {invariant_owner(invariant)}"
        for glob in invariant.only:
            if not any(fits_glob(path, glob) for path in context.corpus.paths()):
                message = f"No document of the corpus matches `only: {glob}`."
                yield Remark(f"{message} Correct the glob: `docs/**` is everything below docs.", where=where)
    yield from _terms_in_corpus(context, context.corpus)


def _step_problems(
    context: LintContext, step: Step, at: Location, spot: Spot
) -> Iterator[tuple[str, Severity | None]]:
    below = outline_below(context.reader.lookup, at, spot).below
    if step.complete and not below:
        yield f"`complete: true` checks nothing, because nothing is below '{at}'. Remove it.", None
    if step.contains or step.excludes:
        whole = _folded(context.reader.text(spot) or "")
        for words in step.contains:
            if _folded(words) not in whole:
                yield f"'{at}' does not contain {quoted(words)}. Correct the text or the location.", None
        own = _own_text(context, spot, below) if step.action is Action.READ and step.excludes else whole
        for words in step.excludes:
            if _folded(words) in own:
                yield f"'{at}' contains {quoted(words)}, which `excludes` forbids. Correct one of them.", None
    nodes = context.reader.lookup.nodes(str(spot.path))
    if nodes and (step.has or step.under):
        # A system may list more than the outline, such as constants, so a missing title is a warning.
        names = {_folded(node.name) for node in nodes}
        for title in dict.fromkeys((*step.has, *(child for child, _ in step.under))):
            if _folded(title) not in names:
                near = did_you_mean(_folded(title)[:80], names, otherwise="correct the title.")
                message = f"'{at}' has no section or symbol {quoted(title)}. {near[:1].upper()}{near[1:]}"
                yield message, Severity.WARNING
        for child, parent in step.under:
            above = _parents(nodes, child)
            if _folded(child) in names and _folded(parent) not in above:
                message = f"{quoted(child)} is under {' or '.join(map(quoted, above))}, not {quoted(parent)}."
                yield f"{message} Correct `under`.", Severity.WARNING


def _own_text(context: LintContext, spot: Spot, below: Sequence[OutlineNode]) -> str:
    """Return the text of a section or symbol without those below it."""
    lines = context.reader.lines(str(spot.path))
    start, end = spot.start or 1, spot.end or len(lines)
    others = {line for node in below for line in range(node.start, node.end + 1)}
    return _folded("\n".join(lines[at - 1] for at in range(start, end + 1) if at not in others))


def _parents(nodes: Sequence[OutlineNode], title: str) -> list[str]:
    """Return the titles directly above every node with a title."""
    found = [node.parent for node in nodes if _folded(node.name) == _folded(title)]
    return list(dict.fromkeys(_folded(nodes[parent].name) for parent in found if parent is not None))


def _terms_in_corpus(context: LintContext, corpus: Corpus) -> Iterator[Remark]:
    """Find the added term of `single-term-no-bonus` in the documents, where it must not occur."""
    wanted: dict[str, list[Invariant]] = {}
    for invariant in context.suite.invariants:
        if word := _added_term(invariant):
            wanted.setdefault(plain(word), []).append(invariant)
    if not wanted:
        return
    for document in counted_steps(corpus.documents(), "searching terms of invariants", len(corpus)):
        text, name = plain(document.text), plain(document.id)
        for word in [each for each in wanted if each in text or each in name]:
            line = f":{text.count(chr(10), 0, text.find(word)) + 1}" if word in text else ""
            for invariant in wanted.pop(word):
                where = invariant.where or f"{context.where}: {invariant_owner(invariant)}"
                message = f"The term {quoted(_added_term(invariant))} occurs in '{document.id}{line}', "
                message += "but it must not match any document. Choose letters such as xqzvk."
                yield Remark(message, where=where)
        if not wanted:
            return


def _added_term(invariant: Invariant) -> str:
    if invariant.relation is not Relation.SINGLE_TERM_NO_BONUS or len(invariant.queries) < 2:
        return ""
    return invariant.queries[1].text.removeprefix(invariant.queries[0].text).strip()


def _folded(text: str) -> str:
    return " ".join(text.split())
