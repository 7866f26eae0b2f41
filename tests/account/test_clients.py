"""The consent to a client of somebody else, and the list of those that are connected, as a person has them."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.account.visitors import Visitor, alerts_of, said_by
from tests.auth.clients.connecting import CALLBACK, Client, back, connect, decide, page_of, register
from tests.auth.sign_in.visitors import SAME_ORIGIN


@pytest.fixture
def client(app):
    return Client(app, register(app, "Helper <b>"))


def test_the_consent_says_who_asks_where_it_leads_and_that_it_is_this_device(member, client):
    text = unescape(member.get(page_of(member, client)).text)
    assert "Connect Helper <b>?" in text
    assert "<b>?</h1>" not in member.get(page_of(member, client)).text
    assert "<strong>localhost</strong>" in text
    assert "It runs on the device that you use now." in text
    assert "It ends after 90 days" in text


def test_reading_alone_is_chosen_until_somebody_chooses_otherwise(member, client):
    text = member.get(page_of(member, client)).text
    assert re.search(r'id="may-read"[^>]* checked', text)
    assert not re.search(r'id="may-write"[^>]* checked', text)


def test_a_page_leads_back_so_that_no_policy_of_a_form_holds_there(member, client):
    response = decide(member, page_of(member, client))
    assert response.status_code == 200
    assert back(response).startswith(f"{CALLBACK}?code=")
    assert "form-action 'self';" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-store"


def test_a_choice_that_is_refused_is_shown_again_as_it_was_made(member, client):
    path = page_of(member, client)
    response = decide(member, path, reach="chosen")
    assert response.status_code == 400
    assert alerts_of(response) == ["Choose what it may see."]
    assert re.search(r'id="reach-chosen"[^>]* checked', response.text)
    assert re.search(r'id="may-write"[^>]* checked', response.text)


def test_the_models_to_choose_from_are_those_that_the_person_sees(member, client):
    found = set(re.findall(r'name="model" value="([^"]+)"', member.get(page_of(member, client)).text))
    assert {"crm/contact", "crm/deal", "storage/upload"} <= found
    assert not any(each.startswith("auth/") for each in found)


def test_an_organization_is_chosen_where_there_are_several(member, client):
    assert 'type="hidden" name="organization"' in member.get(page_of(member, client)).text
    member.send("/account/organizations", page="/account/organizations", name="Second Quay")
    text = member.get(page_of(member, client)).text
    assert '<select id="organization"' in text
    second = re.search(r'<option value="([^"]+)"[^>]*>Second Quay', text)[1]
    connect(member, client, organization=second)
    assert "Second Quay" in member.get("/account/clients").text


def test_connected_apps_are_listed_and_disconnected(member, client):
    assert "No app is connected." in member.get("/account/clients").text
    connect(member, client)
    text = unescape(member.get("/account/clients").text)
    assert "Helper <b>" in text
    assert "Changes data" in text
    action = re.search(r'action="(/account/clients/[^"]+/disconnect)"', text)[1]
    gone = member.send(action, page="/account/clients")
    assert said_by(member.get(gone.headers["Location"])) == ["It is disconnected."]
    assert client.call("list_models").status_code == 401


def test_a_stranger_disconnects_nothing(app, member, client):
    connect(member, client)
    action = re.search(r'action="(/account/clients/[^"]+/disconnect)"', member.get("/account/clients").text)[1]
    stranger = Visitor(app).sign_up()
    assert stranger.send(action, page="/account/clients").status_code == 404
    assert client.call("list_models").status_code == 200


def test_what_cannot_be_told_to_a_client_is_told_to_the_person(member, client):
    response = member.client.get(client.address(client_id="nobody"), headers=SAME_ORIGIN)
    assert response.status_code == 400
    assert "No client has this id." in response.text
    assert CALLBACK not in response.text


def test_the_pages_speak_german(app, client):
    visitor = Visitor(app, "de").sign_up()
    text = unescape(visitor.get(page_of(visitor, client)).text)
    assert "Helper <b> verbinden?" in text
    assert "Daten ansehen und nichts ändern" in text
    assert "Verbundene Apps" in visitor.get("/account/clients").text
