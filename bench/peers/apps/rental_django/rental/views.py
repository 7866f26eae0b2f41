"""Routes of organizations, and those of their partners."""

from django.db import IntegrityError
from rest_framework import mixins, status, viewsets
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.permissions import SAFE_METHODS, IsAuthenticatedOrReadOnly
from rest_framework.views import exception_handler

from rental import filters, serializers
from rental.models import Booking, Contact, Invoice, Item
from rental.permissions import HasPartnerKey


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail, default_code = "Another row is in the way.", "conflict"


REFUSALS = {
    "booking_overlap": Conflict("The item is booked at that time.", "overlap"),
    "booking_times": ValidationError({"ends_at": ["Must be after starts_at."]}),
    "contact_email": Conflict("There is a contact with this address."),
}


def refusal(error, context):
    """A constraint that the database keeps is answered as what it means."""
    if isinstance(error, IntegrityError):
        error = REFUSALS.get(error.__cause__.diag.constraint_name, error)
    return exception_handler(error, context)


class InOrganization(viewsets.GenericViewSet):
    """Rows of the caller's organizations; what is made is of the one that the caller acts in."""

    @property
    def organization(self):
        return self.request.user.organizations.order_by("pk").first()

    def get_queryset(self):
        rows = super().get_queryset().visible_to(self.request.user)
        # What is checked of a change is checked against the row that is written.
        return rows if self.request.method in SAFE_METHODS else rows.select_for_update()

    def perform_create(self, serializer):
        serializer.save(organization=self.organization)


class ContactViewSet(InOrganization, viewsets.ModelViewSet):
    queryset = Contact.objects.all()
    serializer_class = serializers.ContactSerializer
    filterset_fields = ["first_name", "last_name", "email"]
    search_fields = ["first_name", "last_name", "email"]
    ordering_fields = ["last_name", "created_at"]


class ItemViewSet(InOrganization, viewsets.ModelViewSet):
    """Items; those in the catalogue are shown to everybody."""

    queryset = Item.objects.all()
    permission_classes = [IsAuthenticatedOrReadOnly]
    serializer_class = serializers.ItemSerializer
    filterset_class = filters.ItemFilter
    search_fields = ["name", "description"]
    ordering_fields = ["name", "daily_price", "weight_kg", "bought_on", "opens_at", "shortest", "created_at"]

    def get_queryset(self):
        rows = super().get_queryset()
        return rows | Item.objects.published() if self.request.method in SAFE_METHODS else rows


class BookingViewSet(InOrganization, viewsets.ModelViewSet):
    queryset = Booking.objects.all()
    serializer_class = serializers.BookingSerializer
    filterset_class = filters.BookingFilter
    ordering_fields = ["starts_at", "ends_at", "price", "days", "created_at"]


class InvoiceViewSet(
    InOrganization,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.CreateModelMixin,
    mixins.UpdateModelMixin,
):
    """Invoices, of which none is removed."""

    queryset = Invoice.objects.all()
    serializer_class = serializers.InvoiceSerializer
    filterset_class = filters.InvoiceFilter
    ordering_fields = ["number", "due_on", "total", "created_at"]


class OfPartner(viewsets.GenericViewSet):
    """What the key of a partner is good for."""

    authentication_classes = []
    permission_classes = [HasPartnerKey]

    @property
    def organization(self):
        return self.request.partner.organization


class PartnerItemViewSet(OfPartner, viewsets.ReadOnlyModelViewSet):
    serializer_class = serializers.PartnerItemSerializer
    filterset_class = filters.PartnerItemFilter
    ordering_fields = ["name", "daily_price"]

    def get_queryset(self):
        return Item.objects.published().filter(organization=self.organization)


class PartnerBookingViewSet(OfPartner, mixins.CreateModelMixin):
    serializer_class = serializers.PartnerBookingSerializer

    def perform_create(self, serializer):
        serializer.save(organization=self.organization)
