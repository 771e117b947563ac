"""The server: known paths, for this machine's browser only."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from lengthwise.errors import ConfigError
from lengthwise.explorer.server import ADDRESS, Explorer


@pytest.fixture(scope="module")
def server() -> Iterator[Explorer]:
    with Explorer("<p>page</p>", {"echo": dict}) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(
    server: Explorer, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(ADDRESS, server.server_port)
    connection.request(
        method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_the_page_is_served_and_cannot_be_framed(server: Explorer) -> None:
    response, content = ask(server, "/")
    assert (response.status, content) == (200, b"<p>page</p>")
    assert response.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_question_is_answered_as_json(server: Explorer) -> None:
    _, content = ask(server, "/api/echo?word=%3Cscript%3E&empty=&twice=1&twice=2")
    assert json.loads(content) == {"word": "<script>", "empty": "", "twice": "2"}


@pytest.mark.parametrize("path", ["/api/other", "/etc/passwd", "/../x", "//x", "/api/"])
def test_other_paths_are_not_there(server: Explorer, path: str) -> None:
    assert ask(server, path)[0].status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_nothing_but_get_is_understood(server: Explorer, method: str) -> None:
    assert ask(server, "/", method)[0].status == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1"])
def test_other_hosts_are_refused(server: Explorer, host: str) -> None:
    """A name that was made to lead here (DNS rebinding) is still the name of another site."""
    response, content = ask(server, "/", Host=host)
    assert response.status == 403
    assert b"page</p>" not in content


def test_this_host_may_be_called_localhost(server: Explorer) -> None:
    assert ask(server, "/", Host=f"localhost:{server.server_port}")[0].status == 200


def test_other_sites_may_not_ask(server: Explorer) -> None:
    assert ask(server, "/api/echo", Sec_Fetch_Site="cross-site")[0].status == 403
    assert ask(server, "/api/echo", Sec_Fetch_Site="same-site")[0].status == 403
    assert ask(server, "/api/echo", Sec_Fetch_Site="same-origin")[0].status == 200


def test_a_path_that_is_too_long_is_refused(server: Explorer) -> None:
    assert ask(server, "/api/echo?word=" + "0" * 70_000)[0].status == 414


def test_it_listens_on_this_machine_only(server: Explorer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_port_in_use_is_one_line(server: Explorer) -> None:
    with pytest.raises(ConfigError) as caught:
        Explorer("", {}, server.server_port)
    message: Any = str(caught.value)
    assert message.startswith(f"port {server.server_port} of 127.0.0.1 cannot be opened (is in use")
