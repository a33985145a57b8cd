"""The plugins of docs/plugins.md: the text shows the files, and the files work where they are installed."""

from __future__ import annotations

import ast
import re
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hatchling.builders.wheel import WheelBuilder

import rankgate as rg
from rankgate.plugins import listed
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.memory_engine import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = next(folder for folder in Path(__file__).parents if (folder / "docs").is_dir())
EXAMPLES = ROOT / "examples" / "plugins"
SOURCES = sorted((EXAMPLES / "rankgate_examples").glob("[a-z]*.py"))
TITLES = ("Rotate an API key", "Retry a webhook")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (wheel,) = WheelBuilder(str(EXAMPLES)).build(directory=str(tmp_path / "wheels"), versions=["standard"])
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    monkeypatch.syspath_prepend(str(site))
    listed.cache_clear()
    yield
    listed.cache_clear()
    for name in [name for name in sys.modules if name.startswith("rankgate_examples")]:
        del sys.modules[name]


def test_the_document_shows_the_files() -> None:
    text = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert sorted(blocks) == sorted(path.read_text(encoding="utf-8") for path in SOURCES)
    assert f"```toml\n{(EXAMPLES / 'pyproject.toml').read_text(encoding='utf-8')}```" in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_an_example_imports_only_public_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = [one.module for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    assert not [name for name in imported if name and name.startswith("rankgate")]
    used = {
        one.attr
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "rg"
    }
    assert used
    assert used <= set(rg.__all__)


def test_the_system_keeps_the_contract_and_refuses_an_unknown_option() -> None:
    system = open_system("shop", {"kind": "titles", "titles": TITLES})
    assert [hit.id for hit in system.search(rg.Query("rotate my key")).hits] == ["Rotate an API key"]
    check_system(system, ("rotate my key",))
    with pytest.raises(rg.InputError) as raised:
        open_system("shop", {"kind": "titles", "titles": TITLES, "fewst": 2})
    assert str(raised.value) == ("shop.fewst: unknown key `fewst`. Did you mean `fewest`?")


def test_the_metric_is_one_like_any_other_and_refuses_an_unknown_parameter() -> None:
    assert rg.score_ranking("linear_rank@4", ["c", "a", "b"], {"a": 2, "b": 1}) == 0.75
    assert rg.score_ranking("linear_rank@1", ["c", "a"], {"a": 2}) == 0.0
    assert rg.score_ranking("files@2", ["c", "a", "b"], {"a": 2}) == 2.0
    with pytest.raises(rg.ExpressionError, match="rel"):
        rg.score_ranking("linear_rank(rle=2)@4", ["a"], {"a": 1})


def test_the_corpus_opens_and_refuses_an_unknown_option(tmp_path: Path) -> None:
    (tmp_path / "faq.txt").write_text("Q: How do I rotate a key?\nAsk for another.\n\nQ: Why?\nTo be safe.\n")
    room = rg.OpenContext(tmp_path, tmp_path)
    corpus = rg.open_source(rg.CorpusSource("faq.txt", "faq"), room)
    assert corpus.paths() == ("How do I rotate a key?", "Why?")
    assert corpus.text("Why?") == "Why?\nTo be safe."
    with pytest.raises(rg.InputError, match=r"marks: unknown key `marks`\. Did you mean `mark`"):
        rg.open_source(rg.CorpusSource("faq.txt", "faq", {"marks": "F:"}), room)
    with pytest.raises(rg.InputError, match="does not exist"):
        rg.open_source(rg.CorpusSource("../faq.txt", "faq"), room)


def test_the_format_is_recognised_and_refuses_an_unknown_option(tmp_path: Path) -> None:
    path = tmp_path / "queries.arrows"
    path.write_text("rotate my key => Rotate an API key\n\nretry => Retry a webhook\n")
    suite = rg.load_suite(path)
    assert [case.query for case in suite.cases] == ["rotate my key", "retry"]
    with pytest.raises(rg.InputError, match="format arrows has no option 'arow'; did you mean arrow"):
        rg.load_suite(path, reading=rg.ReadOptions(options={"arow": "->"}))
    path.write_text("rotate my key\n")
    with pytest.raises(rg.FormatError, match="query => id"):
        rg.load_suite(path)


def test_the_chunker_cuts_for_any_index_and_refuses_an_unknown_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("Make a key.\n\n\nRotate it\nonce a year.\n\nRevoke it.\n")
    (tmp_path / "search.yaml").write_text(
        "corpus: docs/\ncases:\n- {query: rotate, at: 'keys.md:4-5'}\n- {query: revoke, at: 'keys.md:7'}\n"
    )
    suite = rg.load_suite(tmp_path / "search.yaml")
    for count in (1, 3):
        system = open_system("shop", {"kind": MEMORY})
        chunks = {"by": "paragraphs", "count": count}
        result = rg.evaluate(suite, system, metrics=["r@10", "line_p@10"], chunks=chunks)
        assert result["r@10"] == 1.0
        # Blank lines go with the paragraph below them; by three, all is one piece.
        expected = (2 / 4 + 1 / 2) / 2 if count == 1 else (2 / 7 + 1 / 7) / 2
        assert result["line_p@10"] == pytest.approx(expected)
    with pytest.raises(rg.InputError, match=r"chunks\.cuont: unknown key `cuont`"):
        rg.evaluate(suite, system, chunks={"by": "paragraphs", "cuont": 2})


def test_all_four_work_together(tmp_path: Path) -> None:
    path = tmp_path / "queries.arrows"
    path.write_text("rotate my key => Rotate an API key\nretry => Retry a webhook\n")
    system = open_system("shop", {"kind": "titles", "titles": TITLES})
    result = rg.evaluate(rg.load_suite(path), system, metrics=["linear_rank@10"])
    assert result["linear_rank@10"] == 1.0


def test_a_metric_about_files_counts_hits_with_lines_without_and_with_an_id_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "docs" / name).write_text("# One\n\nText.\n\n# Two\n\nMore.\n")
    path = tmp_path / "suite.yaml"
    path.write_text("corpus: docs/\ncases: [{query: keys, at: a.md#One}, {query: ports, at: b.md#Two}]\n")

    def search(query: str, k: int) -> list[dict[str, object]]:
        if query == "ports":
            return []
        pages: list[dict[str, object]] = [
            {"path": "a.md", "start": 1, "end": 3},
            {"path": "a.md"},
            {"path": "b.md"},
            {"id": "other"},
        ]
        return pages[:k]

    result = rg.evaluate(rg.load_suite(path), search, metrics=["files@2", "files@5"])
    assert (result["files@2"], result["files@5"]) == (0.5, 1.5)


def test_a_range_that_is_none_is_the_plugins_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate_examples.files.Files.range", (0.0, 5.0))
    with pytest.raises(rg.PluginError, match=r"found \(0.0, 5.0\), expected rankgate.ValueRange"):
        rg.score_ranking("files@2", ["a"], {"a": 1})
