"""What is taken and given, and what is checked of it."""

import math

from django_countries.serializer_fields import CountryField
from rest_framework import serializers

from rental import mails
from rental.models import DAY, Booking, Contact, Invoice, Item

STORED = ["id", "organization", "created_at", "updated_at"]


class VisibleField(serializers.PrimaryKeyRelatedField):
    """A reference to a row of the caller's organization."""

    def get_queryset(self):
        return super().get_queryset().filter(organization=self.context["view"].organization)


class StoredSerializer(serializers.ModelSerializer):
    """A row of an organization; fields of ``immutable`` are sent when it is made."""

    immutable = ()

    def get_fields(self):
        fields = super().get_fields()
        for name in self.immutable if isinstance(self.instance, self.Meta.model) else ():
            fields[name].read_only = True
        return fields

    def after(self, given, name):
        """The value of a field as it will be."""
        return given.get(name, getattr(self.instance, name, self.Meta.model._meta.get_field(name).get_default()))


class ContactSerializer(StoredSerializer):
    class Meta:
        model = Contact
        fields = [*STORED, "first_name", "last_name", "email"]
        read_only_fields = ["organization"]

    def validate_email(self, email):
        return email.lower()


class ItemSerializer(StoredSerializer):
    made_in = CountryField(required=False, allow_blank=True)

    class Meta:
        model = Item
        fields = [
            *STORED,
            "name",
            "slug",
            "description",
            "published",
            "daily_price",
            "daily_price_currency",
            "weight_kg",
            "color",
            "made_in",
            "manual",
            "bought_on",
            "latitude",
            "longitude",
            "opens_at",
            "closes_at",
            "shortest",
        ]
        read_only_fields = ["organization"]

    def validate_color(self, color):
        return color.lower()

    def validate(self, given):
        if self.after(given, "opens_at") >= self.after(given, "closes_at"):
            raise serializers.ValidationError({"closes_at": "Must be after opens_at."})
        if (self.after(given, "latitude") is None) != (self.after(given, "longitude") is None):
            raise serializers.ValidationError({"longitude": "Must be given with latitude."})
        return given


class BookingSerializer(StoredSerializer):
    immutable = ("item",)
    item = VisibleField(queryset=Item.objects.all())
    contact = VisibleField(queryset=Contact.objects.all(), required=False, allow_null=True)

    class Meta:
        model = Booking
        fields = [*STORED, "item", "contact", "starts_at", "ends_at", "state", "price", "price_currency", "days"]
        read_only_fields = ["organization", "price", "price_currency", "days"]

    def validate_state(self, state):
        before = self.instance.state if self.instance else state
        if state != before and state not in Booking.TRANSITIONS.get(before, ()):
            raise serializers.ValidationError(f"A booking cannot go from {before} to {state}.")
        return state

    def validate(self, given):
        if self.instance is None or {"starts_at", "ends_at"} & set(given):
            item = self.instance.item if self.instance else given["item"]
            length = self.after(given, "ends_at") - self.after(given, "starts_at")
            if length < item.shortest:
                raise serializers.ValidationError({"ends_at": "Is shorter than the item is lent."})
            given["price"] = item.daily_price * math.ceil(length / DAY)
        return given

    def create(self, given):
        booking = super().create(given)
        if booking.state == Booking.State.RESERVED:
            mails.send("booked", booking)
        return booking

    def update(self, booking, given):
        before = booking.state
        booking = super().update(booking, given)
        booking.refresh_from_db(fields=["days"])
        if booking.state == Booking.State.CANCELLED != before:
            mails.send("cancelled", booking)
        return booking


class InvoiceSerializer(StoredSerializer):
    immutable = ("booking", "total", "total_currency")
    booking = VisibleField(queryset=Booking.objects.all(), required=False, allow_null=True)

    class Meta:
        model = Invoice
        fields = [*STORED, "number", "booking", "due_on", "total", "total_currency"]
        read_only_fields = ["organization", "number"]


class PartnerItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = ["id", "name", "slug", "daily_price", "daily_price_currency", "latitude", "longitude"]


class PartnerBookingSerializer(BookingSerializer):
    item = VisibleField(queryset=Item.objects.published(), write_only=True)

    class Meta:
        model = Booking
        fields = ["id", "item", "starts_at", "ends_at"]
        extra_kwargs = {"starts_at": {"write_only": True}, "ends_at": {"write_only": True}}
