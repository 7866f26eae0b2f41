"""``manage.py remind``, which cron runs: tell owners once of tasks whose day has passed."""

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from tasks.models import Notification, Task


class Command(BaseCommand):
    help = "Tell owners once of tasks whose day has passed."

    @transaction.atomic
    def handle(self, *args, **options):
        now = timezone.now()
        overdue = Task.objects.filter(state=Task.State.OPEN, due_at__lt=now, reminded_at=None).order_by("owner")
        for task in overdue.select_for_update(skip_locked=True)[: settings.REMINDERS]:
            task.reminded_at = now
            task.save(update_fields=["reminded_at"])
            if task.owner_id is not None:
                Notification.objects.create(
                    user_id=task.owner_id, type="TASK_OVERDUE", title=f"{task.title} is overdue", task=task
                )
