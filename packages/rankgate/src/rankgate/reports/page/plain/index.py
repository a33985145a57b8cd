"""What the page of `rankgate view` says without its script: how each system ended last, with its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rankgate.reports.page.plain.markup import text

if TYPE_CHECKING:
    from collections.abc import Mapping


def plain_index(data: Mapping[str, Any]) -> str:
    """Return a table of systems for each suite as markup, the latest evaluation of each."""
    suites: dict[str, list[Mapping[str, Any]]] = {}
    for pair in data["suites"]:
        suites.setdefault(pair["suite"], []).append(pair)
    if not suites:
        return "<h1>Evaluations</h1><p>No evaluations yet: run rankgate test in this project.</p>"
    return f'<div class="plain-report"><h1>Evaluations</h1>{"".join(map(_suite, suites.items()))}</div>'


def _suite(named: tuple[str, list[Mapping[str, Any]]]) -> str:
    suite, pairs = named
    metrics = max((pair["metrics"] for pair in pairs), key=len)
    names = ["System", "Latest", "Result", *(metric["name"] for metric in metrics), "Report"]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in names)
    body = "".join(f"<tr>{_row(pair, metrics)}</tr>" for pair in pairs)
    title = f'<h2 dir="auto">{text(suite)}</h2>'
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(pair: Mapping[str, Any], metrics: list[Mapping[str, Any]]) -> str:
    record = pair["records"][0]
    shown = dict(zip((metric["name"] for metric in pair["metrics"]), record["shown"], strict=False))
    ended = " · ".join(filter(None, (record["state"], record["status"])))
    cells = [pair["system"], record["time"], ended, *(shown.get(metric["name"], "–") for metric in metrics)]
    report = f'<a href="/page/{quote(record["key"], safe="")}">Report</a>' if record["kept"] else "removed"
    return "".join(f'<td dir="auto">{text(cell)}</td>' for cell in cells) + f"<td>{report}</td>"
