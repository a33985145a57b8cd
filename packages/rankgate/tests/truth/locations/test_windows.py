"""Windows of bytes find where a text stands, by a plain search as the other opinion."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rankgate.truth.locations.windows import WindowIndex


def _drawn(draw: random.Random, size: int, letters: bytes) -> bytes:
    return bytes(draw.choice(letters) for _ in range(size))


@pytest.mark.parametrize("letters", [b"ab", b"abcdefgh", bytes(range(97, 123))])
def test_every_place_of_a_text_is_a_candidate(letters: bytes) -> None:
    draw = random.Random(len(letters))
    block = _drawn(draw, 400, letters)
    whole = _drawn(draw, 3000, letters) + block + _drawn(draw, 100, letters) + block
    index = WindowIndex(whole)
    for _ in range(200):
        start = draw.randrange(len(whole) - 200)
        wanted = whole[start : start + draw.randrange(24, 200)]
        found = index.candidates(wanted)
        places = {at for at in range(len(whole)) if whole.startswith(wanted, at)}
        assert found is None or places <= set(found)


def test_shifts_are_counted_as_two_loops_count_them() -> None:
    draw = random.Random(5)
    sentence = b"the api key is rotated when somebody leaves the team for good"
    whole = _drawn(draw, 500, b"abcdef") + sentence + _drawn(draw, 500, b"abcdef") + sentence[10:]
    wanted = b"a title in front" + sentence
    moved, times = WindowIndex(whole).shifts(wanted)
    places: dict[bytes, list[int]] = {}
    for at in range(len(whole) - 15):
        places.setdefault(whole[at : at + 16], []).append(at)
    every = Counter(
        at - here for here in range(len(wanted) - 15) for at in places.get(wanted[here : here + 16], [])
    )
    counted = dict(zip(moved.tolist(), times.tolist(), strict=True))
    # One window in eight is looked at, and all that is found is there.
    assert counted
    assert all(0 < number <= every[shift] for shift, number in counted.items())
    assert {500 - 16, 1000 + len(sentence) - 10 - 16} <= set(every)
    assert set(counted) <= set(every)


def test_a_window_in_more_places_than_64_says_nothing() -> None:
    sentence = b"rotate the api key every ninety days and when somebody leaves"
    moved, _ = WindowIndex(sentence * 65 + b"x").shifts(sentence)
    assert not len(moved)
    moved, times = WindowIndex(sentence * 60).shifts(sentence)
    assert len(moved) == 60
    assert times.max() == times.min() > 0
