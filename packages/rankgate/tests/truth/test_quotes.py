"""A quote is found by its words, to the character."""

from __future__ import annotations

import pytest

from rankgate.locations import Location
from rankgate.model import Case, Suite, Target, Top
from rankgate.truth.lookup import Lookup, Miss, MissReason, Spot
from rankgate.truth.resolve import resolve
from support.memory_corpus import MemoryCorpus

KEYS = """\
# Keys

Rotate the **API key** every [90 days](ttl.md), and when somebody leaves. Tell the team the day before (mail).

## Copies

See the table of all keys below.
See the table of all keys below.
"""
OTHER = "# Other\n\nSee the table of all keys below!\n\nThe old key is valid for an hour more.\n"
CORPUS = MemoryCorpus({"keys.md": KEYS, "other.md": OTHER})


def found(quote: str, path: str | None = None, start_char: int | None = None) -> Spot:
    spot = Lookup(CORPUS).find(Location.of_quote(quote, path, start_char))
    assert isinstance(spot, Spot)
    return spot


@pytest.mark.parametrize(
    ("quote", "text", "line"),
    [
        ("Tell the team the day before (mail).", "Tell the team the day before (mail).", 3),
        ("(mail)", "(mail)", 3),
        (
            "rotate the API key every 90 days, and when somebody leaves.",
            "Rotate the **API key** every [90 days](ttl.md), and when somebody leaves.",
            3,
        ),
        ("Somebody  leaves.\nTell the team", "somebody leaves. Tell the team", 3),
        ("# Keys", "# Keys", 1),
        ("before (mail).\n\n## Copies", "before (mail).\n\n## Copies", 3),
    ],
)
def test_the_characters_are_those_of_the_passage(quote: str, text: str, line: int) -> None:
    spot = found(quote)
    assert KEYS[spot.start_char : spot.end_char] == text
    assert (spot.path, spot.start, spot.strategy) == ("keys.md", line, "quote")
    assert spot.end == line + text.count("\n")


def test_of_copies_those_that_are_the_same_word_for_word_count() -> None:
    spot = found("See the table of all keys below.")
    assert [(one.path, one.start) for one in spot.every] == [("keys.md", 7), ("keys.md", 8)]
    assert [(one.path, one.start) for one in found("see the table of all keys below").every] == [
        ("keys.md", 7),
        ("keys.md", 8),
        ("other.md", 3),
    ]


def test_a_path_or_a_character_says_which_copy_is_meant() -> None:
    (one,) = found("see the table of all keys below", "other.md").every
    assert (one.path, one.start) == ("other.md", 3)
    second = KEYS.rindex("See the table")
    assert found("See the table of all keys below.", "keys.md", second - 3).start_char == second
    assert found("See the table of all keys below.", None, 0).start_char == KEYS.index("See the table")


def test_a_character_says_which_of_any_number_of_copies_is_meant() -> None:
    line = "The table below has the keys of all teams.\n"
    lookup = Lookup(MemoryCorpus({"a.md": line * 200}))
    for wanted, number in ((0, 0), (150 * len(line) + 3, 150), (10**6, 199), (len(line) - 1, 1)):
        spot = lookup.find(Location.of_quote(line, "a.md", wanted))
        assert isinstance(spot, Spot)
        place = (spot.start_char, spot.end_char, spot.start, spot.end)
        assert place == (number * len(line), number * len(line) + len(line) - 1, number + 1, number + 1)


def test_a_passage_of_which_most_stands_is_found_by_that() -> None:
    spot = found(
        "As we said: Rotate the API key every 90 days, and, I think, when somebody leaves. Tell the team!"
    )
    assert KEYS[spot.start_char : spot.end_char].startswith("Rotate the **API key** every [90 days]")
    assert 0.5 <= spot.share < 1


@pytest.mark.parametrize(
    ("location", "why", "said"),
    [
        (Location.of_quote("Nobody wrote this sentence."), MissReason.NO_QUOTE, ""),
        (
            Location.of_quote("The old key is valid for an hour more.", "keys.md"),
            MissReason.NO_QUOTE,
            "it stands in other.md: correct its path",
        ),
        (
            Location.of_quote("See the table of all keys below.", "lost.md"),
            MissReason.NO_FILE,
            "did you mean other.md?",
        ),
    ],
)
def test_what_is_not_there_is_told(location: Location, why: MissReason, said: str) -> None:
    lookup = Lookup(CORPUS)
    miss = lookup.find(location)
    assert isinstance(miss, Miss)
    assert miss.why is why
    assert lookup.explain(location, miss)[2] == said


def test_more_than_five_copies_ask_for_a_path() -> None:
    corpus = MemoryCorpus({f"{at}.md": "The same words stand in this file.\n" for at in range(6)})
    lookup, quote = Lookup(corpus), Location.of_quote("The same words stand in this file.")
    miss = lookup.find(quote)
    assert isinstance(miss, Miss)
    assert lookup.explain(quote, miss) == (
        "'\"The same words stand in this file.\"', which stands in 6 locations of 6 files",
        "a passage that stands in five locations at most",
        "name its path, or quote more of it, or say where it begins by start_char",
    )
    assert isinstance(lookup.find(Location.of_quote(str(quote.quote), "3.md")), Spot)


def test_copies_are_alternatives_of_one_group() -> None:
    quote = Location.of_quote("See the table of all keys below.")
    alone = Case("alone", "a", (Target(Location.at("other.md")), Target(quote, 2.0)), top=(Top(quote, 3),))
    grouped = Case(
        "grouped", "b", (Target(quote, group="any-1"), Target(Location.at("other.md"), group="any-1"))
    )
    truth = resolve(Suite("s", (alone, grouped)), CORPUS)
    rows = truth.judgments.targets.select("query", "group", "grade", "start", "start_char").rows()
    first, second = KEYS.index("See the"), KEYS.rindex("See the")
    assert rows == [
        ("alone", None, 1.0, None, None),
        ("alone", "quote-2", 2.0, 7, first),
        ("alone", "quote-2", 2.0, 8, second),
        ("grouped", "any-1", 1.0, 7, first),
        ("grouped", "any-1", 1.0, 8, second),
        ("grouped", "any-1", 1.0, None, None),
    ]
    (top,) = truth.tops["alone"]
    assert [place.start_char for place in (top, *top.copies)] == [first, second]


def test_two_passages_of_one_line_are_two_targets() -> None:
    targets = [
        Target(Location.of_quote(text)) for text in ("when somebody leaves.", "Tell the team the day before")
    ]
    judgments = resolve(Suite("s", (Case("a", "a", tuple(targets)),)), CORPUS).judgments
    assert judgments.targets["start"].to_list() == [3, 3]
    assert judgments.notes == ()


def test_a_record_is_found_by_its_words() -> None:
    corpus = MemoryCorpus(
        {"doc-1": "Keys rotate every 90 days.", "doc-2": "Hooks are retried."}, records=True
    )
    spot = Lookup(corpus).find(Location.of_quote("Keys rotate every 90 days"))
    assert isinstance(spot, Spot)
    assert (spot.id, spot.path, spot.start_char) == ("doc-1", None, None)
