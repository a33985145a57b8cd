"""How much an archive may hold before it is taken for an attack."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that are checked while an archive is unpacked, whatever its headers say."""

    members: int = 250_000
    """How many files, folders and links."""
    one: int = 1 << 30
    """How many bytes one file may have: 1 GiB."""
    total: int = 1 << 32
    """How many bytes all files may have: 4 GiB."""
    ratio: int = 200
    """How many times its size an archive may unpack to, once it is past `floor`."""
    floor: int = 100_000_000
    """How many bytes are unpacked before `ratio` counts: small archives of zeros are harmless."""
    header: int = 1 << 20
    """How many bytes the headers of one member may have: 1 MiB."""
    directory: int = 1 << 25
    """How many bytes the list of members at the end of a zip may have: 32 MiB."""

    def past_ratio(self, unpacked: int, packed: int) -> bool:
        """Tell whether so many bytes are too many to come out of an archive of that size."""
        return unpacked > max(self.floor, self.ratio * packed)


LIMITS = Limits()
"""What holds unless a test says otherwise."""
