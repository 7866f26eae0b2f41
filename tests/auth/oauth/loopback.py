"""Sign-in providers on loopback: GitHub as its documentation has it, and an OpenID provider that can misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server


class Server(ABC):
    """A Flask application on a port of its own, served by a thread."""

    def __init__(self) -> None:
        self.app = Flask(type(self).__name__)
        self.route()
        self._server = make_server("127.0.0.1", 0, self.app, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.port}"
        self.reset()
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def reset(self) -> None:
        """Be as at first."""
        self.codes: dict[str, dict[str, str]] = {}
        self.failure: str | None = None
        self.delay = 0.0

    @abstractmethod
    def route(self) -> None:
        """Add what the provider serves."""

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def grant(self) -> Response:
        """The answer of the authorization endpoint: back with a code, as if somebody had agreed."""
        code = token_urlsafe()
        self.codes[code] = request.args.to_dict()
        back = {"code": code, "state": request.args["state"]}
        return redirect(f"{request.args['redirect_uri']}?{urlencode(back)}")

    def redeemed(self) -> dict[str, str] | None:
        """What was asked for when the code in the request was given out; each code works once, for its maker."""
        asked = self.codes.pop(request.form.get("code", ""), None)
        verifier = request.form.get("code_verifier", "")
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if asked is None or asked["code_challenge_method"] != "S256" or asked["code_challenge"] != challenge:
            return None
        return asked if asked["redirect_uri"] == request.form.get("redirect_uri") else None


class GitHub(Server):
    """github.com and api.github.com in one, with the error that comes as 200."""

    def reset(self) -> None:
        super().reset()
        self.user: dict[str, Any] = {"id": 583231, "login": "octocat", "name": "The Octocat", "email": None}
        self.emails: list[dict[str, Any]] = []

    def route(self) -> None:
        self.app.add_url_rule("/login/oauth/authorize", "authorize", self.grant)
        self.app.add_url_rule("/login/oauth/access_token", "token", self.token, methods=["POST"])
        self.app.add_url_rule("/user", "user", lambda: self.answered(self.user))
        self.app.add_url_rule("/user/emails", "emails", lambda: self.answered(self.emails))

    def token(self) -> Response:
        time.sleep(self.delay)
        if self.failure or self.redeemed() is None:
            answer = {"error": self.failure or "bad_verification_code", "error_description": "is incorrect or expired"}
        else:
            answer = {"access_token": "gho_token", "scope": "read:user,user:email", "token_type": "bearer"}
        if request.accept_mimetypes.best == "application/json":
            return jsonify(answer)
        return Response(urlencode(answer), content_type="application/x-www-form-urlencoded")

    def answered(self, value: Any) -> Response:
        if not request.user_agent.string or request.headers.get("Authorization") != "Bearer gho_token":
            return Response("Request forbidden by administrative rules", 403)
        return jsonify(value)


KEY = RSAKey.generate_key(2048, {"kid": "one"})


class OpenId(Server):
    """An OpenID provider whose tokens say what a test wants; ``claims`` overrides, ``None`` leaves one out."""

    def reset(self) -> None:
        super().reset()
        self.key, self.published = KEY, None
        self.claims: dict[str, Any] = {}
        self.reachable = True
        self.algorithms, self.algorithm = ["RS256"], "RS256"
        self.issuer = self.url

    def route(self) -> None:
        for place in ("", "/<tenant>/v2.0"):
            document = f"{place}/.well-known/openid-configuration"
            self.app.add_url_rule(document, f"discovery{place}", self.discovery)
        self.app.add_url_rule("/authorize", "authorize", self.grant)
        self.app.add_url_rule("/jwks", "jwks", self.jwks)
        self.app.add_url_rule("/token", "token", self.token, methods=["POST"])

    def discovery(self, tenant: str = "") -> Response:
        if not self.reachable:
            return Response("<html>maintenance</html>", 503)
        return jsonify(
            issuer=f"{self.url}/{{tenantid}}/v2.0" if tenant else self.url,
            authorization_endpoint=f"{self.url}/authorize",
            token_endpoint=f"{self.url}/token",
            jwks_uri=f"{self.url}/jwks",
            id_token_signing_alg_values_supported=self.algorithms,
        )

    def jwks(self) -> Response:
        return jsonify(keys=[(self.published or self.key).as_dict(private=False)])

    def rotate(self) -> None:
        """Sign with a new key, published under another name."""
        self.key = RSAKey.generate_key(2048, {"kid": token_urlsafe(4)})

    def token(self) -> Response:
        time.sleep(self.delay)
        asked = self.redeemed()
        if self.failure or asked is None:
            return Response('{"error": "invalid_grant"}', 400, content_type="application/json")
        answer = {"access_token": "at", "token_type": "Bearer", "expires_in": 3600, "id_token": self.id_token(asked)}
        return jsonify({name: value for name, value in answer.items() if value is not None})

    def id_token(self, asked: dict[str, str]) -> str | None:
        if self.claims.get("id_token", "") is None:
            return None
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": asked["client_id"], "sub": "1", "iat": now, "exp": now + 3600,
            "nonce": asked["nonce"], "email": "ada@openid.example", "email_verified": True, "name": "Ada",
        } | self.claims  # fmt: skip
        held = {name: value for name, value in claims.items() if value is not None}
        if self.algorithm == "none":
            head, body = (urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in ({"alg": "none"}, held))
            return f"{head.decode()}.{body.decode()}."
        return jwt.encode({"alg": self.algorithm, "kid": self.key.kid}, held, self.key, algorithms=[self.algorithm])
