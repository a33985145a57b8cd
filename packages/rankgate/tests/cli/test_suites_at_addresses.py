"""Suites at ``s3://``: the same verdicts, scores and words as of the file, and nothing is written there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate import InputError, evaluate, load_suite
from rankgate.evaluation.project.opening import load_here
from rankgate.files.stores import object_store
from rankgate.files.stores.suite_copies import suite_copy, suite_file
from rankgate.suites.formats import format_named
from support.commands import rankgate
from support.projects import write_project
from support.s3_servers import SECRET

if TYPE_CHECKING:
    from support.s3_servers import S3Server

pytestmark = pytest.mark.once
_LABEL = {
    "case": "revoke-a-leaked-key",
    "query": "revoke a leaked key",
    "judge": "ada",
    "at": "keys.md:3-5",
    "grade": 0.0,
    "time": "2026-11-17T10:00:00Z",
}


class Store:
    """The folder of the store that a test has for itself."""

    def __init__(self, address: str, server: S3Server) -> None:
        assert server.folder is not None
        self.address = address
        self.folder = server.folder / address.rpartition("/")[2]
        self.folder.mkdir()

    def put(self, name: str, data: bytes | str) -> str:
        """Write an object, and return its address."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return f"{self.address}/{name}"

    def names(self) -> list[str]:
        """List what is there."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*"))


@pytest.fixture
def store(address: str, server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Store:
    """Write a project, go there, and put its suite into the store."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    store = Store(address, server)
    store.put("search.yaml", Path("search.yaml").read_bytes())
    return store


def _reported(suite: str, system: str) -> tuple[object, str, str]:
    """Test a suite, and return the code, the report without times and names of the suite, and its words."""
    done = rankgate("test", suite, "-s", system, "-o", "json=report.json")
    assert done.code in (0, 1), done.err
    report = json.loads(Path("report.json").read_text())
    words = json.dumps(_timeless(report), indent=1, sort_keys=True).replace(suite, "SUITE")
    return done.code, words, done.out


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        names = [name for name in value if not re.search("seconds|latenc|time|_ms", name)]
        return {name: _timeless(value[name]) for name in names}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def _without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+Z?", "TIME", text)


@pytest.mark.parametrize("system", ["app", "good"])
def test_the_same_suite_has_the_same_verdict_here_and_there(store: Store, system: str) -> None:
    there, here = f"{store.address}/search.yaml", "search.yaml"
    code, report, printed = _reported(there, system)
    assert (code, report) == _reported(here, system)[:2]
    assert code == (1 if system == "app" else 0)
    assert '"value": ' in report
    assert "rankgate-store-" not in report + printed


def test_results_are_kept_by_the_address_and_a_local_suite_keeps_its_own(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    assert rankgate("test", there, "-s", "good").code == 0
    (kept,) = Path(".rankgate").glob("s3-tests-*~*")
    assert not Path(".rankgate/search").exists()
    assert rankgate("test", "search.yaml", "-s", "good").code == 0
    other = store.put("other/search.yaml", Path("search.yaml").read_bytes())
    assert rankgate("test", other, "-s", "good").code == 0
    assert len(list(Path(".rankgate").glob("s3-tests-*~*"))) == 2
    assert Path(".rankgate/search/good/report.json").is_file()
    texts = [path.read_text() for path in kept.rglob("*.json")] + [(kept / "good/report.md").read_text()]
    assert not [text for text in texts if "rankgate-store-" in text]
    assert store.names() == ["other", "other/search.yaml", "search.yaml"]


def test_a_baseline_made_of_the_file_is_valid_for_the_address_and_the_other_way_round(store: Store) -> None:
    there, file = f"{store.address}/search.yaml", Path("baselines/search.good.jsonl")
    assert rankgate("test", "search.yaml", "-s", "good").code == 0
    rankgate("baseline", "set", "search.yaml", "-s", "good").printed()
    of_file = file.read_text()
    passed = rankgate("test", there, "-s", "good")
    assert passed.code == 0
    assert "the answers to all 3 queries are unchanged" in passed.out
    said = rankgate("baseline", "set", there, "-s", "good").printed()
    assert said.startswith("baselines/search.good.jsonl: the rankings of good on search")
    assert _without_times(file.read_text()) == _without_times(of_file)
    rankgate("baseline", "show", there, "-s", "good").printed()
    app = Path("app.py")
    app.write_text(app.read_text().replace("return [place for", "return ['x' for"))
    lost, lost_here = rankgate("test", there, "-s", "good"), rankgate("test", "search.yaml", "-s", "good")
    assert lost.code == lost_here.code == 1
    assert "lost" in lost.out
    compared = [
        rankgate("compare", "baseline", "good", "-u", suite).printed() for suite in (there, "search.yaml")
    ]
    assert _without_times(compared[0]) == _without_times(compared[1])


def test_a_changed_suite_is_seen_by_the_next_test(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    assert rankgate("test", there, "-s", "good").code == 0
    text = Path("search.yaml").read_text()
    store.put("search.yaml", text.replace("keys.md#Revocation", "keys.md#Rotation"))
    changed = rankgate("test", there, "-s", "good")
    assert changed.code == 1
    before = load_suite(there)
    store.put("search.yaml", text)
    assert load_suite(there).fingerprint == load_suite("search.yaml").fingerprint != before.fingerprint


def test_a_run_of_a_suite_at_an_address_is_resumed_by_the_file_and_by_the_address(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    rankgate("run", there, "-s", "app", "-o", "runs/app", "--repeat", "2").printed()
    for suite in (there, "search.yaml"):
        assert "asked again" in rankgate("run", suite, "-s", "app", "-o", "runs/app", "--resume").printed()
    assert rankgate("test", there, "--resume").code == 1
    store.put("search.yaml", Path("search.yaml").read_text().replace("blockchain", "a ledger"))
    resumed = rankgate("run", there, "-s", "app", "-o", "runs/app", "--resume")
    Path("search.yaml").write_text(Path("search.yaml").read_text().replace("blockchain", "a ledger"))
    here = rankgate("run", "search.yaml", "-s", "app", "-o", "runs/app", "--resume")
    assert (resumed.code, resumed.err) == (here.code, here.err.replace("search.yaml", there))


def test_labels_and_anchors_beside_a_suite_count_and_hostile_names_are_refused(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    line = json.dumps(_LABEL) + "\n"
    for name in ("judgments/ada.jsonl", "judgments/deeper/bob.jsonl", "judgments/notes.txt"):
        store.put(name, line if name.endswith("ada.jsonl") else "what is no label\n")
    Path("judgments").mkdir()
    Path("judgments/ada.jsonl").write_text(line)
    rankgate("suite", "anchor", "search.yaml").printed()
    store.put("search.anchors.json", Path("search.anchors.json").read_bytes())
    scored = [_reported(suite, "app")[1] for suite in (there, "search.yaml")]
    assert scored[0] == scored[1]
    linted = rankgate("suite", "lint", there), rankgate("suite", "lint", "search.yaml")
    assert linted[0].out.replace(there, "search.yaml") == linted[1].out
    Path("judgments/ada.jsonl").unlink()
    assert _reported("search.yaml", "app")[1] != scored[0]
    store.put("judgments/..\\evil.jsonl", line)
    said = rankgate("test", there, "-s", "app").refused()
    assert f"{store.address}/judgments: found the name '..\\\\evil.jsonl', expected names of files" in said


@pytest.mark.parametrize("name", ["../evil.jsonl", "/etc/evil.jsonl", "a\n.jsonl", "..", "c:evil.jsonl"])
def test_no_name_that_a_store_lists_leaves_the_copy(
    name: str, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Lying:
        """A store that lists whatever it likes."""

        def __init__(self, _address: object) -> None:
            self.fetched: list[Path] = []

        def names(self) -> list[str]:
            return [name]

        def fetch(self, _name: str, path: Path, _most: int) -> bool:
            self.fetched.append(path)
            path.write_bytes(b"{}\n")
            return True

    lying = Lying(None)
    monkeypatch.setattr(object_store, "open_store", lambda _address: lying)
    from rankgate.truth.judgments.labels import labels_folder

    copy = suite_copy(f"{address}/search.yaml")
    with suppress(InputError):
        labels_folder(copy)
    assert all(path.resolve().is_relative_to(copy.parent) for path in lying.fetched)
    assert not list(tmp_path.rglob("evil*"))


def test_what_cannot_be_fetched_is_refused_in_words_that_name_the_address(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for suite, words in (
        (f"{store.address}/none.yaml", "found no such object, expected a suite"),
        (store.address.rpartition("/")[0], "found no name of an object"),
        (f"{store.address}/", "found no name of an object"),
        ("http://example.org/search.yaml", "found an address of another kind"),
    ):
        for call in (("test",), ("suite", "lint"), ("plan",), ("baseline", "show")):
            said = rankgate(*call, suite).refused()
            assert f"{suite}: {words}" in said
    big = store.put("big.yaml", b"cases:\n" + b"#" * 20_000_000)
    assert f"{big}: found 20000007 bytes, expected at most 20000000" in rankgate("test", big).refused()
    wrong = store.put("wrong.yaml", "cases:\n  - query: a\n    att: keys.md\n")
    assert f"{wrong}:3:" in rankgate("test", wrong).refused()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", f"{SECRET}-another")
    said = rankgate("test", f"{store.address}/search.yaml", "-o", "json=report.json").refused()
    assert f"{store.address}/search.yaml: found" in said
    assert "[store-failed]" in said
    assert SECRET not in said + Path("report.json").read_text()


def test_documents_come_from_the_project_or_a_pinned_source_and_not_from_the_store(store: Store) -> None:
    text = Path("search.yaml").read_text()
    ids = store.put("ids.yaml", "cases:\n  - query: revoke a leaked key\n    id: keys.md#Revocation\n")
    assert rankgate("test", ids, "-s", "good").code == 0
    absolute = store.put("absolute.yaml", text.replace("docs/", str(Path("docs").resolve())))
    assert rankgate("test", absolute, "-s", "good").code == 0
    store.put("pages/keys.md", "# Keys\n")
    beside = store.put("beside.yaml", text.replace("docs/", "pages/"))
    said = rankgate("test", beside, "-s", "good").refused()
    assert f"{beside}: found corpus: pages/, which the project does not have" in said
    assert "put the documents at pages, or name them in the suite as git or sdist" in said
    Path("../outside").mkdir()
    outside = store.put("outside.yaml", text.replace("docs/", "../outside/"))
    assert "outside" in rankgate("test", outside, "-s", "good").refused()


def test_what_would_be_written_into_a_suite_is_refused_with_what_to_do(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    for call in (
        *(("suite", command) for command in ("anchor", "mend", "drift", "update", "changes")),
        ("judge",),
        ("judge", "apply"),
        ("judge", "ask", "--judge", "a"),
        ("doctor",),
        ("ask", "app", "rotate", "--save-case", "-S"),
    ):
        said = rankgate(*call, there).refused()
        assert f"{there}: found an address, expected a file or folder of this machine; fetch it" in said
    assert "--watch: found an address too" in rankgate("test", there, "--watch").refused()
    with Path("rankgate.toml").open("r+") as file:
        text = file.read().replace("search.yaml", there)
        file.seek(0)
        file.write(text)
    assert f"suites: found {there!r}, expected files of this project" in rankgate("test").refused()
    assert store.names() == ["search.yaml"]


def test_python_has_the_same_suite_the_same_scores_and_the_same_refusals(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    suite, here = load_suite(there), load_suite("search.yaml")
    assert (suite, suite.fingerprint, suite.path) == (here, here.fingerprint, there)
    assert [case.where for case in suite.cases] == [
        case.where.replace("search.yaml", there) for case in here.cases
    ]
    remote, local = evaluate(suite, "app"), evaluate(here, "app")
    assert remote["rr"] == local["rr"]
    assert remote.exit_code == local.exit_code == 1
    with pytest.raises(InputError) as refused:
        load_suite(f"{store.address}/none.yaml")
    assert str(refused.value) in rankgate("test", f"{store.address}/none.yaml").refused()


def test_pytest_has_the_same_ranks_by_its_fixture_and_refuses_items(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    Path("test_search.py").write_text(
        "import pytest\n"
        "from rankgate import InputError\n"
        "def test_ranks(rankgate):\n"
        f"    there, here = rankgate({there!r}, system='app'), rankgate('search.yaml', system='app')\n"
        "    assert there['rr'] == here['rr'] == pytest.approx(0.4167, abs=1e-4)\n"
        "def test_none(rankgate):\n"
        f"    with pytest.raises(InputError, match='none.yaml: found no such object, expected a suite'):\n"
        f"        rankgate('{store.address}/none.yaml', system='app')\n"
    )
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*call, "test_search.py"], capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    words = f"{there}: found an address, expected a file that pytest collects; ask for it in a test"
    named = subprocess.run([*call, there], capture_output=True, text=True, check=False)
    assert (named.returncode, words in named.stderr) == (4, True), named.stderr
    Path("pytest.ini").write_text(f"[pytest]\nrankgate_suites = {there}\n")
    listed = subprocess.run([*call, "test_search.py"], capture_output=True, text=True, check=False)
    assert (listed.returncode, words in listed.stderr) == (4, True), listed.stderr


def test_a_large_suite_is_read_as_its_cases_are_needed(store: Store) -> None:
    parquet = format_named("parquet")
    assert parquet.write is not None
    parquet.write(load_suite("search.yaml"), Path("search.parquet"))
    there = store.put("search.parquet", Path("search.parquet").read_bytes())
    suite, here = load_suite(there), load_suite("search.parquet")
    assert suite.fingerprint == here.fingerprint
    assert list(suite.cases[:2]) == list(here.cases[:2])
    assert suite.cases[1].where == here.cases[1].where.replace("search.parquet", there)
    assert rankgate("test", there, "-s", "good").code == 0


def test_a_suite_that_another_process_read_is_fetched_where_it_is_needed(store: Store) -> None:
    from rankgate.files.stores import suite_copies

    there = load_suite(f"{store.address}/search.yaml").path
    assert there is not None
    suite_copies._LATEST.clear()
    assert suite_file(there).read_bytes() == Path("search.yaml").read_bytes()


def test_the_fixture_reads_a_suite_where_temporary_files_lie_in_the_project(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(Path("temporary").resolve()))
    suite = load_here(suite_copy(f"{store.address}/search.yaml"))
    assert suite.path == f"{store.address}/search.yaml"


def test_notes_and_errors_of_labels_name_the_address(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    store.put("other.yaml", "cases: []\n")
    other = {**_LABEL, "suite": "other.yaml"}
    store.put("judgments/ada.jsonl", f"{json.dumps(_LABEL)}\n{json.dumps(other)}\n{{")
    _, _, printed = _reported(there, "app")
    report = Path("report.json").read_text()
    assert f"{store.address}/judgments/ada.jsonl: the last line has no end" in report
    assert f"{store.address}/judgments: 1 label of other.yaml left out" in report
    assert "does not exist" not in report + printed
    assert "rankgate-store-" not in report + printed
    store.put("judgments/bob.jsonl", "{}\n")
    with pytest.raises(InputError) as raised:
        evaluate(load_suite(there), "app")
    assert f"{store.address}/judgments/bob.jsonl:1" in str(raised.value)
    assert "rankgate-store-" not in str(raised.value)


def test_lint_offers_no_command_that_an_address_is_refused_by(store: Store) -> None:
    there = f"{store.address}/search.yaml"
    Path("docs/keys.md").write_text("# Other\n\nNothing.\n")
    said = rankgate("suite", "lint", there).out
    assert f"fetch {there}, run rankgate suite mend search.yaml and put it back" in " ".join(said.split())
    assert f"suite mend {there}" not in said
