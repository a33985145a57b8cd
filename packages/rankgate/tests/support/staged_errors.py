"""A small project in which every kind of error is staged, and what mends it is carried out."""

from __future__ import annotations

import gzip
import hashlib
import json
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock

from rankgate.errors import Code
from support.archives import member, tar_of, tar_with
from support.commands import rankgate
from support.http_servers import serving as web
from support.projects import write_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager, ExitStack

    import pytest

CASE = "revoke-a-leaked-key"
PYTHON = sys.executable
DOCS = tar_with({"docs/keys.md": "# Keys\n\n## Revocation\nAt once.\n"})
MCP = Path(__file__).parent / "mcp_text_server.py"
ONE_CASE = "cases:\n  - query: revoke a leaked key\n    at: keys.md#Revocation\n"


class StagedProject:
    """The project, and what is needed to make it wrong."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, open_until_the_end: ExitStack) -> None:
        self.folder = write_project(folder)
        self.monkeypatch = monkeypatch
        self._stack = open_until_the_end
        """A library that was taken away."""
        self.edit("rankgate.toml", 'system = "app"', 'system = "good"')

    def write(self, file: str, text: str | bytes) -> None:
        """Write a file."""
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def edit(self, file: str, old: str, new: str) -> None:
        """Change one place of a file."""
        path = self.folder / file
        text = path.read_text()
        assert old in text, (old, text)
        path.write_text(text.replace(old, new, 1))

    def system(self, table: str) -> None:
        """Configure another system as the usual one, whose results are documents."""
        self.edit("search.yaml", "cases:", "match: path\ncases:")
        self.write("rankgate.toml", f'suites = ["search.yaml"]\n[systems.good]\n{table}\n')

    def code(self, body: str, parameters: str = "query, k") -> None:
        """Write another function as the usual system."""
        self.write("app.py", f"def good({parameters}):\n    {body}\n")

    def corpus(self, corpus: str) -> None:
        """Name other documents."""
        self.edit("search.yaml", "corpus: docs/", f"corpus: {corpus}")

    def gate(self, gate: str) -> None:
        """Name other gates."""
        self.edit("search.yaml", "[rr >= 0.9, ndcg@10 >= 0.1]", gate)

    def during(self, context: AbstractContextManager[Any]) -> Any:
        """Enter what stays open until the test ends."""
        return self._stack.enter_context(context)

    def served(self, answer: object = (), path: str = "search", more: str = "") -> None:
        """Ask an HTTP server."""
        server = self.during(web())
        server.answer = answer
        self.system(f'kind = "http"\nurl = "{server.url}/{path}?q={{query}}"\nhits = "[]"\n{more}')


class Staged(NamedTuple):
    """One error, and what mends it."""

    command: str
    """The command that shows it."""
    stage: Callable[[StagedProject], object] = lambda _: None
    """What makes the project wrong."""
    mend: Callable[[StagedProject], object] | None = None
    """The edit that the advice asks for; None where the command alone is wrong, or nothing local mends it."""
    right: str = ""
    """The command that the advice asks for, after the edit; empty for the same."""


def tried(command: str) -> tuple[int | str | None, str]:
    """Call a command, and return how it ended and all that it printed."""
    done = rankgate(*shlex.split(command))
    return done.code, done.out + done.err


def run(*commands: str) -> None:
    """Call commands that succeed or fail a gate."""
    for command in commands:
        code, said = tried(command)
        assert code in (0, 1), said


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


def _busy(project: StagedProject) -> int:
    listening = project.during(socket.socket())
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    return int(listening.getsockname()[1])


def _port(project: StagedProject) -> None:
    run("test")
    project.monkeypatch.setenv("STAGED_PORT", str(_busy(project)))


def _stored(project: StagedProject) -> None:
    project.write(
        "rankgate.toml", (project.folder / "rankgate.toml").read_text() + '[systems.old]\nrun = "kept"\n'
    )
    run("run search.yaml -o kept")


def _packed(project: StagedProject) -> None:
    run("suite convert search.yaml plain.jsonl")
    project.write("packed.jsonl.gz", gzip.compress((project.folder / "plain.jsonl").read_bytes()))
    project.monkeypatch.setenv("RANKGATE_MAX_UNPACKED", "100")


def _elastic(kind: str, failed: int = 0) -> Callable[[StagedProject], object]:
    """Ask a server that says it is OpenSearch, of whose two shards some may have failed."""
    shards = {"total": 2, "successful": 2 - failed, "skipped": 0, "failed": failed}
    found = [{"_index": "pages", "_id": "keys.md", "_score": 1.0, "_source": {}}]
    hits = {"total": {"value": 1, "relation": "eq"}, "hits": found}
    about = {"version": {"distribution": "opensearch", "number": "3.0.0"}, "tagline": "OpenSearch"}

    def stage(project: StagedProject) -> None:
        server = project.during(web())
        server.answer = {**about, "took": 1, "timed_out": False, "_shards": shards, "hits": hits}
        body = '{ size = "{k}", query = { match = { body = "{query}" } } }'
        project.system(
            f'kind = "{kind}"\nhosts = ["{server.url}"]\nindex = "pages"\n'
            f'body = {body}\nfields = {{ path = "_id" }}'
        )

    return stage


def _damaged(_: StagedProject) -> None:
    run("run search.yaml -o kept")
    (table,) = Path("kept").glob("hits*.parquet")
    table.write_bytes(table.read_bytes()[:-9])


def _mcp(tool: str) -> Callable[[StagedProject], object]:
    return lambda project: project.system(
        f'kind = "mcp"\ncommand = ["{PYTHON}", "{MCP}"]\ntool = "{tool}"\noutput = "text"\n'
        "pattern = 'File: (?P<path>\\S+)'\nempty = 'No results'\n"
        '[systems.good.arguments]\nquery = "{query}"'
    )


SQLITE = (
    'kind = "sqlite"\ndatabase = "pages.db"\nsql = "SELECT path FROM pages WHERE body MATCH :query LIMIT :k"'
)


def _database(project: StagedProject) -> None:
    with closing(sqlite3.connect(project.folder / "pages.db")) as database:
        database.execute("CREATE VIRTUAL TABLE pages USING fts5(path, body)")
        database.execute("INSERT INTO pages VALUES ('keys.md', 'revoke a leaked key')")
        database.commit()


def _other_baseline(project: StagedProject) -> None:
    run("test", "baseline set")
    shutil.copy(project.folder / "baselines/search.good.jsonl", project.folder / "baselines/search.app.jsonl")


def _own_baseline(project: StagedProject) -> None:
    (project.folder / "baselines/search.app.jsonl").unlink()
    run("baseline set --system app")


def _served(project: StagedProject) -> None:
    project.served([{"path": "keys.md"}])


def _under_way(project: StagedProject) -> None:
    run("run search.yaml -o kept")
    project.during(FileLock(project.folder / "kept" / ".lock"))


def _repository(_: StagedProject) -> None:
    git("init", "-q")
    git("add", "docs")
    git("commit", "-qm", "documents")


def _pin(project: StagedProject) -> None:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    project.edit("search.yaml", "HEAD", commit.strip())


def _command(code: str, more: str = "") -> Callable[[StagedProject], object]:
    words = json.dumps([PYTHON, "-c", code, "{query}"])
    return lambda project: project.system(f'kind = "command"\ncommand = {words}\n{more}')


def _edit(file: str, old: str, new: str) -> Callable[[StagedProject], object]:
    return lambda project: project.edit(file, old, new)


def _write(file: str, text: str | bytes) -> Callable[[StagedProject], object]:
    return lambda project: project.write(file, text)


def _two_unlisted_suites(project: StagedProject) -> None:
    project.edit("rankgate.toml", 'suites = ["search.yaml"]\n', "")
    project.write("other.yaml", (project.folder / "search.yaml").read_text())


def _code(body: str, parameters: str = "query, k") -> Callable[[StagedProject], object]:
    return lambda project: project.code(body, parameters)


def _system(table: str) -> Callable[[StagedProject], object]:
    return lambda project: project.system(table)


def _all(*deeds: Callable[[StagedProject], object]) -> Callable[[StagedProject], object]:
    return lambda project: [deed(project) for deed in deeds]


def _ran(*commands: str) -> Callable[[StagedProject], object]:
    return lambda _: run(*commands)


def _without_urllib3(project: StagedProject) -> None:
    for name in [name for name in sys.modules if name.startswith(("urllib3", "rankgate.systems.http"))]:
        project.monkeypatch.delitem(sys.modules, name)
    project.monkeypatch.setitem(sys.modules, "urllib3", None)


def _crash(project: StagedProject) -> None:
    def wrong() -> None:
        raise KeyError("surprise")

    project.monkeypatch.setattr("rankgate.suites.formats.format_names", wrong)


HITS = '[{"path": "keys.md"}]'
FOUND = 'return ["keys.md#Revocation"]'
PLUGIN = """\
import rankgate as rg
def good(query, k):
    raise rg.{}(rg.Problem("shelf", "no such shelf", "a shelf"))
"""

STAGED: dict[Code, Staged] = {
    Code.USAGE: Staged("test --limt 1", right="test --limit 1"),
    Code.CONFLICT: Staged(
        "run search.yaml --replace --resume -o out", right="run search.yaml --replace -o out"
    ),
    Code.MISSING_OPTION: Staged("query good", right="query good 'revoke a key'"),
    Code.WRONG_OPTION: Staged("test --report pdf", right="test --report json=report.json"),
    Code.NO_SUITE: Staged("test", _two_unlisted_suites, right="test search.yaml"),
    Code.NO_SYSTEM: Staged(
        "test", _edit("rankgate.toml", 'system = "good"\n', ""), right="test --system good"
    ),
    Code.UNKNOWN_SYSTEM: Staged("test --system goood", right="test --system good"),
    Code.UNKNOWN_CASE: Staged("query good --case revoke-a-leaked-kye", right=f"query good --case {CASE}"),
    Code.AMBIGUOUS: Staged(
        f"query good --case {CASE}",
        _all(
            lambda p: p.write("other.yaml", (p.folder / "search.yaml").read_text()),
            _edit("rankgate.toml", '["search.yaml"]', '["search.yaml", "other.yaml"]'),
        ),
        right=f"query good --case {CASE} --suite search.yaml",
    ),
    Code.STORED_RUN: Staged("query old 'revoke a key'", _stored, right="query good 'revoke a key'"),
    Code.NEEDS_CONSENT: Staged("suite update --interactive", _ran("test"), right="suite update"),
    Code.NO_REPORT: Staged("report", mend=_ran("test")),
    Code.PORT_TAKEN: Staged("judge search.yaml --port $STAGED_PORT", _port),
    Code.WRONG_INPUT: Staged(
        "test", _all(_write("plug.py", PLUGIN.format("InputError")), _system('kind = "./plug.py:good"'))
    ),
    Code.CRASHED: Staged("list formats", _crash),
    Code.NO_SUCH_FILE: Staged("test", lambda p: p.corpus("dosc/"), _edit("search.yaml", "dosc/", "docs/")),
    Code.UNREADABLE_FILE: Staged(
        "suite lint search.yaml",
        _all(lambda p: (p.folder / "search.yaml").unlink(), lambda p: (p.folder / "search.yaml").mkdir()),
    ),
    Code.ALREADY_THERE: Staged(
        "suite convert search.yaml new.jsonl",
        _write("new.jsonl", "{}"),
        right="suite convert search.yaml new.jsonl --force",
    ),
    Code.NOT_UTF8: Staged(
        "test",
        lambda p: p.write(
            "search.yaml",
            (p.folder / "search.yaml").read_text().replace("leaked", "leakéd").encode("latin-1"),
        ),
        lambda p: p.write("search.yaml", (p.folder / "search.yaml").read_bytes().decode("latin-1")),
    ),
    Code.BAD_SYNTAX: Staged(
        "test", _edit("search.yaml", "gates: [", "gates: [["), _edit("search.yaml", "gates: [[", "gates: [")
    ),
    Code.TOO_LARGE: Staged(
        "test packed.jsonl.gz", _packed, lambda p: p.monkeypatch.delenv("RANKGATE_MAX_UNPACKED")
    ),
    Code.DAMAGED_FILE: Staged("compare kept kept", _damaged, _ran("run search.yaml -o kept --replace")),
    Code.NEWER_VERSION: Staged(
        "baseline show",
        _all(
            _ran("test", "baseline set"), _edit("baselines/search.good.jsonl", '"version": 1', '"version": 9')
        ),
        _ran("baseline set"),
    ),
    Code.WRONG_FORMAT: Staged(
        "score -q q.qrels -r kept.run",
        _all(_write("kept.run", "q1 Q0 a 1 2.0 t\n"), _write("q.qrels", "q1 0 a 1\nq2 0 a\n")),
        _edit("q.qrels", "q2 0 a\n", "q2 0 a 1\n"),
    ),
    Code.UNKNOWN_FORMAT: Staged("suite convert data.txt new.yaml", _write("data.txt", "what is this\n")),
    Code.UNKNOWN_KEY: Staged(
        "test", _edit("search.yaml", "gates:", "gaets:"), _edit("search.yaml", "gaets:", "gates:")
    ),
    Code.WRONG_VALUE: Staged(
        "test", _edit("search.yaml", "cases:", "k: many\ncases:"), _edit("search.yaml", "k: many", "k: 20")
    ),
    Code.REPEATED: Staged(
        "test",
        _edit(
            "search.yaml",
            "cases:\n",
            "cases:\n  - {query: end a key, name: end, at: keys.md}\n"
            "  - {query: end it, name: end, at: keys.md}\n",
        ),
        _edit("search.yaml", "query: end it, name: end", "query: end it, name: end-it"),
    ),
    Code.NO_CASES: Staged(
        "test", _write("search.yaml", ""), _write("search.yaml", "corpus: docs/\n" + ONE_CASE)
    ),
    Code.BAD_LOCATION: Staged(
        "test", _edit("search.yaml", "keys.md#Revocation", "keys.md:8-7"), _edit("search.yaml", "8-7", "6-7")
    ),
    Code.TARGET_NOT_FOUND: Staged(
        "test",
        _edit("docs/keys.md", "## Revocation", "## Revocation\n\nNow.\n\n## Revocation"),
        _edit("docs/keys.md", "## Revocation\n\nNow.\n\n## Revocation", "## Revocation"),
    ),
    Code.TARGETS_GONE: Staged(
        "baseline set",
        _edit("search.yaml", "keys.md#Revocation", "keys.md#Revokation"),
        _edit("search.yaml", "Revokation", "Revocation"),
    ),
    Code.NO_CORPUS: Staged(
        "suite fix search.yaml",
        _edit("search.yaml", "corpus: docs/\n", ""),
        _edit("search.yaml", "gates:", "corpus: docs/\ngates:"),
    ),
    Code.CANNOT_EDIT: Staged(
        "query good 'revoke a key' --save-case --suite new.jsonl",
        _ran("suite convert search.yaml new.jsonl"),
        _ran("suite convert new.jsonl new.yaml"),
        "query good 'revoke a key' --save-case --suite new.yaml",
    ),
    Code.CANNOT_CONVERT: Staged(
        "suite convert search.yaml new.csv --to quepid", right="suite convert search.yaml new.jsonl"
    ),
    Code.UNKNOWN_METRIC: Staged(
        "test", lambda p: p.gate("[ndgc@10 >= 0.1]"), _edit("search.yaml", "ndgc", "ndcg")
    ),
    Code.WRONG_METRIC: Staged("test", lambda p: p.gate("[ndcg@0 >= 0.1]"), _edit("search.yaml", "@0", "@10")),
    Code.METRIC_NEEDS: Staged(
        "test", lambda p: p.gate("[err@10 >= 0.1]"), _edit("search.yaml", "err@10", "err(max=3)@10")
    ),
    Code.DEPTH_TOO_SMALL: Staged(
        "test", _edit("search.yaml", "cases:", "k: 3\ncases:"), _edit("search.yaml", "k: 3\n", "")
    ),
    Code.WRONG_GATE: Staged("test", lambda p: p.gate("[ndcg@10 => 0.1]"), _edit("search.yaml", "=>", ">=")),
    Code.UNKNOWN_SLICE: Staged(
        "score -q q.qrels -r kept.run --by category",
        _all(_write("kept.run", "q1 Q0 a 1 2.0 t\n"), _write("q.qrels", "q1 0 a 1\n")),
        right="score -q q.qrels -r kept.run",
    ),
    Code.NOTHING_SCORED: Staged(
        "test",
        _write("search.yaml", "cases:\n  - {query: blockchain, expect: empty}\n"),
        _write("search.yaml", "corpus: docs/\n" + ONE_CASE),
    ),
    Code.ESTIMATED_LABELS: Staged(
        "score -q q.qrels -r kept -m r@4000tokens --format trec",
        _all(
            _code('return [{"id": "keys.md", "text": "End a leaked key at once."}]'),
            _write("q.qrels", f"{CASE} 0 keys.md 1\n"),
            _ran("run search.yaml -o kept"),
        ),
        right="score -q q.qrels -r kept -m r@4000tokens --format csv",
    ),
    Code.OUTSIDE_PROJECT: Staged("test", lambda p: p.corpus("/etc/"), None),
    Code.EMPTY_CORPUS: Staged(
        "test",
        _all(lambda p: (p.folder / "empty").mkdir(), lambda p: p.corpus("empty/")),
        _edit("search.yaml", "empty/", "docs/"),
    ),
    Code.NO_SUCH_COMMIT: Staged(
        "test",
        _all(
            _repository,
            lambda p: p.corpus("{git: ., under: docs, commit: 1234567890123456789012345678901234567890}"),
        ),
    ),
    Code.GIT_FAILED: Staged(
        "test", lambda p: p.corpus("{git: docs, commit: 1234567890123456789012345678901234567890}")
    ),
    Code.NOT_PINNED: Staged(
        "test",
        _all(_repository, lambda p: p.corpus("{git: ., under: docs, commit: HEAD}")),
        _pin,
    ),
    Code.HASH_MISMATCH: Staged(
        "test",
        _all(
            _write("docs.tar", DOCS),
            _write("search.yaml", f"corpus: {{archive: docs.tar, sha256: {'0' * 64}}}\n{ONE_CASE}"),
        ),
        _edit("search.yaml", "0" * 64, hashlib.sha256(DOCS).hexdigest()),
    ),
    Code.UNSAFE_ARCHIVE: Staged(
        "test",
        _all(_write("docs.tar", tar_of(member("../keys.md"))), lambda p: p.corpus("{archive: docs.tar}")),
        None,
    ),
    Code.TWO_CONFIGURATIONS: Staged(
        "test",
        _write("pyproject.toml", "[tool.rankgate]\n"),
        lambda p: (p.folder / "pyproject.toml").unlink(),
    ),
    Code.MISSING_SETTING: Staged(
        "test",
        _edit("rankgate.toml", "[systems.good]\n", '[systems.good]\nstart = "sleep 9"\n'),
        _edit("rankgate.toml", 'start = "sleep 9"\n', ""),
    ),
    Code.VARIABLE_NOT_SET: Staged(
        "test",
        lambda p: p.served(
            [{"path": "keys.md"}], more='[systems.good.headers]\nAuthorization = "Bearer ${STAGED_TOKEN}"'
        ),
        lambda p: p.monkeypatch.setenv("STAGED_TOKEN", "secret-word"),
    ),
    Code.WRONG_ADDRESS: Staged("test", _system('kind = "http"\nurl = "localhost:80/?q={query}"'), None),
    Code.WRONG_PATTERN: Staged(
        "test",
        _all(_served, _edit("rankgate.toml", '"[]"', '"["')),
        _edit("rankgate.toml", '"["', '"[]"'),
    ),
    Code.UNKNOWN_PLACEHOLDER: Staged(
        "test",
        _all(_served, _edit("rankgate.toml", "{query}", "{qeury}")),
        _edit("rankgate.toml", "{qeury}", "{query}"),
    ),
    Code.NOT_SUPPORTED: Staged(
        "test",
        _edit("rankgate.toml", "[systems.good]\n", '[systems.good]\nchunks = "section"\n'),
        _edit("rankgate.toml", 'chunks = "section"\n', ""),
    ),
    Code.MISSING_EXTRA: Staged("test", _all(_served, _without_urllib3)),
    Code.UNKNOWN_PLUGIN: Staged(
        "test",
        _all(_database, _system(SQLITE), _edit("rankgate.toml", '"sqlite"', '"sqlitee"')),
        _edit("rankgate.toml", "sqlitee", "sqlite"),
    ),
    Code.BROKEN_PLUGIN: Staged(
        "test", _all(_write("plug.py", "opener = 3\n"), _system('kind = "./plug.py:opener"'))
    ),
    Code.NOT_IMPORTABLE: Staged(
        "test",
        _edit("rankgate.toml", "app.py:good", "apq.py:good"),
        _edit("rankgate.toml", "apq.py", "app.py"),
    ),
    Code.WRONG_SIGNATURE: Staged("test", _code(FOUND, "query, k, filters, tenant"), _code(FOUND)),
    Code.UNKNOWN_TOOL: Staged("test", _mcp("saerch"), _edit("rankgate.toml", "saerch", "search")),
    Code.NO_INDEX: Staged(
        "test",
        _all(_database, _system(SQLITE), _edit("rankgate.toml", "pages.db", "nowhere.db")),
        _edit("rankgate.toml", "nowhere.db", "pages.db"),
    ),
    Code.NO_CONNECTION: Staged(
        "test", _system('kind = "http"\nurl = "http://127.0.0.1:1/?q={query}"\nretries = 0'), None
    ),
    Code.CERTIFICATE: Staged(
        "test", _system('kind = "http"\nurl = "https://127.0.0.1:1/?q={query}"\nca_file = "app.py"'), None
    ),
    Code.STATUS: Staged("test", lambda p: p.served(path="status/404"), None),
    Code.TIMED_OUT: Staged(
        "test",
        _all(
            _code(f"import time; time.sleep(0.5); {FOUND}"),
            _edit("rankgate.toml", "[systems.good]\n", "[systems.good]\ntimeout = 0.1\n"),
        ),
        _edit("rankgate.toml", "timeout = 0.1", "timeout = 20"),
    ),
    Code.DEADLINE: Staged(
        "test --deadline 0.3s", _code(f"import time; time.sleep(1); {FOUND}"), right="test --deadline 1m"
    ),
    Code.NOT_STARTED: Staged(
        "test", _system('kind = "command"\ncommand = ["no-such-program", "{query}"]'), None
    ),
    Code.PROGRAM_FAILED: Staged(
        "test",
        _command("raise SystemExit(3)"),
        _edit("rankgate.toml", "raise SystemExit(3)", json.dumps(f"print({HITS!r})")[1:-1]),
    ),
    Code.PREPARE_FAILED: Staged(
        "test",
        _edit("rankgate.toml", "[systems.good]\n", '[systems.good]\nprepare = "false"\n'),
        _edit("rankgate.toml", '"false"', '"true"'),
    ),
    Code.SYSTEM_RAISED: Staged("test", _code('raise ConnectionError("no route to the index")'), _code(FOUND)),
    Code.TOOL_FAILED: Staged(
        "test",
        _all(
            _mcp("search"),
            _edit("rankgate.toml", str(MCP), "server.py"),
            lambda p: p.write(
                "server.py", MCP.read_text().replace("hits = _found(query)", "raise ValueError(query)")
            ),
        ),
        _edit("server.py", "raise ValueError(query)", "hits = _found(query)"),
    ),
    Code.QUERY_REFUSED: Staged(
        "test",
        _all(
            _database,
            _system(SQLITE.replace("SELECT", "SELEKT")),
        ),
        _edit("rankgate.toml", "SELEKT", "SELECT"),
    ),
    Code.FILTERS_LOST: Staged(
        "test",
        _edit("search.yaml", "    category: keys\n", "    filters: {language: en}\n"),
        _code(FOUND, "query, k, filters"),
    ),
    Code.WRONG_ANSWER: Staged("test", _code("return 3"), _code(FOUND)),
    Code.PARTIAL_ANSWER: Staged("test", _elastic("opensearch", failed=1)),
    Code.ANSWER_TOO_LARGE: Staged(
        "test",
        _command(f"print({HITS!r} + ' ' * 99999)", "max_output = 1000"),
        _edit("rankgate.toml", "max_output = 1000", "max_output = 1000000"),
    ),
    Code.SYSTEM_FAILED: Staged("test", _write("app.py", PLUGIN.format("SystemFailedError")), _code(FOUND)),
    Code.NO_ANSWERS: Staged("suite update", mend=_ran("test")),
    Code.MISSING_ANSWERS: Staged(
        "suite update",
        _all(_ran("test"), _edit("search.yaml", "query: blockchain", "query: block chain")),
        _ran("test"),
    ),
    Code.OTHER_ANSWERS: Staged(
        "suite update", _all(_ran("test"), _edit("docs/keys.md", "90 days", "30 days")), _ran("test")
    ),
    Code.UNFINISHED_RUN: Staged("baseline set --run kept", _ran("run search.yaml -o kept --shard 1/2"), None),
    Code.RUN_UNDER_WAY: Staged(
        "run search.yaml -o kept --replace", _under_way, right="run search.yaml -o other"
    ),
    Code.PARTS_DO_NOT_FIT: Staged(
        "runs merge one -o whole",
        _ran("run search.yaml -o one --shard 1/2", "run search.yaml -o two --shard 2/2"),
        right="runs merge one two -o whole",
    ),
    Code.NO_BASELINE: Staged("baseline show", _ran("test"), _ran("baseline set")),
    Code.WRONG_BASELINE: Staged("test --system app", _other_baseline, _own_baseline),
    Code.UNKNOWN_JUDGE: Staged("judge ask --judge nobody", _ran("test")),
    Code.NO_LABELS: Staged("judge agreement", _ran("test")),
    Code.WRONG_LABEL: Staged("judge --judge 'a b' --terminal", _ran("test")),
    Code.WRONG_SWEEP: Staged("sweep sweep.toml", _write("sweep.toml", 'system = "good"\n')),
    Code.UNKNOWN_VARIANT: Staged(
        "sweep sweep.toml", _write("sweep.toml", 'system = "good"\nbaseline = "x"\n[axes]\nk1 = [1, 2]\n')
    ),
}
"""How each kind is met."""
