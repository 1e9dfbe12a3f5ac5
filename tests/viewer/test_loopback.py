"""What the server of a map does not do: respond to other computers, under other names, or to anything but reading."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import pytest

from mrsne.viewer.server import MapServer
from tests.viewer.conftest import asked, status


@pytest.mark.parametrize("path", ["", "part/places", "picture/0/0", "nothing", "/"])
def test_every_answer_is_careful(path: str, server: MapServer) -> None:
    headers = asked(server, path)[0].headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert "Server" not in headers
    assert "Access-Control-Allow-Origin" not in headers


def test_only_names_of_this_computer_are_served(server: MapServer) -> None:
    for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}"):
        assert status(server, "", host=host) == 200
    wrong = ["evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost", f"127.0.0.1:{server.port + 1}"]
    for host in (*wrong, f"127.0.0.1:{server.port}.evil.example", f"[::1]:{server.port}", ""):
        assert status(server, "", host=host) == 403


@pytest.mark.parametrize("hosts", [0, 2])
def test_a_request_has_one_host(hosts: int, server: MapServer) -> None:
    lines = [f"GET {urlsplit(server.url).path} HTTP/1.1", *[f"Host: 127.0.0.1:{server.port}"] * hosts, "", ""]
    assert raw(server, "\r\n".join(lines).encode()).startswith(b"HTTP/1.1 403 ")


def raw(server: MapServer, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(4096)


def test_what_is_no_request_is_refused(server: MapServer) -> None:
    assert raw(server, b"\x16\x03\x01 what is this\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert raw(server, b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 414 ")
    assert status(server, "") == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "FOO"])
def test_one_can_only_read(method: str, server: MapServer) -> None:
    answer, _ = asked(server, "", method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_one_connection_serves_many_requests_but_none_hidden_in_another(server: MapServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    path = urlsplit(server.url).path
    connection.connect()
    used = connection.sock
    for _ in range(3):
        connection.request("GET", f"{path}part/places")
        assert connection.getresponse().read()
        assert connection.sock is used
    connection.request("GET", f"{path}part/places", body=b"GET / HTTP/1.1\r\n\r\n")
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Connection"]) == (200, "close")
    answer.read()
    connection.close()


def test_only_this_computer_reaches_it(server: MapServer) -> None:
    assert server.url.startswith(f"http://127.0.0.1:{server.port}/")
    assert server._server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(OSError, match=r"refused|timed out|assign"):  # another address of this computer
        socket.create_connection(("127.0.0.2", server.port), timeout=2)
