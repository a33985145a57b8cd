"""An id that a page has by HTML, by a label or by what it describes finds its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Location
from rankgate.truth.locations.lookup import Lookup, Miss, Spot

if TYPE_CHECKING:
    from pathlib import Path

MARKDOWN = """\
# Guide

<h2 id="raw">Raw heading</h2>

Text.

> ## Größe: 10 & mehr

<a id="spot"></a>

!!! note

    ## In a note

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
        ("a.md", MARKDOWN, "raw", (3, 14)),
        ("a.md", MARKDOWN, "gr%C3%B6%C3%9Fe-10--mehr", (7, 7)),
        ("a.md", MARKDOWN, "spot", (9, 9)),
        ("a.md", MARKDOWN, "in-a-note", (13, 13)),
        ("a.rst", RST, "keys-label", (6, 24)),
        ("a.html", HTML, "rotation", (3, 5)),
        ("a.html", HTML, "Logs", (6, 7)),
        ("a.html", HTML, "why", (4, 4)),
    ],
)
def test_an_id_of_a_page_finds_its_lines(
    tmp_path: Path, name: str, text: str, anchor: str, lines: tuple[int, int]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path=name, heading=(anchor,)))
    assert isinstance(found, Spot)
    assert (found.start, found.end) == lines


def test_an_id_that_a_page_has_not_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(RST, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path="a.rst", heading=("id2",)))
    assert isinstance(found, Miss)
