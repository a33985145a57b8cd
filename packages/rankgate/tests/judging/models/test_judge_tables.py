"""``[judges.NAME]`` is read with every problem named; what decides a judge's answers is in its identity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RankgateError
from rankgate.judging.models.adapters import open_judge
from rankgate.judging.models.identity import judge_identity
from rankgate.judging.models.judge_table import JudgeEntry, judge_entry
from rankgate.judging.models.prompt import JudgePrompt, read_prompt
from rankgate.judging.session.scale import GradeScale
from rankgate.project.find import find_configuration
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = JudgePrompt("{query} {passage}", "", GradeScale(2))
HTTP = 'prompt = "p.md"\nurl = "http://localhost:1/"\nbody = { m = "large", text = "{prompt}" }\n'


def _entry(folder: Path, table: str, name: str = "reader") -> JudgeEntry:
    (folder / "rankgate.toml").write_text(f"[judges.{name}]\n{table}")
    return judge_entry(find_configuration(folder), None)


def test_a_table_says_the_kind_by_its_options_and_how_hard_it_is_asked(tmp_path: Path) -> None:
    entry = _entry(tmp_path, f"{HTTP}repeats = 3\nconcurrency = 4\nrate = 2\ncost_per_call = 0.01\n")
    assert (entry.kind, entry.pace.concurrency, entry.pace.rate, entry.settings.repeats) == ("http", 4, 2, 3)
    assert set(entry.options) == {"url", "body"}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('function = "a:b"\n', "needs the key `prompt`"),
        ('prompt = "p.md"\n', "found none of them, expected one of function, command, url"),
        ('prompt = "p.md"\nfunction = "a:b"\nurl = "http://x"\n', "found function and url"),
        ('prompt = "p.md"\nkind = "oracle"\n', "judges.reader.kind: found 'oracle'"),
        (f"{HTTP}repeats = 0\n", "judges.reader.repeats: expected 1 or more, found 0."),
        (f'{HTTP}repeats = "3"\n', "judges.reader.repeats"),
        (f"{HTTP}concurrency = 0\n", "judges.reader.concurrency: expected a number from 1 to 1024, found 0."),
        (f'{HTTP}retries = "2"\n', "judges.reader.retries"),
        (f"{HTTP}cost_per_call = 1\ncost_per_1000_tokens = 1\n", "expected one of the two"),
        (f"{HTTP}cost_per_call = -1.0\n", "judges.reader.cost_per_call: expected 0 or more, found -1.0."),
        (f"{HTTP}temprature = 0\n", "judges.reader.temprature: unknown key `temprature`."),
        (f"{HTTP}timeout = 0\n", "judges.reader.timeout: expected a number of seconds from"),
        (HTTP.replace("{prompt}", "{promt}"), "the placeholder {promt}"),
        (HTTP.replace("{prompt}", "text"), "no {prompt}"),
        (f'{HTTP}headers = {{ A = "${{NOT_SET_ANYWHERE}}" }}\n', "${NOT_SET_ANYWHERE}, which is not set"),
        (f'{HTTP}answer = "a["\n', "expected a JMESPath expression"),
        ('prompt = "p.md"\ncommand = []\n', "found an empty list"),
        ('prompt = "p.md"\nfunction = "nowhere_at_all:judge"\n', "nowhere_at_all"),
        ('prompt = "p.md"\nfunction = "json:dumps"\n', "the parameter obj"),
        ('prompt = "p.md"\nfunction = "json:__doc__"\n', "found a str"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_name(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(RankgateError) as caught:
        open_judge(_entry(tmp_path, table))
    assert words in str(caught.value)


def test_a_judge_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(f"[judges.reader]\n{HTTP}[judges.second]\n{HTTP}")
    found = find_configuration(tmp_path)
    with pytest.raises(
        InputError, match=r"unknown judge 'raeder'.* has: reader, second; did you mean reader"
    ):
        judge_entry(found, "raeder")
    with pytest.raises(InputError, match=r"say --judge NAME \(known: reader, second\)"):
        judge_entry(found, None)


def test_a_name_that_no_log_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"judges\.\.\./x: found the name"):
        _entry(tmp_path, HTTP, '"../x"')


def _identity(folder: Path, table: str, prompt: JudgePrompt = PROMPT) -> str:
    entry = _entry(folder, table)
    open_judge(entry).close()
    return judge_identity(entry, prompt)


def test_the_identity_is_the_prompt_and_what_decides_answers(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cr3t-s3cr3t")
    whole = _identity(tmp_path, HTTP)
    same = 'concurrency = 4\ntimeout = 3\nheaders = { Authorization = "Bearer ${MODEL_KEY}" }\n'
    assert _identity(tmp_path, HTTP + same) == whole
    assert whole.partition(".")[0] == PROMPT.digest
    for other in (HTTP.replace("large", "small"), f"{HTTP}repeats = 3\n", HTTP.replace("host:1", "host:2")):
        changed = _identity(tmp_path, other)
        assert changed != whole
        assert changed.partition(".")[0] == PROMPT.digest
    reworded = _identity(tmp_path, HTTP, JudgePrompt("{passage} {query}", "", GradeScale(2)))
    assert reworded.partition(".")[2] == whole.partition(".")[2]
    assert reworded != whole


@pytest.mark.parametrize("kind", ["function", "command"])
def test_the_source_of_a_function_and_of_a_script_is_part_of_the_identity(tmp_path: Path, kind: str) -> None:
    tables = {"function": 'function = "./one.py:judge"', "command": 'command = ["python3", "one.py"]'}
    found: list[str] = []
    for grade in (1, 2, 1):
        folder = tmp_path / f"{len(found)}"
        folder.mkdir()
        (folder / "one.py").write_text(f"def judge(prompt):\n    return {{'grade': {grade}}}\n")
        found.append(_identity(folder, f'prompt = "p.md"\n{tables[kind]}\n'))
    assert found[0] != found[1]
    assert found[0] == found[2]


def test_the_examples_of_the_documents_are_judges(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cr3t-s3cr3t")
    monkeypatch.setenv("MODEL_HOME", str(tmp_path))
    text = (ROOT / "docs" / "judge-models.md").read_text()
    (tmp_path / "rankgate.toml").write_text("\n".join(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)))
    (tmp_path / "judge.py").write_text("".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    prompt = tmp_path / "judging" / "prompt.md"
    prompt.parent.mkdir()
    prompt.write_text("".join(re.findall(r"```markdown\n(.*?)```", text, re.DOTALL)))
    found = find_configuration(tmp_path)
    assert list(found.judges) == ["reader", "local", "remote"]
    for name in found.judges:
        entry = judge_entry(found, name)
        open_judge(entry).close()
        read = read_prompt(entry.root / entry.settings.prompt, "prompt", "Read.", GradeScale(3))
        assert '{"grade": G, "reason": "one sentence"}' in read.template
