"""What the page of a sweep says without its script: the sentence, the table, and the queries nobody answers.

It is made of the data of the page, escaped, so that nothing of it is ever markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.reports.page.plain.markup import table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_QUERIES = 50
"""How many queries that no variant answers are written out."""


def plain_sweeps(data: Mapping[str, Any]) -> str:
    """Return what came of each sweep in a sentence, as markup."""
    return "".join(
        f'<section class="plain-verdict card" aria-labelledby="verdict-plain-{at}">'
        f'<p dir="auto">{text(page["report"]["title"])}</p>'
        f'<h1 id="verdict-plain-{at}" dir="auto">{text(page["report"]["headline"])}</h1></section>'
        for at, page in enumerate(data["sweeps"])
    )


def plain_tables(data: Mapping[str, Any]) -> str:
    """Return the variants, the axes, the held-out part and the queries that nobody answers, as markup."""
    return f'<div class="plain-report">{"".join(map(_sweep, data["sweeps"]))}</div>'


def _sweep(page: Mapping[str, Any]) -> str:
    report = page["report"]
    parts = [f"<h2>Which variant is best? {text(report['title'])}</h2>", _variants(page)]
    parts.append(f'<p dir="auto">{text(report["family"])}</p>')
    if report["effects"]:
        head = ["Axis", "Value", "Compared with", "Difference", "95 % interval", "Pairs", "Missing"]
        fields = ("axis", "value", "against", "difference", "interval", "pairs", "missing")
        rows = [[one[name] for name in fields] for one in report["effects"]]
        parts += ["<h3>What does each axis do, all else equal?</h3>", table(head, rows)]
    if held := report["held_out"]:
        said = f"{held['winner']} is {held['seen']}, and {held['measured']}; {held['shrinkage']}."
        parts += ["<h3>Does it hold on queries that were held out?</h3>", f'<p dir="auto">{text(said)}</p>']
        parts.append(f"<p>{text(held['detectable'])}</p>")
    parts += [_unanswered(page), "".join(f'<p dir="auto">{text(note)}</p>' for note in report["notes"])]
    return "".join(parts)


def _variants(page: Mapping[str, Any]) -> str:
    report = page["report"]
    figures = ["Difference", "95 % interval", "p (Holm)", "Better", "Worse", "Same", "Only it finds"]
    head = ["", "Variant", *report["metrics"], *figures, *report["measures"], "Finding"]
    rows = []
    for row, column in zip(report["rows"], page["column"], strict=True):
        name = f"{row['name']} (in use)" if row["baseline"] else row["name"]
        said = [row["difference"], row["interval"], row["p"], row["wins"], row["losses"], row["ties"]]
        errors = f"{row['errors']} errors" if row["errors"] else ""
        found = "; ".join(filter(None, (row["same_as"] or row["finding"], errors)))
        rows.append([row["mark"], name, *row["means"], *said, page["alone"][column], *row["measures"], found])
    return table(head, rows)


def _unanswered(page: Mapping[str, Any]) -> str:
    missed = [query for query in page["asked"] if query["expected"] and max(query["first"]) <= 0]
    if not missed:
        return "<h3>Which queries does no variant answer?</h3><p>None: each is answered by some variant.</p>"
    rows = [[one["query"], ", ".join(one["expected"])] for one in missed[:MOST_QUERIES]]
    more = len(missed) - len(rows)
    rest = f"<p>… and {more} more</p>" if more else ""
    shown = table(["Query", "Expected"], rows)
    return f"<h3>Which queries does no variant answer? {len(missed)}</h3>{shown}{rest}"
