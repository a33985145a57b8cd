from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.locations import Lines
from rankgate.model import Indexer, Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from rankgate_engines.ripgrep import RipgrepOptions, RipgrepSystem
from support.engine_material import queries
from support.sdists import unpacked

RG = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))

pytestmark = pytest.mark.skipif(RG is None and not os.environ.get("CI"), reason="ripgrep is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "auth").mkdir(parents=True)
    (folder / "auth" / "keys.md").write_text("# Keys\n\nRotate a key.\nA key has a key id.\n")
    (folder / "-option.md").write_text("--help\nkey\n")
    (folder / "a b.md").write_text("\n\nkey (x|y)\n")
    (folder / "other.md").write_text("Nothing, but a Key.\n")
    return folder


def opened(folder: Path, **options: object) -> Any:
    return open_system(
        "floor", {"kind": "ripgrep", "folder": folder.name, "root": str(folder.parent), **options}
    )


def found(system: Any, text: str, k: int = 10) -> list[tuple[str, str, float]]:
    return [(hit.path, str(hit.lines), hit.score) for hit in system.search(Query(text, k)).hits]


def bare(folder: Path, text: str) -> list[tuple[str, int]]:
    """Count with grep's ways, in one pass and with other arguments than the adapter's."""
    words = [part for word in dict.fromkeys(text.split()) for part in ("-e", word)]
    printed = subprocess.run(
        [str(RG), "-F", "-S", "-o", "--no-config", "--no-ignore-parent", *words, "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    counts: dict[str, int] = {}
    for line in printed.splitlines():
        path = line.partition(":")[0].removeprefix("./")
        counts[path] = counts.get(path, 0) + 1
    return sorted(counts.items(), key=lambda one: (-one[1], one[0].encode()))


def test_a_folder_keeps_the_contract(folder: Path) -> None:
    check_system(opened(folder), ("key", "rotate a key"))
    check_system(opened(folder, query="whole"), ("key",))
    check_system(opened(folder, query="regex"), ("k.y",))
    assert not isinstance(opened(folder), Indexer)


def test_ripgrep_ranks_as_the_bare_program_does() -> None:
    folder = unpacked("click-8.5.1") / "src"
    system = RipgrepSystem(RipgrepOptions(folder=str(folder)))
    total = 0
    for text in queries()[::4]:
        expected = bare(folder, text)[:10]
        hits = system.search(Query(text, 10)).hits
        assert [(hit.path, hit.score) for hit in hits] == expected, text
        total += len(hits)
    assert total > 250


def test_the_lines_are_those_of_the_first_match(folder: Path) -> None:
    assert found(opened(folder), "key") == [
        ("auth/keys.md", "1-1", 4),
        ("-option.md", "2-2", 1),
        ("a b.md", "3-3", 1),
        ("other.md", "1-1", 1),
    ]
    root = unpacked("click-8.5.1") / "src"
    for text in queries()[:20]:
        for hit in RipgrepSystem(RipgrepOptions(folder=str(root))).search(Query(text)).hits:
            lines = (root / str(hit.path)).read_text(encoding="utf-8").split("\n")
            fold = str if text != text.lower() else str.lower
            first = next(
                n for n, line in enumerate(lines, 1) if any(word in fold(line) for word in text.split())
            )
            assert hit.lines == Lines(first, first)


def test_upper_case_counts_where_the_query_has_some(folder: Path) -> None:
    assert [path for path, *_ in found(opened(folder), "Key")] == ["auth/keys.md", "other.md"]
    assert len(found(opened(folder, case="insensitive"), "KEY")) == 4
    assert found(opened(folder, case="sensitive"), "KEY") == []


def test_any_word_counts_and_patterns_only_where_the_options_say_so(folder: Path) -> None:
    assert found(opened(folder), "rotate id") == [("auth/keys.md", "3-3", 2)]
    assert found(opened(folder), "k.y (x|y)") == found(opened(folder), "k x y")
    assert found(opened(folder, query="whole"), "key (x|y)") == [("a b.md", "3-3", 1)]
    assert found(opened(folder, query="whole"), "--help") == [("-option.md", "1-1", 1)]
    assert found(opened(folder, query="regex"), "key .x") == [("a b.md", "3-3", 1)]
    with pytest.raises(SystemFailedError, match="unclosed group"):
        opened(folder, query="regex").search(Query("("))


@pytest.mark.parametrize("text", [*ODD.values(), "-e key", "--pre=touch pwned", "-f/etc/passwd"])
@pytest.mark.parametrize("how", ["any", "whole"])
def test_odd_queries_never_become_arguments_of_ripgrep(folder: Path, text: str, how: str) -> None:
    before = sorted(folder.rglob("*"))
    try:
        hits = opened(folder, query=how).search(Query(text)).hits
    except SystemFailedError:
        assert "\0" in text
        return
    assert sorted(folder.rglob("*")) == before
    for hit in hits:
        held = (folder / str(hit.path)).read_text().lower()
        assert text.strip().lower() in held or how == "any"


def test_the_machines_own_settings_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = folder.parent / "ripgreprc"
    settings.write_text("--glob=!auth\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(settings))
    (folder.parent / ".ignore").write_text("auth\n")
    assert found(opened(folder), "rotate") == [("auth/keys.md", "3-3", 1)]
    (folder / ".ignore").write_text("auth\n")
    assert found(opened(folder), "rotate") == []
    assert found(opened(folder, ignore=False), "rotate") == [("auth/keys.md", "3-3", 1)]


def test_the_users_own_arguments_and_globs_are_kept(folder: Path) -> None:
    (folder / "keys.txt").write_text("key keys keyed\n")
    assert found(opened(folder, globs=["*.txt"]), "key") == [("keys.txt", "1-1", 3)]
    assert found(opened(folder, globs=["*.txt"], arguments=["--word-regexp"]), "key") == [
        ("keys.txt", "1-1", 1)
    ]
    assert len(found(opened(folder, globs=["!*.txt"]), "key")) == 4


def test_filters_have_no_place_in_ripgrep(folder: Path) -> None:
    with pytest.raises(SystemFailedError, match="filters lang"):
        opened(folder).search(Query("key", filters={"lang": "py"}))


def test_names_that_are_not_utf8_are_left_out_and_counted(folder: Path) -> None:
    try:
        (folder / os.fsdecode(b"\xff.md")).write_text("key key key key key")
    except OSError:
        pytest.skip("this file system has only names in UTF-8")
    (folder / "new\nline.md").write_text("\nkey key key key key key")
    system = opened(folder)
    assert found(system, "key", 2) == [("new\nline.md", "2-2", 6), ("auth/keys.md", "1-1", 4)]
    assert system.unnamed == 1


def test_a_folder_has_the_same_answer_inside_a_repository_and_outside(folder: Path) -> None:
    (folder / ".gitignore").write_text("left-out.md\n")
    (folder / "left-out.md").write_text("key " * 50)
    (folder / "excluded.md").write_text("key " * 40)
    outside = found(opened(folder), "key", 10)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("excluded.md\n")
    assert found(opened(folder), "key", 10) == outside
    assert outside[0][0] == "excluded.md"


def test_more_files_than_one_command_takes_have_their_lines(folder: Path) -> None:
    for number in range(450):
        (folder / f"{number:03}.txt").write_text("\n" * number + "needle")
    hits = opened(folder).search(Query("needle", 1000)).hits
    assert [(hit.path, hit.lines) for hit in hits] == [
        (f"{number:03}.txt", Lines(number + 1, number + 1)) for number in range(450)
    ]


def test_wrong_options_of_ripgrep_are_told_when_it_is_opened(folder: Path) -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"root": "nowhere"}, "no folder"),
        ({"program": "no-such-rg"}, "not installed.*apt install ripgrep"),
        ({"program": sys.executable}, "another program"),
        ({"timeout": 0}, "a number of seconds"),
        ({"glob": ["x"]}, "Did you mean `globs`"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(folder, **options)


def test_a_search_that_takes_too_long_is_a_time_out(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    # A program of the user's before each file, which is how ripgrep can be made slow.
    slow = folder.parent / "slow"
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o700)
    with pytest.raises(TimedOutError):
        opened(folder, arguments=[f"--pre={slow}"], timeout=0.5).search(Query("key"))
