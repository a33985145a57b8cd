"""rankgate: the quality gate for search. What pytest is to code, rankgate is to ranking.

Names are imported when they are first used, so that ``import rankgate`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus, Room
    from rankgate.corpora.opening import open_source
    from rankgate.errors import (
        ExpressionError,
        FormatError,
        InputError,
        PlaceError,
        PluginError,
        Problem,
        RankgateError,
        RetriableError,
        SystemFailedError,
    )
    from rankgate.evaluation.flow import Evaluation, evaluate
    from rankgate.model import (
        Case,
        CorpusSource,
        Document,
        Hit,
        Indexer,
        Lines,
        Location,
        Matching,
        Navigator,
        Node,
        Query,
        Ranking,
        Suite,
        System,
        Target,
        Verdict,
    )
    from rankgate.outline import OUTLINE_LIBRARIES, read_outline
    from rankgate.runs.formats import load_run
    from rankgate.runs.pace import Pace
    from rankgate.scoring.evaluate import score, score_ranking
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores
    from rankgate.suites.format import Format, Reading
    from rankgate.suites.formats import load_suite
    from rankgate.systems.kind import Kind
    from rankgate.truth.formats import load_judgments
    from rankgate.truth.judgments import Judgments

__all__ = [
    "OUTLINE_LIBRARIES",
    "Case",
    "Corpus",
    "CorpusSource",
    "Document",
    "Evaluation",
    "ExpressionError",
    "Format",
    "FormatError",
    "Hit",
    "Indexer",
    "InputError",
    "Judgments",
    "Kind",
    "Lines",
    "Location",
    "Matching",
    "Metric",
    "Navigator",
    "Node",
    "Pace",
    "PlaceError",
    "PluginError",
    "Problem",
    "Query",
    "RankgateError",
    "Ranking",
    "Reading",
    "RetriableError",
    "Room",
    "Scores",
    "Suite",
    "System",
    "SystemFailedError",
    "Target",
    "Verdict",
    "evaluate",
    "load_judgments",
    "load_run",
    "load_suite",
    "open_source",
    "read_outline",
    "score",
    "score_ranking",
]

_HOMES = {
    "rankgate.errors": """
        ExpressionError FormatError InputError PlaceError PluginError Problem RankgateError RetriableError
        SystemFailedError
    """,
    "rankgate.model": """
        Case CorpusSource Document Hit Indexer Lines Location Matching Navigator Node Query Ranking Suite
        System Target Verdict
    """,
    "rankgate.corpora.corpus": "Corpus Room",
    "rankgate.corpora.opening": "open_source",
    "rankgate.evaluation.flow": "Evaluation evaluate",
    "rankgate.outline": "OUTLINE_LIBRARIES read_outline",
    "rankgate.runs.formats": "load_run",
    "rankgate.runs.pace": "Pace",
    "rankgate.scoring.evaluate": "score score_ranking",
    "rankgate.scoring.metric": "Metric",
    "rankgate.scoring.scores": "Scores",
    "rankgate.suites.format": "Format Reading",
    "rankgate.suites.formats": "load_suite",
    "rankgate.systems.kind": "Kind",
    "rankgate.truth.formats": "load_judgments",
    "rankgate.truth.judgments": "Judgments",
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
