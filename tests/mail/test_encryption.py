"""TLS on the way to the mail server: taken where it is offered, and always before a password."""

from __future__ import annotations

import socket
import ssl
from datetime import timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.foundation.clock import now
from tests.mail.server import NAME, PASSWORD, MailServer

SECRET = PASSWORD.replace(" ", "%20")
NAMES = ("mail.example.com", "localhost")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with the key and the certificate of a server, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAMES[0])])
    hosts = [*map(x509.DNSName, NAMES), x509.IPAddress(ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now() - timedelta(days=1))
        .not_valid_after(now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = tmp_path_factory.mktemp("mail") / "server.pem"
    path.write_bytes(key.private_bytes(*plain) + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def started(certificate):
    """Starts servers, with TLS or without."""
    made = []

    def start(**options):
        context = None
        if options.pop("tls", False):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
        made.append(MailServer(with_tls=context, **options))
        return made[-1]

    yield start
    for each in made:
        each.stop()


@pytest.fixture
def trusted(certificate, monkeypatch):
    """The certificate is one that this machine believes."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))


@pytest.fixture
def far(monkeypatch):
    """Every name and address is that of a server on loopback."""
    plain = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _host, *rest, **options: plain("127.0.0.1", *rest, **options))


@pytest.fixture
def sent(build):
    """Sends a message over a server by the command, and returns what it says."""

    def send(url):
        application = build(mail_url=url, mail_timeout=5.0)
        return application.test_cli_runner().invoke(args=["mail", "test", "somebody@example.com"]).output

    return send


@pytest.mark.usefixtures("trusted")
def test_starttls_is_used_where_it_is_offered(started, sent):
    server = started(tls=True)
    assert "taken" in sent(server.url)
    assert server.encrypted == [True]


def test_a_server_without_tls_gets_mail_in_the_clear(started, sent):
    server = started()
    assert "taken" in sent(server.url)
    assert server.encrypted == [False]


def test_a_server_whose_certificate_is_not_believed_gets_nothing(started, sent):
    server = started(tls=True)
    assert "SSLCertVerificationError" in sent(server.url.replace("smtp://", f"smtp://{NAME}:{SECRET}@"))
    assert (server.received, server.passwords) == ([], [])


@pytest.mark.usefixtures("trusted")
def test_smtps_is_encrypted_from_the_first_byte(started, sent):
    server = started(tls=True, from_the_start=True)
    url = server.url.replace("smtp://", f"smtps://{NAME}:{SECRET}@")
    assert "taken" in sent(url)
    assert (server.encrypted, server.passwords) == ([True], [PASSWORD.encode()])


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize(
    "host", ["mail.example.com", "10.1.2.3", "192.168.1.9", "mail.internal", "mail.local", "a.localhost", "[fd00::1]"]
)
def test_a_host_that_is_not_this_machine_is_told_no_password_without_tls(started, sent, host):
    server = started()
    said = sent(f"smtp://{NAME}:{SECRET}@{host}:{server.port}")
    assert "the server offers no TLS" in said
    assert PASSWORD not in said
    assert (server.passwords, server.received) == ([], [])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_told_a_password_without_tls(started, sent, host):
    server = started()
    assert "taken" in sent(f"smtp://{NAME}:{SECRET}@{host}:{server.port}")
    assert set(server.passwords) == {PASSWORD.encode()}


@pytest.mark.usefixtures("far", "trusted")
def test_a_password_goes_out_once_the_connection_is_encrypted(started, sent):
    server = started(tls=True)
    assert "taken" in sent(f"smtp://{NAME}:{SECRET}@mail.example.com:{server.port}")
    assert (server.passwords, server.encrypted) == ([PASSWORD.encode()], [True])


def test_a_wrong_password_is_a_failure_that_may_pass(started, sent):
    server = started()
    said = sent(f"smtp://{NAME}:wrong@127.0.0.1:{server.port}")
    assert said.startswith("Error: SMTPAuthenticationError: (535")
    assert "wrong" not in said
    assert server.received == []
