"""`just bench-chunkers`: ten chunkers at four token budgets, by one engine, on real suites.

Each suite is a sweep with an axis `chunks`: the handbook of the project, and the code and documentation truth
of octocode, whose tree is taken from a clone of its public repository (``--octocode CLONE``) and whose cases
are those of ``$RANKGATE_SHARED_DATA/code/octocode``. Words are searched by Tantivy; with ``--vectors`` the
handbook is also searched by MiniLM in eight bits (rankgate-reference's), on LanceDB.

``--write`` puts the tables into benchmarks/chunkers/RESULTS.md and the curves beside it. ``--short`` takes
three chunkers of our own on the handbook.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from octocode_projects import octocode_project
from rankgate.chunks.chunking import read_chunking
from rankgate.corpora.folder import FolderCorpus
from rankgate.model.tokens import estimated_tokens
from rankgate.reports.budget_curves import render_svg
from rankgate.sweeps.flow import SweepOptions, run_sweep
from rankgate.sweeps.sweep_file import read_sweep

if TYPE_CHECKING:
    from rankgate.reports.sweep.report import SweepReport

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "chunkers"
BUDGETS = (1000, 2000, 4000, 8000)
DECIDES = 4000
DEPTH = 500
OURS = ("file", "window", "section")
CHUNKERS = (
    *OURS,
    "langchain_recursive",
    "langchain_markdown",
    "llama_index_sentence",
    "llama_index_code",
    "chonkie_token",
    "chonkie_sentence",
    "chonkie_recursive",
)
LIBRARIES = ("tantivy", "lancedb", "langchain-text-splitters", "llama-index-core", "chonkie", "tree-sitter")
EMBEDDER = '''\
"""Vectors for LanceDB: all-MiniLM-L6-v2 in eight bits; the first 128 word pieces of a text count."""

from rankgate_reference.vectors.embedders.minilm import MiniLM

_MODEL = MiniLM()


def embed(texts):
    return _MODEL.embed(texts)
'''


@dataclass(frozen=True, slots=True)
class Ground:
    """A suite in a project of its own."""

    name: str
    """What the tables call it."""
    folder: Path
    """The project."""
    corpus: Path
    """What is cut."""
    leave_out: tuple[str, ...] = ()
    """Chunkers that do not apply to what its targets are in."""


def main() -> int:
    """Measure, print, and write where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--octocode", type=Path, help="a clone of github.com/Muvon/octocode")
    parser.add_argument("--vectors", action="store_true", help="vectors on the handbook, too")
    parser.add_argument("--short", action="store_true", help="our three chunkers on the handbook")
    parser.add_argument("--write", action="store_true", help="write benchmarks/chunkers")
    given = parser.parse_args()
    work = ROOT / ".benchmarks" / "chunkers"
    shutil.rmtree(work, ignore_errors=True)
    os.environ["RANKGATE_CACHE"] = str(work / "cache")
    grounds = [_handbook(work)]
    if given.octocode is not None and not given.short:
        grounds += _octocode(work, given.octocode)
    parts = [_header()]
    for ground in grounds:
        chunkers = [one for one in (OURS if given.short else CHUNKERS) if one not in ground.leave_out]
        parts.append(_pieces(ground, chunkers))
        for engine in ("words", "vectors"):
            if engine == "words" or (given.vectors and ground is grounds[0]):
                report, table = _measured(ground, engine, chunkers)
                parts.append(table)
                if given.write:
                    RESULTS.mkdir(exist_ok=True)
                    name = f"{ground.name}-{engine}.svg".replace(" ", "-")
                    (RESULTS / name).write_text(render_svg([report]), encoding="utf-8")
                    parts.append(f"![{ground.name}, {engine}: recall and line precision by budget]({name})\n")
    text = "\n".join(parts)
    print(text)
    if given.write:
        (RESULTS / "RESULTS.md").write_text(text, encoding="utf-8")
    return 0


def _header() -> str:
    commit = _output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"""\
# Chunkers at equal token budgets

`just bench-chunkers --write`, commit {commit}, {datetime.now(UTC):%d %B %Y}; {versions}.

Every chunker is scored against the same lines. r@N is the recall within the first hits that cost N tokens
(UTF-8 bytes / 4, estimated), line_p@N how much of the lines that were read was wanted. Pieces have at most
1,600 characters (400 tokens for LlamaIndex's sentences, 40 lines for windows) and do not overlap; sections
and files are as long as they are. {DEPTH} hits are asked for. Rows are in the order of r@{DECIDES}tokens;
better (✅) and worse (❌) are beside `file`, on that metric alone, by Holm's rule over the table; ⚠️ where
unjudged hits could account for it. Which chunker is best depends on its sizes, the engine and the documents:
measure your own.
"""


def _handbook(work: Path) -> Ground:
    folder = work / "handbook"
    shutil.copytree(
        ROOT / "suites" / "handbook",
        folder,
        ignore=shutil.ignore_patterns("*.toml", "baselines", ".rankgate"),
    )
    _configured(folder, "handbook.yaml")
    return Ground("handbook", folder, folder / "corpus")


def _octocode(work: Path, clone: Path) -> list[Ground]:
    grounds = []
    for name, leave_out in (("code", ("langchain_markdown",)), ("docs", ("llama_index_code",))):
        folder = work / f"octocode-{name}"
        tree = octocode_project(folder, clone, name)
        _configured(folder, f"{name}.yaml")
        grounds.append(Ground(f"octocode {name}", folder, tree, leave_out))
    return grounds


def _configured(folder: Path, suite: str) -> None:
    (folder / "embedding.py").write_text(EMBEDDER, encoding="utf-8")
    (folder / "rankgate.toml").write_text(
        f'suites = ["{suite}"]\n\n[systems.words]\nkind = "tantivy"\n\n'
        '[systems.vectors]\nkind = "lancedb"\nmode = "vector"\nembedder = "embedding:embed"\n',
        encoding="utf-8",
    )


def _pieces(ground: Ground, chunkers: list[str]) -> str:
    """Say what each chunker cuts the documents into, and what could not be placed."""
    documents = list(FolderCorpus.open(ground.corpus, root=ground.folder).documents())
    rows = [
        f"## {ground.name}: {len(documents)} files\n",
        "| chunker | pieces | not placed | tokens a piece | seconds | |",
        "|---|---|---|---|---|---|",
    ]
    for name in chunkers:
        notes: Counter[str] = Counter()
        began = time.perf_counter()
        pieces = list(read_chunking(name, "chunks").cut(documents, notes))
        seconds = time.perf_counter() - began
        unplaced = sum(one.path is not None and one.lines is None for one in pieces)
        tokens = sum(estimated_tokens(one.text) for one in pieces) / len(pieces)
        said = "; ".join(f"{count} files {words}" for words, count in sorted(notes.items()))
        rows.append(f"| {name} | {len(pieces):,} | {unplaced} | {tokens:,.0f} | {seconds:.1f} | {said} |")
    return "\n".join([*rows, ""])


def _measured(ground: Ground, engine: str, chunkers: list[str]) -> tuple[SweepReport, str]:
    budgets = [DECIDES, *(one for one in BUDGETS if one != DECIDES)]
    metrics = [f"{name}@{budget}tokens" for name in ("r", "line_p") for budget in budgets]
    path = ground.folder / f"{engine}.toml"
    path.write_text(
        f'system = "{engine}"\nk = {DEPTH}\nbaseline = "chunks=file"\n'
        f"metrics = {metrics}\n\n[axes]\nchunks = {chunkers}\n".replace("'", '"'),
        encoding="utf-8",
    )
    began = time.perf_counter()
    result = run_sweep(read_sweep(path), SweepOptions())
    seconds = time.perf_counter() - began
    (report,) = result.reports
    shown = [f"{name}@{budget}tokens" for name in ("r", "line_p") for budget in BUDGETS]
    at = [report.metrics.index(label) for label in shown]
    heads = [label.replace("tokens", "") for label in shown]
    rows = [
        f"{engine} on {ground.name}, {seconds:.0f} s\n",
        f"| chunker | {' | '.join(heads)} | beside file |",
        "|---|" + "---|" * (len(shown) + 1),
    ]
    for row in report.rows:
        values = " | ".join(f"{row.numbers.means[one] or 0.0:.3f}" for one in at)
        rows.append(f"| {row.values[0]} | {values} | {row.mark} {row.difference} |")
    return report, "\n".join([*rows, "", *(f"- {note}" for note in report.notes), ""])


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
