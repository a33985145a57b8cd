"""The nouns of rankgate: frozen types and protocols, on the standard library alone."""

from rankgate.errors import ExitCode
from rankgate.model.answers import Answer, Counts
from rankgate.model.fingerprints import anchor, canonical_json, fingerprint
from rankgate.model.locations import Lines, Location, normal_path
from rankgate.model.probes import Action, Invariant, Relation, Scenario, Step, Waypoint, XFail
from rankgate.model.search import (
    BatchSystem,
    Document,
    Hit,
    Indexer,
    Navigator,
    Node,
    Query,
    Ranking,
    System,
)
from rankgate.model.suite import (
    Case,
    CorpusSource,
    GateText,
    MapRule,
    MatchBy,
    Matching,
    Suite,
    Target,
    Top,
)

__all__ = [
    "Action",
    "Answer",
    "BatchSystem",
    "Case",
    "CorpusSource",
    "Counts",
    "Document",
    "ExitCode",
    "GateText",
    "Hit",
    "Indexer",
    "Invariant",
    "Lines",
    "Location",
    "MapRule",
    "MatchBy",
    "Matching",
    "Navigator",
    "Node",
    "Query",
    "Ranking",
    "Relation",
    "Scenario",
    "Step",
    "Suite",
    "System",
    "Target",
    "Top",
    "Waypoint",
    "XFail",
    "anchor",
    "canonical_json",
    "fingerprint",
    "normal_path",
]
