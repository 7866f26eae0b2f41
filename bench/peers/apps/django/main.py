"""Contacts in Django REST Framework, as its tutorial writes it: one project in one module."""

import gc
import os
import sys
import uuid

import django
from django.conf import settings

settings.configure(
    SECRET_KEY=os.environ["SECRET_KEY"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="main",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "rest_framework.authtoken",
        "django_filters",
    ],
    MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "django",
            "USER": "postgres",
            "HOST": os.environ["DATABASE_HOST"],
            "OPTIONS": {"pool": True},
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "PAGE_SIZE": 20,
    },
)  # fmt: skip
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import routers, serializers, status, viewsets  # noqa: E402
from rest_framework.decorators import action  # noqa: E402
from rest_framework.pagination import CursorPagination  # noqa: E402
from rest_framework.response import Response  # noqa: E402


class Company(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.ForeignKey(User, on_delete=models.CASCADE)
    name = models.CharField(max_length=200)

    class Meta:
        app_label = "contacts"
        db_table = "companies"


class Contact(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, db_index=False)
    first_name = models.CharField(max_length=100)
    last_name = models.CharField(max_length=100)
    email = models.EmailField()
    phone = models.CharField(max_length=40, null=True)
    title = models.CharField(max_length=120, null=True)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, db_index=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "contacts"
        db_table = "contacts"
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["owner", "email"], name="contacts_email")]
        indexes = [
            models.Index(fields=["owner", "created_at", "id"], name="contacts_newest"),
            models.Index(fields=["company", "created_at", "id"], name="contacts_company"),
        ]


class ContactListSerializer(serializers.ListSerializer):
    def create(self, validated_data):
        return Contact.objects.bulk_create([Contact(**item) for item in validated_data])


class ContactSerializer(serializers.ModelSerializer):
    company_id = serializers.PrimaryKeyRelatedField(source="company", queryset=Company.objects.all())

    class Meta:
        model = Contact
        list_serializer_class = ContactListSerializer
        fields = [
            "id", "first_name", "last_name", "email", "phone", "title", "company_id", "created_at", "updated_at",
        ]  # fmt: skip


class UncheckedContactSerializer(ContactSerializer):
    """Leaves it to the foreign key whether the company is there, which saves a query for each contact."""

    company_id = serializers.UUIDField()


class ContactViewSet(viewsets.ModelViewSet):
    serializer_class = ContactSerializer
    filterset_fields = ["company"]

    def get_queryset(self):
        return Contact.objects.filter(owner=self.request.user)

    def perform_create(self, serializer):
        serializer.save(owner=self.request.user)

    @action(detail=False, methods=["post"])
    def bulk(self, request):
        return self._create_many(self.get_serializer(data=request.data, many=True))

    @action(detail=False, methods=["post"])
    def bulk_unchecked(self, request):
        return self._create_many(UncheckedContactSerializer(data=request.data, many=True))

    def _create_many(self, serializer):
        serializer.is_valid(raise_exception=True)
        self.perform_create(serializer)
        return Response(serializer.data, status=status.HTTP_201_CREATED)


class NewestFirst(CursorPagination):
    page_size = 20
    ordering = ["-created_at", "-id"]


class UncountedContactViewSet(ContactViewSet):
    """Pages by cursor, which the documentation has for large data: they are not counted."""

    pagination_class = NewestFirst


router = routers.DefaultRouter()
router.register("contacts", ContactViewSet, basename="contact")
router.register("uncounted", UncountedContactViewSet, basename="uncounted")
urlpatterns = [path("", include(router.urls))]
application = get_wsgi_application()
gc.freeze()
gc.set_threshold(10_000, 20, 100)  # as Rowgate's workers have it

if __name__ == "__main__":
    sys.modules["main"] = sys.modules["__main__"]
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Company)
        editor.create_model(Contact)
