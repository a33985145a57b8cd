"""Cases proposed from pages and from code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.evaluation.starting.proposals import propose
from rankgate.evaluation.starting.prose import CODE, sentences
from rankgate.evaluation.starting.questions import questions

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.evaluation.starting.proposals import Proposal

KEYS = """# API keys

A key says who you are.

## Rotation

If you want to replace a leaked key, call `rotate`.

## Scopes

You can restrict a key to reading with the option `scope`. Set it in the file of the key.

## See also

If you want to read about the history of keys, ask us.
"""
WEBHOOKS = """# Webhooks

## Retries

To retry a failed delivery after an hour, set `retries`.

```sh
# If you want to delete every webhook, run this
```
"""


def proposed(folder: Path, **files: str) -> list[Proposal]:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_md", ".md").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return propose(FolderCorpus.open(folder, root=folder))[0]


def test_tasks_of_readers_become_queries_and_places_of_a_page_do_not(tmp_path: Path) -> None:
    found = proposed(tmp_path, keys_md=KEYS, webhooks_md=WEBHOOKS)
    by_place = {str(case.at): case.query for case in found}
    assert by_place["keys.md#API keys/Rotation"] == "how to replace a leaked key"
    assert by_place["keys.md#API keys/Scopes"] == "how to restrict a key to reading"
    assert by_place["webhooks.md#Webhooks/Retries"] == "how to retry a failed delivery after an hour"
    assert not any("See also" in place for place in by_place)
    assert not any("delete every webhook" in query for query in by_place.values())


@pytest.mark.parametrize(
    "name",
    [
        "release-notes_md",
        "CHANGELOG_md",
        "LICENSE_md",
        "adr__0001-keys_md",
        "decisions__0001-keys_md",
        "tests__keys_md",
        "blog__posts__keys_md",
    ],
)
def test_nothing_comes_from_what_readers_do_not_look_in(name: str, tmp_path: Path) -> None:
    found = proposed(tmp_path, **{name: KEYS, "webhooks_md": WEBHOOKS})
    assert {case.at.path for case in found} == {"webhooks.md"}


def test_the_largest_and_most_linked_pages_come_first_with_two_cases_at_most(tmp_path: Path) -> None:
    def page(subject: str, *tasks: str) -> str:
        parts = (
            f"## {task.title()} a {subject}\n\n"
            f"If you want to {task} a {subject[::-1]}y {subject} of {task[::-1]}ium, call it.\n"
            for task in tasks
        )
        return f"# {subject.title()}\n\n" + "\n".join(parts)

    tasks = [
        "sort",
        "export",
        "rename",
        "archive",
        "restore",
        "encrypt",
        "paint",
        "polish",
        "weigh",
        "fold",
        "knit",
        "boil",
    ]
    things = [
        "lamp",
        "table",
        "chair",
        "window",
        "carpet",
        "candle",
        "bottle",
        "engine",
        "ladder",
        "hammer",
        "needle",
        "pillow",
    ]
    files = {f"{thing}_md": page(thing, task) for thing, task in zip(things, tasks, strict=True)}
    files["zebra_md"] = page("zebra", "feed", "groom", "saddle") + "word " * 4000
    files["a_md"] = "# A\n\nSee [them](pillow.md).\n"
    files["b_md"] = "# B\n\nSee [them](pillow.md).\n"
    found = proposed(tmp_path, **files)
    paths = [case.at.path for case in found]
    assert len(paths) == 10
    assert len(set(paths)) == 10
    assert set(paths[:2]) == {"zebra.md", "pillow.md"}
    assert found == propose(FolderCorpus.open(tmp_path, root=tmp_path))[0]
    alone = tmp_path / "alone"
    assert len(proposed(alone, zebra_md=files["zebra_md"])) == 2


def test_a_query_that_two_sections_answer_is_not_proposed(tmp_path: Path) -> None:
    text = "## {} mode\n\nIf you want to show verbose traces, set it.\n"
    found = proposed(tmp_path, a_md=text.format("Trace"), b_md=text.format("Trace"))
    assert not any("verbose traces" in case.query and case.query.startswith("how to") for case in found)


def test_no_query_only_repeats_its_heading(tmp_path: Path) -> None:
    text = "# Keys\n\n## Rotate old keys\n\nIf you want to rotate old keys, call `rotate` on the machine.\n"
    assert proposed(tmp_path, keys_md=text) == []
    # One word more is still the heading.
    assert proposed(tmp_path, keys_md=text.replace("old keys,", "old leaked keys,")) == []
    (case,) = proposed(tmp_path, keys_md=text.replace("old keys,", "old leaked keys of a cluster,"))
    assert case.query == "how to rotate old leaked keys of a cluster"


def test_docstrings_are_asked_where_there_are_no_pages(tmp_path: Path) -> None:
    code = 'def build_index():\n    """Makes the words findable by their stems."""\n\n\n'
    more = "def _hidden():\n    pass\n\n\ndef drop_all_tables():\n    pass\n"
    found = proposed(tmp_path, c_py=code + more)
    assert [(case.query, str(case.at), case.category) for case in found] == [
        ("makes the words findable by their stems", "c.py::build_index", ""),
        ("drop all tables", "c.py::drop_all_tables", "symbol"),
    ]


def test_a_file_that_cannot_be_outlined_is_left_out_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "keys.md").write_text(KEYS)
    (tmp_path / "deep.rs").write_text("mod a { " * 300 + "}" * 300)
    proposals, unread = propose(FolderCorpus.open(tmp_path, root=tmp_path))
    assert proposals
    assert list(unread) == ["deep.rs"]
    assert "nested" in unread["deep.rs"]


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("If you want to emit a custom signal, you can call send.", "how to send a custom signal"),
        ("To retrieve your additional settings, use the loader.", "how to get my extra settings"),
        ("This lets you suppress all warnings of a module.", "how to hide all warnings of a module"),
        ("It includes a class for serving files from a directory.", "how to serve files from a folder"),
        ("Adds CORS headers to outgoing responses.", "how to add CORS headers to outgoing responses"),
    ],
)
def test_a_task_is_taken_out_of_a_sentence_in_plainer_words(sentence: str, query: str) -> None:
    assert query in [each.text for each in questions(sentence, "Heading")]


@pytest.mark.parametrize(
    "sentence",
    [
        "If you want to do this, see the following section.",
        "The value that you want to send to the main thread is moved.",
        "You can call `app.run(debug=True)` to do so.",
        "It is possible to my configuration file.",
        f"If you want to add a {CODE}parent field to the tree, write it.",
    ],
)
def test_nothing_is_taken_that_points_elsewhere_or_is_no_task(sentence: str) -> None:
    assert list(questions(sentence, "Heading")) == []


def test_a_definition_is_asked_for_without_the_name() -> None:
    (found,) = questions("A lease is a promise that nobody else writes to the folder.", "Leases")
    assert found.text == "promise that nobody else writes to the folder"
    assert found.defines


def test_sentences_have_no_code_and_no_markup() -> None:
    lines = [
        ".. note:: not this",
        "",
        "Use :func:`~app.run` or **one** [link](x.md#a). See `it`_!",
        "",
        "::",
        "",
        "    not = this",
        "",
        "| a | table |",
        "- an item",
        "",
        "~~~",
        "nor this.",
        "~~~",
        "The end.",
    ]
    assert sentences(lines) == [f"Use {CODE}app.run or one link.", "See it!", "The end."]
