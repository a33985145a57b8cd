"""What a run answers: which questions, over which corpus, by which system, how deep; in words, what differs.

Judgments, gates, metrics and notes do not belong to it: if they change, saved results are scored again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.model import canonical_json, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DIGEST = re.compile(r"[0-9a-f]{16,64}")
_LONGEST = 60
_MOST = 6
_UNSET = object()


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What makes the answers of a run its own.

    >>> before = RunIdentity("app", contents={"app.py": "0" * 16, "Python": "3.11.4"}, k=10)
    >>> now = RunIdentity("app", contents={"app.py": "1" * 16, "Python": "3.12.1"}, k=20)
    >>> before.differences(now)
    ('app.py was changed', 'Python was 3.11.4 and is 3.12.1', 'k was 10 and is 20')
    """

    system: str
    """The name of the system."""
    version: str | None = None
    """Its version, where it tells one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Its options, without secrets."""
    contents: Mapping[str, str] | None = None
    """What its answers are made of, each with a digest or a version; None where the run does not tell."""
    questions: str | None = None
    """The fingerprint of all questions; None where the run does not tell."""
    corpus: str | None = None
    """The fingerprint of the corpus that hits were located in."""
    rules: str | None = None
    """The fingerprint of the rules by which ids become locations."""
    k: int | None = None
    """How many hits were asked for; None where that differs from question to question."""

    def differences(self, now: RunIdentity) -> tuple[str, ...]:
        """Return in words what is not as it was: this is before, the other now."""
        return (*self.system_differences(now), *self.asking_differences(now))

    def system_differences(self, now: RunIdentity) -> tuple[str, ...]:
        """Return in words what of the system is not as it was."""
        words = [*_changed("the system", self.system, now.system)]
        words += _changed("the version of the system", self.version, now.version)
        before, after = dict(_flat(self.options)), dict(_flat(now.options))
        for name in sorted(before.keys() | after.keys()):
            words += _changed(f"option {name}", before.get(name, _UNSET), after.get(name, _UNSET))
        if self.contents is None and now.contents is not None:
            words.append("the run does not tell what its system was made of")
        elif self.contents is not None:
            words += _content_differences(self.contents, now.contents or {})
        return tuple(words)

    def asking_differences(self, now: RunIdentity) -> tuple[str, ...]:
        """Return in words what of the questions, the corpus and the depth is not as it was."""
        words = []
        if None not in (self.questions, now.questions) and self.questions != now.questions:
            words.append(OTHER_QUESTIONS)
        if self.corpus != now.corpus:
            words.append("the corpus was changed")
        if self.rules != now.rules:
            words.append("the map of the suite was changed")
        return (*words, *_changed("k", self.k, now.k))


OTHER_QUESTIONS = "the questions were changed"
"""What is said of questions that are others, where it is not known which."""


def listed(words: Iterable[str]) -> str:
    """Join differences to one line, of which a person reads the first few.

    >>> listed(["a.py was changed", "k was 10 and is 20"])
    'a.py was changed, k was 10 and is 20'
    """
    every = list(words)
    more = [f"and {len(every) - _MOST} more"] if len(every) > _MOST else []
    return ", ".join([*every[:_MOST], *more])


def question_digest(text: str, filters: Mapping[str, str | tuple[str, ...]], k: int | None = None) -> str:
    """Name a question by what is asked: its text, its filters and, where it has one of its own, its depth.

    >>> question_digest("rotate", {"lang": "py"}) == question_digest("rotate", {"lang": ("py",)})
    True
    """
    every = {name: [one] if isinstance(one, str) else list(one) for name, one in filters.items()}
    whole = f"{canonical_json(every) if every else ''}\0{'' if k is None else k}\0{text}"
    return hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:24]


def questions_fingerprint(digests: Iterable[str]) -> str:
    """Name all questions of a suite, whatever they are called and in whatever order they stand."""
    return fingerprint(sorted(digests))


def _changed(what: str, before: object, now: object) -> Iterator[str]:
    if _UNSET not in (before, now) and fingerprint(before) == fingerprint(now):
        return
    if before is not now:
        yield f"{what} was {_shown(before)} and is {_shown(now)}"


def _content_differences(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({**before, **now}, key=lambda one: (one.startswith("$"), one not in before)):
        was, is_ = before.get(name), now.get(name)
        if was == is_:
            continue
        variable = name.startswith("$")
        if was is None:
            yield f"{name} was not set" if variable else f"{name} was added"
        elif is_ is None:
            yield f"{name} is not set any more" if variable else f"{name} is gone"
        elif variable:
            yield f"{name} has another value"
        elif _DIGEST.fullmatch(was) or _DIGEST.fullmatch(is_):
            yield f"{name} was changed"
        else:
            yield f"{name} was {was} and is {is_}"


def _flat(options: Mapping[str, Any], under: str = "") -> Iterator[tuple[str, object]]:
    for name, value in options.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{under}{name}.")
        else:
            yield f"{under}{name}", value


def _shown(value: object) -> str:
    if value is _UNSET or value is None:
        return "not set"
    text = value if isinstance(value, str) and value.isidentifier() else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
