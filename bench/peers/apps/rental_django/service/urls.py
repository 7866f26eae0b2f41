"""Paths of the service."""

from django.urls import include, path
from rental import views
from rest_framework import routers
from rest_framework.authtoken.views import obtain_auth_token

router = routers.DefaultRouter()
router.register("contacts", views.ContactViewSet, basename="contact")
router.register("items", views.ItemViewSet, basename="item")
router.register("bookings", views.BookingViewSet, basename="booking")
router.register("invoices", views.InvoiceViewSet, basename="invoice")
router.register("partner/items", views.PartnerItemViewSet, basename="partner-item")
router.register("partner/bookings", views.PartnerBookingViewSet, basename="partner-booking")
urlpatterns = [path("", include(router.urls)), path("token/", obtain_auth_token)]
