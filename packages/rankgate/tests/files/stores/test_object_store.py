"""The verbs of a store on two servers that speak S3 and on one of Azure's, over good lines and bad ones."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.files.stores.address import StoreAddress
from rankgate.files.stores.object_store import ObjectStore, StoreError, TakenError, open_store
from rankgate.files.stores.suite_copies import suite_copy, suite_file
from support.azure_server import azurite_server
from support.bad_lines import BadLine, bad_line
from support.s3_servers import moto_server, versitygw_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.files.stores.object_store import ObjectTag
    from support.s3_servers import S3Server

pytestmark = pytest.mark.once


SERVERS = [
    pytest.param(versitygw_server, id="versitygw"),
    pytest.param(moto_server, id="moto"),
    pytest.param(azurite_server, id="azurite", marks=pytest.mark.long),
]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[S3Server]:
    with request.param() as running:
        yield running


@pytest.fixture
def opened(server: S3Server, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ObjectStore:
    server.give_to(monkeypatch)
    return open_store(StoreAddress.parse(server.address(f"{abs(hash(request.node.nodeid))}")))


def test_what_is_written_new_is_written_once(opened: ObjectStore, tmp_path: Path) -> None:
    assert opened.read("a/b") is None
    opened.write_new("a/b", b"first")
    opened.write_new("a/b", b"first")
    with pytest.raises(TakenError):
        opened.write_new("a/b", b"second")
    (tmp_path / "file").write_bytes(b"third")
    with pytest.raises(TakenError):
        opened.write_new("a/b", tmp_path / "file")
    found = opened.read("a/b")
    assert found is not None
    assert found.data == b"first"


def test_only_the_state_that_was_read_is_replaced(opened: ObjectStore) -> None:
    first = opened.replace("m", b"1", None)
    second = opened.replace("m", b"2", first)
    for tag in (first, None):
        with pytest.raises(TakenError):
            opened.replace("m", b"3", tag)
    opened.delete("m")
    with pytest.raises(TakenError):
        opened.replace("m", b"3", second)
    assert opened.read("m") is None


def test_an_object_is_fetched_whole_or_not_at_all(opened: ObjectStore, tmp_path: Path) -> None:
    data = bytes(range(256)) * 4096
    opened.write("large", data)
    assert opened.fetch("large", tmp_path / "to" / "large")
    assert (tmp_path / "to" / "large").read_bytes() == data
    assert not opened.fetch("none", tmp_path / "none")
    assert not list(tmp_path.glob("*none*"))


def test_what_this_machine_cannot_write_is_told_at_once(opened: ObjectStore, tmp_path: Path) -> None:
    opened.write("a", b"1")
    start = time.monotonic()
    with pytest.raises(
        InputError, match=r"/a: found File name too long, expected a copy that can be written"
    ):
        opened.fetch("a", tmp_path / ("a" * 300))
    assert time.monotonic() - start < 5
    with pytest.raises(InputError, match=r"^s3://b/a{300}: found File name too long"):
        suite_copy(f"s3://b/{'a' * 300}/x.yaml")


def test_a_suite_is_found_however_the_store_is_written(opened: ObjectStore) -> None:
    opened.write("x.yaml", b"cases: []\n")
    scheme, _, rest = str(opened.address / "x.yaml").partition("://")
    assert suite_file(f"{scheme.upper()}://{rest}").read_bytes() == b"cases: []\n"


def test_every_name_is_listed_page_after_page(opened: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.files.stores.object_store._PAGE", 7)
    names = [f"x/{number:03d}" for number in range(23)]
    for name in names:
        opened.write(name, b"")
    assert list(opened.names()) == names
    opened.delete(names[0])
    opened.delete(names[0])
    assert list(opened.names()) == names[1:]


def test_of_eight_writers_of_one_object_one_wins(opened: ObjectStore, server: S3Server) -> None:
    if server.folder is None and server.scheme == "s3":
        pytest.skip("moto compares the ETag and writes in two steps, between which another may write")
    for number in range(5):
        tag = opened.replace(f"r{number}", b"begun", None)
        barrier = threading.Barrier(8)
        with ThreadPoolExecutor(8) as threads:
            drawn = [threads.submit(_wins, opened, f"r{number}", who, tag, barrier) for who in range(8)]
        won = [who for who, one in enumerate(drawn) if one.result()]
        found = opened.read(f"r{number}")
        assert found is not None
        assert won == [int(found.data)]


def _wins(store: ObjectStore, name: str, who: int, tag: ObjectTag, barrier: threading.Barrier) -> bool:
    barrier.wait()
    try:
        store.replace(name, str(who).encode(), tag)
    except TakenError:
        return False
    return True


@pytest.mark.parametrize("fault", ["refused", "unheard", "unanswered", "cut"])
def test_a_bad_line_changes_nothing(
    server: S3Server, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line = BadLine(**{fault: 0.3}, seed=7)  # type: ignore[arg-type]
    with bad_line(server, line) as bad:
        for name, value in bad.env.items():
            monkeypatch.setenv(name, value)
        store = open_store(StoreAddress.parse(server.address(f"bad-{fault}")))
        tag = None
        for number in range(12):
            tag = store.replace("manifest", f"{number}".encode(), tag)
            store.write_new(f"shard-{number:02d}", bytes([number]) * 5000)
        for number in range(12):
            assert store.fetch(f"shard-{number:02d}", tmp_path / "shard")
            assert (tmp_path / "shard").read_bytes() == bytes([number]) * 5000
        assert list(store.names()) == ["manifest", *(f"shard-{number:02d}" for number in range(12))]
        store.delete("shard-00")
        found = store.read("manifest")
    assert found is not None
    assert found.data == b"11"
    assert line.faults[fault] > 5


def test_a_store_that_refuses_says_so_without_a_secret(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.give_to(monkeypatch)
    address = StoreAddress.parse(server.address("run", bucket="no-such-bucket"))
    with pytest.raises(StoreError) as raised:
        open_store(address).write("a", b"")
    assert server.secret not in str(raised.value)
    assert raised.value.filename == f"{address}/a"


def test_a_profile_needs_the_library_that_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_PROFILE", "work")
    with pytest.raises(InputError, match="pip install boto3"):
        open_store(StoreAddress.parse("s3://bucket/run"))


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.files.stores.object_store.find_spec", lambda _name: None)
    with pytest.raises(InputError, match=r"rankgate\[stores\]"):
        open_store(StoreAddress.parse("s3://bucket/run"))
