"""Slips of the keyboard: one letter wrong, missing or added, or two neighbours swapped."""

from __future__ import annotations


def one_slip(one: str, other: str) -> bool:
    """Tell whether two words are one slip apart: a Damerau-Levenshtein distance of 1.

    >>> one_slip("rotate", "rotaet"), one_slip("rotate", "rotates"), one_slip("rotate", "rotate")
    (True, True, False)
    """
    if one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])


def shortened(word: str) -> set[str]:
    """Give a word with each letter left out, and whole: words one slip apart have one of these in common.

    >>> sorted(shortened("abc"))
    ['ab', 'abc', 'ac', 'bc']
    """
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
