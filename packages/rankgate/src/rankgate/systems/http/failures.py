"""Failed requests, told without the URL, in which secrets may stand."""

from __future__ import annotations

import http.client
import re

from urllib3.exceptions import (
    ConnectTimeoutError,
    InvalidChunkLength,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from rankgate.errors import Code, RetriableError, SystemFailedError
from rankgate.systems.adapter.failures import printable, refused

# What http.client says of a proxy that does not connect.
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3}) ?(.*)")


def is_late(error: Exception) -> bool:
    """Check whether a request failed because nothing came in time."""
    if isinstance(error, ProxyError):
        error = error.original_error
    if isinstance(error, NewConnectionError):
        return False
    return isinstance(error, (ReadTimeoutError, ConnectTimeoutError)) or isinstance(
        _inner(error), TimeoutError
    )


def failure_of(error: Exception, where: str) -> SystemFailedError:
    """Return what urllib3 raised as an error of ours, which says whether to ask again.

    Args:
        error: What was raised.
        where: The server, for the message.
    """
    whom = ""
    if isinstance(error, ProxyError):
        error, whom = error.original_error, " to the proxy"
        if found := _TUNNEL.match(str(error)):
            said = f"{found[2]}, says the proxy" if found[2] else "says the proxy"
            return refused(where, int(found[1]), printable(said))
        if isinstance(error, (OSError, http.client.HTTPException)):
            # As urllib3 raises what a server does.
            error = ProtocolError("Connection aborted.", error)
    if isinstance(error, SSLError) and is_cut_off(str(error)):
        error = ProtocolError("Connection aborted.", *error.args)
    inner = _inner(error)
    # Messages of the library hold the whole URL; what the system said does not.
    said = (inner.strerror if inner is not None else None) or type(inner or _cause(error)).__name__
    words = printable(said)
    if isinstance(error, SSLError):
        reason = printable(str(error.args[0]) if error.args else said)
        return SystemFailedError(Code.CERTIFICATE(where, reason, "a certificate to trust", "see ca_file"))
    lost = isinstance(error, NewConnectionError) or (
        isinstance(error, (ProtocolError, InvalidChunkLength))
        and (isinstance(inner, OSError) or "Incomplete" in repr(error) or "InvalidChunk" in repr(error))
    )
    if isinstance(error, NewConnectionError):
        said = f"could not connect{whom} ({words})"
    elif lost:
        said = f"the connection{whom} was lost ({words})"
    else:
        said = f"the answer is no HTTP ({type(error).__name__})"
    problem = Code.NO_CONNECTION(where, words, "an answer", said=f"{where}: {said}")
    return RetriableError(problem) if lost else SystemFailedError(problem)


def is_cut_off(message: str) -> bool:
    """Check whether an error of TLS says that the connection ended, which is no fault of a certificate.

    >>> is_cut_off("EOF occurred in violation of protocol (_ssl.c:1006)")
    True
    """
    return "EOF occurred" in message or "unexpected eof" in message


def _cause(error: Exception) -> BaseException:
    return error.__cause__ or error.__context__ or error


def _inner(error: Exception) -> OSError | None:
    return next((one for one in (*error.args, _cause(error)) if isinstance(one, OSError)), None)
