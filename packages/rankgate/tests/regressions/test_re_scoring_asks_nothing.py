"""What scores, compares or shows kept answers asks nothing: systems of three kinds count their calls."""

from __future__ import annotations

import json
import sys
from contextlib import chdir
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate import load_judgments, load_run, score
from rankgate.reports.page.document import read_page
from rankgate.web.catalogue import Catalogue
from support.commands import rankgate
from support.http_servers import serving
from support.numbered import numbered_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUITE = numbered_suite(5)
APP = """\
from pathlib import Path
def search(query, k):
    with Path("asked.txt").open("a") as log:
        log.write("function\\n")
    return ["d" + query.split()[1], "other"]
"""
COMMAND = """\
import json, sys
from pathlib import Path
with Path("asked.txt").open("a") as log:
    log.write("command\\n")
print(json.dumps([{"id": "d" + sys.argv[1].split()[1]}]))
"""
SYSTEMS = ("function", "command", "http")


@pytest.fixture(scope="module", autouse=True)
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[object]]:
    """Keep the answers of three systems; what is given counts the requests of the third from then on."""
    with chdir(tmp_path_factory.mktemp("project")), serving() as server:
        Path("search.yaml").write_text(SUITE)
        Path("app.py").write_text(APP)
        Path("find.py").write_text(COMMAND)
        server.answer = lambda asked: {"found": [{"name": "d" + asked["params"]["q"][0].split()[1]}]}
        systems: dict[str, dict[str, object]] = {
            "function": {"function": "./app.py:search"},
            "command": {"command": [sys.executable, "find.py", "{query}"], "output": "json"},
            "http": {
                "kind": "http",
                "url": f"{server.url}/search?q={{query}}",
                "hits": "found",
                "fields": {"id": "name"},
            },
        }
        lines = ['suites = ["search.yaml"]', 'system = "function"']
        for name, options in systems.items():
            lines.append(f"[systems.{name}]")
            lines += [f"{key} = {_toml(value)}" for key, value in options.items()]
            lines.append(f"[systems.stored-{name}]\nrun = 'out-{name}'")
        Path("rankgate.toml").write_text("\n".join(lines) + "\n")
        for name in SYSTEMS:
            rankgate("run", "search.yaml", "-s", name, "-o", f"out-{name}", "--repeat", "2").printed()
            rankgate("test", "search.yaml", "-s", name).printed()
        assert len(server.asked) == 15
        assert len(Path("asked.txt").read_text().split()) == 30
        Path("asked.txt").unlink()
        server.asked.clear()
        # What may change without a question: a judgment, a gate, a metric, a note, the name of a case.
        changed = SUITE.replace(
            "    id: d3\n", "    any_of: [[d3, other]]\n    name: three\n    notes: new\n"
        )
        Path("search.yaml").write_text("gates: [rr >= 0.2]\n" + changed.replace("[rr]", "[rr, ndcg@5]"))
        yield server.asked


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + "}"
    return json.dumps(value)


COMMANDS = (
    "test -s stored-{0}",
    "score -q .rankgate/search/{0}/judgments -r .rankgate/search/{0}/run",
    "compare {0} out-{0}",
    "baseline set -s {0}",
    "baseline set -s {0} --run out-{0}",
    "baseline show -s {0}",
    "compare baseline {0}",
    "plan -s {0} --from baseline",
    "plan -s {0} --from baseline --from {0}",
    "report .rankgate/search/{0}",
    "report .rankgate/search/{0} --format markdown",
    "suite update -s {0}",
    "suite lint",
)


def test_no_command_that_reads_answers_asks(asked: Sequence[object]) -> None:
    for words, system in product(COMMANDS, SYSTEMS):
        done = rankgate(*words.format(system).split())
        assert done.code == 0, (words, system, done.out, done.err)
        assert not Path("asked.txt").exists(), (words, system)
        assert asked == [], (words, system)


@pytest.mark.parametrize("system", SYSTEMS)
def test_neither_python_nor_the_data_of_view_asks(asked: Sequence[object], system: str) -> None:
    kept = Path(".rankgate/search", system)
    assert score(load_judgments(kept / "judgments"), load_run(kept / "run"), ["rr"])["rr"] == 1
    catalogue = Catalogue.of(Path())
    catalogue.index()
    assert all(read_page(entry.page).queries for entry in catalogue.entries().values())
    assert not Path("asked.txt").exists()
    assert asked == []
