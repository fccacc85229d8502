"""Attacks on the service, each as a request."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import pytest

from seqlab.errors import OptionError
from seqlab.serve import Limits, Settings, application
from seqlab.serve.settings import named_models
from serve.conftest import Open

TOKEN = "a-long-token-for-tests"
ASK = {"tokens": ["a"]}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:9", "", "localhost:80"]
)
def test_other_hosts_are_refused(service: Open, host: str) -> None:
    found = service().get("/v1/models", headers={"host": host})
    assert found.status_code == 421


def test_addresses_of_both_kinds_are_accepted() -> None:
    settings = Settings((("a", "b"),), host="::", token=TOKEN)
    assert settings.accepted_hosts(8000, "::ffff:192.0.2.1") == {"[::]:8000", "192.0.2.1:8000"}
    assert settings.accepted_hosts(8000, "2001:db8::1") == {"[::]:8000", "[2001:db8::1]:8000"}


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_own_hosts_are_accepted(service: Open, host: str) -> None:
    assert service().get("/v1/models", headers={"host": host}).status_code == 200


def test_a_page_of_another_site_cannot_ask(service: Open) -> None:
    client = service()
    foreign = {"origin": "https://evil.example"}
    assert client.post("/v1/tag", json=ASK, headers=foreign).status_code == 403
    assert client.post("/v1/tag", json=ASK, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.post("/v1/tag", json=ASK, headers={"sec-fetch-site": "same-site"}).status_code == 403
    assert client.post("/v1/tag", json=ASK, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        found = client.post("/v1/tag", content=b'{"tokens": ["a"]}', headers={"content-type": kind})
        assert found.status_code == 415
    found = client.options("/v1/tag", headers={**foreign, "access-control-request-method": "POST"})
    assert found.status_code == 403
    assert not any(name.startswith("access-control") for name in found.headers)


def test_an_allowed_origin_may_ask(service: Open) -> None:
    client = service(origins=("https://good.example",))
    good = {"origin": "https://good.example", "sec-fetch-site": "cross-site"}
    assert (
        client.post("/v1/tag", json=ASK, headers=good).headers["access-control-allow-origin"]
        == good["origin"]
    )
    assert client.options("/v1/tag", headers=good).status_code == 204
    assert client.post("/v1/tag", json=ASK, headers={"origin": "https://bad.example"}).status_code == 403
    assert "access-control-allow-origin" not in client.get("/v1/models").headers


def test_a_token_is_demanded(service: Open) -> None:
    client = service(token=TOKEN)
    assert client.get("/v1/models").status_code == 401
    assert client.get("/v1/models").headers["www-authenticate"] == "Bearer"
    assert client.get("/").status_code == 401
    assert client.get("/page/style.css").status_code == 401
    assert client.get("/v1/models", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.get("/v1/models", headers={"authorization": f"Bearer {TOKEN}x"}).status_code == 401
    assert client.get("/v1/models", headers={"authorization": TOKEN}).status_code == 401
    assert client.get("/healthz").status_code == 200  # for programs that watch it


def test_the_link_works_once_and_gives_a_cookie(service: Open) -> None:
    client = service(token=TOKEN, link="key-of-the-link")
    assert client.get("/?key=wrong").status_code == 401
    found = client.get("/?key=key-of-the-link")
    assert found.status_code == 200
    assert "url=/" in found.text
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200  # with the cookie
    client.cookies.clear()
    assert client.get("/?key=key-of-the-link").status_code == 401
    name, _, value = cookie.partition(";")[0].partition("=")
    assert client.get("/", headers={"cookie": f"{name}={value}"}).status_code == 200
    for others in ('other={"a": "b"}', "flag", 'x="a', "a@b=1"):  # of other programs at this address
        assert client.get("/", headers={"cookie": f"{others}; {name}={value}; {others}"}).status_code == 200
    for wrong in (
        f"{name}=guess",
        f"{name}={value}x",
        f"{name}=",
        f"seqlab={value}",
        f"{name}={value}; {name}=x",
    ):
        assert client.get("/", headers={"cookie": wrong}).status_code == 401
    later = service(token=TOKEN, link="key-of-the-next-run")  # with the same token
    assert later.get("/", headers={"cookie": f"{name}={value}"}).status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_addresses_demand_a_token(host: str) -> None:
    with pytest.raises(OptionError, match="token"):
        Settings((("a", "b"),), host=host)
    Settings((("a", "b"),), host=host, token=TOKEN)
    with pytest.raises(OptionError, match="16 printable"):
        Settings((("a", "b"),), host=host, token="short")


def test_headers_of_every_answer(service: Open) -> None:
    client = service()
    for found in (
        client.get("/"),
        client.get("/none"),
        client.post("/v1/tag", json=ASK),
        client.get("/page/js/main.js"),
    ):
        assert "default-src 'none'" in found.headers["content-security-policy"]
        assert "unsafe" not in found.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in found.headers["content-security-policy"]
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/page/../settings.py", "/page/%2e%2e/settings.py", "/page/..%2fsettings.py", "/page//etc/passwd"],
)
def test_files_outside_the_page_are_not_sent(service: Open, path: str) -> None:
    assert service().get(path).status_code in {404, 405}


def test_limits(service: Open) -> None:
    client = service(limits={"body": 1000, "tokens": 5, "n": 3, "batch": 2})
    assert client.post("/v1/tag", json={"tokens": ["a" * 2000]}).status_code == 413
    assert client.post("/v1/tag", json={"tokens": ["a"] * 6}).status_code == 422
    assert client.post("/v1/tag", json={"batch": [["a"]] * 3}).status_code == 422
    assert client.post("/v1/nbest", json={"tokens": ["a"], "n": 4}).status_code == 422


def test_too_much_at_a_time(service: Open) -> None:
    client = service(limits={"buffered": 10})
    found = client.post("/v1/tag", json={"tokens": ["a", "b", "c"]})
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"


@pytest.mark.parametrize(("limit", "status"), [("per_client", 429), ("waiting", 503)])
def test_too_many_requests_at_a_time(models: dict[str, str], limit: str, status: int) -> None:
    app = application(Settings((("ner", models["ner"]),), limits=Limits(**{limit: 1})))
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/tag", "headers": headers, "query_string": b""}
    scope |= {"server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1)}

    async def two() -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            await asyncio.sleep(60)

        first = asyncio.create_task(app(dict(scope), receive, send))  # whose body never comes
        await asyncio.sleep(0)
        await app(dict(scope), receive, send)
        first.cancel()
        return sent

    found = asyncio.run(two())[0]
    assert found["status"] == status
    assert (b"retry-after", b"1") in found["headers"]


def test_who_is_refused_takes_no_room(models: dict[str, str]) -> None:
    """A foreign client that sends its body slowly is answered, and no longer counted."""
    settings = Settings(tuple(models.items()), token=TOKEN, limits=Limits(waiting=1))
    guard = application(settings)

    async def ask(authorised: bool, body: list[bytes]) -> list[int]:
        found = []
        headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
        headers += [(b"authorization", f"Bearer {TOKEN}".encode())] if authorised else []
        scope = {"type": "http", "method": "POST", "path": "/v1/tag", "headers": headers, "query_string": b""}
        scope |= {"server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1), "root_path": ""}

        async def receive() -> Any:
            if not body:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": body.pop(), "more_body": False}

        async def send(message: Any) -> None:
            found.append(message.get("status"))

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(guard(scope, receive, send), 2)
        return [one for one in found if one]

    async def both() -> list[list[int]]:
        slow = [asyncio.create_task(ask(False, [])) for _ in range(5)]
        await asyncio.sleep(0.1)
        good = await ask(True, [b'{"tokens": ["a"]}'])
        return [good, *await asyncio.gather(*slow)]

    assert asyncio.run(both()) == [[200], *[[401]] * 5]


def test_markup_in_words_stays_text(service: Open) -> None:
    word = "<img src=x onerror=alert(1)>"
    found = service().post("/v1/explain", json={"tokens": [word], "at": 0})
    assert found.headers["content-type"] == "application/json"
    assert found.json()["tokens"] == [word]


def test_nothing_takes_a_path(service: Open) -> None:
    client = service()
    for name in ("../../etc/passwd", "/etc/passwd", "ner.model", "http://evil.example/m"):
        assert client.post("/v1/tag", json={"tokens": ["a"], "model": name}).status_code == 404
    assert client.post("/v1/evaluate", json={"content": "/etc/passwd"}).status_code in {200, 422}


@pytest.mark.parametrize(
    "headers",
    [
        {"content-encoding": "gzip"},
        {"content-encoding": "br, identity"},
        {"content-type": "application/json; charset=utf-16"},
        {"content-type": 'application/json;CHARSET="latin-1"'},
    ],
)
def test_bodies_that_are_compressed_or_no_utf8_are_refused(service: Open, headers: dict[str, str]) -> None:
    told = {"content-type": "application/json", **headers}
    assert service().post("/v1/tag", content=b'{"tokens": ["a"]}', headers=told).status_code == 415


@pytest.mark.parametrize("body", ['{"tokens": ["a"]}'.encode("utf-16"), b'{"tokens": ["\xed\xa0\x80"]}'])
def test_bytes_that_are_no_utf8_are_refused(service: Open, body: bytes) -> None:
    found = service().post(
        "/v1/tag", content=body, headers={"content-type": "application/json; charset=utf-8"}
    )
    assert found.status_code == 400


def test_sentences_of_texts_are_limited_too(service: Open) -> None:
    client = service(limits={"tokens": 5})
    text = "A a a a a a a a"
    for path, body in (
        ("/v1/tag", {"text": text}),
        ("/v1/tag", {"batch": ["a", text]}),
        ("/doccano/ner", {"text": text}),
        ("/label-studio/ner/predict", {"tasks": [{"data": {"text": text}}]}),
        ("/v2/models/ner/infer", {"inputs": [{"name": "text", "datatype": "BYTES", "data": [text]}]}),
    ):
        found = client.post(path, json=body)
        assert (found.status_code, "8 tokens" in found.json()["detail"]) == (422, True), path


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("trellis", {"batch": [["a"] * 10] * 20}),
        ("posterior", {"batch": [["a"] * 100] * 20}),
        ("nbest", {"batch": [["a"] * 100] * 20, "n": 100}),
        ("sample", {"tokens": ["a"] * 150, "n": 100}),
        ("explain", {"batch": [["a"], ["b"]], "at": 0}),
        ("tag", {"text": "Anna sings. " * 400}),
        ("posterior", {"text": "Anna sings. " * 200}),
    ],
)
def test_answers_are_bounded(service: Open, question: str, asked: dict[str, Any]) -> None:
    client = service(limits={"values": 10_000})
    found = client.post(f"/v1/{question}", json=asked)
    assert (found.status_code, "send fewer" in found.json()["detail"]) == (422, True)


def test_texts_of_other_protocols_are_bounded(service: Open) -> None:
    client, text = service(limits={"values": 10_000}), "Anna sings. " * 400
    tensor = {"name": "text", "datatype": "BYTES", "shape": [1], "data": [text]}
    assert client.post("/v2/models/ner/infer", json={"inputs": [tensor]}).status_code == 422
    assert client.post("/doccano/ner", json={"text": text}).status_code == 422
    asked = {"tasks": [{"data": {"text": "Anna sings. " * 40}}] * 10}
    assert client.post("/label-studio/ner/predict", json=asked).status_code == 422


def test_what_takes_too_long_makes_room(service: Open) -> None:
    client = service(limits={"seconds": 0.3, "running": 1, "values": 10**9})
    found = client.post("/v1/nbest", json={"batch": [["a"] * 10_000] * 40, "n": 100})
    assert (found.status_code, found.headers["retry-after"]) == (503, "1")
    began = time.monotonic()
    while client.post("/v1/nbest", json={"tokens": ["a"]}).status_code != 200:
        assert time.monotonic() - began < 20  # of minutes that the first would have taken


def test_documents_that_would_cost_much_cost_little(service: Open) -> None:
    client = service()
    tasks = [{"data": {"text": "Anna sings."}}]
    for config in ("<Labels " * 200_000, "<Text a=" * 200_000, "<Labels " + "a" * 500_000):
        body = {"tasks": tasks, "label_config": config}
        assert client.post("/label-studio/ner/predict", json=body).status_code == 200
    begin = '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore">'
    sofa = '<cas:Sofa xmi:id="{}" sofaString="Anna sings."/><cas:View sofa="1" members=""/>'
    for inner, status in (
        (sofa.format("9" * 5000), 200),
        (sofa.format("1") + "<a>" * 50_000 + "</a>" * 50_000, 409),
        (sofa.format("1") + "<a>" * 50_000, 409),
    ):
        asked = {
            "metadata": {"layer": "a.B", "feature": "c"},
            "document": {"xmi": f"{begin}{inner}</xmi:XMI>"},
        }
        assert client.post("/inception/ner/predict", json=asked).status_code == status


@pytest.mark.parametrize(
    "given", [["a b.model"], ["ü.model"], ["%2f=a.model"], ["x/a.model", "y/a.model"], [".model"]]
)
def test_names_that_no_address_can_have_are_refused(given: list[str]) -> None:
    with pytest.raises(OptionError, match="pass NAME="):
        named_models(given)
