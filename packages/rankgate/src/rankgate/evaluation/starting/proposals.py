"""Cases proposed from a corpus: sections as targets, and what a reader would ask for them.

They are a start, marked unreviewed: what people really type stands in a search log.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.evaluation.starting.pages import importance, is_asked_about, is_asked_for
from rankgate.evaluation.starting.prose import plain_text, sentences
from rankgate.evaluation.starting.questions import questions
from rankgate.evaluation.starting.readers_words import word_set
from rankgate.evaluation.starting.symbols import is_code, symbol_questions
from rankgate.model import Location
from rankgate.outline import read_outline
from rankgate.outline.nodes import own_end
from rankgate.truth.words import STOPWORDS, Stems, fold, name_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.starting.questions import Question
    from rankgate.outline.nodes import OutlineNode

ENOUGH = 5
"""Fewer cases decide no gate: so many are proposed even where only plain words of a section can be."""
_SENTENCES = 8
_EVERYWHERE, _FEW = 0.25, 10.0
_GOOD = 3.6
_FAIR = 2.9
_VERBATIM = 0.4
_BESIDE = 2.0
_IDENTIFIER = 1.6
_MATTERS = 0.3
_CAMEL = re.compile(r"\b[A-Z]?[a-z]+[A-Z]")
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


@dataclass(frozen=True, slots=True)
class _Section:
    path: str
    node: OutlineNode
    text: str
    said: tuple[str, ...]

    @property
    def titles(self) -> str:
        return " ".join(self.node.path)


@dataclass(frozen=True, slots=True)
class _Candidate:
    section: _Section
    query: str
    stems: frozenset[str]
    worth: float

    @property
    def place(self) -> tuple[str, tuple[str, ...]]:
        return self.section.path, self.section.node.path


def propose(corpus: Corpus, many: int = 10) -> tuple[list[Proposal], dict[str, str]]:
    """Propose cases, spread over the pages of a corpus, the same ones every time.

    The largest and most linked pages come first, with at most two cases each. Where there are no pages,
    symbols with a docstring are proposed.

    Returns:
        The cases, and why a file has no outline, by path: a syntax error, or an extra that is not installed.
    """
    pages, outlines, unread = _outlined(corpus, [path for path in corpus.paths() if is_asked_for(path)])
    found = _Pages(pages, outlines).proposals(many)
    if len(found) < ENOUGH:
        code = [path for path in corpus.paths() if is_code(path)]
        texts, symbols, more = _outlined(corpus, code)
        unread |= more
        asked = symbol_questions(texts, symbols, many - len(found))
        found += (Proposal(each.query, each.at, each.name, each.category) for each in asked)
    return found, unread


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


@dataclass
class _Pages:
    """The pages of a corpus, and what can be asked of their sections."""

    texts: dict[str, str]
    outlines: dict[str, Sequence[OutlineNode]]
    stems: Stems = field(default_factory=Stems)

    def proposals(self, many: int) -> list[Proposal]:
        """Take the good questions page by page, and plain words of sections where there are too few."""
        candidates = self._candidates()
        chosen: list[_Candidate] = []
        for least in (_GOOD, _FAIR):
            chosen = self._spread([each for each in candidates if each.worth >= least], many, chosen)
        for more in (candidates, self._by_words() if len(chosen) < ENOUGH else []):
            if len(chosen) < ENOUGH:
                chosen = self._spread(more, min(many, ENOUGH), chosen)
        return [
            Proposal(
                each.query,
                Location(path=each.section.path, heading=each.section.node.path),
                each.section.node.path[0],
            )
            for each in chosen
        ]

    @cached_property
    def sections(self) -> list[_Section]:
        found = []
        for path, text in self.texts.items():
            lines = text.split("\n")
            nodes = self.outlines[path]
            for node in nodes:
                if node.kind == "section":
                    own = lines[node.start : own_end(nodes, node)]
                    whole = "\n".join(lines[node.start - 1 : node.end])
                    found.append(_Section(path, node, whole, tuple(sentences(own)[:_SENTENCES])))
        return found

    @cached_property
    def everywhere(self) -> frozenset[str]:
        """The stems that tell sections apart no more, such as the name of the project."""
        counts = Counter(stem for each in self.sections for stem in self._content(" ".join(each.said)))
        most = max(_FEW, _EVERYWHERE * len(self.sections))
        return frozenset(stem for stem, count in counts.items() if count > most)

    @cached_property
    def _vague(self) -> frozenset[str]:
        return frozenset(map(self.stems, word_set("vague")))

    def _news(self, stems: frozenset[str], section: _Section) -> bool:
        """Check whether words say more than the titles of a section, be they written as one word or two."""
        squashed = "".join(name_words(section.titles))
        return any(stem not in squashed for stem in stems - self._vague - self.everywhere)

    def _content(self, text: str) -> frozenset[str]:
        return frozenset(self.stems(word) for word in name_words(text) if word not in STOPWORDS)

    def _candidates(self) -> list[_Candidate]:
        """Return what can be asked, without what two sections would answer."""
        found = [each for section in self.sections for each in self._asked(section)]
        often = Counter(query for query, _ in {(each.query, each.place) for each in found})
        return [each for each in found if often[each.query] == 1 and not self._elsewhere(each)]

    def _asked(self, section: _Section) -> Iterator[_Candidate]:
        """Return the questions that a section answers and that are more than its titles."""
        if not is_asked_about(section.node.path):
            return
        name, above = self._content(section.node.name), self._content(section.titles)
        for number, sentence in enumerate(section.said):
            for question in questions(sentence, section.node.name):
                stems = self._content(question.text)
                original = self._content(question.said)
                if not question.defines and len(stems) < 3:
                    continue
                shared, about = (original & titles - self.everywhere for titles in (name, above))
                if not self._news(original - above, section) or not stems - above:
                    continue
                repeated = _stands_in(question, section.text)
                if (repeated and question.defines) or _holds(section.text, question.text):
                    continue
                worth = question.worth + self._fit(shared, name, about, question)
                worth -= _IDENTIFIER * bool(_CAMEL.search(question.text))
                worth -= _VERBATIM * repeated
                worth += 0.8 / (1 + number)
                yield _Candidate(section, question.text, stems | original, worth)

    def _fit(
        self, shared: frozenset[str], name: frozenset[str], about: frozenset[str], question: Question
    ) -> float:
        """Return how much of a heading a question is about."""
        if question.defines:
            return 1.2
        if not about:
            # It may be said in passing: taken only where there is little else.
            return -_BESIDE
        of_name = len(shared) / len(name) if name else 0.0
        return 1.6 * of_name + 0.3 * min(len(about), 2)

    def _elsewhere(self, candidate: _Candidate) -> bool:
        """Check whether the titles of another section are nearer to a question than those of its own.

        What lies inside its own section does not count: whoever finds that has found it.
        """
        telling, every = (
            self._shared(stems) for stems in (candidate.stems - self.everywhere, candidate.stems)
        )
        section = candidate.section
        own = next(number for number, each in enumerate(self.sections) if each is section)
        inside = len(section.node.path)
        return any(
            (self.sections[number].path, self.sections[number].node.path[:inside]) != candidate.place
            and (
                telling[number] > telling[own]
                or (self.sections[number].node.name == section.node.name and every[number] >= every[own])
            )
            for number in every
        )

    def _shared(self, stems: frozenset[str]) -> Counter[int]:
        """Count the stems that the titles of each section have, by its position."""
        return Counter(number for stem in stems for number in self._titled.get(stem, ()))

    @cached_property
    def _titled(self) -> dict[str, list[int]]:
        """The positions of the sections that have a stem in their titles."""
        found: dict[str, list[int]] = {}
        for number, section in enumerate(self.sections):
            for stem in self._content(section.titles):
                found.setdefault(stem, []).append(number)
        return found

    def _by_words(self) -> list[_Candidate]:
        """Return sections with their title and the first words of their text that no title has."""
        found = []
        for section in self.sections:
            above = self._content(section.titles)
            words = [
                word
                for word in name_words(" ".join(section.said[:2]))
                if word not in STOPWORDS and self.stems(word) not in above and len(word) > 2
            ]
            if not words or not is_asked_about(section.node.path):
                continue
            titles = [section.node.name] if len(above) > 1 else [*section.node.path]
            query = " ".join(dict.fromkeys([*words[:2], *name_words(" ".join(titles))]))
            found.append(_Candidate(section, query, self._content(query), float(section.node.level > 1)))
        return [each for each in found if fold(each.query) not in fold(plain_text(each.section.text))]

    def _spread(self, found: Iterable[_Candidate], many: int, chosen: list[_Candidate]) -> list[_Candidate]:
        """Take the best of each page, the pages that matter most first, then the second of each."""
        matters = importance(self.texts)
        by_page: dict[str, list[_Candidate]] = {}
        for each in sorted(found, key=lambda each: -each.worth):
            by_page.setdefault(each.section.path, []).append(each)
        pages = sorted(by_page, key=lambda path: (-by_page[path][0].worth - _MATTERS * matters[path], path))
        chosen = list(chosen)
        for _ in range(_A_PAGE):
            for path in pages:
                if len(chosen) >= many:
                    return chosen
                taken = [each for each in chosen if each.section.path == path]
                best = next((each for each in by_page[path] if self._is_new(each, chosen)), None)
                if best is not None and len(taken) < _A_PAGE:
                    chosen.append(best)
                    by_page[path].remove(best)
        return chosen

    def _is_new(self, each: _Candidate, chosen: Sequence[_Candidate]) -> bool:
        """Check that nothing like it was chosen: another place, and other words."""
        return all(
            each.place != other.place and len(each.stems & other.stems) <= 0.5 * len(each.stems | other.stems)
            for other in chosen
        )


def _stands_in(question: Question, text: str) -> bool:
    """Check whether a text has the words of a question in their order: any search would find it."""
    return _holds(text, question.text.removeprefix("how to "))


def _holds(text: str, words: str) -> bool:
    return any(f" {fold(words)} " in f" {fold(each)} " for each in (text, plain_text(text)))
