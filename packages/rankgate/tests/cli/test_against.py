"""Two live systems: one is tested, and compared with the results of the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.commands import Done, rankgate
from support.http_servers import serving

QUERIES = [f"query {number}" for number in range(50)]
EMPTY, OTHER = ["query 3", "query 17"], ["query 8", "query 29", "query 44"]
WORSE = {*EMPTY, *OTHER}
Answer = Callable[[str], object]


def prod(query: str) -> list[str]:
    return [f"{query}, result {rank}" for rank in range(10)]


def stage(query: str) -> list[str]:
    if query in EMPTY:
        return []
    return [f"noise {rank}" for rank in range(10)] if query in OTHER else prod(query)


class Servers:
    """Two servers, and the queries in the order in which either received them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.answers: dict[str, Answer] = {"stage": stage, "prod": prod}
        self.log: list[tuple[str, str]] = []
        toml = ""
        for name in self.answers:
            server = stack.enter_context(serving())
            server.answer = self._answer(name)
            toml += (
                f'[systems.{name}]\nkind = "http"\nurl = "{server.url}/search"\nretries = 0\n'
                'params = {q = "{query}"}\nhits = "hits"\nfields = {id = "id"}\n'
            )
        self.configuration = folder / "rankgate.toml"
        self.configuration.write_text(toml)

    def _answer(self, name: str) -> Callable[[dict[str, dict[str, list[str]]]], object]:
        def answer(request: dict[str, dict[str, list[str]]]) -> object:
            query = request["params"]["q"][0]
            self.log.append((name, query))
            found = self.answers[name](query)
            return {"hits": [{"id": one} for one in found]} if isinstance(found, list) else found

        return answer

    def set(self, text: str) -> None:
        """Write settings at the top of the configuration."""
        self.configuration.write_text(text + self.configuration.read_text())


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    with ExitStack() as stack:
        yield Servers(tmp_path, stack)


def write_suite(*gates: str, judged: bool = False) -> None:
    target = ', id: "{query}, result 0"' if judged else ""
    cases = "".join(f"  - {{query: {query}{target.format(query=query)}}}\n" for query in QUERIES)
    Path("search.yaml").write_text(f"gates: {json.dumps(gates)}\ncases:\n{cases}")


def run_test(*options: str) -> Done:
    return rankgate("test", "search.yaml", "--system", "stage", "--against", "prod", *options)


def shown_queries(done: Done) -> set[str]:
    """Return the queries of the first screen: those with a line that ends with the place of the case."""
    lines = [line for line in done.out.splitlines() if " search.yaml:" in line]
    return {" ".join(line.split()[:2]) for line in lines}


def test_unjudged_suite_fails_and_names_the_worse_queries(servers: Servers) -> None:
    write_suite("overlap@10 >= 0.95", "rbo >= 0.95", "zero <= 2%")
    done = run_test()
    assert done.code == 1
    assert shown_queries(done) == WORSE
    # 45 of 50 queries have the same results, 2 of 50 have none.
    assert "  overlap@10 = 0.900 (at least 0.95)\n  rbo@10 = 0.900 (at least 0.95)\n" in done.out
    assert "  zero = 4% (at most 2%): query 3, query 17\n" in done.out
    assert "instead of query 8, result 0 (prod)" in done.out


def test_judged_suite_fails_by_the_default_gate(servers: Servers) -> None:
    write_suite(judged=True)
    done = run_test()
    assert done.code == 1
    assert shown_queries(done) == WORSE
    assert "  5 of 50 queries regressed · ndcg@10 0.900 (prod 1.000)\n" in done.out
    assert "  lost@10 = 5 (required: 0)\n" in done.out
    assert "baseline" not in done.out


def test_equal_systems_pass(servers: Servers) -> None:
    servers.answers["stage"] = prod
    write_suite("overlap@10 >= 1", "drop(ndcg@10) <= 0.01", judged=True)
    assert "ndcg@10 1.000 (prod 1.000) · 0 improved, 0 regressed" in run_test().printed()


def test_systems_run_each_query_in_turn(servers: Servers) -> None:
    write_suite("overlap@10 >= 0.5")
    assert run_test().code == 0
    pairs = list(zip(servers.log[::2], servers.log[1::2], strict=True))
    assert [(first[1], second[1]) for first, second in pairs] == [(query, query) for query in QUERIES]
    assert [first[0] for first, _ in pairs] == ["prod", "stage"] * 25


def test_threads_run_each_query_once(servers: Servers) -> None:
    write_suite("overlap@10 >= 0.95")
    done = run_test("--concurrency", "4")
    assert (done.code, shown_queries(done)) == (1, WORSE)
    assert sorted(servers.log) == sorted((name, query) for name in ("prod", "stage") for query in QUERIES)


def test_errors_of_the_other_system_are_exit_code_3(servers: Servers) -> None:
    servers.answers["prod"] = lambda query: {"error": "down"} if query == "query 5" else prod(query)
    write_suite("overlap@10 >= 0.5", judged=True)
    done = run_test("--report", "json=report.json")
    assert done.code == 3
    assert done.out.startswith("✗ search · stage · 1 error of prod (exit code 3)\n  prod: query-5: ")
    assert {gate["state"] for gate in json.loads(Path("report.json").read_text())["gates"]} == {
        "not enforced"
    }


def test_tolerated_errors_leave_their_queries_out(servers: Servers) -> None:
    servers.answers["prod"] = lambda query: {"error": "down"} if query == "query 5" else prod(query)
    servers.set("max_errors = 1\n")
    write_suite("overlap@10 >= 0.95")
    done = run_test()
    # 44 of the 49 queries that prod answered have the same results.
    assert "  overlap@10 = 0.898 (at least 0.95)\n" in done.out
    assert "  1 query is not in prod: query 5\n" in done.out


def test_other_system_without_results_is_exit_code_3(servers: Servers) -> None:
    servers.answers["prod"] = lambda _: []
    write_suite(judged=True)
    done = run_test()
    assert done.code == 3
    assert "prod returned no result for any of 50 queries." in done.out


def test_other_system_stands_in_for_a_required_baseline(servers: Servers) -> None:
    servers.set('require_baseline = ["stage"]\n')
    servers.answers["stage"] = prod
    write_suite(judged=True)
    assert rankgate("test", "search.yaml", "--system", "stage").code == 2
    assert run_test().code == 0


def test_stored_run_is_a_reference(servers: Servers) -> None:
    write_suite(judged=True)
    # A run names its queries as the suite names its cases.
    records = [
        {"query": query.replace(" ", "-"), "hits": [{"id": f"{query}, result 0"}]} for query in QUERIES
    ]
    Path("prod.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    servers.configuration.write_text(
        servers.configuration.read_text().replace("[systems.prod]", "[systems.live]")
        + '[systems.prod]\nrun = "prod.jsonl"\n'
    )
    done = run_test()
    assert (done.code, shown_queries(done)) == (1, WORSE)

    Path("prod.jsonl").write_text('{"query": "another", "hits": [{"id": "x"}]}\n')
    assert run_test().code == 3


@pytest.mark.parametrize("gate", ["ndcg@10 >= 0.5", "drop(ndcg@10) <= 0.1", "lost@10 = 0"])
def test_gate_on_judgments_without_any_is_exit_code_2(servers: Servers, gate: str) -> None:
    write_suite("overlap@10 >= 0.5", gate)
    done = run_test()
    assert done.code == 2
    assert f"the gate '{gate}' reads nothing." in done.out


def test_suite_without_judgments_and_gates_has_no_gates(servers: Servers) -> None:
    write_suite()
    done = run_test()
    assert done.code == 0
    assert done.out.startswith("– search · stage · 50 queries, no gates\n")
