"""Queries with gold spans, as ContextBench and localisation sets made from SWE-bench keep them.

A record is ``{"id", "query", "gold": [{"file", "start", "end"}]}``. Every span has grade 1. Spans of absolute
paths, such as a test that was run outside the repository, are left out and counted. Such a file spans many
repositories at many commits, and a suite has one corpus: the repository and the language become tags and the
commit a note of the case, a note tells how many there are, and the options ``repo`` and ``commit`` read only
the cases of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.files.objects import write_objects
from rankgate.files.tree.json_records import is_record
from rankgate.suites.foreign.case_collector import PATH, CaseCollector, collected, read_location, told
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite


_COMMIT = ("base_commit", "commit")
_KNOWN = frozenset({"id", "query", "gold", "repo", "language", *_COMMIT})


@collected
def read_spans(cases: CaseCollector) -> dict[str, Any]:
    """Read queries with gold spans."""
    options = cases.reading.options
    corpora = set()
    for found in cases.records():
        repo = found.at("repo").text("a repository", required=False)
        commit = found.get(*_COMMIT).text("a commit", required=False)
        query = found.at("query").text("a query")
        wanted = (options.get("repo", repo), options.get("commit", commit))
        if (repo, commit) != wanted:
            cases.note("{} case{s} of other repositories or commits left out")
            continue
        if query is None:
            continue
        cases.left_out(found, _KNOWN)
        corpora.add((repo, commit))
        language = found.at("language").text("a language", required=False)
        named = {"repo": repo, "language": language}
        draft = cases.entry(
            query,
            found.where,
            id=found.at("id").text("an id", required=False),
            tags=frozenset(f"{key}={value}" for key, value in named.items() if value),
            notes=f"at commit {commit}" if commit else "",
        )
        for span in found.at("gold").items("a list of spans"):
            if str(span.get(*PATH).value).startswith("/"):
                cases.note("{} span{s} of absolute paths left out, which no repository has")
            else:
                cases.target(draft, read_location(cases, span), 1.0, span.where)
    if len(corpora) > 1:
        fix = "--option repo=… and --option commit=… read the cases of one"
        cases.note(f"{len(corpora)} repositories and commits in one file, and a suite has one corpus: {fix}")
    return {}


def write_spans(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a record a case with its relevant locations, and tell what they cannot hold."""
    written = []
    kept = []
    untold = 0
    for case in suite.cases:
        locations = [target.location for target in case.targets if target.grade > 0 and target.location.path]
        gold = [
            {
                "file": each.path,
                **({"start": each.lines.start, "end": each.lines.end} if each.lines else {}),
            }
            for each in locations
        ]
        if gold:
            tags = dict(
                tag.split("=", 1) for tag in sorted(case.tags) if tag.startswith(("repo=", "language="))
            )
            kept.append(case)
            untold += {f"{key}={value}" for key, value in tags.items()} != case.tags
            written.append({"id": case.id, **tags, "query": case.query, "gold": gold})
    refuse_nothing(kept, path, "a case with a relevant location")
    write_objects(path, written)
    said = losses(suite, {"paths", "lines", "ids of cases", "tags"}, kept)
    return (*said, *told((untold, "tags of {} case{s} left out, other than repo and language")))


FORMAT = SuiteFormat(
    "spans",
    "queries with gold spans of files, as ContextBench's",
    read_spans,
    lambda _path, start: is_record(start, query="text", gold="list"),
    write_spans,
    {"repo": "read only the cases of this repository", "commit": "read only the cases of this commit"},
)
