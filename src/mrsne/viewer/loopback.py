"""A small HTTP server that only this computer can reach, with headers that keep other web sites out."""

import contextlib
import http.server
import logging
import socket
import socketserver
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

logger = logging.getLogger("mrsne")

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 60.0  # without a request, after which a connection is closed
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Response:
    status: HTTPStatus
    content: bytes
    content_type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=lambda: {"Cache-Control": "no-store"})


def refusal(status: HTTPStatus, **headers: str) -> Response:
    text = f"{status.value} {status.phrase}\n".encode()
    return Response(status, text, headers={"Cache-Control": "no-store", **headers})


class LoopbackServer(http.server.ThreadingHTTPServer):
    """A server that only this computer can reach; ``respond`` takes the path of a request exactly as it was sent."""

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # where it would let another program take over the port

    def __init__(self, port: int, respond: Callable[[str], Response]) -> None:
        self.respond = respond
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        super().__init__((LOOPBACK, port), Handler)

    def server_bind(self) -> None:
        """Bind without asking a name server what this computer is called."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, int(self.server_address[1])

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts under which browsers reach this server; with any other, a web site sent them here."""
        names = (LOOPBACK, "localhost")
        return (*(f"{name}:{self.server_port}" for name in names), *(names if self.server_port == 80 else ()))

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """Close the port and the connections that browsers keep open."""
        super().server_close()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):  # the other side was faster
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that went away, and log anything else."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            logger.exception("a request to the server of a map failed")


class Handler(http.server.BaseHTTPRequestHandler):
    server: LoopbackServer
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # so that refusals of malformed requests have headers too
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # a body follows, which must not be read as a request
        self._send(self._response())

    do_HEAD = do_GET  # noqa: N815 - for which nothing is written after the headers

    def _response(self) -> Response:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.server.hosts:
            return refusal(HTTPStatus.FORBIDDEN)
        try:
            return self.server.respond(self.path)
        except Exception:  # the browser is told, and the next request is served
            logger.exception("the server of a map could not answer a request")
            return refusal(HTTPStatus.INTERNAL_SERVER_ERROR)

    def _send(self, response: Response) -> None:
        self.send_response_only(response.status)
        self.send_header("Date", self.date_time_string())
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.content)))
        for name, value in {**SECURITY_HEADERS, **response.headers}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse malformed requests and all methods that do not read."""
        self.close_connection = True
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(refusal(HTTPStatus.METHOD_NOT_ALLOWED, Allow="GET, HEAD"))
        else:
            self._send(refusal(HTTPStatus(code)))

    def log_message(self, *_message: Any, **_more: Any) -> None:
        """Log nothing: the terminal is the user's."""
