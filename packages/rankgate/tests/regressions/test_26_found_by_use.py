"""What newcomers stumbled over: text without a heading, saved lines, a case that is not asked, raw hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.model.locations import Lines, Location
from rankgate.truth.locations.lookup import Lookup, Miss, Spot
from rankgate.truth.locations.outline_below import location_around
from support.commands import rankgate
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    from pathlib import Path

LIFESPAN = (
    "---\ntitle: Lifespan\n---\n\nRuns once.\n\n## Lifespan state\n\nShared.\n\n## Tests\n\nA client.\n"
)
KEYS = "# Keys\n\nWhat keys are.\n\n## Rotation\n\nYearly.\n\n### Rotation\n\nBy hand.\n\n## Limits\n\nTen.\n"
CODE = '"""Keys."""\n\n\nclass Store:\n    """All."""\n\n    def rotate(self):\n        return 1\n'


@pytest.fixture
def lookup() -> Lookup:
    texts = {"lifespan.md": LIFESPAN, "keys.md": KEYS, "app.py": CODE, "plain.md": "Only text.\n"}
    return Lookup(MemoryCorpus(texts))


def _explained(lookup: Lookup, text: str) -> tuple[str, str, str]:
    location = Location.at(text)
    found = lookup.find(location)
    assert isinstance(found, Miss)
    return lookup.explain(location, found)


def test_the_text_before_the_first_heading_is_named_by_a_lone_sign(lookup: Lookup) -> None:
    assert str(Location.at("lifespan.md#")) == "lifespan.md#"
    assert lookup.find(Location.at("lifespan.md#")) == Spot(None, "lifespan.md", 5, 5, "heading")
    assert lookup.find(Location.at("plain.md#")) == Spot(None, "plain.md", 1, 1, "heading")


def test_a_page_that_begins_with_a_heading_has_no_such_text_and_its_own_is_proposed(lookup: Lookup) -> None:
    assert _explained(lookup, "keys.md#")[2] == "did you mean keys.md#Keys/.?"
    assert _explained(lookup, "app.py#")[2] == ""


def test_a_page_that_is_called_by_its_file_is_told_how_to_name_it(lookup: Lookup) -> None:
    said = _explained(lookup, "lifespan.md#Lifespan")[2]
    assert said == "did you mean lifespan.md# or lifespan.md#Lifespan state?"
    assert "lifespan.md# " not in _explained(lookup, "lifespan.md#Testing")[2]


@pytest.mark.parametrize(
    ("path", "lines", "named"),
    [
        ("lifespan.md", (5, 5), "lifespan.md#"),
        ("lifespan.md", (8, 9), "lifespan.md#Lifespan state"),
        ("lifespan.md", (8, 12), None),
        ("keys.md", (3, 3), "keys.md#Keys/."),
        ("keys.md", (14, 15), "keys.md#Limits"),
        ("keys.md", (11, 11), "keys.md#Rotation/Rotation"),
        ("keys.md", (7, 7), "keys.md#Keys/Rotation/."),
        ("app.py", (8, 8), "app.py::rotate"),
        ("app.py", (1, 1), None),
    ],
)
def test_lines_are_named_by_the_section_or_symbol_they_lie_in(
    lookup: Lookup, path: str, lines: tuple[int, int], named: str | None
) -> None:
    found = location_around(lookup, path, Lines(*lines))
    assert (None if found is None else str(found)) == named


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS)
    suite = """\
        corpus: docs/
        asked: half=development
        cases:
          - {query: rotate, at: keys.md#Limits, tags: [half=development]}
          - {query: ten, at: keys.md#Limits, tags: [half=test]}
        """
    (tmp_path / "search.yaml").write_text("\n".join(line[8:] for line in suite.splitlines()) + "\n")
    app = """\
        import rankgate as rg

        def search(query, k):
            return [rg.Hit(path="keys.md", lines=rg.Lines(14, 15), score=1.5)]

        def plain(query, k):
            return [{"path": "keys.md", "start": 7, "end": 7}, "keys.md"]
        """
    (tmp_path / "app.py").write_text("\n".join(line[8:] for line in app.splitlines()) + "\n")
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "./app.py:search"\n'
        '[systems.plain]\nfunction = "./app.py:plain"\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_saved_case_names_the_section_of_its_hit(project: Path) -> None:
    said = rankgate("query", "app", "how many keys", "--save-case").printed()
    assert said.endswith('appended to search.yaml, unreviewed: "how many keys" -> keys.md#Limits\n')
    saved = (project / "search.yaml").read_text().partition("how many keys")[2]
    assert "at: keys.md#Limits\n" in saved


def test_a_case_that_is_not_asked_is_told_from_one_that_is_not_there(project: Path) -> None:
    said = rankgate("test", "--only", "ten").refused()
    assert "'ten', a case that is there and not asked (asked: half=development)" in " ".join(said.split())
    assert "no case matches" in rankgate("test", "--only", "eleven").refused()


def test_hits_are_shown_as_the_function_returned_them(project: Path) -> None:
    said = rankgate("query", "app", "rotate").printed()
    assert "  path='keys.md' lines=14-15 score=1.5\n" in said
    assert "Hit(" not in said
    plain = rankgate("query", "plain", "rotate").printed()
    assert "  {'path': 'keys.md', 'start': 7, 'end': 7}\n  'keys.md'\n" in plain
