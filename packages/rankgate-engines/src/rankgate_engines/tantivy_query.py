"""A query's words in Tantivy's language, cut as the tokenizer of each field cuts them.

Tantivy makes a phrase of a quoted text that is more than one term to a field. So every term stands in quotes
of its own, and any of them counts: no character is an operator, and no word a phrase.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from rankgate.systems.adapter.templates import QUERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_NAME = r"(?:\\.|\w)(?:\\.|[\w.-])*"
_PART = re.compile(
    rf"""(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    | (?:(?P<group>{_NAME}):\s*)?(?P<open>\() | (?P<close>\))
    | (?:(?P<field>{_NAME}):\s*)?(?P<placeholder>\{{query\}})""",
    re.VERBOSE,
)
_SPECIAL = re.compile(r"[^\w.\\-]")
_Aims: TypeAlias = tuple[tuple[str, str], ...]


def tokenizers_of(place: Path) -> dict[str, str]:
    """Read which tokenizer each field of an index has.

    Raises:
        OSError: where it cannot be read.
        ValueError: where it is no description of an index.
    """
    try:
        fields = json.loads((place / "meta.json").read_bytes())["schema"]
        return {
            str(field["name"]): str(indexing["tokenizer"])
            for field in fields
            if isinstance(indexing := field["options"].get("indexing"), dict) and "tokenizer" in indexing
        }
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("meta.json without the fields of a schema") from error


class QueryWriter:
    """Writes queries for an index; threads share it.

    >>> import tantivy
    >>> words = QueryWriter(tantivy, {"name": "en_stem", "sku": "raw"}, ["name"], "{query} sku:{query}")
    >>> words.query("foo-bar")
    '("foo" "bar") sku:("foo-bar")'
    """

    def __init__(
        self,
        engine: Any,
        tokenizers: Mapping[str, str],
        search: Sequence[str],
        request: str | None,
        spaced: Callable[[str], str] = str,
    ) -> None:
        """Read the request.

        Args:
            engine: The library.
            tokenizers: That of each field.
            search: The fields that a word without one is looked for in.
            request: What the user wrote around ``{query}``; None for the words alone.
            spaced: Puts spaces between words where a script has none, as it was done when a built index was
                filled; not for fields that hold a value as one term.
        """
        self._spaced = spaced
        self._plain = request is None
        self._parts = tuple(
            part if isinstance(part, str) else _aims(part[0], tokenizers, search)
            for part in _parts(QUERY if request is None else request)
        )
        made = engine.Tokenizer
        known = {"raw": made.raw, "whitespace": made.whitespace, "simple": made.simple}
        kinds = {kind for part in self._parts if not isinstance(part, str) for _, kind in part}
        self._cutters = {kind: engine.TextAnalyzerBuilder(known[kind]()).build() for kind in kinds}

    def query(self, text: str) -> str:
        """Write the words of a text into the request; empty where there are none."""
        if not text or text.isspace():
            return ""
        spaced = self._spaced(text)
        terms = {
            kind: _escaped_terms(kind, one.analyze(text if kind == "raw" else spaced))
            for kind, one in self._cutters.items()
        }
        if not any(terms.values()):
            return ""
        return "".join(part if isinstance(part, str) else self._group(part, terms) for part in self._parts)

    def _group(self, aims: _Aims, terms: Mapping[str, list[str]]) -> str:
        # To a tokenizer that finds no term in the text, an empty one is none either.
        words = " ".join(f'{field}"' + f'" {field}"'.join(terms[kind]) + '"' for field, kind in aims)
        return words if self._plain else f"({words})"


def _parts(request: str) -> Iterator[str | tuple[str | None]]:
    """Cut a request at its placeholders; each is given with the field that it or a group around it names."""
    groups: list[str | None] = [None]
    done = 0
    for part in _PART.finditer(request):
        if part["open"]:
            groups.append(part["group"] or groups[-1])
        elif part["close"]:
            del groups[max(1, len(groups) - 1) :]
        elif part["placeholder"]:
            yield request[done : part.start("placeholder")]
            yield (part["field"] or groups[-1],)
            done = part.end()
    yield request[done:]


def _aims(field: str | None, tokenizers: Mapping[str, str], search: Sequence[str]) -> _Aims:
    """Return how a placeholder is cut: once, or for each field where the searched ones cut differently."""
    if field is not None:
        return (("", _kind(re.sub(r"\\(.)", r"\1", field), tokenizers)),)
    kinds = {one: _kind(one, tokenizers) for one in search}
    if len(set(kinds.values())) < 2:
        return (("", next(iter(kinds.values()), "simple")),)
    return tuple((f"{_SPECIAL.sub(_escaped, one)}:", kind) for one, kind in kinds.items())


def _kind(field: str, tokenizers: Mapping[str, str]) -> str:
    """Return what cuts a field, or the field of JSON that a path is in; stemmers cut as `simple` does."""
    while field not in tokenizers and "." in field:
        field = field.rpartition(".")[0]
    tokenizer = tokenizers.get(field, "")
    return tokenizer if tokenizer in ("raw", "whitespace") else "simple"


def _escaped(special: re.Match[str]) -> str:
    return f"\\{special[0]}"


def _escaped_terms(kind: str, terms: list[str]) -> list[str]:
    # Of those that `simple` cuts none holds anything but letters and digits.
    if kind == "simple":
        return terms
    return [term.replace("\\", "\\\\").replace('"', '\\"') for term in terms]


def quoted_placeholder(request: str) -> bool:
    r"""Return whether any placeholder stands in quotes, where a group of words would be one text.

    Args:
        request: What the user wrote; a backslash takes the next character as it is.

    >>> quoted_placeholder('name:{query} "red shoes"'), quoted_placeholder('name:{query} body:"{query}"')
    (False, True)
    """
    inside, at = "", 0
    while at < len(request):
        char = request[at]
        if inside and request.startswith(QUERY, at):
            return True
        if char == "\\":
            at += 1
        elif inside:
            inside = "" if char == inside else inside
        elif char in "\"'":
            inside = char
        at += 1
    return False
