"""Addresses of object stores: ``s3://bucket/runs/app``. No library is imported to read one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankgate.errors import Code, InputError
from rankgate.model.secrets import without_secrets_in

SCHEMES = ("s3", "gs", "az")
"""The stores that are known: Amazon S3 and what speaks as it does, Google Cloud Storage, Azure."""
COPY_MARK = ".store.json"
"""The file that says of what a folder is a copy."""
_WRITTEN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)
_EXPECTED = "an address such as s3://bucket/runs/app"


def is_address(text: object) -> bool:
    """Return whether a text is the address of a store, and no path; one of a store that is unknown, too.

    >>> is_address("s3://bucket/run"), is_address("runs/app"), is_address("C:/runs")
    (True, False, False)
    """
    return isinstance(text, str) and _WRITTEN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A place in an object store.

    >>> str(StoreAddress.parse("s3://bucket/runs/app/") / "manifest.json")
    's3://bucket/runs/app/manifest.json'
    """

    scheme: str
    """Which store: one of `SCHEMES`."""
    parts: tuple[str, ...]
    """The bucket, and the names below it."""

    @classmethod
    def parse(cls, text: str) -> StoreAddress:
        """Read an address.

        Raises:
            InputError: for another scheme, an empty name, and for credentials, which are never part of one.
        """
        found = _WRITTEN.fullmatch(text)
        shown = without_secrets_in(text)
        if found is None or found["scheme"].lower() not in SCHEMES:
            schemes = ", ".join(f"{scheme}://" for scheme in SCHEMES)
            raise InputError(
                Code.WRONG_ADDRESS(shown, "an address of another kind", f"one that begins with {schemes}")
            )
        if any(sign in found["rest"] for sign in "@?#"):
            fix = "leave it out: credentials come from the environment, a profile or the machine"
            raise InputError(Code.WRONG_ADDRESS(shown, "one of the characters @ ? #", _EXPECTED, fix))
        parts = tuple(found["rest"].rstrip("/").split("/"))
        if any(part in ("", ".", "..") or not part.isprintable() for part in parts):
            raise InputError(Code.WRONG_ADDRESS(shown, "an empty or impossible name", _EXPECTED))
        return cls(found["scheme"].lower(), parts)

    def __truediv__(self, name: str) -> StoreAddress:
        return StoreAddress(self.scheme, (*self.parts, *name.split("/")))

    @property
    def name(self) -> str:
        """The last name."""
        return self.parts[-1]

    @property
    def parent(self) -> StoreAddress:
        """The address one name up, with which nothing is done where it is less than a bucket."""
        return StoreAddress(self.scheme, self.parts[:-1])

    def __str__(self) -> str:
        return f"{self.scheme}://{'/'.join(self.parts)}"
