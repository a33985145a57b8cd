"""A documentation search on Tantivy, in process, and the faults that can be staged in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Done

APP = """
import json
from functools import lru_cache
from pathlib import Path

import tantivy

HERE = Path(__file__).parent


def pages():
    folder = HERE / "indexed" if (HERE / "indexed").exists() else HERE / "docs"
    return tuple((page.name, page.read_text()) for page in sorted(folder.glob("*.md")))


def sections(texts, left_out):
    for name, text in texts:
        lines = text.splitlines()
        heads = [at for at, line in enumerate(lines) if line.startswith("#")]
        for head, behind in zip(heads, [*heads[1:], len(lines)]):
            if name not in left_out:
                yield name, head + 1, behind, chr(10).join(lines[head:behind]).strip()


@lru_cache
def filled(fault, texts):
    fault = json.loads(fault)
    made = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    if fault.get("stop_words"):
        made = made.filter(tantivy.Filter.stopword("english"))
    if not fault.get("no_stemming"):
        made = made.filter(tantivy.Filter.stemmer("english"))
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="ours")
    builder.add_unsigned_field("at", stored=True)
    index = tantivy.Index(builder.build())
    analyzer = made.build()
    index.register_tokenizer("ours", analyzer)
    found = list(sections(texts, fault.get("not_indexed", ())))
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for at, (_, _, _, text) in enumerate(found):
        writer.add_document(tantivy.Document(body=[text], at=[at]))
    writer.commit()
    index.reload()
    return index, analyzer, found


def search(query, k, filters=None):
    said = HERE / "fault.json"
    fault = said.read_text() if said.exists() else "{}"
    index, analyzer, found = filled(fault, pages())
    fault = json.loads(fault)
    if fault.get("down"):
        raise ConnectionError("search.internal:9200 refused the connection")
    terms = analyzer.analyze(query)
    if not terms or fault.get("empty"):
        return []
    wanted = [
        (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", term)) for term in terms
    ]
    hits = []
    for score, address in index.searcher().search(tantivy.Query.boolean_query(wanted), 1000).hits:
        path, start, end, text = found[index.searcher().doc(address)["at"][0]]
        if filters and filters.get("kind") != fault.get("kinds", {}).get(path, "guide"):
            continue
        hit = {"path": fault.get("prefix", "") + path, "start": start, "end": end, "score": score}
        hits.append(hit | ({"text": text} if fault.get("texts") else {}))
    return hits[:k]
"""
PAGES = {
    "backups.md": (
        "Backups",
        ("Schedule", "The nightly copy of every volume begins at two and ends before the office opens."),
        ("Restore", "Choose a snapshot by its date; a restored volume is mounted beside the damaged one."),
    ),
    "billing.md": (
        "Billing",
        ("Invoices", "An invoice is sent on the first of the month to the address of the account owner."),
        ("Refunds", "Money for unused seats returns to the credit card within ten working days."),
    ),
    "keys.md": (
        "Keys",
        ("Rotation", "Each secret is exchanged for a fresh one after ninety days, and the old one expires."),
        ("Scopes", "A scope limits what a token may read; writing needs a separate permission."),
    ),
    "webhooks.md": (
        "Webhooks",
        ("Delivery", "An event is posted as JSON to the endpoint that subscribed, signed with its secret."),
        ("Retries", "A failing endpoint is called again after a minute, then with growing pauses."),
    ),
    "people.md": (
        "People",
        ("Invitations", "A colleague joins through a link in an email that stays valid for a week."),
        ("Roles", "To be or not to be an administrator is decided by the owner of the workspace."),
    ),
    "export.md": (
        "Export",
        ("Formats", "Tables leave as CSV, documents as Markdown, and pictures in their original size."),
        ("Limits", "Large archives are split into parts of two gigabytes each."),
    ),
}
CASES = {
    "when does the nightly copy begin": "backups.md#Schedule",
    "choose a snapshot by date": "backups.md#Restore",
    "address an invoice is sent to": "billing.md#Invoices",
    "money for unused seats": "billing.md#Refunds",
    "secret exchanged after ninety days": "keys.md#Rotation",
    "limit what a token may read": "keys.md#Scopes",
    "event posted as JSON": "webhooks.md#Delivery",
    "failing endpoint called again": "webhooks.md#Retries",
    "colleague joins through a link": "people.md#Invitations",
    "administrator of a workspace": "people.md#Roles",
    "tables as CSV": "export.md#Formats",
    "large archives in parts": "export.md#Limits",
}


def page_text(title: str, *sections: tuple[str, str]) -> str:
    """Return a page of sections."""
    return f"# {title}\n\n" + "\n".join(f"## {name}\n\n{text}\n" for name, text in sections)


class StagedProject:
    """A project whose search finds everything, until a fault is staged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.docs = folder / "docs"
        self.docs.mkdir()
        for name, (title, *sections) in PAGES.items():
            (self.docs / name).write_text(page_text(title, *sections))
        (folder / "app.py").write_text(APP)
        (folder / "rankgate.toml").write_text(
            'suites = ["search.yaml"]\n[systems.app]\nkind = "function"\ntarget = "./app.py:search"\n'
        )
        self.write(dict(CASES))

    def write(self, cases: dict[str, str], **more: str) -> None:
        """Write the suite; `more` is what a query has beside its target."""
        rows = "".join(
            f"  - {{query: {query!r}, at: {at!r}{', ' + more[query] if query in more else ''}}}\n"
            for query, at in cases.items()
        )
        (self.folder / "search.yaml").write_text(f"corpus: docs/\ngates: [rr@5 >= 0.95]\ncases:\n{rows}")

    def stage(self, **fault: object) -> None:
        """Stage a fault in the search."""
        (self.folder / "fault.json").write_text(json.dumps(fault))

    def built_by_tantivy(self, left_out: str) -> None:
        """Search an index of our kind `tantivy` that lacks a page, in place of the function."""
        import tantivy

        from rankgate.truth.locations.corpus_reader import split_lines

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="en_stem")
        builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
        for column in ("start", "end"):
            builder.add_unsigned_field(column, stored=True)
        place = self.folder / "index"
        place.mkdir()
        index = tantivy.Index(builder.build(), path=str(place))
        writer = index.writer(heap_size=15_000_000, num_threads=1)
        for page in sorted(self.docs.glob("*.md")):
            lines = split_lines(page.read_text())
            heads = [at for at, line in enumerate(lines) if line.startswith("#")]
            for head, behind in zip(heads, [*heads[1:], len(lines)], strict=True):
                if page.name != left_out:
                    text = "\n".join(lines[head:behind])
                    row = {"body": [text], "path": [page.name], "start": [head + 1], "end": [behind]}
                    writer.add_document(tantivy.Document(**row))
        writer.commit()
        writer.wait_merging_threads()
        (self.folder / "rankgate.toml").write_text(
            'suites = ["search.yaml"]\n[systems.app]\nkind = "tantivy"\nindex = "index"\n'
            "search = { body = 1.0 }\n"
            'fields = { path = "path", start = "start", end = "end" }\n'
        )

    def freeze(self) -> None:
        """Keep the index as the documents are now, whatever becomes of them."""
        (self.folder / "indexed").mkdir()
        for page in self.docs.glob("*.md"):
            (self.folder / "indexed" / page.name).write_text(page.read_text())

    def edit(self, page: str, old: str, new: str) -> None:
        """Change a document."""
        file = self.docs / page
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def test(self, *options: str) -> Done:
        """Run `rankgate test`."""
        return rankgate("test", *options)

    def advice(self, *options: str) -> list[dict[str, str]]:
        """Test, and return the recommendations of the report."""
        self.test(*options)
        report = json.loads((self.folder / ".rankgate/search/app/report.json").read_text())
        found: list[dict[str, str]] = report["recommendations"]
        return found
