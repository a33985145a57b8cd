"""Addresses of object stores: what is one, what is none, and that none holds a secret."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.files.stores.address import StoreAddress, is_address


@pytest.mark.parametrize("text", ["s3://bucket", "s3://bucket/runs/app", "gs://b/x", "az://container/x"])
def test_an_address_is_written_as_it_was_read(text: str) -> None:
    assert str(StoreAddress.parse(text + "/")) == text


@pytest.mark.parametrize("text", ["runs/app", "/tmp/s3:/x", "C:\\runs", "a.py:search", "s3:bucket", ""])
def test_a_path_is_no_address(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    "text", ["s3://", "s3:///x", "s3://b//x", "s3://b/../x", "http://host/x", "s3://b/a\x00"]
)
def test_what_cannot_be_an_address_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        StoreAddress.parse(text)


@pytest.mark.parametrize("text", ["s3://AKIA123:topsecret@bucket/run", "s3://bucket/run?secret=topsecret"])
def test_credentials_in_an_address_are_refused_and_not_shown(text: str) -> None:
    with pytest.raises(InputError) as raised:
        StoreAddress.parse(text)
    assert "topsecret" not in str(raised.value)
    assert "environment" in str(raised.value)
