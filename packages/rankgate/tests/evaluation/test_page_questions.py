"""Which questions of pages are good: they name their subject, and one section shows the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.evaluation.starting.pages import is_asked_for
from rankgate.evaluation.starting.proposals import places_to_ask_for, propose
from rankgate.evaluation.starting.questions import questions
from rankgate.evaluation.starting.subjects import subjects

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = "\n```\nrun()\n```\n"


def asked(folder: Path, **pages: str) -> dict[str, str]:
    """Return the proposed queries by their targets."""
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text)
    return {str(case.at): case.query for case in propose(FolderCorpus.open(folder, root=folder))[0]}


def test_a_question_without_its_subject_gets_the_end_of_its_heading(tmp_path: Path) -> None:
    said = "You can specify a Latin codepage encoding by hand."
    found = asked(tmp_path, a=f"# Settings\n\n## Custom encoding for secret files\n\n{said}\n{SHOWN}")
    assert set(found.values()) == {"how to set a Latin codepage encoding for secret files"}


def test_a_question_without_its_subject_gets_that_of_its_page(tmp_path: Path) -> None:
    denial = (
        f"# Web sockets\n\n## Denial\n\nIf you want to send a different error response, call it.\n{SHOWN}"
    )
    other = (
        "# Views\n\nViews speak to web sockets.\n\n## Errors\n\nWeb sockets are beside an error response.\n"
    )
    found = asked(tmp_path, sockets=denial, views=other)
    assert found["sockets.md#Web sockets/Denial"] == "how to send a different error response in web sockets"


def test_a_question_that_names_its_subject_stays_as_it_is(tmp_path: Path) -> None:
    text = f"# Terminals\n\n## Screen clearing\n\nTo clear the terminal screen of noise, call it.\n{SHOWN}"
    assert list(asked(tmp_path, terminals=text).values()) == ["how to clear the terminal screen of noise"]


def test_titles_become_phrases_and_empty_ones_none() -> None:
    titles = ["Testing Click Applications", "Overview", "Capture modes"]
    assert list(subjects("a.md", titles, frozenset({"Click"}))) == ["when testing Click applications"]
    assert list(subjects("tasks.md", ["Background Tasks with Celery", "Results"], frozenset({"Celery"}))) == [
        "with Celery"
    ]
    assert list(subjects("index.md", ["`capture` = 1"])) == []


def test_a_section_that_only_mentions_a_task_is_not_asked_for(tmp_path: Path) -> None:
    text = "# Caches\n\n## Storage\n\nThere is some. You can develop a backend for slow caches.\n"
    assert asked(tmp_path, caches=text) == {}
    found = asked(tmp_path, caches=text + SHOWN)
    assert list(found.values()) == ["how to develop a backend for slow caches"]


def test_a_name_of_an_example_is_not_asked_for(tmp_path: Path) -> None:
    said = "To make a nested loader with the {} part, call it."
    text = f"# Loaders\n\n## Nested loaders\n\n{said}\n\n```\n{{}}()\n```\n"
    other = "# Shapes\n\n" + "".join(f"## Shape {word}\n\nIt is a header.\n\n" for word in ("a", "b", "c"))
    assert asked(tmp_path, loaders=text.format("footer", "footer"), shapes=other) == {}
    found = asked(tmp_path, loaders=text.format("header", "header"), shapes=other)
    assert list(found.values()) == ["how to make a nested loader with the header part"]


def test_a_question_that_another_section_answers_better_is_not_proposed(tmp_path: Path) -> None:
    said = "If you want to share secret tokens during a request, call it."
    passing = f"# Extensions\n\n## Secret tokens\n\n{said}\n{SHOWN}"
    title = "Share secret tokens during a request"
    better = f"# Requests\n\n## {title}\n\nSecret tokens of a request: share tokens.\n"
    alone = asked(tmp_path, extensions=passing)
    assert list(alone) == ["extensions.md#Extensions/Secret tokens"]
    assert asked(tmp_path, extensions=passing, requests=better) == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "See the testing page for how to test your custom commands.",
        "It can be used to share access with many threads, as you saw in chapter two.",
        "If you want to control the output in various aspects, call it.",
        "If you want to rotate keys and delete old accounts, call it.",
        "If you want to pass a function used for normalizing tokens, call it.",
        "If you want to determine whether loops are fast, call it.",
        "There are a few methods for returning the body of the request.",
        "Routing automatically orders all routes by complexity.",
        "The tasks schedules uses the time zone of the machine.",
        "If you want to track the hours since the last restart, call it.",
    ],
)
def test_what_is_no_single_task_of_a_reader_is_not_asked(sentence: str) -> None:
    assert list(questions(sentence, "Routing tasks")) == []


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("Background tasks should be attached to a response.", "how to add background tasks to a response"),
        ("In some cases you might want to sort the stored keys.", "how to sort the stored keys"),
        ("Used to initiate a push for a resource.", "how to initiate a push for a resource"),
        ("If you want to reduce noise of logs considerably, call it.", "how to reduce noise of logs"),
        ("You can add a generic part to the sheet.", "how to add a part to the sheet"),
        ("If you want to add an arbitrary part to a sheet, call it.", "how to add a part to a sheet"),
        (
            "Dispatching is the process of combining several apps on a level.",
            "how to combine several apps on a level",
        ),
        ("You can enable the server to write large files.", "how to enable the server to write large files"),
    ],
)
def test_other_ways_to_name_a_task_are_understood(sentence: str, query: str) -> None:
    assert query in [each.text for each in questions(sentence, "Dispatching")]


def test_pages_for_those_who_work_on_the_project_have_no_questions() -> None:
    paths = [
        "development/keys.md",
        "specs/keys.md",
        "internals/keys.md",
        "glossary.md",
        "guide/development.md",
    ]
    assert [path for path in paths if is_asked_for(path)] == ["guide/development.md"]


def test_terse_pages_have_no_proposals_and_their_sections_are_offered(tmp_path: Path) -> None:
    text = "# Parcels\n\n## Creating\n\nA parcel has a name.\n"
    assert asked(tmp_path, parcels=text) == {}
    corpus = FolderCorpus.open(tmp_path, root=tmp_path)
    assert [str(place) for place in places_to_ask_for(corpus)] == ["parcels.md#Parcels/Creating"]
