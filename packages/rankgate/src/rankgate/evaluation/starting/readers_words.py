"""Words of documentation put into those of a reader: plainer, and from where the reader stands."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MINE = {"your": "my", "yours": "mine", "you": "I", "our": "my"}
_MANNER = re.compile(r"(?!apply|assembly|family|multiply|reply|supply)[a-z]{3,}ly")
_ARTICLES = frozenset(("a", "an", "the"))
_WORDS = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def word_set(name: str) -> frozenset[str]:
    """Return a list of ``words.toml``."""
    return frozenset(_WORDS[name].split())


def _table(name: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in _WORDS[name].split())
    return {word: plain.replace("_", " ") for word, _, plain in pairs}


_PLAIN_VERBS, _PLAIN_WORDS = _table("plain_verbs"), _table("plain_words")
_FILLERS, _LOOSE_ENDS = word_set("fillers"), word_set("loose_ends")
_PARTICIPLES, _FORMS_OF_BE = word_set("participles"), word_set("forms_of_be")


def _gerund(verb: str) -> str:
    """Return the form with -ing.

    >>> [_gerund(verb) for verb in ("serve", "run", "filter", "apply")]
    ['serving', 'running', 'filtering', 'applying']
    """
    if verb.endswith("e"):
        return f"{verb[:-1]}ing"
    return f"{verb}{verb[-1]}ing" if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]|wrap", verb) else f"{verb}ing"


def _third_person(verb: str) -> str:
    if re.search(r"[^aeiou]y\Z", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "ch", "sh", "ss")) else f"{verb}s"


_GERUNDS = {_gerund(verb): verb for verb in sorted(word_set("verbs"))}
_THIRD_PERSONS = {
    _third_person(verb): verb for verb in sorted(word_set("verbs") - word_set("said_of_things"))
}


_PAST = {
    "built": "build",
    "hidden": "hide",
    "read": "read",
    "run": "run",
    "sent": "send",
    "set": "set",
    "shown": "show",
    "split": "split",
    "written": "write",
}


def _participle(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y\Z", verb):
        return f"{verb[:-1]}ied"
    return f"{_gerund(verb)[:-3]}ed"


_PARTICIPLE_OF = {_participle(verb): verb for verb in sorted(word_set("verbs") - {"use", "call"})} | _PAST


def from_participle(word: str) -> str | None:
    """Return the verb of which a word is the passive form; None for others.

    >>> [from_participle(word) for word in ("applied", "stopped", "sent", "red")]
    ['apply', 'stop', 'send', None]
    """
    return _PARTICIPLE_OF.get(word)


def from_gerund(word: str) -> str | None:
    """Return the verb of which a word is the form with -ing; None for others.

    >>> from_gerund("serving"), from_gerund("string")
    ('serve', None)
    """
    return _GERUNDS.get(word)


def from_third_person(word: str) -> str | None:
    """Return the verb of which a word is what *it* does; None for others.

    >>> from_third_person("applies"), from_third_person("cookies")
    ('apply', None)
    """
    return _THIRD_PERSONS.get(word)


def readers_words(words: Sequence[str], *, task: bool) -> list[str]:
    """Return what a reader would say for these words.

    Args:
        words: As they are written.
        task: Whether they begin with a verb, for which a plainer one may stand.

    >>> readers_words(["Retrieve", "your", "additional", "settings"], task=True)
    ['get', 'my', 'extra', 'settings']
    >>> readers_words(["rules", "that", "govern", "an", "application", "sent"], task=False)
    ['rules', 'that', 'control', 'an', 'app']
    """
    found: list[str] = []
    verb = task
    for word in words:
        small = word.lower()
        if small in _FILLERS:
            continue
        plain = _MINE.get(small) or _PLAIN_WORDS.get(small)
        if verb and not small.endswith("ly"):
            # "enable the server to read" does not turn the server on.
            plain = None if small == "enable" and "to" in words else _PLAIN_VERBS.get(small)
            verb = False
        found += (_lower_first(word, first=not found) if plain is None else plain).split()
    found = _without_loose_end(found)
    for place, word in enumerate(found[:-1]):
        # What stood between an article and its noun may be gone.
        if word == "an" and found[place + 1][0].lower() not in "aeioh":
            found[place] = "a"
    if not task and found and found[0].lower() in _ARTICLES:
        del found[0]
    return found


def _lower_first(word: str, *, first: bool) -> str:
    return word.lower() if first and re.fullmatch(r"[A-Z][a-z]+", word) else word


def _without_loose_end(words: list[str]) -> list[str]:
    """Drop what a clause that was cut off leaves behind: a preposition, or a participle without its agent."""
    while words and (
        words[-1].lower() in _LOOSE_ENDS
        or _MANNER.fullmatch(words[-1])
        or (
            (words[-1].endswith("ed") or words[-1].lower() in _PARTICIPLES)
            and len(words) > 1
            and words[-2].lower() not in _FORMS_OF_BE
        )
    ):
        words = words[:-1]
    return words
