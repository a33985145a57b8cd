"""Cases proposed from a corpus: sections as targets, and what a reader would ask for them.

They are a start, marked unreviewed: what people really type stands in a search log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.evaluation.starting.page_questions import PageQuestions
from rankgate.evaluation.starting.pages import importance, is_asked_about, is_asked_for
from rankgate.evaluation.starting.symbols import is_code, symbol_questions
from rankgate.model import Location
from rankgate.outline import read_outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.starting.page_questions import PageQuestion, PageSection
    from rankgate.outline.nodes import OutlineNode

ENOUGH = 5
"""Where pages have fewer good questions, code is asked for, too: fewer cases decide no gate."""
_GOOD, _FAIR = 3.6, 2.9
_MATTERS = 0.3
_A_PAGE = 2


@dataclass(frozen=True, slots=True)
class Proposal:
    """One case that somebody should look at."""

    query: str
    """What to ask."""
    at: Location
    """What it should find."""
    title: str = ""
    """The title of the page or the name of the symbol, for people."""
    category: str = ""
    """What kind of query it is, where lint must know."""


def propose(corpus: Corpus, many: int = 10) -> tuple[list[Proposal], dict[str, str]]:
    """Propose cases, spread over the pages of a corpus, the same ones every time.

    The largest and most linked pages come first, with at most two cases each. Where there are no pages,
    symbols with a docstring are proposed.

    Returns:
        The cases, and why a file has no outline, by path: a syntax error, or an extra that is not installed.
    """
    pages, outlines, unread = _outlined(corpus, [path for path in corpus.paths() if is_asked_for(path)])
    found = _good(PageQuestions(pages, outlines), many)
    if len(found) < ENOUGH:
        code = [path for path in corpus.paths() if is_code(path)]
        texts, symbols, more = _outlined(corpus, code)
        unread |= more
        asked = symbol_questions(texts, symbols, many - len(found))
        found += (Proposal(each.query, each.at, each.name, each.category) for each in asked)
    return found, unread


def places_to_ask_for(corpus: Corpus, many: int = 5) -> list[Location]:
    """Return sections that somebody may write a case for, where none can be proposed."""
    pages, outlines, _ = _outlined(corpus, [path for path in corpus.paths() if is_asked_for(path)])
    return _places(PageQuestions(pages, outlines), many)


def _outlined(
    corpus: Corpus, paths: Iterable[str]
) -> tuple[dict[str, str], dict[str, Sequence[OutlineNode]], dict[str, str]]:
    """Return the texts and outlines of files, and why a file has none."""
    texts: dict[str, str] = {}
    outlines: dict[str, Sequence[OutlineNode]] = {}
    unread: dict[str, str] = {}
    for path in paths:
        texts[path] = corpus.text(path)
        try:
            outlines[path] = read_outline(path, texts[path]) or ()
        except FormatError as error:
            problem = error.problems[0]
            outlines[path] = ()
            unread[path] = f"{problem.found}; {problem.fix}" if problem.fix else problem.found
    return texts, outlines, unread


def _good(pages: PageQuestions, many: int) -> list[Proposal]:
    """Take the good questions page by page, and no others: whoever reads poor ones trusts none."""
    candidates = pages.found()
    matters = importance(pages.texts)
    chosen: list[PageQuestion] = []
    for least in (_GOOD, _FAIR):
        chosen = _spread([each for each in candidates if each.worth >= least], many, chosen, matters)
    return [
        Proposal(
            each.query,
            Location(path=each.section.path, heading=each.section.node.path),
            each.section.node.path[0],
        )
        for each in chosen
    ]


def _places(pages: PageQuestions, many: int) -> list[Location]:
    """Return sections with a text, one of each page, the pages that matter most first."""
    matters = importance(pages.texts)
    first: dict[str, PageSection] = {}
    for section in pages.sections:
        if section.said and is_asked_about(section.node.path):
            held = first.get(section.path)
            if held is None or (held.node.level == 1 and section.node.level > 1):
                first[section.path] = section
    paths = sorted(first, key=lambda path: (-matters[path], path))
    return [Location(path=path, heading=first[path].node.path) for path in paths[:many]]


def _spread(
    found: Iterable[PageQuestion], many: int, chosen: list[PageQuestion], matters: Mapping[str, float]
) -> list[PageQuestion]:
    """Take the best of each page, the pages that matter most first, then the second of each."""
    by_page: dict[str, list[PageQuestion]] = {}
    for each in sorted(found, key=lambda each: -each.worth):
        by_page.setdefault(each.section.path, []).append(each)
    pages = sorted(by_page, key=lambda path: (-by_page[path][0].worth - _MATTERS * matters[path], path))
    chosen = list(chosen)
    for _ in range(_A_PAGE):
        for path in pages:
            if len(chosen) >= many:
                return chosen
            taken = [each for each in chosen if each.section.path == path]
            best = next((each for each in by_page[path] if _is_new(each, chosen)), None)
            if best is not None and len(taken) < _A_PAGE:
                chosen.append(best)
                by_page[path].remove(best)
    return chosen


def _is_new(each: PageQuestion, chosen: Sequence[PageQuestion]) -> bool:
    """Check that nothing like it was chosen: another place, and other words."""
    return all(
        each.place != other.place and len(each.stems & other.stems) <= 0.5 * len(each.stems | other.stems)
        for other in chosen
    )
