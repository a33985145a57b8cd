"""Lookup of headings, ids and lines in documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Lines, Location
from rankgate.outline import read_outline
from rankgate.truth.lookup import Lookup, Miss, Spot
from rankgate.truth.outline_below import location_around
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    from pathlib import Path


PAGE = """\
# Guide

## Setup {: #install }

## Install {: #pip }

## Upgrade { #up .wide }

## Steps

## Steps

## Steps 1

## Keys & logs

## Braces {x}

## Größe messen
"""


@pytest.mark.parametrize(
    ("anchor", "title", "line"),
    [
        ("install", "Setup", 3),
        ("pip", "Install", 5),
        ("Install", "Install", 5),
        ("up", "Upgrade", 7),
        ("steps", "Steps", 9),
        ("steps_1", "Steps", 11),
        ("steps-1", "Steps 1", 13),
        ("keys-logs", "Keys & logs", 15),
        ("keys--logs", "Keys & logs", 15),
        ("Braces {x}", "Braces {x}", 17),
        ("gr%C3%B6%C3%9Fe-messen", "Größe messen", 19),
        ("groe-messen", "Größe messen", 19),
    ],
)
def test_lookup_prefers_declared_ids_of_headings(tmp_path: Path, anchor: str, title: str, line: int) -> None:
    (tmp_path / "a.md").write_text(PAGE, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path="a.md", heading=(anchor,)))
    assert isinstance(found, Spot)
    assert found.start == line
    assert title in {node.name for node in read_outline("a.md", PAGE) or () if node.start == line}


MARKDOWN = """\
# Guide

<h2 id="raw">Raw heading</h2>

Text.

> ## Größe: 10 & mehr

<a id="spot"></a>

## After
"""


RST = """\
Guide
=====

.. _keys-label:

Keys
----

.. currentmodule:: app

.. py:function:: rotate(key)

   Turns a key.

.. class:: Store

   .. method:: put(key)

      Puts it.

.. option:: --key

   Which.

Keys
----

Second.
"""


HTML = """\
<html><body><nav><h2 id="menu">Menu</h2></nav>
<main><h1 id="top">Top</h1>
<section id="rotation"><h2>Rotation <a class="headerlink" href="#rotation">¶</a></h2>
<p id="why">Why.</p>
</section>
<h2 id="logs">Logs</h2>
</main></body></html>
"""


@pytest.mark.parametrize(
    ("name", "text", "anchor", "lines"),
    [
        ("a.md", MARKDOWN, "raw", (3, 10)),
        ("a.md", MARKDOWN, "gr%C3%B6%C3%9Fe-10--mehr", (7, 7)),
        ("a.md", MARKDOWN, "spot", (9, 9)),
        ("a.rst", RST, "keys-label", (6, 24)),
        ("a.html", HTML, "rotation", (3, 5)),
        ("a.html", HTML, "Logs", (6, 7)),
        ("a.html", HTML, "why", (4, 4)),
    ],
)
def test_lookup_finds_the_lines_of_an_id(
    tmp_path: Path, name: str, text: str, anchor: str, lines: tuple[int, int]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path=name, heading=(anchor,)))
    assert isinstance(found, Spot)
    assert (found.start, found.end) == lines


def test_lookup_misses_an_undeclared_id(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(RST, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path="a.rst", heading=("id2",)))
    assert isinstance(found, Miss)


LIFESPAN = (
    "---\ntitle: Lifespan\n---\n\nRuns once.\n\n## Lifespan state\n\nShared.\n\n## Tests\n\nA client.\n"
)


KEYS = "# Keys\n\nWhat keys are.\n\n## Rotation\n\nYearly.\n\n### Rotation\n\nBy hand.\n\n## Limits\n\nTen.\n"


CODE = '"""Keys."""\n\n\nclass Store:\n    """All."""\n\n    def rotate(self):\n        return 1\n'


@pytest.fixture
def lookup() -> Lookup:
    texts = {"lifespan.md": LIFESPAN, "keys.md": KEYS, "app.py": CODE, "plain.md": "Only text.\n"}
    return Lookup(MemoryCorpus(texts))


def test_lookup_of_a_bare_hash_finds_text_before_headings(lookup: Lookup) -> None:
    assert str(Location.at("lifespan.md#")) == "lifespan.md#"
    assert lookup.find(Location.at("lifespan.md#")) == Spot(None, "lifespan.md", 5, 5, "heading")
    assert lookup.find(Location.at("plain.md#")) == Spot(None, "plain.md", 1, 1, "heading")


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
def test_location_around_lines_is_their_section_or_symbol(
    lookup: Lookup, path: str, lines: tuple[int, int], named: str | None
) -> None:
    found = location_around(lookup, path, Lines(*lines))
    assert (None if found is None else str(found)) == named
