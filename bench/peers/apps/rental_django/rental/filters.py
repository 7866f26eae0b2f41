"""What lists are filtered by."""

from django import forms
from django.db.models import F, FloatField, Value
from django.db.models.functions import ACos, Cos, Greatest, Least, Radians, Sin
from django_filters import rest_framework as filters

from rental.models import Booking, Invoice, Item

EARTH_KM = 6371
ORDER = ["exact", "gt", "gte", "lt", "lte"]


class PlaceField(forms.CharField):
    """A place and some kilometers around it: ``52.52,13.405,10``."""

    def clean(self, value):
        if not (text := super().clean(value)):
            return None
        try:
            lat, lng, km = map(float, text.split(","))
        except ValueError:
            raise forms.ValidationError("A place is latitude, longitude and kilometers.") from None
        return lat, lng, km


class PlaceFilter(filters.Filter):
    """Rows around a place, by the cosine of their distance."""

    field_class = PlaceField

    def filter(self, rows, value):
        if value is None:
            return rows
        lat, lng, km = (Value(each, FloatField()) for each in value)
        alike = Sin(Radians(lat)) * Sin(Radians("latitude"))
        cosine = alike + Cos(Radians(lat)) * Cos(Radians("latitude")) * Cos(Radians(F("longitude") - lng))
        # What is rounded may be a little more than one.
        distance = EARTH_KM * ACos(Least(Value(1.0), Greatest(Value(-1.0), cosine)))
        return rows.annotate(distance=distance).filter(distance__lte=km)


class ItemFilter(filters.FilterSet):
    near = PlaceFilter()

    class Meta:
        model = Item
        fields = {
            "name": ["exact", "icontains", "istartswith"],
            "slug": ["exact"],
            "published": ["exact"],
            "daily_price": ORDER,
            "daily_price_currency": ["exact"],
            "weight_kg": ORDER,
            "color": ["exact"],
            "made_in": ["exact"],
            "manual": ["exact"],
            "bought_on": ORDER,
            "opens_at": ORDER,
            "closes_at": ORDER,
            "shortest": ORDER,
        }


class BookingFilter(filters.FilterSet):
    days = filters.NumberFilter()
    days__gt = filters.NumberFilter(field_name="days", lookup_expr="gt")
    days__lt = filters.NumberFilter(field_name="days", lookup_expr="lt")

    class Meta:
        model = Booking
        fields = {
            "item": ["exact"],
            "contact": ["exact"],
            "starts_at": ORDER,
            "ends_at": ORDER,
            "state": ["exact"],
            "price": ORDER,
            "price_currency": ["exact"],
        }


class InvoiceFilter(filters.FilterSet):
    class Meta:
        model = Invoice
        fields = {
            "number": ORDER,
            "booking": ["exact"],
            "due_on": ORDER,
            "total": ORDER,
            "total_currency": ["exact"],
        }


class PartnerItemFilter(filters.FilterSet):
    near = PlaceFilter()

    class Meta:
        model = Item
        fields = {
            "name": ["exact", "icontains"],
            "slug": ["exact"],
            "daily_price": ORDER,
            "daily_price_currency": ["exact"],
        }
