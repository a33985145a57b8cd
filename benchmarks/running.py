"""`just bench-running`: what asking through rankgate costs beside a bare loop over the same thing.

Over HTTP: a server in a process of its own answers after 20 ms, with one thread and with 8, 100 queries per
thread. In process: a Tantivy index of every function of Django 5.2.8, 1,000 queries, in one thread. In
both, rankgate checks every answer, gives every hit its location and has the run on the disk before the clock
stops. The bare loop is what a careful person writes: it asks, keeps query, rank, hit, score and latency, and
writes one Parquet file at the end, which it does not sync; over HTTP by urllib3 with as many connections kept
open. Beside it stand a loop that keeps nothing but a list, and one that asks by
rankgate's own client. All take turns, in one process. What counts is the ratio of the least times: whatever
else the machine does only ever adds to a time, and easily doubles a round of a quarter of a second. Beside it
stand the median of the ratios of single rounds with their spread, and the time of the processor, which others
change less.

With ``--check`` there are fewer rounds, what has no bar is left out, and only a ratio far over the bar fails:
fewer rounds on a machine that others use tell a regression, not a tenth. With ``--in-process`` there is no
HTTP, with ``--http`` nothing else, with ``--rounds 7`` so many rounds.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import tantivy
import urllib3

from contenders import BareLoop, CarefulLoop, Rankgate, asked, ratios
from python_functions import functions_of, queries_of
from rankgate.corpora.folder import FolderCorpus
from rankgate.systems.function.system import FunctionSystem
from rankgate.systems.http.client import HttpClient, Request, RequestLimits, open_pool
from rankgate.systems.http.system import HttpOptions, HttpSystem
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from contenders import Answer, Contenders
    from python_functions import Function
    from rankgate.runs.store.tables import Run

FOLDER = Path(__file__).parent.parent / ".benchmarks" / "running"
THREADS = 8
SERVERS = ((0.02, 1), (0.02, THREADS))
"""After how many seconds a server answers, and how many threads ask it."""
QUERIES_PER_THREAD = 100
HTTP_ROUNDS = 7
FUNCTION_QUERIES = 1_000
K = 10
ROUNDS = 41
RATE_BAR, RATE_CHECK = 0.95, 0.9
TIME_BAR, TIME_GOAL, TIME_CHECK = 1.2, 1.1, 1.5


def serve(latency: float) -> None:
    """Answer every request on a free port, which is printed, with ten hits after some seconds."""
    hits = [
        {"path": f"docs/part-{number}.md", "start": number + 1, "end": number + 20, "score": 1 / (number + 1)}
        for number in range(K)
    ]
    body = json.dumps({"hits": hits}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    answer = head.encode() + body

    class Connection(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self._transport: Any = transport
            self._kept = b""

        def data_received(self, data: bytes) -> None:
            *requests, self._kept = (self._kept + data).split(b"\r\n\r\n")
            for _ in requests:
                if latency:
                    asyncio.get_running_loop().call_later(latency, self._transport.write, answer)
                else:
                    self._transport.write(answer)

    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(forever())


@contextmanager
def server(latency: float) -> Iterator[str]:
    """Start the server and give its URL."""
    command = [sys.executable, __file__, "--serve", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"http://127.0.0.1:{port}/search"
    finally:
        process.kill()
        process.wait()


def shared_client(url: str) -> Callable[[str], Answer]:
    """Ask with rankgate's own client, and decode the JSON."""
    client = HttpClient(open_pool(None, None), RequestLimits(30.0, 10_000_000), url)
    headers = {"Accept-Encoding": "gzip", "User-Agent": "rankgate"}

    def ask(text: str) -> Answer:
        request = Request("GET", f"{url}?{urlencode({'q': text, 'k': K})}", headers)
        found: Answer = json.loads(client.ask(request))["hits"]
        return found

    return ask


def plain_client(url: str) -> Callable[[str], Answer]:
    """Ask with urllib3 as it is, with the headers and as many kept connections as rankgate has."""
    pool = urllib3.PoolManager(maxsize=2 * THREADS)
    headers = {"Accept-Encoding": "gzip", "User-Agent": "rankgate"}

    def ask(text: str) -> Answer:
        answer = pool.request("GET", url, fields={"q": text, "k": str(K)}, headers=headers)
        found: Answer = json.loads(answer.data)["hits"]
        return found

    return ask


class FunctionIndex:
    """A Tantivy index of the functions of a folder of Python files, as a user would ask it."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._searcher = index.searcher()

    @classmethod
    def of(cls, functions: Sequence[Function]) -> FunctionIndex:
        """Index functions, in memory."""
        fields = tantivy.SchemaBuilder().add_text_field("name").add_text_field("body")
        fields = fields.add_text_field("path", stored=True, tokenizer_name="raw")
        fields = fields.add_unsigned_field("start", stored=True).add_unsigned_field("end", stored=True)
        index = tantivy.Index(fields.build())
        writer = index.writer(heap_size=128_000_000, num_threads=1)
        for one in functions:
            writer.add_document(
                tantivy.Document(name=one.name, body=one.body, path=one.path, start=one.start, end=one.end)
            )
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return cls(index)

    def places(self, query: str, k: int) -> Answer:
        """Return paths, lines and scores."""
        found = []
        for score, address in self._hits(query, k):
            document = self._searcher.doc(address)
            found.append(
                {
                    "path": document["path"][0],
                    "start": document["start"][0],
                    "end": document["end"][0],
                    "score": score,
                }
            )
        return found

    def ids(self, query: str, k: int) -> Answer:
        """Return ids that are locations."""
        documents = (self._searcher.doc(address) for _, address in self._hits(query, k))
        return [f"{one['path'][0]}:{one['start'][0]}-{one['end'][0]}" for one in documents]

    def _hits(self, query: str, k: int) -> list[tuple[float, Any]]:
        parsed = self._index.parse_query(query, ["name", "body"])
        found: list[tuple[float, Any]] = self._searcher.search(parsed, k, count=False).hits
        return found


def measure_http(latency: float, threads: int, rounds: int, *, all_loops: bool) -> float:
    """Time HTTP, and give rankgate's rate as a part of the bare loop's."""
    texts = [f"query number {number}" for number in range(QUERIES_PER_THREAD * threads)]
    with server(latency) as url:
        fields = {name: name for name in ("path", "start", "end", "score")}
        options = HttpOptions(url, params={"q": "{query}", "k": "{k}"}, hits="hits", fields=fields)
        contenders: dict[str, Callable[[], list[Answer] | Run]] = {
            "bare loop": CarefulLoop(plain_client(url), texts, FOLDER, threads),
            "rankgate": Rankgate(HttpSystem(options), asked(texts, K), FOLDER, threads=threads),
        }
        if all_loops:
            contenders["a list alone"] = BareLoop(plain_client(url), texts, threads)
            contenders["rankgate's client, a list alone"] = BareLoop(shared_client(url), texts, threads)
        print(
            f"HTTP: {len(texts):,} queries, {latency * 1000:g} ms each, threads: {threads}; {rounds} rounds"
        )
        return 1 / ratios(contenders, rounds)["rankgate"]


def measure_in_process(rounds: int, *, lookups: bool) -> float:
    """Time a function that gives places, ids, or ids that are places; give the largest ratio."""
    folder = unpacked("django-5.2.8")
    functions = functions_of(folder)
    texts = queries_of(functions, FUNCTION_QUERIES)
    index = FunctionIndex.of(functions)
    corpus = FolderCorpus.open(folder, root=folder)
    print(f"in process: {len(functions):,} functions, {len(texts):,} queries, k = {K}; {rounds} rounds")
    variants: dict[str, tuple[Callable[..., Answer], FolderCorpus | None]] = {
        "places": (index.places, corpus),
        "ids": (index.ids, None),
    }
    if lookups:
        variants["ids that are places"] = (index.ids, corpus)
    found = []
    for what, (function, held) in variants.items():
        bare = CarefulLoop(partial(function, k=K), texts, FOLDER)
        ours = Rankgate(FunctionSystem(function), asked(texts, K), FOLDER, held)
        contenders: Contenders = {
            f"bare loop, {what}": bare,
            f"rankgate, {what}": ours,
            f"a list alone, {what}": BareLoop(partial(function, k=K), texts),
        }
        found.append(ratios(contenders, rounds)[f"rankgate, {what}"])
    return max(found)


def main() -> None:
    """Measure, print and judge."""
    if "--serve" in sys.argv:
        serve(float(sys.argv[-1]))
        return
    check = "--check" in sys.argv
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    # A machine that stands still for seconds is no regression: a check that fails is made twice more at most.
    tries = 3 if check else 1
    bad = "--in-process" not in sys.argv and not any(_http_is_quick(check) for _ in range(tries))
    bad |= "--http" not in sys.argv and not any(_asking_is_cheap(check) for _ in range(tries))
    shutil.rmtree(FOLDER)
    if bad:
        sys.exit("asking through rankgate costs too much beside a bare loop")


def _rounds() -> int:
    return int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else ROUNDS


def _http_is_quick(check: bool) -> bool:
    shares = []
    for latency, threads in SERVERS:
        shares.append(measure_http(latency, threads, HTTP_ROUNDS, all_loops=not check))
        print(f"  rate {shares[-1]:.3f} of the bare loop's, at least {RATE_BAR:g}")
    return min(shares) >= (RATE_CHECK if check else RATE_BAR)


def _asking_is_cheap(check: bool) -> bool:
    ratio = measure_in_process(15 if check else _rounds(), lookups=not check)
    print(f"  time {ratio:.3f} of the bare loop's, goal {TIME_GOAL:g}, at most {TIME_BAR:g}")
    return ratio <= (TIME_CHECK if check else TIME_BAR)


if __name__ == "__main__":
    main()
