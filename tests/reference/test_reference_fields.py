"""What of a text is code and what describes it: nothing is lost, and nothing takes long."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.reference.fields import split_comments, split_fences

PARTS = st.lists(
    st.sampled_from(
        ['"', "'", '"""', "'''", "#", "//", "/*", "*/", "\n", "\\", "`", "a b", " ", 'r"""', "```"]
    ),
    max_size=16,
).map("".join)


@given(PARTS, st.sampled_from(["python", "ruby", "go"]))
def test_every_character_of_code_is_in_one_part(text: str, language: str) -> None:
    found = "".join(split_comments(text, language))
    assert Counter(found.replace("\n", "")) == Counter(text.replace("\n", ""))


@given(PARTS)
def test_every_character_of_a_page_is_in_one_part(text: str) -> None:
    assert Counter("".join(split_fences(text))) == Counter(text)


@pytest.mark.parametrize(
    ("language", "text", "described"),
    [
        (
            "python",
            'def f():\n    """Sum up."""\n    return "#"  # at once\n',
            '    """Sum up."""\n# at once',
        ),
        ("go", 'x := "//" // said\n/* more */\n', "// said\n/* more */"),
        ("ruby", 'puts "#{1}" # said\n', "# said"),
    ],
)
def test_comments_and_docstrings_describe_code(language: str, text: str, described: str) -> None:
    assert split_comments(text, language)[1] == described


@pytest.mark.parametrize("mark", ["'", '"""', "/*", "`", "\\'"])
@pytest.mark.parametrize("language", ["python", "go"])
def test_a_line_of_a_million_quotes_is_split_soon(language: str, mark: str) -> None:
    start = time.process_time()
    split_comments(mark * (1_500_000 // len(mark)), language)
    assert time.process_time() - start < 4
