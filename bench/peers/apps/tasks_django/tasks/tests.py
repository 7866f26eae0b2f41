"""What tasks do."""

from django.contrib.auth import get_user_model
from django.core.management import call_command
from rest_framework.test import APIClient, APITestCase

from tasks.models import Organization


class Tasks(APITestCase):
    def setUp(self):
        ours, theirs = (Organization.objects.create(name=name) for name in ("ours", "theirs"))
        self.owner, self.colleague, self.stranger = (
            self.signed_in(name, organization)
            for name, organization in (("owner", ours), ("colleague", ours), ("stranger", theirs))
        )
        self.project = self.owner.post("/projects/", {"name": "Bridge"}).json()["id"]
        given = {"project": self.project, "title": "Draw it", "due_at": "2000-01-01T00:00:00Z"}
        self.task = self.owner.post("/tasks/", given).json()
        self.path = f"/tasks/{self.task['id']}/"

    def signed_in(self, name, organization):
        user = get_user_model().objects.create_user(name)
        organization.members.add(user)
        client = APIClient()
        client.force_authenticate(user)
        return client

    def told(self, client):
        return [each["type"] for each in client.get("/notifications/").json()["results"]]

    def test_completing_a_task_tells_its_owner_when_a_colleague_did_it(self):
        done = self.colleague.post(f"{self.path}complete/")
        assert (done.status_code, done.json()["state"]) == (200, "done")
        assert done.json()["completed_at"] is not None
        assert self.told(self.owner) == ["TASK_COMPLETED"]

    def test_strangers_see_change_and_complete_nothing(self):
        answers = [
            self.stranger.get(self.path),
            self.stranger.patch(self.path, {"title": "x"}),
            self.stranger.delete(self.path),
            self.stranger.post(f"{self.path}complete/"),
        ]
        assert [answer.status_code for answer in answers] == [404] * 4
        assert self.stranger.get("/tasks/").json()["count"] == 0
        assert self.owner.get(self.path).json()["state"] == "open"

    def test_projects_of_other_organizations_are_refused(self):
        refused = self.stranger.post("/tasks/", {"project": self.project, "title": "x"})
        assert (refused.status_code, list(refused.json())) == (400, ["project"])

    def test_owners_are_told_once_of_tasks_whose_day_has_passed(self):
        call_command("remind")
        call_command("remind")
        assert self.told(self.owner) == ["TASK_OVERDUE"]
