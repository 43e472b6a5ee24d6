"""How the GNS3 client tells what goes wrong: away, slow, restarted, refusing, not trusted."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from kit.gns3 import Fault, ScriptedGns3, refuse, says, silence
from yarl import URL

from copilot_ws.labs.gns3 import Endpoint, Gns3Http
from copilot_ws.labs.gns3.tls import checked_by
from copilot_ws.wire.errors import Conflict, CopilotError, Forbidden, InvalidArgument, LabError, NotFound, Unauthorized

PATH = "/v3/projects"


@asynccontextmanager
async def client(url: str, **endpoint: object) -> AsyncIterator[Gns3Http]:
    http = Gns3Http(Endpoint(URL(url), **endpoint))  # type: ignore[arg-type]
    async with asynccontextmanager(http.kept_open)(None):
        yield http


async def fault_of(http: Gns3Http, method: str = "GET") -> CopilotError:
    with pytest.raises(CopilotError) as caught:
        await http.json(method, "projects", "T")
    return caught.value


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (refuse(400, "Bad name"), InvalidArgument, "GNS3: Bad name"),
        (refuse(401, "Could not validate credentials"), Unauthorized, "GNS3: Could not validate credentials"),
        (refuse(403, "Permission denied"), Forbidden, "GNS3: Permission denied"),
        (refuse(404, "Project not found"), NotFound, "GNS3: Project not found"),
        (refuse(409, "Port is already used"), Conflict, "GNS3: Port is already used"),
        (refuse(409, ""), Conflict, "GNS3 cannot do this now."),
        (refuse(408, "Timeout when starting R1"), LabError, "GNS3 failed at this (408): Timeout when starting R1"),
        (refuse(500, "boom"), LabError, "GNS3 failed at this (500): boom"),
        (says("<html>hello</html>"), LabError, "What answers there is no GNS3 server."),
        (says("", 302, Location="http://elsewhere.example/"), LabError, "redirect"),
    ],
)
async def test_a_refusal_is_an_error_of_ours_with_its_words(
    gns3: ScriptedGns3, fault: Fault, kind: type[CopilotError], words: str
) -> None:
    gns3.faults[PATH] = fault
    async with client(gns3.url) as http:
        found = await fault_of(http)
    assert type(found) is kind
    assert words in found.message


async def test_folders_and_addresses_of_its_machine_stay_there(gns3: ScriptedGns3) -> None:
    said = "Cannot open '/srv/images/QEMU/vios.qcow2' on http://10.0.0.7:3080/v3/compute: C:\\gns3\\x.img is missing"
    gns3.faults[PATH] = refuse(409, f'{said}\n\n  File "/opt/gns3/server.py", line 5')
    async with client(gns3.url) as http:
        found = await fault_of(http)
    assert found.message == "GNS3: Cannot open 'vios.qcow2' on its compute x.img is missing"


async def test_away(gns3: ScriptedGns3) -> None:
    await gns3.go_away()
    async with client(gns3.url) as http:
        found = await fault_of(http)
    assert type(found) is LabError
    assert found.message == "GNS3 cannot be reached: it is stopped, starting, or away."


async def test_slow(gns3: ScriptedGns3) -> None:
    gns3.faults[PATH] = silence(5)
    async with client(gns3.url, timeout=0.1) as http:
        assert "did not answer within" in (await fault_of(http)).message


async def test_killed_while_it_is_asked(gns3: ScriptedGns3) -> None:
    gns3.faults[PATH] = silence(5)
    async with client(gns3.url) as http:
        asking = asyncio.create_task(fault_of(http, "POST"))
        await asyncio.sleep(0.1)
        await gns3.go_away()
        assert "broke the connection off" in (await asking).message


async def test_it_is_used_again_when_it_is_back(gns3: ScriptedGns3) -> None:
    async with client(gns3.url) as http:
        await http.json("GET", "projects", gns3.token("alice"))
        await gns3.go_away()
        await fault_of(http)
        await gns3.come_back()
        assert await http.json("GET", "projects", gns3.token("alice"))


async def test_no_error_shows_the_token(gns3: ScriptedGns3) -> None:
    await gns3.go_away()
    async with client(gns3.url) as http:
        with pytest.raises(LabError) as caught:
            async with http.notifications("notifications/ws", "very-secret"):
                pass
        assert "very-secret" not in repr(caught.value) + repr(caught.value.__cause__)


class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        """A certificate that nobody but itself has signed, with its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gns3")])
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(1)
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (tmp_path / "key.pem").write_bytes(private)
        path = tmp_path / "certificate.pem"
        path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        return path

    @pytest.fixture
    async def secure(self, certificate: Path) -> AsyncIterator[ScriptedGns3]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.parent / "key.pem")
        async with ScriptedGns3().running(context) as gns3:
            yield gns3

    @staticmethod
    def fingerprint(certificate: Path) -> str:
        return x509.load_pem_x509_certificate(certificate.read_bytes()).fingerprint(hashes.SHA256()).hex()

    async def test_an_unknown_authority_is_not_trusted(self, secure: ScriptedGns3) -> None:
        async with client(secure.url, tls=checked_by(None, "")) as http:
            assert "not trusted" in (await fault_of(http)).message
        assert secure.asked == []

    async def test_a_private_authority(self, secure: ScriptedGns3, certificate: Path) -> None:
        async with client(secure.url, tls=checked_by(certificate, "")) as http:
            assert await http.json("GET", "projects", secure.token("alice"))

    async def test_a_pinned_certificate(self, secure: ScriptedGns3, certificate: Path) -> None:
        async with client(secure.url, tls=checked_by(None, self.fingerprint(certificate))) as http:
            assert await http.json("GET", "projects", secure.token("alice"))
            async with http.notifications("notifications/ws", secure.token("alice")) as events:
                assert (await anext(events))["action"] == "ping"

    async def test_another_certificate_than_the_pinned_one(self, secure: ScriptedGns3) -> None:
        async with client(secure.url, tls=checked_by(None, "ab" * 32)) as http:
            assert "another certificate" in (await fault_of(http)).message
        assert secure.asked == []
