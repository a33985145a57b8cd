"""Servers behind TLS: only with a certificate that is trusted."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import socket
import ssl
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from rankgate.errors import RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.http.system import HttpOptions, HttpSystem
from support.http_servers import serving

if TYPE_CHECKING:
    from pathlib import Path

QUERY = Query("rotate a key")


def certificate(folder: Path, address: str) -> Path:
    """Write a key and a certificate for an address, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "search")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


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


def test_what_tls_has_unpacked_behind_an_answer_is_nobody_elses(tmp_path: Path) -> None:
    """It lies in the same record as the end of a long body, where no socket shows it."""
    pem = certificate(tmp_path, "127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)

    def answer(name: str, padding: int = 0) -> bytes:
        body = json.dumps({"found": [{"doc": {"name": name, "padding": "x" * padding}}]}).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    def serve(plain: socket.socket) -> None:
        with suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
            while request := connection.recv(1 << 16):
                query = request.split(b"q=")[1].split(b" ")[0].decode()
                more = answer("left-over") if query == "long" else b""
                connection.sendall(answer(query, 20_000 if more else 0) + more)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        system = asked(f"http://127.0.0.1:{listening.getsockname()[1]}", tmp_path, trusted=True)
        for query in ("one", "two", "long", "three", "long", "four"):
            assert [hit.id for hit in system.search(Query(query)).hits] == [query]
        system.close()
        listening.shutdown(socket.SHUT_RDWR)
