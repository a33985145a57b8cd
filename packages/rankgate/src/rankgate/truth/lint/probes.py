"""Scenarios and invariants that no system could satisfy, or that say nothing, because of what the corpus has.

Runs of white space count as one. What is read is a node without those below it, but systems differ in how
much of a node is its own: so a text that should be there may stand below, and one that should not be there
is told only where it stands in the lines of the node alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import did_you_mean
from rankgate.locations import fits_glob
from rankgate.model import Action, Relation
from rankgate.progress import counted_steps
from rankgate.truth.lint.context import LintRemark, Severity, quoted, rule
from rankgate.truth.locations.outline_below import outline_below
from rankgate.truth.locations.probe_plan import invariant_owner, nothing_below_it
from rankgate.truth.words import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Invariant
    from rankgate.outline import OutlineNode
    from rankgate.truth.lint.context import LintContext, LocatedStep


@rule(
    "text-not-there",
    Severity.ERROR,
    "a step `contains` what its location does not hold, or `excludes` what it holds",
    needs_corpus=True,
)
def text_not_there(context: LintContext) -> Iterator[LintRemark]:
    """Look for what each step contains and excludes in the text of its location."""
    for located in context.located_steps():
        if not (located.step.contains or located.step.excludes):
            continue
        whole = _folded(context.reader.text(located.spot) or "")
        for words in located.step.contains:
            if _folded(words) not in whole:
                found = f"contains: {quoted(words)}, which does not stand in '{located.at}'"
                fix = "no system can show it there: correct the text or the location"
                yield LintRemark(found, "text of that location, letter for letter", fix, where=located.where)
        own = (
            _own(context, located) if located.step.action is Action.READ and located.step.excludes else whole
        )
        for words in located.step.excludes:
            if _folded(words) in own:
                found = f"excludes: {quoted(words)}, which stands in '{located.at}'"
                fix = "every system that shows the location would fail: correct the text or the location"
                yield LintRemark(found, "text that the location does not hold", fix, where=located.where)


def _own(context: LintContext, located: LocatedStep) -> str:
    """Return the text of a location without the sections and symbols below it."""
    document = context.reader.document(located.spot)
    if document is None:
        return ""
    lines = context.reader.text_of(document).whole.split("\n")
    start, end = located.spot.start or 1, located.spot.end or len(lines)
    others: set[int] = set()
    for node in outline_below(context.reader.lookup, located.at, located.spot).below:
        others.update(range(node.start, node.end + 1))
    return _folded("\n".join(lines[at - 1] for at in range(start, end + 1) if at not in others))


@rule(
    "title-not-there",
    Severity.WARNING,
    "a tree should have a title, or one under another, that the file has not",
    needs_corpus=True,
)
def title_not_there(context: LintContext) -> Iterator[LintRemark]:
    """Compare the titles of every tree with the outline of its file, where it has one."""
    for located in context.located_steps():
        nodes = context.reader.lookup.nodes(str(located.spot.path))
        if not nodes:
            continue
        names = {_folded(node.name) for node in nodes}
        children = dict.fromkeys(child for child, _ in located.step.under)
        for title in dict.fromkeys((*located.step.has, *children)):
            if _folded(title) not in names:
                found = f"{quoted(title)}, which '{located.at}' has not"
                near = did_you_mean(_folded(title)[:80], names, otherwise="correct the title")
                yield LintRemark(
                    found, "the title of a section or a symbol of that file", near, where=located.where
                )
        for child, parent in located.step.under:
            if _folded(child) in names and _folded(parent) not in (above := _above(nodes, child)):
                found = f"{quoted(child)} under {quoted(parent)}"
                expected = f"it under {' or '.join(map(quoted, above))}, as in '{located.at}'"
                yield LintRemark(found, expected, where=located.where)


def _above(nodes: Sequence[OutlineNode], title: str) -> list[str]:
    """Return the titles right above every node of a title, those of files by their paths."""
    found = [node for node in nodes if node.parent is not None and _folded(node.name) == _folded(title)]
    return list(dict.fromkeys(_folded(nodes[node.parent].name) for node in found if node.parent is not None))


@rule(
    "nothing-below",
    Severity.ERROR,
    "a subtree should be `complete`, and nothing lies below its location",
    needs_corpus=True,
)
def nothing_below(context: LintContext) -> Iterator[LintRemark]:
    """Look for what the outline has below every location that should be complete."""
    for located in context.located_steps():
        if located.step.complete and not outline_below(context.reader.lookup, located.at, located.spot).below:
            yield LintRemark(*nothing_below_it(located.at), where=located.where)


@rule("only-nothing", Severity.ERROR, "a glob of `only` fits no document of the corpus", needs_corpus=True)
def only_nothing(context: LintContext) -> Iterator[LintRemark]:
    """Try every glob on the names of the documents."""
    if context.corpus is None:
        return
    for invariant in context.suite.invariants:
        for glob in invariant.only:
            if not any(fits_glob(path, glob) for path in context.corpus.paths()):
                found = f"only: {quoted(glob)}, which no document of the corpus fits"
                fix = "paths are those of the corpus; docs/** is all below docs, **/*.md every Markdown file"
                where = context.where_of(invariant.where, invariant_owner(invariant))
                yield LintRemark(found, "a glob of one document or more", fix, where=where)


@rule(
    "beside-in-corpus", Severity.ERROR, "the `beside` of an invariant stands in the corpus", needs_corpus=True
)
def beside_in_corpus(context: LintContext) -> Iterator[LintRemark]:
    """Look for the word of `beside` in every document and its name, inside other words too."""
    sought: dict[str, list[Invariant]] = {}
    for invariant in context.suite.invariants:
        if word := _beside(invariant):
            sought.setdefault(plain(word), []).append(invariant)
    if not sought or context.corpus is None:
        return
    for document in counted_steps(context.corpus.documents(), "looking for words", len(context.corpus)):
        text, name = plain(document.text), plain(document.id)
        for word in [each for each in sought if each in text or each in name]:
            line = f":{text.count(chr(10), 0, text.find(word)) + 1}" if word in text else ""
            for invariant in sought.pop(word):
                found = f"the word {quoted(_beside(invariant))}, which stands in '{document.id}{line}'"
                expected = "a word that stands nowhere in the corpus, nor inside another word"
                where = context.where_of(invariant.where, invariant_owner(invariant))
                fix = "choose letters that no text has, such as xqzvk"
                yield LintRemark(found, expected, fix, where=where)
        if not sought:
            return


def _beside(invariant: Invariant) -> str:
    if invariant.relation is not Relation.SINGLE_TERM_NO_BONUS or len(invariant.queries) < 2:
        return ""
    return invariant.queries[1].text.removeprefix(invariant.queries[0].text).strip()


def _folded(text: str) -> str:
    return " ".join(text.split())
