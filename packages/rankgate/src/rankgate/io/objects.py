"""Files of JSON objects, one a line."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import Code, Problem
from rankgate.io.compressed import write_text
from rankgate.io.text import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rankgate.io.problems import Problems


def read_objects(
    path: str | Path, problems: Problems, *, ended: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the objects of a file, each with where it stands (``file:line``); empty lines are skipped.

    Lines that hold something else are added to the problems and skipped. With `ended`, so is a last line
    without its end: a crash left it in a file that is appended to.
    """
    lines = read_text(path).split(b"\n")
    for number, line in enumerate(lines[:-1] if ended else lines, 1):
        where = f"{path}:{number}"
        if line.strip() and (found := _object(line, where, problems)) is not None:
            yield where, found


def stream_objects(path: str | Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the objects of a file as `read_objects` does, with no more than a line in memory."""
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}:{number}"
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if not text.strip():
            continue
        if b"\0" in text:
            fix = "the file is binary, or UTF-16: save it as UTF-8"
            problems.add(Code.NOT_UTF8(where, "a NUL byte", "UTF-8 text", fix))
        elif (found := _object(text, where, problems)) is not None:
            yield where, found


def looks_like_objects(start: bytes) -> bool:
    """Check from the first bytes of a file that it holds JSON objects; an id may start with a brace too."""
    line, end, _ = start.lstrip().partition(b"\n")
    return re.match(rb'\{\s*["}]', line) is not None and (not end or line.rstrip().endswith(b"}"))


def write_objects(path: str | Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write one object a line; fields that are None are left out."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).encode
    write_text(
        path,
        (encode({key: value for key, value in item.items() if value is not None}) + "\n" for item in objects),
    )


def _object(line: bytes, where: str, problems: Problems) -> dict[str, Any] | None:
    try:
        found = parse_json(line)
    except (ValueError, RecursionError) as error:
        problems.add(Code.BAD_SYNTAX(where, f"what is not JSON ({error})", "a JSON object"))
        return None
    if isinstance(found, dict):
        return found
    problems.add(Problem(where, f"a {type(found).__name__}", "a JSON object"))
    return None


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Parse JSON, without the numbers that it does not know and without what no file could hold.

    Raises:
        ValueError, RecursionError: for anything else.
    """
    found = json.loads(text, parse_constant=_no_constant, **hooks)
    if (b"\\u" if isinstance(text, bytes) else "\\u") in text:  # type: ignore[operator]
        # An escape can name half of a surrogate pair. What hooks made of numbers is not what stands there.
        plain = json.loads(text, parse_int=str) if "parse_int" in hooks else found
        json.dumps(plain, ensure_ascii=False).encode()
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
