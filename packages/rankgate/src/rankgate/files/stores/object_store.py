"""What may be done to objects: read, write what is not there yet, replace what is known, list, delete.

The two conditional verbs are all that runs need to be safe: an object that is written new is never changed,
and one that is replaced was the one that the writer had read. Whether a request whose reply was lost had
come through is found out by reading back, so that a cut connection is no reason to fail.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rankgate.errors import Code, InputError
from rankgate.files.atomic import replacing
from rankgate.model.secrets import Mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import obstore
    from obstore.store import ClientConfig, RetryConfig, S3Config
    from obstore.store import ObjectStore as Client

    from rankgate.files.stores.address import StoreAddress

    T = TypeVar("T")

_TRIES = 10
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0
_LONGEST_MESSAGE = 300
_PAGE = 1000
_OWN_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


class StoreError(OSError):
    """A store that cannot be reached, or refuses; like a disk that does."""


class TakenError(Exception):
    """Raised where another object stands than the writer knows of."""


@dataclass(frozen=True, slots=True)
class ObjectTag:
    """What tells two states of an object apart."""

    e_tag: str | None
    """By its ETag."""
    version: str | None
    """By its version or generation, where the store has one."""

    @property
    def condition(self) -> obstore.UpdateVersion:
        """The condition that the object is still in this state."""
        condition: obstore.UpdateVersion = {}
        if self.e_tag is not None:
            condition["e_tag"] = self.e_tag
        if self.version is not None:
            condition["version"] = self.version
        return condition


@dataclass(frozen=True, slots=True)
class KeptObject:
    """An object as it was read."""

    data: bytes
    """Its bytes."""
    tag: ObjectTag
    """Which state of it that was."""


class ObjectStore(Protocol):
    """The objects below an address, by their names there."""

    @property
    def address(self) -> StoreAddress:
        """Where they are."""

    def read(self, name: str) -> KeptObject | None:
        """Read an object; None where there is none."""

    def fetch(self, name: str, path: Path, most: int | None = None) -> bool:
        """Write an object of at most so many bytes to a file; False where there is none."""

    def write_new(self, name: str, data: bytes | Path) -> None:
        """Write an object that is not there; the same bytes may be. Raises TakenError for others."""

    def replace(self, name: str, data: bytes, tag: ObjectTag | None) -> ObjectTag:
        """Replace the state of an object that was read, None for no object. Raises TakenError for another."""

    def write(self, name: str, data: bytes | Path) -> None:
        """Write an object, whatever is there."""

    def names(self) -> Iterator[str]:
        """List the names, which may lack what was written a moment ago."""

    def delete(self, name: str) -> None:
        """Delete an object, where it is there."""


class RemoteStore:
    """Objects of Amazon S3, Google Cloud Storage or Azure, or of a server that speaks as one of them."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._client = _opened(address)

    @property
    def address(self) -> StoreAddress:
        """Where the objects are."""
        return self._address

    def read(self, name: str) -> KeptObject | None:
        """Read an object; None where there is none."""

        def read() -> KeptObject | None:
            try:
                found = self._client.get(name)
                data = bytes(found.bytes())
            except FileNotFoundError:
                return None
            return KeptObject(data, ObjectTag(found.meta["e_tag"], found.meta["version"]))

        return self._tried(name, read)

    def fetch(self, name: str, path: Path, most: int | None = None) -> bool:
        """Write an object to a file, which appears whole or not at all; False where there is none.

        Raises:
            InputError: for an object of more than `most` bytes, of which nothing is fetched.
        """

        def fetch() -> bool:
            try:
                found = self._client.get(name)
                size = found.meta["size"]
                if most is not None and size > most:
                    where = str(self._address / name)
                    raise InputError(Code.TOO_LARGE(where, f"{size} bytes", f"at most {most}"))
                with replacing(path) as aside, aside.open("wb") as file:
                    for chunk in found.stream():
                        file.write(chunk)
            except FileNotFoundError:
                return False
            return True

        return self._tried(name, fetch)

    def write_new(self, name: str, data: bytes | Path) -> None:
        """Write an object that is not there; that the same bytes are there already is as good.

        Raises:
            TakenError: where other bytes are there.
            StoreError: where the store refuses.
        """
        self._put(name, data, None)

    def replace(self, name: str, data: bytes, tag: ObjectTag | None) -> ObjectTag:
        """Replace the state of an object that was read, None for none, and return the tag of the new one.

        Raises:
            TakenError: where another state stands there by now.
            StoreError: where the store refuses.
        """
        return self._put(name, data, tag)

    def write(self, name: str, data: bytes | Path) -> None:
        """Write an object, whatever is there; whoever reads it finds the old one or the new one."""
        self._tried(name, lambda: self._client.put(name, data))

    def names(self) -> Iterator[str]:
        """List the names; where the connection is cut, the listing goes on behind the last name."""
        seen: str | None = None
        while True:
            page = self._tried("", lambda after=seen: next(iter(self._pages(after)), ()))  # type: ignore[misc]
            for one in page:
                yield one["path"]
            if not page:
                return
            seen = page[-1]["path"]

    def _pages(self, after: str | None) -> Iterator[Any]:
        return iter(self._client.list(offset=after, chunk_size=_PAGE))

    def delete(self, name: str) -> None:
        """Delete an object, where it is there."""

        def delete() -> None:
            try:
                self._client.delete(name)
            except FileNotFoundError:
                return

        self._tried(name, delete)

    def _put(self, name: str, data: bytes | Path, tag: ObjectTag | None) -> ObjectTag:
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        mode: obstore.PutMode = "create" if tag is None else tag.condition

        def put() -> ObjectTag | None:
            try:
                done = self._client.put(name, data, mode=mode, use_multipart=False)
            except (AlreadyExistsError, PreconditionError, FileNotFoundError) as error:
                return self._settled(name, data, tag, error)
            return ObjectTag(done["e_tag"], done["version"])

        for number in range(_TRIES):
            if (written := self._tried(name, put)) is not None:
                return written
            _pause(number)
        raise StoreError(None, "a conflict that does not end", str(self._address / name))

    def _settled(
        self, name: str, data: bytes | Path, tag: ObjectTag | None, error: Exception
    ) -> ObjectTag | None:
        """Return the tag of what an earlier request of ours wrote; None where nothing has changed yet."""
        found = self.read(name)
        mine = data if isinstance(data, bytes) else data.read_bytes()
        if found is not None and found.data == mine:
            return found.tag
        if (None if found is None else found.tag) == tag:
            # Two requests at once: S3 refuses both in a while, and neither was first.
            return None
        raise TakenError(str(self._address / name)) from error

    def _tried(self, name: str, what: Callable[[], T]) -> T:
        """Do something, again where the connection was cut or the store is busy.

        Raises:
            StoreError: where it goes on, or the store refuses, without any secret in its words.
            InputError: where a file of this machine cannot be read or written.
        """
        from obstore.exceptions import BaseError, GenericError

        for number in range(_TRIES):
            try:
                return what()
            except (BaseError, OSError) as error:
                where = str(self._address / name if name else self._address)
                if isinstance(error, OSError) and error.errno is not None:
                    # Stores have no such number.
                    raise copy_error(error, where) from error
                last = number == _TRIES - 1
                busy = isinstance(error, GenericError) or type(error) in (OSError, ConnectionError)
                if last or not busy:
                    raise StoreError(None, _said(error), where) from None
                _pause(number)
        raise AssertionError


def copy_error(error: OSError, where: str) -> InputError:
    """Return the error of a file on this machine, by the address that it is a copy of."""
    found = error.strerror or str(error)
    return InputError(Code.UNREADABLE_FILE(where, found, "a copy that can be written on this machine"))


def open_store(address: StoreAddress) -> ObjectStore:
    """Open a store, with the credentials that the environment, a profile or the machine has.

    Raises:
        InputError: where the library is not installed, or does not take what the environment says.
    """
    if find_spec("obstore") is None:
        fix = "to install: pip install 'rankgate[stores]'"
        raise InputError(Code.MISSING_EXTRA(str(address), "no library for object stores", "obstore", fix))
    return RemoteStore(address)


def _opened(address: StoreAddress) -> Client:
    from datetime import timedelta

    from obstore.exceptions import BaseError
    from obstore.store import S3Store, from_url

    options: ClientConfig = {"connect_timeout": "10s", "timeout": "300s"}
    retries: RetryConfig = {
        "max_retries": 6,
        "backoff": {
            "init_backoff": timedelta(milliseconds=50),
            "max_backoff": timedelta(seconds=3),
            "base": 2,
        },
        "retry_timeout": timedelta(seconds=60),
    }
    try:
        if address.scheme != "s3":
            return from_url(str(address), client_options=options, retry_config=retries)
        config: S3Config = {}
        if endpoint := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
            config["endpoint"] = endpoint
            options["allow_http"] = endpoint.startswith("http://")
        return S3Store.from_url(
            str(address),
            config=config,
            client_options=options,
            retry_config=retries,
            credential_provider=_profile(address),
        )
    except (BaseError, ValueError) as error:
        raise InputError(
            Code.STORE_FAILED(str(address), _said(error), "a store that can be opened")
        ) from None


def _profile(address: StoreAddress) -> Any:
    """Return what finds credentials in profiles, by boto3; None where the environment has some."""
    if any(os.environ.get(name) for name in _OWN_CREDENTIALS):
        return None
    if find_spec("boto3") is None:
        if os.environ.get("AWS_PROFILE"):
            fix = "to install: pip install boto3; or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            raise InputError(
                Code.MISSING_EXTRA(str(address), "AWS_PROFILE without boto3", "boto3, which reads it", fix)
            )
        return None
    from obstore.auth.boto3 import Boto3CredentialProvider

    return Boto3CredentialProvider()


def _pause(number: int) -> None:
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**number)
    time.sleep(longest * random.uniform(0.5, 1))  # noqa: S311 - a pause, no secret


def _said(error: Exception) -> str:
    """Return what a library said, in a line and without any secret."""
    text = Mask().hidden(str(error).split("\n\nDebug", 1)[0]).replace("\n", " ").strip()
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"
