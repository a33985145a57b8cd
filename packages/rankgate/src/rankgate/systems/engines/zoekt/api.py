"""What zoekt's JSON API answers, as rows that hits are made of."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any, Literal

from rankgate.errors import Code, Problem, RetriableError, SystemFailedError
from rankgate.model.wording import many
from rankgate.systems.adapter.failures import TimedOutError, shown, told
from rankgate.systems.adapter.templates import quoted_placeholder, utf8, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.model.search import Query

Level = Literal["file", "lines"]
"""What a hit is: a file, or the lines of one chunk of a file."""
_ANSWER = "an answer of zoekt's /api/search"
_CRASHED = "shards that crashed or are not loaded yet"
Match = Literal["all", "any"]
"""Whether a file holds every word of a query, or at least one."""
ATOMS = ("lang", "repo")
"""What a filter can be: a language by its name, or a repository by its whole name."""
_DEEPEST = 8
_PLACEHOLDER = re.compile(r"((?:[a-z]+:)?)\{query\}")
_ALONE = re.compile(r"(?:^|(?<=[\s(-]))(?:(?:content|c|file|f|sym):)?\{query\}(?=$|[\s)])")


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
        raise SystemFailedError(Code.WRONG_ANSWER(where, found, _ANSWER)) from error
    result = answer.get("Result") if isinstance(answer, dict) else None
    if not isinstance(result, dict) or not isinstance(result.get("Files"), list | None):
        raise SystemFailedError(Code.WRONG_ANSWER(where, shown(answer), _ANSWER))
    expected = "an answer from every shard"
    if number := _count(result.get("Crashes", 0), where):
        # zoekt counts as crashed what it has not loaded yet, too.
        found, fix = (
            many(number, "shard that crashed or is not loaded yet", _CRASHED),
            "wait, or look at its log",
        )
        raise RetriableError(Code.PARTIAL_ANSWER(where, found, expected, fix))
    if number := _count(result.get("ShardsSkipped", 0), where):
        raise TimedOutError(Problem(where, f"{many(number, 'shard')} it had no time for", expected))
    return result


def files_skipped(result: dict[str, Any], where: str) -> bool:
    """Return whether files were left unread since there were enough matches, or no time."""
    return _count(result.get("FilesSkipped", 0), where) > 0


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
        raise SystemFailedError(Code.WRONG_ANSWER(where, told(error), _ANSWER)) from error


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


def _count(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SystemFailedError(Code.WRONG_ANSWER(where, shown(value), "a count"))
    return value


def request_problem(request: str) -> str | None:
    """Return what is wrong with a request of the user's.

    >>> request_problem('lang:go "{query}"')
    '{query} in quotes or inside a word'
    >>> request_problem("lang:go sym:{query}") is None
    True
    """
    placeholders = list(_PLACEHOLDER.finditer(request))
    if not placeholders:
        return "no {query}"
    if len(_ALONE.findall(request)) != len(placeholders) or quoted_placeholder(request):
        return "{query} in quotes or inside a word"
    return None


def words_query(text: str, match: Match, request: str | None) -> str:
    """Write a query's words, in a request or alone; empty where there is none.

    >>> words_query('rotate "key"', "all", "lang:go sym:{query}")
    'lang:go ( sym:"rotate" sym:"key" )'
    >>> words_query("a or b", "any", None)
    '( "a" or "or" or "b" )'
    """
    words = words_of(utf8(text))
    if not words:
        return ""
    by = " or " if match == "any" else " "

    def group(placeholder: re.Match[str]) -> str:
        atoms = [f'{placeholder[1]}"{word}"' for word in words]
        return atoms[0] if len(atoms) == 1 else f"( {by.join(atoms)} )"

    return _PLACEHOLDER.sub(group, _on_one_line(request or "{query}"))


def own_query(text: str) -> str:
    r"""Return a query that is in zoekt's language already.

    Raises:
        SystemFailedError: for groups so deep that zoekt would not come back: each takes four times as long.

    >>> own_query("lang:go\n(a or b)")
    'lang:go (a or b)'
    """
    depth = deepest = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        found = f"parentheses {deepest} deep"
        raise SystemFailedError(
            Code.QUERY_REFUSED("query", found, f"at most {_DEEPEST}, which zoekt can read in time")
        )
    return _on_one_line(utf8(text)).strip()


def filtered(asked: str, query: Query, atoms: Mapping[str, str], *, own: bool) -> str:
    """Put a query's filters before what is asked; empty where no value of a filter is allowed.

    Args:
        asked: What is asked, in zoekt's language.
        query: The query with the filters.
        atoms: What each filter is in zoekt's language.
        own: True where what is asked is the text of the query itself.

    Raises:
        SystemFailedError: for a text of the user's with parentheses, which could step out of the filters.

    >>> from rankgate.model.search import Query
    >>> filtered('"a"', Query("a", filters={"lang": ("go", "c++")}), {"lang": "lang"}, own=False)
    '( lang:"go" or lang:"c++" ) ( "a" )'
    """
    if not query.filters:
        return asked
    if own and ("(" in asked or ")" in asked):
        found = "parentheses in a query with filters"
        fix = "write the filter into the query, or leave the parentheses out"
        raise SystemFailedError(
            Code.QUERY_REFUSED("query", found, "a query that no filter can be lost from", fix)
        )
    parts = [_chosen(atoms[name], query.values(name)) for name in query.filters]
    return " ".join([*parts, f"( {asked} )"]) if all(parts) else ""


def _chosen(atom: str, values: tuple[str, ...]) -> str:
    # Before anything is escaped: what stands for half a surrogate pair is an operator of regular expressions.
    held = [utf8(one) for one in values]
    found = [f"{atom}:{_quoted(one if atom == 'lang' else _whole(one))}" for one in held]
    return found[0] if len(found) == 1 else f"( {' or '.join(found)} )" if found else ""


def _whole(text: str) -> str:
    return f"^{re.escape(text)}$"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _on_one_line(text: str) -> str:
    return " ".join(text.splitlines())
