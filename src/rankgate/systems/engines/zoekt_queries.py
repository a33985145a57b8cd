"""Queries in zoekt's language, made of a query's words and filters so that none of them is read as more.

In zoekt's language a quoted text is still a regular expression, ``"("`` in quotes still opens a group, a line
break ends the query in silence, and ``(repo:x)`` without spaces is a text to look for. So words hold letters
and digits alone, values of filters are escaped twice, and groups have spaces inside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rankgate.errors import Problem, SystemFailedError
from rankgate.systems.engines.request_holes import quoted_hole
from rankgate.systems.engines.words import words_of
from rankgate.systems.utf8 import utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.search import Query

Match = Literal["all", "any"]
"""Whether a file holds every word of a query, or at least one."""

ATOMS = ("lang", "repo")
"""What a filter can be: a language by its name, or a repository by its whole name."""

_DEEPEST = 8
_HOLE = re.compile(r"((?:[a-z]+:)?)\{query\}")
_ALONE = re.compile(r"(?:^|(?<=[\s(-]))(?:(?:content|c|file|f|sym):)?\{query\}(?=$|[\s)])")


def request_problem(request: str) -> str | None:
    """Say what is wrong with a request of the user's.

    >>> request_problem('lang:go "{query}"')
    '{query} in quotes or inside a word'
    >>> request_problem("lang:go sym:{query}") is None
    True
    """
    holes = list(_HOLE.finditer(request))
    if not holes:
        return "no {query}"
    if len(_ALONE.findall(request)) != len(holes) or quoted_hole(request):
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

    def group(hole: re.Match[str]) -> str:
        atoms = [f'{hole[1]}"{word}"' for word in words]
        return atoms[0] if len(atoms) == 1 else f"( {by.join(atoms)} )"

    return _HOLE.sub(group, _on_one_line(request or "{query}"))


def own_query(text: str) -> str:
    r"""Give a query that is in zoekt's language already.

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
        raise SystemFailedError(Problem("query", found, f"at most {_DEEPEST}, which zoekt can read in time"))
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
        raise SystemFailedError(Problem("query", found, "a query that no filter can be lost from", fix))
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
