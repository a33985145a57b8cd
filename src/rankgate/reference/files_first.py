"""From the scores of nodes to a ranking that knows files.

Nodes of one file speak for each other, so each gains a part of what the others have. Then a second node of a
file falls back behind the first of another that is nearly as good. Tests and examples repeat the words of
what they show, and stand behind it unless they are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.reference.weights import Weights

_FOLDERS = frozenset(
    (
        "__tests__",
        "demo",
        "demos",
        "example",
        "examples",
        "fixtures",
        "mocks",
        "sample",
        "samples",
        "spec",
        "specs",
        "test",
        "testdata",
        "testing",
        "tests",
    )
)
TEST_STEMS = frozenset({"demo", "exampl", "fixtur", "mock", "sampl", "spec", "test", "testdata"})
"""The terms of a query that asks for tests or examples."""


def is_test(path: str) -> bool:
    """Tell whether a file is a test or an example, by its name and its folders.

    >>> is_test("tests/urls.py"), is_test("src/router_test.go"), is_test("src/contest.py")
    (True, True, False)
    """
    pure = PurePosixPath(path.lower())
    stem = pure.name.partition(".")[0]
    return (
        not _FOLDERS.isdisjoint(pure.parts[:-1])
        or stem in ("conftest", "test", "tests")
        or stem.startswith("test_")
        or stem.endswith(("_test", "_tests", "_spec"))
        or any(part in ("test", "spec") for part in pure.name.split(".")[1:-1])
    )


def by_score(scores: Sequence[float], id_of: Callable[[int], str], most: int) -> list[int]:
    """Give the positions of the best scores, best first; equal ones by id, which is asked for only then."""
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    end = min(most, len(order))
    while 0 < end < len(order) and scores[order[end]] == scores[order[end - 1]]:
        end += 1
    order = order[:end]
    _settle(order, scores, id_of)
    return order[:most]


def rank_by_files(
    scores: Sequence[float],
    files: Sequence[int],
    id_of: Callable[[int], str],
    weights: Weights,
    most: int,
) -> list[tuple[int, float]]:
    """Order positions by what they and their files score.

    >>> from rankgate.reference.weights import Weights
    >>> rank_by_files([4.0, 3.0, 2.5], [1, 1, 2], str, Weights(file=0.0, spread=0.5), 10)
    [(0, 4.0), (2, 2.5), (1, 1.5)]

    Args:
        scores: What each node scores alone.
        files: A number for the file of each.
        id_of: The id of the node at a position.
        weights: `file`, `fading` and `spread` are used.
        most: How many are wanted.
    """
    of_file: dict[int, list[int]] = defaultdict(list)
    for at in sorted(range(len(scores)), key=scores.__getitem__, reverse=True):
        of_file[files[at]].append(at)
    final = [0.0] * len(scores)
    for found in of_file.values():
        _settle(found, scores, id_of)
        more, part = 0.0, weights.file
        for at in found[1:]:
            more += part * scores[at]
            part *= weights.fading
        keeps = 1.0
        for at in found:
            final[at] = (scores[at] + more) * keeps
            keeps *= weights.spread
    return [(at, final[at]) for at in by_score(final, id_of, most)]


def _settle(order: list[int], scores: Sequence[float], id_of: Callable[[int], str]) -> None:
    """Put those of equal score, which stand side by side, in the order of their ids."""
    start = 0
    for at in range(1, len(order) + 1):
        if at == len(order) or scores[order[at]] != scores[order[start]]:
            if at - start > 1:
                order[start:at] = sorted(order[start:at], key=id_of)
            start = at
