"""Paths of the service."""

from django.urls import include, path
from rest_framework import routers
from rest_framework.authtoken.views import obtain_auth_token
from tasks.views import NotificationViewSet, ProjectViewSet, TaskViewSet

router = routers.DefaultRouter()
router.register("projects", ProjectViewSet, basename="project")
router.register("tasks", TaskViewSet, basename="task")
router.register("notifications", NotificationViewSet, basename="notification")
urlpatterns = [path("", include(router.urls)), path("token/", obtain_auth_token)]
