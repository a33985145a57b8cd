"""What can be asked of the sections of pages, and how good each question is.

A question is good that says what it is about, that its own section answers and no other, that shows how
something is done, and that is not the heading again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.evaluation.starting.pages import is_asked_about, is_lesson
from rankgate.evaluation.starting.prose import code_of, plain_text, sentences, shown
from rankgate.evaluation.starting.questions import questions
from rankgate.evaluation.starting.readers_words import word_set
from rankgate.evaluation.starting.section_index import SectionIndex
from rankgate.evaluation.starting.subjects import subjects
from rankgate.outline.nodes import own_end
from rankgate.truth.words import STOPWORDS, Stems, fold, name_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.evaluation.starting.questions import Question
    from rankgate.outline.nodes import OutlineNode

_SENTENCES = 8
_LEAST, _LONGEST = 3, 14
_EVERYWHERE, _FEW = 0.25, 10.0
_VERBATIM = 0.4
_DEFINES, _EARLY = 1.2, 0.8
_FIRST, _BESIDE = 0.5, 2.0
_IDENTIFIER, _ENTRY = 1.6, 0.8
_UNSHOWN, _LESSON, _APPENDIX = 1.2, 0.6, 0.4
_LEAD, _AHEAD, _FAR = 1.0, 1.5, 0.6
_ADDED, _MISSING = 0.3, 2.0
_MOST_OF_IT = 2 / 3
_LATER = re.compile(r"(?<=\w )[A-Za-z]+")
# Entries of a reference: DNS_RESOLVER, capture="sys" (default).
_ENTRY_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\S*[=_]\S*(?: \(\w+\))?")
_CAMEL = re.compile(r"\b[A-Z]?[a-z]+[A-Z]")


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of a page, with what questions are made of."""

    path: str
    """The file."""
    node: OutlineNode
    """Where it stands in the outline."""
    text: str
    """All of it, with what lies inside."""
    own: str
    """The text before the first heading inside."""
    said: tuple[str, ...]
    """The first sentences of that."""
    shown: float
    """How much it shows how something is done, from 0 to 1."""

    @property
    def titles(self) -> str:
        """The titles down to this one."""
        return " ".join(self.node.path)


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """What may be asked of a section."""

    section: PageSection
    """Where the answer stands."""
    query: str
    """What to ask."""
    stems: frozenset[str]
    """The stems of it, in a reader's words and in those of the text."""
    worth: float
    """How good it is: the higher the better."""

    @property
    def place(self) -> tuple[str, tuple[str, ...]]:
        """The section, as something to compare."""
        return self.section.path, self.section.node.path


@dataclass
class PageQuestions:
    """The pages of a corpus, and what can be asked of their sections."""

    texts: dict[str, str]
    """The text of each file."""
    outlines: dict[str, Sequence[OutlineNode]]
    """The outline of each file."""
    stems: Stems = field(default_factory=Stems)
    """The stems of words."""

    @cached_property
    def sections(self) -> list[PageSection]:
        """The sections of all pages."""
        found = []
        for path, text in self.texts.items():
            lines = text.split("\n")
            nodes = self.outlines[path]
            for node in nodes:
                if node.kind == "section":
                    own = lines[node.start : own_end(nodes, node)]
                    whole = "\n".join(lines[node.start - 1 : node.end])
                    said = tuple(sentences(own)[:_SENTENCES])
                    found.append(PageSection(path, node, whole, "\n".join(own), said, shown(own)))
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

    def _news(self, question: Question, stems: frozenset[str], section: PageSection) -> bool:
        """Check whether words say more than the titles of a section, be they written as one word or two."""
        squashed = "".join(name_words(section.titles))
        manner = {self.stems(word) for word in name_words(question.said) if word.endswith("ly")}
        told = stems - self._vague - self.everywhere - manner
        return any(stem not in squashed for stem in told) and bool(
            self._content(question.text) - self._content(section.titles)
        )

    def _content(self, text: str) -> frozenset[str]:
        return frozenset(self.stems(word) for word in name_words(text) if word not in STOPWORDS)

    def found(self) -> list[PageQuestion]:
        """Return what can be asked, without what two sections would answer."""
        found = [each for number, _ in enumerate(self.sections) for each in self._asked(number)]
        often = Counter(query for query, _ in {(each.query, each.place) for each in found})
        return [each for each in found if often[each.query] == 1]

    def _asked(self, number: int) -> Iterator[PageQuestion]:
        """Return the questions that a section answers and that are more than its titles."""
        section = self.sections[number]
        if not is_asked_about(section.node.path):
            return
        for place, sentence in enumerate(section.said):
            for question in questions(sentence, section.node.name):
                original = self._content(question.said)
                if not self._is_asked(question, original, number):
                    continue
                query, missing = question.text, 0.0
                if not question.defines:
                    query, missing = self._completed(question, original, section)
                stems = original | self._content(query)
                if self._repeats_heading(query, original, section):
                    continue
                lead = self.index.lead(stems, number, self._inside(section))
                if lead >= _LEAD:
                    worth = self._worth(question, original, section, place) - missing
                    worth += _AHEAD * min(lead - 1, _FAR)
                    yield PageQuestion(section, query, stems, worth)

    def _is_asked(self, question: Question, original: frozenset[str], number: int) -> bool:
        """Check whether a question says enough, and neither its heading, its example nor its text again."""
        section = self.sections[number]
        news = original - self._content(section.titles)
        if not question.defines and len(self._content(question.text)) < _LEAST:
            return False
        if not self._news(question, news, section) or self._of_example(news, section):
            return False
        repeated = question.defines and _stands_in(question, section.text)
        return not repeated and not _holds(section.text, question.text)

    def _worth(self, question: Question, original: frozenset[str], section: PageSection, place: int) -> float:
        """Return how good a question is, by how it was said and by how its section answers it."""
        worth = question.worth + self._fit(question, original, section, place) + _EARLY / (1 + place)
        worth -= _IDENTIFIER * bool(_CAMEL.search(question.text))
        worth -= _VERBATIM * _stands_in(question, section.text)
        worth -= _UNSHOWN * (1 - section.shown) + _LESSON * is_lesson(section.path)
        # What an appendix lists, a chapter mostly explains.
        worth -= _APPENDIX * section.node.path[0].startswith("Appendix")
        return worth - _ENTRY * bool(_ENTRY_NAME.fullmatch(section.node.name))

    def _repeats_heading(self, query: str, original: frozenset[str], section: PageSection) -> bool:
        """Check whether a question is a heading of several words and one word more: titles would find it.

        A plainer word for one of the text is no further word.
        """
        asked, own = self._content(query), self._content(section.node.name.lower())
        more = (asked & original) - own - self._vague - self.everywhere
        return len(own) > 1 and len(own & (asked | original)) >= _MOST_OF_IT * len(own) and len(more) < 2

    def _of_example(self, news: frozenset[str], section: PageSection) -> bool:
        """Check whether a question has a name of the section's example: hardly any other section has it."""
        alone = {stem for stem in news if self.index.is_almost_unique(stem)}
        return bool(alone and alone & self._content(code_of(section.own.split("\n"))))

    def _names_subject(self, asked: frozenset[str], section: PageSection) -> bool:
        """Check whether a question says what it is about: two words of titles, one of them rare."""
        titles = self._content(section.titles) | self._content(PurePosixPath(section.path).stem)
        own = self._content(section.node.name)
        about = asked & titles - self.everywhere - self._vague
        rare = any(self.index.is_rare(stem) for stem in about)
        if self._often[section.node.name] > 1:
            # The same heading stands elsewhere: its words do not tell which.
            about -= own
        elif len(own) > 1 and own <= asked and len(asked - self._vague) > 2:
            return True
        return (len(about) > 1 and (rare or len(about) > 2)) or (rare and len(asked - self._vague) > 3)

    def _completed(
        self, question: Question, asked: frozenset[str], section: PageSection
    ) -> tuple[str, float]:
        """Return a question with its subject, and how much less it is worth than one that named it.

        Where it named it, only what the heading adds is said: *in lock files*.
        """
        named = self._names_subject(asked, section)
        squashed = "".join(name_words(question.said))
        for phrase in subjects(section.path, section.node.path, self._names):
            preposition, _, thing = phrase.partition(" ")
            if named and f" {fold(phrase)} " not in f" {fold(section.node.name)} ":
                break
            stems = self._content(thing)
            said = [word for word in name_words(thing) if word in squashed]
            if not stems - self.everywhere - self._vague or stems & asked or said:
                continue
            if f" {preposition} " in question.text or not self._is_said(phrase, section):
                continue
            query = f"{question.text} {phrase}"
            if len(query.split()) <= _LONGEST and not _holds(section.text, query):
                return query, _ADDED
        if named:
            return question.text, 0.0
        return question.text, _MISSING * (1 if len(asked - self._vague - self.everywhere) < 3 else 0.3)

    def _is_said(self, phrase: str, section: PageSection) -> bool:
        """Check whether a title is a phrase that people use: then it stands in the text of the pages."""
        preposition, _, thing = phrase.partition(" ")
        if preposition == "when" or f" {fold(phrase)} " in f" {fold(section.node.name)} ":
            return True
        name = " " in thing or thing[0].isupper() or preposition == "in"
        return name and self._prose.count(f" {fold(thing)} ") > 1

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(each.node.name for each in self.sections)

    @cached_property
    def _prose(self) -> str:
        return " ".join(f" {fold(' '.join(each.said))} " for each in self.sections)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The words that sentences have with a capital where none is due."""
        words = Counter(word for each in self.sections for said in each.said for word in _LATER.findall(said))
        return frozenset(
            word for word, count in words.items() if word[0].isupper() and count > words[word.lower()]
        )

    def _inside(self, section: PageSection) -> Callable[[int], bool]:
        """Return a check of what lies inside a section: whoever finds that has found it."""
        place, depth = (section.path, section.node.path), len(section.node.path)

        def inside(number: int) -> bool:
            other = self.sections[number]
            return (other.path, other.node.path[:depth]) == place

        return inside

    def _fit(self, question: Question, original: frozenset[str], section: PageSection, place: int) -> float:
        """Return how much of a heading a question is about."""
        if question.defines:
            return _DEFINES
        telling, name = original - self.everywhere, self._content(section.node.name)
        about = telling & self._content(section.titles)
        if not about:
            # The first sentence says what a section is for; another may say it in passing.
            return _FIRST if place == 0 else -_BESIDE / (2 if place == 1 else 1)
        return (len(telling & name) / len(name) if name else 0.0) + 0.5 * min(len(about), 2)

    @cached_property
    def index(self) -> SectionIndex:
        """The sections as a search by words sees them."""
        return SectionIndex(
            [self._content(each.titles) for each in self.sections],
            [
                [self.stems(word) for word in name_words(each.own) if word not in STOPWORDS]
                for each in self.sections
            ],
        )


def _stands_in(question: Question, text: str) -> bool:
    """Check whether a text has the words of a question in their order: any search would find it."""
    return _holds(text, question.text.removeprefix("how to "))


def _holds(text: str, words: str) -> bool:
    return any(f" {fold(words)} " in f" {fold(each)} " for each in (text, plain_text(text)))
