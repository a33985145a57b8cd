"""A lost relevant hit was a green dashed box with a tick, and irrelevant hits wore green and red arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual()
LOST = next(
    query for query in PAGE.queries if query.before and query.targets[0].before == 1 and not query.values[1]
)
COLOURS = "[...document.querySelectorAll('%s')].map((one) => getComputedStyle(one).%s)"
NAMED = """(() => {{
  const one = document.createElement('i');
  one.style.color = 'var(--{0})';
  document.body.append(one);
  return getComputedStyle(one).color;
}})()"""


def test_lost_is_red_and_says_where_it_was_and_other_moves_are_grey(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, PAGE), f"#q={LOST.case}")
    red, grey = (tab.run(NAMED.format(name)) for name in ("bad", "muted"))
    assert tab.texts("#panel .moves-now .lost .moved") == ["was 1"]
    assert tab.texts("#panel .moves-before .lost .moved") == ["lost"]
    assert set(tab.run(COLOURS % ("#panel .moves .lost", "borderTopColor"))) == {red}
    assert tab.count("#panel .moves .lost .disc-bad") == 2
    assert tab.count("#panel .moves .lost .disc-good") == 0
    others = tab.run(COLOURS % ("#panel .moves-now li:not(.is-good, .lost) .moved", "color"))
    assert len(others) > 3
    assert set(others) == {grey}
    tab.shut()
