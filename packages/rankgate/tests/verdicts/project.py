"""A state as files: suites, corpus, configuration, and what its systems are made of."""

from __future__ import annotations

import json
import shlex
import shutil
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from verdicts.oracle.judge import LIMIT_MS
from verdicts.oracle.scorer import parsed
from verdicts.state import TIRED, WAVERING, answer_of, lines_on_top

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verdicts.state import Answer, Case, Question, State, Suite, System, Target

FILES = "abcdef"
FOLDERS = ("runs/a", "runs/b", "runs/m", "runs/n", "part-1", "part-2")
BLOCKS = ("1-4", "5-8", "9-12")
TODAY = datetime.now(UTC).date()
_XFAIL = {"past": "2020-01-31", "today": str(TODAY), "future": "2099-01-31"}
_LIMIT = LIMIT_MS / 1000
_SLEEP = _LIMIT * 1.5
_PATIENCE = 60.0
"""The time limit where nothing is meant to be late: a busy machine is no fault."""

_MODULE = """\
import time
{imports}
TIRING = dict.fromkeys(BOOK.get("", ()), 0)
WAVERS = "wavers" in BOOK


def search(query, k, filters=None):
    key = query + "".join(f"|{{name}}={{value}}" for name, value in sorted((filters or {{}}).items()))
    answer = BOOK.get(key, [])
    if key in TIRING:
        TIRING[key] += 1
        if TIRING[key] > 1 and not WAVERS:
            raise RuntimeError("too tired")
        if TIRING[key] > 1 and isinstance(answer, list):
            answer = answer[::-1]
    if answer == "error":
        raise RuntimeError("the index is gone")
    if answer == "late":
        time.sleep({sleep})
        return []
    return answer[:k]
"""


class Project:
    """The folder of a state; what is written by commands stays when the rest is written again."""

    def __init__(self, folder: Path, address: str = "", home: str = "") -> None:
        self.folder = folder
        """Where commands are called."""
        self.root = folder / home
        self._home = home
        self._address = address
        self._written: dict[str, str] = {}
        self.variables: dict[str, str] = {}

    def write(self, state: State) -> None:
        """Write what differs from what was written last."""
        files = dict(_files(state, self._address))
        self.variables = dict(_variables(state, self._address))
        for name in self._written.keys() - files.keys():
            (self.root / name).unlink(missing_ok=True)
        for name, text in files.items():
            path = self.root / name
            # `baseline set` writes to the configuration.
            if self._written.get(name) != text or name == "rankgate.toml":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        self._written = files
        if self._home:
            (self.folder / "rankgate.toml").write_text(_elsewhere(state), encoding="utf-8")

    def called(self, state: State, call: Sequence[str]) -> list[str]:
        """Write the words of a command as they are typed in the working folder."""
        places = {*(one.path for one in state.suites), *state.runs, *FOLDERS}
        return [self._home + word if word in places else word for word in call]


def _files(state: State, address: str) -> Iterator[tuple[str, str]]:
    for suite in state.suites:
        yield suite.path, suite_text(suite)
    for name in FILES:
        top = lines_on_top(state.corpus.edits)
        lines = [
            *(f"added {number}" for number in range(top, 0, -1)),
            *(f"line {line}" for line in range(1, 13)),
        ][: state.corpus.lines(f"{name}.md")]
        if lines:
            yield f"docs/{name}.md", "".join(f"{name} {line}\n" for line in lines)
    yield "docs/news.md", f"edition {state.corpus.edits}\n"
    yield "rankgate.toml", _configuration(state, address)
    for number, system in enumerate(state.systems):
        yield from _made_of(state, number, system)


def _elsewhere(state: State) -> str:
    """Write the configuration of another project, in which nothing would fail."""
    table = "command = ['false', '{query}']\ngate = false\nmax_errors = 50\n"
    return "\n".join(f"[systems.{json.dumps(one.name)}]\n{table}" for one in state.systems)


def _variables(state: State, address: str) -> Iterator[tuple[str, str]]:
    for number, system in enumerate(state.systems):
        if system.via == "variable":
            yield f"BOOK_{number}", f"{address}/{system.book}" if system.kind == "http" else system.book


def suite_text(suite: Suite) -> str:
    """Write a suite as YAML; a case a line."""
    lines = [f"# {suite.note}"] if suite.note else []
    lines += [f"corpus: {'../' * suite.path.count('/')}docs/"] if suite.corpus else []
    lines += [f"k: {suite.k}"] if suite.k else []
    lines += ["allow_estimated: true"] if suite.allow_estimated else []
    lines += [f"gates: {json.dumps([gate.text for gate in suite.gates])}", "cases:"]
    lines += [f"  - {json.dumps(_case(case, suite))}" for case in suite.cases]
    lines += _probes(suite)
    if suite.collides:
        target = {"at": "a.md"} if suite.corpus else {"id": "d1"}
        lines += [f"  - {json.dumps({'query': query} | target)}" for query in ("is it C++", "is it C#")]
    return "\n".join(lines) + "\n"


def _probes(suite: Suite) -> Iterator[str]:
    """Write scenarios and invariants, of which a suite may have either."""
    steps = [(one.name, {"search": one.query, "finds": one.finds}) for one in suite.probes if one.finds]
    empty = [{"name": one.name, "empty": one.query} for one in suite.probes if not one.finds]
    if steps:
        yield f"scenarios: {json.dumps([{'name': name, 'steps': [step]} for name, step in steps])}"
    if empty:
        yield f"invariants: {json.dumps(empty)}"


def _target(one: Target, key: str) -> dict[str, object]:
    written: dict[str, object] = {key: one.place, "grade": one.grade}
    written |= {} if one.reviewed else {"reviewed": False}
    return written | ({} if one.group is None else {"group": one.group})


def _case(case: Case, suite: Suite) -> dict[str, object]:
    key = "at" if suite.corpus else "id"
    written: dict[str, object] = {"name": case.name, "query": case.query}
    if case.targets:
        written[key] = [_target(one, key) for one in case.targets]
    if case.answer:
        written["answer"] = answer_of(case.name)
    if case.exhaustive:
        written["exhaustive"] = True
    if case.never:
        written["never"] = {key: case.never}
    if case.empty:
        written["expect"] = "empty"
    if case.top:
        written["top"] = {key: case.top[0], "within": case.top[1]}
    tags = [*([f"lang={case.lang}"] if case.lang else []), *case.tags]
    if tags:
        written["tags"] = tags
    if case.xfail:
        written["xfail"] = {"reason": "known", "until": _XFAIL[case.xfail]}
    if case.filters:
        written["filters"] = dict(case.filters)
    if case.weight != 1:
        written["weight"] = case.weight
    written |= {name: value for name in ("category", "group") if (value := getattr(case, name))}
    return written


def _configuration(state: State, address: str) -> str:
    lines = [f"suites = {json.dumps([suite.path for suite in state.suites])}"]
    lines += ["require_baseline = true"] if state.require_baseline else []
    slow = any("late" in book.values() for book in state.books.values())
    for number, system in enumerate(state.systems):
        lines += ["", f"[systems.{json.dumps(system.name)}]", *_table(number, system, address, slow=slow)]
    return "\n".join(lines) + "\n"


def _table(number: int, system: System, address: str, *, slow: bool) -> Iterator[str]:
    if system.kind == "function":
        yield f'function = "./app_{number}.py:search"'
        yield "thread_safe = true"
        if system.via == "depends":
            yield f'depends = ["book_{number}.json"]'
    elif system.kind == "command":
        mode = {"argument": system.book, "variable": "-"}.get(system.via, "-")
        yield f"command = {json.dumps(['sh', f'find_{number}.sh', mode, '{query}'])}"
        if system.via == "variable":
            yield f'env = ["BOOK_{number}"]'
    elif system.kind == "http":
        yield 'kind = "http"'
        yield from _request(number, system, address)
        yield 'hits = "results"'
    else:
        yield f"run = {json.dumps(system.folder)}"
    if system.kind in ("command", "http") or (slow and system.kind == "function"):
        yield f"timeout = {(_LIMIT if slow else _PATIENCE) + system.option / 1000}"
    if system.kind == "http":
        yield "retries = 0"
    yield from _judged(system)


def _judged(system: System) -> Iterator[str]:
    """Write what a system is judged and asked by, whatever kind it is."""
    if system.gates is not None:
        yield f"gates = {json.dumps([gate.text for gate in system.gates])}"
    if not system.gate:
        yield "gate = false"
    if system.max_errors:
        yield f"max_errors = {system.max_errors}"
    if system.max_gone:
        yield f"max_gone = {system.max_gone}"
    if system.lenient is not None:
        yield f'on_inconclusive = "{"warn" if system.lenient else "fail"}"'
    if system.concurrency > 1:
        yield f"concurrency = {system.concurrency}"


def _request(number: int, system: System, address: str) -> Iterator[str]:
    if system.via == "body":
        yield f'url = "{address}/-"'
        yield f'body_file = "body_{number}.json"'
        return
    if system.via == "variable":
        yield f'url = "${{BOOK_{number}}}"'
    else:
        yield f'url = "{address}/{system.book if system.via == "url" else f"server-{number}"}"'
    mode = f', mode = "{system.book}"' if system.via == "param" else ""
    yield f'params = {{ q = "{{query}}", k = "{{k}}"{mode} }}'


def _made_of(state: State, number: int, system: System) -> Iterator[tuple[str, str]]:
    """Write the files that a system is made of."""
    book = {_key(asked): _shown(answer) for asked, answer in state.books[system.book].items()}
    if system.book in (TIRED, WAVERING):
        book[""] = sorted(map(_key, state.tiring))
    if system.book == WAVERING:
        book["wavers"] = []
    comment = f"# {system.comment}\n"
    if system.kind == "function":
        here = {
            "module": f"BOOK = {book!r}\n",
            "import": f"from book_{number} import BOOK\n",
        }.get(
            system.via,
            "import json\nfrom pathlib import Path\n"
            f'BOOK = json.loads((Path(__file__).parent / "book_{number}.json").read_text())\n',
        )
        yield f"app_{number}.py", comment + _MODULE.format(imports=here, sleep=_SLEEP)
        if system.via == "import":
            yield f"book_{number}.py", f"BOOK = {book!r}\n"
        elif system.via in ("depends", "hidden"):
            yield f"book_{number}.json", json.dumps(book)
    elif system.kind == "command":
        mode = {"argument": "$1", "variable": f"$BOOK_{number}"}.get(system.via, system.book)
        yield f"find_{number}.sh", comment + _script(state, mode, system)
    elif system.kind == "http" and system.via == "body":
        yield f"body_{number}.json", json.dumps({"q": "{query}", "k": "{k}", "mode": system.book})


def _script(state: State, mode: str, system: System) -> str:
    books = state.books if system.via != "script" else {system.book: state.books[system.book]}
    lines = [f'case "{mode}|$2" in']
    for name, book in books.items():
        for asked, answer in book.items():
            what = {
                "error": "echo 'the index is gone' >&2; exit 9",
                "late": f"sleep {_SLEEP}; echo '[]'",
            }.get(
                answer if isinstance(answer, str) else "", f"echo {shlex.quote(json.dumps(_shown(answer)))}"
            )
            lines.append(f"{shlex.quote(f'{name}|{_key(asked)}')}) {what};;")
    return "\n".join([*lines, "*) echo '[]';;", "esac"]) + "\n"


def _key(question: Question) -> str:
    return question.query + "".join(f"|{name}={value}" for name, value in sorted(question.filters))


def _shown(answer: Answer) -> object:
    return answer if isinstance(answer, str) else [hit_of(place) for place in answer]


def hit_of(place: str) -> object:
    """Write a place as the hit that a system returns."""
    path, lines = parsed(place)
    if not path.endswith(".md"):
        return path
    return {"path": path} | ({} if lines is None else {"lines": f"{lines[0]}-{lines[-1]}"})


def served(state: State, book: str, query: str, k: int) -> tuple[int, object]:
    """Return what the HTTP server answers: a status and a value."""
    if book.startswith("server-"):
        book = state.systems[int(book.removeprefix("server-"))].book
    found: Mapping[str, Answer] = {_key(asked): answer for asked, answer in state.books.get(book, {}).items()}
    answer = found.get(query, ())
    if answer == "error":
        return 500, "the index is gone"
    if answer == "late":
        return 0, _SLEEP
    shown = _shown(answer)
    return 200, {"results": shown[:k] if isinstance(shown, list) else []}


@contextmanager
def work_folder() -> Iterator[Path]:
    """Make a folder that is removed afterwards."""
    # Where there is memory to write to, nothing waits for a disk.
    home = "/dev/shm" if Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="verdict-", dir=home)).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
