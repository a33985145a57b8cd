"""What is done with each extra: a small project, and commands of rankgate that must end well in it."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS = (
    "# Keys\n\n## Rotation\n\nRotate an API key every month.\n\n## Revocation\n\nEnd a leaked key at once.\n"
)
HOOKS = (
    "# Webhooks\n\n## Retries\n\nA failed webhook is sent again, five times.\n\n## Order\n\nNone is kept.\n"
)
SUITE = """corpus: docs/
gates: [rr@3 >= 0.5]
cases:
  - {query: rotate an API key, at: keys.md#Rotation}
  - {query: failed webhook sent again, at: hooks.md#Retries}
"""
TEST = ("test", "search.yaml", "--system", "tried")
ENGINE = b"""
import rankgate as rg

class Words(rg.SystemBase):
    wants_documents = True

    def build(self, documents, name):
        self.documents = list(documents)
        return True

    def search(self, query):
        words = set(query.text.lower().split())
        shared = [len(words & set(one.text.lower().split())) for one in self.documents]
        best = sorted(filter(shared.__getitem__, range(len(shared))), key=lambda at: -shared[at])
        found = [self.documents[at] for at in best[: query.k]]
        return rg.Ranking(tuple(rg.Hit(one.id, one.path, one.lines) for one in found))

def open_words(name, options):
    return Words(name)
"""
DOCUMENTS = {"docs/keys.md": KEYS.encode(), "docs/hooks.md": HOOKS.encode(), "engine.py": ENGINE}
BY_WORDS = 'kind = "./engine.py:open_words"\n'

BUILT = 'kind = "{}"\nchunks = "section"\n'
SQL = """SELECT path, 5 AS start
FROM (VALUES ('keys.md', 'rotate an API key'), ('hooks.md', 'failed webhook sent again')) AS p (path, words)
WHERE to_tsvector(words) @@ plainto_tsquery(%(query)s) LIMIT %(k)s"""
OTHERS = {"docs/hooks.md": HOOKS.encode(), "engine.py": ENGINE}
GO = b"package keys\n\n// Rotate makes a new key.\nfunc Rotate(old string) string {\n\treturn old\n}\n"
RST = b"Keys\n====\n\nRotation\n--------\n\nRotate an API key every month.\n"
ONE_CASE = "gates: [rr@3 >= 1]\ncases: [{{query: rotate a key, at: '{at}'}}]\ncorpus: {corpus}\n"

MCP_SERVER = b"""
import json, sys

def answer(method, asked):
    if method == "initialize":
        kept = {"protocolVersion": asked["protocolVersion"], "capabilities": {"tools": {}}}
        return kept | {"serverInfo": {"name": "docs", "version": "1"}}
    if method == "tools/list":
        schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        return {"tools": [{"name": "search", "inputSchema": schema}]}
    if method == "tools/call":
        path = "hooks.md" if "webhook" in asked["arguments"]["query"] else "keys.md"
        text = json.dumps({"hits": [{"path": path, "line": 5}]})
        return {"content": [{"type": "text", "text": text}]}
    return {}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        kept = answer(message["method"], message.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": kept}), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One extra at work."""

    configuration: str
    """The table of the system `tried`; {url} is the address of the server."""
    suite: str = SUITE
    """The suite."""
    files: Mapping[str, bytes] = field(default_factory=lambda: DOCUMENTS)
    """Files of the project, by path."""
    commands: tuple[tuple[str, ...], ...] = (TEST,)
    """Calls of rankgate, each of which must end with 0."""
    server: str = ""
    """What must run beside it: a key of `extras.SERVERS`."""


def _read(at: str, path: str, data: bytes, corpus: str = "docs/", **options: tuple[str, ...]) -> Trial:
    suite = ONE_CASE.format(at=at, corpus=corpus)
    return Trial(f'{BY_WORDS}chunks = "section"\n', suite, {path: data, **OTHERS}, **options)  # type: ignore[arg-type]


TRIALS = {
    "code": _read("keys.go::Rotate", "docs/keys.go", GO),
    "engines": Trial(
        f"{BUILT.format('tantivy')}[systems.bm25s]\n{BUILT.format('bm25s')}[systems.lancedb]\n{BUILT.format('lancedb')}",
        commands=(TEST, *((*TEST[:3], name) for name in ("bm25s", "lancedb"))),
    ),
    "http": Trial(
        'kind = "http"\nurl = "{url}"\nparams = {{ q = "{{query}}" }}\nhits = "hits"\n'
        'fields = {{ path = "path", start = "line" }}\n',
        server="http",
    ),
    "mcp": Trial(
        'kind = "mcp"\ncommand = ["python3", "server.py"]\ntool = "search"\n'
        'arguments = {{ query = "{{query}}" }}\noutput = "json"\nhits = "hits"\n'
        'fields = {{ path = "path", start = "line" }}\n',
        files={**DOCUMENTS, "server.py": MCP_SERVER},
    ),
    "postgres": Trial(f'kind = "postgres"\ndsn = "{{url}}"\nsql = """{SQL}"""\n', server="postgres"),
    "reference": Trial('kind = "reference"\ncorpus = "suite"\n'),
    "rst": _read("keys.rst#Rotation", "docs/keys.rst", RST),
}
"""Every extra of the metadata; a test compares the names."""


class _Answers(BaseHTTPRequestHandler):
    """A JSON API that finds what the suite asks for."""

    def do_GET(self) -> None:
        """Answer a search."""
        place = {"path": "hooks.md" if "webhook" in self.path else "keys.md", "line": 5}
        body = json.dumps({"hits": [place]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Keep quiet."""


@contextmanager
def json_api() -> Iterator[str]:
    """Serve the JSON API, and return its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/search"
        finally:
            server.shutdown()
