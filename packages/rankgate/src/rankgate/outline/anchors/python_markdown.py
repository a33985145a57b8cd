"""The ids of a page as Python-Markdown makes them, by its extension ``toc``.

Headings stand in admonitions, in tabs and in HTML as well, where CommonMark would see code or none. What a
page includes from elsewhere is not seen.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankgate.outline.anchors.markdown import PageElement, html_elements, page_elements
from rankgate.outline.anchors.page import PageAnchor, up_to_the_next
from rankgate.outline.anchors.slugs import UsedIds, python_markdown_slug
from rankgate.outline.nodes import document

_MARKER = re.compile(r"( *)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+\S")
_FENCE = re.compile(r"[ >]*(`{3,}|~{3,})(.*)")
_CRAMPED = re.compile(r"\A(#{1,6})(?=[^#\s])")
_BLOCK_TAG = re.compile(
    r"</?(address|article|aside|blockquote|center|details|dialog|div|dl|fieldset|figcaption|figure|footer|form|"
    r"h[1-6]|header|main|nav|ol|p|section|summary|table|ul)\b([^>]*)>",
    re.IGNORECASE,
)
_ATTRIBUTES = re.compile(r"[ ]+\{:?[ ]*([^}\n ][^\n]*)\}[ ]*\Z")
_OTHER_ATTRIBUTES = re.compile(r"\{:?[ ]*([^{}\n]*#[^{}\n]*)\}")
_ID = re.compile(r"(?:^|\s)(?:#|id=[\"']?)([^\s\"'}]+)")
# To CommonMark it would be the target of a link.
_FOOTNOTE_TEXT = re.compile(r"\A {0,3}\[\^[^\]\s]+\]:")


def python_markdown_anchors(text: str) -> list[PageAnchor]:
    r"""List the ids of a page, in their order.

    >>> [(one.id, one.start, one.end) for one in python_markdown_anchors("# A\n\n## B {: #x }\n\n## A\n")]
    [('a', 1, 5), ('x', 3, 4), ('a_1', 5, 5)]
    """
    flat, ends, raw = _flattened(text)
    elements = [_within(element, ends) for element in page_elements(flat)]
    # A title of several lines, underlined, is none to Python-Markdown.
    elements = [one for one in elements if one.level == 0 or one.lines == 1]
    elements = sorted([*elements, *raw], key=lambda one: one.start)
    declared = [_declared(one) for one in elements]
    declared += _others(flat, {one.start for one in elements if one.level and not one.ids})
    declared.sort(key=lambda pair: pair[0].start)
    used = UsedIds({name for _, names in declared for name in names})
    anchors = []
    for element, names in declared:
        made = names or (used.take(python_markdown_slug(element.words.strip()), UsedIds.underscored),)
        every = dict.fromkeys((*made, *element.ids))
        anchors += [PageAnchor(name, element.start, element.end, element.level) for name in every]
    return up_to_the_next(anchors)


def _within(element: PageElement, ends: dict[int, int]) -> PageElement:
    return replace(element, end=min(element.end, ends.get(element.start, element.end)))


def _declared(element: PageElement) -> tuple[PageElement, tuple[str, ...]]:
    """Split the title from the attributes behind it, and return the ids that those have."""
    if not element.source:
        return element, element.ids
    found = _ATTRIBUTES.search(element.source)
    if found is None:
        return element, ()
    names = _ID.findall(found[1])
    # What stands last counts, as it does to Python-Markdown.
    words = _ATTRIBUTES.sub("", element.words).rstrip("#").rstrip()
    return replace(element, words=words), tuple(names[-1:])


def _others(text: str, headings: set[int]) -> list[tuple[PageElement, tuple[str, ...]]]:
    """List what has an id by attributes and is no heading."""
    found: list[tuple[PageElement, tuple[str, ...]]] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = _fence_after(line, fence)
        if fence or number in headings:
            continue
        for attributes in _OTHER_ATTRIBUTES.finditer(re.sub(r"`[^`]*`", "", line)):
            names = _ID.findall(attributes[1])
            found += [(PageElement(number, number, 0), (name,)) for name in names[-1:]]
    return found


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after a line, or nothing."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return "" if "`" in found[2] and found[1][0] == "`" else found[1]
    closes = found[1].startswith(fence) and not found[2].strip()
    return "" if closes else fence


def _flattened(text: str) -> tuple[str, dict[int, int], list[PageElement]]:
    """Put what is indented below a marker where CommonMark sees it, and take HTML out.

    Returns the text, the last line of the innermost block around each line that is in one, and what has an id
    in the HTML.
    """
    lines = text.split("\n")
    last_line = document("", text).end
    ends: dict[int, int] = {}
    raw: list[PageElement] = []
    unclosed: set[str] = set()
    fence, skip = "", 0
    for number in range(len(lines)):
        if number < skip:
            continue
        fence = _fence_after(lines[number], fence)
        if fence:
            continue
        if (marker := _MARKER.match(lines[number])) is not None:
            margin = len(marker[1])
            last = _dedented(lines, number, margin)
            lines[number] = ""
            ends.update(dict.fromkeys(range(number + 1, last + 1), last))
        elif lines[number].startswith("<") and (tag := _BLOCK_TAG.match(lines[number])) is not None:
            after = number + 1 if tag[1] in unclosed else _closed(lines, number, tag, unclosed)
            html = "\n".join(lines[number:after])
            raw += html_elements(html, number + 1, last_line)
            lines[number:after] = [""] * (after - number)
            skip = after
        else:
            lines[number] = _CRAMPED.sub(r"\1 ", _FOOTNOTE_TEXT.sub("", lines[number]))
    return "\n".join(lines), ends, raw


def _dedented(lines: list[str], number: int, margin: int) -> int:
    """Take four spaces from what is indented below a line, and return the number of its last line, from 1."""
    inner = " " * (margin + 4)
    last = number
    for below in range(number + 1, len(lines)):
        if lines[below].strip():
            if not lines[below].startswith(inner):
                break
            last = below
    for below in range(number + 1, last + 1):
        lines[below] = lines[below][:margin] + lines[below][margin + 4 :]
    return last + 1


def _closed(lines: list[str], number: int, tag: re.Match[str], unclosed: set[str]) -> int:
    """Return the line after the HTML that begins at a line; after one tag where Markdown is read inside."""
    if tag[0].startswith("</") or re.search(r"\bmarkdown\b", tag[2]):
        return number + 1
    depth = 0
    name = re.compile(rf"<(/?){tag[1]}\b[^>]*>", re.IGNORECASE)
    for after in range(number, len(lines)):
        depth += sum(-1 if found[1] else 1 for found in name.finditer(lines[after]))
        if depth <= 0:
            return after + 1
    # It is not looked for again: a page of nothing else would take for ever.
    unclosed.add(tag[1])
    return number + 1
