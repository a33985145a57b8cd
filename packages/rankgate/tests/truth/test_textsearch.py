"""Texts find their place whatever was done to them, or are said to have none; never a wrong one."""

from __future__ import annotations

import html
import random
import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.truth.textsearch import COPIES, LEAST, TextIndex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECTION = """\
# Keys

## Rotation

Rotate the **API key** every [90 days](ttl.md#days), and whenever somebody “leaves” the team; the old key
works for 24 hours more, so that no request fails while the new one is rolled out to all services.

1. Make a new key with `keys create`.
2. Put it where the service reads it.

```python
def rotate(key: Key) -> Key:
    return key.replaced(after=HOURS)
```

| plan | keys |
|---|---|
| free | 2 |
| team | 20, of which 5 may be café-scoped |
"""
OTHER = (
    "# Webhooks\n\nA webhook that fails is tried again after 10 seconds, then after a minute, and so on.\n"
)
INDEX = TextIndex([("webhooks.md", OTHER), ("keys.md", SECTION)])
WHOLE = SECTION[SECTION.index("Rotate the") : SECTION.index("services.") + len("services")]
LIST = SECTION[SECTION.index("Make a new") : SECTION.index("reads it") + len("reads it")]


def plain(text: str) -> str:
    return re.sub(r"\]\([^)]*\)|[*`\[]", "", text)


CHANGES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "folded": lambda text: " ".join(text.split()),
    "without Markdown": plain,
    "in lower case": str.lower,
    "in upper case": str.upper,
    "with ellipses": lambda text: f"... {text} …",
    "with a title": lambda text: f"Keys and rotation\n\n{text}",
    "with breadcrumbs": lambda text: f"Handbook > Security > API keys: {text}",
    "with its path": lambda text: f"docs/keys.md\n{text}",
    "with metadata": lambda text: f"[Excerpt from document]\nfile: keys.md\nExcerpt:\n-----\n{text}\n-----",
    "with line numbers": lambda text: "\n".join(
        f"{n:>4}: {line}" for n, line in enumerate(text.split("\n"), 5)
    ),
    "as grep prints it": lambda text: "\n".join(
        f"keys.md:{n}:{line}" for n, line in enumerate(text.split("\n"), 5)
    ),
    "marked by a search": lambda text: text.replace("key", "<em>key</em>"),
    "escaped": lambda text: html.escape(text.replace("more", "> more")),
    "with other quotes": lambda text: text.replace("“", '"').replace("”", '"'),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "with soft hyphens": lambda text: text.replace("services", "ser\u00advices"),
    "hyphenated": lambda text: text.replace("services", "ser-\nvices").replace("whenever", "when-\never"),
    "with other newlines": lambda text: text.replace("\n", "\r\n"),
    "with a word changed": lambda text: text.replace("whenever", "as soon as"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_text_finds_its_place_whatever_was_done_to_it(change: str) -> None:
    found = INDEX.find(CHANGES[change](WHOLE))
    (one,) = found.passages
    assert (one.path, SECTION[one.start : one.end]) == ("keys.md", WHOLE)
    assert (one.lines.start, one.lines.end) == (5, 6)
    assert found.share > 0.6


@pytest.mark.parametrize("change", ["as it is", "without Markdown", "in lower case", "with a title"])
def test_the_numbers_of_items_may_be_gone(change: str) -> None:
    (one,) = INDEX.find(re.sub(r"(?m)^\d\. ", "- ", CHANGES[change](LIST))).passages
    assert SECTION[one.start : one.end] == LIST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "\0",
        "\ud800 lone surrogates are nowhere \udfff",
        "a sentence that this documentation does not have anywhere, about nothing in particular at all",
        "Rotate the API key every year and never tell anybody about it, since nobody should know",
        "a" * 300_000,
        "<" * 50_000,
        "1:\n" * 20_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_what_stands_nowhere_has_no_place(text: str) -> None:
    assert INDEX.find(text).passages == ()


def test_copies_are_counted_and_the_one_that_is_word_for_word_the_same_comes_first() -> None:
    said = "The limit is (at most) 100 requests a minute for each key."
    upper = said.upper()
    index = TextIndex([("a.md", said), ("b.md", f"x\n{said}\n"), ("c.md", upper)])
    assert [one.path for one in index.find(said).passages] == ["a.md", "b.md", "c.md"]
    assert [one.path for one in index.find(upper).passages] == ["c.md"]
    assert [one.path for one in index.find(said.title(), "b.md").passages] == ["b.md"]
    many = TextIndex((f"{n}.md", said) for n in range(100))
    assert len(many.find(said).passages) == COPIES + 1


def test_a_title_that_another_document_has_does_not_win_over_the_text() -> None:
    title = "How failed webhooks are tried again, and when they are given up for good"
    index = TextIndex([("titles.md", f"# {title}\n\nSomething else."), ("keys.md", SECTION)])
    (one,) = index.find(f"{title}\n\n{WHOLE}").passages
    assert SECTION[one.start : one.end] == WHOLE


WORDS = (
    "key",
    "rotate",
    "the",
    "team",
    "a",
    "limit",
    "request",
    "failed",
    "10",
    "naïve",
    "ﬁle",
    "钥匙",
    "x_1",
)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_drawn_texts_are_where_they_were_cut_from_or_in_several_places(
    seeds: list[int], rng: random.Random
) -> None:
    documents = {f"{n}.md": _document(seed) for n, seed in enumerate(seeds)}
    path = rng.choice(sorted(documents))
    text = documents[path]
    start = rng.randrange(len(text))
    end = min(len(text), start + rng.randrange(40, 400))
    wanted = text[start:end]
    changed = CHANGES[rng.choice(["folded", "in lower case", "with ellipses", "with other newlines"])](wanted)
    found = TextIndex(documents.items()).find(changed)
    kept = [at for at in range(start, end) if text[at].isalnum()]
    if sum(len(text[at].encode()) for at in kept) < 2 * LEAST:
        return
    passages = [(one.path, one.start, one.end) for one in found.passages]
    copies = sum(_letters(wanted) in _letters(one) for one in documents.values())
    assert found.share == 1
    assert len(passages) > COPIES or (path, kept[0], kept[-1] + 1) in passages
    assert len(passages) >= min(copies, COPIES)


def _document(seed: int) -> str:
    rng = random.Random(seed)
    return "".join(
        rng.choice(WORDS) + rng.choice((" ", " ", ", ", "\n", ". ", "\n\n## ")) for _ in range(300)
    )


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in folded if one.isalnum())


def test_chunks_of_real_documents_find_their_place(shared_data: Path) -> None:
    rng = random.Random(7)
    texts = {
        one.name: one.read_text(encoding="utf-8") for one in (shared_data / "chroma" / "corpora").glob("*.md")
    }
    index = TextIndex(texts.items())
    placed = asked = 0
    for _ in range(300):
        path, size = rng.choice(sorted(texts)), rng.choice((800, 1600, 3200))
        start = rng.randrange(len(texts[path]) - size)
        chunk = texts[path][start : start + size]
        if len(index.find(chunk).passages) != 1:
            continue
        for change in (
            "folded",
            "in lower case",
            "with ellipses",
            "with a title",
            "with breadcrumbs",
            "decomposed",
        ):
            found = index.find(CHANGES[change](chunk)).passages
            kept = [at for at in range(start, start + size) if texts[path][at].isalnum()]
            asked += 1
            if len(found) == 1:
                assert (found[0].path, found[0].start, found[0].end) == (path, kept[0], kept[-1] + 1), change
                placed += 1
    assert asked > 1000
    assert placed >= 0.99 * asked


def test_a_title_that_ends_as_one_copy_begins_does_not_choose_between_copies() -> None:
    said = "Goodwill is what was paid above the sum of what was taken over, less what is owed to others. " * 3
    text = f"In the year 2023\n\n{said}\n\nFurther figures are below.\n\n{said}\n"
    found = TextIndex([("finance.md", text)]).find(f"Annual report 2023\n\n{said}"[:-20])
    assert len(found.passages) == 2
