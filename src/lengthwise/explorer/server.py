"""The server of the page: on 127.0.0.1 only, for this machine's browser only.

It answers GET of known paths. Requests that name another host (DNS rebinding) or that another site
sends are refused.
"""

import errno
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lengthwise.errors import ConfigError

ADDRESS = "127.0.0.1"

Asked = Mapping[str, str]
Answer = Callable[[Asked], dict[str, Any]]
"""From the parameters of a request to a JSON object."""


class Explorer(ThreadingHTTPServer):
    """Serves one page, and answers questions at `/api/NAME`.

    Raises:
        ConfigError: the port is in use, or not for this user.
    """

    daemon_threads = True

    def __init__(self, page: str, answers: Mapping[str, Answer], port: int = 0) -> None:
        self.page = page.encode()
        self.answers = {f"/api/{name}": answer for name, answer in answers.items()}
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"{error.strerror}"
            raise ConfigError(
                f"port {port} of {ADDRESS} cannot be opened ({why}). Give another one, or --port 0 "
                f"for one that is free."
            ) from None
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Explorer
    protocol_version = "HTTP/1.1"
    server_version = "lengthwise"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a known path; refuse other hosts, other sites and other paths."""
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "this page is served to this machine only.")
            return
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN, "another site asked for this.")
            return
        parts = urlsplit(self.path)
        if parts.path == "/":
            self._send(HTTPStatus.OK, "text/html", self.server.page)
            return
        answer = self.server.answers.get(parts.path)
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such path.")
            return
        query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=8)
        result = answer({name: values[-1] for name, values in query.items()})
        self._send(HTTPStatus.OK, "application/json", json.dumps(result).encode())

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(status, "application/json", json.dumps({"error": why}).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: a page asks often."""
