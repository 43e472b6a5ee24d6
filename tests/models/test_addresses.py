"""A person's own model is reached at public addresses only, unless the operator allows more."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from kit.model_configs import Configs
from kit.scripted_llm import ScriptedLlm
from kit.server import Start
from kit.serving import serving

from copilot_ws.agent.addresses import AllowedHosts, is_public, plain
from copilot_ws.agent.models import ModelConfig
from copilot_ws.agent.outbound import AddressRefused, async_client, tls
from copilot_ws.settings import WrongSetting

PUBLIC = [
    "1.1.1.1",
    "203.0.114.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]
PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a00:1::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(plain(address))


@pytest.mark.parametrize("address", PRIVATE)
def test_not_public(address: str) -> None:
    assert not is_public(plain(address))
    assert not AllowedHosts().allow("anything", 443, plain(address))


@pytest.mark.parametrize(
    ("entry", "host", "port", "address", "allowed"),
    [
        ("localhost", "localhost", 1, "127.0.0.1", True),
        ("LocalHost.", "localhost", 1, "127.0.0.1", True),
        ("localhost", "other", 1, "127.0.0.1", False),
        ("localhost:11434", "localhost", 11434, "::1", True),
        ("localhost:11434", "localhost", 22, "::1", False),
        ("127.0.0.1", "whatever", 1, "127.0.0.1", True),
        ("127.0.0.1", "whatever", 1, "127.0.0.2", False),
        ("127.0.0.1:80", "127.0.0.1", 80, "127.0.0.1", True),
        ("127.0.0.1:80", "127.0.0.1", 81, "127.0.0.1", False),
        ("10.0.0.0/8", "gpu.lan", 8000, "10.20.30.40", True),
        ("10.0.0.0/8", "gpu.lan", 8000, "172.16.0.1", False),
        ("10.0.0.0/8", "gpu.lan", 8000, "::ffff:10.1.1.1", True),
        ("::1", "x", 80, "::1", True),
        ("[::1]:80", "x", 80, "::1", True),
        ("[::1]:80", "x", 81, "::1", False),
        ("fd00::/8", "x", 80, "fd12::1", True),
        ("büro.example", "xn--bro-hoa.example", 80, "10.0.0.1", True),
    ],
)
def test_what_an_entry_allows(entry: str, host: str, port: int, address: str, allowed: bool) -> None:
    assert AllowedHosts.parse([entry]).allow(host, port, plain(address)) is allowed


@pytest.mark.parametrize("entry", ["http://localhost", "localhost:port", "10.0.0.1/8", "*", "a b", ":80", "host:0"])
async def test_a_wrong_entry_ends_the_start(start: Start, entry: str) -> None:
    with pytest.raises(WrongSetting, match="COPILOT_WS_LLM_ALLOWED_HOSTS: "):
        await start(llm_allowed_hosts=(entry,))


# real connections


class Inside:
    """A server on loopback that answers, or redirects, and remembers what it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.redirect: str | None = None
        self.asked: list[str] = []
        self.headers: set[str] = set()

    async def handle(self, request: web.Request) -> web.Response:
        self.headers |= {name.lower() for name in request.headers}
        self.asked.append(request.headers["Host"])
        if self.redirect is not None:
            return web.Response(status=307, headers={"Location": self.redirect})
        return web.Response(text="hello")


@pytest.fixture
async def inside() -> AsyncIterator[Inside]:
    app, server = web.Application(), Inside()
    app.router.add_route("*", "/{path:.*}", server.handle)
    async with serving(app) as server.port:
        yield server


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What the resolver says of these names; an answer is used up unless it is the last."""
    names: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name in names:
            addresses = names[name].pop(0) if len(names[name]) > 1 else names[name][0]
            return [found for one in addresses.split() for found in real(one, port, type=socket.SOCK_STREAM)]
        return real(host, port, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return names


@asynccontextmanager
async def client(*allowed: str) -> AsyncIterator[httpx2.AsyncClient]:
    config = ModelConfig(allowed=AllowedHosts.parse(allowed))
    async with await asyncio.to_thread(async_client, config) as http:  # it reads certificates
        yield http


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0"])
async def test_loopback_is_refused_however_it_is_written(inside: Inside, host: str) -> None:
    async with client() as http:
        with pytest.raises((AddressRefused, httpx2.ConnectError, httpx2.InvalidURL)) as refused:
            await http.get(f"http://{host}:{inside.port}/")
    if isinstance(refused.value, AddressRefused):
        assert "COPILOT_WS_LLM_ALLOWED_HOSTS" in refused.value.message
    assert inside.asked == []


async def test_what_is_listed_is_reached(inside: Inside) -> None:
    async with client(f"127.0.0.1:{inside.port}") as http:
        assert (await http.get(f"http://127.0.0.1:{inside.port}/")).text == "hello"
    assert inside.asked == [f"127.0.0.1:{inside.port}"]


async def test_a_name_that_resolves_to_loopback_is_refused(inside: Inside, names: dict[str, list[str]]) -> None:
    names["llm.example.org"] = ["127.0.0.1"]
    names["mixed.example.org"] = ["1.1.1.1 127.0.0.1"]
    async with client() as http:
        for name in names:
            with pytest.raises(AddressRefused):
                await http.get(f"http://{name}:{inside.port}/")
    assert inside.asked == []


async def test_a_name_that_changes_its_address_is_checked_each_time(
    inside: Inside, names: dict[str, list[str]]
) -> None:
    """DNS rebinding: whatever is connected to is what was checked, and nothing resolves after the check."""
    names["llm.example.org"] = ["127.0.0.1", "127.0.0.2"]
    async with client("127.0.0.1") as http:
        url = f"http://llm.example.org:{inside.port}/"
        assert (await http.get(url)).text == "hello"
        with pytest.raises(AddressRefused):
            await http.get(url)
    assert inside.asked == [f"llm.example.org:{inside.port}"], "the Host header is the name's"


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ssl.SSLContext]:
    """A server's side of TLS as llm.example.org, with a certificate that clients trust."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("llm.example.org")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    (tmp_path / "ca.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    tls.cache_clear()
    yield context
    tls.cache_clear()


async def test_tls_verifies_the_name_and_not_the_address(
    certified: ssl.SSLContext, names: dict[str, list[str]]
) -> None:
    names.update({"llm.example.org": ["127.0.0.1"], "other.example.org": ["127.0.0.1"]})
    app, inside = web.Application(), Inside()
    app.router.add_get("/", inside.handle)
    async with serving(app, certified) as port, client("127.0.0.1") as http:
        assert (await http.get(f"https://llm.example.org:{port}/")).text == "hello"
        for host in ("other.example.org", "127.0.0.1"):  # the open connection is to the same address
            with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await http.get(f"https://{host}:{port}/")


async def test_the_next_address_is_tried(inside: Inside, names: dict[str, list[str]]) -> None:
    names["llm.example.org"] = ["127.0.0.9 127.0.0.1"]
    async with client("127.0.0.0/8") as http:
        assert (await http.get(f"http://llm.example.org:{inside.port}/")).text == "hello"


async def test_no_redirect_is_followed(inside: Inside) -> None:
    inside.redirect = "http://127.0.0.1:1/elsewhere"
    async with client("127.0.0.1") as http:
        assert (await http.get(f"http://127.0.0.1:{inside.port}/")).status_code == 307
        inside.redirect = "http://127.0.0.2/"
        with pytest.raises(AddressRefused):
            await http.get(f"http://127.0.0.1:{inside.port}/", follow_redirects=True)
    assert len(inside.asked) == 2


async def test_nothing_goes_through_a_proxy(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{inside.port}")
    async with client() as http:
        with pytest.raises((AddressRefused, httpx2.ConnectError)):
            await http.get("http://llm.invalid/")
    assert inside.asked == []


async def test_the_operators_headers_stay_here(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Providers' clients add them from the environment."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Tenant: operator")
    async with client("127.0.0.1") as http:
        headers = {"OpenAI-Organization": "operator", "X-Tenant": "operator", "X-Mine": "yes"}
        await http.post(f"http://127.0.0.1:{inside.port}/", headers=headers, json={})
    assert {"x-mine", "content-length"} <= inside.headers
    assert inside.headers.isdisjoint({"openai-organization", "x-tenant"})


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "unix:///run/docker.sock"])
async def test_only_http(url: str) -> None:
    async with client("127.0.0.1") as http:
        with pytest.raises(httpx2.UnsupportedProtocol):
            await http.get(url)


# the whole way


async def test_a_run_says_why_its_model_was_not_called(llm: ScriptedLlm, start: Start) -> None:
    server = await start()
    mine = Configs(server.user())
    config_id = (await mine.post(base_url=llm.base_url))["config_id"]
    answer = await server.user().chat("POST", "/stream", {"message": "hello", "stream": False})
    assert answer.json["error"]["code"] == "llm_not_configured"
    assert "COPILOT_WS_LLM_ALLOWED_HOSTS" in answer.json["error"]["error"]
    tried = await mine.tried(config_id)
    assert (tried["ok"], tried["code"]) == (False, "llm_not_allowed")
    assert llm.asked == []


async def test_a_redirect_into_the_inside_is_not_followed(llm: ScriptedLlm, inside: Inside, start: Start) -> None:
    server = await start(llm_allowed_hosts=(f"127.0.0.1:{inside.port}",))
    mine = Configs(server.user())
    inside.redirect = f"{llm.base_url}/chat/completions"
    config_id = (await mine.post(base_url=f"http://127.0.0.1:{inside.port}/v1"))["config_id"]
    tried = await mine.tried(config_id)
    assert (tried["ok"], tried["code"]) == (False, "llm_wrong_path")
    assert "redirects" in tried["message"]
    assert llm.asked == []


async def test_the_servers_own_model_may_be_anywhere(llm: ScriptedLlm, start: Start) -> None:
    server = await start()
    await server.user().chat("POST", "/stream", {"message": "hello", "stream": False})
    assert len(llm.asked) == 1
