"""A suite in YAML and in JSON Lines has one verdict: sources that no gate counts, retired cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

CASES = {
    "clicked": "- {query: 'q%d', id: {d%d: 1}, source: clicks}\n",
    "partly clicked": "- {query: 'q%d', id: [{id: d%d}, {id: other, source: clicks}]}\n",
    "retired": "- {query: 'q%d', id: d%d}\n- {query: 'r%d', id: [{id: d1, gone: moved away}]}\n",
    "tagged": "- {query: 'q%d', id: d%d, tags: [hot]}\n- {query: 'r%d', id: nowhere, tags: [cold]}\n",
}
HEADS = {"tagged": "asked: hot\n"}
FORMATS = ["s.yaml", "s.suite.jsonl"]


@pytest.mark.parametrize("found", [True, False])
@pytest.mark.parametrize("kind", CASES)
def test_one_verdict(kind: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = CASES[kind]
    cases = "".join(line % ((number,) * line.count("%d")) for number in range(8))
    (tmp_path / "s.yaml").write_text(f"{HEADS.get(kind, '')}gates: [rr@10 >= 0.5]\ncases:\n{cases}")
    hits = "['d' + query[1:]]" if found else "['x']"
    (tmp_path / "app.py").write_text(f"def search(query, k):\n    return {hits}\n")
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    for name in FORMATS[1:]:
        rankgate("suite", "convert", "s.yaml", name).printed()

    verdicts = {}
    for name in FORMATS:
        done = rankgate("test", name, "-o", "json=told.json")
        told = json.loads((tmp_path / "told.json").read_text())
        gates = [(one["gate"], one["status"], one["number"], one["counts"]) for one in told["verdicts"]]
        verdicts[name] = done.code, gates, [one["case"] for one in told["cases"]]
    assert verdicts["s.suite.jsonl"] == verdicts["s.yaml"]
