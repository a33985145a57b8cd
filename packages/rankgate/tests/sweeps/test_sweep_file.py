"""A sweep file is data: what varies, what is left out, and everything that is wrong with it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.project.find import configuration_for
from rankgate.sweeps.sweep_file import find_sweep, read_sweep
from rankgate.sweeps.variants import entry_of, variants_of

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.sweeps.variants import Variants

CONFIGURATION = """
system = "words"
[systems.words]
kind = "tantivy"
search = { text = 1.0 }
[systems.dense]
kind = "lancedb"
"""


def variants(folder: Path, sweep: str) -> Variants:
    (folder / "rankgate.toml").write_text(CONFIGURATION)
    (folder / "sweep.toml").write_text(sweep)
    return variants_of(read_sweep(folder / "sweep.toml"), configuration_for(folder / "sweep.toml"))


def test_every_combination_of_the_axes_is_a_variant(tmp_path: Path) -> None:
    found = variants(
        tmp_path, '[axes]\n"search.title" = [1, 3]\nchunks = ["file", {by = "window", lines = 40}]\n'
    )
    assert [one.name for one in found.every] == [
        "title=1, chunks=file",
        "title=1, chunks=window lines=40",
        "title=3, chunks=file",
        "title=3, chunks=window lines=40",
    ]
    last = found.every[-1]
    assert last.table == {
        "kind": "tantivy",
        "search": {"text": 1.0, "title": 3},
        "chunks": {"by": "window", "lines": 40},
    }
    assert dict(last.values) == {"search.title": "3", "chunks": "window lines=40"}
    assert found.every[0].table["search"] == {"text": 1.0, "title": 1}


def test_named_values_set_several_options_or_another_system(tmp_path: Path) -> None:
    sweep = '[axes.engine]\nwords = {}\nvectors = { system = "dense", model = "small" }\n'
    words, vectors = variants(tmp_path, sweep).every
    assert (words.system, words.table) == ("words", {"kind": "tantivy", "search": {"text": 1.0}})
    assert (vectors.system, vectors.table) == ("dense", {"kind": "lancedb", "model": "small"})


def test_an_excluded_combination_is_counted_and_not_asked(tmp_path: Path) -> None:
    sweep = "[axes]\na = [1, 2]\nb = [1, 2, 3]\n[[exclude]]\na = 2\nb = [2, 3]\n"
    found = variants(tmp_path, sweep)
    assert [one.name for one in found.every] == ["a=1, b=1", "a=1, b=2", "a=1, b=3", "a=2, b=1"]
    assert found.excluded == 2


def test_a_variant_whose_needs_are_not_met_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_THAT_IS_SET", "x")
    monkeypatch.delenv("KEY_THAT_IS_NOT", raising=False)
    (tmp_path / "model").mkdir()
    sweep = """
[variants.there]
needs = ["$KEY_THAT_IS_SET", "model"]
[variants.absent]
needs = ["$KEY_THAT_IS_NOT", "other-model", "model"]
"""
    found = variants(tmp_path, sweep)
    assert [one.name for one in found.asked] == ["there"]
    assert found.every[1].missing == ("$KEY_THAT_IS_NOT", "other-model")


def test_a_variant_is_a_system_of_the_configuration(tmp_path: Path) -> None:
    found = variants(
        tmp_path, '[variants.cut]\nset = { chunks = {by = "window", lines = 7}, concurrency = 3 }\n'
    )
    entry = entry_of(found.every[0], configuration_for(tmp_path / "sweep.toml"))
    assert (entry.name, entry.target, str(entry.chunks), entry.pace.concurrency) == (
        "words",
        "tantivy",
        "window (lines 7, overlap 0)",
        3,
    )


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ("", "no axes and no variants"),
        ("[axes]\na = 3\n", "expected a list of values, or a table of named ones"),
        ("[axes]\na = []\n", "no values"),
        ("[axes]\na = [1, 1.0]\n", "the value `1` occurs twice"),
        ("[axes]\na = [1]\n[[exclude]]\nb = 1\n", "unknown axis `b`"),
        ("[axes]\na = [1]\n[[exclude]]\na = 2\n", "`2` is not a value of the axis"),
        ("held_out = 1.5\n[axes]\na = [1]\n", "expected 0.9 or less, found 1.5"),
        ("k = 0\n[axes]\na = [1]\n", "expected more than 0"),
        ("axis = 1\n[axes]\na = [1]\n", "axis"),
        ("[variants.x]\nsets = {}\n", "sets"),
    ],
)
def test_what_is_no_sweep_is_refused(tmp_path: Path, sweep: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        variants(tmp_path, sweep)


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        variants(tmp_path, "k = 0\nheld_out = 2\n[axes]\na = []\n")
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ('[axes]\n"kind.of" = [1]\n', "kind is 'tantivy'"),
        ('[variants.x]\nsystem = "nobody"\n', "unknown system 'nobody'"),
        ('[axes]\na = [1]\n[variants."a=1"]\n', "two variants called 'a=1'"),
        (
            '[axes.a]\nx = {system = "dense"}\n[axes.b]\ny = {system = "words"}\n',
            "the systems dense and words",
        ),
    ],
)
def test_variants_that_cannot_be_made_are_refused(tmp_path: Path, sweep: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        variants(tmp_path, sweep)


def test_too_many_combinations_are_refused_and_not_listed(tmp_path: Path) -> None:
    axes = "\n".join(f"a{number} = {list(range(20))}" for number in range(6))
    with pytest.raises(InputError, match="64,000,000 combinations"):
        variants(tmp_path, f"[axes]\n{axes}\n")


PYPROJECT = """
[tool.rankgate]
system = "words"
[tool.rankgate.systems.words]
kind = "tantivy"
[tool.rankgate.sweep]
"""
TABLE = "baseline = 'a=2'\n{table}.axes]\na = [1, 2]\n"


@pytest.mark.parametrize(
    ("file", "head", "table"),
    [
        ("rankgate.toml", CONFIGURATION + "[sweep]\n", "[sweep"),
        (
            "pyproject.toml",
            PYPROJECT,
            "[tool.rankgate.sweep",
        ),
    ],
)
def test_a_sweep_may_stand_in_the_configuration(tmp_path: Path, file: str, head: str, table: str) -> None:
    (tmp_path / file).write_text(head + TABLE.format(table=table))
    (tmp_path / "below").mkdir()
    named = read_sweep(tmp_path / file)
    assert find_sweep(tmp_path) == find_sweep(tmp_path / "below") == named
    assert (named.name, named.path, named.baseline) == ("sweep", tmp_path / file, "a=2")
    found = variants_of(named, configuration_for(named.path))
    assert [(one.name, one.system) for one in found.every] == [("a=1", "words"), ("a=2", "words")]


def test_a_sweep_in_the_configuration_is_read_as_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text("[sweep]\nk = 0\nheld_out = 2\naxis = 1\n")
    with pytest.raises(FormatError) as error:
        find_sweep(tmp_path)
    assert [one.where.split("toml:", 1)[1] for one in error.value.problems] == ["2:5", "3:12", "4:1"]


def test_two_sweeps_are_one_too_many_and_none_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(CONFIGURATION)
    with pytest.raises(InputError, match="does not exist"):
        find_sweep(tmp_path)
    with pytest.raises(FormatError, match=r"no table \[sweep\]"):
        read_sweep(tmp_path / "rankgate.toml")
    (tmp_path / "rankgate.toml").write_text(CONFIGURATION + "[sweep.axes]\na = [1]\n")
    (tmp_path / "sweep.toml").write_text("[axes]\nb = [1]\n")
    with pytest.raises(FormatError, match="one of the two"):
        find_sweep(tmp_path)
    assert [axis.name for axis in read_sweep(tmp_path / "sweep.toml").axes] == ["b"]
