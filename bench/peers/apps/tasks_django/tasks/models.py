"""Organizations, projects, tasks and notifications."""

import uuid

from django.conf import settings
from django.db import models


class Organization(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organizations")


class Stored(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class InOrganization(models.QuerySet):
    def visible_to(self, user):
        return self.filter(organization__in=user.organizations.all())


class Project(Stored):
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, editable=False)
    name = models.CharField(max_length=100)

    objects = InOrganization.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["organization", "-created_at", "-id"], name="project_newest")]


class Task(Stored):
    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"

    TRANSITIONS = {State.OPEN: {State.DONE}, State.DONE: {State.OPEN}}

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=4, choices=State, default=State.OPEN)
    due_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, editable=False)
    reminded_at = models.DateTimeField(null=True, editable=False)

    objects = InOrganization.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["organization", "-created_at", "-id"], name="task_newest")]
        constraints = [models.CheckConstraint(condition=models.Q(state__in=["open", "done"]), name="task_state")]


class Notification(Stored):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    type = models.CharField(max_length=50)
    title = models.CharField(max_length=300)
    task = models.ForeignKey(Task, on_delete=models.CASCADE)

    class Meta:
        ordering = ["-created_at", "-id"]
