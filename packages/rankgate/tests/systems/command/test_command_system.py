"""Programs as systems: what they are given, what they print, and how they fail."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.locations import Lines
from rankgate.model import Hit, Query
from rankgate.systems.command import CommandOptions, CommandSystem, open_command

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

QUERY = Query("rotate a key", k=3)


def python(code: str, *arguments: str, **options: Any) -> CommandSystem:
    command = (sys.executable, "-S", "-c", code, *(arguments or ("{query}",)))
    return CommandSystem(CommandOptions(command, **options))


def printing(text: str | bytes, **options: Any) -> CommandSystem:
    raw = text.encode() if isinstance(text, str) else text
    return python(f"import sys; sys.stdout.buffer.write({raw!r})", **options)


def hits(system: CommandSystem, query: Query = QUERY) -> Sequence[Hit]:
    return system.search(query).hits


ECHO = "import sys, json; print(json.dumps(sys.argv[1:]))"


def test_placeholders_are_put_in_and_never_split() -> None:
    system = python(ECHO, "q={query}", "{k}", '{"size": {k}}', "$HOME")
    found = [hit.id for hit in hits(system, Query("a; rm {k} 'b' \"c\"", k=10))]
    assert found == ["q=a; rm {k} 'b' \"c\"", "10", '{"size": 10}', "$HOME"]


def test_the_query_is_written_to_the_program() -> None:
    read = "import sys, json; print(json.dumps([sys.stdin.read()]))"
    assert hits(python(read, "-", stdin="query"))[0].id == "rotate a key"
    filtered = Query("größe", k=3, filters={"language": ("go", "c")})
    sent = json.loads(hits(python(read, "-", stdin="json"), filtered)[0].id or "")
    assert sent == {"query": "größe", "k": 3, "filters": {"language": ["go", "c"]}}


def test_a_program_that_does_not_read_may_still_answer() -> None:
    system = python("print('[1]')", "-", stdin="query")
    assert hits(system, Query("x" * 1_000_000))[0].id == "1"


def test_filters_that_a_command_cannot_take_are_not_lost_in_silence() -> None:
    with pytest.raises(SystemFailedError, match=r"found filters language.*stdin = 'json'"):
        printing("[]").search(Query("a", filters={"language": "go"}))


def test_hits_are_mapped_by_expressions() -> None:
    answer = {"data": {"found": [{"doc": {"file": "a.md", "at": 3}, "s": 0.5}, {"doc": {"file": "b.md"}}]}}
    system = printing(
        json.dumps(answer),
        hits="data.found",
        fields={"path": "doc.file", "start": "doc.at", "score": "s", "text": "doc.body"},
    )
    assert hits(system) == (Hit(path="a.md", lines=Lines(3, 3), score=0.5), Hit(path="b.md"))
    exchange = system.exchange(QUERY)
    assert exchange.unmatched_rules == ("fields.text",)
    assert exchange.ranking.hits == hits(system)
    assert json.loads(exchange.raw) == answer
    assert exchange.request.endswith("'rotate a key'")
    assert exchange.error is None


def test_a_number_is_read_from_json_and_from_lines() -> None:
    mapped = printing('[{"doc": "a", "count": 3}]', fields={"id": "doc", "tokens": "count"})
    lines = printing("a: 3 tokens", output="lines", pattern=r"(?P<id>.): (?P<tokens>\d+) tokens")
    assert hits(mapped) == hits(lines) == (Hit(id="a", tokens=3),)


def test_json_lines_are_hits_in_order() -> None:
    assert [hit.id for hit in hits(printing('{"id": "a"}\n\n"b"\n', output="jsonl"))] == ["a", "b"]


def test_plain_lines_are_ids() -> None:
    assert [hit.id for hit in hits(printing("a b\r\n\nc\n", output="lines"))] == ["a b", "c"]


def test_a_pattern_reads_lines_and_counts_the_others() -> None:
    system = printing(
        "searching...\ndocs/a.md:12:Rotate keys\ndocs/b.md:7:Keys\n",
        output="lines",
        pattern=r"^(?P<path>[^:]+):(?P<start>\d+):(?P<text>.*)$",
    )
    assert hits(system) == (
        Hit(path="docs/a.md", lines=Lines(12, 12), text="Rotate keys"),
        Hit(path="docs/b.md", lines=Lines(7, 7), text="Keys"),
    )
    assert system.unmatched_lines == 1
    assert system.exchange(QUERY).unmatched_rules == ("pattern (1 of 3 lines)",)


def test_hits_over_k_are_counted() -> None:
    system = printing("[1, 2, 3, 4, 5]")
    assert len(hits(system)) == 3
    assert system.dropped == 2


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (python("import sys; sys.exit('no index\\nrun init')"), r"exit code 1 \(no index / run init\)"),
        (python("import sys; sys.exit(7)"), r"exit code 7 \(nothing on stderr\)"),
        (python("import os; os.kill(os.getpid(), 9)"), "signal 9"),
        (printing(""), "found nothing .*expected JSON"),
        (printing("<html>"), "found str '<html>'"),
        (printing("[" * 100_000), "RecursionError|JSONDecodeError"),
        (printing(b'["a\xff"]'), "output, line 1: found the byte 0xff"),
        (printing(b"a\nb\xe9\n", output="lines"), "output, line 2: found the byte 0xe9"),
        (printing('[{"id": "\\ud800"}]'), "UTF-8"),
        (printing('{"took": 3}', hits="results"), "hits 'results': found nothing"),
        (printing('{"took": 3}'), "found dict"),
        (printing('{"error": "down"}'), "the answer has an error: down"),
        (printing('[{"file": "a"}]'), "the key str 'file'"),
        (printing('[{"n": "x"}]', fields={"id": "abs(n)"}), "fields.id"),
        (
            printing("a:x", output="lines", pattern="(?P<id>.):(?P<start>.)"),
            "line 1: start: found str 'x'",
        ),
        (printing("1", output="lines", pattern="(?P<end>.)"), "without id, path and text"),
        (CommandSystem(CommandOptions(("no-such-program", "{query}"))), "FileNotFoundError"),
        (CommandSystem(CommandOptions((sys.executable, "{query}"), cwd="no-such-folder")), "check command"),
    ],
)
def test_a_failure_is_told_in_one_line(system: CommandSystem, words: str) -> None:
    with pytest.raises(SystemFailedError) as caught:
        system.search(QUERY)
    assert re.search(words, str(caught.value)), str(caught.value)
    assert all(char.isprintable() for char in str(caught.value))
    exchange = system.exchange(QUERY)
    assert exchange.error == caught.value.coded
    assert exchange.ranking.hits == ()


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 4_000_000])
def test_a_query_that_no_argument_can_hold_is_a_failure(text: str) -> None:
    with pytest.raises(SystemFailedError, match="to start"):
        printing("[]").search(Query(text))


def test_codes_that_mean_nothing_found_are_an_answer() -> None:
    assert hits(python("import sys; print('[]'); sys.exit(1)", exit_codes=(0, 1))) == ()


def test_a_gigabyte_of_output_ends_early_and_costs_no_memory() -> None:
    endless = "import sys\nfor _ in range(1000): sys.stdout.write('x' * 1_000_000)"
    start = time.monotonic()
    with pytest.raises(SystemFailedError, match="more than 1,000,000 bytes"):
        python(endless, max_output=1_000_000).search(QUERY)
    assert time.monotonic() - start < 5


def test_a_flood_of_errors_neither_blocks_nor_fills_the_message() -> None:
    flood = "import sys; sys.stderr.write('x' * 5_000_000 + '\\n\\x1b[31mlast'); sys.exit(2)"
    with pytest.raises(SystemFailedError, match=r"exit code 2 .*") as caught:
        python(flood).search(QUERY)
    assert len(str(caught.value)) < 1000


def test_terminal_codes_are_data() -> None:
    assert hits(printing("\x1b[31ma\x1b[0m\n", output="lines"))[0].id == "\x1b[31ma\x1b[0m"


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time, pathlib; time.sleep(5); pathlib.Path({str(mark)!r}).touch()"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {child!r}])"
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"no end after 0\.5 s"):
        python(parent, timeout=0.5).search(QUERY)
    assert time.monotonic() - start < 4.5
    time.sleep(max(0.0, start + 6 - time.monotonic()))
    assert not mark.exists()


def test_a_child_left_behind_does_not_hold_the_answer() -> None:
    leave = "import subprocess, sys; subprocess.Popen(['sleep', '60']); print('[1]')"
    start = time.monotonic()
    assert hits(python(leave))[0].id == "1"
    assert time.monotonic() - start < 10


def test_only_the_named_variables_reach_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOKEN", "s3cr3t")
    monkeypatch.setenv("OTHER_TOKEN", "s3cr3t")
    tell = "import os, json; print(json.dumps([n for n in os.environ if n.endswith('_TOKEN')]))"
    system = python(tell, env=("SEARCH_TOKEN",))
    assert [hit.id for hit in hits(system)] == ["SEARCH_TOKEN"]
    assert hits(python(tell)) == ()
    assert "s3cr3t" not in str(system.describe())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "app: this table needs the key `command`"),
        ({"command": []}, "an empty list"),
        ({"command": ["find"]}, r"no \{query\}"),
        ({"command": "find {query}"}, "app.command: expected a list, found the text 'find {query}'"),
        ({"command": ["f", "{query}"], "timeuot": 3}, r"app.timeuot: .*Did you mean `timeout`\?"),
        (
            {"command": ["f", "{query}"], "timeout": "3"},
            "app.timeout: expected a number of seconds .*, found the text '3'",
        ),
        ({"command": ["f", "{query}"], "timeout": 0}, "timeout: expected a number of seconds .*, found 0"),
        ({"command": ["f", "{query}"], "max_output": True}, "expected a whole number"),
        ({"command": ["f", "{query}"], "stdin": "xml"}, "expected `none`, `query` or `json`"),
        ({"command": ["f", "{query}"], "hits": "a["}, "app.hits: .*a JMESPath expression"),
        ({"command": ["f", "{query}"], "fields": {"id": "(("}}, "app.fields.id"),
        ({"command": ["f", "{query}"], "fields": {"file": "x"}}, "app.fields.file: unknown field `file`"),
        ({"command": ["f", "{query}"], "fields": {"id": 3}}, "fields.id: expected text, found 3"),
        ({"command": ["f", "{query}"], "pattern": "(?P<id>.)"}, "output = 'lines'"),
        ({"command": ["f", "{query}"], "output": "lines", "hits": "x"}, "lines are read by a pattern"),
        ({"command": ["f", "{query}"], "output": "lines", "pattern": "("}, "a regular expression"),
        ({"command": ["f", "{query}"], "output": "lines", "pattern": "x"}, "no named group"),
        ({"command": ["f", "{query}"], "output": "lines", "pattern": "(?P<file>.)"}, "the groups file"),
        ({"command": ["f", "{query}"], "env": ["NO_SUCH_VARIABLE"]}, "not set"),
    ],
)
def test_options_that_are_wrong_are_refused_before_any_query(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_command("app", options)


def test_every_wrong_option_is_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        open_command("app", {"comand": ["f"], "timeout": "x"})
    assert [problem.where for problem in caught.value.problems] == ["app", "app.comand", "app.timeout"]


def test_whole_numbers_are_numbers_and_lists_are_kept() -> None:
    system = open_command("app", {"command": ["f", "{query}"], "timeout": 3, "cwd": "."})
    assert (system.describe()["timeout"], system.describe()["command"]) == (3.0, ("f", "{query}"))
