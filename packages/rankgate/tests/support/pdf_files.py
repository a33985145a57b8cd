"""PDF files for tests, written by hand, so that nothing in them is of the library under test."""

from __future__ import annotations

import zlib


def pdf(*pages: str) -> bytes:
    """Return a PDF with the lines of each page in Helvetica."""
    return pdf_of_streams(*(_shown(page) for page in pages))


def pdf_of_streams(*streams: bytes, deflated: bool = False) -> bytes:
    """Return a PDF with a page for each content stream; deflated ones are compressed already."""
    numbers = [4 + 2 * at for at in range(len(streams))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, stream in zip(numbers, streams, strict=True):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R {resources} >>"
        )
        how = "/Filter /FlateDecode " if deflated else ""
        head = f"<< {how}/Length {len(stream)} >>\nstream\n".encode()
        objects += [page.encode(), head + stream + b"\nendstream"]
    return _file(objects)


def bomb(megabytes: int) -> bytes:
    """Return a small PDF whose one page becomes very large when it is read."""
    packer = zlib.compressobj(9)
    zeros = b" " * (1 << 20)
    stream = b"".join(packer.compress(zeros) for _ in range(megabytes)) + packer.flush()
    return pdf_of_streams(stream, deflated=True)


def endless_tree() -> bytes:
    """Return a PDF whose tree of pages has itself as a child."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 /Parent 2 0 R >>",
    ]
    return _file(objects)


def _shown(page: str) -> bytes:
    lines = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in page.split("\n")]
    text = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 12 Tf 72 720 Td 14 TL {text} ET".encode("cp1252")


def _file(objects: list[bytes]) -> bytes:
    written, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + end.encode() + trailer.encode()
