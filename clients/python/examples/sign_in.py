"""Sign in, with a second factor where the account has one:
``python sign_in.py http://localhost:3001 ada@example.com 492039``."""

from __future__ import annotations

import sys

from rowgate_client import AuthenticatedClient, Client
from rowgate_client.openapi.api.sign_in import read_session, sign_in
from rowgate_client.openapi.api.two_factor import answer_challenge
from rowgate_client.openapi.models import AnswerChallenge, CurrentSession, SignedInBody, SignIn, TwoFactorRequired


def enter(address: str, email: str, password: str, code: str) -> str:
    visitor = Client(address)
    entered = sign_in.sync(client=visitor, body=SignIn(email=email, password=password))
    if isinstance(entered, TwoFactorRequired):
        print("asked for:", ", ".join(map(str, entered.methods)))
        given = AnswerChallenge(challenge=entered.challenge, code=code)
        opened = answer_challenge.sync(client=visitor, body=given)
    else:
        opened = entered
    if not isinstance(opened, SignedInBody):
        raise SystemExit(f"refused: {opened}")
    return opened.token


def main(address: str, email: str, code: str) -> None:
    session = AuthenticatedClient(address, token=enter(address, email, "correct horse battery", code))
    current = read_session.sync(client=session)
    print("signed in:", current.user.email if isinstance(current, CurrentSession) else "nobody")


if __name__ == "__main__":
    main(*sys.argv[1:])
