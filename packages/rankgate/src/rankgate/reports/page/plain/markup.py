"""Escaped text, and tables of it: all that pages without a script are made of besides headings."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as markup.

    >>> table(["a"], [["<b>"]])[-54:]
    '<tr><td dir="auto">&lt;b&gt;</td></tr></tbody></table>'
    """
    titles = "".join(f'<th scope="col" dir="auto">{text(name)}</th>' for name in head)
    lines = ("".join(f'<td dir="auto">{text(one)}</td>' for one in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def text(value: object) -> str:
    """Return a value as text that is no markup.

    >>> text("<b>")
    '&lt;b&gt;'
    """
    return html.escape(str(value))
