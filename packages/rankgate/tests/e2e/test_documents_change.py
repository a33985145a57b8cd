"""A baseline outlives a change of the documents: its hits are found again, and its gates stay on."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.commands import rankgate

PAGES_OF_RANKGATE = Path(__file__).parents[4] / "docs"
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


def test_baseline_has_locations_and_its_anchors_what_they_reached(project: Path) -> None:
    head, *lines = (project / "baselines" / "search.app.jsonl").read_text().splitlines()
    assert head == '{"format": "rankgate-baseline", "version": 1, "system": "app", "depth": 10}'
    assert json.loads(lines[0])["hits"] == ["tool0.md:11-16"]
    anchors = (project / "baselines" / "search.app.anchors.json").read_text()
    assert re.search(r'\n  "tool0.md:11-16": "[0-9a-f]{16}",\n', anchors)
    assert '\n  "tool0.md:11-16": ["tool0.md#Rotate"],\n' in anchors


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


def test_compare_locates_the_results_of_the_baseline(project: Path) -> None:
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("test").printed()
    said = flat(rankgate("compare", "baseline", "app").printed())
    assert "the documents changed since the baseline of app was set; its locations: 11 same, 1 moved" in said
    assert "top 10 unchanged in 12 of 12 queries" in said


def test_runs_over_two_states_of_the_documents_are_not_compared(project: Path) -> None:
    rankgate("run", "search.yaml", "-o", "before").printed()
    file = project / "docs" / "tool3.md"
    file.write_text("A line that somebody added.\n\n" + file.read_text())
    rankgate("test").printed()
    done = rankgate("compare", "before", "app")
    assert done.code == 2
    assert "answers over another state of the corpus" in flat(done.err)


def test_moved_and_edited_results_reach_the_renamed_target_after_suite_fix(project: Path) -> None:
    rankgate("suite", "fix", "search.yaml", "--yes").printed()
    for number in range(3):
        file = project / "docs" / f"tool{number}.md"
        file.write_text(file.read_text().replace("## Rotate\n", "## Change\n"))
    assert rankgate("test").code == 2
    takes = [word for n in range(3) for word in ("--take", f"rotate-tool{n}-care=tool{n}.md#Change")]
    written = rankgate("suite", "fix", "search.yaml", *takes).printed()
    assert "search.app.anchors.json" in written
    anchors = (project / "baselines" / "search.app.anchors.json").read_text()
    assert '  "tool1.md:11-16": ["tool1.md#Change"],\n' in anchors
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)
    lose(project, 1)
    assert rankgate("test").code == 1


def test_deleted_page_with_its_case_passes(project: Path) -> None:
    for number in range(3):
        (project / "docs" / f"tool{number}.md").unlink()
    suite = project / "search.yaml"
    lines = suite.read_text().splitlines(keepends=True)
    suite.write_text("".join(line for line in lines if not re.search(r"tool[012]\.md", line)))
    done = rankgate("test")
    assert done.code == 0
    assert "ndcg@10 1.000 (baseline 1.000) · 0 improved, 0 regressed" in done.out


def test_lost_results_that_reached_nothing_leave_gates_on(project: Path) -> None:
    extra = project / "docs" / "zoo.md"
    extra.write_text("# All\n\n" + " ".join(f"rotate tool{number} care" for number in range(PAGES)) + "\n")
    rankgate("baseline", "set").printed()
    assert "zoo.md:1-3" in (project / "baselines" / "search.app.jsonl").read_text()
    extra.unlink()
    done = rankgate("test", "--report", "json=report.json")
    assert (done.code, SAME in done.out) == (0, True)
    assert json.loads((project / "report.json").read_text())["comparison"]["unlocated"] == PAGES


def test_baseline_without_anchors_is_compared_where_it_was(project: Path) -> None:
    (project / "baselines" / "search.app.anchors.json").unlink()
    done = rankgate("test", "--report", "json=report.json")
    assert (done.code, SAME in done.out) == (0, True)
    report = (project / "report.json").read_text()
    assert report.count("the baseline has no file of anchors, so its results are where they were saved") == 1


def test_damaged_anchors_of_a_baseline_are_an_error(project: Path) -> None:
    path = project / "baselines" / "search.app.anchors.json"
    path.write_text(path.read_text().replace('": "', '": "x', 1))
    done = rankgate("test")
    assert done.code == 2
    assert "baselines/search.app.anchors.json:4: `tool0.md:11-16` is not a range with" in done.err


@pytest.mark.parametrize("metric", ["overlap@10 >= 0.9", "rbo >= 0.9"])
def test_lost_results_make_a_failed_overlap_inconclusive(project: Path, metric: str) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("'drop(rr) < 0.05'", f"'{metric}'"))
    for number in range(3):
        (project / "docs" / f"tool{number}.md").unlink()
    text = suite.read_text()
    for number in range(3):
        text = text.replace(f"tool{number}.md#Rotate", "tool5.md#Rotate")
    suite.write_text(text)
    done = rankgate("test")
    assert "Results of 3 of 12 queries of the baseline can't be located." in flat(done.out)


def test_one_changed_query_is_one_line_of_git_diff(project: Path) -> None:
    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words]
        return subprocess.run(command, cwd=project, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "baseline")
    lose(project, 5)
    rankgate("baseline", "set").printed()
    changed = git("diff", "-U0", "baselines/search.app.jsonl").splitlines()[5:]
    query = '"name": "rotate-tool5-care", "query": "rotate tool5 care"'
    assert changed == [f'-{{{query}, "hits": ["tool5.md:11-16"]}}', f'+{{{query}, "hits": []}}']
    assert git("diff", "--numstat", "baselines/search.app.jsonl").split()[:2] == ["1", "1"]


QUESTIONS = (
    "run a test",
    "save a baseline",
    "metric of a gate",
    "system over http",
    "compare two systems",
    "judge results",
    "suite of queries",
    "corpus in git",
    "report as html",
    "exit code of a test",
    "filter results",
    "pytest plug-in",
)


def test_baseline_of_12_queries_over_real_documents_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PAGES_OF_RANKGATE, tmp_path / "docs", ignore=shutil.ignore_patterns("[!a-z]*", "*.svg"))
    score = "score > 2]"
    (tmp_path / "app.py").write_text(APP.replace(score, "score]").replace('glob("*.md")', 'rglob("*.md")'))
    cases = "".join(f"  - {{query: {query}, at: commands.md}}\n" for query in QUESTIONS)
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\nk: 10\ncases:\n{cases}")
    (tmp_path / "rankgate.toml").write_text('[systems.site]\nfunction = "./app.py:search"\n')
    assert rankgate("baseline", "set", "search.yaml", "--once").code == 0
    saved = tmp_path / "baselines" / "search.site.jsonl"
    lines = [json.loads(line) for line in saved.read_text().splitlines()[1:]]
    assert [len(line["hits"]) for line in lines] == [10] * len(QUESTIONS)
    anchors = saved.with_suffix(".anchors.json").stat().st_size
    assert saved.stat().st_size <= 4_000
    assert saved.stat().st_size + anchors <= 12_000
