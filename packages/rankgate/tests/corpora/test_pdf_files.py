"""PDF in a corpus is text by pages, and what cannot be read is counted and takes nobody with it."""

from __future__ import annotations

import io
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.evaluation.flow import evaluate
from rankgate.model import CorpusSource, ExitCode
from rankgate.model.locations import Location
from rankgate.model.placing import HitClass
from rankgate.model.search import Hit
from rankgate.outline import pdf as pdf_reading
from rankgate.suites.formats import load_suite
from rankgate.systems.adapter.mapping import Mapper, MappingRules
from rankgate.truth.locations.lookup import Lookup, Miss, Spot
from rankgate.truth.locations.placing import Placer
from rankgate.truth.locations.resolve import resolve
from support.pdf_files import bomb, endless_tree, pdf, pdf_of_streams

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.model import Suite

PAGES = (
    "The manual of keys\nRead it first.",
    "Rotation\nRotate the key when people leave the team.\nThe last sentence of this page goes on",
    "on the page that follows it, and ends there.\nExpiry: keys expire after ninety days.",
)
SUITE = """corpus: {folder: pages/, pdf: true}
gates: [rr@5 >= 1]
cases:
  - {query: rotate, at: manual.pdf#page=2}
  - {query: expiry, at: manual.pdf#page=3}
"""


def corpus_of(folder: Path, **files: bytes) -> FolderCorpus:
    """Write files, of which the last part of the name is the ending, beside one of text."""
    (folder / "pages").mkdir()
    (folder / "pages" / "readme.md").write_text("# Read me\n")
    for name, data in files.items():
        (folder / "pages" / f"{name}.pdf").write_bytes(data)
    return FolderCorpus.open(folder / "pages", root=folder, pdf=True)


def suite_on(target: str, folder: Path) -> Suite:
    (folder / "s.yaml").write_text(f"corpus: pages/\ncases: [{{query: x, at: '{target}'}}]\n")
    return load_suite(folder / "s.yaml")


def test_a_pdf_is_text_with_a_section_for_each_page(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, manual=pdf(*PAGES))
    lines = corpus.text("manual.pdf").split("\n")
    assert corpus.notes == ()
    assert corpus.lines("manual.pdf") == len(lines) - 1
    for number, page in enumerate(PAGES, 1):
        spot = Lookup(corpus).find(Location.at(f"manual.pdf#page={number}"))
        assert isinstance(spot, Spot)
        assert spot.start is not None
        assert spot.end is not None
        assert "\n".join(lines[spot.start - 1 : spot.end]) == page
    assert isinstance(Lookup(corpus).find(Location.at("manual.pdf#page=4")), Miss)


HITS: dict[str, tuple[Hit, int]] = {
    "an id with a page": (Hit("manual.pdf#page=2"), 2),
    "a path with a page": (Hit(path="manual.pdf#page=3"), 3),
    "the text of a page": (Hit(text="Rotate the key when people leave the team."), 2),
    "a path and the text": (Hit(path="manual.pdf", text="Expiry: keys expire after ninety days."), 3),
}


@pytest.mark.parametrize("name", HITS)
def test_hits_are_placed_on_their_page(tmp_path: Path, name: str) -> None:
    hit, page = HITS[name]
    corpus = corpus_of(tmp_path, manual=pdf(*PAGES), other=pdf("Another manual.", "Nothing of keys."))
    spot = Lookup(corpus).find(Location.at(f"manual.pdf#page={page}"))
    [placed] = Placer(corpus).place_hits([hit])
    assert isinstance(spot, Spot)
    assert (placed.hit_class, placed.path) == (HitClass.EXACT, "manual.pdf")
    assert placed.start is not None
    assert placed.end is not None
    assert (spot.start or 0) <= placed.start <= placed.end <= (spot.end or 0)


def test_a_passage_goes_on_from_one_page_to_the_next(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, manual=pdf(*PAGES))
    said = "The last sentence of this page goes on on the page that follows it, and ends there."
    [placed] = Placer(corpus).place_hits([Hit(text=said)])
    shown = corpus.text("manual.pdf")[placed.start_char : placed.end_char]
    assert placed.hit_class is HitClass.EXACT
    assert shown.split("\n") == [
        "The last sentence of this page goes on",
        pdf_reading.PAGE_BREAK,
        "on the page that follows it, and ends there",
    ]


def test_a_page_number_of_a_server_becomes_a_location_by_its_fields() -> None:
    rules = MappingRules(fields={"id": "join('#page=', [meta.file, to_string(meta.page)])"})
    answer = b'[{"meta": {"file": "manual.pdf", "page": 2}}]'
    assert Mapper(rules, "app").mapped(answer, k=5).ranking.hits == (Hit("manual.pdf#page=2"),)


@pytest.mark.parametrize("name", ["id", "text"])
def test_a_suite_on_pages_is_tested_from_end_to_end(tmp_path: Path, name: str) -> None:
    corpus_of(tmp_path, manual=pdf(*PAGES))
    (tmp_path / "s.yaml").write_text(SUITE)
    pages = {"rotate": 2, "expiry": 3}

    def search(query: str, _k: int) -> list[dict[str, str]]:
        at = pages[query]
        return [{"id": f"manual.pdf#page={at}"} if name == "id" else {"text": PAGES[at - 1].split("\n")[1]}]

    found = evaluate(load_suite(tmp_path / "s.yaml"), search)
    assert (found.exit_code, found["rr@5"]) == (ExitCode.PASSED, 1.0)
    wrong = evaluate(load_suite(tmp_path / "s.yaml"), lambda _query, _k: ["manual.pdf#page=1"])
    assert wrong["rr@5"] == 0.0


def encrypted() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(*PAGES))))
    writer.encrypt("a secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


UNREADABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "no PDF": (lambda: b"This is no PDF.", ""),
    "nothing": (lambda: b"", ""),
    "encrypted": (encrypted, "it is encrypted"),
    "pictures alone": (lambda: pdf_of_streams(b"0 0 m 10 10 l S"), "it has no text, only pictures"),
    "a tree without an end": (endless_tree, ""),
    "a bomb": (lambda: bomb(300), ""),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_counted_and_said_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    make, why = UNREADABLE[name]
    corpus = corpus_of(tmp_path, bad=make(), manual=pdf(*PAGES))
    assert corpus.paths() == ("manual.pdf", "readme.md")
    assert corpus.notes == ("1 PDF files that could not be read skipped",)
    assert corpus.skipped["bad.pdf"].startswith(f"not readable as PDF ({why}")
    with pytest.raises(InputError, match=r"bad[.]pdf.*it is there but not readable as PDF"):
        resolve(suite_on("bad.pdf#page=1", tmp_path), corpus)


def test_a_pdf_that_takes_too_long_is_given_up_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = pdf_of_streams(b"BT /F1 12 Tf " + b"(word) Tj 1 0 0 1 5 5 Tm " * 400_000 + b"ET")
    monkeypatch.setattr(pdf_reading, "_SECONDS", 0.3)
    monkeypatch.setattr(pdf_reading, "_SECONDS_A_MEGABYTE", 0.0)
    begun = time.monotonic()
    corpus = corpus_of(tmp_path, a_slow=slow)
    assert time.monotonic() - begun < 60
    assert corpus.skipped["a_slow.pdf"] == "not readable as PDF (it takes too much time or memory)"
    monkeypatch.undo()
    assert pdf_reading.pdf_text(pdf("Read.")) == "Read.\n"


def test_without_the_extra_the_corpus_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_reading, "find_spec", lambda _name: None)
    with pytest.raises(InputError, match=r"needs an extra.*pip install 'rankgate\[pdf\]'"):
        corpus_of(tmp_path, manual=pdf(*PAGES))


def test_pdf_is_left_out_where_nobody_asks_for_it_so_that_no_fingerprint_depends_on_an_extra(
    tmp_path: Path,
) -> None:
    with_pdf = corpus_of(tmp_path, manual=pdf(*PAGES) + b"\0")
    without = FolderCorpus.open(tmp_path / "pages", root=tmp_path)
    assert (with_pdf.paths(), without.paths()) == (("manual.pdf", "readme.md"), ("readme.md",))
    assert without.notes == ("1 binary files skipped",)
    assert with_pdf.fingerprint != without.fingerprint


def test_a_folder_says_true_or_false(tmp_path: Path) -> None:
    corpus_of(tmp_path, manual=pdf(*PAGES))
    for said, files in (("true", 2), ("false", 1)):
        source = CorpusSource("pages", "folder", {"pdf": said})
        (tmp_path / "pages" / "manual.pdf").write_bytes(pdf(*PAGES) + b"\0")
        assert len(open_source(source, OpenContext(tmp_path, tmp_path))) == files
    with pytest.raises(InputError, match="true or false"):
        open_source(CorpusSource("pages", "folder", {"pdf": "perhaps"}), OpenContext(tmp_path, tmp_path))


CHROMIUM = shutil.which("chromium")


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium, which prints a page as PDF")
def test_a_page_that_a_browser_printed_is_read(tmp_path: Path) -> None:
    words = [f"Sentence {number} of the guide says what the key {number * 7} is for." for number in range(90)]
    (tmp_path / "guide.html").write_text(
        f"<h1>Guide</h1>{''.join(f'<p>{one}</p>' for one in words)}", encoding="utf-8"
    )
    subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--print-to-pdf={tmp_path / 'guide.pdf'}",
            (tmp_path / "guide.html").as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    corpus = corpus_of(tmp_path, guide=(tmp_path / "guide.pdf").read_bytes())
    placed = Placer(corpus).place_hits([Hit(text=one) for one in words])
    assert [one.hit_class for one in placed] == [HitClass.EXACT] * len(words)
    starts = [one.start or 0 for one in placed]
    assert starts == sorted(starts)
    assert isinstance(Lookup(corpus).find(Location.at("guide.pdf#page=3")), Spot)
