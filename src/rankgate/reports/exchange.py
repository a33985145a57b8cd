"""What ``rankgate ask`` prints: the request, the raw answer, the hits and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.model.wording import many
from rankgate.reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Hit
    from rankgate.systems.exchange import Exchange

_RAW_LINES = 20
_WIDTH = 160


def render(
    found: Exchange,
    hits: Sequence[Hit],
    strategies: Mapping[str, int],
    unused: Sequence[str],
    about: Sequence[str] = (),
) -> str:
    """Lay an exchange out, what is known about the system first, the part that is most often wrong last."""
    parts = [_titled("system", "\n".join(about))] if about else []
    parts += [_titled("request", found.request), _titled("answer, as it came", found.raw or "nothing")]
    if found.error:
        return "".join(parts) + _titled("error", found.error)
    lines = [f"{rank:>3}  {_place(hit)}{_extras(hit)}" for rank, hit in enumerate(hits, 1)]
    parts.append(_titled(many(len(hits), "hit"), "\n".join(lines) or "none"))
    how = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in strategies.items() if count)
    silent = [*found.unmatched_rules, *unused]
    notes = ([f"places found: {how}"] if how else []) + [
        f"rule that matched nothing: {rule}" for rule in silent
    ]
    return "".join(parts) + (_titled("mapping", "\n".join(notes)) if notes else "")


def _titled(title: str, text: str) -> str:
    lines = text.splitlines()
    shown = [printable(line)[:_WIDTH] for line in lines[:_RAW_LINES]]
    more = [f"… {len(lines) - _RAW_LINES} more lines"] if len(lines) > _RAW_LINES else []
    return click.style(title, bold=True) + "\n" + "".join(f"  {line}\n" for line in (*shown, *more))


def _place(hit: Hit) -> str:
    if hit.path is None:
        return f"{hit.id} (no place)"
    return f"{hit.path}:{hit.lines}" if hit.lines else hit.path


def _extras(hit: Hit) -> str:
    name = f"  id {hit.id}" if hit.id and hit.path else ""
    return name + (f"  score {hit.score:g}" if hit.score is not None else "")
