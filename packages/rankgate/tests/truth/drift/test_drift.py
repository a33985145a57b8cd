"""Each thing that can become of a place, on a few lines."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.model import Case, Location, Suite, Target
from rankgate.model.suite import Top
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from rankgate.truth.locations.corpus_reader import Span
from support.memory_corpus import MemoryCorpus, drift_of, suite_of

KEYS = "# Keys\n\nintro\n\n## Rotation\n\nrotate it\nthen revoke\n\n## Limits\n\nsixty\n"


def numbered(word: str, count: int) -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


def test_the_same_file_is_unchanged_whatever_repeats_elsewhere() -> None:
    drift = drift_of("a.md:1-2", {"a.md": "x\ny\n"}, {"a.md": "x\ny\n", "b.md": "x\ny\n", "c.md": "x\ny\n"})
    assert (drift.status, drift.location) == (DriftStatus.UNCHANGED, Location.at("a.md:1-2"))


def test_the_same_lines_in_a_file_that_changed_below_are_unchanged() -> None:
    assert drift_of("a.md:1-2", {"a.md": "x\ny\nz\n"}, {"a.md": "x\ny\nw\n"}).status is DriftStatus.UNCHANGED


def test_lines_that_stand_once_in_both_are_followed_down_their_file_and_into_another() -> None:
    down = drift_of("a.md:1-2", {"a.md": "x\ny\nz\n"}, {"a.md": "new\nx\ny\n"})
    assert (down.status, str(down.location), down.span) == (DriftStatus.MOVED, "a.md:2-3", Span("a.md", 2, 3))
    away = drift_of("a.md:1-2", {"a.md": "x\ny\nz\n"}, {"b.md": "new\nx\ny\n", "a.md": "z\n"})
    assert (away.status, str(away.location), away.stands) == (DriftStatus.MOVED, "b.md:2-3", False)


def test_nothing_is_folded_but_the_ends_of_lines() -> None:
    old = {"a.md": "x\ny one two\nz\n"}
    for changed in ("y  one two", "y one two ", "Y one two", "\ty one two"):
        drift = drift_of("a.md:2-2", old, {"a.md": f"x\n{changed}\nz\n"})
        assert drift.status is DriftStatus.EDITED, changed


def test_text_that_is_repeated_before_or_now_is_ambiguous_and_the_likely_place_comes_first() -> None:
    old = {"a.md": "top\nx\nbelow\nmore\nx\nend\n"}
    drift = drift_of("a.md:5-5", old, {"a.md": "x\nzero\nother\ntop\nx\nbelow\nmore\nx\nend\n"})
    assert drift.status is DriftStatus.AMBIGUOUS
    assert drift.why == "the same text stood in 2 locations and stands in 3 locations"
    assert [(str(one.location), one.likely, one.note) for one in drift.candidates] == [
        ("a.md:8-8", True, "5 lines around it unchanged"),
        ("a.md:1-1", False, ""),
        ("a.md:5-5", False, ""),
    ]
    assert (
        drift_of("a.md:1-1", {"a.md": "x\ny\n"}, {"a.md": "z\nx\n", "b.md": "x\n"}).status
        is DriftStatus.AMBIGUOUS
    )
    assert drift_of("a.md:1-1", {"a.md": "x\nx\n"}, {"a.md": "y\nx\n"}).status is DriftStatus.AMBIGUOUS


def test_where_surroundings_do_not_tell_none_is_likely_and_only_some_are_listed() -> None:
    drift = drift_of("a.md:2-2", {"a.md": "y\nx\n"}, {"a.md": "x\n-\n" * 9})
    assert [one.likely for one in drift.candidates] == [False] * 5
    assert drift.more == 4


def test_a_changed_line_is_an_edit_with_the_lines_it_became() -> None:
    old = {"a.py": "one\n" + numbered("x", 8) + "two\n"}
    new = {"a.py": "zero\none\n" + numbered("x", 8).replace("x 4", "x four") + "two\n"}
    drift = drift_of("a.py:2-9", old, new)
    assert (drift.status, str(drift.location), drift.why) == (
        DriftStatus.EDITED,
        "a.py:3-10",
        "7 of its 8 lines left",
    )


def test_an_inserted_line_is_an_edit_and_a_single_line_is_known_by_its_words() -> None:
    old = {"a.py": "one\n" + numbered("x", 4) + "two\n"}
    drift = drift_of(
        "a.py:2-5", old, {"a.py": "one\n" + numbered("x", 4).replace("x 2", "new\nx 2") + "two\n"}
    )
    assert (drift.status, str(drift.location), drift.why) == (
        DriftStatus.EDITED,
        "a.py:2-6",
        "other lines between its own",
    )
    line = drift_of("a.py:2-2", {"a.py": "a\ntimeout = 30\nb\n"}, {"a.py": "a\ntimeout = 60\nb\n"})
    assert (line.status, str(line.location)) == (DriftStatus.EDITED, "a.py:2-2")


def test_an_edit_that_went_to_another_file_is_suggested_there() -> None:
    old = {"a.py": numbered("x", 8), "b.py": "other\n"}
    new = {"b.py": "other\n" + numbered("x", 8).replace("x 0", "y 0") + "end\n"}
    drift = drift_of("a.py:1-8", old, new)
    assert (drift.status, str(drift.location), drift.stands) == (DriftStatus.EDITED, "b.py:3-9", False)


def test_lines_that_went_to_two_places_are_split() -> None:
    old = {"a.py": "one\n" + numbered("x", 10) + "two\n"}
    new = {"a.py": "one\n" + numbered("x", 4) + "two\n", "b.py": "".join(f"x {n}\n" for n in range(4, 10))}
    drift = drift_of("a.py:2-11", old, new)
    assert drift.status is DriftStatus.SPLIT
    assert [(str(one.location), one.note) for one in drift.candidates] == [
        ("b.py:1-6", "6 of its 10 lines"),
        ("a.py:2-5", "4 of its 10 lines"),
    ]


@pytest.mark.parametrize(("between", "status"), [(10, DriftStatus.EDITED), (11, DriftStatus.SPLIT)])
def test_pieces_with_more_lines_between_them_than_the_target_has_lie_apart(
    between: int, status: DriftStatus
) -> None:
    block = numbered("x", 10).splitlines(keepends=True)
    new = "".join([*block[:5], numbered("new", between), *block[5:]])
    assert drift_of("a.py:1-10", {"a.py": "".join(block) + "z\n"}, {"a.py": new}).status is status


def test_pieces_that_hold_less_than_four_fifths_are_no_split() -> None:
    old = {"a.py": "one\n" + numbered("x", 10) + "two\n"}
    new = {"a.py": "x 0\nx 1\nx 2\n", "b.py": "x 3\nx 4\nx 5\nx 6\n", "c.py": "z\n"}
    assert drift_of("a.py:2-11", old, new).status is not DriftStatus.SPLIT
    new["c.py"] = "x 8\nx 9\n"
    assert drift_of("a.py:2-11", old, new).status is DriftStatus.SPLIT


def test_what_nothing_is_like_is_gone() -> None:
    old = {"a.py": "one\nalpha beta\ngamma delta\ntwo\n", "b.py": "z\n"}
    text = drift_of("a.py:2-3", old, {"a.py": "one\ntwo\n", "b.py": "z\n"})
    assert (text.status, text.why, text.location) == (
        DriftStatus.GONE,
        "the text is gone, and nothing is like it",
        None,
    )
    assert drift_of("a.py:2-3", old, {"b.py": "z\n"}).why == "the file is gone, and nothing is like it"


def test_a_heading_whose_text_moved_keeps_its_name() -> None:
    drift = drift_of("keys.md#Rotation", {"keys.md": KEYS}, {"keys.md": KEYS.replace("intro", "intro\nmore")})
    assert (drift.status, str(drift.location), drift.span) == (
        DriftStatus.MOVED,
        "keys.md#Rotation",
        Span("keys.md", 6, 10),
    )
    assert drift.why == "its name still finds it"


def test_a_heading_that_went_to_another_file_is_named_there() -> None:
    new = {"keys.md": "# Keys\n\nintro\n", "rotation.md": "# Safety\n\n" + KEYS[KEYS.index("## R") :]}
    drift = drift_of("keys.md#Rotation", {"keys.md": KEYS}, new)
    assert (drift.status, str(drift.location)) == (DriftStatus.MOVED, "rotation.md#Rotation")


def test_a_name_that_is_no_longer_alone_is_written_in_full_or_as_lines() -> None:
    code = "class A:\n    def f(self):\n        return 1\n"
    other = "\n\nclass B:\n    def f(self):\n        return 2\n"
    drift = drift_of("a.py::f", {"a.py": code}, {"a.py": code + other})
    assert (drift.status, str(drift.location)) == (DriftStatus.MOVED, "a.py::A.f")
    twice = "# A\n\ntext\n\n# A\n\nother\n"
    lines = drift_of("a.md#A", {"a.md": "# A\n\ntext\n\n"}, {"a.md": twice})
    assert (lines.status, str(lines.location)) == (DriftStatus.MOVED, "a.md:1-4")


def test_a_symbol_whose_text_changed_is_edited_and_its_place_stands() -> None:
    old = "def f():\n    one = 1\n    return one\n\n\nx = 1\n"
    for new in (old.replace("one = 1", "one = 2"), old.replace("return one\n", "return one\n    one = 2\n")):
        drift = drift_of("a.py::f", {"a.py": old}, {"a.py": new})
        assert (drift.status, str(drift.location), drift.stands) == (DriftStatus.EDITED, "a.py::f", True)


def test_a_symbol_that_grew_says_where_its_old_text_stands() -> None:
    old = "def f():\n    one = 1\n    return one\n"
    new = "x = 1\ndef f():\n    one = 1\n    return one\n    # more\n    y = 2\n"
    assert drift_of("a.py::f", {"a.py": old}, {"a.py": new}).why == (
        "the name now means lines 2-6; the old text stands at a.py:2-4"
    )


def test_a_symbol_that_moved_away_is_followed_though_another_took_its_name() -> None:
    body = "def f(x):\n    y = x + 1\n    return y * 2\n"
    new = {"a.py": "from b import f as g\n\n\ndef f(x):\n    return g(x)\n", "b.py": body}
    drift = drift_of("a.py::f", {"a.py": body + "\nz = 1\n"}, new)
    assert (drift.status, str(drift.location)) == (DriftStatus.MOVED, "b.py::f")


def test_the_same_name_with_the_same_text_is_proven_though_the_text_is_repeated() -> None:
    def classes(*names: str) -> str:
        return "\n\n".join(
            f"class {name}:\n    def __str__(self):\n        return self.name\n" for name in names
        )

    drift = drift_of("a.py::B.__str__", {"a.py": classes("A", "B")}, {"a.py": classes("New", "A", "B")})
    assert (drift.status, str(drift.location), drift.span) == (
        DriftStatus.MOVED,
        "a.py::B.__str__",
        Span("a.py", 12, 13),
    )
    lines = drift_of("a.py:7-8", {"a.py": classes("A", "B")}, {"a.py": classes("New", "A", "B")})
    assert lines.status is DriftStatus.AMBIGUOUS


def test_a_renamed_symbol_is_edited_and_its_new_name_is_suggested() -> None:
    old = "def f(x):\n    y = x + 1\n    return y * 2\n\n\nz = 1\n"
    drift = drift_of("a.py::f", {"a.py": old}, {"a.py": old.replace("def f", "def g")})
    assert (drift.status, str(drift.location), drift.stands) == (DriftStatus.EDITED, "a.py::g", False)


def test_whole_files() -> None:
    text = numbered("x", 6)
    old = {"a.md": text, "b.md": "other\n"}
    assert drift_of("a.md", old, {"a.md": text}).status is DriftStatus.UNCHANGED
    assert drift_of("a.md", old, {"a.md": text + "more\n"}).status is DriftStatus.EDITED
    moved = drift_of("a.md", old, {"c/a.md": text, "b.md": "other\n"})
    assert (moved.status, str(moved.location)) == (DriftStatus.MOVED, "c/a.md")
    several = drift_of("a.md", old, {"c.md": text, "d.md": text})
    assert (several.status, [str(one.location) for one in several.candidates]) == (
        DriftStatus.AMBIGUOUS,
        ["c.md", "d.md"],
    )
    assert drift_of("a.md", {**old, "copy.md": text}, {"c.md": text}).status is DriftStatus.AMBIGUOUS
    like = drift_of("a.md", old, {"c.md": text.replace("x 0", "y"), "b.md": "other\n"})
    assert (like.status, str(like.location), like.stands) == (DriftStatus.EDITED, "c.md", False)
    assert drift_of("a.md", old, {"b.md": "other\n"}).status is DriftStatus.GONE
    assert drift_of("a.md", {"a.md": "", "b.md": "x\n"}, {"b.md": "x\n"}).status is DriftStatus.GONE


def test_records_are_their_ids() -> None:
    old = MemoryCorpus({"getUser": "a", "setUser": "b", "delete": "c", "x9": "d"}, records=True)
    new = MemoryCorpus({"getUser": "a", "setUser": "B", "delete2": "e", "new": "d"}, records=True)
    names = ["getUser", "setUser", "delete", "x9"]
    found = find_drift(suite_of(*map(Location.of_id, names)), old, new)
    assert [each.drift.status.value for each in found.locations] == ["unchanged", "edited", "gone", "gone"]
    hints = [[(str(one.location), one.note) for one in each.drift.candidates] for each in found.locations[2:]]
    assert hints == [[("delete2", "has an id like it")], [("new", "has the same text")]]
    assert found.moves == {}


def test_ids_beside_places_are_counted_and_not_checked() -> None:
    corpus = MemoryCorpus({"a.md": "x\n"})
    suite = Suite("s", (Case("c", "q", (Target(Location.of_id("7")), Target(Location.at("a.md")))),))
    found = find_drift(suite, corpus, corpus)
    assert (found.ids, len(found.locations)) == (1, 1)


def test_a_top_is_a_place_too_and_counts_once_beside_its_target() -> None:
    place = Location.at("a.md:1-1")
    case = Case("c", "q", (Target(place),), top=(Top(place), Top(Location.at("a.md:2-2"))))
    found = find_drift(
        Suite("s", (case,)), MemoryCorpus({"a.md": "x\ny\n"}), MemoryCorpus({"a.md": "0\nx\ny\n"})
    )
    assert {str(old): str(new) for old, new in found.moves.items()} == {
        "a.md:1-1": "a.md:2-2",
        "a.md:2-2": "a.md:3-3",
    }
    assert len(found.locations) == 2


def test_places_that_are_not_in_the_old_corpus_are_refused_all_at_once() -> None:
    corpus = MemoryCorpus({"a.md": "x\n"})
    with pytest.raises(InputError) as caught:
        find_drift(suite_of("a.md:5-6", "b.md", "a.md:1-1"), corpus, corpus)
    assert [problem.found for problem in caught.value.problems] == ["'a.md:5-6'", "'b.md'"]
    records = MemoryCorpus({"a": "x"}, records=True)
    with pytest.raises(InputError, match="a record of the corpus"):
        find_drift(suite_of(Location.of_id("b")), records, records)


def test_a_copy_that_was_always_elsewhere_is_no_survivor() -> None:
    copy = "".join(f"x {number}\n" for number in range(6))
    old = {"a.py": f"one\n{copy}own line\ntwo\n", "b.py": copy}
    assert drift_of("a.py:2-8", old, {"a.py": "one\ntwo\n", "b.py": copy}).status is DriftStatus.GONE


def test_a_section_that_lost_half_of_its_lines_to_another_file_is_split_though_its_name_stands() -> None:
    steps = [f"step {number}\n" for number in range(8)]
    old = {"a.md": "# Steps\n\n" + "".join(steps)}
    new = {"a.md": "# Steps\n\n" + "".join(steps[:4]), "b.md": "# More\n\n" + "".join(steps[4:])}
    drift = drift_of("a.md#Steps", old, new)
    assert (drift.status, drift.stands) == (DriftStatus.SPLIT, True)
    assert [str(one.location) for one in drift.candidates] == ["a.md#Steps", "b.md:3-6"]


def test_one_line_of_its_own_that_the_file_keeps_tells_the_place() -> None:
    old = {"a.py": "one\nalpha\nbeta\nkept for good\ngamma\ndelta\ntwo\n"}
    new = {"a.py": "one\nn1\nn2\nn3\nn4\nkept for good\nn5\nn6\nn7\ntwo\n"}
    drift = drift_of("a.py:2-6", old, new)
    assert (drift.status, str(drift.location), drift.why) == (
        DriftStatus.EDITED,
        "a.py:2-9",
        "1 of its 5 lines left",
    )


def test_the_likely_place_of_text_that_is_repeated_without_end_is_in_its_own_file() -> None:
    old = {"a.md": "x\n" * 1500, "z.md": "before\nx\nbehind\n"}
    drift = drift_of("z.md:2-2", old, {**old, "z.md": "new\nbefore\nx\nbehind\n"})
    assert (str(drift.candidates[0].location), drift.candidates[0].likely) == ("z.md:3-3", True)
    assert drift.why.endswith("stands in 1000 locations or more")


def test_text_without_a_written_line_proves_nothing() -> None:
    for text in ("", "\n", " \n\t\n"):
        old = {"empty.txt": text, "a.md": "x\n"}
        renamed = drift_of("empty.txt", old, {"other.txt": text, "a.md": "x\n"})
        assert (renamed.status, renamed.location) == (DriftStatus.AMBIGUOUS, None), text
        assert renamed.why == "the file had no text, so nothing tells where it went"
        assert drift_of("empty.txt", old, {"a.md": "x\n"}).status is DriftStatus.GONE
        assert drift_of("empty.txt", old, {"empty.txt": text, "b.md": "y\n"}).status is DriftStatus.UNCHANGED
    lines = drift_of("a.md:2-3", {"a.md": "x\n\n\ny\n"}, {"a.md": "new\nx\n\n\ny\n"})
    assert (lines.status, lines.why) == (
        DriftStatus.AMBIGUOUS,
        "the lines are blank, so nothing tells where they went",
    )
    assert drift_of("a.md:2-3", {"a.md": "x\n\n\ny\n"}, {"a.md": "new\nx\ny\n"}).status is DriftStatus.GONE


def test_a_record_without_a_text_is_not_like_another_one() -> None:
    old, new = (MemoryCorpus({name: "", "kept": "x"}, records=True) for name in ("first", "zzz"))
    (found,) = find_drift(suite_of(Location.of_id("first")), old, new).locations
    assert (found.drift.status, found.drift.candidates) == (DriftStatus.GONE, ())
