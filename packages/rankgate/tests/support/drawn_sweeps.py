"""Projects with a sweep of many variants over many queries, whose answers are drawn from their names.

Easy queries are found by nearly all variants, hard ones by few, some by one alone and some by none; good
variants find more. Nothing is random between two calls: a draw is a hash of the query and the variant.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_APP = '''"""Searches topics; the number of a variant says how good it is."""
import hashlib

DOCUMENTS = {documents}

def _drawn(*names):
    digest = hashlib.sha256("|".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48

def _found(variant, query, k):
    at = int(query.split()[-1])
    chance = 0.45 + 0.5 * _drawn("easy", at) + 0.1 * _drawn("good", variant) - 0.05
    if at % 50 == 7:
        chance = 0
    if at % 50 == 21:
        chance = 1.0 if variant == at % 10 + 1 else 0
    start = int(_drawn("start", at, variant % 7) * DOCUMENTS)
    found = [f"docs/topic{{(start + 13 * step) % DOCUMENTS:03}}.md" for step in range(k)]
    right = f"docs/topic{{at:03}}.md"
    found = [name for name in found if name != right]
    if _drawn("found", at, variant) < chance:
        found.insert(int(_drawn("rank", at, variant) ** 3 * 9), right)
    return found[:k]

'''


def sweep_project(
    folder: Path,
    variants: int = 100,
    queries: int = 250,
    *,
    more: str = "",
) -> Path:
    """Write a project whose `sweep.toml` has so many variants, the first of which is in use.

    Args:
        folder: Where it is written.
        variants: How many variants there are.
        queries: How many queries there are.
        more: What else stands in `sweep.toml`.
    """
    docs = folder / "docs" / "docs"
    docs.mkdir(parents=True)
    cases = []
    for number in range(queries):
        (docs / f"topic{number:03}.md").write_text(f"# Topic {number}\n\nAll about topic {number}.\n")
        where = f"at: docs/topic{number:03}.md, category: part {number % 7}"
        cases.append(f"  - {{query: {json.dumps(f'how do I use topic {number}')}, {where}}}\n")
    (folder / "search.yaml").write_text(
        f"name: topics\ncorpus: docs/\nmetrics: [ndcg@10, r@10]\ncases:\n{''.join(cases)}"
    )
    functions = "".join(
        f"def v{number:03}(query, k):\n    return _found({number}, query, k)\n\n"
        for number in range(variants)
    )
    (folder / "app.py").write_text(_APP.format(documents=queries) + functions)
    (folder / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "app:v000"\n'
    )
    named = "".join(
        f'[variants.v{number:03}]\nset = {{ function = "app:v{number:03}" }}\n' for number in range(variants)
    )
    (folder / "sweep.toml").write_text(f'baseline = "v000"\nk = 10\n{named}{more}')
    return folder
