"""The nouns of rankgate: frozen types and protocols, on the standard library alone."""

from rankgate.model.fingerprints import anchor, canonical_json, fingerprint
from rankgate.model.places import Lines, Location, normal_path
from rankgate.model.search import Document, Hit, Indexer, Navigator, Node, Query, Ranking, System
from rankgate.model.suite import Case, MatchBy, Matching, Suite, Target
from rankgate.model.verdict import Answer, Counts, Status, Verdict

__all__ = [
    "Answer",
    "Case",
    "Counts",
    "Document",
    "Hit",
    "Indexer",
    "Lines",
    "Location",
    "MatchBy",
    "Matching",
    "Navigator",
    "Node",
    "Query",
    "Ranking",
    "Status",
    "Suite",
    "System",
    "Target",
    "Verdict",
    "anchor",
    "canonical_json",
    "fingerprint",
    "normal_path",
]
