"""Who gets answers, and which headers these have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hedgehog.explorer.access import POLICY, make_token
from tests.explorer.explored import BASE, HOST, TOKEN, explored


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with explored() as (found, _):
        yield found


def test_the_page_and_its_headers(client: TestClient) -> None:
    response = client.get(f"{BASE}/")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_nothing_on_the_page_comes_from_elsewhere() -> None:
    static = Path(__file__).parents[2] / "explorer" / "static"
    files = sorted(static.iterdir())
    assert {"index.html", "explorer.css", "app.js"} <= {path.name for path in files}
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text
        assert "style=" not in text  # the policy forbids inline styles
    assert "onclick=" not in (static / "index.html").read_text()


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "127.0.0.1:80", "localhost:9", "", f"{HOST}.example.org"])
def test_other_hosts_are_refused(client: TestClient, host: str) -> None:
    response = client.get(f"{BASE}/api/1/items", headers={"host": host})
    assert response.status_code == 421
    assert "items" not in response.json()
    assert response.headers["content-security-policy"] == POLICY


@pytest.mark.parametrize(
    "path", ["/", "/api/1/items", f"/{TOKEN}", f"/{TOKEN[:-1]}/", f"/x{TOKEN}/", f"/{TOKEN}x/app.js", "//"]
)
def test_a_wrong_token_is_refused(client: TestClient, path: str) -> None:
    response = client.get(f"http://{HOST}{path}")
    assert response.status_code == 403
    assert set(response.json()) == {"error"}


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/%2e%2e/pyproject.toml",
        "static/app.js",
        "....//app.py",
        "/etc/passwd",
        "app.py",
        "index.html/..",
        "api/1/items/../../../etc/passwd",
        "api/1/items/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "api/1/items/..%2f..%2fetc/node",
        "app.js%00.py",
    ],
)
def test_no_path_leads_to_a_file(client: TestClient, path: str) -> None:
    response = client.get(f"{BASE}/{path}")
    assert response.status_code in (403, 404)
    assert set(response.json()) == {"error"}


def test_other_pages_cannot_change_anything(client: TestClient) -> None:
    url = f"{BASE}/api/1/solve/stop"
    assert client.post(url, json={}, headers={"origin": "http://example.org"}).status_code == 403
    assert client.post(url, content="{}", headers={"content-type": "text/plain"}).status_code == 415
    assert client.post(url, json={}, headers={"origin": f"http://{HOST}"}).status_code == 409  # nothing is running
    assert client.put(url, json={}).status_code == 405


def test_tokens_are_random() -> None:
    tokens = {make_token() for _ in range(50)}
    assert len(tokens) == 50
    assert {len(token) for token in tokens} == {32}
