"""From the scores of nodes to a ranking, of nodes or of files.

Where files are ranked, the best node of a file gains a part of what the others have, and the others fall
back. The others gain nothing: a section is not nearer to a query because its neighbour is. Tests and examples
repeat the words of what they show, and stand behind it unless they are asked for.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankgate_reference.lexical.weights import Weights

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
    """Check whether a file is a test or an example, by its name and its folders.

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


def rank_by_files(
    found: Iterable[tuple[float, int, int, int]], id_of: Callable[[int], str], weights: Weights, most: int
) -> list[tuple[int, float]]:
    """Order nodes by what they score, the best of a file with the others; gives which, and the score.

    >>> from rankgate_reference.lexical.weights import Weights
    >>> found = [(4.0, 1, 0, 0), (3.0, 1, 1, 1), (2.5, 2, 0, 2)]
    >>> rank_by_files(found, str, Weights(), 10)
    [(0, 4.0), (1, 3.0), (2, 2.5)]
    >>> rank_by_files(found, str, Weights(file=0.5, spread=0.5), 10)
    [(0, 5.5), (2, 2.5), (1, 1.5)]

    Args:
        found: Of each node what it scores alone, a number for its file, which id of that file it has, in
            their order, and a number for the node.
        id_of: The id of the node of a number; it is asked only for what is equal.
        weights: `file`, `fading` and `spread` are used.
        most: How many are wanted.
    """
    if not weights.file and weights.spread == 1:
        ranked = [(-score, at) for score, _, _, at in found]
    else:
        ranked = _with_files(found, weights)
    ranked.sort()
    return [(at, -less) for less, at in _settled(ranked, id_of, most)]


def _with_files(found: Iterable[tuple[float, int, int, int]], weights: Weights) -> list[tuple[float, int]]:
    """Add to the best node of each file what the others have, and let the others fall back."""
    of_file: dict[int, list[tuple[float, int, int]]] = {}
    for score, file, order, at in found:
        if file in of_file:
            of_file[file].append((-score, order, at))
        else:
            of_file[file] = [(-score, order, at)]
    ranked: list[tuple[float, int]] = []
    for nodes in of_file.values():
        if len(nodes) == 1:
            ranked.append(nodes[0][::2])
            continue
        nodes.sort()
        more, part = 0.0, weights.file
        for less, _, _ in nodes[1:]:
            more += part * less
            part *= weights.fading
        ranked.append((nodes[0][0] + more, nodes[0][2]))
        keeps = weights.spread
        for less, _, at in nodes[1:]:
            ranked.append((less * keeps, at))
            keeps *= weights.spread
    return ranked


def _settled(
    ranked: list[tuple[float, int]], id_of: Callable[[int], str], most: int
) -> list[tuple[float, int]]:
    """Return the first of them, those of equal score in the order of their ids."""
    end = min(most, len(ranked))
    while 0 < end < len(ranked) and ranked[end][0] == ranked[end - 1][0]:
        end += 1
    first = ranked[:end]
    if len({score for score, _ in first}) < end:
        first.sort(key=lambda one: (one[0], id_of(one[1])))
    return first[:most]
