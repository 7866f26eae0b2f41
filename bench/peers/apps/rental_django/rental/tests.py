"""What the rental does."""

from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth import get_user_model
from django.core import mail
from django.db import connection
from rest_framework.test import APIClient, APITestCase, APITransactionTestCase

from rental.models import Booking, Invoice, Organization, PartnerKey

BOAT = {"name": "An old boat", "daily_price": "12.50", "daily_price_currency": "EUR"}
TOTAL = {"due_on": "2027-04-01", "total": "12.50", "total_currency": "EUR"}


def at(day):
    return f"2027-03-{day:02}T09:00:00Z"


class Rental:
    def setUp(self):
        self.ours, self.theirs = (Organization.objects.create(name=name) for name in ("ours", "theirs"))
        self.owner, self.stranger = self.signed_in("owner", self.ours), self.signed_in("stranger", self.theirs)
        self.boat = self.made(self.owner, "/items/", BOAT)

    def signed_in(self, name, organization):
        user = get_user_model().objects.create_user(name)
        organization.members.add(user)
        client = APIClient()
        client.force_authenticate(user)
        return client

    def made(self, client, path, given):
        answer = client.post(path, given, format="json")
        assert answer.status_code == 201, answer.content
        return answer.json()

    def book(self, start, end, client=None, path="/bookings/", **more):
        given = {"item": self.boat["id"], "starts_at": at(start), "ends_at": at(end)} | more
        return (client or self.owner).post(path, given, format="json")


class Bookings(Rental, APITestCase):
    def test_two_do_not_meet_and_one_that_is_cancelled_leaves_its_time_free(self):
        first = self.book(1, 3).json()
        assert [self.book(2, 5).status_code, self.book(3, 4).status_code] == [409, 201]
        path = f"/bookings/{first['id']}/"
        assert self.owner.patch(path, {"ends_at": at(4)}).status_code == 409
        assert self.owner.patch(path, {"state": "cancelled"}).status_code == 200
        assert self.owner.patch(path, {"state": "reserved"}).status_code == 400
        assert self.book(1, 3).status_code == 201

    def test_one_has_its_price_by_days_and_is_sorted_by_them(self):
        booking = self.book(1, 3).json()
        assert (booking["price"], booking["price_currency"], booking["days"]) == ("25.00", "EUR", 2)
        changed = self.owner.patch(f"/bookings/{booking['id']}/", {"ends_at": at(4)}).json()
        assert (changed["price"], changed["days"]) == ("37.50", 3)
        self.book(5, 6)
        listed = self.owner.get("/bookings/?ordering=-days&days__gt=0").json()["results"]
        assert [each["days"] for each in listed] == [3, 1]

    def test_what_is_wrong_is_told_at_its_field(self):
        short = self.owner.post("/bookings/", {"item": self.boat["id"], "starts_at": at(1), "ends_at": at(1)})
        assert (short.status_code, list(short.json())) == (400, ["ends_at"])
        assert list(self.book(1, 3, self.stranger).json()) == ["item"]
        hours = self.owner.patch(f"/items/{self.boat['id']}/", {"opens_at": "19:00"})
        assert (hours.status_code, list(hours.json())) == (400, ["closes_at"])

    def test_a_contact_is_told_in_the_language_of_the_manual(self):
        grace = {"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.com"}
        contact = self.made(self.owner, "/contacts/", grace)["id"]
        first = self.book(1, 3, contact=contact).json()
        self.owner.patch(f"/items/{self.boat['id']}/", {"manual": "de"})
        self.owner.patch(f"/bookings/{first['id']}/", {"state": "cancelled"})
        told = ["An old boat is reserved for you", "Storniert: An old boat"]
        assert [each.subject for each in mail.outbox] == told
        text, (html, kind) = mail.outbox[0].body, mail.outbox[0].alternatives[0]
        assert kind == "text/html"
        for shown in (text, html):
            assert "2027-03-01 09:00 UTC" in shown
            assert "25.00 EUR" in shown
        assert self.owner.post("/contacts/", grace).status_code == 409


class Items(Rental, APITestCase):
    def found(self, client, query=""):
        answer = client.get(f"/items/?{query}")
        assert answer.status_code == 200, answer.content
        return [each["name"] for each in answer.json()["results"]]

    def test_the_catalogue_is_for_everybody_and_its_owner_alone_changes_it(self):
        path = f"/items/{self.boat['id']}/"
        nobody = APIClient()
        assert (self.found(nobody), self.found(self.stranger)) == ([], [])
        self.owner.patch(path, {"published": True})
        assert (self.found(nobody), self.found(self.stranger)) == (["An old boat"], ["An old boat"])
        assert [nobody.patch(path, {}).status_code, self.stranger.patch(path, {}).status_code] == [401, 404]
        assert [nobody.delete(path).status_code, self.stranger.delete(path).status_code] == [401, 404]

    def test_items_are_found_by_price_and_place(self):
        for name, latitude, longitude in (("Berlin", 52.52, 13.405), ("Potsdam", 52.3906, 13.0645)):
            self.made(self.owner, "/items/", BOAT | {"name": name, "latitude": latitude, "longitude": longitude})
        assert self.found(self.owner, "near=52.5,13.4,5") == ["Berlin"]
        assert self.found(self.owner, "near=52.5,13.4,40&ordering=name") == ["Berlin", "Potsdam"]
        assert self.found(self.owner, "daily_price__gt=12.50") == []
        assert self.found(self.owner, "daily_price__gte=12.50&search=boat") == ["An old boat"]
        assert self.owner.get("/items/?near=here").status_code == 400

    def test_a_slug_follows_the_name_once(self):
        again = self.made(self.owner, "/items/", BOAT)
        assert self.boat["slug"] == "an-old-boat"
        assert again["slug"].startswith("an-old-boat-")
        assert self.owner.post("/items/", BOAT | {"slug": "an-old-boat"}).status_code == 400


class Partners(Rental, APITestCase):
    def setUp(self):
        super().setUp()
        _, key = PartnerKey.objects.create_key(name="Partner", organization=self.ours)
        self.partner = APIClient(HTTP_AUTHORIZATION=f"Api-Key {key}")

    def test_a_key_reads_what_is_published_and_books_it(self):
        listed = "/partner/items/"
        assert self.partner.get(listed).json()["count"] == 0
        assert self.book(1, 3, self.partner, "/partner/bookings/").status_code == 400
        self.owner.patch(f"/items/{self.boat['id']}/", {"published": True})
        (shown,) = self.partner.get(listed).json()["results"]
        assert set(shown) == {"id", "name", "slug", "daily_price", "daily_price_currency", "latitude", "longitude"}
        made = self.book(1, 3, self.partner, "/partner/bookings/", state="lent")
        assert (made.status_code, list(made.json())) == (201, ["id"])
        assert Booking.objects.get().state == "reserved"

    def test_a_key_does_nothing_else(self):
        for path in ("/bookings/", "/invoices/", "/contacts/"):
            assert self.partner.get(path).status_code == 401
        refused = [
            self.partner.post("/items/", BOAT).status_code,
            self.partner.get("/partner/bookings/").status_code,
            self.partner.post("/partner/items/", BOAT).status_code,
            APIClient().get("/partner/items/").status_code,
        ]
        assert refused == [401, 405, 405, 403]


class AtOnce(Rental, APITransactionTestCase):
    def at_once(self, ask, count):
        def asked(number):
            try:
                return ask(number).status_code
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(asked, range(count)))

    def test_of_many_bookings_at_once_one_holds(self):
        statuses = self.at_once(lambda _: self.book(1, 3), 16)
        assert (statuses.count(201), statuses.count(409)) == (1, 15)

    def test_numbers_of_an_organization_have_no_gaps(self):
        bodies = [TOTAL, TOTAL | {"booking": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}]
        self.at_once(lambda number: self.owner.post("/invoices/", bodies[number % 2]), 16)
        other = self.made(self.stranger, "/invoices/", TOTAL)
        numbers = list(
            Invoice.objects.filter(organization=self.ours).order_by("number").values_list("number", flat=True)
        )
        assert (numbers, other["number"]) == (list(range(1, 9)), 1)
        path = f"/invoices/{other['id']}/"
        assert self.stranger.delete(path).status_code == 405
        assert self.stranger.patch(path, {"total": "1.00"}).json()["total"] == "12.50"
