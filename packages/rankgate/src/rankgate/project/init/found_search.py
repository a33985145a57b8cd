"""The search of a project: a function of its code, or an engine that its configuration names."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from rankgate.project.init.project_parts import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMES = ("search", "retrieve", "find")
_ASKED = ("query", "q", "text", "question")
COMPOSE = ("compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml")
_ENGINES = {"opensearch": "opensearch.yml", "elasticsearch": "elasticsearch.yml"}
_IMAGE = re.compile(r"(?:^|/)(opensearch|elasticsearch)(?::|@|\Z)")
_LARGEST = 200_000
_MOST_FILES = 2000
_VARIABLE = re.compile(r"(?:export )?(OPENSEARCH|ELASTICSEARCH|ELASTIC)_(URL|HOST|HOSTS|INDEX)=(.*)")


@dataclass(frozen=True, slots=True)
class FoundSearch:
    """What answers queries in a project."""

    function: str = ""
    """``./file.py:name``, where it is a function."""
    kind: str = ""
    """``opensearch`` or ``elasticsearch``, where it is an engine."""
    host: str = ""
    """The address of the engine."""
    index: str = ""
    """The index that is searched; a pattern for all of them where nothing names it."""
    body: str = ""
    """The file of the request, with placeholders, below the project."""
    where: str = ""
    """The file that says so."""


def find_search(project: Path) -> FoundSearch | None:
    """Return the search of a folder; None where nothing says that there is one."""
    function = _function(project)
    return FoundSearch(function=function, where=function[2:]) if function else _engine(project)


def _function(project: Path) -> str:
    """Look for a function that searches, in the Python files nearest to the top."""
    for path in _files(project, ".py"):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, OSError, RecursionError):
            continue
        for node in tree.body:
            if isinstance(node, _FUNCTIONS) and node.name in _NAMES and _asks(node):
                return f"./{path.relative_to(project).as_posix()}:{node.name}"
    return ""


def _asks(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether this is a search and no helper: its first parameter is a query."""
    return bool(node.args.args) and node.args.args[0].arg in _ASKED


def _files(project: Path, *endings: str) -> list[Path]:
    """List the files nearest to the top first."""
    found = [
        path
        for path in project.rglob("*")
        if path.suffix in endings and not SKIPPED & set(path.relative_to(project).parts) and path.is_file()
    ]
    return sorted(found, key=lambda path: (len(path.parts), path))[:_MOST_FILES]


def _engine(project: Path) -> FoundSearch | None:
    """Return the engine that a composition of containers, its own configuration or variables name."""
    variables = dict(_variables(project))
    found = next(_composed(project), None) or next(_configured(project), None)
    url = next((variables[name] for name in sorted(variables) if not name.endswith("INDEX")), "")
    if found is None and not url:
        return None
    kind, host, where = found or ("opensearch", url, ".env")
    if found is None and any(name.startswith("ELASTIC") for name in variables):
        kind = "elasticsearch"
    index = next((variables[name] for name in sorted(variables) if name.endswith("INDEX")), "*")
    return FoundSearch(kind=kind, host=url or host, index=index, body=_body(project), where=where)


def _variables(project: Path) -> Iterator[tuple[str, str]]:
    """Return what example files of the environment say; those with secrets are not read."""
    for name in (".env.example", ".env.sample", ".env.template", "env.example"):
        path = project / name
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else ():
            found = _VARIABLE.fullmatch(line.strip())
            value = "" if found is None else found[3].strip().strip("'\"")
            if found is not None and value and "@" not in value:
                yield f"{found[1]}_{found[2]}", value


def _composed(project: Path) -> Iterator[tuple[str, str, str]]:
    for name in COMPOSE:
        for service in _services(_yaml(project / name)):
            image = service.get("image")
            engine = _IMAGE.search(image) if isinstance(image, str) else None
            if engine is not None:
                yield engine[1], f"http://localhost:{_port(service.get('ports'))}", name


def _services(found: Any) -> list[dict[str, Any]]:
    services = found.get("services") if isinstance(found, dict) else None
    listed = services.values() if isinstance(services, dict) else ()
    return [one for one in listed if isinstance(one, dict)]


def _port(ports: Any) -> int:
    """Return the port of this machine at which the engine's 9200 is."""
    for one in ports if isinstance(ports, list) else ():
        found = re.fullmatch(r"(?:[\d.]+:)?(\d+):9200(?:/tcp)?", str(one))
        if found is not None:
            return int(found[1])
    return 9200


def _configured(project: Path) -> Iterator[tuple[str, str, str]]:
    for kind, name in _ENGINES.items():
        for place in (".", "config", kind):
            found = _yaml(project / place / name)
            if isinstance(found, dict):
                port = found.get("http.port", 9200)
                where = (project / place / name).relative_to(project).as_posix()
                yield kind, f"http://localhost:{port if isinstance(port, int) else 9200}", where


def _yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else None
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return None


def _body(project: Path) -> str:
    """Look for a request with the placeholders of rankgate."""
    for path in _files(project, ".json"):
        if path.stat().st_size > _LARGEST:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if '"{query}"' in text and '"{k}"' in text:
            try:
                found = json.loads(text)
            except ValueError:
                continue
            if isinstance(found, dict) and "query" in found:
                return path.relative_to(project).as_posix()
    return ""
