"""Vectors that are kept by text: nothing is embedded twice, and a damaged file only costs time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rankgate_reference.library.library import Library
from rankgate_reference.vectors import kept
from rankgate_reference.vectors.kept import kept_vectors
from reference_support.embedders import Letters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Digested(Letters):
    """A model that says what its vectors are made of."""

    digest = "first"


def vectors(model: Letters, texts: Sequence[str], folder: Path) -> Any:
    return kept_vectors(model, texts, model.embed, folder)


def file_in(folder: Path) -> Path:
    (file,) = folder.glob("*.sqlite")
    return file


def test_a_text_is_embedded_once_and_its_vector_stays_the_same(tmp_path: Path) -> None:
    model = Digested()
    first = vectors(model, ["rotate a key", "retry", "rotate a key"], tmp_path)
    assert model.embedded == ["rotate a key", "retry"]
    again = vectors(model, ["retry", "delete a key", "", "rotate a key"], tmp_path)
    assert model.embedded[2:] == ["delete a key", ""]
    assert np.array_equal(again[[3, 0]], first[:2])
    assert np.array_equal(again, Letters().embed(["retry", "delete a key", "", "rotate a key"]))
    assert vectors(model, [], tmp_path).shape == (0, 64)


def test_a_model_that_has_changed_embeds_again_and_one_without_a_digest_keeps_nothing(tmp_path: Path) -> None:
    vectors(Digested(), ["rotate a key"], tmp_path)
    changed = Digested()
    changed.digest = "second"
    vectors(changed, ["rotate a key"], tmp_path)
    assert changed.embedded == ["rotate a key"]
    assert len(list(tmp_path.glob("*.sqlite"))) == 2
    plain = Letters()
    for _ in range(2):
        vectors(plain, ["rotate a key"], tmp_path / "other")
    assert plain.embedded == ["rotate a key"] * 2
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("damage", [b"no database at all", b""])
def test_a_file_that_is_damaged_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    vectors(Digested(), ["rotate a key"], tmp_path)
    file_in(tmp_path).write_bytes(damage)
    model = Digested()
    for _ in range(3):
        found = vectors(model, ["rotate a key"], tmp_path)
        assert np.array_equal(found, Letters().embed(["rotate a key"]))
    assert len(model.embedded) == 1


@pytest.mark.parametrize("vector", [b"short", bytes([63]) * 256, "words"])
def test_what_cannot_be_a_vector_is_embedded_again(tmp_path: Path, vector: object) -> None:
    vectors(Digested(), ["rotate a key"], tmp_path)
    with sqlite3.connect(file_in(tmp_path)) as data:
        assert data.execute("UPDATE vectors SET vector = ?", [vector]).rowcount == 1
    model = Digested()
    for _ in range(2):
        found = vectors(model, ["rotate a key"], tmp_path)
        assert np.array_equal(found, Letters().embed(["rotate a key"]))
    assert model.embedded == ["rotate a key"]


def test_a_vector_with_one_number_that_is_a_little_off_is_embedded_again(tmp_path: Path) -> None:
    wrong = vectors(Digested(), ["rotate a key"], tmp_path)[0].copy()
    wrong[wrong.argmin()] += 0.02
    with sqlite3.connect(file_in(tmp_path)) as data:
        data.execute("UPDATE vectors SET vector = ?", [wrong.astype("<f4").tobytes()])
    assert np.array_equal(vectors(Digested(), ["rotate a key"], tmp_path), Letters().embed(["rotate a key"]))


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    model = Digested()
    for _ in range(2):
        vectors(model, ["rotate a key"], tmp_path / "file")
    assert model.embedded == ["rotate a key"] * 2


def test_what_was_not_used_for_longest_goes_where_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, used = [f"old {number}" for number in range(600)], [f"used {number}" for number in range(600)]
    vectors(Digested(), old + used, tmp_path)
    with sqlite3.connect(file_in(tmp_path)) as data:
        data.execute("UPDATE vectors SET used = 1")
    vectors(Digested(), used, tmp_path)
    monkeypatch.setattr(kept, "MOST_BYTES", 300_000)
    vectors(Digested(), ["one more"], tmp_path)
    with sqlite3.connect(file_in(tmp_path)) as data:
        assert kept._size(data) <= 300_000
    model = Digested()
    vectors(model, [*used, "one more"], tmp_path)
    assert model.embedded == []
    vectors(model, old, tmp_path)
    assert len(model.embedded) >= 300


WORKER = """
import sys
from pathlib import Path
import numpy as np
from rankgate_reference.vectors.kept import kept_vectors
from reference_support.embedders import Letters

model = Letters()
model.digest = "first"
first = int(sys.argv[2])
for start in range(first, first + 200, 20):
    texts = [f"text {number}" for number in range(start, start + 40)]
    found = kept_vectors(model, texts, model.embed, Path(sys.argv[1]))
    assert np.array_equal(found, Letters().embed(texts))
"""


def test_several_processes_share_a_file(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen([*command, first], env=env) for first in ("0", "100", "0", "100")]
    assert [worker.wait(120) for worker in workers] == [0] * 4
    model = Digested()
    vectors(model, [f"text {number}" for number in range(320)], tmp_path)
    assert model.embedded == []


def test_a_second_folder_with_the_same_files_is_not_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    model = Digested()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "keys.md").write_text("# Keys\n\n## Rotation\n\nEvery 90 days.\n")
        library = Library.open(tmp_path / name)
        library.hybrid(model)
        library.close()
        if name == "one":
            count = len(model.embedded)
    assert count == len(model.embedded) > 0


def test_a_model_that_has_changed_embeds_a_folder_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its query would be compared with the vectors of the model that it was."""
    pytest.importorskip("lancedb")
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nEvery 90 days.\n")
    embedded = []
    for digest in ("first", "second", "second"):
        model = Digested()
        model.digest = digest
        library = Library.open(tmp_path / "docs")
        library.hybrid(model)
        library.close()
        embedded.append(len(model.embedded))
    assert embedded[0] == embedded[1] > 0
    assert embedded[2] == 0
