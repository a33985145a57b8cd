"""The operations of an HTTP API, each a record: OpenAPI 2 and 3 in JSON or YAML, or one operation a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.corpora.options import check_options, file_inside, named
from rankgate.corpora.records import TOTAL, RecordCollector, one_line
from rankgate.errors import Code, FormatError, Problem, escaped
from rankgate.files.compressed import read_bytes
from rankgate.files.objects import stream_objects
from rankgate.files.problems import Problems
from rankgate.files.tree.values import Source
from rankgate.files.tree.yaml_tree import LIMIT as YAML_LIMIT
from rankgate.files.tree.yaml_tree import NotYamlError, check_size, compose

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.files.tree.values import Value
    from rankgate.model.suite import CorpusSource

LIMIT = 200_000_000
"""How many bytes a description may have."""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""What makes an entry of a path an operation."""

_MOST = 100_000
_MOST_PARAMETERS = 1000
_LONGEST_CHAIN = 20


def open_openapi(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the description of an API that a suite names.

    An operation is named by its operationId, or else by its method and path. Its text has the operationId,
    method and path, summary, description, tags, and the names and descriptions of its parameters; its title
    is the summary.

    Raises:
        FormatError: for what is no such description.
        InputError: for a file that is not there or not allowed.
    """
    check_options(source, ())
    path = file_inside(context.here / source.place, context.root, "an OpenAPI description")
    return read_openapi(path, named(source))


def read_openapi(path: Path, where: str) -> Corpus:
    """Read the operations of a description.

    Raises:
        FormatError: for what is no such description.
    """
    data = read_bytes(path, limit=LIMIT)
    if len(data) > LIMIT:
        raise FormatError(Code.TOO_LARGE(where, f"{len(data)} bytes", f"at most {LIMIT}"))
    if _is_one_a_line(data):
        return _flat(path)
    # References and aliases repeat what is written once; they must not repeat it without end.
    most = min(TOTAL, 50_000_000 + 50 * len(data))
    return _Description(_parsed(data, where), path).corpus(most)


def _is_one_a_line(data: bytes) -> bool:
    """Return operations one a line from one description: the first line is an object with a method."""
    line = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "method" in found and "path" in found and "paths" not in found


def _flat(path: Path) -> Corpus:
    gathering = RecordCollector(str(path))
    for where, found in stream_objects(path, gathering.problems):
        method, route = found.get("method"), found.get("path")
        if not isinstance(method, str) or not isinstance(route, str):
            gathering.problems.add(Problem(where, "no method and path", "an operation"))
            continue
        name, text = _document(found, method, route, _parameters(found.get("parameters")))
        gathering.add(name, text, where, one_line(found.get("summary")))
    return gathering.corpus()


def _parsed(data: bytes, where: str) -> Any:
    text = data.decode(errors="replace").removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return _parsed_yaml(text, where)
    try:
        found = json.loads(text)
        # An escape can name half of a surrogate pair, which no text could hold.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise FormatError(
            Code.BAD_SYNTAX(where, f"what is not JSON ({error})", "an OpenAPI description")
        ) from error
    return found


class _Whole(Source):
    """A file that is named as a whole, wherever in it something is wrong."""

    def where(self, _value: Value) -> str:
        return self.file


def _parsed_yaml(text: str, where: str) -> Any:
    """Read YAML as mappings, lists and texts: numbers, dates and truth values stay as they were written."""
    if len(text) > YAML_LIMIT:
        fix = "write it as JSON, which is read faster"
        raise FormatError(
            Code.TOO_LARGE(where, f"{len(text)} characters of YAML", f"at most {YAML_LIMIT}", fix)
        )
    try:
        root = compose(text, _Whole(where, Problems(where))).root
    except NotYamlError as error:
        said = " ".join(str(error.__cause__ or error).split())
        raise FormatError(
            Code.BAD_SYNTAX(where, f"what is not YAML ({said:.200})", "YAML or JSON")
        ) from error
    if root is None:
        raise FormatError(Problem(where, "an empty file", "YAML or JSON"))
    check_size(root)
    return _plain(root)


def _plain(value: Value) -> Any:
    if value.kind == "list":
        return [_plain(item) for item in value.items()]
    if value.kind != "mapping":
        return None if value.kind == "nothing" else value.raw
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, item in value.pairs():
        if key.raw == "<<" and not key.style:
            found = _plain(item)
            for mapping in found if isinstance(found, list) else [found]:
                merged = {**(mapping if isinstance(mapping, dict) else {}), **merged}
        elif isinstance(key.content, str):
            own[key.raw] = _plain(item)
    return {**merged, **own}


class _Description:
    """One description, whose references lead into itself."""

    def __init__(self, found: Any, path: Path) -> None:
        self._where = str(path)
        version = found.get("openapi", found.get("swagger")) if isinstance(found, dict) else None
        paths = found.get("paths") if isinstance(found, dict) else None
        if not isinstance(version, (str, float)) or not isinstance(paths, dict):
            expected = "an OpenAPI description, with openapi or swagger, and paths"
            raise FormatError(Problem(self._where, "something else", expected))
        self._found: dict[str, Any] = found
        self._paths = paths
        self._outside = 0

    def corpus(self, most: int) -> Corpus:
        gathering = RecordCollector(self._where, most)
        for number, (method, route, item, operation) in enumerate(self._operations()):
            if number >= _MOST:
                raise FormatError(Code.TOO_LARGE(self._where, f"more than {_MOST} operations", "fewer"))
            # Parameters of a path hold for all its operations, unless one says otherwise.
            parameters = {
                **self._parameters(item.get("parameters")),
                **self._parameters(operation.get("parameters")),
            }
            name, text = _document(operation, method.upper(), route, parameters)
            where = f"{self._where}: {method.upper()} {escaped(route)}"
            gathering.add(name, text, where, one_line(operation.get("summary")))
        hooks = self._found.get("webhooks")
        notes = [f"{len(hooks)} webhooks left out"] if isinstance(hooks, dict) and hooks else []
        if self._outside:
            notes.append(f"{self._outside} references to other files, or to nothing, left out")
        return gathering.corpus(*notes)

    def _operations(self) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
        for route, entry in self._paths.items():
            item = self._resolved(entry)
            for method in METHODS:
                operation = item.get(method)
                if isinstance(operation, dict):
                    yield method, str(route), item, operation

    def _parameters(self, found: Any) -> dict[str, str]:
        items = found if isinstance(found, list) else []
        return _parameters([self._resolved(item) for item in items[:_MOST_PARAMETERS]])

    def _resolved(self, entry: Any) -> dict[str, Any]:
        """Follow references inside the file; what leads elsewhere is counted and empty."""
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(entry, dict):
                return {}
            reference = entry.get("$ref")
            if not isinstance(reference, str):
                return entry
            entry = self._at(reference)
        self._outside += 1
        return {}

    def _at(self, reference: str) -> Any:
        entry: Any = self._found if reference.startswith("#/") else None
        for part in reference[2:].split("/")[:_LONGEST_CHAIN]:
            key = part.replace("~1", "/").replace("~0", "~")
            entry = entry.get(key) if isinstance(entry, dict) else None
        self._outside += entry is None
        return entry


def _parameters(found: Any) -> dict[str, str]:
    """Return names with descriptions; a list of operations one a line may have the names alone."""
    named: dict[str, str] = {}
    for item in found[:_MOST_PARAMETERS] if isinstance(found, list) else []:
        if isinstance(item, str):
            named.setdefault(item, "")
        elif isinstance(item, dict) and isinstance(item.get("name"), str):
            said = item.get("description")
            named[item["name"]] = said if isinstance(said, str) else ""
    return named


def _document(
    operation: Mapping[str, Any], method: str, route: str, parameters: Mapping[str, str]
) -> tuple[str, str]:
    """Return an operation's name and text."""
    given = operation.get("operationId")
    name = given if isinstance(given, str) and given else ""
    tags = operation.get("tags")
    words = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    said = [operation.get("summary"), operation.get("description")]
    parts = [
        name,
        f"{method} {route}",
        *(text for text in said if isinstance(text, str)),
        f"Tags: {', '.join(words)}" if words else "",
        "\n".join(f"{key}: {text}" if text else key for key, text in parameters.items()),
    ]
    return name or f"{method} {route}", "\n\n".join(part for part in parts if part)
