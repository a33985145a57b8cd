"""The exact edit that mends a misspelt word of a file, made of the error that names it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.wording import shortest

if TYPE_CHECKING:
    from rankgate.errors import Problem

_PLACE = re.compile(r"(?P<file>.+?)(?::(?P<line>\d+)(?::\d+)?)?(?:: (?P<key>[\w.\[\]-]+))?")
_QUOTED = re.compile(r"'([^']+)'")
_OF_CASE = 12
_POSITION = re.compile(r"(?P<file>.+):(?P<line>\d+):(?P<column>\d+)")
_SUGGESTED = re.compile(r"Did you mean `([^`]+)`")
_WORD = re.compile(r"[\w-]+")
_MEANT = re.compile(r"[Dd]id you mean `?(.+?)`?(?: or .+)?\?")


@dataclass(frozen=True, slots=True)
class SuggestedEdit:
    """One line of a file, and what should stand there."""

    file: str
    line: int
    """The number of the line, from 1."""
    old: str
    """What stands there."""
    new: str
    """What should."""

    def __str__(self) -> str:
        old, new = self.old, self.new
        if _indent(old) == _indent(new):
            old, new = old.strip(), new.strip()
        return f"in {self.file}, line {self.line}, replace `{old}` with `{new}`"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def edit_for(problem: Problem, configuration: Path | None = None) -> SuggestedEdit | None:
    """Return the edit that writes the word that was meant in the place of a misspelt one.

    Args:
        problem: What names the word.
        configuration: The file that has it, where the problem names no file.
    """
    if edit := _edit_at(problem):
        return edit
    place = _PLACE.fullmatch(problem.where)
    named = place is not None and Path(place["file"]).is_file()
    file = Path(place["file"]) if place is not None and named else configuration
    if file is None:
        return None
    meant = _MEANT.search(problem.fix)
    quoted = _QUOTED.findall(f"{problem.found} {problem.where}")
    key = (place["key"] or "") if place is not None and named else problem.where
    line = int(place["line"] or 0) if place is not None and named else 0
    for word in (*quoted, key.rpartition(".")[2]):
        edit = _narrowed(file, word, meant[1].strip("'\""), line) if word and meant else None
        if edit is not None:
            return edit
    return None


def _edit_at(problem: Problem) -> SuggestedEdit | None:
    """Return the edit that writes a suggested word at the position of a problem."""
    place, right = _POSITION.fullmatch(problem.where), _SUGGESTED.search(str(problem))
    if place is None or right is None:
        return None
    number, file = int(place["line"]), Path(place["file"])
    line = file.read_text(encoding="utf-8").splitlines()[number - 1]
    word = _WORD.search(line, int(place["column"]) - 1)
    if word is None:
        return None
    new = line[: word.start()] + right[1] + line[word.end() :]
    return SuggestedEdit(str(shortest(file.resolve())), number, line, new)


def _narrowed(file: Path, word: str, right: str, line: int) -> SuggestedEdit | None:
    """Return the edit of a word, of the file that a location is in, or of the name of a function."""
    if "#" in word and "#" not in right:
        word = word.partition("#")[0]
    if ":" not in word:
        right = right.rpartition(":")[2]
    pairs = [(word, right), (word.rpartition(":")[2], right.rpartition(":")[2])]
    if ":" in word:
        # A file is named by its whole path, and stands in the configuration as it was written.
        pairs.insert(1, (word.rpartition("/")[2], right.rpartition("/")[2]))
    edits = (word_edit(file, *pair, line) for pair in pairs if pair[0] != pair[1])
    return next((edit for edit in edits if edit is not None), None)


def word_edit(file: str | Path, word: str, right: str, line: int = 0) -> SuggestedEdit | None:
    """Return the edit that writes another word in a line, or in the first line that has the word."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    # The problem of a case names its first line.
    numbers = range(max(line, 1), min(line + _OF_CASE if line else len(lines), len(lines)) + 1)
    whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    for number in numbers:
        if whole.search(lines[number - 1]):
            new = whole.sub(lambda _found: right, lines[number - 1], count=1)
            return SuggestedEdit(str(shortest(Path(file).resolve())), number, lines[number - 1], new)
    return None
