r"""What a model judge answered: ``{"grade": 2, "reason": "…"}``, or ``"unsure"`` for a grade.

Nothing is guessed: whatever is not such an object is an error that says what was found. A code fence around
all of the object is taken off, as many models cannot be kept from writing one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, ClassVar, NoReturn

from rankgate.errors import Code, Problem, SystemFailedError
from rankgate.io.secrets import hidden
from rankgate.reports.text.printable import printable
from rankgate.systems.adapter.failures import shown, told

if TYPE_CHECKING:
    from collections.abc import Sequence

UNSURE = "unsure"
"""What a judge says who cannot tell."""
MOST_ANSWER = 100_000
"""How many characters an answer has at most."""
MOST_REASON = 1_000
"""How many characters of a reason are kept."""
_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)
_KEYS = ("grade", "reason")
_SHOWN = 80


class WrongAnswerError(SystemFailedError):
    """An answer that is none."""

    default_code: ClassVar[Code] = Code.WRONG_ANSWER


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a judge said once."""

    grade: int | None
    """The grade; None where it is not sure."""
    reason: str = ""
    """Why, in its words, made safe to show."""


def read_answer(found: object, grades: Sequence[int]) -> ModelAnswer:
    r"""Read an answer: an object, or the JSON of one.

    Args:
        found: What came back.
        grades: What may be given.

    >>> read_answer('{"grade": 2, "reason": "names the\\ncommand"}', (0, 1, 2, 3))
    ModelAnswer(grade=2, reason='names the command')

    Raises:
        WrongAnswerError: for anything else.
    """
    value = _parsed(found) if isinstance(found, str) else found
    if not isinstance(value, Mapping):
        _refuse("answer", _told(value), _expected(grades))
    if unknown := [key for key in value if key not in _KEYS]:
        _refuse("answer", f"the key {_told(unknown[0])}", "grade and reason alone")
    if "grade" not in value:
        _refuse("answer", "no grade", _expected(grades))
    reason = value.get("reason", "")
    if not isinstance(reason, str):
        _refuse("answer.reason", _told(reason), "a text")
    said = hidden(" ".join(reason[: 4 * MOST_REASON].split()))
    return ModelAnswer(_grade(value["grade"], grades), printable(said, MOST_REASON))


def _grade(found: object, grades: Sequence[int]) -> int | None:
    if isinstance(found, str) and found == UNSURE:
        return None
    # True is a 1 to Python, and no grade.
    if not isinstance(found, (int, float)) or isinstance(found, bool) or found not in grades:
        _refuse("answer.grade", _told(found), f"one of {_listed(grades)} or {UNSURE!r}")
    return int(found)


def _parsed(text: str) -> object:
    if len(text) > MOST_ANSWER:
        _refuse("answer", f"{len(text):,} characters", f"{MOST_ANSWER:,} at most")
    bare = text.strip()
    fenced = _FENCE.fullmatch(bare)
    try:
        return json.loads(fenced[1] if fenced else bare, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        start = printable(f"str {hidden(bare)!r}", _SHOWN) if bare else "nothing"
        _refuse("answer", f"{start} ({told(error)})", 'JSON such as {"grade": 2, "reason": "…"}')


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text}, which is no JSON")


def _told(value: object) -> str:
    """Format a value; secrets are hidden before it is cut, as half of one is not known any more."""
    if value is None or isinstance(value, (bool, int, float)):
        return shown(value)
    try:
        text = hidden(repr(value))
    except Exception:  # noqa: BLE001 - what a function returned may refuse to be shown in any way it likes
        text = ""
    return printable(f"{type(value).__name__} {text}".strip(), _SHOWN)


def _expected(grades: Sequence[int]) -> str:
    return f"an object with grade ({_listed(grades)} or {UNSURE!r}) and reason"


def _listed(grades: Sequence[int]) -> str:
    return ", ".join(map(str, grades))


def _refuse(where: str, found: str, expected: str) -> NoReturn:
    raise WrongAnswerError(Problem(where, found, expected))


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """What a judge said of a passage over all repeats.

    >>> ModelOpinion((ModelAnswer(2), ModelAnswer(1), ModelAnswer(None))).grade
    1
    >>> ModelOpinion((ModelAnswer(3), ModelAnswer(1), ModelAnswer(2))).apart
    2
    """

    answers: tuple[ModelAnswer, ...]
    """One for each repeat, in order."""

    @property
    def grade(self) -> int | None:
        """The median of the grades, the lower of two; None where half of the repeats or more are not sure."""
        found = sorted(one.grade for one in self.answers if one.grade is not None)
        return found[(len(found) - 1) // 2] if 2 * len(found) > len(self.answers) else None

    @property
    def reason(self) -> str:
        """The reason of the first repeat that said so, and what each said where they differ."""
        first = next((one.reason for one in self.answers if one.grade == self.grade), "")
        if len({one.grade for one in self.answers}) == 1:
            return first
        said = ", ".join(UNSURE if one.grade is None else str(one.grade) for one in self.answers)
        return f"{first} [repeats: {said}]".strip()

    @property
    def apart(self) -> int:
        """How far the grades of the repeats are apart."""
        found = [one.grade for one in self.answers if one.grade is not None]
        return max(found) - min(found) if found else 0


def repeat_words(opinions: Sequence[ModelOpinion]) -> str:
    """Format how far repeats differ; nothing where nothing was repeated.

    >>> repeat_words([ModelOpinion((ModelAnswer(2), ModelAnswer(1))), ModelOpinion((ModelAnswer(0),) * 2)])
    'repeats disagree on 1 of 2 passages; 0.50 grades apart on average, 1 at most'
    """
    several = [one for one in opinions if len(one.answers) > 1]
    if not several:
        return ""
    differ = sum(len({answer.grade for answer in one.answers}) > 1 for one in several)
    apart = [one.apart for one in several]
    return (
        f"repeats disagree on {differ} of {len(several):,} passages; "
        f"{mean(apart):.2f} grades apart on average, {max(apart)} at most"
    )
