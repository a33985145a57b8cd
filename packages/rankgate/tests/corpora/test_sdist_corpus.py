"""Releases of Python packages: found through the index that pip is configured with, and held by a hash."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import socket
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.corpora.options import parsed_version, split_release
from rankgate.corpora.releases.fetching import pip_settings
from rankgate.corpora.releases.sdist import Release, version_in
from rankgate.errors import FormatError, InputError
from rankgate.model import CorpusSource
from support.archives import COMPRESSIONS, member, tar_of, tar_with, zip_with
from support.indexes import Index, send, serving
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

SDIST = COMPRESSIONS["tar.gz"](
    tar_with({"my_tool-1.0/README.md": "# Tool\n", "my_tool-1.0/docs/a.md": "a\n"})
)
OLDER = COMPRESSIONS["tar.gz"](tar_with({"my-tool-0.9/README.md": "# Old\n", "my-tool-0.9/setup.py": ""}))
HASH = hashlib.sha256(SDIST).hexdigest()
PROJECT = ROOT
CLEARED = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA", "CURL_CA")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    for name in os.environ:
        if name.upper().startswith(CLEARED):
            monkeypatch.delenv(name)
    # No pip of this machine is asked: what it is configured with is not for a test to meet.
    monkeypatch.setenv("RANKGATE_PIP", str(fake_pip(tmp_path, {})))
    files = {"my-tool-0.9.tar.gz": OLDER, "my_tool-1.0.tar.gz": SDIST, "my_tool-1.0-py3-none-any.whl": b"x"}
    with serving(Index(files)) as found:
        monkeypatch.setenv("PIP_INDEX_URL", found.url)
        yield found


def fake_pip(folder: Path, configured: dict[str, str], default: str = "http://127.0.0.1:1/simple") -> Path:
    """Write a program that answers as pip does to the two questions it is asked."""
    listed = "".join(f"{key}={value!r}\n" for key, value in configured.items())
    helped = (
        "Package Index Options:\n"
        f"  -i, --index-url <url>       Base URL of the Python Package Index (default {default}). This\n"
        "  --extra-index-url <url>     Extra URLs of package indexes (default none)\n"
    )
    script = folder / "pip"
    script.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"print({listed!r} if sys.argv[1:] == ['config', 'list'] else {helped!r}, end='')\n"
    )
    script.chmod(stat.S_IRWXU)
    return script


def opened(tmp_path: Path, place: str = "my-tool==1.0", *, unpinned: bool = False, **options: str) -> Corpus:
    room = OpenContext(tmp_path, tmp_path, cache=tmp_path / "cache", unpinned=unpinned)
    return open_source(CorpusSource(place, "sdist", options), room)


def refusal(tmp_path: Path, place: str = "my-tool==1.0", **options: str) -> str:
    with pytest.raises(InputError) as caught:
        opened(tmp_path, place, unpinned=False, **options)
    return str(caught.value)


@pytest.mark.parametrize("form", ["html", "json"])
@pytest.mark.parametrize("hashes", [True, False])
def test_a_release_is_fetched_once(tmp_path: Path, index: Index, form: str, hashes: bool) -> None:
    index.form, index.hashes = form, hashes
    corpus = opened(tmp_path, "My.Tool==1.0.0", sha256=HASH)
    assert corpus.paths() == ("README.md", "docs/a.md")
    assert index.paths() == ["/simple/my-tool/", "/files/my_tool-1.0.tar.gz"]
    assert opened(tmp_path, sha256=HASH, under="docs").paths() == ("a.md",)
    assert len(index.asked) == 2


def test_what_is_in_the_cache_needs_no_index(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = opened(tmp_path, sha256=HASH)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("PATH", "")
    assert opened(tmp_path, sha256=HASH).fingerprint == before.fingerprint
    (readme,) = (tmp_path / "cache").rglob("README.md")
    readme.write_text("tampered")
    assert opened(tmp_path, sha256=HASH).fingerprint == before.fingerprint


@pytest.mark.parametrize("hashes", [True, False])
def test_a_release_without_a_hash_says_which_to_write(tmp_path: Path, index: Index, hashes: bool) -> None:
    index.hashes = hashes
    assert refusal(tmp_path) == (
        "corpus sdist my-tool==1.0: found no sha256, expected the hash that pins the release; "
        f"write sha256: {HASH}"
    )


def test_a_release_without_a_hash_will_do_where_nothing_is_pinned(tmp_path: Path, index: Index) -> None:
    assert opened(tmp_path, unpinned=True).notes == (f"my-tool==1.0 has sha256 {HASH}",)


@pytest.mark.parametrize("hashes", [True, False])
def test_the_hash_of_another_release_is_refused_although_it_is_in_the_cache(
    tmp_path: Path, index: Index, hashes: bool
) -> None:
    index.hashes = hashes
    opened(tmp_path, sha256=HASH)
    told = refusal(tmp_path, "my-tool==0.9", sha256=HASH)
    assert f"found sha256 {hashlib.sha256(OLDER).hexdigest()}, expected sha256 {HASH}" in told


@pytest.mark.parametrize("hashes", [True, False])
def test_another_hash_is_refused_and_nothing_is_kept(tmp_path: Path, index: Index, hashes: bool) -> None:
    index.hashes = hashes
    told = refusal(tmp_path, sha256="0" * 64)
    assert told.startswith(f"corpus sdist my-tool==1.0: found sha256 {HASH}, expected sha256 {'0' * 64}")
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_page_that_lies_about_the_hash_is_found_out(tmp_path: Path, index: Index) -> None:
    index.special["/files/my_tool-1.0.tar.gz"] = lambda handler: send(handler, OLDER)
    told = refusal(tmp_path, sha256=HASH)
    assert hashlib.sha256(OLDER).hexdigest() in told
    assert list((tmp_path / "cache").rglob("*.tar.gz")) == []


def test_a_zip_will_do_and_the_pinned_form_is_chosen(tmp_path: Path, index: Index) -> None:
    packed = zip_with({"my-tool-1.0/README.md": "# Zip\n", "my-tool-1.0/b.md": ""})
    index.files["my.tool-1.0.zip"] = packed
    assert opened(tmp_path, sha256=HASH).text("README.md") == "# Tool\n"
    assert opened(tmp_path, sha256=hashlib.sha256(packed).hexdigest()).text("README.md") == "# Zip\n"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("my-tool", "found 'my-tool', expected a release, as in click==8.3.2"),
        ("my-tool==latest", "found 'my-tool==latest', expected a release, as in click==8.3.2"),
        ("../x==1.0", "found '../x==1.0', expected a release, as in click==8.3.2"),
        (
            "my-tool==1.1",
            "found no source of version 1.1, expected a version that is there; did you mean 1.0?",
        ),
        ("my-tool==77", "found no source of version 77, expected a version that is there; there is 1.0"),
        ("other==1.0", "found no project 'other' in the index, expected a project; check the name"),
    ],
)
def test_a_release_that_is_not_there_is_told(tmp_path: Path, index: Index, place: str, told: str) -> None:
    assert refusal(tmp_path, place, sha256=HASH).startswith(f"corpus sdist {place}: {told}")


def test_wheels_alone_are_no_source(tmp_path: Path, index: Index) -> None:
    index.files = {"my_tool-1.0-py3-none-any.whl": b"x"}
    assert "found wheels only" in refusal(tmp_path, sha256=HASH)


def test_a_hostile_release_is_refused(tmp_path: Path, index: Index) -> None:
    hostile = COMPRESSIONS["tar.gz"](tar_of(member("a.md"), member("../../b.md")))
    index.files["my_tool-1.0.tar.gz"] = hostile
    told = refusal(tmp_path, sha256=hashlib.sha256(hostile).hexdigest())
    assert "member '../../b.md': found a path that climbs with .." in told


def redirect(to: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def test_a_password_is_sent_to_its_own_host_and_told_to_nobody(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    index.password = "me:s3cr%40t"
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    index.password = "me:s3cr@t"
    assert len(opened(tmp_path, sha256=HASH)) == 2
    assert {password for _, password in index.asked} == {"me:s3cr@t"}
    index.password = "me:other"
    told = [refusal(tmp_path, "my-tool==0.9", sha256=HASH)]
    assert "status 401, expected to be let in" in told[0]
    index.special["/simple/my-tool/"] = lambda handler: send(handler, b"\0", "image/png")
    told.append(refusal(tmp_path, "my-tool==0.9", sha256=HASH))
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:s3cr@t@127.0.0.1:1/simple")
    told.append(refusal(tmp_path, "my-tool==0.9", sha256=HASH))
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:s3cr@t@127.0.0.1:port/simple")
    told.append(refusal(tmp_path, "my-tool==0.9", sha256=HASH))
    monkeypatch.setenv("PIP_INDEX_URL", "ftp://me:s3cr@t@127.0.0.1/simple")
    told.append(refusal(tmp_path, "my-tool==0.9", sha256=HASH))
    written = [path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert not [text for text in (*told, repr(pip_settings()), caplog.text) if "s3cr" in text]
    assert not [data for data in written if b"s3cr" in data]


def test_a_password_does_not_follow_a_redirect_to_another_host(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Index({"my_tool-1.0.tar.gz": SDIST})) as other:
        index.password = "me:secret"
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        elsewhere = f"http://127.0.0.1:{other.port}/files/my_tool-1.0.tar.gz"
        index.special["/files/my_tool-1.0.tar.gz"] = redirect(elsewhere)
        index.special["/simple/my-tool/"] = redirect("/simple/my-tool/?same")
        assert len(opened(tmp_path, sha256=HASH)) == 2
        assert other.asked == [("/files/my_tool-1.0.tar.gz", None)]
        assert ("/simple/my-tool/?same", "me:secret") in index.asked


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://"])
def test_a_redirect_away_from_the_web_is_refused(tmp_path: Path, index: Index, to: str) -> None:
    index.special["/simple/my-tool/"] = redirect(to)
    told = refusal(tmp_path, sha256=HASH)
    assert "an address that cannot be used" in told or "status 302" in told


def test_redirects_without_end_are_refused(tmp_path: Path, index: Index) -> None:
    index.special["/simple/my-tool/"] = redirect("/simple/my-tool/")
    assert "status 302" in refusal(tmp_path, sha256=HASH)
    assert len(index.asked) < 30


def cut_off(times: int) -> Callable[[BaseHTTPRequestHandler], None]:
    left = [times]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        left[0] -= 1
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(SDIST)))
        handler.end_headers()
        handler.wfile.write(SDIST if left[0] < 0 else SDIST[:40])

    return answer


def test_a_connection_that_is_lost_is_tried_again(tmp_path: Path, index: Index) -> None:
    index.special["/files/my_tool-1.0.tar.gz"] = cut_off(2)
    assert len(opened(tmp_path, sha256=HASH)) == 2
    assert index.paths().count("/files/my_tool-1.0.tar.gz") == 3


def test_a_connection_that_is_always_lost_is_told(tmp_path: Path, index: Index) -> None:
    index.special["/files/my_tool-1.0.tar.gz"] = cut_off(99)
    told = refusal(tmp_path, sha256=HASH)
    assert f"found no connection (40 of {len(SDIST)} bytes), expected an answer, in 4 tries" in told
    assert list((tmp_path / "cache").rglob("*.part")) == []


def test_a_busy_server_is_tried_again(tmp_path: Path, index: Index) -> None:
    answers = [503, 429]

    def busy(handler: BaseHTTPRequestHandler) -> None:
        if answers:
            send(handler, b"later", status=answers.pop())
        else:
            kind, data = index.page()
            send(handler, data, kind)

    index.special["/simple/my-tool/"] = busy
    assert len(opened(tmp_path, sha256=HASH)) == 2


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 1_000_000)
    except OSError:
        return


def test_a_page_without_end_is_refused(tmp_path: Path, index: Index) -> None:
    index.special["/simple/my-tool/"] = endless
    assert "found more than 64000000 bytes" in refusal(tmp_path, sha256=HASH)


def test_a_file_that_says_it_is_huge_is_not_fetched(tmp_path: Path, index: Index) -> None:
    def huge(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**12))
        handler.end_headers()

    index.special["/files/my_tool-1.0.tar.gz"] = huge
    assert "found more than 500000000 bytes, expected at most 500000000" in refusal(tmp_path, sha256=HASH)


def test_a_silent_server_is_given_up(tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        assert "found no connection (TimeoutError)" in refusal(tmp_path, sha256=HASH)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"[" * 100_000, "application/json"),
        (b"{}", "application/vnd.pypi.simple.v1+json"),
        (b'{"files": [1, {"filename": 3}, {"filename": "a", "url": "http://[x"}]}', "application/json"),
        (b"<a href='http://[bad/my_tool-1.0.tar.gz'><base href='http://['><a><a href>", "text/html"),
        (b"\xff\xfe<a href=\xff>", "text/html"),
        (b"nothing", "text/plain"),
    ],
)
def test_any_page_is_read_or_refused(tmp_path: Path, index: Index, data: bytes, kind: str) -> None:
    index.special["/simple/my-tool/"] = lambda handler: send(handler, data, kind)
    refusal(tmp_path, sha256=HASH)


def test_every_place_that_pip_would_look_in_is_looked_in(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", index.url)
    assert len(opened(tmp_path, sha256=HASH)) == 2
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "my-tool-0.9.tar.gz").write_bytes(OLDER)
    (folder / "my_tool-1.0.tar.gz").write_bytes(b"damaged")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{tmp_path}/none {folder.as_uri()}")
    asked = len(index.asked)
    assert len(opened(tmp_path, "my-tool==0.9", sha256=hashlib.sha256(OLDER).hexdigest())) == 2
    assert len(index.asked) == asked
    (tmp_path / "second").mkdir()
    assert "found sha256" in refusal(tmp_path / "second", sha256=HASH)


def test_a_good_file_is_found_beside_a_bad_one(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "my_tool-1.0.tar.gz").write_bytes(b"damaged")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    assert len(opened(tmp_path, sha256=HASH)) == 2


def test_the_configuration_of_pip_is_asked(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_INDEX_URL")
    said = {
        "global.index-url": "http://127.0.0.1:1/x",
        "download.index-url": index.url,
        "global.timeout": "7",
    }
    fake_pip(tmp_path, said)
    assert pip_settings().indexes == (index.url,)
    assert pip_settings().seconds == 7
    assert len(opened(tmp_path, sha256=HASH)) == 2
    fake_pip(tmp_path, {}, default=index.url)
    assert pip_settings().indexes == (index.url,)
    monkeypatch.setenv("UV_DEFAULT_INDEX", "mine=http://127.0.0.1:2/simple")
    assert pip_settings().indexes == ("http://127.0.0.1:2/simple",)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:3/simple")
    assert pip_settings().indexes == ("http://127.0.0.1:3/simple",)


def test_without_pip_and_index_it_says_what_to_set(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("RANKGATE_PIP", str(tmp_path / "none"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    assert refusal(tmp_path, sha256=HASH) == (
        "the package index: found no pip to ask, expected an index to fetch from; "
        "set PIP_INDEX_URL to the address of an index, or RANKGATE_PIP to a pip"
    )


def test_certificates_that_are_not_there_are_told(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CERT", str(tmp_path / "none.pem"))
    assert "certificates that cannot be read" in refusal(tmp_path, sha256=HASH)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.0", "1", True),
        ("1.0.0", "v1", True),
        ("1.0rc1", "1.0-c.1", True),
        ("1.0a0", "1.0alpha", True),
        ("1.0-1", "1.0.post1", True),
        ("1.0.dev3", "1.0dev3", True),
        ("0!1.0", "0!1", True),
        ("0!1", "1", True),
        ("1!1", "1", False),
        ("1.0+ubuntu-1", "1.0+ubuntu.1", True),
        ("1.0", "1.0.1", False),
        ("1.10", "1.1", False),
        ("1.0rc1", "1.0", False),
    ],
)
def test_versions_are_equal_however_they_are_spelt(one: str, other: str, same: bool) -> None:
    assert (parsed_version(one) == parsed_version(other)) is same


def test_versions_agree_with_the_packaging_library() -> None:
    version = pytest.importorskip("packaging.version")
    texts = [
        f"{release}{rest}"
        for release in ("1", "1.0", "01.2", "1!2.0.0", "v3.1")
        for rest in (
            "",
            "a1",
            ".beta-2",
            "rc",
            "-c3",
            "_pre4",
            ".post5",
            "-6",
            ".dev",
            "dev7",
            "a1.post2.dev3",
        )
    ]
    for one in texts:
        for other in texts:
            equal = version.Version(one) == version.Version(other)
            assert (parsed_version(one) == parsed_version(other)) is equal, (one, other)


def test_files_of_other_projects_are_told_apart() -> None:
    assert version_in("zope.interface-5.0.zip", "Zope_Interface") == "5.0"
    assert version_in("my-tool-plus-1.0.tar.gz", "my-tool") is None
    assert version_in("my_tool-1.0-py3-none-any.whl", "my-tool") is None
    assert version_in("../my_tool-1.0.tar.gz", "my-tool") is None
    assert split_release("a b==1") is None


def test_a_real_release_is_fetched_through_the_configured_index(tmp_path: Path) -> None:
    pinned = (PROJECT / "requirements" / "fixtures.txt").read_text(encoding="utf-8")
    found = re.search(r"^requests==2\.33\.1 --hash=sha256:(\w+)", pinned, re.MULTILINE)
    assert found is not None
    try:
        corpus = opened(tmp_path, "requests==2.33.1", sha256=found[1])
    except FormatError:
        raise
    except InputError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no package index can be reached: {error}")
    assert len(corpus) == 83
    assert corpus.text("README.md").startswith("# Requests")
    assert opened(tmp_path, "requests==2.33.1", sha256=found[1], under="src/requests").lines("api.py") > 100
    with pytest.raises(FormatError, match=f"found sha256 {found[1]}, expected sha256 {'1' * 64}"):
        opened(tmp_path, "requests==2.33.1", sha256="1" * 64)
    assert found[1] in refusal(tmp_path, "requests==2.33.1")


def test_fetching_again_fetches_nothing(tmp_path: Path, index: Index) -> None:
    said: list[str] = []
    release = Release("my-tool", "1.0", "here", HASH)
    first = release.fetch(tmp_path / "folder", said.append)
    assert first == release.fetch(tmp_path / "folder", said.append)
    assert said == ["fetching my_tool-1.0.tar.gz"]
    first.write_bytes(b"damaged")
    assert release.fetch(tmp_path / "folder").read_bytes() == SDIST
