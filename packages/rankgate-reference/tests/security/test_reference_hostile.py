"""A corpus made to hurt: it is indexed or skipped with a reason, in bounded time, and over MCP too."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankgate
from reference_support import handbook

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "The combination is 7-13-29."
SECONDS = 240
"""How long the whole corpus may take; a tenth of it on a machine that does nothing else."""
MEMORY = 3_000_000_000
"""Bytes of memory that indexing may use."""

_INDEX = """\
import json, resource, sys, time
from rankgate_reference.library.library import Library
begun = time.monotonic()
library = Library.open(sys.argv[1], cache=sys.argv[2])
seconds = time.monotonic() - begun
kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
paths = [node.path for node in library.documents_without_text]
longest = max(len(node.id) for page in library.documents() for node in library.nodes(page.id))
print(json.dumps([seconds, kilobytes * 1024, paths, list(library.notes), longest]))
"""


def write(folder: Path, headings: int) -> Path:
    """Write the corpus, and what it must not read beside it."""
    root = folder / "root"
    (root / "deep").mkdir(parents=True)
    (folder / "secret.md").write_text(f"# Secret\n\n{SECRET}\n")
    texts: dict[str, str | bytes] = {
        "good.md": "# Good\n\n## Rotation\n\nRotate a key after 90 days.\n",
        "line-10mb.md": "word " * 2_000_000,
        "line-4mb.md": "word " * 800_000,
        "line.py": "x = '" + "a" * 1_000_000 + "'\n",
        "heading-1mb.md": "# " + "very long " * 100_000 + "\n\nkey\n",
        "heading-300kb-above-many.md": "# " + "x" * 300_000 + "\n\n" + "## a\n" * 2_000,
        "headings.md": "".join(f"# Heading {number}\n\nkey {number}\n" for number in range(headings)),
        "same-headings.md": "## Setup\n\nkey\n" * (headings // 5),
        "deep-headings.md": "".join(f"{'#' * (1 + n % 6)} N{n}\n" for n in range(5_000)),
        "deep/brackets.py": "x = " + "[" * 5_000 + "]" * 5_000 + "\n",
        "deep/blocks.py": "".join(f"{' ' * n}if x:\n" for n in range(900)) + " " * 900 + "pass\n",
        "deep/functions.py": "".join(f"{' ' * n}def f{n}():\n" for n in range(80)) + " " * 80 + "pass\n",
        "deep/quotes.md": ">" * 50_000 + " key\n",
        "deep/lists.md": "".join(f"{'  ' * n}- item {n}\n" for n in range(1_000)),
        "deep/brackets.js": "(" * 20_000 + ")" * 20_000,
        "deep/braces.go": "package a\nfunc f() {" + "{" * 5_000 + "}" * 5_000 + "}\n",
        "binary.md": bytes(range(256)) * 1000,
        "latin.md": "# Gr\xf6\xdfe\n\nSchl\xfcssel\n".encode("latin-1"),
        "utf16.md": "# Keys\n\nRotate\n".encode("utf-16"),
        "surrogates.md": b"# Keys \xed\xa0\x80\xed\xb0\x80\n\n\xff\xfe\xf8 rotate\n",
        "empty.md": "",
        "blank.md": "\n" * 10_000,
        "controls.md": "# \x1b[31mRed\x07\n\n\x08\x9b key \u202e\u2028\n",
        "front-bomb.md": "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12))
        + "---\n# Bomb\n\nkey\n",
        "front-large.md": "---\ntags: [" + ",".join(f"t{n}" for n in range(100_000)) + "]\n---\n# Tags\n",
        "front-above-many.md": "---\n"
        + "".join(f"k{n}: [{','.join(f'v{n}-{m}' for m in range(190))}]\n" for n in range(100))
        + "---\n"
        + "# a\n" * 2_000,
        "front-open.md": "---\n" + "name: value\n" * 50_000,
        "front-tag.md": "---\n!!python/object/apply:os.system ['touch /tmp/hurt']\n---\n# Tag\n",
        "random.py": random.Random(1).randbytes(20_000).replace(b"\0", b" "),
        "name with spaces#and:colons%23.md": "# Keys\n\n## Odd name\n\nrotate\n",
    }
    for name, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        (root / name).write_bytes(data)
    (root / "link.md").symlink_to(folder / "secret.md")
    (root / "outside").symlink_to(folder)
    (root / "loop").symlink_to(root)
    (root / "deep/loop").symlink_to(root / "deep")
    (root / "self.md").symlink_to(root / "self.md")
    (root / "passwd").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.md")
    return root


@pytest.fixture(scope="module", params=[10_000, pytest.param(100_000, marks=pytest.mark.long)])
def indexed(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, Path, list[Any]]:
    """Index the corpus in a process of its own, held to its time and memory."""
    folder = tmp_path_factory.mktemp("hostile")
    root, cache = write(folder, request.param), folder / "cache"

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    done = subprocess.run(
        [sys.executable, "-c", _INDEX, str(root), str(cache)],
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(rankgate.__file__).parents[1])},
        preexec_fn=bounded,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return root, cache, json.loads(done.stdout)


def test_every_file_is_indexed_or_skipped_with_a_reason(
    indexed: tuple[Path, Path, list[Any]], record_property: Any
) -> None:
    root, cache, (seconds, memory, paths, notes, longest) = indexed
    record_property("figures", f"{len(paths)} files in {seconds:.0f} s with {memory / 1e6:.0f} MB")
    skipped = {"line-10mb.md", "binary.md", "utf16.md", "link.md", "self.md", "passwd", "pipe.md"}
    there = {str(file.relative_to(root)) for file in root.rglob("*") if not file.is_dir()}
    inside = {name for name in there if not name.startswith(("outside/", "loop/", "deep/loop/"))}
    assert set(paths) == inside - skipped
    said = "; ".join(notes)
    assert "6 symbolic links skipped" in said
    assert "2 binary files skipped" in said
    assert "1 files above 5 MB skipped" in said
    assert "1 unreadable files and folders skipped" in said
    assert "front-large.md: 99800 lines or values of its front matter are left out" in said
    assert "front-above-many.md: its front matter holds for the document alone" in said
    # Nothing large is repeated in what is kept of every node.
    assert (cache / "nodes.sqlite").stat().st_size < 200_000_000
    # An id is for passing on; a heading of a megabyte is none.
    assert longest < 2000
    assert not Path("/tmp/hurt").exists()


@pytest.fixture(scope="module")
def tool(indexed: tuple[Path, Path, list[Any]]) -> Iterator[Any]:
    from anyio.from_thread import start_blocking_portal

    root, cache, _ = indexed
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(handbook.session(handbook.command(root, cache))) as session,
    ):

        def call(name: str, **arguments: object) -> Any:
            begun = time.monotonic()
            result = portal.call(session.call_tool, name, arguments)
            assert time.monotonic() - begun < 60
            return result

        yield call


def _data(result: Any) -> Any:
    data = getattr(result, "structured_content", getattr(result, "structuredContent", None))
    assert data is not None, result.content[0].text
    return data


def test_every_document_can_be_walked_over_mcp_within_its_budget(tool: Any) -> None:
    documents = _data(tool("list_documents", limit=10_000))["documents"]
    assert len(documents) > 20
    for document in documents:
        tree = tool("get_tree", document=document["id"], budget=2000)
        nodes = _data(tree)["nodes"]
        assert nodes[0]["id"] == document["id"]
        last = nodes[-1]["id"]
        read = tool("get_node_content", ids=[document["id"], last], budget=2000)
        whole = tool("navigate_tree", node=document["id"], budget=2000)
        for result in (tree, read, whole):
            (block,) = result.content
            assert len(block.text.encode()) <= 2000 * 4, document["id"]
            assert SECRET not in block.text


def test_searches_find_what_is_good_among_it(tool: Any) -> None:
    hits = _data(tool("search_documents", query="rotate a key after 90 days", k=3))["hits"]
    assert hits[0]["id"] == "good.md#Good/Rotation"
    for query in (
        "key",
        "word " * 1000,
        "(" * 5000,
        '"',
        "*",
        "a" * 10_000,
        "AND OR NOT",
        "\x00",
        "title:key~9",
    ):
        assert SECRET not in str(tool("search_documents", query=query, k=5))


@pytest.mark.parametrize(
    "name",
    [
        "../secret.md",
        "outside/secret.md",
        "link.md",
        "passwd",
        "/etc/passwd",
        "loop/good.md",
        "pipe.md",
        "self.md",
    ],
)
def test_nothing_outside_the_root_is_read(tool: Any, name: str) -> None:
    for call in (
        tool("get_tree", document=name),
        tool("get_node_content", ids=[name]),
        tool("navigate_tree", node=name),
    ):
        assert getattr(call, "is_error", getattr(call, "isError", None))
        assert SECRET not in str(call)
        assert "root:x:" not in str(call)
    for query in ("combination", "nologin", "daemon"):
        assert _data(tool("search_documents", query=query))["hits"] == []
