"""The nouns of rankgate: frozen types and protocols, on the standard library alone."""

from rankgate.errors import ExitCode
from rankgate.model.fingerprints import anchor, canonical_json, fingerprint
from rankgate.model.locations import Lines, Location, normal_path
from rankgate.model.probes import Action, Invariant, Relation, Scenario, Step, Waypoint
from rankgate.model.search import Document, Hit, Indexer, Navigator, Node, Query, Ranking, System
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
    XFail,
)
from rankgate.model.verdict import (
    Answer,
    Counts,
    GateOutcome,
    LostQuery,
    State,
    Status,
    SuiteVerdict,
    Verdict,
    Weighting,
)

__all__ = [
    "Action",
    "Answer",
    "Case",
    "CorpusSource",
    "Counts",
    "Document",
    "ExitCode",
    "GateOutcome",
    "GateText",
    "Hit",
    "Indexer",
    "Invariant",
    "Lines",
    "Location",
    "LostQuery",
    "MapRule",
    "MatchBy",
    "Matching",
    "Navigator",
    "Node",
    "Query",
    "Ranking",
    "Relation",
    "Scenario",
    "State",
    "Status",
    "Step",
    "Suite",
    "SuiteVerdict",
    "System",
    "Target",
    "Top",
    "Verdict",
    "Waypoint",
    "Weighting",
    "XFail",
    "anchor",
    "canonical_json",
    "fingerprint",
    "normal_path",
]
