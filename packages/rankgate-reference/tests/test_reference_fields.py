"""What of a text is code and what describes it: nothing is lost, and nothing takes long."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate_reference.lexical.fields import split_comments, split_fences
from support.timing import growth

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
def test_a_line_of_quotes_is_split_in_time_that_grows_with_it(language: str, mark: str) -> None:
    # Eight times the quotes; looking at all that follow for each would be sixty-four times.
    def split(size: int) -> None:
        split_comments(mark * (size // len(mark)), language)

    assert growth(split, 100_000, 8, enough=16) < 16
