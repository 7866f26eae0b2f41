"""What is taken and given, and what is checked of it."""

from django.contrib.auth import get_user_model
from django.utils import timezone
from rest_framework import serializers

from tasks.models import Notification, Project, Task


class ProjectSerializer(serializers.ModelSerializer):
    class Meta:
        model = Project
        fields = ["id", "organization", "name", "created_at", "updated_at"]
        read_only_fields = ["organization"]


class ProjectField(serializers.PrimaryKeyRelatedField):
    def get_queryset(self):
        return Project.objects.visible_to(self.context["request"].user)


class OwnerField(serializers.PrimaryKeyRelatedField):
    def get_queryset(self):
        organizations = self.context["request"].user.organizations.all()
        return get_user_model().objects.filter(organizations__in=organizations).distinct()


class TaskSerializer(serializers.ModelSerializer):
    project = ProjectField()
    owner = OwnerField(required=False, allow_null=True)

    class Meta:
        model = Task
        fields = [
            "id",
            "organization",
            "project",
            "owner",
            "title",
            "state",
            "due_at",
            "completed_at",
            "reminded_at",
            "created_at",
            "updated_at",
        ]
        read_only_fields = ["organization", "completed_at", "reminded_at"]

    def validate_state(self, state):
        before = self.instance.state if self.instance else state
        if state != before and state not in Task.TRANSITIONS[before]:
            raise serializers.ValidationError(f"A task cannot go from {before} to {state}.")
        return state

    def update(self, task, values):
        if values.get("state", task.state) != task.state:
            values["completed_at"] = timezone.now() if values["state"] == Task.State.DONE else None
        if values.get("due_at", task.due_at) != task.due_at:
            values["reminded_at"] = None
        return super().update(task, values)


class NotificationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Notification
        fields = ["id", "type", "title", "task", "created_at"]
