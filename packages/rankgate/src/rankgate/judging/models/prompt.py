"""The prompt of a model judge: a file with placeholders, and what they are filled with for a passage.

``{query}``, ``{passage}``, ``{path}``, ``{outline}``, ``{guidelines}`` and ``{scale}`` are filled in one
pass, so that a passage that holds ``{query}`` stays what it is; other braces are text. A passage stands
between two lines with a word that is drawn for every call and is not in it: nothing in it can look like its
end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, did_you_mean, escaped
from rankgate.systems.adapter.options import read_text
from rankgate.systems.adapter.templates import filled_with

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.judging.session.scale import GradeScale
    from rankgate.judging.units import JudgingUnit

PLACEHOLDERS = ("query", "passage", "path", "outline", "guidelines", "scale")
"""What a prompt may have filled."""
MOST_PASSAGE = 20_000
"""How many characters of a passage are shown; a longer one is cut, and the prompt says so."""
DIGITS = 16
"""How many hexadecimal digits of a digest are kept in a label."""
_NEEDED = ("query", "passage")
_WORD = re.compile(r"(?<![\w$])\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """What a judge is asked of one passage."""

    text: str
    """The prompt, filled."""
    values: Mapping[str, str]
    """What it was filled with, by placeholder."""


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    r"""A prompt, with what is the same for all passages.

    >>> from rankgate.judging.session.scale import GradeScale
    >>> from rankgate.judging.units import JudgingUnit
    >>> prompt = JudgePrompt("Query: {query}\n{passage}\nAnswer {\"grade\": …}, {scale}.", "", GradeScale(2))
    >>> unit = JudgingUnit("rotate", "rotate a key", "keys.md:3-9", text="Every {query} days.")
    >>> print(prompt.filled(unit, "4f1c").text)
    Query: rotate a key
    <passage 4f1c>
    Every {query} days.
    </passage 4f1c>
    Answer {"grade": …}, 0, 1, 2.
    """

    template: str
    """What the file says."""
    guidelines: str
    """What ``{guidelines}`` stands for."""
    scale: GradeScale
    """What may be given."""

    @property
    def digest(self) -> str:
        """The first digits of the SHA-256 of the file's text."""
        return sha256(self.template.encode()).hexdigest()[:DIGITS]

    def filled(self, unit: JudgingUnit, word: str | None = None) -> FilledPrompt:
        """Fill it for a passage.

        Args:
            unit: What is judged.
            word: What marks the ends of the passage; drawn by default.
        """
        while word is None or word in unit.text:
            word = token_hex(8)
        values = {
            "query": escaped(unit.query),
            "passage": f"<passage {word}>\n{_shown(unit.text)}\n</passage {word}>",
            "path": escaped(unit.path or unit.location),
            "outline": escaped(" > ".join(unit.outline)),
            "guidelines": self.guidelines,
            "scale": ", ".join(map(self._named, self.scale.grades)),
        }
        return FilledPrompt(filled_with(self.template, values), values)

    def _named(self, grade: int) -> str:
        name = self.scale.names.get(grade)
        return f"{grade} ({name})" if name else str(grade)


def read_prompt(path: Path, where: str, guidelines: str | None, scale: GradeScale) -> JudgePrompt:
    """Read the file of a prompt.

    Args:
        path: The file.
        where: The option, for errors.
        guidelines: The guidelines of the suite; None where it has none.
        scale: What may be given.

    Raises:
        InputError: for a file that cannot be read, a placeholder that nothing fills, and one that is missing.
    """
    template = read_text(path, where)
    found = dict.fromkeys(_WORD.findall(template))
    known = f"one of {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}"
    problems = [
        Code.UNKNOWN_PLACEHOLDER(
            f"{where} ({path})", f"the placeholder {{{name}}}", known, did_you_mean(name, PLACEHOLDERS)
        )
        for name in found
        if name not in PLACEHOLDERS
    ]
    problems += [
        Code.UNKNOWN_PLACEHOLDER(
            f"{where} ({path})", f"no {{{name}}}", f"{{{name}}}, which is what is judged"
        )
        for name in _NEEDED
        if name not in found
    ]
    if guidelines is None and "guidelines" in found:
        fix = "name their file in the suite: guidelines: guidelines.md"
        problems.append(
            Code.UNKNOWN_PLACEHOLDER(f"{where} ({path})", "{guidelines}", "a suite that has guidelines", fix)
        )
    if problems:
        raise InputError(problems)
    return JudgePrompt(template, guidelines or "", scale)


def _shown(text: str) -> str:
    if len(text) <= MOST_PASSAGE:
        return text
    return f"{text[:MOST_PASSAGE]}\n[cut: {len(text) - MOST_PASSAGE:,} more characters]"
