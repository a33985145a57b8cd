"""rankgate: the quality gate for search. What pytest is to code, rankgate is to ranking.

Names are imported when they are first used, so that ``import rankgate`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.chunks.locate import Pieces
    from rankgate.corpora.corpus import Corpus, OpenContext, open_source
    from rankgate.corpora.records import RecordsCorpus
    from rankgate.errors import (
        ExpressionError,
        FormatError,
        InputError,
        LocationError,
        PluginError,
        Problem,
        RankgateError,
        RetriableError,
        SystemFailedError,
    )
    from rankgate.flow import Evaluation, evaluate
    from rankgate.io.typed import read_options
    from rankgate.locations import Lines, Location
    from rankgate.model import (
        BatchSystem,
        Case,
        CorpusSource,
        Document,
        Hit,
        Indexer,
        Matching,
        Navigator,
        Node,
        Query,
        Ranking,
        Suite,
        System,
        Target,
    )
    from rankgate.outline import OUTLINE_LIBRARIES, read_outline
    from rankgate.plugins import SystemBase, SystemIndex
    from rankgate.report import Report
    from rankgate.runs.asking.pace import Pace
    from rankgate.runs.formats.load import load_run
    from rankgate.scoring.evaluate import score, score_ranking
    from rankgate.scoring.matches import Column, Cut, Matches
    from rankgate.scoring.metric import Metric, ValueRange
    from rankgate.scoring.scores import Scores
    from rankgate.suites.formats import ReadOptions, SuiteFormat, load_suite
    from rankgate.systems.registry import SystemKind
    from rankgate.truth.judgments.formats import load_judgments
    from rankgate.truth.judgments.table import Judgments

__all__ = [
    "OUTLINE_LIBRARIES",
    "BatchSystem",
    "Case",
    "Column",
    "Corpus",
    "CorpusSource",
    "Cut",
    "Document",
    "Evaluation",
    "ExpressionError",
    "FormatError",
    "Hit",
    "Indexer",
    "InputError",
    "Judgments",
    "Lines",
    "Location",
    "LocationError",
    "Matches",
    "Matching",
    "Metric",
    "Navigator",
    "Node",
    "OpenContext",
    "Pace",
    "Pieces",
    "PluginError",
    "Problem",
    "Query",
    "RankgateError",
    "Ranking",
    "ReadOptions",
    "RecordsCorpus",
    "Report",
    "RetriableError",
    "Scores",
    "Suite",
    "SuiteFormat",
    "System",
    "SystemBase",
    "SystemFailedError",
    "SystemIndex",
    "SystemKind",
    "Target",
    "ValueRange",
    "evaluate",
    "load_judgments",
    "load_run",
    "load_suite",
    "open_source",
    "read_options",
    "read_outline",
    "score",
    "score_ranking",
]

_HOMES = {
    "rankgate.errors": """
        ExpressionError FormatError InputError LocationError PluginError Problem RankgateError
        RetriableError SystemFailedError
    """,
    "rankgate.model": """
        BatchSystem Case CorpusSource Document Hit Indexer Matching Navigator Node Query Ranking Suite
        System Target
    """,
    "rankgate.locations": "Lines Location",
    "rankgate.report": "Report",
    "rankgate.plugins": "SystemBase SystemIndex",
    "rankgate.chunks.locate": "Pieces",
    "rankgate.corpora.corpus": "Corpus OpenContext open_source",
    "rankgate.corpora.records": "RecordsCorpus",
    "rankgate.flow": "Evaluation evaluate",
    "rankgate.outline": "OUTLINE_LIBRARIES read_outline",
    "rankgate.runs.formats.load": "load_run",
    "rankgate.runs.asking.pace": "Pace",
    "rankgate.scoring.evaluate": "score score_ranking",
    "rankgate.scoring.matches": "Column Cut Matches",
    "rankgate.scoring.metric": "Metric ValueRange",
    "rankgate.scoring.scores": "Scores",
    "rankgate.suites.formats": "ReadOptions SuiteFormat load_suite",
    "rankgate.io.typed": "read_options",
    "rankgate.systems.registry": "SystemKind",
    "rankgate.truth.judgments.formats": "load_judgments",
    "rankgate.truth.judgments.table": "Judgments",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rankgate' has no attribute {name!r}")
    # Kept, so that a name is looked for once.
    found = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
