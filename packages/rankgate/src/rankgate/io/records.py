"""JSON and JSON Lines, whose objects pydantic validates as dataclasses."""

from __future__ import annotations

import codecs
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from rankgate.errors import Code, FormatError, Problem, escaped
from rankgate.io.compressed import LIMIT, write_text
from rankgate.io.problems import Problems
from rankgate.io.text import read_lines, read_text

T = TypeVar("T")
OWN_LIMIT = 100_000_000
"""The size of the largest manifest, in bytes."""
Name: TypeAlias = Annotated[str, Field(min_length=1)]
Count: TypeAlias = Annotated[int, Field(ge=0, lt=1 << 32)]
"""A number of things, in 32 bits."""
Total: TypeAlias = Annotated[int, Field(ge=0, lt=1 << 64)]
"""A number of things, in 64 bits."""


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what validates and serializes values of a type."""
    return TypeAdapter(kind)


def validated(found: object, kind: Any, where: str, problems: Problems, *, unknown: str = "count") -> Any:
    """Return plain data as a value of a type, usually a dataclass; null if a value is invalid.

    Numbers, text and flags are not converted into one another. Fields that are null count as missing.

    Args:
        found: Data as `json` or `tomllib` return it.
        kind: The type.
        where: The file and line, for messages.
        problems: Receives what is invalid.
        unknown: What to do about keys that the dataclass does not have: ``count`` them, or ``refuse`` them.
    """
    found = known_fields(found, kind, where, problems, unknown=unknown)
    try:
        # In JSON mode strict validation reads lists as tuples, and objects as dataclasses.
        return adapter(kind).validate_json(_encode(found), strict=True)
    except ValidationError as error:
        for said in _sentences(found, error):
            problems.add(_problem(Code.WRONG_VALUE, where, said))
    except (TypeError, RecursionError) as error:
        problems.add(_problem(Code.WRONG_VALUE, where, f"a value is not what JSON can hold: {error!s:.200}."))
    return None


def known_fields(
    found: object, kind: Any, where: str, problems: Problems, *, unknown: str = "count"
) -> object:
    """Return an object without keys that are null or that its dataclass does not have; see `validated`."""
    known = _keys(kind)
    if known is None or not isinstance(found, (dict, Mapping)):
        return found
    for key in [str(key) for key in found if key not in known]:
        if unknown == "count":
            problems.ignored[key] += 1
            continue
        from rankgate.io.typed import suggestion

        fix = suggestion(key, known) or f"Valid keys: {', '.join(known) or 'none'}."
        problems.add(_problem(Code.UNKNOWN_KEY, where, f"unknown key `{escaped(key):.80}`. {fix}"))
    return {key: value for key, value in found.items() if key in known and value is not None}


@cache
def _keys(kind: Any) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind) if field.init) if is_dataclass(kind) else None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"found {type(value).__name__}")


_encode = json.JSONEncoder(default=_plain, check_circular=False).encode


def _problem(code: Code, where: str, said: str) -> Problem:
    return code(where, said, "", "", f"{where}: {said}" if where else said)


_WORDS = {
    "a valid array": "a list",
    "a valid boolean": "true or false",
    "a valid dictionary": "a mapping",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid string": "a text",
    "an object": "a mapping",
}
"""Words of pydantic's messages, and those of ours."""


def _sentences(found: object, error: ValidationError) -> Iterator[str]:
    """Describe invalid values; the alternatives of a union are one sentence."""
    expected: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in error.errors(include_url=False, include_input=False):
        value, path = found, ""
        for step in each["loc"]:
            # A step that is not in the data names an alternative of a union.
            if isinstance(value, Mapping) and step in value:
                path, value = f"{path}.{step}", value[str(step)]
            elif isinstance(value, (list, tuple)) and isinstance(step, int) and step < len(value):
                path, value = f"{path}[{step}]", value[step]
        subject = f"`{escaped(path.removeprefix('.')):.80}`" if path else "the value"
        if each["type"] == "missing" and isinstance(each["loc"][-1], int):
            expected[f"{subject} has too few values", ""] = []
            continue
        if each["type"] == "missing":
            expected[f"the key `{each['loc'][-1]}` is missing{f' in {subject}' if path else ''}", ""] = []
            continue
        said = str(each["ctx"]["error"]) if each["type"] == "value_error" else each["msg"]
        said = re.sub(r"^.*?should ", "", said)
        for theirs, ours in _WORDS.items():
            said = said.replace(theirs, ours)
        expected[subject, _shown(value)].append(said)
    for (subject, shown), what in expected.items():
        either = " or ".join(dict.fromkeys(what)).replace(" or be ", " or ")
        should = f" should {either}, found {shown}" if what else ""
        yield f"{subject}{should}."


def _shown(value: object) -> str:
    from rankgate.io.typed import shown

    return escaped(shown(value))


def written(value: Any, kind: Any, *, exclude_none: bool = False) -> Any:
    """Return a value of a type as plain data that `json` writes; infinity and NaN are null."""
    return from_json(adapter(kind).dump_json(value, fallback=str, exclude_none=exclude_none))


def read_own(path: Path, of: type[T], kind: str, version: int, fix: str) -> T:
    """Read a small JSON file that rankgate wrote, with the keys `kind` and `schema`.

    Args:
        path: The file.
        of: The dataclass of its keys.
        kind: The value of its key `kind`, for example "run".
        version: The version that is supported.
        fix: How to write the file again, or name another one.

    Raises:
        FormatError: for a file that is missing, too large, invalid or of another version.
    """
    problems = Problems(str(path))
    found: dict[str, object] = {}
    try:
        # A pipe may never end.
        if path.stat().st_size > OWN_LIMIT or not path.is_file():
            said = f"it is not a file of at most {OWN_LIMIT:,} bytes"
        else:
            data: object = json.loads(path.read_bytes())
            found = data if isinstance(data, dict) else {}
            said = "" if found.get("kind") == kind else "it is something else"
    except (OSError, ValueError, RecursionError) as error:
        said = str(getattr(error, "strerror", None) or error)
    if said:
        told = f"{path}: cannot read the manifest of the {kind}: {said[:1].lower()}{said[1:]}. {fix}"
        raise FormatError(Code.DAMAGED_FILE(str(path), said, f"the manifest of the {kind}", "", told))
    check_version(str(path), found.get("schema"), version, fix)
    own: T = validated(found, of, str(path), problems)
    problems.check()
    return own


def check_version(where: str, found: object, known: int, fix: str) -> None:
    """Check that a file has the version of its format that is supported.

    Raises:
        FormatError: for another version, or none.
    """
    if found != known or isinstance(found, bool):
        has = "no version" if found is None else f"version {found!r:.40}"
        said = f"{where}: the file has {has} of its format, and this rankgate reads version {known}. {fix}"
        raise FormatError(Code.NEWER_VERSION(where, has, f"version {known}", "", said))


def read_objects(
    path: str | Path, problems: Problems, *, ended: bool = False, limit: int = LIMIT
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the objects of a file, each with where it is (``file:line``); empty lines are skipped.

    Lines that are something else are added to the problems and skipped. With `ended`, so is a last line
    without its end: a crash left it in a file that is appended to.
    """
    lines = read_text(path, limit=limit).split(b"\n")
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
