"""What zoekt's JSON API answers, as rows that hits are made of."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Problem, RetriableError, SystemFailedError
from rankgate.model.wording import many
from rankgate.systems.failures import TimedOutError, shown, told

if TYPE_CHECKING:
    from collections.abc import Iterator

Level = Literal["file", "lines"]
"""What a hit is: a file, or the lines of one chunk of a file."""

_ANSWER = "an answer of zoekt's /api/search"
_CRASHED = "shards that crashed or are not loaded yet"


def read_result(raw: bytes, where: str) -> dict[str, Any]:
    """Read an answer and give its result.

    Raises:
        SystemFailedError: for what is no answer of zoekt's, and one that lacks what a shard would have
            added; a `RetriableError` where the shard may yet be loaded.
    """
    try:
        answer = json.loads(raw.decode(errors="replace"))
    except (ValueError, RecursionError) as error:
        found = f"{shown(raw[:200].decode(errors='replace'))} ({told(error)})"
        raise SystemFailedError(Problem(where, found, _ANSWER)) from error
    result = answer.get("Result") if isinstance(answer, dict) else None
    if not isinstance(result, dict) or not isinstance(result.get("Files"), list | None):
        raise SystemFailedError(Problem(where, shown(answer), _ANSWER))
    expected = "an answer from every shard"
    if number := _whole(result.get("Crashes", 0), where):
        # zoekt counts as crashed what it has not loaded yet, too.
        found, fix = (
            many(number, "shard that crashed or is not loaded yet", _CRASHED),
            "wait, or look at its log",
        )
        raise RetriableError(Problem(where, found, expected, fix))
    if number := _whole(result.get("ShardsSkipped", 0), where):
        raise TimedOutError(Problem(where, f"{many(number, 'shard')} it had no time for", expected))
    return result


def files_skipped(result: dict[str, Any], where: str) -> bool:
    """Tell whether files were left unread since there were enough matches, or no time."""
    return _whole(result.get("FilesSkipped", 0), where) > 0


def rows_of(result: dict[str, Any], level: Level, *, repository: bool, where: str) -> list[dict[str, object]]:
    """Make rows of a result, in its order.

    Args:
        result: What `read_result` gives.
        level: What a row is.
        repository: True where the repository's name is put before the path.
        where: The system, for errors.

    Raises:
        SystemFailedError: for what is not as zoekt writes it.
    """
    try:
        return list(_rows(result, level, repository=repository))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise SystemFailedError(Problem(where, told(error), _ANSWER)) from error


def _rows(result: dict[str, Any], level: Level, *, repository: bool) -> Iterator[dict[str, object]]:
    for file in result["Files"] or ():
        path = f"{file['Repository']}/{file['FileName']}" if repository else file["FileName"]
        chunks = file.get("ChunkMatches") if level == "lines" else None
        if not chunks:
            lines = file.get("LineMatches") or ()
            matches = sum(len(line["LineFragments"]) for line in lines if not line["FileName"])
            yield {"path": path, "score": file["Score"], "matches": None if level == "lines" else matches}
        for chunk in chunks or ():
            row = {"path": path, "score": chunk["Score"]}
            # A match in the name of the file is in none of its lines.
            yield row if chunk["FileName"] else {**row, **_content(chunk)}


def _content(chunk: dict[str, Any]) -> dict[str, object]:
    start = chunk["ContentStart"]["LineNumber"]
    text = base64.b64decode(chunk["Content"] or "", validate=True).decode(errors="replace")
    return {
        "start": start,
        "end": start + text.removesuffix("\n").count("\n"),
        "text": text,
        "matches": len(chunk["Ranges"]),
    }


def _whole(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SystemFailedError(Problem(where, shown(value), "a count"))
    return value
