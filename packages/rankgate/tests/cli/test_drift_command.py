"""``rankgate suite drift``, end to end: a folder, a repository, an archive."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from rankgate.model.fingerprints import anchor
from rankgate.suites.native.yaml_suite import read_native
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

RETRIES = "## Retries\n\nFailed calls are tried again.\nFive times, an hour apart.\n\n"
LIMITS = "## Limits\n\nSixty calls a minute.\nMore are refused with 429.\n\n"
CODE = "def rotate(key):\n    fresh = make()\n    swap(key, fresh)\n    return fresh\n\n\n"
STEPS = [f"step {number}: do thing {number}\n" for number in range(8)]
V1 = {
    "auth/keys.md": "# Keys\n\nKeys are secret.\n\n## Rotation\n\nMake a new key.\nRevoke the old one.\n",
    "webhooks.md": f"# Webhooks\n\n{RETRIES}## Signing\n\nEvery call is signed.\n",
    "errors.md": f"# Errors\n\n{LIMITS}## Format\n\nErrors are JSON.\n",
    "keys.py": CODE + "def revoke(key):\n    drop(key)\n",
    "guide.md": "# Guide\n\n" + "".join(STEPS) + "\nSee also: keys.\n",
    "faq.md": "# FAQ\n\nAsk us.\n\n## Why\n\nAsk us.\n",
    "old.md": "# Old things\n\nNobody needs this any more.\n",
    "same.md": "# Same\n\nNothing happens here.\n",
}
V2 = {
    "auth/keys.md": "# Keys\n\nKeys are secret.\n\n## Rotation\n\nMake a key first.\nRevoke the old one.\n",
    "webhooks.md": f"# Webhooks\n\nNew words.\n\n{RETRIES}## Signing\n\nEvery call is signed.\n",
    "limits.md": f"# About limits\n\n{LIMITS}",
    "errors.md": "# Errors\n\n## Format\n\nErrors are JSON.\n",
    "crypto.py": "import os\n\n\n" + CODE,
    "keys.py": "def revoke(key):\n    drop(key)\n",
    "guide.md": "# Guide\n\n" + "".join(STEPS[:4]) + "\nSee also: keys.\n",
    "advanced.md": "# Advanced\n\n" + "".join(STEPS[4:]),
    "faq.md": "# FAQ\n\nHello.\n\nAsk us.\n\n## Why\n\nAsk us.\n",
    "same.md": "# Same\n\nNothing happens here.\n",
}
SUITE = """\
# What our search should find.
corpus: v1/        # pinned
cases:
  - query: rotate an API key
    at: auth/keys.md#Rotation
  - query: retry failed webhooks
    at: {webhooks.md#Retries: 3, 'errors.md:5-6': 1}   # both help
  - query: rate limit
    at: errors.md#Limits
    top: {at: errors.md:5-6, within: 3}
  - query: rotate in code
    at: keys.py::rotate
  - query: eight steps
    at: guide.md:3-10
  - query: ask us
    at: faq.md:3-3
  - query: old things
    at: old.md
  - query: same
    at: [same.md, id-like]
  - query: ticket
    id: T-1
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "v1", V1)
    write(tmp_path / "v2", V2)
    (tmp_path / "search.yaml").write_text(SUITE.replace("[same.md, id-like]", "same.md"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_reads_well(project: Path, golden: Callable[[str, str], None]) -> None:
    before = (project / "search.yaml").read_bytes()
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2/")
    assert (done.code, done.err) == (1, "")
    assert done.warned == "rankgate suite drift goes with the next release: use rankgate suite mend\n"
    golden("drift_folder", done.out)
    assert (project / "search.yaml").read_bytes() == before


def test_json_has_every_place_that_drifted(project: Path, golden: Callable[[str, str], None]) -> None:
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2/", "--format", "json")
    golden("drift_folder_json", done.out)
    found = json.loads(done.out)
    assert sum(found["counts"].values()) == found["places"] == 10
    assert len(found["drifted"]) == found["places"] - found["counts"]["unchanged"]


def test_write_changes_what_is_proven_and_the_pin_and_says_what_is_left(
    project: Path, golden: Callable[[str, str], None]
) -> None:
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2/", "--write")
    assert (done.code, done.err) == (1, "")
    text = (project / "search.yaml").read_text()
    golden("drift_written", f"{done.out}\n{text}")
    expected = SUITE.replace("[same.md, id-like]", "same.md")
    for old, new in {
        "corpus: v1/ ": "corpus: v2/ ",
        "errors.md:5-6": "limits.md:5-6",
        "errors.md#Limits": "limits.md#Limits",
        "keys.py::rotate": "crypto.py::rotate",
    }.items():
        assert old in expected
        expected = expected.replace(old, new)
    assert text == expected


def test_what_is_left_open_stays_anchored_to_its_old_text(project: Path) -> None:
    assert rankgate("suite", "drift", "search.yaml", "--to", "v2/", "--write").code == 1
    anchors = json.loads((project / "search.anchors.json").read_text())
    assert anchors["corpus"]["place"] == "v2/"
    assert "limits.md:5-6" in anchors["cases"]["rate-limit"]
    kept = anchors["cases"]["rotate-an-api-key"]["auth/keys.md#Rotation"]
    assert kept == anchor("## Rotation\n\nMake a new key.\nRevoke the old one.\n")


def test_lint_names_what_was_left_open(project: Path) -> None:
    assert rankgate("suite", "drift", "search.yaml", "--to", "v2/", "--write").code == 1
    said = rankgate("suite", "lint", "search.yaml").out
    places = ["auth/keys.md#Rotation", "guide.md:3-10", "faq.md:3-3", "old.md"]
    assert [place for place in places if f"'{place}'" not in said] == []
    assert "limits.md" not in said
    assert "crypto.py" not in said


def test_a_copy_that_stands_where_the_text_stood_is_asked_about(project: Path) -> None:
    write(project / "v1", {"copies.md": "copy\nend\n", "other.md": "copy\n"})
    write(project / "v2", {"copies.md": "copy\nnew end\n", "other.md": "copy\n"})
    (project / "search.yaml").write_text("corpus: v1\ncases: [{query: q, at: 'copies.md:1-1'}]\n")
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write")
    assert done.code == 1
    assert done.out.endswith(
        "1 location still finds the same text, which is repeated: is it the one meant?\n"
    )
    assert not (project / "search.anchors.json").exists()


def test_once_written_what_moved_is_unchanged(project: Path) -> None:
    suite = project / "search.yaml"
    text = suite.read_text()
    start, end = text.index("  - query: eight"), text.index("  - query: same")
    suite.write_text(text[:start] + text[end:])
    assert rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write").code == 1
    rankgate("suite", "anchor", "--accept", "search.yaml").printed()
    write(project / "v3", {**V2, "new.md": "# New\n"})
    done = rankgate("suite", "drift", "search.yaml", "--to", "v3")
    assert (done.code, done.out.splitlines()[1:4]) == (
        0,
        ["7 locations: 7 unchanged; 1 id not checked, being no location", "", "Nothing needs a person."],
    )


def test_a_place_is_not_moved_onto_one_that_its_case_names_and_that_stays(project: Path) -> None:
    write(project / "v1", {"k.md": "# K\nalpha one\nalpha two\n\nbeta one\nbeta two\n"})
    write(project / "v2", {"k.md": "# K\nnew\nother\n\nalpha one\nalpha two\nmore\n"})
    suite = project / "search.yaml"
    suite.write_text("corpus: v1\ncases: [{query: q, at: ['k.md:5-6', 'k.md:2-3']}]\n")
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write")
    assert done.code == 1
    assert "k.md:2-3, k.md:5-6 would stand twice in one case." in done.out
    assert suite.read_text() == "corpus: v2\ncases: [{query: q, at: ['k.md:5-6', 'k.md:2-3']}]\n"
    anchors = json.loads((project / "search.anchors.json").read_text())["cases"]["q"]
    assert anchors == {
        "k.md:5-6": anchor("beta one\nbeta two"),
        "k.md:2-3": anchor("alpha one\nalpha two"),
    }
    assert "changed-anchor 2" in rankgate("suite", "lint", "search.yaml").out


@pytest.mark.parametrize("inline", [False, True])
def test_a_text_that_is_not_the_one_that_was_judged_is_not_followed(project: Path, inline: bool) -> None:
    at = "['errors.md:5-6', 'same.md:1-1', 'webhooks.md#Retries']"
    if inline:
        marked = [f"{{at: '{place}', anchor: {'0' * 16}}}" for place in ("errors.md:5-6", "same.md:1-1")]
        at = f"[{', '.join(marked)}, 'webhooks.md#Retries']"
    (project / "search.yaml").write_text(f"corpus: v1\ncases: [{{query: q, at: {at}}}]\n")
    if not inline:
        rankgate("suite", "anchor", "search.yaml").printed()
        write(project / "v1", {"errors.md": "new\n" + V1["errors.md"], "same.md": "# Other\n"})
    before = (project / "search.yaml").read_bytes()
    said = rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write").refused()
    assert "another text at 'errors.md:5-6' than the one that was judged" in said
    assert "another text at 'same.md:1-1' than the one that was judged" in said
    assert "webhooks" not in said
    fix = "or its anchor in the suite" if inline else "run rankgate suite mend search.yaml"
    assert fix in said
    assert (project / "search.yaml").read_bytes() == before


def test_the_same_state_twice_is_refused_in_one_place_and_noted_in_another(project: Path) -> None:
    for to in ("v1/", "v1", "./v1"):
        said = rankgate("suite", "drift", "search.yaml", "--to", to).refused()
        assert f"--to {to}: found the same state twice: nothing to compare" in said
    write(project / "copy", V1)
    done = rankgate("suite", "drift", "search.yaml", "--to", "copy/")
    assert (
        "10 locations: 10 unchanged; 1 id not checked, being no location\nThe same state twice"
        in done.printed()
    )
    done = rankgate("suite", "drift", "search.yaml", "--to", "copy/", "--format", "json")
    assert json.loads(done.printed())["same_state"] is True


def test_everything_proven_is_exit_0(project: Path) -> None:
    (project / "search.yaml").write_text("corpus: v1\ncases: [{query: q, at: 'errors.md:5-6'}]\n")
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2")
    assert "1 location: 1 moved" in done.printed()
    assert done.out.endswith(
        "Nothing needs a person.\n"
        "To write 1 location that moved and the new corpus: "
        "rankgate suite drift search.yaml --to v2 --write\n"
    )
    assert (
        rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write")
        .printed()
        .endswith("Written to search.yaml: 1 location, and the corpus v2.\n")
    )
    assert not (project / "search.anchors.json").exists()


def test_a_path_of_this_folder_is_found_from_the_suites(project: Path) -> None:
    (project / "suites").mkdir()
    suite = project / "suites" / "s.yaml"
    suite.write_text("corpus: ../v1\ncases: [{query: q, at: 'errors.md:5-6'}]\n")
    (project / "rankgate.toml").write_text("")
    rankgate("suite", "drift", "suites/s.yaml", "--to", "v2/", "--write").printed()
    assert suite.read_text() == "corpus: ../v2/\ncases: [{query: q, at: 'limits.md:5-6'}]\n"


def test_a_place_in_a_spelling_that_cannot_change_is_told_and_the_rest_is_written(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(
        "corpus: v1\ncases:\n- {query: &q 'errors.md:5-6', at: *q}\n- {query: r, at: keys.py::rotate}\n"
    )
    done = rankgate("suite", "drift", suite, "--to", "v2", "--write")
    assert done.code == 1
    assert "Not written, " in done.out
    assert (
        "search.yaml:3:11: errors.md:5-6, an alias repeats it as something that is no location." in done.out
    )
    assert suite.read_text() == (
        "corpus: v2\ncases:\n- {query: &q 'errors.md:5-6', at: *q}\n- {query: r, at: crypto.py::rotate}\n"
    )


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_repository_moves_from_commit_to_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commits = []
    for files in (V1, V2):
        for path in [*tmp_path.rglob("*.md"), *tmp_path.rglob("*.py")]:
            path.unlink()
        write(tmp_path, files)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message=state")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    suite = tmp_path / "search.yaml"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    text = "corpus: {{git: ., commit: {}}}  # pinned\ncases: [{{query: q, at: '{}'}}]\n"
    suite.write_text(text.format(commits[0], "errors.md:5-6"))
    done = rankgate("suite", "drift", "search.yaml", "--to", "main")
    assert (done.code, "errors.md:5-6 → limits.md:5-6" in done.out) == (0, True), done
    rankgate("suite", "drift", "search.yaml", "--to", "main", "--write").printed()
    # A branch may move, so the commit that it named is written.
    assert suite.read_text() == text.format(commits[1], "limits.md:5-6")
    read_native(suite)
    back = rankgate("suite", "drift", "search.yaml", "--to", commits[0], "--write")
    assert back.code == 0
    assert suite.read_text() == text.format(commits[0], "errors.md:5-6")


def test_an_archive_moves_with_its_hash(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / ".cache"))
    hashes = []
    for name in ("v1", "v2"):
        with tarfile.open(project / f"{name}.tar.gz", "w:gz") as archive:
            archive.add(project / name, arcname="docs")
        hashes.append(hashlib.sha256((project / f"{name}.tar.gz").read_bytes()).hexdigest())
    text = "corpus:\n  archive: {}  # the docs\n  sha256: {}\ncases: [{{query: q, at: '{}'}}]\n"
    suite = project / "search.yaml"
    suite.write_text(text.format("v1.tar.gz", hashes[0], "errors.md:5-6"))
    rankgate("suite", "drift", "search.yaml", "--to", "v2.tar.gz", "--write").printed()
    assert suite.read_text() == text.format("v2.tar.gz", hashes[1], "limits.md:5-6")


def test_records_are_told_by_their_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, texts in {"v1": {"a": "x", "b": "y", "c": "z"}, "v2": {"a": "x", "b": "Y"}}.items():
        rows = [json.dumps({"id": key, "text": text}) for key, text in texts.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "s.yaml").write_text("corpus: {jsonl: v1.jsonl}\ncases: [{query: q, id: [a, b, c]}]\n")
    monkeypatch.chdir(tmp_path)
    done = rankgate("suite", "drift", "s.yaml", "--to", "v2.jsonl")
    assert done.code == 1
    assert "3 locations: 1 unchanged, 1 edited, 1 gone" in done.out
    assert "gone: nothing has its id: name another record, or drop the target" in done.out


@pytest.mark.parametrize(
    ("text", "to", "words"),
    [
        ("cases: [{query: q, id: a}]\n", "v2", "a suite without a corpus"),
        ("corpus: v1\ncases: [{query: q, at: a.md}]\n", "v2", "'a.md', expected a file of the corpus"),
        ("corpus: v1\ncases: [{query: q, at: same.md}]\n", "v3", "--to v3: corpus v3: found no such folder"),
        ("corpus: v1\ncases: [{query: q, at: same.md}]\n", " ", "nothing to move to"),
    ],
)
def test_a_wrong_call_is_refused_in_words(project: Path, text: str, to: str, words: str) -> None:
    (project / "search.yaml").write_text(text)
    assert words in rankgate("suite", "drift", "search.yaml", "--to", to).refused()


def test_a_suite_in_another_format_is_looked_at_and_not_written(project: Path) -> None:
    rankgate("suite", "convert", "search.yaml", "search.jsonl").printed()
    (project / "search.yaml").unlink()
    before = (project / "search.jsonl").read_bytes()
    assert (
        "10 locations: 1 unchanged, 5 moved" in rankgate("suite", "drift", "search.jsonl", "--to", "v2").out
    )
    said = rankgate("suite", "drift", "search.jsonl", "--to", "v2", "--write").refused()
    assert "write it as YAML first: rankgate suite convert" in said
    assert (project / "search.jsonl").read_bytes() == before


def test_anchors_that_cannot_be_read_stop_everything_before_it_is_written(project: Path) -> None:
    (project / "search.anchors.json").write_text("{")
    before = (project / "search.yaml").read_bytes()
    rankgate("suite", "drift", "search.yaml", "--to", "v2", "--write").refused()
    assert (project / "search.yaml").read_bytes() == before


def test_no_name_of_a_case_or_a_file_steers_the_terminal(project: Path) -> None:
    (project / "v1" / "a\x1b[31m.md").write_text("x\n")
    text = 'corpus: v1\ncases: [{query: "q\\e[31m", name: "n\\e[31m", at: "a\\e[31m.md"}]\n'
    (project / "search.yaml").write_text(text)
    done = rankgate("suite", "drift", "search.yaml", "--to", "v2")
    assert (done.code, "\x1b" in done.out) == (1, False)
    assert "\x1b" not in rankgate("suite", "drift", "search.yaml", "--to", "v2", "--format", "json").out
