"""Sentences of a section turned into what a reader would type who has not read it.

A reader comes with a task ("send mail after the response") or with a thing whose name is not known ("rules
that say how memory is handled"). Documentation says both in a few usual ways: *if you want to …*, *lets you
…*, *to …, use …*, and *X is a … that …*. What stands in such a place is taken, cut where the clause ends,
put into plainer words, and left alone where it points at something else on the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.evaluation.starting.readers_words import (
    from_gerund,
    from_participle,
    from_third_person,
    readers_words,
    word_set,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_WISH = r"(?:want|wants|need|needs|wish|would like|['’]d like|have)"
_WHO = r"(?:you|we|one|users?|developers?|applications?|programs?|people|someone)"
_WHOM = rf"(?:{_WHO}|your \w+|the user)"
_OFTEN = (
    r"(?: \w+ly| may| might| will| also| just| only| often| sometimes| then| even| always| either| instead)*"
)
_USED = (
    r"(?:used|useful|handy|possible|intended|designed|recommended|helpful|convenient|"
    r"(?:a|the|an|one)(?: \w+)? way)"
)
_THING = (
    r"(?:way|ability|option|function|method|command|tool|mechanism|helper|utility|means|hook|class|"
    r"interface)"
)
_ASKED = (
    r"(?:you|we|use|call|pass|set|add|run|create|simply|just|first|define|write|specify|provide|make|put|"
    r"apply)"
)
_CLAUSE = r"(?:^|[,;:—] ?|\b(?:say|because|since|and|but|then|in \w+ cases) )"
_CAN = rf"\byou can{_OFTEN}"
_TASKS: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (worth, re.compile(pattern, re.IGNORECASE))
    for worth, pattern in (
        (3.0, rf"\b(?:if|when|whenever|suppose|say|sometimes|often) {_WHO}{_OFTEN} {_WISH} to (?P<task>.+)"),
        (3.0, r"\bhow (?:to|you can|do you|can you|do i|can i) (?P<task>.+)"),
        (2.6, rf"^(?:in order )?to (?P<task>[^,]+), (?:{_ASKED}|the|\w+ (?:provides|has|uses))\b.*"),
        (2.6, rf"\b(?:allow|let|enable|permit|help)(?:s|ing)? {_WHOM} (?:to )?(?P<task>.+)"),
        # Behind a noun it would be a relative clause, whose verb has its object elsewhere.
        (2.4, rf"{_CLAUSE}{_WHO}(?:['’]ll|['’]d)?{_OFTEN} {_WISH} to (?:be able to )?(?P<task>.+)"),
        (2.2, rf"(?:\b(?:is|are|be|being|been|it['’]s|was){_OFTEN} {_USED}|^used) to (?P<task>.+)"),
        (2.2, r"^(?:use|call|add|run|import) .{2,60}? to (?P<task>.+)"),
        (2.0, r"\b(?:in order to|makes? it (?:easy|easier|possible|simple) to) (?P<task>.+)"),
        (2.0, rf"\b(?:an?|the|this) (?:\w+ ){{0,2}}{_THING} to (?P<task>.+)"),
        (1.8, rf"{_CAN} (?P<task>.+?) (?:by|using|with|via|through) .+"),
        (1.6, rf"\byou (?:can|may){_OFTEN} (?P<task>.+)"),
    )
)
_KINDS = (
    rf"{_USED}|responsible|{_THING}s?|support|utilities|tools|classes|\w*[Mm]iddleware|library|package|"
    r"syntax|code"
)
_FOR = re.compile(
    rf"\b(?:(?:{_KINDS}) (?:for|of)|\w+ for|allows?(?: for)?|supports?) (?P<verb>[a-z]+ing) (?P<rest>.+)"
)
_DOES = re.compile(
    r"^(?P<subject>(?:[\w.@:-]+ ){0,5}?)(?:also |automatically )?(?P<verb>[A-Za-z]+s) (?P<rest>.+)"
)
_BY_ITSELF = re.compile(r"\b(?:automatically|internally|behind the scenes|by default)\b", re.IGNORECASE)
_DONE = re.compile(
    r"^(?P<subject>(?:an? |the |your )?(?:[\w-]+ ){1,4}?)(?:can|may|should|must)(?: \w+ly| also| then)? be "
    r"(?P<verb>[a-z]+) (?P<rest>.+)",
    re.IGNORECASE,
)
_WHO_ALONE = re.compile(
    r"(?:this|that|it|which|who|these|there|here|he|she|and|but|what|how|if|when|in|on|for|as|of)\b.*",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^(?P<subject>[^,;:]{2,60}?) (?:is|are)(?: simply| just| basically| essentially)? "
    r"(?P<what>(?:an?|the) .+)",
    re.IGNORECASE,
)
_STOP = r"[,;:()…—–\"“”]|\.(?:\s|\Z)|\.\.\.|[!?]|\s-\s| -- "
_DEFINITION_END = re.compile(
    rf"\s*(?:{_STOP}|\b(?:because|since|whereas|while|although|but|see|such as|for example|so that|"
    r"rather than)\b)",
    re.IGNORECASE,
)
_TASK_END = re.compile(
    rf"\s*(?:{_STOP}|\b(?:by|using|via|so that|because|since|which|whereas|while|although|though|but|if|"
    r"unless|until|you|we|please|see|as well|as a whole|as follows|rather than|instead of|like this|like so|"
    r"such as|for example|then|where|it['’]s|that['’]s|(?:in|at|with|for|to|on) this|"
    r"and (?:then|use|run|call|add|you)|in case|in order|to do so|as \w+ed|"
    r"(?:with|in|through|on) (?:the |an? |this )?[\w-]+ "
    r"(?:option|method|function|parameter|argument|flag|decorator|attribute|keyword)s?|through|due to|"
    r"based on|depending on|based upon|without having|without needing|during development|in general|at all|"
    r"at once|as needed|as \w+ as)\b)",
    re.IGNORECASE,
)
_POINTING = word_set("pointing")
_POINTING_TASK = _POINTING | word_set("pointing_tasks")
_NO_VERB, _NO_OBJECT, _TOOLS = word_set("no_verbs"), word_set("no_objects"), word_set("tools")
_FINITE, _OPENERS = word_set("finite"), word_set("openers")
_TURNED_BACK = re.compile(r"\bnot (?:when|only|just|if)\b|\b(?:however|nor)\b")
_OF_A_TOOL = re.compile(r"\b(?:argument|class|function|method|object|option|parameter|value)s? used\b")
_PRACTICE = re.compile(
    r"(?:an?|the) (?:act|art|method|practice|process|task|technique|way) (?:of|for) "
    r"(?P<verb>\w+ing) (?P<rest>.+)"
)
_WITH = frozenset(("communicate", "deal", "experiment", "integrate", "interact", "interface", "work"))
_VERBS = word_set("verbs")
_INDEFINITE, _DONE_BY_THINGS = word_set("indefinite"), word_set("done_by_things")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’+#-]*")
# Where a text says "we" or gives an example, it tells a story of which readers know nothing.
_STORY = re.compile(r"\b(?:we|our|let['’]s|for example|for instance|imagine|suppose)\b", re.IGNORECASE)
_TOLD = 0.7
# A sentence that sends its readers elsewhere does not answer them.
_SENDS = re.compile(
    r"\b(?:see|refer to|referred to|consult|check out|described in|covered in|explained in|discussed in|"
    r"documented in|learn (?:more )?about|read (?:more )?about|more (?:information|details?) (?:on|about|in)|"
    r"look at|find out more|have a look|"
    r"(?:you|we)(?: have|['’]ve)? (?:saw|seen|learned|discussed|mentioned|talked))\b",
    re.IGNORECASE,
)
_OWNERS = re.compile(r"s['’](?!\w)")
_CODE = re.compile(r"[^\w\s'’/+#.-]|\w[./_]\w|--|_|\d|/")


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader would type."""

    text: str
    """In a reader's words."""
    said: str
    """The same in the words of the text."""
    worth: float
    """How sure the way it was said is about what it is."""
    defines: bool = False
    """Whether it describes the thing that the heading names."""


def questions(sentence: str, heading: str) -> Iterator[Question]:
    """Return what readers would ask to whom a sentence is the answer.

    >>> [each.text for each in questions("If you want to emit a custom signal, call send.", "Signals")]
    ['how to send a custom signal']
    >>> [each.text for each in questions("Ownership is a set of rules that govern memory use.", "Ownership")]
    ['set of rules that control memory use']
    """
    asked = set()
    if _SENDS.search(sentence):
        return
    told = _TOLD if _STORY.search(sentence) else 0.0
    said = [(worth, found["task"]) for worth, pattern in _TASKS if (found := pattern.search(sentence))]
    for worth, task in (*said, *_turned(sentence, heading)):
        question = _task(task, worth - told)
        if question is not None and question.text not in asked:
            asked.add(question.text)
            yield question
    found = _IS.search(sentence)
    if found is not None and _same(found["subject"], heading):
        practice = _PRACTICE.match(found["what"])
        verb = None if practice is None else from_gerund(practice["verb"])
        question = (
            _definition(found["what"])
            if verb is None or practice is None
            else _task(f"{verb} {practice['rest']}", 2.2)
        )
        if question is not None:
            yield question


def _turned(sentence: str, heading: str) -> Iterator[tuple[float, str]]:
    """Return the tasks that a sentence names in another form of the verb: with -ing, -s or in the passive."""
    found = _FOR.search(sentence)
    verb = None if found is None else from_gerund(found["verb"].lower())
    if found is not None and verb is not None and verb not in _DONE_BY_THINGS:
        yield 2.0, f"{verb} {found['rest']}"
    # What is done without the reader is no task.
    found = None if _BY_ITSELF.search(sentence) else _DOES.search(sentence)
    verb = None if found is None else from_third_person(found["verb"].lower())
    if found is not None and verb is not None and _names(found["subject"], heading):
        # Behind a plural such as "schedules" the verb is still to come.
        following = found["rest"].split(" ")[0].lower()
        if from_third_person(following) is None and following not in _NO_OBJECT | _FINITE | {"for", "used"}:
            yield 1.8, f"{verb} {found['rest']}"
    found = _DONE.search(sentence)
    verb = None if found is None else from_participle(found["verb"].lower())
    if found is not None and verb is not None and not _WHO_ALONE.fullmatch(found["subject"]):
        subject = found["subject"].strip()
        first, _, more = subject.partition(" ")
        yield 2.0, f"{verb} {first.lower() if first.istitle() else first} {more} {found['rest']}"


def _names(subject: str, heading: str) -> bool:
    """Check whether the subject of a sentence is left out, or is what the heading is about."""
    words = {word.lower().rstrip("s") for word in _WORD.findall(subject)} - {"a", "an", "the"}
    return not words or bool(words & {word.lower().rstrip("s") for word in _WORD.findall(heading)})


def _task(text: str, worth: float) -> Question | None:
    words = _clause(text, _TASK_END, _POINTING_TASK | _INDEFINITE)
    while words and words[0].lower() in ("now", "then"):
        del words[0]
    small = [word.lower() for word in words]
    if not words or _OF_A_TOOL.search(text) or _is_no_task(small) or _lacks_object(small):
        return None
    asked = readers_words(words, task=True)
    if small[0] in ("use", "call") and asked and asked[-1].lower() in _TOOLS:
        return None
    return Question(f"how to {' '.join(asked)}", " ".join(words), worth) if 3 <= len(asked) <= 10 else None


def _is_no_task(words: list[str]) -> bool:
    """Check whether words begin with no verb, or have the verb of another clause or a second task."""
    finite = any(word in _FINITE and not _OPENERS & set(words[:number]) for number, word in enumerate(words))
    return (
        finite
        or words[0] in _NO_VERB
        or words[0].endswith("ing")
        or bool(_OPENERS & set(words[1:2]))
        or ("between" in words and "and" not in words)
        or any(map(_joins, words, words[1:]))
        or _TURNED_BACK.search(" ".join(words)) is not None
    )


def _lacks_object(words: list[str]) -> bool:
    """Check whether a verb stands without what it is done to, which was named before."""
    following = words[1] if len(words) > 1 else ""
    return following in _NO_OBJECT or (following == "with" and words[0] not in _WITH)


def _joins(word: str, following: str) -> bool:
    """Check whether a second task begins: a query has one intent."""
    return word in ("and", "or") and following in _VERBS


def _definition(text: str) -> Question | None:
    words = _clause(text, _DEFINITION_END, _POINTING)
    asked = readers_words(words, task=False)
    if not 5 <= len(asked) <= 13 or "I" in asked:
        return None
    return Question(" ".join(asked), " ".join(words), 2.2, defines=True)


def _clause(text: str, end: re.Pattern[str], pointing: frozenset[str]) -> list[str]:
    """Return the words up to the end of the clause; none where it has code or points elsewhere."""
    cut = end.search(text)
    if cut and cut[0].strip() in ("since", "where"):
        # What is cut off here says which one is meant.
        return []
    clause = text[: cut.start()] if cut else text
    words = _WORD.findall(clause)
    return (
        []
        if _CODE.search(clause) or _OWNERS.search(clause) or pointing & {word.lower() for word in words}
        else words
    )


def _same(subject: str, heading: str) -> bool:
    """Check whether the subject of a sentence is what a heading names, singular or plural."""
    said, named = (
        [word.lower().rstrip("s") for word in _WORD.findall(text) if word.lower() not in ("a", "an", "the")]
        for text in (subject, heading)
    )
    return bool(said) and said == named
