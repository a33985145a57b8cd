"""What an agent sees: ten questions on Django to the reference system's MCP server, call by call.

    python benchmarks/reference_transcript.py .fixtures/django-5.2.8 [--cache DIR] [--whole]

To be read, not compared: each line says what was asked, how long it took, and how many tokens came back.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

QUESTIONS: Sequence[tuple[str, Sequence[tuple[str, dict[str, object]]]]] = (
    (
        "How does Django decide which view handles a URL?",
        (
            ("search_documents", {"query": "how does Django process a request URL to a view", "k": 5}),
            (
                "get_node_content",
                {"ids": ["docs/topics/http/urls.txt#URL dispatcher/How Django processes a request"]},
            ),
            ("find_symbol", {"name": "URLResolver.resolve"}),
        ),
    ),
    (
        "Where is get_object_or_404 and what does it raise?",
        (
            ("find_symbol", {"name": "get_object_or_404"}),
            ("get_node_content", {"ids": ["django/shortcuts.py::get_object_or_404"]}),
        ),
    ),
    (
        "How do I write a data migration?",
        (
            ("search_documents", {"query": "data migration RunPython", "k": 5, "filters": {"type": "docs"}}),
            ("navigate_tree", {"node": "docs/topics/migrations.txt#Migrations/Data Migrations"}),
        ),
    ),
    (
        "What are the methods of QuerySet?",
        (
            ("get_tree", {"document": "django/db/models/query.py::QuerySet", "budget": 2000}),
            ("get_node_content", {"ids": ["django.db.models.query.QuerySet"]}),
            ("get_node_content", {"ids": ["django/db/models/query.py::QuerySet"]}),
        ),
    ),
    (
        "Where is the CSRF token checked?",
        (
            (
                "search_documents",
                {"query": "check csrf token middleware", "k": 5, "filters": {"type": "django"}},
            ),
            ("navigate_tree", {"node": "django/middleware/csrf.py::CsrfViewMiddleware", "budget": 1500}),
        ),
    ),
    (
        "How are passwords hashed, and how do I change the algorithm?",
        (
            ("search_documents", {"query": "password hashers setting default algorithm", "k": 5}),
            ("get_tree", {"document": "docs/topics/auth/passwords.txt"}),
        ),
    ),
    (
        "A traceback says django/db/models/sql/compiler.py:1500. What is there?",
        (("get_node_content", {"ids": ["django/db/models/sql/compiler.py:1500"]}),),
    ),
    (
        "Is there a setting for the session cookie's age?",
        (
            ("search_documents", {"query": "SESSION_COOKIE_AGE", "k": 5}),
            ("search_documents", {"query": "SESION_COOKIE_AGE", "k": 3}),
        ),
    ),
    (
        "What is in this repository?",
        (
            ("list_documents", {"limit": 10}),
            ("list_documents", {"path_prefix": "docs/howto/", "limit": 10}),
        ),
    ),
    (
        "Mistakes that agents make",
        (
            ("get_node_content", {"ids": ["django/db/models/query.py::QuerySet.bulk_creat"]}),
            ("get_tree", {"document": "models/query.py"}),
            ("search_documents", {"query": "cache", "limit": 3}),
            ("search_documents", {"query": "cache", "filters": {"lang": "python"}}),
            ("find_symbol", {"name": "QuerySet.get_or_crate"}),
            ("find_symbol", {"name": "django.http.HttpResponse"}),
            ("get_tree", {"document": "django/db/models"}),
            ("get_node_content", {"ids": ["django/shortcuts.py#L90", "django/shortcut.py"]}),
            ("navigate_tree", {"node": "../../etc/passwd"}),
        ),
    ),
)


@asynccontextmanager
async def _session(root: str, cache: str | None) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import get_default_environment, stdio_client

    arguments = ["-m", "rankgate_reference.main", "serve", root, *(["--cache", cache] if cache else [])]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path[1:])}
    program = StdioServerParameters(
        command=sys.executable, args=arguments, env={**get_default_environment(), **paths}
    )
    async with stdio_client(program) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


async def _run(root: str, cache: str | None, whole: bool) -> None:
    async with _session(root, cache) as session:
        listed = (await session.list_tools()).tools
        sizes = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in listed])) // 4
        print(f"{len(listed)} tools, ≈{sizes:,} tokens of names, descriptions and schemas")
        for number, (question, calls) in enumerate(QUESTIONS, 1):
            print(f"\n{number}. {question}")
            for tool, arguments in calls:
                begun = time.perf_counter()
                result: Any = await session.call_tool(tool, arguments)
                seconds = time.perf_counter() - begun
                text = result.content[0].text
                error = getattr(result, "is_error", getattr(result, "isError", False))
                size = len(text.encode()) // 4
                said = f"{seconds * 1000:.0f} ms, ≈{size:,} tokens{', error' if error else ''}"
                print(f"\n> {tool} {json.dumps(arguments)}  ({said})")
                print(text if whole else "\n".join(text.split("\n")[:12]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root")
    parser.add_argument("--cache")
    parser.add_argument("--whole", action="store_true", help="print whole answers, not their first lines")
    given = parser.parse_args()
    asyncio.run(_run(given.root, given.cache, given.whole))
