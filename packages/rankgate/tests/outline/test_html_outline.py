"""HTML files have sections: the headings of their main content, with the ids that they are reached by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankgate.outline import read_outline
from rankgate.outline.html import HtmlPage
from rankgate.outline.slugs import html_anchors

PAGE = """\
<!doctype html>
<html><head><title>Keys</title><script>"<h1>no</h1>"</script></head>
<body>
<header><h1>Site</h1></header>
<main>
<section id="keys">
<h1>Keys &amp; <code>logs</code><a class="headerlink" href="#keys">¶</a></h1>
<p id="why">Why
not.</p>
<h2 id="rotation"><a name="turn"></a>Rotation</h2>
<p>Text.
<h3>No id
</h3>
</section>
<h2>Last</h2>
</main>
<aside><h2 id="beside">Beside</h2></aside>
</body></html>
"""


def test_only_headings_of_the_main_content_make_sections() -> None:
    nodes = read_outline("a.html", PAGE) or ()
    assert [(node.path, node.start, node.end) for node in nodes[1:]] == [
        (("Keys & logs",), 7, 16),
        (("Keys & logs", "Rotation"), 10, 14),
        (("Keys & logs", "Rotation", "No id"), 12, 14),
        (("Keys & logs", "Last"), 15, 16),
    ]


def test_a_heading_has_the_ids_that_lead_to_it() -> None:
    nodes = read_outline("a.HTM", PAGE) or ()
    assert [node.ids for node in nodes[1:]] == [("keys",), ("rotation", "turn"), (), ()]


def test_every_id_of_a_page_has_lines() -> None:
    found = {one.id: (one.start, one.end) for one in html_anchors(PAGE)}
    sections = {"keys": (7, 16), "rotation": (10, 14), "turn": (10, 14)}
    assert found == {**sections, "why": (8, 9), "beside": (17, 17)}


def test_a_page_without_a_main_part_is_taken_whole() -> None:
    nodes = read_outline("a.html", "<nav><h2>Menu</h2></nav>\n<h1>A</h1>\n<h2>B") or ()
    assert [node.path for node in nodes[1:]] == [("A",), ("A", "B")]


@given(st.text(alphabet="<>/=\"' abhi123nmp!-&#\n", max_size=200))
def test_whatever_stands_in_a_page_is_read(text: str) -> None:
    page = HtmlPage(text)
    lines = text.count("\n") + 1
    assert all(1 <= start <= end <= lines for _, start, end in page.elements)
    assert read_outline("a.html", text) is not None
