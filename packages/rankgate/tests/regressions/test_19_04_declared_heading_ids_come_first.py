"""An anchor means the heading that declares it, then the one it is made of, then a title."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Location
from rankgate.outline import read_outline
from rankgate.truth.locations.lookup import Lookup, Spot

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
def test_an_anchor_finds_its_heading(tmp_path: Path, anchor: str, title: str, line: int) -> None:
    (tmp_path / "a.md").write_text(PAGE, encoding="utf-8")
    found = Lookup(FolderCorpus.open(tmp_path, root=tmp_path)).find(Location(path="a.md", heading=(anchor,)))
    assert isinstance(found, Spot)
    assert found.start == line
    assert title in {node.name for node in read_outline("a.md", PAGE) or () if node.start == line}
