"""Where requests go."""

from django.urls import include, path

urlpatterns = [path("api/", include("conduit.urls"))]
