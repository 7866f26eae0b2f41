"""Organizations, their contacts, items, who books them, and invoices."""

import secrets
import uuid
from datetime import time, timedelta

from django.conf import global_settings, settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Ceil, Extract
from django.utils.text import slugify
from django_countries.fields import CountryField
from djmoney.models.fields import MoneyField
from djmoney.models.validators import MinMoneyValidator
from rest_framework_api_key.models import AbstractAPIKey

DAY = timedelta(days=1)


class Organization(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organizations")
    last_invoice = models.PositiveBigIntegerField(default=0, editable=False)


class PartnerKey(AbstractAPIKey):
    """A key for the program of a partner of an organization."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)


class InOrganization(models.QuerySet):
    def visible_to(self, user):
        return self.filter(organization__in=Organization.objects.filter(members=user)) if user.pk else self.none()


class Stored(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, editable=False)

    objects = InOrganization.as_manager()

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["organization", "-created_at", "-id"], name="%(class)s_newest")]


class Contact(Stored):
    first_name = models.CharField(max_length=100)
    last_name = models.CharField(max_length=100)
    email = models.EmailField(max_length=254)

    class Meta(Stored.Meta):
        constraints = [models.UniqueConstraint(fields=["organization", "email"], name="contact_email")]


class ItemQuerySet(InOrganization):
    def published(self):
        return self.filter(published=True)


class Item(Stored):
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=200, unique=True, blank=True)
    description = models.TextField(max_length=20_000, blank=True)
    published = models.BooleanField(default=False)
    daily_price = MoneyField(max_digits=17, decimal_places=2, validators=[MinMoneyValidator(0)])
    weight_kg = models.DecimalField(
        max_digits=8, decimal_places=3, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    color = models.CharField(max_length=7, blank=True, validators=[RegexValidator(r"^#[0-9a-f]{6}\Z")])
    made_in = CountryField(blank=True)
    manual = models.CharField(max_length=10, choices=global_settings.LANGUAGES, default="en")
    bought_on = models.DateField(null=True, blank=True)
    latitude = models.FloatField(null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)])
    longitude = models.FloatField(null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)])
    opens_at = models.TimeField(default=time(9))
    closes_at = models.TimeField(default=time(18))
    shortest = models.DurationField(default=timedelta(hours=1), validators=[MinValueValidator(timedelta())])

    objects = ItemQuerySet.as_manager()

    class Meta(Stored.Meta):
        indexes = [
            *Stored.Meta.indexes,
            models.Index(fields=["-created_at", "-id"], condition=models.Q(published=True), name="item_catalogue"),
            models.Index(fields=["daily_price", "id"], name="item_price"),
            models.Index(fields=["latitude", "longitude"], name="item_place"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(opens_at__lt=models.F("closes_at")), name="item_hours"),
            models.CheckConstraint(
                condition=models.Q(latitude=None, longitude=None)
                | ~models.Q(latitude=None) & ~models.Q(longitude=None),
                name="item_whole_place",
            ),
        ]

    def save(self, *args, **kwargs):
        if not self.slug:
            self.slug = slugify(self.name)[:190] or "item"
            if Item.objects.filter(slug=self.slug).exists():
                self.slug += f"-{secrets.token_hex(3)}"
        super().save(*args, **kwargs)


class TsTzRange(models.Func):
    function = "TSTZRANGE"
    output_field = DateTimeRangeField()


class Booking(Stored):
    class State(models.TextChoices):
        RESERVED = "reserved"
        LENT = "lent"
        RETURNED = "returned"
        CANCELLED = "cancelled"

    TRANSITIONS = {State.RESERVED: {State.LENT, State.CANCELLED}, State.LENT: {State.RETURNED}}

    item = models.ForeignKey(Item, on_delete=models.CASCADE)
    contact = models.ForeignKey(Contact, on_delete=models.SET_NULL, null=True, blank=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.RESERVED)
    price = MoneyField(max_digits=17, decimal_places=2, editable=False)
    days = models.GeneratedField(
        expression=Ceil(Extract(models.F("ends_at") - models.F("starts_at"), "epoch") / DAY.total_seconds()),
        output_field=models.IntegerField(),
        db_persist=True,
    )

    class Meta(Stored.Meta):
        constraints = [
            ExclusionConstraint(
                name="booking_overlap",
                expressions=[
                    ("item", RangeOperators.EQUAL),
                    (TsTzRange("starts_at", "ends_at"), RangeOperators.OVERLAPS),
                ],
                condition=~models.Q(state="cancelled"),
            ),
            models.CheckConstraint(condition=models.Q(starts_at__lt=models.F("ends_at")), name="booking_times"),
            models.CheckConstraint(
                condition=models.Q(state__in=["reserved", "lent", "returned", "cancelled"]), name="booking_state"
            ),
        ]


class Invoice(Stored):
    number = models.PositiveBigIntegerField(editable=False)
    booking = models.ForeignKey(Booking, on_delete=models.SET_NULL, null=True, blank=True)
    due_on = models.DateField()
    total = MoneyField(max_digits=17, decimal_places=2, validators=[MinMoneyValidator(0)])

    class Meta(Stored.Meta):
        constraints = [models.UniqueConstraint(fields=["organization", "number"], name="invoice_number")]

    def save(self, *args, **kwargs):
        if self.number is None:
            # Whoever makes the next invoice of the organization waits for this transaction, so numbers have no gaps.
            organization = Organization.objects.select_for_update().get(pk=self.organization_id)
            organization.last_invoice += 1
            organization.save(update_fields=["last_invoice"])
            self.number = organization.last_invoice
        super().save(*args, **kwargs)
