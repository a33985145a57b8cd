"""Servers behind TLS: only with a certificate that is trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.http.system import HttpOptions, HttpSystem
from support.certificates import certificate
from support.http_servers import serving

if TYPE_CHECKING:
    from pathlib import Path

QUERY = Query("rotate a key")


def asked(url: str, folder: Path, *, trusted: bool, path: str = "search") -> HttpSystem:
    ca_file = "server.pem" if trusted else None
    secure = url.replace("http:", "https:")
    options = HttpOptions(f"{secure}/{path}?q={{query}}", hits="found", fields={"id": "doc.name"}, timeout=3,
                          ca_file=ca_file, root=str(folder))  # fmt: skip
    return HttpSystem(options)


def test_a_certificate_must_be_trusted(tmp_path: Path) -> None:
    with serving(certificate(tmp_path, "127.0.0.1")) as server:
        system = asked(server.url, tmp_path, trusted=True)
        assert [hit.id for hit in system.search(QUERY).hits] == ["a", "b"]
        assert [hit.id for hit in system.search(QUERY).hits] == ["a", "b"]
        with pytest.raises(SystemFailedError, match=r"certificate verify failed.*see ca_file") as caught:
            asked(server.url, tmp_path, trusted=False).search(QUERY)
        assert not isinstance(caught.value, RetriableError)


def test_a_certificate_must_be_for_the_host(tmp_path: Path) -> None:
    with (
        serving(certificate(tmp_path, "127.0.0.9")) as server,
        pytest.raises(SystemFailedError, match="certificate"),
    ):
        asked(server.url, tmp_path, trusted=True).search(QUERY)


def test_a_dripping_server_behind_tls_is_a_time_out(tmp_path: Path) -> None:
    with serving(certificate(tmp_path, "127.0.0.1")) as server, pytest.raises(TimedOutError):
        asked(server.url, tmp_path, trusted=True, path="drip").search(QUERY)
