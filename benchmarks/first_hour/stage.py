"""`just first-hour FOLDER`: the projects that ten tasks of the first hour begin with (TASKS.md).

A reader who has only the built site and the wheel works through them; READERS.md says how it went.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGES = {
    "index.md": """# Parcel

Parcel ships your services to machines. Begin with [installing](install.md).

## What it is not

Parcel does not build images. Use the builder of your choice.
""",
    "install.md": """# Installing

Download the binary and put it on your path.

## On Linux

Unpack the archive into `/usr/local/bin`. Parcel needs glibc 2.31.

## On macOS

Use the package. Allow it in the security settings the first time.

## Upgrading

Stop the agent, replace the binary, start the agent. Releases keep their state.
""",
    "keys.md": """# Access keys

Every client signs in with a key.

## Creating

`parcel key create NAME` prints the key once. Store it in your secret manager.

## Rotation

Replace keys every 90 days. Two keys of one client may be valid at the same time, so that nothing stops.

## Revocation

`parcel key revoke` ends a leaked key at once, on all machines.
""",
    "deploy.md": """# Deploying

A deployment is a release on a set of machines.

## Rolling updates

Machines are replaced one batch at a time. A batch waits until the one before is healthy.

## Rolling back

`parcel rollback` puts the previous release back. Databases are not touched.

## Health checks

A machine is healthy when its endpoint answers 200 three times in a row.
""",
    "config.md": """# Configuration

Settings live in `parcel.toml`.

## Variables

`[env]` sets environment variables of a service. Values from the vault are written as `vault:NAME`.

## Resources

`memory` and `cpu` limit what a service may use. One that needs more is ended and started again.

## Logging

`log.level` is `info` unless you say otherwise. Logs are kept for 14 days.
""",
    "network.md": """# Network

Services find each other by name.

## Ports

A service listens on the port in `$PORT`. Others are closed.

## Certificates

Certificates are requested and renewed on their own, 30 days before they end.

## Private networks

Machines of one project share a network that nobody else can reach.
""",
    "limits.md": """# Quotas

What a project may use is limited.

## Machines

A project has at most 20 machines. Ask support for more.

## Requests

The API answers 600 requests a minute for each key, and 429 above that.

## Storage

A volume has at most 500 GB.
""",
    "backup.md": """# Backups

Volumes are copied every night.

## Restoring

`parcel volume restore` makes a new volume from a copy. The old one stays until you delete it.

## How long copies are kept

Nightly copies stay for 30 days, weekly ones for a year.
""",
    "billing.md": """# Billing

You pay for machines by the second.

## Invoices

Invoices come on the first day of the month, by mail and on the page of your account.

## Free tier

One small machine is free.
""",
    "troubleshooting.md": """# Troubleshooting

What to do when something does not work.

## A deployment hangs

Look at the health check: `parcel status` names the machine that waits.

## Out of memory

`parcel events` shows services that were ended. Raise `memory`.

## Cannot connect to the agent

Is it running? `systemctl status parcel-agent`.
""",
}
QUERIES = [
    ("how do I replace an API key without downtime", "keys.md#Rotation"),
    ("my key leaked on GitHub", "keys.md#Revocation"),
    ("go back to the version before", "deploy.md#Rolling back"),
    ("service is killed again and again", "troubleshooting.md#Out of memory"),
    ("renew TLS certificates", "network.md#Certificates"),
    ("too many requests 429", "limits.md#Requests"),
    ("how many machines may I have", "limits.md#Machines"),
    ("restore data from last week", "backup.md#Restoring"),
    ("where are my invoices", "billing.md#Invoices"),
    ("when is a machine healthy", "deploy.md#Health checks"),
    ("pass secrets from the vault to a service", "config.md#Variables"),
    ("how long are logs kept", "config.md#Logging"),
    ("install on a mac", "install.md#On macOS"),
    ("deployment waits forever", "troubleshooting.md#A deployment hangs"),
    ("which port must my service listen on", "network.md#Ports"),
    ("is there anything free", "billing.md#Free tier"),
]
SEARCH = '''"""A small search over docs/: words, weighted by how rare they are."""

import math
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parent / "docs"
LEFT_OUT = {left_out}


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def sections():
    for path in sorted(DOCS.rglob("*.md")):
        if path.name in LEFT_OUT:
            continue
        lines = path.read_text(encoding="utf-8").split("\\n")
        starts = [n for n, line in enumerate(lines) if line.startswith("#")] + [len(lines)]
        for start, end in zip(starts, starts[1:]):
            yield path.relative_to(DOCS).as_posix(), start + 1, end, " ".join(lines[start:end])


def ranked(query, k, length={length}):
    found = list(sections())
    counts = [Counter(words(text)) for *_, text in found]
    seen = Counter(word for count in counts for word in count)
    scores = []
    for (path, start, end, _), count in zip(found, counts):
        size = 1 + {length} * sum(count.values())
        asked = [word for word in words(query) if word in count]
        score = sum(count[w] / (count[w] + size) * math.log(1 + len(found) / seen[w]) for w in asked)
        if score:
            scores.append((-score, path, start, end))
    return [(path, start, end, -score) for score, path, start, end in sorted(scores)[:k]]


def search(query, k):
    return [{hit} for path, start, end, score in ranked(query, k)]
'''
HIT = '{"path": path, "start": start, "end": end, "score": score}'
SERVER = '''"""Parcel's search API: python server.py, then http://127.0.0.1:8123/v1/search."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from search import ranked


class Api(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/search" or self.headers.get("X-Token") != "parcel-demo":
            self.answer(401, {"error": "X-Token is missing or wrong"})
            return
        found = ranked(asked["q"], asked["limit"])
        hits = [{"doc": path, "from": start, "to": end} for path, start, end, _ in found]
        self.answer(200, {"data": {"results": hits}})

    def answer(self, code, body):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", 8123), Api).serve_forever()
'''
RETRIEVER = '''"""The retriever of our assistant."""

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from search import DOCS, ranked


class PassageRetriever(BaseRetriever):
    k: int = 5

    def _get_relevant_documents(self, query, *, run_manager):
        found = []
        for path, start, end, _ in ranked(query, self.k):
            lines = (DOCS / path).read_text(encoding="utf-8").split("\\n")[start - 1 : end]
            text = "\\n".join(lines).strip()
            found.append(Document(page_content=text, metadata={"source": str(DOCS / path)}))
        return found


retriever = PassageRetriever()
'''


def suite(queries: list[tuple[str, str]], gates: str) -> str:
    """Write a suite over the documents."""
    cases = "".join(f"  - query: {query}\n    at: {at}\n" for query, at in queries)
    return f"corpus: docs/\ngates: [{gates}]\ncases:\n{cases}"


def project(folder: Path, *, hit: str = HIT, left_out: str = "set()", length: str = "0.2") -> Path:
    """Write documents and a search."""
    for name, text in PAGES.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = SEARCH.replace("{left_out}", left_out).replace("{length}", length).replace("{hit}", hit)
    (folder / "search.py").write_text(made)
    return folder


def git(folder: Path, *words: str) -> None:
    """Call git as somebody."""
    who = ("-c", "user.name=Dana", "-c", "user.email=dana@example.com")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def found_early(queries: list[tuple[str, str]], folder: Path) -> list[tuple[str, str]]:
    """Return the queries whose section the search has among the first five, so that a suite begins green."""
    code = (
        "import json, sys; from search import ranked; "
        "print(json.dumps([[h[:2] for h in ranked(q, 5)] for q in json.loads(sys.argv[1])]))"
    )
    asked = json.dumps([query for query, _ in queries])
    done = subprocess.run(
        [sys.executable, "-c", code, asked], cwd=folder, check=True, capture_output=True, text=True
    )
    return [
        one for one, hits in zip(queries, json.loads(done.stdout), strict=True) if _section(one[1]) in hits
    ]


def _section(at: str) -> list[object]:
    page, _, heading = at.partition("#")
    return [page, PAGES[page].split("\n").index(f"## {heading}") + 1]


def stage(root: Path, rankgate: str) -> None:
    """Write all projects."""
    project(root / "t01")
    two = project(root / "t02")
    (two / "server.py").write_text(SERVER)
    good = found_early(QUERIES, two)
    (two / "search.yaml").write_text(suite(good, "hit@5 >= 0.8"))
    three = project(root / "t03", left_out='{"limits.md"}')
    (three / "search.yaml").write_text(suite(good, "hit@5 = 100%"))
    (three / "rankgate.toml").write_text('system = "ours"\n\n[systems.ours]\nfunction = "search:search"\n')
    four = project(root / "t04", hit=HIT.replace("path,", '"/srv/build/content/" + path,', 1))
    (four / "search.yaml").write_text(suite(good, "hit@5 >= 0.8"))
    (four / "rankgate.toml").write_text('system = "ours"\n\n[systems.ours]\nfunction = "search:search"\n')
    five = project(root / "t05")
    (five / "search.yaml").write_text(suite(good, "hit@5 >= 0.8"))
    (five / "rankgate.toml").write_text('system = "ours"\n\n[systems.ours]\nfunction = "search:search"\n')
    git(five, "init", "-q", "-b", "main")
    git(five, "add", "-A")
    git(five, "commit", "-qm", "Search, and what it should find")
    six = project(root / "t06")
    (six / "search.yaml").write_text(suite(good, '"hit@5 >= 0.8", "drop(hit@5) < 0.02"'))
    (six / "rankgate.toml").write_text('system = "ours"\n\n[systems.ours]\nfunction = "search:search"\n')
    git(six, "init", "-q", "-b", "main")
    (six / ".gitignore").write_text(".rankgate/\n__pycache__/\n")
    subprocess.run([rankgate, "test", "search.yaml"], cwd=six, check=False, capture_output=True)
    subprocess.run([rankgate, "baseline", "set", "search.yaml"], cwd=six, check=True, capture_output=True)
    git(six, "add", "-A")
    git(six, "commit", "-qm", "Search, gated")
    _edited(six / "docs")
    git(six, "add", "-A")
    git(six, "commit", "-qm", "Keys have a page of their own, and deploying is reworded")
    seven = project(root / "t07")
    shutil.copy(seven / "search.py", seven / "old.py")
    project(seven, length="0.02")
    shutil.copy(seven / "search.py", seven / "new.py")
    (seven / "search.py").unlink()
    (seven / "search.yaml").write_text(suite(QUERIES, "hit@5 >= 0.5"))
    (seven / "rankgate.toml").write_text(
        '[systems.old]\nfunction = "old:search"\n\n[systems.new]\nfunction = "new:search"\n'
    )
    eight = project(root / "t08", hit="path")
    with (eight / "judgments.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["search term", "page", "rating", "rated by"])
        for query, at in QUERIES:
            writer.writerow([query, at.split("#")[0], 3, "ana"])
            writer.writerow([query, "index.md", 0, "ben"])
    nine = project(root / "t09")
    (nine / "rag.py").write_text(RETRIEVER)
    (nine / "search.yaml").write_text(suite(good, "hit@5 >= 0.8"))
    ten = project(root / "t10")
    (ten / "search.yaml").write_text(suite(good, "hit@5 >= 0.8"))
    (ten / "rankgate.toml").write_text('system = "ours"\n\n[systems.ours]\nfunction = "search:search"\n')


def _edited(docs: Path) -> None:
    """Edit documents as writers do: move a section, rename a heading, add lines."""
    text = (docs / "keys.md").read_text()
    start = text.index("## Revocation")
    moved = text[start:].replace("## Revocation", "## Leaked keys")
    (docs / "security.md").write_text(f"# Security\n\nWhat to do when something leaks.\n\n{moved}")
    (docs / "keys.md").write_text(text[:start].rstrip() + "\n")
    deploy = (docs / "deploy.md").read_text().replace("## Rolling back", "## Undo a release")
    (docs / "deploy.md").write_text(
        deploy.replace("# Deploying\n", "# Deploying\n\nNew in 3.0: batches.\n", 1)
    )


def main() -> None:
    """Stage the projects into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rankgate", default="rankgate", help="the command that makes the baseline of t06")
    given = parser.parse_args()
    stage(given.folder, str(Path(given.rankgate).absolute()) if "/" in given.rankgate else given.rankgate)
    shutil.copy(HERE / "TASKS.md", given.folder)


if __name__ == "__main__":
    main()
