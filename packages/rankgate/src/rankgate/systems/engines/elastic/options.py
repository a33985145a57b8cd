"""The options that OpenSearch and Elasticsearch share, and what of them opens a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rankgate.errors import Code, InputError
from rankgate.io.secrets import hide
from rankgate.io.typed import Count, Seconds
from rankgate.systems.adapter.options import check_options, field_problems, not_both
from rankgate.systems.adapter.variables import basic, filled_in, read_address, read_headers


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Which index is asked, and how."""

    index: str
    """An index, an alias or a pattern."""
    hosts: tuple[str, ...] = ("http://localhost:9200",)
    """The nodes; the next one is asked after a failure. ``${NAME}`` is read from the environment."""
    body: Mapping[str, object] | None = None
    """What is sent to ``_search``, with ``{query}``, ``{k}`` and ``{filters.NAME}`` in it."""
    body_file: str | None = None
    """A JSON file in place of `body`."""
    params: Mapping[str, object] = field(default_factory=dict)
    """What stands in the URL, such as search_type, routing or preference; with placeholders too."""
    fields: Mapping[str, str] = field(default_factory=lambda: {"id": "_id"})
    """Where in a hit each of its parts is: ``_id``, ``_source.path``, ``fields.path``, …"""
    partial: bool = False
    """True where an answer counts although shards failed or the server ran out of time."""
    username: str | None = None
    """With ``${NAME}``, as the next ones."""
    password: str | None = None
    """Of the user."""
    api_key: str | None = None
    """A key in place of a user, as the server encoded it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of every request."""
    ca_file: str | None = None
    """Certificates to trust in place of the system's, for a server with its own."""
    verify_certs: bool = True
    """False to trust whoever answers: for a server on this machine alone."""
    timeout: Seconds = 30.0
    """Seconds from the look-up of the host to the last byte of an answer."""
    max_body: Count = 10_000_000
    """Bytes of an answer, unpacked."""
    root: str = "."
    """The folder that `body_file` and `ca_file` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(
            (bool(self.hosts), "hosts", "none", "at least one"),
            not_both(self, "body", "body_file"),
            (bool(self.index), "index", "no name", "the index to search"),
            not_both(self, "api_key", "username"),
            (
                (self.username is None) == (self.password is None),
                "username",
                "username or password alone",
                "both",
            ),
            also=field_problems(self.fields),
        )


@dataclass(frozen=True, slots=True)
class Access:
    """What a client needs, with its secrets read."""

    options: SearchOptions
    """What the configuration says."""
    name: str
    """The system, for errors."""
    urls: tuple[str, ...]
    """The nodes, without credentials."""
    headers: dict[str, str]
    """With the one that says who asks."""
    ca_file: str | None
    """Certificates to trust."""


def read_access(options: SearchOptions, name: str) -> Access:
    """Read addresses, headers and credentials, with variables of the environment in them.

    Raises:
        InputError: for a variable that is not set, an address that is none, and certificates that are not
            there.
    """
    addresses = [read_address(host, f"{name}.hosts[{number}]") for number, host in enumerate(options.hosts)]
    headers = read_headers(options.headers, f"{name}.headers")
    for address in addresses:
        if address.authorization is not None:
            headers.setdefault("Authorization", address.authorization)
    if options.username is not None and options.password is not None:
        user = filled_in(options.username, f"{name}.username")
        word = filled_in(options.password, f"{name}.password")
        headers["Authorization"] = basic(user, word)
    if options.api_key is not None:
        key = filled_in(options.api_key, f"{name}.api_key")
        hide(key)
        checked = read_headers({"Authorization": f"ApiKey {key}"}, f"{name}.api_key")
        headers |= checked
    ca_file = None if options.ca_file is None else Path(options.root) / options.ca_file
    if ca_file is not None and not ca_file.is_file():
        raise InputError(
            Code.NO_SUCH_FILE(f"{name}.ca_file", f"{ca_file}, where there is none", "certificates")
        )
    urls = tuple(address.url for address in addresses)
    return Access(options, name, urls, headers, None if ca_file is None else str(ca_file))
