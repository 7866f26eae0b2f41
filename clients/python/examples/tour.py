"""From nothing to a notification: ``python tour.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TypeVar

from rowgate_client import AuthenticatedClient, Client, Place, follow_notifications, stream_chat
from rowgate_client.openapi.api.api_key import create_auth_api_key
from rowgate_client.openapi.api.company import create_crm_company
from rowgate_client.openapi.api.crm import create_crm_contact, create_crm_deal, list_crm_deal
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.api.upload import upload_file
from rowgate_client.openapi.models import (
    AuthApiKeyCreate,
    AuthApiKeyMade,
    ChatEntry,
    ChatQuestion,
    CrmCompany,
    CrmCompanyCreate,
    CrmContact,
    CrmContactCreate,
    CrmDeal,
    CrmDealCreate,
    CrmDealList,
    SignedUp,
    SignUp,
    Uploaded,
    UploadFileBody,
)
from rowgate_client.openapi.types import File

T = TypeVar("T")


def good(kind: type[T], answer: object) -> T:
    """The answer of the kind that was hoped for, or its error as an exception."""
    if not isinstance(answer, kind):
        raise SystemExit(f"refused: {answer}")
    return answer


def tour(address: str, email: str, wanted: int) -> None:
    visitor = Client(address)
    account = good(SignedUp, sign_up.sync(client=visitor, body=SignUp(email=email, password="correct horse battery")))
    session = AuthenticatedClient(address, token=str(account.token))
    key = AuthApiKeyCreate(name="Tour", scopes=["read", "write"])
    made = good(AuthApiKeyMade, create_auth_api_key.sync(client=session, body=key))

    api = AuthenticatedClient(address, token=made.key)
    company = good(CrmCompany, create_crm_company.sync(client=api, body=CrmCompanyCreate(name="Harbour Works")))
    person = CrmContactCreate(first_name="Grace", last_name="Hopper", email="grace@example.com", company_id=company.id)
    contact = good(CrmContact, create_crm_contact.sync(client=api, body=person))
    deal = CrmDealCreate(name="New cranes", amount=1250000, company_id=company.id, contact_id=contact.id)
    good(CrmDeal, create_crm_deal.sync(client=api, body=deal))
    deals = good(CrmDealList, list_crm_deal.sync(client=api, contact_id=contact.id, take=5))
    print("deals:", ", ".join(each.name for each in deals.data), flush=True)

    plan = File(BytesIO(b"The crane may be 40 m high."), file_name="plan.txt", mime_type="text/plain")
    uploaded = good(Uploaded, upload_file.sync(client=session, body=UploadFileBody(file=plan)))
    print("uploaded:", uploaded.url.rpartition("/")[2], flush=True)

    question = ChatQuestion(messages=[ChatEntry(role="user", content="How high may the crane be?")])
    with stream_chat(session, question) as answer:
        print(f"chat {answer.chat_id}:", "".join(answer.pieces).strip(), flush=True)

    place = Place()
    for number, notification in enumerate(follow_notifications(session, place), 1):
        print("notification:", notification["title"], flush=True)
        if number == wanted:
            break


if __name__ == "__main__":
    tour(
        sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3001",
        sys.argv[2] if len(sys.argv) > 2 else "ada@example.com",
        int(sys.argv[3]) if len(sys.argv) > 3 else 2,
    )
