"""``rankgate suite lint``, as a shell calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate, rankgate_alone
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = "# Keys\n\n## Rotation\n\nRotate an API key every 90 days.\n\n## Revoking\n\nRevoke a key at once.\n"
STORE = '''"""Where keys are kept."""


class KeyStore:
    def rotate_key(self, name):
        """Replace a key by a fresh one."""
        # The old one stays valid for a day.
        return name
'''


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


CLEAN = """\
corpus: docs/
cases:
  - query: how often are secrets renewed
    at: keys.md#Rotation
  - query: stop someone from using a credential
    at: keys.md#Revoking
"""
MESSY = """\
corpus: docs/
gates:
  - ndcg@10 >= 0.65 where category = vague
  - ndcg@10 >= 0.65 where category = exat
  - worst(category) ndcg@10 >= 0.5
  - ndgc@10 >= 0.5
cases:
  - query: rotate an API key
    at: keys.md#Rotation
    category: vague
  - {query: "Rotate an API key?", at: {keys.md#Rotation: 2}, category: vague, name: rotate-an-api-key-2}
  # Two lines that
  # stand for nothing.
  - query: rotating API keys
    at: keys.md#Revoking
    category: vague
  - query: revoke a token
    at: [keys.md#Revocation, key.md, "keys.md:4-60"]
    category: exact
  - query: revoke a tokne
    at: {keys.md: 0, keys.md#Revoking: 1}
    category: exact
  - query: keep replaced credentials valid
    at: "store.py::KeyStore.rotate_key"
    tags: [hard]
  - query: "what is this, really: \\e[31m"
    xfail: {reason: "100%, \\e[31mno synonyms", until: 2024-01-31}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS, encoding="utf-8")
    (tmp_path / "docs" / "store.py").write_text(STORE, encoding="utf-8")
    (tmp_path / "rankgate.toml").write_text('suites = ["clean.yaml"]\n', encoding="utf-8")
    (tmp_path / "clean.yaml").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "messy.yaml").write_text(MESSY, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("project")
def test_a_clean_suite_passes_and_hints_do_not_count() -> None:
    text = rankgate("suite", "lint", "clean.yaml", "--strict").printed()
    assert text.endswith("\n1 hint in 2 cases of 1 suite (not-anchored 1)\n")
    assert rankgate("suite", "lint", "--ignore", "not-anchored").printed() == "2 cases, no problems\n"


@pytest.mark.parametrize("style", ["text", "github", "json"])
@pytest.mark.usefixtures("project")
def test_a_messy_suite_is_told_line_by_line(style: str, golden: Callable[[str, str], None]) -> None:
    done = rankgate("suite", "lint", "messy.yaml", "--format", style)
    assert (done.code, done.err) == (2, "")
    golden(f"lint_{style}", done.out)


@pytest.mark.usefixtures("project")
def test_warnings_fail_only_where_they_are_to() -> None:
    valid = MESSY.replace("  - ndgc@10 >= 0.5\n", "").replace("= exat", "= exact")
    Path("messy.yaml").write_text(valid, encoding="utf-8")
    assert rankgate("suite", "lint", "messy.yaml", "--rule", "easy-query").code == 0
    assert rankgate("suite", "lint", "messy.yaml", "--rule", "easy-query", "--strict").code == 1
    assert rankgate("suite", "lint", "messy.yaml", "--rule", "missing-target").code == 2


@pytest.mark.usefixtures("project")
def test_json_is_a_list_with_the_same_keys_in_every_finding() -> None:
    findings = json.loads(rankgate("suite", "lint", "messy.yaml", "--format", "json").out)
    keys = ["rule", "severity", "file", "line", "column", "case", "message"]
    assert {tuple(finding) for finding in findings} == {tuple(keys)}
    documented = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
    assert [key for key in keys if f"`{key}`" not in documented] == []


@pytest.mark.usefixtures("project")
def test_workflow_commands_are_escaped_so_that_none_can_be_smuggled_in() -> None:
    suite = CLEAN.replace("how often are secrets renewed", '"50%, ok?\\n::error::a,b: c"').replace(
        "at: keys.md#Rotation", "id: [a]\n    grade: 0"
    )
    Path("odd,name: 1.yaml").write_text(suite + '  - query: "50%, ok?\\n::error::a,b: c"\n', encoding="utf-8")
    out = rankgate("suite", "lint", "odd,name: 1.yaml", "--format", "github", "--rule", "no-expectation").out
    lines = out.split("\n")
    place = "file=odd%2Cname%3A 1.yaml,line=8,col=5"
    start = f"::warning {place},title=rankgate no-expectation::The query '50%25, ok?"
    assert lines[0].startswith(start)
    assert [line for line in lines if line.startswith("::error")] == []


@pytest.mark.usefixtures("project")
def test_what_loading_refuses_is_told_as_findings_and_other_suites_are_still_checked() -> None:
    Path("bad.yaml").write_text("cases:\n  - query: a\n    att: b\n  - qery: c\n", encoding="utf-8")
    done = rankgate("suite", "lint", "bad.yaml", "clean.yaml")
    assert done.code == 2
    assert "bad.yaml:3:5: error invalid-suite: unknown key `att`" in done.out
    assert "clean.yaml: hint not-anchored" in done.out


@pytest.mark.usefixtures("project")
def test_a_corpus_that_is_not_there_is_an_error_and_the_rest_is_checked() -> None:
    Path("clean.yaml").write_text(CLEAN.replace("docs/", "dcos/") + "  - query: huh\n", encoding="utf-8")
    done = rankgate("suite", "lint")
    assert done.code == 2
    assert "error invalid-suite: " in done.out
    assert "warning no-expectation" in done.out
    assert "hint not-checked: There is no corpus, so 7 rules did not run: missing-target" in done.out


@pytest.mark.usefixtures("project")
def test_the_corpus_is_named_on_the_command_line_relative_to_here() -> None:
    Path("sub").mkdir()
    Path("sub/plain.yaml").write_text(CLEAN.partition("\n")[2], encoding="utf-8")
    assert "not-checked" in rankgate("suite", "lint", "sub/plain.yaml").out
    done = rankgate("suite", "lint", "sub/plain.yaml", "--corpus", "docs", "--from", "native")
    assert done.printed().startswith("sub/plain.yaml: hint not-anchored: 2 of 2 locations")


def test_labels_in_words_are_worth_what_the_command_line_says(tmp_path: Path) -> None:
    file = tmp_path / "shop.csv"
    file.write_text("query,docid,rating\nlaptop,1,good\nbag,2,fair\n", encoding="utf-8")
    refused = rankgate("suite", "lint", file)
    assert refused.code == 2
    assert "unknown grades good (1), fair (1)" in refused.out
    done = rankgate("suite", "lint", file, "--grades", "good=2,fair=1", "--ignore", "not-checked")
    assert done.code == 0
    assert done.out.startswith("2 cases")


@pytest.mark.usefixtures("project")
def test_a_misspelt_rule_or_a_file_that_is_not_there_is_refused() -> None:
    assert "did you mean easy-query?" in rankgate("suite", "lint", "--rule", "easy-qery").refused()
    assert "does not exist" in rankgate("suite", "lint", "nowhere.yaml").refused()
    Path("rankgate.toml").write_text("", encoding="utf-8")
    assert "no suite" in rankgate("suite", "lint").refused()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_gets_colours_and_a_pipe_does_not(project: Path) -> None:
    import pty

    (project / "messy.yaml").write_text(MESSY, encoding="utf-8")
    assert "\x1b" not in rankgate_alone("suite", "lint", "messy.yaml").out
    reader, terminal = pty.openpty()
    call = [sys.executable, "-m", "rankgate", "suite", "lint", "messy.yaml"]
    with subprocess.Popen(call, stdout=terminal, cwd=project) as process:
        os.close(terminal)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while data := os.read(reader, 4096):
                shown += data
        os.close(reader)
    assert process.returncode == 2
    text = shown.decode()
    assert "\x1b[31m\x1b[1merror\x1b[0m" in text
    assert "\\x1b[31m" in text, "what a suite says steers no terminal"


@pytest.mark.usefixtures("project")
def test_who_waits_long_at_a_terminal_is_told_what_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.cli.progress_line.PATIENCE", 0.0)
    monkeypatch.setattr("rankgate.cli.progress_line._BETWEEN", 0.0)
    assert rankgate("suite", "lint").err == ""
    monkeypatch.setattr("support.commands.io.StringIO", Terminal)
    assert "reading the texts of locations 1/2" in rankgate("suite", "lint").err
