"""What the page of a comparison says without its script: the sentence, the figures, the losses and the gains.

It is made of the data of the page, escaped, so that nothing of it is ever markup.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rankgate.reports.page.plain.markup import table, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LOST, _GAINED = "❌", "✅"


def plain_sentences(data: Mapping[str, Any]) -> str:
    """Return what was compared and what is said of it first, as markup."""
    first, *others = (system["name"] for system in data["systems"])
    said = [
        f'<p dir="auto">{text(sentence)}</p>'
        for report in data["reports"]
        for sentence in _sentences(report, several=len(others) > 1)
    ]
    return (
        '<section class="plain-verdict card" aria-labelledby="verdict-plain">'
        f'<p dir="auto">{text(data["suite"])}</p>'
        f'<h1 id="verdict-plain" dir="auto">{text(", ".join(others))} compared with {text(first)}</h1>'
        f"{''.join(said)}</section>"
    )


def _sentences(report: Mapping[str, Any], *, several: bool) -> Iterable[str]:
    name = f"{report['after']}: " if several else ""
    if report["errors"]:
        yield f"⚠️ {name}{report['errors']['words']}."
    yield f"{name if not report['headline'] else ''}{report['headline'] or report['compared']}."


def plain_figures(data: Mapping[str, Any]) -> str:
    """Return every metric of both, then what lost and gained most with both rankings, as markup."""
    parts = [_board(data["board"])] if len(data["reports"]) > 1 else []
    parts += [
        _comparison(report, _slices(slices))
        for report, slices in zip_longest(data["reports"], data["slices"])
        if report is not None
    ]
    return f'<div class="plain-report">{"".join(parts)}</div>'


def _board(board: Mapping[str, Any]) -> str:
    head = ["System", *board["metrics"], "Difference", "95 % interval", "Errors", "Finding"]
    rows = [
        [row["name"], *row["values"], row["difference"], row["interval"], row["errors"], row["finding"]]
        for row in board["rows"]
    ]
    return f"<h2>Which system is best?</h2>{table(head, rows)}"


def _comparison(report: Mapping[str, Any], slices: str) -> str:
    names = report["before"], report["after"]
    parts = [f"<h2>{text(names[1])} compared with {text(names[0])}</h2>", _rows(report["rows"], names)]
    if report["errors"] and report["errors"]["rows"]:
        parts += ["<h3>Without errors</h3>", _rows(report["errors"]["rows"], names)]
    parts.append(slices)
    for title, mark in (("Lost most", _LOST), ("Gained most", _GAINED)):
        moved = [one for one in report["moved"] if one["mark"] == mark]
        parts += [f"<h3>{title}</h3>", *(_moved(one, names) for one in moved)] if moved else []
    parts += [f"<p>{text(report['unmoved'])}</p>"] if report["unmoved"] else []
    return "".join(parts)


def _rows(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    head = ["Metric", *names, "Difference", "95 % interval", "p", "Worse", "Better", "Same", "Finding"]
    fields = (
        "metric",
        "before",
        "after",
        "difference",
        "interval",
        "p",
        "worse",
        "better",
        "same",
        "finding",
    )
    return table(head, [[row[name] for name in fields] for row in rows])


def _slices(rows: Sequence[Mapping[str, Any]] | None) -> str:
    if not rows:
        return ""
    told = [[row[name] for name in ("name", "cases", "before", "after", "difference")] for row in rows[:10]]
    more = f"<p>… and {len(rows) - len(told)} more</p>" if len(rows) > len(told) else ""
    head = ["Category", "Queries", "Before", "After", "Difference"]
    return f"<h3>Which categories changed?</h3>{table(head, told)}{more}"


def _moved(moved: Mapping[str, Any], names: Sequence[str]) -> str:
    rows = [
        [
            hit["rank"],
            f"{hit['before_mark']} {hit['before']}".strip(),
            hit["move"],
            f"{hit['after_mark']} {hit['after']}".strip(),
        ]
        for hit in moved["hits"]
    ]
    said = f"{moved['mark']} {moved['query']}: {moved['first']}, {moved['difference']}"
    return f'<p dir="auto"><strong>{text(said)}</strong></p>{table(["Rank", names[0], "", names[1]], rows)}'
