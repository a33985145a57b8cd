"""What the answers of an engine are made of: the files of an index that is there, functions, a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def opened(root: Path, **options: Any) -> Any:
    """Open a system whose paths are relative to a folder."""
    return open_system("app", {"root": str(root), **options})


def test_a_built_index_adds_nothing_to_its_options(tmp_path: Path) -> None:
    system = opened(tmp_path, kind="tantivy", folder="kept")
    assert set(system.contents()) == {"Python"}


def test_an_index_that_is_there_counts_with_its_files(tmp_path: Path) -> None:
    import bm25s

    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(["red shoes", "laces"], show_progress=False), show_progress=False)
    retriever.save(tmp_path / "shop", corpus=[{"id": "1"}, {"id": "2"}], show_progress=False)
    names = set(opened(tmp_path, kind="bm25s", index="shop").contents())
    assert "shop/params.index.json" in names
    assert all(name.startswith("shop/") for name in names - {"Python"})


def test_an_embedder_counts_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_embedder.py").write_text("import own_weights\ndef embed(texts): ...\n")
    (tmp_path / "own_weights.py").touch()
    system = opened(tmp_path, kind="lancedb", mode="vector", embedder="own_embedder:embed", folder="kept")
    assert {"own_embedder.py", "own_weights.py"} <= set(system.contents())


def test_a_folder_that_ripgrep_searches_counts_with_its_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("Rotate a key.")
    assert set(opened(tmp_path, kind="ripgrep", folder="docs").contents()) == {"docs/keys.md"}
    assert set(opened(tmp_path, kind="ripgrep").contents()) == {"docs/keys.md"}
