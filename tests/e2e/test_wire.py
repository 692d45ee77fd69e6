"""What only a socket can send: chunks that make no sense, headers that would move the routes."""

import socket
from urllib.parse import urlsplit

import pytest

from tests.support.command import Service

pytestmark = pytest.mark.slow

CREATE = (
    b"POST /v1/games HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def answer(service: Service, sent: bytes) -> bytes:
    place = urlsplit(service.url)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65536):
            received += part
    return received


@pytest.mark.parametrize(
    "body",
    [
        b"ZZ\r\n{}\r\n",
        b"-5\r\n{}\r\n",
        b'13\r\n{"ruleset":"pairs"}XX0\r\n\r\n',
        b'13\r\n{"ruleset":"pairs"}\r\n0\r\nbad trailer\r\n\r\n',
    ],
)
def test_broken_chunks_are_malformed(service: Service, body: bytes) -> None:
    received = answer(service, CREATE + body)
    assert received.startswith(b"HTTP/1.1 400")
    assert b'"code":"malformed_json"' in received


def test_whole_chunks_are_read(service: Service) -> None:
    received = answer(service, CREATE + b'13\r\n{"ruleset":"pairs"}\r\n0\r\n\r\n')
    assert received.startswith(b"HTTP/1.1 201")


def test_no_header_moves_the_routes(service: Service) -> None:
    asked = b"GET /v1/v1/me HTTP/1.1\r\nHost: here\r\nConnection: close\r\nSCRIPT_NAME: /v1\r\n\r\n"
    assert answer(service, asked).startswith(b"HTTP/1.1 404")
