"""Search over the pages in docs/: BM25 on sections, in plain Python. Put your own search here."""

import math
import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parent / "docs"
STOP = {"a", "all", "an", "and", "for", "how", "i", "in", "is", "it", "my", "of", "on", "the", "to", "with"}
TITLE = 3  # a word in a heading counts this often
K1, B = 1.2, 0.75


def words(text):
    found = re.findall(r"[a-z0-9]+", text.lower())
    return [re.sub(r"(ing|ed|es|s|e)$", "", word) for word in found if word not in STOP]


def sections():
    """Cut every page at its headings: path, first and last line, and how often each word is in it."""
    for page in sorted(DOCS.glob("**/*.md")):
        lines = page.read_text(encoding="utf-8").splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("#")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            text = " ".join([*[lines[start]] * TITLE, *lines[start + 1 : end]])
            yield page.relative_to(DOCS).as_posix(), start + 1, end, Counter(words(text))


SECTIONS = list(sections())
SEEN_IN = Counter(word for *_, counts in SECTIONS for word in counts)
MEAN = sum(sum(counts.values()) for *_, counts in SECTIONS) / len(SECTIONS)


def score(query, counts):
    total = 0.0
    for word in query & counts.keys():
        rarity = math.log(1 + (len(SECTIONS) - SEEN_IN[word] + 0.5) / (SEEN_IN[word] + 0.5))
        length = K1 * (1 - B + B * sum(counts.values()) / MEAN)
        total += rarity * counts[word] * (K1 + 1) / (counts[word] + length)
    return total


def search(query, k):
    """Find sections for a query, best first: dicts of path, start, end and score."""
    wanted = set(words(query))
    scored = [(score(wanted, counts), path, start, end) for path, start, end, counts in SECTIONS]
    best = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])
    return [dict(zip(("score", "path", "start", "end"), one, strict=True)) for one in best[:k]]
