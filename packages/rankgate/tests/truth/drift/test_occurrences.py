"""Every occurrence of a block is found, against looking at every line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.truth.drift.line_diff import SMALL, line_map
from rankgate.truth.drift.occurrences import MOST, Occurrences
from rankgate.truth.locations.corpus_reader import Span, split_lines
from support.memory_corpus import MemoryCorpus

FILES = st.dictionaries(
    st.sampled_from(["a", "b", "c/d"]),
    st.lists(st.sampled_from(["", "x", "y", "x ", "z"]), max_size=12).map("\n".join),
    min_size=1,
)
BLOCKS = st.lists(st.sampled_from(["", "x", "y", "x ", "nowhere"]), min_size=1, max_size=4)


@given(FILES, BLOCKS)
def test_a_block_is_found_wherever_it_stands_and_nowhere_else(
    files: dict[str, str], block: list[str]
) -> None:
    index = Occurrences(MemoryCorpus(files), block)
    found = [index.span(int(at), len(block)) for at in index.find(block)]
    expected = [
        Span(path, at + 1, at + len(block))
        for path, text in sorted(files.items())
        for at in range(len(split_lines(text)))
        if split_lines(text)[at : at + len(block)] == block
    ]
    assert found == expected


@given(FILES, BLOCKS)
def test_the_longest_run_stands_somewhere_and_no_longer_one_does(
    files: dict[str, str], block: list[str]
) -> None:
    index = Occurrences(MemoryCorpus(files), block)
    length, starts = index.longest(block, 0)
    assert list(starts) == (list(index.find(block[:length])) if length else [])
    assert length == len(block) or not len(index.find(block[: length + 1]))


def test_a_block_does_not_run_over_the_end_of_a_file() -> None:
    index = Occurrences(MemoryCorpus({"a": "x", "b": "y\n", "c": "x\ny"}), ["x", "y"])
    assert [index.span(int(at), 2) for at in index.find(["x", "y"])] == [Span("c", 1, 2)]


def test_whole_files_are_told_from_files_that_hold_the_same_lines_and_more() -> None:
    index = Occurrences(MemoryCorpus({"a": "x\ny\n", "b": "x\ny", "c": "x\ny\nz\n", "d": ""}), ["x", "y"])
    assert index.whole(["x", "y"]) == ["a", "b"]
    assert index.whole([]) == ["d"]


def test_agreement_counts_lines_outwards_to_the_first_that_differs() -> None:
    files = {"a": "1\n2\nx\n3\n4\n", "b": "1\n-\nx\n3\n-\n"}
    index = Occurrences(MemoryCorpus(files), ["1", "2", "x", "3", "4"])
    assert list(index.agreement(index.find(["x"]), 1, ["1", "2"], ["3", "4"])) == [4, 1]


def test_a_line_that_was_not_told_is_refused() -> None:
    with pytest.raises(KeyError):
        Occurrences(MemoryCorpus({"a": "x\n"}), ["x"]).find(["y"])


def test_what_is_repeated_everywhere_is_found_in_its_own_file_first_and_not_everywhere() -> None:
    files = {"a": "x\ny\n" * 3 * MOST, "b": "z\nx\ny\n"}
    index = Occurrences(MemoryCorpus(files), ["x", "y"])
    found = index.find(["x", "y"], near="b")
    assert len(found) == MOST
    assert index.span(int(found[0]), 2) == Span("b", 2, 3)


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde"), max_size=12))
def test_a_line_map_pairs_equal_lines_in_rising_order(old: list[str], new: list[str]) -> None:
    found = line_map(old, new)
    pairs = [(at, there) for at, there in enumerate(found) if there is not None]
    assert all(old[at] == new[there] for at, there in pairs)
    assert [there for _, there in pairs] == sorted({there for _, there in pairs})
    if old == new:
        assert len(pairs) == len(old)


def test_a_line_map_follows_lines_of_their_own_through_what_is_repeated() -> None:
    old = ["{", "one", "}", "{", "two", "}"]
    new = ["{", "zero", "}", "{", "one", "}", "{", "two", "}"]
    found = line_map(old, new)
    assert (found[1], found[4]) == (4, 7)


def test_repeated_lines_do_not_make_a_difference_slow() -> None:
    many = 50 * SMALL
    found = line_map(["a", *["x"] * many, "b"], ["c", *["x"] * (many + 7), "d"])
    assert found == [None] * (many + 2)
