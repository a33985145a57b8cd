"""``rankgate-reference`` as a shell calls it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

import rankgate
from rankgate_reference.progress import Bar
from reference_support import handbook


def run(
    *arguments: str | Path, output: IO[str] | int = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[str]:
    known = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "-m", "rankgate_reference.main", *map(str, arguments)],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        env={**known, "PYTHONPATH": str(Path(rankgate.__file__).parents[1]), **environment},
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return handbook.write(tmp_path_factory.mktemp("command") / "root")


def ask(root: Path, command: str, *arguments: str) -> str:
    done = run(command, root, *arguments, "--cache", root.parent / "cache")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_index_counts_and_a_second_time_reads_nothing(root: Path) -> None:
    cache = root.parent / "counted"
    first = run("index", root, "--cache", cache).stdout
    assert first.startswith("5 documents, 19 nodes\n5 files indexed, 0 removed, in ")
    assert "nothing had changed, in " in run("index", root, "--cache", cache).stdout


def test_search_shows_where_what_and_why(root: Path) -> None:
    text = ask(root, "search", "rotating keys after 90 days", "--k", "2")
    assert text.startswith(" 1  auth/keys.md:9-16  section API keys / Rotation  ")
    assert "    Rotate a key after 90 days:" in text
    assert "\x1b" not in text
    explained = ask(root, "search", "rotating keys", "--k", "1", "--explain")
    assert "rotat" in explained
    only = ask(root, "search", "key", "--filter", "language=python", "--filter", "kind=method")
    assert {line.split()[1].partition(":")[0] for line in only.split("\n") if line[:2].strip()} == {
        "src/client.py"
    }
    assert ask(root, "search", "blockchain") == "nothing found\n"


def test_tree_shows_a_document_or_lists_them(root: Path) -> None:
    assert ask(root, "tree", "src/client.py") == (
        "src/client.py  document 1-20\n"
        "  Client  class 4-15\n"
        "    send  method 9-11\n"
        "    rotate_key  method 13-15\n"
        "  sendAll  function 18-20\n"
    )
    assert ask(root, "tree", "src/client.py", "--depth", "1").count("\n") == 3
    assert ask(root, "tree").startswith("auth/keys.md  API keys\nauth/login.md  Login\nhooks.md  Webhooks\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "nowhere", "x"), "nowhere: found no folder, expected the folder to search"),
        (("search", "{root}", "x", "--filter", "language"), "--filter: found 'language', expected KEY=VALUE"),
        (("tree", "{root}", "keys.md"), "near it: auth/keys.md"),
        (("tree", "{root}", "nothing"), "rankgate-reference tree ROOT lists the documents"),
        (("tree", "{root}", "--depth", "2"), "--depth: found no document"),
        (("index", "{root}", "--mode", "vector", "--model", "nothing-like-it"), "nothing-like-it"),
        (("index", "{root}/hooks.md"), "hooks.md: found a file, expected the folder to search"),
        (("search", "{root}", " "), "QUERY: found nothing, expected words or a name"),
        (("search", "{root}", "x", "--mode", "vector", "--explain"), "expected --mode lexical or hybrid"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(root: Path, arguments: tuple[str, ...], said: str) -> None:
    call = [one.replace("{root}", str(root)) for one in arguments]
    done = run(*call, "--cache", root.parent / "cache")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert said in done.stderr


@pytest.mark.parametrize("inside", ["", "{root}", "{root}/cache", "{root}/auth/../cache"])
def test_a_cache_that_would_be_searched_itself_is_refused(root: Path, inside: str) -> None:
    done = run("index", root, "--cache", inside.replace("{root}", str(root)))
    assert done.returncode == 2
    assert done.stderr.startswith("error: --cache")
    assert not (root / "cache").exists()
    assert not (root / "lexical").exists()


def test_a_hidden_cache_may_lie_in_the_folder(tmp_path: Path) -> None:
    root = handbook.write(tmp_path / "root")
    for said in ("5 files indexed", "nothing had changed", "nothing had changed"):
        done = run("index", root, "--cache", root / ".cache/reference")
        assert done.returncode == 0
        assert said in done.stdout


def test_a_full_disk_is_told(root: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    with full.open("w") as output:
        done = run("search", root, "key", "--cache", root.parent / "cache", output=output)
    assert done.returncode == 2
    assert (
        done.stderr == "error: output: found No space left on device, expected what can be read or written\n"
    )


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals_that_want_them(
    root: Path, environment: dict[str, str], coloured: bool
) -> None:
    pty = pytest.importorskip("pty")
    reading, writing = pty.openpty()
    arguments = ("search", root, "rotating keys after 90 days", "--k", "1", "--cache", root.parent / "cache")
    done = run(*arguments, output=writing, TERM="xterm", **environment)
    os.close(writing)
    assert done.returncode == 0
    shown = os.read(reading, 100_000)
    os.close(reading)
    assert b"auth/keys.md:9-16" in shown
    assert (b"\x1b[1m" in shown) is coloured
    # What is not coloured is not reset either.
    assert b"90 days:\x1b" not in shown


def test_a_folder_in_place_of_a_document_is_listed(root: Path) -> None:
    assert ask(root, "tree", "auth") == "auth/keys.md  API keys\nauth/login.md  Login\n"


def test_one_is_not_called_many(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a.txt").write_text("one")
    said = run("index", tmp_path / "root", "--cache", tmp_path / "cache").stdout
    assert said.startswith("1 document, 1 node\n1 file indexed, 0 removed, in ")


def test_a_value_that_no_node_has_is_warned_of(root: Path) -> None:
    done = run("search", root, "key", "--filter", "language=pyhton", "--cache", root.parent / "cache")
    assert done.stdout == "nothing found\n"
    assert done.stderr == "warning: no node has language 'pyhton'; there are: python, …\n"


def test_an_unknown_facet_is_warned_of(root: Path) -> None:
    done = run("search", root, "key", "--filter", "colour=red", "--cache", root.parent / "cache")
    assert done.returncode == 0
    assert "warning: no node has the facet 'colour'" in done.stderr


def test_no_file_steers_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/red.md").write_text("# \x1b[31mRed\x07\n\nkey \x9b\x1b]0;title\x07\n")
    for arguments in (("search", "key"), ("tree", "red.md")):
        done = run(arguments[0], tmp_path / "root", *arguments[1:], "--cache", tmp_path / "cache")
        assert done.returncode == 0
        assert "\x1b" not in done.stdout
        assert "\x9b" not in done.stdout


def test_the_rate_of_a_stage_is_its_own() -> None:
    times, stream = iter([0.0, 100.0, 110.0, 120.0]), _Terminal()
    with Bar(stream, lambda: next(times)) as bar:
        bar.stage("indexing")(50, 100)
        embedding = bar.stage("embedding")
        embedding(0, 100)
        embedding(50, 100)
    assert "embedding 50/100, 5.0/s, 0:10 left" in stream.getvalue()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_after_two_seconds_on_a_terminal_and_never_on_a_pipe() -> None:
    for stream, late, drawn in (
        (_Terminal(), 3.0, True),
        (_Terminal(), 1.0, False),
        (io.StringIO(), 3.0, False),
    ):
        times = iter([0.0, late, late, late])
        with Bar(stream, lambda times=times: next(times)) as bar:  # type: ignore[misc]
            bar.stage("indexing")(30, 120)
        assert ("indexing 30/120" in stream.getvalue()) is drawn


def test_a_file_of_records_is_indexed_searched_and_listed(tmp_path: Path) -> None:
    file, kept = tmp_path / "pages.jsonl", tmp_path / "cache"
    file.write_text('{"id": "a#1", "text": "Rotate keys"}\n{"id": "b", "text": "Deploy"}\n')
    records = ("--corpus", "jsonl", "--cache", kept)
    assert run("index", file, *records).stdout.startswith("2 documents, 2 nodes\n2 records indexed, 0 rem")
    assert "a#1" in run("search", file, "rotating a key", *records).stdout.split("\n")[0]
    assert run("tree", file, *records).stdout.split() == ["a#1", "Rotate", "keys", "b", "Deploy"]


def test_a_file_that_is_not_said_to_be_records_is_refused_with_what_to_say(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a", "text": "Rotate keys"}\n')
    done = run("search", file, "rotate")
    assert done.returncode == 2
    assert "found a file, expected the folder to search; say what it is: --corpus jsonl" in done.stderr


def test_a_record_is_shown_before_those_whose_ids_begin_with_its_own(tmp_path: Path) -> None:
    file, kept = tmp_path / "pages.jsonl", tmp_path / "cache"
    file.write_text(
        '{"id": "a", "text": "One"}\n{"id": "a/b", "text": "Two"}\n{"id": "c/d", "text": "Three"}\n'
    )
    records = ("--corpus", "jsonl", "--cache", kept)
    assert run("tree", file, "a", *records).stdout == "One  record 1-1\n"
    assert run("tree", file, "c", *records).stdout == "c/d  Three\n"


@pytest.mark.parametrize("kind", ["folder", "jsonl"])
def test_links_in_a_circle_are_no_root(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for command in ("index", "serve"):
        assert run(command, tmp_path / "a", "--corpus", kind).returncode == 2
    folder = handbook.write(tmp_path / "root")
    assert run("index", folder, "--cache", tmp_path / "a").returncode == 2


@pytest.mark.parametrize("cache", ["kept", ".kept"])
def test_the_cache_may_lie_in_a_folder_of_records(tmp_path: Path, cache: str) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "One", "text": "Two"}')
    done = run("index", tmp_path, "--corpus", "beir", "--cache", tmp_path / cache)
    assert done.stdout.startswith("1 document, 1 node\n1 record indexed"), done.stderr
