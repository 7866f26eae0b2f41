"""An authenticator in software (WebAuthn level 3, section 6): it makes resident credentials and answers with them.

What is wrong about an answer is said by name, so that a test shows one thing that is refused.
"""

from __future__ import annotations

import hashlib
import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from copy import deepcopy
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

ORIGIN = "http://localhost:3001"
PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 1, 4, 8, 16, 64
ES256, EC2, P256 = -7, 2, 1

Json = dict[str, Any]


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Credential:
    """A key pair of one account at one relying party."""

    id: bytes
    rp_id: str
    user_handle: bytes
    key: ec.EllipticCurvePrivateKey
    counter: int = 0

    def cose_key(self) -> bytes:
        numbers = self.key.public_key().public_numbers()
        x, y = (each.to_bytes(32, "big") for each in (numbers.x, numbers.y))
        return cbor2.dumps({1: EC2, 3: ES256, -1: P256, -2: x, -3: y})


@dataclass
class Authenticator:
    """``flags`` say that somebody is there, was verified, and that credentials may be backed up, and are. One that does
    not count leaves the counter at zero, as those do that synchronize."""

    origin: str = ORIGIN
    flags: int = PRESENT | VERIFIED
    counts: bool = True
    credentials: list[Credential] = field(default_factory=list)

    def create(self, options: Json, *, id: bytes | None = None, **odd: Any) -> Json:
        """What ``navigator.credentials.create`` answers; raises ValueError for an account that it knows already."""
        excluded = {decoded(each["id"]) for each in options.get("excludeCredentials", ())}
        if excluded & {each.id for each in self.credentials}:
            raise ValueError("InvalidStateError")
        key = ec.generate_private_key(ec.SECP256R1())
        handle = decoded(options["user"]["id"])
        made = Credential(token_bytes(16) if id is None else id, options["rp"]["id"], handle, key)
        self.credentials.append(made)
        data = self._data(made, ATTESTED, odd) + bytes(16) + struct.pack(">H", len(made.id)) + made.id
        attestation = {"fmt": "none", "attStmt": {}, "authData": data + odd.get("cose_key", made.cose_key())}
        client_data = self._client_data("webauthn.create", options, odd)
        response = {
            "clientDataJSON": encoded(client_data), "attestationObject": encoded(cbor2.dumps(attestation)),
            "transports": ["internal"],
        }  # fmt: skip
        return self._answer(made, response)

    def get(self, options: Json, *, credential: Credential | None = None, **odd: Any) -> Json:
        """What ``navigator.credentials.get`` answers; raises ValueError where no credential is allowed."""
        used = credential or self._allowed(options)
        if self.counts:
            used.counter += 1
        data = self._data(used, 0, odd)
        client_data = self._client_data("webauthn.get", options, odd)
        signature = used.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(SHA256()))
        response = {
            "clientDataJSON": encoded(client_data), "authenticatorData": encoded(data),
            "signature": encoded(odd.get("signature", signature)),
            "userHandle": encoded(odd.get("user_handle", used.user_handle)),
        }  # fmt: skip
        return self._answer(used, response)

    def clone(self) -> Authenticator:
        """A copy with the same keys, as somebody has who got at the device."""
        copied = Authenticator(self.origin, self.flags, self.counts)
        copied.credentials = [Credential(**vars(each)) for each in self.credentials]
        return copied

    def _allowed(self, options: Json) -> Credential:
        listed = {decoded(each["id"]) for each in options.get("allowCredentials") or ()}
        fits = [each for each in self.credentials if each.rp_id == options["rpId"]]
        found = [each for each in fits if not listed or each.id in listed]
        if not found:
            raise ValueError("NotAllowedError")
        return found[-1]

    def _data(self, used: Credential, more: int, odd: Json) -> bytes:
        rp_id = hashlib.sha256(odd.get("rp_id", used.rp_id).encode()).digest()
        return rp_id + struct.pack(">BI", odd.get("flags", self.flags) | more, odd.get("counter", used.counter))

    def _client_data(self, kind: str, options: Json, odd: Json) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said | odd.get("client_data", {})).encode()

    @staticmethod
    def _answer(used: Credential, response: Json) -> Json:
        named = {"id": encoded(used.id), "rawId": encoded(used.id), "type": "public-key"}
        return named | {"response": response, "clientExtensionResults": {}, "authenticatorAttachment": "platform"}


def changed(answer: Json, **response: Any) -> Json:
    """An answer with other content; ``None`` leaves a part out."""
    copied = deepcopy(answer)
    merged = copied["response"] | response
    copied["response"] = {name: value for name, value in merged.items() if value is not None}
    return copied
