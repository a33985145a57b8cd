"""What a page says without its script: the verdict, the gates, the queries that failed and what to do next.

It is made of the data of the page, escaped, so that nothing of it is ever markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.page.plain.comparison import plain_figures, plain_sentences
from rankgate.reports.page.plain.markup import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_FAILED = 50
"""How many queries that failed are written out."""
COMPARISON = "comparison"
"""The kind of a page that compares systems."""
_WORDS = {"✅": "Passed", "⚠️": "Warning", "❌": "Failed"}
_BAD = "❌"


def plain_verdict(data: Mapping[str, Any]) -> str:
    """Return how it ended as markup."""
    if data.get("kind") == COMPARISON:
        return plain_sentences(data)
    report = data.get("report")
    if not report:
        return ""
    summary = report.get("summary") or {}
    named = " · ".join(name for name in (report["title"], report.get("system", "")) if name)
    sign, word = report["mark"], _WORDS.get(report["mark"], "")
    if summary.get("headline"):
        state = ReportState(summary["state"])
        sign, word = state.symbol, state.value
    headline = summary.get("headline") or report["status"]
    told = (summary.get("reason"), *summary.get("findings", ()), summary.get("changed"))
    paragraphs = "".join(f'<p dir="auto">{text(one)}</p>' for one in told if one)
    return (
        '<section class="plain-verdict card" aria-labelledby="verdict-plain">'
        f'<p dir="auto">{text(sign)} {text(word.capitalize())} · {text(named)}</p>'
        f'<h1 id="verdict-plain" dir="auto">{text(headline)}</h1>'
        f"{paragraphs}</section>"
    )


def plain_rest(data: Mapping[str, Any]) -> str:
    """Return next steps, gates, failed queries and advice as markup, for whoever runs no script."""
    if data.get("kind") == COMPARISON:
        return plain_figures(data)
    report = data.get("report")
    if not report:
        return ""
    steps = (report.get("summary") or {}).get("steps", ())
    told = [_steps(steps), _gates(report["verdicts"]), _failed(data["queries"])]
    return f'<div class="plain-report">{"".join((*told, _advice(report["recommendations"])))}</div>'


def _steps(rows: Iterable[Mapping[str, Any]]) -> str:
    told = "".join(f"<li>{text(row['label'])}: <code>{text(row['command'])}</code></li>" for row in rows)
    return f"<h2>What to do next</h2><ul>{told}</ul>" if told else ""


def _gates(rows: Iterable[Mapping[str, Any]]) -> str:
    order = sorted(rows, key=lambda row: row["mark"] == "✅")
    if not order:
        return "<h2>Gates</h2><p>No gates defined</p>"
    cells = (
        (f"{row['mark']} {row['status']}", row["gate"], row["value"], row["detail"], row["where"])
        for row in order
    )
    body = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in cells)
    head = "".join(f"<th>{name}</th>" for name in ("Result", "Gate", "Value", "Why", "Written at"))
    return f"<h2>Gates</h2><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _failed(queries: Iterable[Mapping[str, Any]]) -> str:
    failed = [query for query in queries if query["mark"] == _BAD]
    if not failed:
        return "<h2>Queries</h2><p>No query failed.</p>"
    more = len(failed) - MOST_FAILED
    rest = f"<p>… and {many(more, 'more query', 'more queries')}</p>" if more > 0 else ""
    told = "".join(map(_query, failed[:MOST_FAILED]))
    return f"<h2>{many(len(failed), 'query', 'queries')} failed</h2><ul>{told}</ul>{rest}"


def _query(query: Mapping[str, Any]) -> str:
    reasons = [text(reason) for reason in query["reasons"]]
    expected = [f"expected {text(one['location'])}: {text(one['ended'])}" for one in query["targets"]]
    first = [f"first hit {text(query['hits'][0]['location'])}"] if query["hits"] else []
    # A name that a terminal would obey is in no command.
    ask = f"<code>{text(query.get('ask') or query['case'])}</code>"
    lines = "".join(f'<li dir="auto">{line}</li>' for line in (*reasons, *expected, *first, ask))
    return f'<li dir="auto"><strong>{text(query["query"])}</strong><ul>{lines}</ul></li>'


def _advice(rows: Iterable[Mapping[str, Any]]) -> str:
    told = "".join(
        f'<li dir="auto"><strong>{text(one["finding"])}</strong> {text(one["advice"])}</li>' for one in rows
    )
    return f"<h2>What to try next</h2><ul>{told}</ul>" if told else ""
