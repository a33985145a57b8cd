from __future__ import annotations

from pathlib import Path

from rankgate import Hit, Lines, evaluate, load_suite


def test_recommendation_of_many_queries_counts_only_cases_with_all_results(tmp_path: Path) -> None:
    # The report has all results of 200 cases, and the first result of the others.
    path = tmp_path / "search.yaml"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("\n".join(f"line {number}" for number in range(20)), encoding="utf-8")
    (tmp_path / "docs/b.md").write_text("other", encoding="utf-8")
    cases = "\n".join(f"  - {{query: query {number}, at: 'a.md:1-2'}}" for number in range(250))
    path.write_text(f"corpus: docs/\ncases:\n{cases}\n", encoding="utf-8")

    def search(query: str, k: int) -> list[Hit]:
        return [Hit(path="b.md", lines=Lines(1, 1)), Hit(path="a.md", lines=Lines(9, 9))]

    facts = [one.fact for one in evaluate(load_suite(path), search).report.recommendations]
    assert facts == ["At least 200 queries find the right document and other lines."]
