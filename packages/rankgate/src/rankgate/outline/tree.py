"""The definitions of a file in any language that has a grammar for tree-sitter.

The query of a language finds them in C, without recursion, and only what it captures becomes an object of
Python. What lies in what is then read off their bytes. A text can make tree-sitter loop or fill the memory,
so `apart` runs this in a process of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError
from rankgate.outline.nodes import KINDS, OutlineNode
from rankgate.outline.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import tree_sitter as ts

    from rankgate.outline.languages import Language


DEEPEST = 200
"""How many names a path may have. Each node holds its path, so without an end they could fill the memory."""

_FIX = "name lines instead of a symbol, path:10-50"
_NO_SCOPE = {"type", "macro"}


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition, or a scope, as the query captured it."""

    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    belongs: bool
    """True where its name says that it belongs to a type."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A definition with what stands around it and belongs to it."""

    found: _Found
    start: int
    """Where it begins with its comments."""
    plain: int
    """Where it begins without them."""
    end: int


def outline_tree(path: str, text: str, *languages: Language) -> list[OutlineNode]:
    """List the definitions of a file; where it has syntax errors, those that tree-sitter makes out.

    Of several languages, the first that reads the file with the fewest errors is taken.

    Raises:
        FormatError: for a file that nests too deeply.
        ImportError: where the grammar is not installed.
    """
    source = text.encode("utf-8", "replace")
    best: tuple[int, ts.Tree, Language] | None = None
    for language in languages:
        tree = _parse(path, source, language)
        errors = sum(node.is_error or node.is_missing for node in _pieces(tree))
        if best is None or errors < best[0]:
            best = errors, tree, language
        if errors == 0:
            break
    return [] if best is None else _outline(path, best[1], source, best[2])


def _parse(path: str, source: bytes, language: Language) -> ts.Tree:
    grammar, _ = _loaded(path, language)
    from tree_sitter import Parser

    return Parser(grammar).parse(source)


def _outline(path: str, tree: ts.Tree, source: bytes, language: Language) -> list[OutlineNode]:
    matches = list(_matches(tree, _loaded(path, language)[1]))
    found = _definitions(matches, source, language)
    around = Surroundings(
        source,
        [node.byte_range for _, captures in matches for node in captures.get("attribute", ())],
        [node.byte_range for _, captures in matches for node in captures.get("comment", ())],
        scopes=(one.start for one in found if one.kind not in _NO_SCOPE),
        elsewhere=language.comments_elsewhere,
        aligned=language.aligned,
    )
    breaks = [found.start() for found in re.finditer(b"\n", source)]
    placed = []
    for one in found:
        commented, start = around.start(one.start)
        placed.append(_Placed(one, commented, start, max(start + 1, around.end(one.end))))
    placed.sort(key=lambda item: (item.start, -item.end))
    return _nodes(path, placed, breaks, language)


def _matches(tree: ts.Tree, query: ts.Query) -> Iterator[tuple[int, Mapping[str, Sequence[ts.Node]]]]:
    """Run a query piece by piece: over the whole of a long error at once it would take time by the square."""
    from tree_sitter import QueryCursor

    whole, start = QueryCursor(query), QueryCursor(query)
    start.set_max_start_depth(0)
    for node in _pieces(tree):
        yield from (start if node.has_error else whole).matches(node)


def _pieces(tree: ts.Tree) -> Iterator[ts.Node]:
    """Go through the nodes that have an error inside, and those without one that stand directly in them."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        # Of what has no children, only a comment or a missing mark tells something.
        if node is not None and (node.child_count or node.is_extra or node.is_missing):
            yield node
            if node.has_error and cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _nodes(
    path: str, ordered: Iterable[_Placed], breaks: Sequence[int], language: Language
) -> list[OutlineNode]:
    nodes = []
    # Where each enclosing definition ends, what it is called and what it is.
    above: list[tuple[int, tuple[str, ...], str]] = []
    for placed in ordered:
        one, start, end = placed.found, placed.start, placed.end
        while above and above[-1][0] <= start:
            above.pop()
        _, names, outer = above[-1] if above else (0, (), "")
        full = names + one.names
        if len(full) > DEEPEST:
            where = f"{path}:{bisect_left(breaks, start) + 1}"
            found, expected = f"definitions nested more than {DEEPEST} deep", f"at most {DEEPEST}"
            raise FormatError(Code.UNPARSABLE(where, found, expected, _FIX))
        if one.kind not in _NO_SCOPE:
            above.append((end, full, one.kind))
        if one.kind == "scope":
            continue
        method = one.kind == "function" and (one.belongs or outer == "scope" or outer in language.types)
        kind = "method" if method else one.kind
        first, last = bisect_left(breaks, start) + 1, bisect_left(breaks, end - 1) + 1
        above_it = bisect_left(breaks, placed.plain) + 1 - first
        nodes.append(OutlineNode(kind, full[-1], full, first, last, level=len(full), comment_lines=above_it))
    return nodes


def _definitions(
    matches: Iterable[tuple[int, Mapping[str, Sequence[ts.Node]]]], source: bytes, language: Language
) -> list[_Found]:
    best: dict[tuple[int, int], tuple[tuple[int, int], _Found]] = {}
    for pattern, captures in matches:
        kind = next((kind for kind in (*KINDS, "scope") if kind in captures), None)
        if kind is None or "name" not in captures:
            continue
        definition, name = captures[kind][0], captures["name"]
        start = definition.start_byte
        end = len(source) if definition.type in language.to_the_end else definition.end_byte
        span = (name[0].start_byte, name[-1].end_byte)
        rank = (start - end, pattern)
        if span in best and best[span][0] <= rank:
            continue
        owner = [part for node in captures.get("owner", ()) for part in _names(node, source, language)]
        own = _names(name[0], source, language) if len(name) == 1 else [_plain(source[span[0] : span[1]])]
        names = tuple(part for part in [*owner, *own] if part and part not in language.unnamed)
        if names:
            best[span] = rank, _Found(kind, names, start, end, belongs=len(names) > 1)
    return [one for _, one in best.values()]


def _names(node: ts.Node, source: bytes, language: Language) -> list[str]:
    """Read a name from the outermost part to the innermost, with a stack: it may be nested at will."""
    names: list[str] = []
    pending = [node]
    while pending:
        node = pending.pop()
        fields = language.parts.get(node.type)
        if fields is None:
            names.append(_leaf(node, source, language))
        elif fields == ("*",):
            pending.extend(reversed(node.named_children))
        else:
            inner = [part for name in fields if name and (part := node.child_by_field_name(name))]
            pending.extend(reversed(inner or node.named_children[:1]))
    return names


def _leaf(node: ts.Node, source: bytes, language: Language) -> str:
    end = node.end_byte
    if node.type in language.until and (after := node.child_by_field_name(language.until[node.type])):
        end = after.start_byte
    return _plain(source[node.start_byte : end])


def _plain(name: bytes) -> str:
    return re.sub(r"\s+", " ", name.decode("utf-8", "replace")).strip()


def _loaded(path: str, language: Language) -> tuple[ts.Language, ts.Query]:
    try:
        return _grammar(language.package, language.function, language.query)
    except ValueError as error:
        found = f"a grammar of {language.name} that does not fit ({error})"
        raise FormatError(
            Code.MISSING_EXTRA(path, found, "a known one", "pip install -U 'rankgate[code]'")
        ) from error


@cache
def _grammar(package: str, function: str, query: str) -> tuple[ts.Language, ts.Query]:
    from tree_sitter import Language, Query

    grammar = Language(getattr(import_module(package), function)())
    return grammar, Query(grammar, query)
