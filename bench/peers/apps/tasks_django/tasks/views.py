"""Routes of projects, tasks and notifications."""

from django.db import transaction
from rest_framework import viewsets
from rest_framework.decorators import action
from rest_framework.response import Response

from tasks.models import Notification, Project, Task
from tasks.serializers import NotificationSerializer, ProjectSerializer, TaskSerializer


class ProjectViewSet(viewsets.ModelViewSet):
    serializer_class = ProjectSerializer
    filterset_fields = ["name"]
    ordering_fields = ["name", "created_at"]

    def get_queryset(self):
        return Project.objects.visible_to(self.request.user)

    def perform_create(self, serializer):
        serializer.save(organization=self.request.user.organizations.get())


class TaskViewSet(viewsets.ModelViewSet):
    serializer_class = TaskSerializer
    filterset_fields = ["project", "owner", "title", "state", "due_at"]
    ordering_fields = ["title", "due_at", "created_at"]

    def get_queryset(self):
        tasks = Task.objects.visible_to(self.request.user)
        # The transition is checked against the row that is written.
        return tasks.select_for_update() if self.request.method in ("PUT", "PATCH", "POST") else tasks

    def perform_create(self, serializer):
        user = self.request.user
        serializer.save(organization=user.organizations.get(), owner=serializer.validated_data.get("owner", user))

    @transaction.atomic
    def update(self, request, *args, **kwargs):
        return super().update(request, *args, **kwargs)

    @action(detail=True, methods=["post"])
    @transaction.atomic
    def complete(self, request, pk=None):
        task = self.get_object()
        serializer = self.get_serializer(task, {"state": Task.State.DONE}, partial=True)
        serializer.is_valid(raise_exception=True)
        serializer.save()
        if task.owner is not None and task.owner != request.user:
            Notification.objects.create(
                user=task.owner, type="TASK_COMPLETED", title=f"{task.title} is done", task=task
            )
        return Response(serializer.data)


class NotificationViewSet(viewsets.ReadOnlyModelViewSet):
    serializer_class = NotificationSerializer

    def get_queryset(self):
        return Notification.objects.filter(user=self.request.user)
