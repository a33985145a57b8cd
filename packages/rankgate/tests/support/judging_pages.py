"""Judging sessions to try the page on: passages of the handbook, or of drawn files; and their server.

``python -m support.judging_pages FOLDER COUNT`` serves one until it is killed, and prints its address.
"""

from __future__ import annotations

import random
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.folder import FolderCorpus
from rankgate.judging.session.documents import CorpusDocuments
from rankgate.judging.session.scale import Guidelines
from rankgate.judging.session.session import JudgingSession, JudgingTask
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import LabelLog, read_labels
from rankgate.truth.lookup import CorpusReader
from rankgate.web.judging import JudgingSite
from rankgate.web.server import Server
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.judging.session.documents import JudgingDocuments

HANDBOOK = ROOT / "suites" / "handbook" / "corpus"
GUIDELINES = """\
# How to grade

Say how well the passage answers the query. Judge the *text that you see*, and nothing else.

| grade | means | such as |
|---|---|---|
| 3 | answers it | the section with the command |
| 2 | answers a part of it | the section on rotating after a leak |
| 1 | related | the entry in the glossary |
| 0 | not relevant | rotating something else |

- Code that is named in the query is what is looked for: `rotateKey` itself is 3.
- A mention in passing is 0.

| kind | look at |
|---|---|
| code | names and comments |
| prose | what it says, not its title |
"""
QUERIES = (
    "rotate the webhook signing secret", "dead-letter queue", "retry failed deliveries", "idempotency keys",
    "summer time clock change", "lease renewal", "how long are logs kept", "crontab syntax",
)  # fmt: skip


def handbook_documents() -> CorpusDocuments:
    """Return the files of the handbook."""
    return CorpusDocuments(CorpusReader(FolderCorpus.open(HANDBOOK, root=HANDBOOK)))


def handbook_units(count: int, seed: int = 7) -> list[JudgingUnit]:
    """Draw sections and symbols of the handbook for queries, which they may well not answer."""
    drawn = random.Random(seed)
    documents = handbook_documents()
    sections = []
    for path in sorted(HANDBOOK.rglob("*")):
        name = path.relative_to(HANDBOOK).as_posix()
        lines = documents.lines(name) if path.is_file() else None
        sections += [
            (name, entry, "\n".join(lines[entry.start - 1 : entry.end]))
            for entry in documents.outline(name)
            if lines and entry.level > 1 and entry.end - entry.start < 60
        ]
    found: dict[tuple[str, str], JudgingUnit] = {}
    while len(found) < count:
        number = drawn.randrange(max(len(QUERIES), count // 40))
        query = QUERIES[number % len(QUERIES)] + (f" {number}" if number >= len(QUERIES) else "")
        name, entry, text = drawn.choice(sections)
        at = f"{name}:{entry.start}-{entry.end}"
        case = query.replace(" ", "-")
        unit = JudgingUnit(case, query, at, name, entry.start, entry.end, text, (entry.title,))
        found.setdefault(unit.key, unit)
    return list(found.values())


def session_in(
    folder: Path,
    units: Sequence[JudgingUnit],
    *,
    documents: JudgingDocuments | None = None,
    guidelines: str = GUIDELINES,
) -> JudgingSession:
    """Return a session of the judge ada whose log is in a folder; it goes on where the log ends."""
    suite = folder / "handbook.yaml"
    text = Guidelines(guidelines)
    groups = {unit.case: "clock" for unit in units if "clock" in unit.query or "crontab" in unit.query}
    documents = handbook_documents() if documents is None else documents
    task = JudgingTask(units, "handbook", text.scale(3), text, groups, documents)
    return JudgingSession(task, LabelLog(suite, "ada"), read_labels(suite))


@contextmanager
def served(session: JudgingSession) -> Iterator[Server]:
    """Serve a session, as `rankgate judge` does."""
    with Server(JudgingSite(session)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    with Server(JudgingSite(session_in(Path(sys.argv[1]), handbook_units(int(sys.argv[2]))))) as serving:
        sys.stdout.write(f"{serving.url}\n")
        sys.stdout.flush()
        serving.serve_forever()
