"""The ceremonies as a page goes through them: options from the service, the authenticator, and back."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from tests.auth.passkeys.authenticator import Authenticator
from tests.auth.people import Person
from tests.auth.sign_in.visitors import SAME_ORIGIN, visit

PASSKEY = "/api/auth/passkey"

Json = dict[str, Any]


def creation(person: Person) -> Json:
    """What a new passkey of a person is made with."""
    began = person.post(f"{PASSKEY}/register/options")
    assert began.status_code == 200, began.json
    found: Json = began.json
    return found


def keep(person: Person, response: Any, **more: Any) -> TestResponse:
    return person.post(f"{PASSKEY}/register/verify", {"response": response} | more)


def register(person: Person, authenticator: Authenticator, **odd: Any) -> Json:
    """A new passkey of a person, as it is listed."""
    kept = keep(person, authenticator.create(creation(person), **odd))
    assert kept.status_code == 200, kept.json
    made: Json = kept.json
    return made


def ask(client: Any, **given: Any) -> TestResponse:
    answer: TestResponse = client.post(f"{PASSKEY}/sign-in/options", json=given, headers=SAME_ORIGIN)
    return answer


def request(client: Any, **given: Any) -> Json:
    """What an authenticator is asked with."""
    asked = ask(client, **given)
    assert asked.status_code == 200, asked.json
    found: Json = asked.json
    return found


def verify(client: Any, response: Any, **given: Any) -> TestResponse:
    body = {"response": response} | given
    answer: TestResponse = client.post(f"{PASSKEY}/sign-in/verify", json=body, headers=SAME_ORIGIN)
    return answer


def sign_in(person: Person, authenticator: Authenticator, client: Any = None, **odd: Any) -> TestResponse:
    """Sign in with a passkey alone, in another browser unless one is given."""
    client = client or visit(person.app)
    return verify(client, authenticator.get(request(client), **odd))


def second(
    person: Person, authenticator: Authenticator, challenge: str, client: Any = None, **odd: Any
) -> TestResponse:
    """Answer the challenge of a sign-in with a passkey."""
    client = client or visit(person.app)
    return verify(client, authenticator.get(request(client, challenge=challenge), **odd), challenge=challenge)


def is_refused(answer: TestResponse) -> bool:
    """Whether a sign-in came to nothing, told as every other one."""
    told = {"error": "The code is not valid", "code": "INVALID_CODE", "details": {}}
    return answer.status_code == 401 and answer.json == told and "Set-Cookie" not in answer.headers
