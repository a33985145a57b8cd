"""Hostile strings through a whole project into every output: none of them becomes more than text.

    python -m support.hostile 100000         # this many strings
    python -m support.hostile 3000 7         # of another seed

Each goes through a query, an id, a category, a hit, a path, an error or a name into what the commands print,
as in a job of GitHub, and into every report. A second project with plain words in their place says which
elements and which escapes are rankgate's own. A failure is printed with the seed of its batch.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from xml.etree import ElementTree as ET

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options

from rankgate.errors import LocationError
from rankgate.locations import normal_path
from rankgate.reports import comment, markdown, terminal
from rankgate.reports.formats import FORMATS, laid_out
from rankgate.reports.json_report import read
from rankgate.reports.text.command_guard import CommandGuard
from rankgate.reports.text.github import Escapes, command, table
from rankgate.reports.text.printable import printable, printable_block
from support.commands import rankgate
from support.hostile_strings import hostile_string
from support.workflow_commands import obeyed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES = 100
"""How many cases a project has."""
STRINGS = 6
"""How many strings a case takes."""
_APP = """\
import json, pathlib
ANSWERS = json.loads(pathlib.Path("answers.json").read_text(encoding="utf-8"))
def search(query, k):
    answer = ANSWERS.get(query, [])
    if isinstance(answer, str):
        raise ValueError(answer)
    return answer[:k]
"""
_JOINERS = "\u200c\u200d"
_PAIR = re.compile(r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}")
_ANNOTATIONS = ("error", "warning", "notice")
_NOW_AND_THEN = {("body", "p"), ("details", "p"), ("li", "ul"), ("li", "strong")}
_OF_WORDS = {("code", "span class=folder"), ("p", "mark")}
"""Elements of a page around words that a query has, and around folders."""
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~])?")
_MENTION = re.compile(r"(?<![a-z0-9_])@[a-z0-9]", re.IGNORECASE)
_OURS = re.compile(r"(?: | rankgate: \S+(?: \S+)*(?:; \S+ \S+)* )\Z")


@dataclass
class Printed:
    """What a project was shown as: elements and escapes of each output, and what is wrong with any."""

    elements: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    escapes: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def call(self, *words: str, annotations: tuple[str, ...] = ()) -> None:
        """Call a command, and check what it prints on both streams."""
        done, name = rankgate(*words), " ".join(words[:2])
        self.stream(name, done.out, annotations)
        self.stream(f"{name}, errors", done.err)
        if done.code not in (0, 1, 2, 3, 4):
            self.problems.append(f"{name}: exit code {done.code}")

    def stream(self, name: str, text: str, annotations: tuple[str, ...] = ()) -> None:
        """Check what a command printed to a pipe, in a job of GitHub."""
        self.controls(name, text)
        for one in obeyed(text):
            if one.name not in annotations or "title=rankgate" not in one.properties:
                self.problems.append(f"{name}: the workflow command {one!r}")

    def controls(self, name: str, text: str) -> None:
        """Check that a text has no control character but ends of lines and tabs."""
        odd = {char for char in text if not char.isprintable() and char not in "\n\t" + _JOINERS}
        if odd:
            self.problems.append(f"{name}: controls {sorted(odd)!r}")

    def coloured(self, name: str, text: str) -> None:
        """Check what goes to a terminal: colours of our own, and no other control."""
        self.escapes |= set(_ESCAPE.findall(text))
        self.controls(name, _ESCAPE.sub("", text))

    def page(self, name: str, html: str) -> None:
        """Count the elements of a page, each with the one around it and the names of its attributes."""
        found: Counter[tuple[str, str]] = Counter()
        for around, node in _nodes(html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)):
            if callable(node.tag):
                if not _OURS.fullmatch(node.text or ""):
                    self.problems.append(f"{name}: the comment {node.text!r}")
                continue
            attributes = "".join(f" {key}" for key in sorted(node.attrib) if key != "start")
            if "class" in node.attrib:
                attributes += f"={node.attrib['class']}"
            found[(_tag(around), node.tag + attributes)] += 1
            texts = [node.text, *(child.tail for child in node)] if node.tag not in ("code", "script") else []
            if name != "html" and (mention := next(filter(None, map(_mention, texts)), None)):
                self.problems.append(f"{name}: the mention {mention!r}")
        self.elements[name] = found

    def markdown(self, name: str, text: str) -> None:
        """Count the elements of Markdown, rendered as GitHub does but for what it takes out afterwards."""
        self.page(name, cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))


def _mention(text: str | None) -> str | None:
    found = _MENTION.search(text or "")
    return found and found[0]


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [(None, tree)]
    while waiting:
        around, node = waiting.pop()
        yield around, node
        waiting += [(node, child) for child in node]


def _tag(node: Any) -> str:
    return "" if node is None else str(node.tag)


def write_project(folder: Path, draw: Callable[[str], str], cases: int) -> tuple[str, list[str]]:
    """Write a suite, its answers and what they are judged by; return the system's name and the queries."""
    rows: list[dict[str, object]] = []
    answers: dict[str, object] = {}
    judged = []
    for number in range(cases):
        query = f"{draw('query')} {number}"
        case = f"{draw('id')} {number}"
        rows.append({"name": case, "query": query, "id": draw("target")})
        if number % 3 == 0:
            rows[-1]["category"] = f"{draw('category')} {number}"
        if number % 7 == 0:
            rows[-1]["xfail"] = {"reason": draw("reason"), "until": "2999-01-01"}
        text = draw("text")
        hits = [{"id": draw("hit"), "text": text}, {"path": _path(draw("path")), "text": text}]
        # Errors that differ in figures alone are told as one: letters keep them apart.
        apart = f"{'abcdefghij'[number // 10 % 10]}{'klmnopqrst'[number % 10]}"
        answers[query] = f"{draw('error')} {apart}" if number % 4 == 0 else hits
        judged.append({"query": case, "id": "a", "grade": 1})
    suite = {"name": draw("name"), "gates": ["rr >= 0.9", "worst(category) rr >= 0.5"], "cases": rows}
    (folder / "search.yaml").write_text(_escaped(suite))
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    (folder / "judged.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in judged), encoding="utf-8")
    (folder / "app.py").write_text(_APP)
    system = draw("system")[:80]
    name = _escaped(system)
    told = f'system = {name}\nmax_errors = {cases}\n[systems.{name}]\nfunction = "./app.py:search"\n'
    (folder / "rankgate.toml").write_text(told)
    return system, list(answers)


def _path(text: str) -> str:
    """Return a path that a hit may have: one that is refused would be an error, and no hit."""
    try:
        return normal_path(text)
    except LocationError:
        return "docs/" + re.sub(r"[./\\\0]", "-", text)


def _escaped(value: object) -> str:
    """Write a value as JSON, with whole characters in its escapes, as YAML and TOML want them."""

    def whole(pair: re.Match[str]) -> str:
        return f"\\U{ord(json.loads(chr(34) + pair[0] + chr(34))):08x}"

    return _PAIR.sub(whole, json.dumps(value)).replace("\x7f", "\\u007f")


def show(folder: Path, system: str, queries: list[str], *, every: bool = True) -> Printed:
    """Test a project against its baseline, look at its reports, and at what every other command prints."""
    shown = Printed()
    with chdir(folder), patch.dict(os.environ, {"GITHUB_ACTIONS": "true"}):
        answers = Path("answers.json").read_text(encoding="utf-8")
        without_errors = {
            query: [] if isinstance(one, str) else one for query, one in json.loads(answers).items()
        }
        Path("answers.json").write_text(json.dumps(without_errors), encoding="utf-8")
        shown.call("test", "search.yaml", annotations=_ANNOTATIONS)
        shown.call("baseline", "set", "search.yaml")
        Path("answers.json").write_text(answers, encoding="utf-8")
        shown.call("test", "search.yaml", annotations=_ANNOTATIONS)
        (home,) = (path.parent for path in Path(".rankgate").glob("*/*/report.json"))
        if every:
            _other_commands(shown, home, system, queries)
        _reports(shown, home)
    return shown


def _other_commands(shown: Printed, home: Path, system: str, queries: list[str]) -> None:
    for style in FORMATS:
        annotations = _ANNOTATIONS if style == "github" else ()
        shown.call("report", str(home), "--format", style, annotations=annotations)
    shown.call("suite", "lint", "search.yaml")
    shown.call("suite", "lint", "search.yaml", "--format", "json")
    shown.call("suite", "lint", "search.yaml", "--format", "github", annotations=_ANNOTATIONS)
    for style in ("table", "csv", "json", "trec"):
        shown.call("score", "judged.jsonl", str(home / "run"), "--per-query", "--format", style)
    shown.call("compare", str(home / "run"), str(home / "run"), "--suite", "search.yaml")
    shown.call("baseline", "set", "search.yaml")
    shown.call("baseline", "show", "search.yaml")
    shown.call("list", "systems")
    for query in queries[:4]:
        shown.call("query", system, query)
        shown.call("query", query, "x")
    shown.call("run", f"{queries[0][:40]}.yaml")


def _reports(shown: Printed, home: Path) -> None:
    (report,) = read(home / "report.json")
    shown.markdown("comment", comment.render(report, limit=1 << 40))
    shown.markdown("cut comment", comment.render(report))
    # What is recommended depends on what words are like: of that only the kinds of elements can be compared.
    shown.markdown("markdown", markdown.render(replace(report, recommendations=())))
    shown.markdown("whole markdown", markdown.render(report))
    shown.page("html", (home / "report.html").read_text(encoding="utf-8"))
    with patch.object(sys.stdout, "isatty", return_value=True, create=True):
        shown.coloured("terminal", terminal.render(report, colour=True))
    ET.fromstring(laid_out("junit", [report]).encode())
    json.loads(laid_out("json", [report]))


def try_strings(seed: int, cases: int = CASES) -> list[str]:
    """Draw a project of hostile strings and return what is wrong with what is shown of it."""
    random, plain = Random(seed), Random(seed)
    with tempfile.TemporaryDirectory() as hostile, tempfile.TemporaryDirectory() as harmless:
        drawn = write_project(Path(hostile), lambda _: hostile_string(random), cases)
        found = show(Path(hostile), *drawn)
        words = write_project(Path(harmless), lambda part: f"{part} {plain.randrange(10**9)}", cases)
        own = show(Path(harmless), *words, every=False)
    problems = [*found.problems, *(f"plain words: {problem}" for problem in own.problems)]
    for name, like in {"cut comment": "comment", "whole markdown": "markdown"}.items():
        known = own.elements.pop(name).keys() | own.elements[like].keys() | _NOW_AND_THEN
        if other := found.elements.pop(name).keys() - known:
            problems.append(f"{name}: elements that the template does not write: {other}")
    for name, elements in own.elements.items():
        more = found.elements[name] - elements
        if more.keys() - (_OF_WORDS if name == "html" else set()):
            problems.append(f"{name}: elements that the template does not write: {dict(more)}")
        if fewer := elements - found.elements[name]:
            problems.append(f"{name}: elements of the template that are not there: {dict(fewer)}")
    if escapes := found.escapes - own.escapes:
        problems.append(f"terminal: escapes of others: {sorted(escapes)!r}")
    return [f"seed {seed}: {problem}" for problem in problems]


def try_texts(seed: int, count: int) -> list[str]:
    """Draw strings and put each where layouts have text, code, cells, commands, lines of a terminal."""
    random, own, found = Random(seed), Printed(), Printed()
    strings = [hostile_string(random) for _ in range(count)]
    found.markdown("texts", "\n\n".join(_blocks(strings)))
    own.markdown("texts", "\n\n".join(_blocks([f"word {number}" for number in range(count)])))
    for text in strings:
        found.controls("line", printable(text))
        found.controls("block", printable_block(text))
        found.stream("command", command("error", text, file=text, title=f"rankgate: {text}"), ("error",))
        written = io.StringIO()
        guard = CommandGuard(written)
        cuts = sorted(random.sample(range(len(text) + 1), min(3, len(text))))
        guard.writelines(text[start:end] for start, end in zip((0, *cuts), (*cuts, None), strict=True))
        if obeyed(written.getvalue()):
            found.problems.append(f"guard: {text!r} is obeyed")
    if found.elements != own.elements:
        apart = (
            found.elements["texts"] - own.elements["texts"],
            own.elements["texts"] - found.elements["texts"],
        )
        found.problems.append(f"texts: elements too many and too few: {apart}")
    return [f"seed {seed}: {problem}" for problem in found.problems]


def _blocks(strings: list[str]) -> Iterator[str]:
    for text in strings:
        by = Escapes(line=400, name=160) if len(text) > 400 else Escapes()
        shown, title, code, cell = by.text(text), by.title(text), by.code(text), by.code(text, cell=True)
        yield f"### ❌ {title}: {shown}"
        yield f"- ❌ {code} ({code} at {code})\n  - {shown}\n  - expected {code}: {shown}\n  1. {code}"
        yield table(("", cell, "n"), "r", [("❌", cell, shown), (title, shown, code.replace("|", "\\|"))])
        yield f"<details>\n<summary>Against {by.html(text)}</summary>\n\n- {shown}\n\n</details>"
        yield f"<sub>{title} · {code}</sub>"


def main() -> int:
    """Try as many strings as asked for, in two processes; print what is wrong and how long it took."""
    count, seed = (int(word) for word in (*sys.argv[1:], *("3000", "0")[len(sys.argv) - 1 :]))
    begun, batches = time.monotonic(), -(-count // (CASES * STRINGS))
    seeds = range(seed, seed + batches)
    with ProcessPoolExecutor(2) as workers:
        tried = (
            *workers.map(try_strings, seeds),
            *workers.map(try_texts, seeds, [CASES * STRINGS] * batches),
        )
    found = [one for batch in tried for one in batch]
    sys.stdout.writelines(f"{problem[:2000]}\n" for problem in found[:20])
    seconds = time.monotonic() - begun
    sys.stdout.write(
        f"{batches * CASES * STRINGS:,} hostile strings, {len(found)} failures, {seconds:.0f} s\n"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
