"""Small valid files of every kind that a loader reads: what the fuzzers damage."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.model import CorpusSource
from rankgate.reports import json_report
from rankgate.reports.formats import FORMATS, laid_out
from rankgate.suites.formats import ReadOptions, format_names, load_suite
from rankgate.truth.judgments.formats import load_judgments
from support.archives import COMPRESSIONS, tar_with, zip_with
from support.reports import everything

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

JSON_SUITES: dict[str, Any] = {
    "buildbuddy": {
        "repos": [{"repo": {"repo_url": "u"}, "repo_state": {"commit_sha": "c"}}],
        "cases": [
            {
                "query": {"term": "q"},
                "penalize_unmatched": True,
                "ideal_results": [
                    {"filename": "a", "match_count": 1, "snippet_line_numbers": [1, 3], "relevance": 2}
                ],
            }
        ],
    },
    "expectedIds": [{"query": "q", "expected": ["a", "b"], "category": "c"}],
    "relevantIds": [
        {"question": "q", "answer": "a", "metadata": {"relevantIds": ["a", {"id": "b"}], "tags": ["t"]}}
    ],
    "rank_eval": {
        "requests": [
            {
                "id": "a",
                "request": {"query": {"match": {"t": {"query": "q"}}}},
                "params": {},
                "ratings": [{"_index": "i", "_id": "d", "rating": 2}],
            }
        ],
        "metric": {"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 5}},
    },
    "judgment_list": {
        "name": "n",
        "judgmentRatings": [{"query": "q", "ratings": [{"docId": "a", "rating": "1.0"}]}],
    },
    "squad": {
        "data": [
            {
                "title": "t",
                "paragraphs": [
                    {
                        "context": "c",
                        "qas": [
                            {
                                "id": "1",
                                "question": "q",
                                "answers": [{"text": "c", "answer_start": 0}],
                                "is_impossible": False,
                            }
                        ],
                    }
                ],
            }
        ]
    },
    "ragas": [{"user_input": "q", "reference_contexts": ["c"], "reference": "a", "synthesizer_name": "s"}],
    "deepeval": [{"input": "q", "expected_output": "a", "context": ["c"], "source_file": "a.md"}],
    "treenav": [{"id": "1", "query": "q", "relevant": [{"node_id": "a", "relevance": 2}]}],
    "phoenix": {"data": {"examples": [{"id": "1", "input": {"query": "q"}, "output": {"answer": "a"}}]}},
    "promptfoo": [{"vars": {"query": "q"}, "assert": [{"type": "contains-all", "value": ["a.md", "b"]}]}],
    "langsmith": [{"id": "1", "inputs": {"question": "q"}, "outputs": {"answer": "a"}, "metadata": {"a": 1}}],
    "langfuse": {"data": [{"id": "1", "input": {"query": "q"}, "expectedOutput": "a", "datasetName": "d"}]},
    "mapped": [
        {"question": "q", "contexts": [{"text": "c", "start_index": 3}], "at": "a.md:1-2", "ids": [7]}
    ],
}
"""One document for each format of suites that is JSON."""

_NATIVE = """\
# what people write
version: 1
name: search
corpus: {git: ., commit: 1a2b3c4d, under: docs}
metrics: [ndcg@10, {relevance: 0.4*p@5 + 0.6*rr}]
gates: [ndcg@10 >= 0.65, rr >= 0.5 where category = exact]
match: {by: lines, min_lines: 2, min_fraction: 0.5, iou: 0.1}
scale: {max: 3}
k: 20
map: [{from: 'https://x/(.*)', to: '\\1.md'}]
scenarios:
  - name: walk
    steps:
      - {search: q, k: 5, filters: {l: a}, finds: [a.md, {id: '7'}]}
      - {tree: a.md, has: [A, B], under: {A: B, C: [D]}}
      - {read: a.md#A/B, contains: x, excludes: [y]}
      - {subtree: 'a.py::F.g', complete: true}
invariants:
  - {same-results: [a, b], k: 5, by: document, order: false}
  - {name: n, ranks-above: q, above: a.md, below: {at: b.md}}
  - {filter-only: q, filters: {l: a}, only: ['docs/**', '*.md']}
  - {single-term-no-bonus: q, beside: xqzvk}
  - {monotone: q, k: [3, 10]}
  - {stable: q, times: 2}
  - empty: [q, r]
cases:
  - query: rotate an API key
    at: &place auth/keys.md#Rotation
    category: exact
    tags: {language: go}
  - &second
    query: |
      retry failed
    at: {webhooks.md#Retries: 3, errors.md:40-62: 1}
    top: {at: *place, within: 3}
    xfail: {reason: r, until: 2030-01-31}
  - {query: x, any_of: [[a.md, b.md:1-2], {at: [c.py::f]}], weight: 2, group: g, filters: {l: [a, b]}}
  - {query: y, at: [{at: a.md, grade: 2, source: proposed}]}
  - {query: z, expect: empty, notes: n}
  - {query: w, answer: because, id: '007'}
  - {query: v, quote: [a b c, {quote: d e, path: a.md, start_char: 3}], never: {quote: f}}
"""
_CASE = {
    "query": "q",
    "name": "n",
    "at": [{"at": "a.md:1-2", "grade": 2}],
    "top": {"at": "a.md", "within": 2},
    "tags": {"a": "b"},
    "filters": {"f": ["a"]},
    "xfail": {"reason": "r", "until": "2030-01-01"},
}


@dataclass(frozen=True, slots=True)
class Sampled:
    """A loader, and valid files to damage."""

    samples: tuple[bytes, ...]
    """Files that it reads."""
    load: Callable[[Path, bytes], object]
    """Put the bytes into a file of a folder, and read it."""
    json: bool = False
    """True where each sample is one JSON document."""
    lines_of_json: bool = False
    """True where each line of a sample is one."""


def _suite(name: str, file: str, folder: Path, data: bytes) -> object:
    (folder / file).write_bytes(data)
    options = {"query": "question", "each": "contexts", "quote": "text", "start_char": "start_index"}
    suite = load_suite(folder / file, name, ReadOptions(options=options if name == "mapped" else {}))
    return [case.id for case in suite.cases]


def _report(folder: Path, data: bytes) -> object:
    """Read a report, and lay out in every way what is not refused."""
    (folder / "report.json").write_bytes(data)
    reports = json_report.read(folder / "report.json")
    return [laid_out(style, reports).encode() for style in FORMATS]


def _judgments(name: str, folder: Path, data: bytes) -> object:
    (folder / "a").write_bytes(data)
    return load_judgments(folder / "a", name)


def _corpus(kind: str, file: str, folder: Path, data: bytes) -> object:
    (folder / file).write_bytes(data)
    options: dict[str, str | tuple[str, ...]] = (
        {"id": "_id", "text": ("title", "text")} if kind == "jsonl" else {}
    )
    place = "." if kind == "beir" else file
    shutil.rmtree(folder / "cache", ignore_errors=True)
    corpus = open_source(CorpusSource(place, kind, options), OpenContext(folder, folder, folder / "cache"))
    return [document.text for document in corpus.documents()]


def _line(value: Any) -> bytes:
    return json.dumps(value).encode()


def _loaders() -> dict[str, Sampled]:
    files = {"a.md": "# A\n\ntext\n", "b/c.py": "def f():\n    pass\n"}
    header, case = _line({"version": 1, "name": "n", "metrics": ["rr"], "scale": 3}), _line(_CASE)
    lines = {
        name: b"\n".join(map(_line, value * 2))
        for name, value in JSON_SUITES.items()
        if isinstance(value, list)
    }
    records = b"\n".join([_line({"_id": "a", "title": "t", "text": "x"}), _line({"_id": "b", "text": "y"})])
    csv = {
        "octocode": (b'query,result1,result2\nq,a.md:1-2:2,"b,c.md:3-4:1"\nr,a.md:1-2:1,\n',),
        "quepid": (b"query,docid,rating\nq,a,2\nq,b,\n", b"Query Text,Doc ID,Rating\nq,a,1\n"),
        "chorus": (b"query,docid,final_rating\nq,a,2\n",),
        "esci": (b"query,product_id,esci_label\nq,a,E\nq,b,I\n",),
        "chroma": (b'question,references,corpus_id\nq,"[{""content"": ""c"", ""start_index"": 3}]",a\n',),
    }
    suites: dict[str, Sampled] = {
        "native": Sampled((_NATIVE.encode(),), partial(_suite, "native", "a.yaml")),
        "native.json": Sampled(
            (_line({"corpus": "d", "cases": [_CASE]}),), partial(_suite, "native", "a.json"), json=True
        ),
        "jsonl": Sampled(
            (header + b"\n" + case, case), partial(_suite, "jsonl", "a.jsonl"), lines_of_json=True
        ),
        "trec": Sampled((b"q 0 a 2\nq 0 b 0\nr 0 a -1\n",), partial(_suite, "trec", "a.qrels")),
        "beir": Sampled((b"query-id\tcorpus-id\tscore\nq\ta\t2\n",), partial(_suite, "beir", "a.tsv")),
    }
    for name, samples in csv.items():
        suites[name] = Sampled(samples, partial(_suite, name, "a.csv"))
    for name, value in JSON_SUITES.items():
        suites[name] = Sampled((_line(value),), partial(_suite, name, "a.json"), json=True)
    for name, data in lines.items():
        suites[f"{name}.jsonl"] = Sampled((data,), partial(_suite, name, "a.jsonl"), lines_of_json=True)
    tests = b"tests:\n- vars: {query: q}\n  assert: [{type: equals, value: a}]\n"
    suites["promptfoo.yaml"] = Sampled((tests,), partial(_suite, "promptfoo", "a.yaml"))
    missing = set(format_names()) - set(suites)
    if missing:
        raise AssertionError(f"no sample for {missing}")
    corpora = {
        "corpus jsonl": Sampled((records,), partial(_corpus, "jsonl", "a.jsonl"), lines_of_json=True),
        "corpus beir": Sampled((records,), partial(_corpus, "beir", "corpus.jsonl"), lines_of_json=True),
        "corpus zip": Sampled((zip_with(files), zip_with({"x": "y"})), partial(_corpus, "archive", "a.zip")),
    }
    for ending, compress in COMPRESSIONS.items():
        samples = (compress(tar_with(files)), compress(tar_with({"x": "y"})))
        corpora[f"corpus {ending}"] = Sampled(samples, partial(_corpus, "archive", f"a.{ending}"))
    judgments = {
        "judgments jsonl": Sampled(
            (_line({"query": "q", "at": "a.md:1-2", "grade": 2, "group": "g"}),),
            partial(_judgments, "jsonl"),
            lines_of_json=True,
        ),
    }
    reports = {"report": Sampled((json_report.render(everything()).encode(),), _report, json=True)}
    return {**suites, **corpora, **judgments, **reports}


LOADERS = _loaders()
"""Every loader by name; more than one where a format has several forms."""
