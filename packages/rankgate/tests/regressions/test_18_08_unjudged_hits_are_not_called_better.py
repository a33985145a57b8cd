"""A difference is not called one where hits that nobody has judged may be the reason for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 20
WRONG = [f"wrong{n}" for n in range(9)]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite()


def suite(*more: str, irrelevant: bool = True, metrics: str = "[ndcg@10]") -> None:
    """A suite whose queries have a right document, and nine that are judged wrong."""
    judged = {"right": 1, **(dict.fromkeys(WRONG, 0) if irrelevant else {})}
    cases = [{"query": f"number {n}", "id": judged, **dict.fromkeys(more, True)} for n in range(SIZE)]
    Path("search.yaml").write_text(f"metrics: {metrics}\ncases:\n")
    with Path("search.yaml").open("a") as file:
        file.writelines(f"  - {json.dumps(case)}\n" for case in cases)


def answers(name: str, ranking: Sequence[str]) -> str:
    """A run that answers every query with a ranking."""
    rows = [
        f"number-{n} Q0 {hit} {rank} {100 - rank} run\n"
        for n in range(SIZE)
        for rank, hit in enumerate(ranking, 1)
    ]
    Path(f"{name}.trec").write_text("".join(rows))
    return f"{name}.trec"


def compared(*names: str) -> list[dict]:  # type: ignore[type-arg]
    text = rankgate("compare", *names, "--suite", "search.yaml", "--format", "json").printed()
    return [one | {"row": one["rows"][0]} for one in json.loads(text)["comparisons"]]


ALL_JUDGED = [WRONG[0], "right", *WRONG[1:]]
TWO_UNJUDGED = ["right", *WRONG[:7], "new0", "new1"]


def test_judged_shares_that_differ_by_two_tenths_are_not_comparable() -> None:
    names = answers("before", ALL_JUDGED), answers("after", TWO_UNJUDGED)
    (one,) = compared(*names)
    assert one["row"]["numbers"]["p"] < 0.05
    assert "better" not in one["row"]["finding"]
    assert one["row"]["finding"] == "not comparable: judged@10 1.00 → 0.80"
    assert one["row"]["mark"] == "⚠️"
    effect = one["row"]["numbers"]["unjudged"]
    assert effect["judged"] == pytest.approx([1.0, 0.8])
    low, high = effect["difference"]
    assert low == pytest.approx(one["row"]["numbers"]["difference"])
    assert high > low + 0.01
    for style in ("terminal", "markdown"):
        said = rankgate("compare", *names, "--suite", "search.yaml", "--format", style).printed()
        said = " ".join(said.replace("\\", "").split())
        command = "rankgate judge search.yaml --from before.trec --from after.trec"
        assert f"not comparable: judge these {2 * SIZE} hits first: {command}" in said
        assert "judged@10 1.00 → 0.80; unjudged hits allow" in said


def test_the_command_that_is_named_lists_the_hits() -> None:
    names = answers("before", ALL_JUDGED), answers("after", TWO_UNJUDGED)
    rankgate("compare", *names, "--suite", "search.yaml", "--unjudged", "unjudged.jsonl").printed()
    rows = [json.loads(line) for line in Path("unjudged.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * SIZE
    assert {(row["location"], row["side"]) for row in rows} == {("new0", "after"), ("new1", "after")}


def test_no_less_where_the_one_that_is_compared_with_has_them() -> None:
    (one,) = compared(answers("before", TWO_UNJUDGED), answers("after", ALL_JUDGED))
    assert one["row"]["finding"] == "not comparable: judged@10 0.80 → 1.00"
    assert {row["side"] for row in one["unjudged"]} == {"before"}


def test_a_difference_that_turns_on_judged_hits_alone_is_not_called_one() -> None:
    before = ["new0", "new1", "right", *WRONG[:7]]
    after = [WRONG[0], "right", "new2", "new3", *WRONG[1:7]]
    (one,) = compared(answers("before", before), answers("after", after))
    numbers = one["row"]["numbers"]
    assert numbers["difference"] > 0 > numbers["unjudged"]["alone"]
    assert one["row"]["finding"].startswith("not comparable: −0.36")


def test_a_difference_that_stands_is_labelled_with_its_bounds() -> None:
    before, after = ["new0", *WRONG[:8], "right"], ["right", *WRONG[:8], "new0"]
    (one,) = compared(answers("before", before), answers("after", after))
    low, high = one["row"]["numbers"]["unjudged"]["difference"]
    assert low == pytest.approx(0.0, abs=1e-9)
    assert high == pytest.approx(one["row"]["numbers"]["difference"])
    assert one["row"]["mark"] == "✅"
    assert one["row"]["finding"] == "better (significant), unjudged hits allow +0.0000 to +0.7109"
    assert one["comparable"] == ""


def test_of_several_none_is_called_better_that_is_not_comparable() -> None:
    names = [answers("before", ALL_JUDGED), answers("new", TWO_UNJUDGED)]
    names.append(answers("judged", ["right", *WRONG]))
    new, judged = compared(*names)
    assert "better" not in new["row"]["finding"]
    assert judged["row"]["finding"] == "better (significant, Holm over 2 claims)"


def test_a_suite_that_judges_nothing_irrelevant_compares_as_ever() -> None:
    suite(irrelevant=False)
    (one,) = compared(answers("before", ALL_JUDGED), answers("after", TWO_UNJUDGED))
    assert one["row"]["finding"] == "better (significant)"
    assert one["row"]["numbers"]["unjudged"] is None


def test_everything_is_judged_on_exhaustive_cases() -> None:
    suite("exhaustive")
    (one,) = compared(answers("before", ALL_JUDGED), answers("after", TWO_UNJUDGED))
    assert one["row"]["finding"] == "better (significant)"
    assert one["row"]["numbers"]["unjudged"]["judged"] == [1.0, 1.0]


def test_a_gate_is_decided_by_the_judgments_there_are_and_says_how_much_is_judged() -> None:
    Path("rankgate.toml").write_text(
        "suites = ['search.yaml']\n[systems.app]\nfunction = './app.py:search'\n"
        "gates = ['drop(ndcg@10) < 0.1']\n"
    )
    Path("app.py").write_text(f"def search(query, k):\n    return {ALL_JUDGED}\n")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    Path("app.py").write_text(f"def search(query, k):\n    return {['new0', 'new1', *ALL_JUDGED[:8]]}\n")
    done = rankgate("test")
    said = " ".join(done.out.split())
    assert done.code == 1
    assert "20 queries; judged@10 1.00 → 0.80, so that unjudged hits may be the reason" in said
    command = "rankgate judge search.yaml --from baseline --from app"
    assert f"not comparable: judge these {2 * SIZE} hits first: {command}" in said
    with patch("builtins.input", side_effect=["0", "0", "q"]):
        rankgate(*command.split()[1:], "--terminal", "--judge", "ada", "--hits-only").printed()
    assert len(Path("judgments/ada.jsonl").read_text().splitlines()) == 2
    rankgate("compare", "baseline", "app", "--unjudged", "unjudged.jsonl").printed()
    assert len(Path("unjudged.jsonl").read_text().splitlines()) == 2 * SIZE - 2


def test_judged_is_known_in_every_query_of_a_suite_that_judges_something_irrelevant() -> None:
    judgments = Judgments.of(id_targets(("one", "a", 1), ("one", "b", 0), ("two", "a", 1)))
    scores = score(judgments, run_of({"one": ["a", "b"], "two": ["a", "x"]}), ["judged@2", "bpref"])
    assert scores.per_query("judged@2") == {"one": 1.0, "two": 0.5}
    assert scores.per_query("bpref") == {"one": 1.0, "two": 1.0}
