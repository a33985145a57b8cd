from __future__ import annotations

from pathlib import Path

import rankgate as rg


def read(path: Path, reading: rg.ReadOptions) -> rg.Suite:
    """Read lines such as ``rotate a key => keys``: a query and the id that it should find."""
    arrow = reading.options.get("arrow", "=>")
    cases, problems = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        query, found, target = (part.strip() for part in line.partition(arrow))
        if found and query and target:
            location = rg.Location.of_id(target)
            cases.append(rg.Case(f"line-{number}", query, (rg.Target(location),), where=f"{path}:{number}"))
        elif line.strip():
            problems.append(rg.Problem(f"{path}:{number}", repr(line), f"query {arrow} id"))
    if problems:
        raise rg.FormatError(problems)
    return rg.Suite(path.stem, tuple(cases), path=str(path), corpus=reading.corpus)


FORMAT = rg.SuiteFormat(
    name="arrows",
    about="lines of a query, an arrow and an id",
    read=read,
    recognise=lambda path, start: path.suffix == ".arrows",
    options={"arrow": "what stands between a query and its id; => without it"},
)
