"""`just bench-placing`: texts of hits, changed as retrievers change them, and where they are placed.

Chroma's five corpora are cut as frameworks do (`framework_chunks.py`). Of the pieces that stand once, letters
and digits compared, so many are drawn, and each goes through ten changes, some through two at once. A text is
placed right where its first and last letter are those of the piece it was made of. Which text stands once is
told by another search than the one that is measured. Then 100,000 hits are placed in 10 MB of Django.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import random
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from markdown_it import MarkdownIt

from rankgate.model.placing import HitClass
from rankgate.truth.locations.passages import PassageIndex
from rankgate.truth.locations.placing import Placer
from support.memory_corpus import MemoryCorpus
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[1]
FRAMEWORKS = ROOT / ".fixtures" / "frameworks-venv" / "bin" / "python"
SINGLE_BAR, PAIR_BAR, SECONDS_BAR = 0.99, 0.95, 10.0
HITS, MEGABYTES = 100_000, 10
PAIRS = 5
Piece = tuple[str, int, str, int, int]
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_TITLES = (
    "Annual report 2023\n\n",
    "Handbook > Keys > Rotation: ",
    "This chunk is from the section on results, which discusses the effects of the treatment.\n",
    "docs/keys.md\n",
)


def _stripped(text: str) -> str:
    parts = []
    for token in _MARKDOWN.parse(text):
        if token.type == "inline":
            for child in token.children or ():
                parts.append(child.content if child.type in ("text", "code_inline") else "")
                parts.append("\n" if child.type in ("softbreak", "hardbreak") else "")
            parts.append("\n")
        elif token.type in ("fence", "code_block", "html_block"):
            parts.append(token.content)
    return "".join(parts)


def _quoted(text: str) -> str:
    curled = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text).replace("'", "\u2019")
    return curled.replace("--", "\u2014").replace("...", "\u2026")


CHANGES: dict[str, Callable[[str, random.Random], str]] = {
    "Markdown stripped": lambda text, _: _stripped(text),
    "white space folded": lambda text, _: " ".join(text.split()),
    "title in front": lambda text, draw: draw.choice(_TITLES) + text,
    "ellipses": lambda text, draw: draw.choice(["...", "\u2026 "]) + text + draw.choice(["...", " \u2026"]),
    "lower case": lambda text, _: text.lower(),
    "smart quotes": lambda text, _: _quoted(text),
    "NFKC": lambda text, _: unicodedata.normalize("NFKC", text),
    "truncated": lambda text, draw: text[: max(100, int(len(text) * draw.uniform(0.5, 0.95)))],
    "other newlines": lambda text, _: text.replace("\n", "\r\n"),
    "HTML to text": lambda text, _: html.unescape(re.sub(r"<[^>]+>", "", _MARKDOWN.render(text))),
}


def main() -> int:
    """Measure, and return 1 where a bar is not reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pieces", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    shared = os.environ.get("RANKGATE_SHARED_DATA")
    good = True
    if shared is None:
        print("RANKGATE_SHARED_DATA does not name the folder of real judgments and runs: Chroma is left out")
    else:
        good = _chroma(Path(shared) / "chroma" / "corpora", given.pieces, given.seed)
    return int(not (_speed(given.seed) and good))


def _chroma(folder: Path, wanted: int, seed: int) -> bool:
    texts = {one.name: one.read_text(encoding="utf-8") for one in sorted(folder.glob("*.md"))}
    index, draw = PassageIndex(texts.items()), random.Random(seed)
    pieces = _drawn(folder, texts, wanted, draw)
    single: dict[str, Counter[str]] = defaultdict(Counter)
    pairs: Counter[str] = Counter()
    for piece in pieces:
        for name in CHANGES:
            single[name][_placed(index, texts, piece, (name,), draw)] += 1
    for piece in pieces[: wanted // 5]:
        for _ in range(PAIRS):
            pairs[_placed(index, texts, piece, tuple(draw.sample(list(CHANGES), 2)), draw)] += 1
    for name, counts in single.items():
        _show(name, counts)
    together: Counter[str] = sum(single.values(), Counter())
    _show("all single changes", together)
    _show("two changes at once", pairs)
    enough = together["exact"] >= SINGLE_BAR * together.total()
    enough &= pairs["exact"] >= PAIR_BAR * pairs.total()
    return enough and not together["wrong"] and not pairs["wrong"]


def _drawn(folder: Path, texts: dict[str, str], wanted: int, draw: random.Random) -> list[Piece]:
    """Draw pieces that stand once, by a search of their letters in the letters of all documents."""
    printed = subprocess.run(
        [FRAMEWORKS, ROOT / "benchmarks" / "framework_chunks.py", folder],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    every: list[tuple[str, int, int, str, int, int]] = [
        tuple(json.loads(line)) for line in printed.splitlines()
    ]
    letters = "\0".join(map(_letters, texts.values()))
    draw.shuffle(every)
    once: list[Piece] = []
    several = 0
    for way, size, overlap, name, start, end in every:
        if len(once) == wanted:
            break
        said = _letters(texts[name][start:end])
        at = letters.find(said)
        if len(said) < 48 or letters.find(said, at + 1) >= 0:
            several += 1
        else:
            once.append((f"{way} {size}/{overlap}", size, name, start, end))
    print(f"{len(every):,} pieces; {len(once):,} drawn that stand once, {several:,} others or short")
    while len(once) < wanted:
        # Fewer than were wanted stand once: some go through the changes twice, drawn anew.
        once.append(draw.choice(once))
    return once


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in folded if one.isalnum())


def _placed(
    index: PassageIndex, texts: dict[str, str], piece: Piece, names: Sequence[str], draw: random.Random
) -> str:
    _, _, name, start, end = piece
    changed = texts[name][start:end]
    for change in names:
        changed = CHANGES[change](changed, draw)
    found = index.find(changed).passages
    if len(found) != 1:
        return "several" if found else "not placed"
    kept = [at for at in range(start, end) if texts[name][at].isalnum()]
    one = found[0]
    first = (one.path, one.start) == (name, kept[0])
    last = one.end == kept[-1] + 1 or ("truncated" in names and one.end <= kept[-1] + 1)
    if first and last:
        return "exact"
    # What a change takes away itself, such as the number of an item, is not there to be found.
    near = one.path == name and start <= one.start and one.end <= end and one.start - start < 40
    return "without what the change took away" if near and (last or end - one.end < 40) else "wrong"


def _show(name: str, counts: Counter[str]) -> None:
    total = counts.total()
    listed = ", ".join(f"{number:,} {kind}" for kind, number in counts.most_common())
    print(f"{name:24} {counts['exact'] / total:8.2%}  of {total:,}: {listed}", flush=True)


def _speed(seed: int) -> bool:
    """Place hits by their text alone, one in four changed, and print what it costs."""
    folder, draw, texts, size = unpacked("django-5.2.8"), random.Random(seed), {}, 0
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".txt", ".html", ".js") and size < MEGABYTES * 1_000_000:
            text = path.read_text(encoding="utf-8", errors="replace")
            texts[path.relative_to(folder).as_posix()] = text
            size += len(text)
    long = [name for name, text in texts.items() if len(text) > 1200]
    hits = []
    for number in range(HITS):
        text = texts[draw.choice(long)]
        start = draw.randrange(len(text) - 1000)
        piece = text[start : start + 1000]
        hits.append(piece if number % 4 else CHANGES["title in front"](piece.lower(), draw))
    table = pl.DataFrame(
        {"id": None, "path": None, "start": None, "end": None, "text": "given"},
        schema={"id": pl.String, "path": pl.String, "start": pl.Int64, "end": pl.Int64, "text": pl.String},
    )
    table = pl.concat([table] * HITS)
    began = time.perf_counter()
    placed = Placer(MemoryCorpus(texts)).place(table, hits)
    seconds = time.perf_counter() - began
    located = placed["class"].is_in([HitClass.EXACT.value, HitClass.SEVERAL.value]).sum() / HITS
    print(
        f"{HITS:,} hits of 1,000 characters in {size / 1e6:.1f} MB, one in four changed: {seconds:.1f} s "
        f"with the index, at most {SECONDS_BAR:g}; {located:.2%} located"
    )
    return seconds <= SECONDS_BAR


if __name__ == "__main__":
    sys.exit(main())
