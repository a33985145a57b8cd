"""`just bench-reference-speed`: the reference system beside bare Tantivy, on Django 5.2.8 and its docs.

Indexing: both take the same nodes, ready, and write two fields of text, with one thread. The bare one lets
Tantivy cut and stem; rankgate cuts identifiers and stems itself, and keeps the words and the nodes as well.
What parsing takes is told beside it. Searching: the same words in the same fields, ten hits with their ids;
the two take turns, query by query, in one process, and of three turns the least counts. The
bare one asks for the top ten once; rankgate asks for seventy nodes twice, those with any and with all terms.

    python benchmarks/reference_speed.py [--rounds N] [--queries N] [--check]
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import re
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import tantivy

import rankgate as rg
from rankgate_reference.documents.nodes import nodes_of
from rankgate_reference.lexical.fields import names_of
from rankgate_reference.lexical.index import LexicalIndex
from rankgate_reference.lexical.words import forget
from rankgate_reference.library.library import Library
from rankgate_reference.library.store import Store
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate_reference.documents.nodes import TreeNode

Nodes = dict[str, "tuple[TreeNode, ...]"]
INDEX_BAR, SEARCH_BAR = 2.0, 1.5
CHECK = 1.5
"""How far over a bar fails a check: a machine that others use tells a regression, not a tenth."""
HEAP = 128_000_000
K = 10
TURNS = 3
"""How often each query is asked; the least time counts."""


def parse(root: Path) -> tuple[Nodes, int]:
    """Parse every file of a folder."""
    corpus = rg.open_source(rg.CorpusSource(".", "folder", {}), rg.OpenContext(here=root, root=root))
    texts = {path: corpus.text(path) for path in corpus.paths()}
    return {path: nodes_of(path, text) for path, text in texts.items()}, sum(map(len, texts.values()))


def bare_index(nodes: Nodes, folder: Path) -> Any:
    """Write the nodes as two fields, as Tantivy cuts and stems them."""
    builder = tantivy.SchemaBuilder()
    for name in ("names", "text"):
        builder.add_text_field(name, tokenizer_name="en_stem")
    for name in ("id", "path"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("start", "end"):
        builder.add_unsigned_field(name, stored=True)
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(heap_size=HEAP, num_threads=1)
    for found in nodes.values():
        for node in found:
            names = " ".join(names_of(node))
            entry = tantivy.Document()
            entry.add_text("names", names)
            entry.add_text("text", f"{names} {node.text}")
            entry.add_text("id", node.id)
            entry.add_text("path", node.path)
            entry.add_unsigned("start", node.lines.start)
            entry.add_unsigned("end", node.lines.end)
            writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that some work takes, and what it gives."""
    gc.collect()
    start = time.perf_counter()
    done = work()
    return time.perf_counter() - start, done


def queries(nodes: Nodes, many: int) -> list[str]:
    """Take words that people ask with: headings, first lines of docstrings, names of symbols."""
    found: dict[str, None] = {}
    for one in (node for of_file in nodes.values() for node in of_file):
        if one.kind == "section" or (one.symbol and "test" not in one.path):
            found[one.title] = None
        if one.symbol and (first := re.search(r'"{3}\s*([A-Z][\w ,-]{15,80})', one.text)):
            found[first[1]] = None
    return random.Random(7).sample(sorted(found), many)


def bare_search(index: Any, searcher: Any, text: str) -> list[tuple[str, str, int, int]]:
    """Ask for the words of a text, as a user of Tantivy would."""
    words = "".join(char if char.isalnum() else " " for char in text)
    query = index.parse_query(" ".join(f'"{word}"' for word in words.split()), ["names", "text"])
    found = []
    for _, address in searcher.search(query, K, count=False).hits:
        get = searcher.doc(address).get_first
        found.append((get("id"), get("path"), get("start"), get("end")))
    return found


def measure_indexing(nodes: Nodes, rounds: int, room: Path) -> tuple[float, Any]:
    """Let the two write in turn, and print the least times; gives the ratio and the bare index."""
    ours: list[float] = []
    bare: list[float] = []
    kept: list[float] = []
    for turn in range(rounds):
        # A user's process has met no word before.
        forget()
        seconds, index = timed(partial(bare_index, nodes, _folder(room / f"bare-{turn}")))
        bare.append(seconds)
        lexical = LexicalIndex.open(room / f"lexical-{turn}")
        ours.append(timed(partial(lexical.update, nodes.items()))[0])
        store = Store(room / f"store-{turn}" / "nodes.sqlite")
        files = [(path, "", found, "") for path, found in nodes.items()]
        kept.append(timed(partial(store.replace, files, (), ""))[0])
        store.close()
    total = min(ours) + min(kept)
    print(f"  bare Tantivy           {min(bare):6.2f} s")
    print(f"  rankgate               {total:6.2f} s: the index {min(ours):.2f}, the nodes {min(kept):.2f}")
    ratio, alone = total / min(bare), min(ours) / min(bare)
    print(f"  ratio                  {ratio:6.2f}, the index alone {alone:.2f}; goal {INDEX_BAR:g}")
    return ratio, index


def measure_search(library: Library, index: Any, texts: list[str]) -> float:
    """Let the two answer in turn, and print the medians; gives the ratio."""
    searcher = index.searcher()
    ours: list[float] = []
    bare: list[float] = []
    for text in texts[:50]:
        library.search(rg.Query(text, K))
        bare_search(index, searcher, text)
    for text in texts:
        for kept in (ours, bare):
            kept.append(math.inf)
        for _ in range(TURNS):
            start = time.perf_counter()
            library.search(rg.Query(text, K))
            between = time.perf_counter()
            bare_search(index, searcher, text)
            ours[-1] = min(ours[-1], between - start)
            bare[-1] = min(bare[-1], time.perf_counter() - between)
    ratio = median(ours) / median(bare)
    for label, times in (("bare Tantivy", bare), ("rankgate", ours)):
        ordered = sorted(times)
        p95 = ordered[int(len(ordered) * 0.95)]
        print(f"  {label:22} p50 {median(times) * 1e3:.3f} ms, p95 {p95 * 1e3:.3f} ms")
    print(f"  ratio of p50           {ratio:6.2f}; goal {SEARCH_BAR:g}")
    return ratio


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    root = unpacked("django-5.2.8")
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        parsing, (nodes, size) = timed(lambda: parse(root.resolve()))
        count = sum(map(len, nodes.values()))
        print(f"Django 5.2.8: {len(nodes):,} files, {size / 1e6:.1f} MB, {count:,} nodes")
        print(f"  reading and parsing    {parsing:6.2f} s")
        indexing, index = measure_indexing(nodes, wanted.rounds, room)
        texts = queries(nodes, wanted.queries)
        del nodes
        seconds, library = timed(lambda: Library.open(root, cache=room / "library"))
        again, library = timed(lambda: Library.open(root, cache=room / "library"))
        print(f"  all in one, Library    {seconds:6.2f} s; opened again, nothing changed: {again:.2f} s")
        print(f"search, {len(texts):,} queries, k = {K}")
        searching = measure_search(library, index, texts)
        library.close()
    if wanted.check and (indexing > INDEX_BAR * CHECK or searching > SEARCH_BAR * CHECK):
        sys.exit("slower beside bare Tantivy than it may be")


if __name__ == "__main__":
    main()
