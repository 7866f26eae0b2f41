"""Work asked of an agent: queued, done by its chain as a job, and put before the approver."""

from __future__ import annotations

import subprocess

import pytest
from sqlalchemy import text

from app.ai_rag.models import AiRagIndex
from app.jobs import registry
from app.testing.database import transaction
from app.testing.waiting import await_true
from config import ROOT
from tests.ai.chains import Chains, made
from tests.ai.upstream import WORDS
from tests.auth.sharing.sharing import address, let_out, shared
from tests.end_to_end.service import FLASK, environment

ANSWER = "".join(WORDS)
WORK = "/api/v1/ai-agent/deliverable"


@pytest.fixture
def agents(chat_app, chains):
    return Agents(chat_app, chains)


class Agents:
    def __init__(self, app, chains: Chains):
        self.app, self.chains, self.owner = app, chains, chains.owner

    def agent(self, **values):
        body = {"name": "Writer", "instructions": "Write briefly.", "status": "active", **values}
        return made(self.owner.post("/api/v1/ai-agent/config", body))

    def ask(self, agent, **values):
        body = {"configId": agent, "title": "Crane note", "brief": "How high may the crane be?", **values}
        return made(self.owner.post(WORK, body))

    def work(self):
        registry.work(self.app, concurrency=1, until_empty=True)

    def done(self, agent, **values):
        """A piece of work after its job."""
        identifier = self.ask(agent, **values)
        self.work()
        return self.owner.get(f"{WORK}/{identifier}").json


def test_the_chain_of_the_agent_writes_the_work_which_waits_for_approval(agents, chains, provider):
    work = agents.done(agents.agent(chainId=chains.of("good"), parameters={"temperature": 0.3}))
    assert (work["status"], work["content"], work["errorMessage"]) == ("awaiting_approval", ANSWER, None)
    assert work["submittedAt"]
    (entry,) = agents.owner.get(f"/api/v1/ai-agent/message?deliverableId={work['id']}").json["data"]
    assert (entry["role"], entry["content"], entry["inputTokens"], entry["outputTokens"]) == ("agent", ANSWER, 12, 6)
    (call,) = provider.calls
    assert [each["role"] for each in call["body"]["messages"]] == ["system", "user"]
    assert call["body"]["messages"][1]["content"] == "Crane note\n\nHow high may the crane be?"
    assert call["body"]["temperature"] == 0.3


def test_the_approver_is_asked(agents, chains, chat_cast):
    approver = chat_cast.colleague(agents.owner)
    work = agents.done(agents.agent(chainId=chains.of("good")), approverId=str(approver.user_id))
    (asked,) = approver.get("/api/v1/notification/notification").json["data"]
    assert (asked["type"], asked["title"]) == ("APPROVAL_REQUEST", "Approval wanted: Crane note")
    assert asked["data"]["deliverableId"] == work["id"]


def test_an_agent_may_work_without_approval(agents, chains):
    assert agents.done(agents.agent(chainId=chains.of("good"), requiresApproval=False))["status"] == "approved"


def test_changes_that_were_requested_go_into_the_next_round(agents, chains, provider):
    work = agents.done(agents.agent(chainId=chains.of("good")))
    path = f"{WORK}/{work['id']}"
    agents.owner.patch(path, {"status": "changes_requested", "decisionNote": "Shorter, please."})
    agents.owner.patch(path, {"status": "queued"})
    agents.work()
    assert agents.owner.get(path).json["status"] == "awaiting_approval"
    told = [each["content"] for each in provider.calls[-1]["body"]["messages"]]
    assert told[-2:] == [ANSWER, "Shorter, please."]


@pytest.mark.parametrize(("model", "why"), [("down", "No provider answered"), ("dying", "")])
def test_a_chain_that_fails_fails_the_work(agents, chains, model, why):
    work = agents.done(agents.agent(chainId=chains.of(model)))
    assert (work["status"], work["content"]) == ("failed", None)
    assert work["errorMessage"].startswith(why)
    assert work["errorMessage"]


def test_data_has_to_fit_the_schema_of_the_agent(agents, chains, provider):
    properties = {"height": {"type": "number"}, "pattern": {"const": {"$ref": "of a dress"}}}
    schema = {"type": "object", "required": ["height"], "properties": properties}
    agent = agents.agent(chainId=chains.of("data"), outputSchema=schema)
    assert agents.done(agent)["data"] == {"height": 40}
    assert "by this schema" in provider.calls[0]["body"]["messages"][1]["content"]
    strict = agents.agent(name="Strict", chainId=chains.over(chains.provider("data"), isDefault=False),
                          outputSchema={"type": "array"})  # fmt: skip
    failed = agents.done(strict)
    assert (failed["status"], failed["data"]) == ("failed", None)
    assert "schema" in failed["errorMessage"]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:1/x"},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"pattern": "^(a+)+$"},
        {"type": 5},
    ],
)
def test_a_schema_that_reaches_out_or_takes_for_ever_is_refused(agents, schema):
    body = {"name": "Writer", "instructions": "Write.", "outputSchema": schema}
    response = agents.owner.post("/api/v1/ai-agent/config", body)
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, ["outputSchema"])


def test_a_schema_that_refers_to_itself_without_end_fails_the_work(agents, chains):
    assert agents.done(agents.agent(chainId=chains.of("data"), outputSchema={"$ref": "#"}))["status"] == "failed"


def test_what_an_agent_delivers_is_not_made_of_private_documents(agents, chat_cast):
    secret = {"title": "Diary", "content": "The vault's password is swordfish."}
    member = chat_cast.colleague(agents.owner)
    made(member.post("/api/documents", secret))
    agent = agents.agent()
    body = {"configId": agent, "title": "Note", "brief": "What is the password of the vault?"}
    work = made(member.post(WORK, body))
    agents.work()
    assert "swordfish" not in agents.owner.get(f"{WORK}/{work}").json["content"]


def test_what_an_agent_delivers_is_not_made_of_what_is_shared_with_whoever_asks(agents, chat_cast):
    stranger = chat_cast.user()
    let_out(stranger)
    index = made(stranger.post("/api/v1/ai-rag/index", {"name": "Vault"}))
    secret = {"indexId": index, "title": "Diary", "content": "The vault's password is swordfish."}
    made(stranger.post("/api/v1/ai-rag/document", secret))
    agents.work()
    shared(stranger, AiRagIndex, index, ("read", {"email": address(agents.owner)}))
    assert agents.owner.get(f"/api/v1/ai-rag/index/{index}").status_code == 200
    agent = agents.agent()
    body = {"configId": agent, "title": "Note", "brief": "What is the password of the vault?"}
    work = made(agents.owner.post(WORK, body))
    agents.work()
    assert "swordfish" not in agents.owner.get(f"{WORK}/{work}").json["content"]


def test_work_of_somebody_who_has_left_is_not_done(agents, chains, chat_cast, provider):
    member = chat_cast.colleague(agents.owner)
    agent = agents.agent(chainId=chains.of("good"))
    work = made(member.post(WORK, {"configId": agent, "title": "Note", "brief": "Cranes"}))
    membership = agents.owner.get(f"/api/v1/auth/member?userId={member.user_id}").json["data"][0]["id"]
    assert agents.owner.delete(f"/api/v1/auth/member/{membership}").status_code == 200
    agents.work()
    assert agents.owner.get(f"{WORK}/{work}").json["status"] == "failed"
    assert provider.calls == []


def test_an_agent_that_is_not_active_does_nothing(agents, chains, provider):
    work = agents.done(agents.agent(chainId=chains.of("good"), status="draft"))
    assert (work["status"], work["errorMessage"]) == ("failed", "The agent is not active")
    assert provider.calls == []


def test_work_that_was_cancelled_is_not_done(agents, chains, provider):
    identifier = agents.ask(agents.agent(chainId=chains.of("good")))
    agents.owner.patch(f"{WORK}/{identifier}", {"status": "cancelled"})
    agents.work()
    assert agents.owner.get(f"{WORK}/{identifier}").json["status"] == "cancelled"
    assert provider.calls == []


def test_the_knowledge_base_of_an_agent_is_told_to_its_model(agents, chains, provider):
    index = made(agents.owner.post("/api/v1/ai-rag/index", {"name": "Cranes"}))
    entry = {"indexId": index, "title": "Crane plan", "content": "The crane may be forty metres high."}
    made(agents.owner.post("/api/v1/ai-rag/document", entry))
    agents.work()
    agents.done(agents.agent(chainId=chains.of("good"), indexId=index))
    told = provider.calls[0]["body"]["messages"][1]
    assert told == {"role": "system", "content": "[Crane plan]\nThe crane may be forty metres high."}


@pytest.mark.full
def test_work_whose_worker_was_killed_is_done_again(agents, chains, provider, var_dir):
    identifier = agents.ask(agents.agent(chainId=chains.of("waiting")))
    worker = subprocess.Popen(
        [*FLASK, "jobs", "work"], cwd=ROOT, env=environment(VAR_DIR=var_dir, PRIVATE_PROVIDER_URLS="on")
    )
    try:
        await_true(lambda: provider.calls)
    finally:
        worker.kill()
        worker.wait()
    assert agents.owner.get(f"{WORK}/{identifier}").json["status"] == "running"
    provider.go_on.set()
    with agents.app.app_context(), transaction() as session:
        session.execute(text("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"))
        session.execute(
            text("SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('default', 'resume_stalled', 0, NULL, NULL, "
                 "'{\"timestamp\": 0}', NULL)::procrastinate_job_to_defer_v1])")
        )  # fmt: skip
    agents.work()
    assert agents.owner.get(f"{WORK}/{identifier}").json["status"] == "awaiting_approval"
