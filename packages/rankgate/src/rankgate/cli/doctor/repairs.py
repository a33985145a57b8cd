"""The exact edit of a line that keeps a file from being read, tried on its text before it is proposed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.cli.doctor.edits import SuggestedEdit
from rankgate.errors import Code, RankgateError
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.errors import Problem

_PLACE = re.compile(r"(?P<file>.+?\.(?:ya?ml|json|toml)):(?P<line>\d+):\d+")
_ITEM = re.compile(r"(?P<indent>\s*)(?P<dashes>-*)\s*(?P<rest>.*)")
_VALUE = re.compile(r"(?P<key>\s*(?:- )?[\w-]+):\s+(?P<value>\S.*)")
_QUERY = re.compile(r"^\s*(?:-\s*)*query\s*:", re.MULTILINE)
_CLOSING = "]\"}'"
_LARGEST = 100_000
_MOST_TRIED = 200
_NEAR = 6


def repair_for(problem: Problem, configuration: Path | None) -> SuggestedEdit | None:
    """Return the edit of one line after which a file is read; None where no small one is enough.

    Args:
        problem: What is wrong with the file.
        configuration: The configuration, which may have what no suite has.
    """
    match problem.code:
        case Code.BAD_SYNTAX:
            return _syntax(problem)
        case Code.DEPTH_TOO_SMALL:
            return _depth(problem, configuration)
        case _:
            return None


def _syntax(problem: Problem) -> SuggestedEdit | None:
    place = _PLACE.fullmatch(problem.where)
    if place is None:
        return None
    file = Path(place["file"])
    is_read = _configuration_is_read if file.suffix == ".toml" else _suite_is_read
    return _tried(file, int(place["line"]), is_read)


def _tried(file: Path, number: int, is_read: Callable[[str, Path], bool]) -> SuggestedEdit | None:
    """Return the first change of a line, or of one that is likely the cause, with which the file is read."""
    text = file.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if len(text) > _LARGEST:
        return None
    # A text that is not closed is found at the end of the file, or where the next one begins.
    unclosed = [at for at, line in enumerate(lines, 1) if line.count('"') % 2 or line.count("'") % 2]
    for at in dict.fromkeys((number, number - 1, *unclosed[:_NEAR])):
        if not 1 <= at <= len(lines):
            continue
        tried: set[str] = {lines[at - 1]}
        for new in _changed(lines, at - 1):
            if new in tried or len(tried) > _MOST_TRIED:
                continue
            tried.add(new)
            if is_read("\n".join([*lines[: at - 1], new, *lines[at:]]) + "\n", file):
                return SuggestedEdit(str(shortest(file.resolve())), at, lines[at - 1], new)
    return None


def _changed(lines: Sequence[str], at: int) -> Iterator[str]:
    """Iterate over what may have been meant by a line: what people get wrong most often comes first."""
    line = lines[at]
    spaced = line.expandtabs(2)
    yield re.sub(r"^(\s*(?:- )?[\w-]+):(?=\S)", r"\1: ", line)
    if (value := _VALUE.fullmatch(line)) and '"' not in line:
        yield f"{value['key']}: {json.dumps(value['value'].strip(), ensure_ascii=False)}"
    item = _ITEM.fullmatch(spaced)
    if item:
        near = [*reversed(lines[max(0, at - _NEAR) : at]), *lines[at + 1 : at + _NEAR]]
        shapes = (_ITEM.fullmatch(one) for one in near if one.strip())
        starts = [(shape["indent"], shape["dashes"]) for shape in shapes if shape]
        # A line that has a dash is meant as one of the items beside it; another one as a key beside it.
        for indent, dashes in dict.fromkeys(starts):
            if bool(dashes) == bool(item["dashes"]):
                yield f"{indent}{'- ' if dashes else ''}{item['rest']}"
        yield from (f"{indent}{item['rest']}" for indent, _ in dict.fromkeys(starts))
    # What is not closed is closed, as near to the end as it can be; or opened, as near to the start.
    ends = [place for place in range(len(line), -1, -1) if place == len(line) or not line[place].isalnum()]
    yield from (line[:place] + sign + line[place:] for place in ends for sign in _CLOSING)
    begins = [place for place in range(1, len(line)) if not line[place - 1].isalnum()]
    yield from (line[:place] + sign + line[place:] for place in begins for sign in ('"', "["))


def _suite_is_read(text: str, file: Path) -> bool:
    from rankgate.suites.native import parse_suite

    try:
        read = parse_suite(text, file)
    except RankgateError:
        return False
    # A sign in the wrong line makes one text of several cases.
    return len(read.cases) >= len(_QUERY.findall(text))


def _configuration_is_read(text: str, file: Path) -> bool:
    from rankgate.io.toml import parse_toml
    from rankgate.project.configuration import NAME
    from rankgate.project.schema import read_configuration

    try:
        document = parse_toml(text, str(file))
        if file.name == NAME:
            read_configuration(file, document)
    except RankgateError:
        return False
    return True


def _depth(problem: Problem, configuration: Path | None) -> SuggestedEdit | None:
    """Return the edit of the line that asks for too few hits."""
    needed = problem.expected.split(maxsplit=1)[0]
    named = Path(problem.where.removesuffix(": k"))
    file = named if named.is_file() else configuration
    if file is None:
        return None
    given = re.compile(rf"(?P<key>\s*k\s*[:=]\s*){re.escape(problem.found)}\b")
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if found := given.match(line):
            new = f"{found['key']}{needed}{line[found.end() :]}"
            return SuggestedEdit(str(shortest(file.resolve())), number, line, new)
    return None
