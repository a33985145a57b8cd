"""A baseline outlives a change of the documents: its hits are found again, and its gates stay on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 12
SECTIONS = ("Install", "Rotate", "Remove")
APP = """
import json
from pathlib import Path

DOCS = Path(__file__).parent / "docs"


def search(query, k):
    lost = Path(__file__).with_name("lost.txt")
    if lost.exists() and query in lost.read_text().splitlines():
        return []
    hits = []
    for page in sorted(DOCS.glob("*.md")):
        lines = page.read_text().splitlines()
        heads = [at for at, line in enumerate(lines) if line.startswith("#")]
        for head, behind in zip(heads, [*heads[1:], len(lines)]):
            text = " ".join(lines[head:behind]).lower()
            score = sum(word in text for word in query.lower().split())
            hits.append((score, {"path": page.name, "start": head + 1, "end": behind}))
    return [hit for score, hit in sorted(hits, key=lambda one: -one[0])[:k] if score > 2]
"""


def page(number: int) -> str:
    """Return a page of three sections, each of which says what no other does."""
    parts = [f"# Tool{number}\n\nWhat tool{number} is for.\n"]
    for name in SECTIONS:
        done = name.lower()
        lines = (
            f"To {done} tool{number} take care.",
            f"Then {done} the rest.",
            f"That is all of {done} {number}.",
        )
        said = "".join(f"{line}\n" for line in lines)
        parts.append(f"## {name}\n\n{said}")
    return "\n".join(parts)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project whose search finds everything, and keep its baseline."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    cases = []
    for number in range(PAGES):
        (tmp_path / "docs" / f"tool{number}.md").write_text(page(number))
        cases.append(f"  - {{query: 'rotate tool{number} care', at: tool{number}.md#Rotate}}\n")
    gates = "gates: ['drop(rr) < 0.05']\n"
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\nk: 10\n{gates}cases:\n{''.join(cases)}")
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nkind = "function"\ntarget = "./app.py:search"\n'
    )
    rankgate("test").printed()
    rankgate("baseline", "set").printed()
    return tmp_path


def lose(folder: Path, *numbers: int) -> None:
    """Let the search answer nothing to some queries."""
    (folder / "lost.txt").write_text("\n".join(f"rotate tool{number} care" for number in numbers))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_baseline_has_relevant_hits_and_no_words(project: Path) -> None:
    lines = [
        json.loads(line) for line in (project / "baselines" / "search.app.jsonl").read_text().splitlines()
    ]
    assert lines[0]["baseline"] == 2
    queries = [line for line in lines if "query" in line]
    assert queries[0]["relevant"] == ["tool0.md:11-16"]
    assert {line["path"] for line in lines[1:] if "query" not in line} >= {
        f"tool{n}.md" for n in range(PAGES)
    }
    # Nothing of the words of a document is kept.
    assert "take care" not in (project / "baselines" / "search.app.jsonl").read_text()


SAME = "ndcg@10 1.000 (baseline 1.000) · 0 improved, 0 regressed"


def rewrite(project: Path, *numbers: int, heading: str = "Rotate") -> None:
    """Write a section of some pages anew: nothing of its text is left."""
    for number in numbers:
        file = project / "docs" / f"tool{number}.md"
        text = file.read_text()
        start, end = text.index("## Rotate"), text.index("## Remove")
        rewritten = f"## {heading}\n\nNobody needs to rotate tool{number} with care.\nSince {number}.\n\n"
        file.write_text(text[:start] + rewritten + text[end:])


def test_baseline_follows_a_page_with_one_line_more(project: Path) -> None:
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)
    lose(project, 3)
    lost = rankgate("test")
    assert lost.code == 1
    assert "lost@10 = 1 (required: 0): rotate tool3 care" in lost.out


def test_wrong_results_fail_after_an_edit_of_every_page(project: Path) -> None:
    for number in range(PAGES):
        file = project / "docs" / f"tool{number}.md"
        file.write_text(file.read_text().replace("take care", "take great care"))
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)
    (project / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'tool0.md', 'start': 1, 'end': 3}]\n"
    )
    done = rankgate("test")
    assert done.code == 1
    assert "lost@10 = 12 (required: 0)" in done.out


def test_baseline_follows_a_section_to_another_page(project: Path) -> None:
    docs = project / "docs"
    text = (docs / "tool5.md").read_text()
    start, end = text.index("## Rotate"), text.index("## Remove")
    (docs / "tool5.md").write_text(text[:start] + text[end:])
    (docs / "rotation.md").write_text("# Rotation\n\n" + text[start:end])
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("tool5.md#Rotate", "rotation.md#Rotate"))
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)
    lose(project, 5)
    lost = rankgate("test")
    assert lost.code == 1
    assert "lost@10 = 1 (required: 0): rotate tool5 care" in lost.out


def test_rewritten_section_keeps_its_baseline_hit(project: Path) -> None:
    rewrite(project, 7)
    assert SAME in rankgate("test").out


def test_lost_query_with_a_rewritten_section_fails(project: Path) -> None:
    rewrite(project, 7)
    assert rankgate("test").code == 0
    lose(project, 7)
    lost = rankgate("test")
    assert lost.code == 1
    assert "lost@10 = 1 (required: 0): rotate tool7 care" in lost.out


def test_baseline_with_a_fifth_of_results_gone_is_open(project: Path) -> None:
    rewrite(project, 0, 1, 2, heading="Change")
    suite = project / "search.yaml"
    text = suite.read_text()
    for number in range(3):
        text = text.replace(f"tool{number}.md#Rotate", f"tool{number}.md#Change")
    suite.write_text(text)
    done = rankgate("test")
    assert done.code == 4
    assert "Results of 3 of 12 queries of the baseline can't be located." in flat(done.out)
    # A failure is certain.
    lose(project, 5)
    assert rankgate("test").code == 1
    lose(project)
    rankgate("baseline", "set", "search.yaml", "--system", "app").printed()
    assert rankgate("test").code == 0


def test_baseline_follows_a_decision_of_suite_fix(project: Path) -> None:
    rankgate("suite", "fix", "search.yaml", "--yes").printed()
    rewrite(project, 0, 1, 2, heading="Change")
    missing = rankgate("test")
    assert missing.code == 2
    assert "rankgate suite fix" in flat(missing.out + missing.err)
    takes = [w for n in range(3) for w in ("--take", f"rotate-tool{n}-care=tool{n}.md#Change")]
    rankgate("suite", "fix", "search.yaml", *takes).printed()
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)
    lose(project, 1)
    lost = rankgate("test")
    assert lost.code == 1
    assert "lost@10 = 1 (required: 0): rotate tool1 care" in lost.out


def test_compare_finds_the_hits_of_the_baseline_again(project: Path) -> None:
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("test").printed()
    said = flat(rankgate("compare", "baseline", "app").printed())
    assert "the documents changed since the baseline of app was set; its locations:" in said
    assert "moved" in said


def test_a_large_baseline_keeps_the_same_in_its_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankgate.runs.baseline_file.MOST_LINES", 5)
    rankgate("baseline", "set").printed()
    assert (project / "baselines" / "search.app.rankings" / "places.parquet").is_file()
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    assert rankgate("test").code == 0
    lose(project, 3)
    assert rankgate("test").code == 1


def test_two_runs_over_two_states_of_the_documents_are_compared_at_the_locations_of_today(
    project: Path,
) -> None:
    rankgate("run", "search.yaml", "-o", "before").printed()
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("run", "search.yaml", "-o", "after").printed()
    said = flat(rankgate("compare", "before", "after").printed())
    assert "the documents changed since before was asked; its locations:" in said
    assert "moved" in said
    assert "the documents changed since after" not in said
    assert "top 10 unchanged in 12 of 12 queries" in said
    lose(project, 3)
    rankgate("run", "search.yaml", "-o", "worse").printed()
    (worse,) = json.loads(rankgate("compare", "before", "worse", "--format", "json").printed())["pairs"]
    assert [(row["losses"], row["ties"]) for row in worse["metrics"]] == [(1, 11), (1, 11)]


def test_a_query_with_a_hit_of_a_run_that_is_gone_is_left_out_on_whichever_side_it_is(project: Path) -> None:
    rankgate("run", "search.yaml", "-o", "before").printed()
    file = project / "docs" / "tool7.md"
    text = file.read_text()
    start, end = text.index("## Rotate"), text.index("## Remove")
    rewritten = "## Rotate\n\nIt is done by itself.\nNobody needs to rotate tool7 with care.\nReally.\n\n"
    file.write_text(text[:start] + rewritten + text[end:])
    rankgate("run", "search.yaml", "-o", "after").printed()
    for names in (("before", "after"), ("after", "before")):
        said = flat(rankgate("compare", *names).printed())
        assert "1 query left out, of which some hits in before are not found" in said
        assert "top 10 unchanged in 11 of 12 queries" in said


def test_parts_that_are_merged_keep_what_finds_their_hits_again(project: Path) -> None:
    for part in ("1/2", "2/2"):
        rankgate("run", "search.yaml", "--shard", part, "-o", part.replace("/", "-")).printed()
    rankgate("runs", "merge", "1-2", "2-2", "-o", "before").printed()
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("test").printed()
    assert "the documents changed since before was asked" in flat(
        rankgate("compare", "before", "app").printed()
    )


def test_a_run_without_what_finds_its_hits_is_refused_over_other_documents(project: Path) -> None:
    rankgate("run", "search.yaml", "-o", "before").printed()
    manifest = project / "before" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "places": None}))
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("test").printed()
    done = rankgate("compare", "before", "app")
    assert done.code == 2
    assert "answers over other documents" in flat(done.err)


def test_a_damaged_table_of_places_is_refused(project: Path) -> None:
    rankgate("run", "search.yaml", "-o", "before").printed()
    (project / "before" / "places.parquet").write_bytes(b"no table")
    done = rankgate("compare", "before", "app")
    assert done.code == 2
    assert "places.parquet" in done.err
