"""Hits that could not be located are a mapping problem with the lines to add; a bad search is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.hit_classes import HitClass
from rankgate.locations import Lines
from rankgate.model import Hit, MapRule, Ranking
from rankgate.runs.store.columns import hits_and_texts
from rankgate.runs.store.schemas import HITS
from rankgate.suites.native import parse_suite
from rankgate.truth.locate import Placer
from rankgate.truth.mapping import MappingProblem, mapping_problem
from rankgate.truth.urls import judged_names
from support.judged_collections import collection
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus

KEYS = "# Keys\n\nAbout keys.\n\n## Rotation {#rotate}\n\nRotate the key.\n\n## Scopes\n\nRead or write.\n"
DOCS = {
    "index.md": "# Acme\n\nStart here.\n",
    "keys.md": KEYS,
    "guide/hooks.md": "# Hooks\n\n## Retries\n\nA hook that fails is tried again.\n",
    "guide/roles.md": "# Roles\n\n## Owners\n\nOnly an owner may delete a project.\n",
    "guide/index.md": "# Guide\n\nAll of it.\n",
}
CORPUS = MemoryCorpus(DOCS)
SECTIONS = ("keys.md:5-7", "guide/hooks.md:3-5", "guide/roles.md:3-5")


def targets_of(*places: str) -> pl.DataFrame:
    """Return one target per query: a path with lines, or an id."""
    rows: list[dict[str, Any]] = []
    for number, place in enumerate(places):
        path, _, lines = place.rpartition(":")
        first, _, last = lines.partition("-")
        is_range = bool(path) and first.isdigit() and last.isdigit()
        whole = place in DOCS
        rows.append(
            {
                "query": f"q{number}",
                "id": None if is_range or whole else place,
                "path": path if is_range else place if whole else None,
                "start": int(first) if is_range else None,
                "end": int(last) if is_range else None,
            }
        )
    schema = {"query": pl.String, "id": pl.String, "path": pl.String, "start": pl.UInt32, "end": pl.UInt32}
    return pl.DataFrame(rows, schema)


def located(
    answers: Sequence[Sequence[Hit]],
    corpus: Corpus | None,
    rules: Sequence[MapRule] = (),
    names: Mapping[str, bool] | None = None,
) -> pl.DataFrame:
    """Locate the hits of q0, q1 and so on."""
    rankings = {f"q{number}": Ranking(tuple(hits)) for number, hits in enumerate(answers)}
    hits, _ = hits_and_texts(rankings, place=Placer(corpus, rules, names=names).place)
    return HITS.conform(hits, "hits")


def problem_of(
    hits: pl.DataFrame,
    targets: pl.DataFrame,
    corpus: Corpus | None = None,
    *,
    reached: bool = False,
    baseline: bool = False,
    match_path: bool = False,
    rules: Sequence[MapRule] = (),
) -> MappingProblem | None:
    return mapping_problem(
        hits,
        targets,
        corpus,
        reached=reached,
        baseline_located=baseline,
        match_path=match_path,
        map_rules=rules,
    )


def suite_with(lines: Sequence[str], targets: pl.DataFrame, corpus: bool) -> Any:
    """Read a suite with the lines that a problem proposes."""
    names = targets.select(pl.coalesce("path", "id")).to_series()
    cases = [{"query": f"q{at}", "at" if corpus else "id": name} for at, name in enumerate(names)]
    head = "corpus: docs/\n" if corpus else ""
    return parse_suite(head + "\n".join(lines) + f"\ncases: {json.dumps(cases)}\n", Path("s.yaml"))


# ---- with a corpus

URLS = ["/keys/#rotate", "/guide/hooks/#retries", "/guide/roles/#owners", "/guide/", "/"]
LOST: dict[str, tuple[Callable[[str, int], Hit], str]] = {
    "URLs": (lambda _, at: Hit(id=URLS[at]), "map: pages"),
    "URLs with a host": (lambda _, at: Hit(path=f"https://x.org{URLS[at]}"), "map: pages"),
    "URLs with a prefix": (lambda _, at: Hit(path=f"https://x.org/v2{URLS[at % 4]}"), "map: pages"),
    "pages of HTML": (lambda name, _: Hit(id=f"{name.removesuffix('.md')}.html"), "map: pages"),
    "no extension": (lambda name, _: Hit(path=name.removesuffix(".md")), "map: pages"),
    "upper case": (lambda name, _: Hit(path=name.upper(), lines=Lines(1, 2)), "map: pages"),
    "a prefix": (
        lambda name, _: Hit(path=f"docs/{name}", lines=Lines(1, 2)),
        r"map: [{from: 'docs/(.*)', to: '\1'}]",
    ),
    "absolute paths": (
        lambda name, _: Hit(path=f"/srv/it's/docs.d/{name}", lines=Lines(1, 2)),
        r"map: [{from: '/srv/it''s/docs\.d/(.*)', to: '\1'}]",
    ),
    "ids with lines": (
        lambda name, _: Hit(id=f"docs/{name}:1-2"),
        r"map: [{from: 'docs/(.*)', to: '\1'}]",
    ),
}
ORDER = ["keys.md", "guide/hooks.md", "guide/roles.md", "guide/index.md", "index.md"]


@pytest.mark.parametrize("name", LOST)
def test_mapping_lost_hits_gets_line_that_locates_them(name: str) -> None:
    make, line = LOST[name]
    answers = [[make(one, at) for at, one in enumerate(ORDER)] for _ in SECTIONS]
    targets = targets_of(*SECTIONS)
    hits = located(answers, CORPUS)
    found = problem_of(hits, targets, CORPUS)
    assert found is not None
    assert found.lines[0] == line
    rules = suite_with(found.lines, targets, corpus=True).map_rules
    again = located(answers, CORPUS, rules)
    assert again["class"].is_in([HitClass.EXACT, HitClass.FILE]).all()
    match_path = "match: path" in found.lines
    assert problem_of(again, targets, CORPUS, match_path=match_path, rules=rules) is None


def test_mapping_pages_sentence_keeps_anchor() -> None:
    hits = located([[Hit(id=url) for url in URLS] for _ in SECTIONS], CORPUS)
    found = problem_of(hits, targets_of(*SECTIONS), CORPUS)
    assert found == MappingProblem(
        ("15 of 15 results look like pages of a site: /guide/hooks/#retries → guide/hooks.md#retries.",),
        ("map: pages",),
    )


def test_mapping_pages_without_anchors_needs_match_path() -> None:
    answers = [[Hit(id=f"/{name.removesuffix('.md')}/") for name in ORDER[:3]] for _ in SECTIONS]
    found = problem_of(located(answers, CORPUS), targets_of(*SECTIONS), CORPUS)
    assert found is not None
    assert found.lines == ("map: pages", "match: path")


def test_mapping_single_query_is_enough() -> None:
    found = problem_of(located([[Hit(id="/keys/#rotate")]], CORPUS), targets_of("keys.md:5-7"), CORPUS)
    assert found is not None
    assert found.lines == ("map: pages",)


def test_mapping_third_of_hits_lost_is_a_problem() -> None:
    good = [Hit(path=name, lines=Lines(1, 2)) for name in ORDER]
    bad = [Hit(path=f"docs/{name}", lines=Lines(1, 2)) for name in ORDER]
    targets = targets_of(*SECTIONS)
    found = problem_of(located([good, good, bad], CORPUS), targets, CORPUS, reached=True)
    assert found is not None
    assert found.problems == (
        "5 of 15 results have paths that the corpus does not have: docs/guide/hooks.md → guide/hooks.md.",
    )
    fewer = located([good, [*good, good[0]], bad], CORPUS)
    assert problem_of(fewer, targets, CORPUS, reached=True) is None


def test_mapping_existing_rules_stay_in_the_line() -> None:
    rule = MapRule("old/(.*)", r"\1")
    hits = located([[Hit(id=url) for url in URLS] for _ in SECTIONS], CORPUS, [rule])
    found = problem_of(hits, targets_of(*SECTIONS), CORPUS, rules=[rule])
    assert found is not None
    assert found.lines == (r"map: [{from: 'old/(.*)', to: '\1'}, pages]",)
    wrong = MapRule("/(.*)", r"x/\1")
    found = problem_of(hits, targets_of(*SECTIONS), CORPUS, rules=[wrong])
    assert found is not None
    assert found.lines == (r"map: [pages, {from: '/(.*)', to: 'x/\1'}]",)


def test_mapping_located_baseline_is_never_a_problem() -> None:
    hits = located([[Hit(id=url) for url in URLS] for _ in SECTIONS], CORPUS)
    assert problem_of(hits, targets_of(*SECTIONS), CORPUS, baseline=True) is None


def test_mapping_text_locates_hits_silently() -> None:
    texts = ["Rotate the key.", "A hook that fails is tried again.", "Only an owner may delete a project."]
    answers = [[Hit(path=f"/srv/docs/{at}.md", text=text)] for at, text in enumerate(texts)]
    assert problem_of(located(answers, CORPUS), targets_of(*SECTIONS), CORPUS) is None


WRONG: dict[str, tuple[Hit, ...]] = {
    "other lines": (Hit(path="keys.md", lines=Lines(1, 3)),),
    "other documents": (Hit(path="index.md", lines=Lines(1, 2)),),
    "some not in the corpus": (
        Hit(path="index.md", lines=Lines(1, 2)),
        Hit(path="blog/post.md"),
        Hit(id="https://blog.example.org/launch/"),
    ),
    "several locations": (Hit(text="keys"), Hit(path="index.md", lines=Lines(1, 1))),
    "nothing": (),
}


@pytest.mark.parametrize("name", WRONG)
def test_mapping_wrong_results_are_a_bad_search(name: str) -> None:
    hits = located([WRONG[name] for _ in SECTIONS], CORPUS)
    assert problem_of(hits, targets_of(*SECTIONS), CORPUS) is None


def test_mapping_wrong_documents_for_whole_targets_are_bad() -> None:
    hits = located([[Hit(path="index.md"), Hit(path="guide/index.md")]], CORPUS)
    assert problem_of(hits, targets_of("keys.md"), CORPUS) is None


NO_RULE: dict[str, tuple[Hit, str]] = {
    "opaque ids": (Hit(id="chunk-15"), "only an id, such as chunk-15, and the targets are locations."),
    "another repository": (
        Hit(path="src/main.rs", lines=Lines(1, 2)),
        "not in the corpus, such as src/main.rs. The corpus has guide/hooks.md.",
    ),
    "unknown texts": (Hit(text="Words that no document of the corpus has"), "the corpus does not have it."),
    "stale lines": (Hit(path="keys.md", lines=Lines(90, 99)), "lines that their document does not have."),
}


@pytest.mark.parametrize("name", NO_RULE)
def test_mapping_without_rule_says_what_to_return(name: str) -> None:
    hit, words = NO_RULE[name]
    found = problem_of(located([[hit] for _ in SECTIONS], CORPUS), targets_of(*SECTIONS), CORPUS)
    assert found is not None
    assert found.lines == ()
    assert found.problems[0].startswith("3 of 3 results ")
    assert found.problems[0].endswith(words)


def test_mapping_names_of_many_folders_give_no_rule() -> None:
    many = MemoryCorpus({f"{folder}/{name}.md": "x\n" for folder in "abcd" for name in ("index", "usage")})
    hits = located([[Hit(id="usage"), Hit(id="index")]], many)
    found = problem_of(hits, targets_of("a/usage.md:1-1"), many)
    assert found is not None
    assert found.lines == ()


def test_mapping_skipped_files_are_named() -> None:
    corpus = MemoryCorpus(DOCS)
    corpus.skipped = {"logo.md": "not text"}
    found = problem_of(located([[Hit(path="logo.md")]], corpus), targets_of("keys.md:5-7"), corpus)
    assert found is not None
    assert found.problems[0] == "1 of 1 result is left out of the corpus, such as logo.md (not text)."


def test_mapping_offsets_propose_start_end_of_system() -> None:
    long = MemoryCorpus({f"{name}.md": "word " * 30 + "\n" for name in "abc"})
    hits = located([[Hit(path=f"{name}.md", lines=Lines(40, 90))] for name in "abc"], long)
    found = problem_of(hits, targets_of("a.md:1-1"), long)
    assert found is not None
    assert found.lines == ('locate = { start_end = "characters" }',)


def test_mapping_whole_documents_propose_match_path() -> None:
    answers = [[Hit(path=name) for name in ORDER] for _ in SECTIONS]
    hits, targets = located(answers, CORPUS), targets_of(*SECTIONS)
    found = problem_of(hits, targets, CORPUS)
    assert found is not None
    assert found.lines == ("match: path",)
    assert found.problems[0].startswith(
        "9 of 15 results name a document without a section or lines, such as keys.md, and "
    )
    assert problem_of(hits, targets, CORPUS, match_path=True) is None
    sections = [[*hits_of, Hit(path="keys.md", lines=Lines(5, 7))] for hits_of in answers]
    assert problem_of(located(sections, CORPUS), targets, CORPUS, reached=True) is None


def test_mapping_records_with_prefix_get_rule() -> None:
    corpus = MemoryCorpus({f"{number}": f"text {number}" for number in range(100, 130)}, records=True)
    answers = [[Hit(id=f"doc-{number}") for number in range(100, 110)] for _ in range(3)]
    targets = targets_of("120", "121", "122")
    found = problem_of(located(answers, corpus), targets, corpus)
    assert found is not None
    assert found.lines == (r"map: [{from: 'doc-(.+)', to: '\1'}]",)
    wrong = [[Hit(id=f"{number}") for number in range(100, 110)] for _ in range(3)]
    assert problem_of(located(wrong, corpus), targets, corpus) is None


# ---- names that are compared as written

WRITTEN: dict[str, tuple[list[str], list[str], str]] = {
    "pages": (["keys.md", "hooks.md"], ["/keys/", "/hooks/#retries", "/roles/"], "map: pages"),
    "one page": (["keys.md"], ["/keys/"], "map: pages"),
    "pages of HTML": (["keys.md", "hooks.md"], ["keys.html", "a.html"], "map: pages"),
    "contained": (
        ["fundraising"],
        ["qmd://notes/fundraising.md", "qmd://notes/hiring.md"],
        r"map: [{from: 'qmd://notes/(.+)\.md', to: '\1'}]",
    ),
    "contained in folders": (
        ["fundraising"],
        ["qmd://notes/fundraising.md", "qmd://journal/monday.md"],
        r"map: [{from: '.*/(.+)\.md', to: '\1'}]",
    ),
    "chunks": (["a7", "b9"], ["a7#0", "b9#12", "c3#1"], r"map: [{from: '(.+)#.*', to: '\1'}]"),
    "numbered chunks": (
        ["a7", "b9"],
        ["a7_chunk_0", "b9_chunk_12", "c3_chunk_1"],
        r"map: [{from: '(.+)_chunk_[0-9]+', to: '\1'}]",
    ),
    "prefix": (["3", "17", "9"], ["doc-3", "doc-4", "doc-5"], r"map: [{from: 'doc-(.+)', to: '\1'}]"),
    "missing prefix": (["doc-3", "doc-17"], ["3", "4", "5"], r"map: [{from: '(.+)', to: 'doc-\1'}]"),
    "missing extension": (["keys.md", "b.md"], ["keys", "hooks"], r"map: [{from: '(.+)', to: '\1.md'}]"),
    "other folder": (
        ["src/keys.md", "src/b.md"],
        ["x:keys.txt", "x:b.txt", "x:c.txt"],
        r"map: [{from: 'x:(.+)\.txt', to: 'src/\1.md'}]",
    ),
    "zeros before numbers": (["7", "12"], ["007", "113"], r"map: [{from: '0*([0-9]+)(?:\.0+)?', to: '\1'}]"),
    "numbers without zeros": (
        ["007", "012"],
        ["7", "12"],
        r"map: [{from: '([0-9]{1})', to: '00\g<1>'}, {from: '([0-9]{2})', to: '0\g<1>'}]",
    ),
    "float": (["7"], ["7.0", "8.0"], r"map: [{from: '(.+)\.0', to: '\1'}]"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_mapping_written_names_get_line_that_reaches(name: str) -> None:
    judged, names, line = WRITTEN[name]
    targets = targets_of(*judged)
    answers = [[Hit(id=one) for one in names]]
    found = problem_of(located(answers, None), targets)
    assert found is not None
    assert found.lines == (line,)
    suite = suite_with(found.lines, targets, corpus=False)
    again = located(answers, None, suite.map_rules, judged_names(suite))
    assert set(again["id"]) & set(judged)
    assert problem_of(again, targets, rules=suite.map_rules) is None


SILENT: dict[str, tuple[list[str], list[str]]] = {
    "other ids of one form": (["x3"], ["x17", "x4", "x33"]),
    "other products": (["sku-12"], ["sku-99"]),
    "ids of other queries": (["a", "b"], ["b", "c/a"]),
    "words in slugs": (["api"], ["api-keys", "rest-api", "billing"]),
    "one slug that holds another": (["api"], ["api-keys"]),
    "numbers in numbers": (["3", "17"], ["13", "317", "33"]),
    "numbers in ids": (["x3", "x1"], ["x13", "x31", "x113"]),
    "older versions": (["x17"], ["x17-old"]),
    "documents of other folders": (["guide/keys.md"], ["api/keys.md", "api/hooks.md"]),
    "documents of one name": (["README.md"], ["a/README.md", "b/README.md", "b/c.rs"]),
    "products of another kind": (["tv-12", "tv-7", "tv-9"], ["pc-12", "pc-1", "pc-3", "pc-4"]),
    "other languages": (["de/keys"], ["en/keys", "en/hooks"]),
    "random ids": (["dv9m19yk", "0paafp5j"], ["96zsd27n", "w6kdb3fn"]),
    "empty": (["a"], []),
}


@pytest.mark.parametrize("name", SILENT)
def test_mapping_other_ids_are_a_bad_search(name: str) -> None:
    judged, names = SILENT[name]
    hits = located([[Hit(id=one) for one in names]], None)
    assert problem_of(hits, targets_of(*judged)) is None


def test_mapping_reached_targets_prove_the_form() -> None:
    hits = located([[Hit(id="doc-3"), Hit(id="doc-17")]], None)
    assert problem_of(hits, targets_of("3", "17"), reached=True) is None


def test_mapping_paths_without_lines_propose_match_path() -> None:
    hits = located([[Hit(id="keys.md")], [Hit(path="guide/hooks.md")]], None)
    found = problem_of(hits, targets_of("keys.md:5-7", "guide/hooks.md:3-5"))
    assert found is not None
    assert found.lines == ("match: path",)


def test_mapping_many_names_stop_in_time() -> None:
    names = [f"/{'-'.join(str(part) for part in range(at, at + 60))}" for at in range(5_000)]
    hits = located([[Hit(id=name) for name in names]], None)
    assert problem_of(hits, targets_of("x3", "x4")) is None


# ---- collections


@pytest.mark.parametrize("queries", [5, 1000])
@pytest.mark.parametrize("name", ["cacm", "dl19", "trec-covid", "scifact", "esci"])
def test_mapping_prefix_on_ids_of_collection_is_found(shared_data: Path, name: str, queries: int) -> None:
    judged, run = collection(name, shared_data)
    asked = [query for query in run if set(judged.get(query, ())) & set(run[query])][:queries]
    targets = pl.concat(targets_of(*judged[query]) for query in asked)
    answers = [[Hit(id=f"doc_{one}") for one in run[query]] for query in asked]
    found = problem_of(located(answers, None), targets)
    assert found is not None
    assert found.lines == (r"map: [{from: 'doc_(.+)', to: '\1'}]",)


@pytest.mark.parametrize("queries", [5, 1000])
@pytest.mark.parametrize("name", ["cacm", "dl19", "trec-covid", "scifact", "esci"])
def test_mapping_bad_search_of_collection_is_silent(shared_data: Path, name: str, queries: int) -> None:
    judged, run = collection(name, shared_data)
    asked = [query for query in run if judged.get(query)][:queries]
    targets = pl.concat(targets_of(*judged[query]) for query in asked)
    shuffled = [[Hit(id=one) for one in run[query]] for query in (*asked[1:], asked[0])]
    assert problem_of(located(shuffled, None), targets) is None
    relevant = {one for query in asked for one in judged[query]}
    others = [[Hit(id=one) for one in run[query] if one not in relevant] for query in asked]
    assert problem_of(located(others, None), targets) is None
