"""Escaped text, numbers, locations and icons of the HTML report."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import quote

from rankgate.reports.text.printable import printable_block

_STOP_WORDS = """
about after all and any are but can did does for from get had has have how into its not off our out that the
their them then there they this was were what when where which who why will with you your
"""
_STOP = frozenset(re.findall(r"\w+", _STOP_WORDS))
_WORD = re.compile(r"\w+")


def escape(value: object) -> str:
    r"""Return a value as text that is never markup, with control characters as escapes.

    >>> escape("<b>\x1b")
    '&lt;b&gt;\\x1b'
    """
    return html.escape(printable_block(str(value)))


def bdi(value: object, name: str = "") -> str:
    """Return a text from outside, isolated from the direction of the text around it."""
    return f'<bdi class="{name}">{escape(value)}</bdi>' if name else f"<bdi>{escape(value)}</bdi>"


def anchor(name: str) -> str:
    """Return the id of a query, which is also the fragment of its URL.

    >>> anchor("rotate a key")
    'q-rotate%20a%20key'
    """
    return "q-" + quote(name, safe="", errors="replace")


def link(name: str, text: str) -> str:
    """Return a link to a query."""
    return f'<a class="link" href="#{anchor(name)}">{bdi(text)}</a>'


def location(where: str, title: str = "") -> str:
    """Return a location with its folder in grey, and the heading or symbol behind it."""
    folder, slash, file = where.rpartition("/")
    path = f'<span class="folder">{escape(folder + slash)}</span>{escape(file)}' if slash else escape(where)
    named = f' <span class="heading">› {escape(title)}</span>' if title else ""
    return f'<bdi class="place"><code>{path or "(no location)"}</code>{named}</bdi>'


def query_words(query: str) -> frozenset[str]:
    """Return the words of a query that are marked in texts, without an English plural.

    >>> sorted(query_words("how to rotate the keys"))
    ['key', 'rotate']
    """
    words = (word for word in _WORD.findall(query.casefold()) if word not in _STOP)
    return frozenset(_stem(word) for word in words if len(word) > 2 or not word.isascii() or word.isdigit())


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def snippet(text: str, words: frozenset[str], most: int = 280) -> str:
    """Return the start of a text with the words of the query marked.

    >>> snippet("Rotate <keys> yearly", query_words("rotate a key"))
    '<mark>Rotate</mark> &lt;<mark>keys</mark>&gt; yearly'
    """
    text = " ".join(text[: 2 * most].split())
    text = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    parts, end = [], 0
    for found in _WORD.finditer(text):
        if _stem(found[0].casefold()) in words:
            parts += [escape(text[end : found.start()]), f"<mark>{escape(found[0])}</mark>"]
            end = found.end()
    return "".join((*parts, escape(text[end:])))


def icon(name: str, tone: str, label: str = "", size: str = "") -> str:
    """Return a round icon, which the style sheet draws; without a label it is decoration."""
    named = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return f'<i class="disc i-{name} {tone} {size}" {named}></i>'


def items(rows: Iterable[str], name: str = "", tag: str = "ul") -> str:
    """Return a list; empty without rows."""
    listed = "".join(f"<li>{row}</li>" for row in rows)
    return f'<{tag} class="{name}">{listed}</{tag}>' if listed else ""


def pairs(rows: Iterable[tuple[str, str]], name: str = "facts") -> str:
    """Return names and values, which are markup; empty without rows."""
    listed = "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in rows)
    return f'<dl class="{name}">{listed}</dl>' if listed else ""


def table(head: Sequence[str], rows: Iterable[Iterable[str]], numbers: Collection[int] = ()) -> str:
    """Return a table that is a list of cards on a narrow screen; cells are markup, the head is text.

    Args:
        head: The names of the columns; a column without a name has no figures of its own.
        rows: The cells of each row.
        numbers: The columns that hold numbers.
    """
    kinds = [' class="number"' if at in numbers else "" for at in range(len(head))]
    names = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>' if name.strip() else "<td></td>"
        for name, kind in zip(head, kinds, strict=True)
    )
    columns = [
        (f' data-label="{escape(name)}"{kind}' if name.strip() else "")
        for name, kind in zip(head, kinds, strict=True)
    ]
    body = "".join(
        f"<tr>{''.join(f'<td{about}>{cell}</td>' for about, cell in zip(columns, row, strict=True))}</tr>"
        for row in rows
    )
    return f'<table class="cards"><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>'
