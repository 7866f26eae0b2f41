"""Random histories of a few people, who make, change, publish and remove what is theirs, come and go."""

from __future__ import annotations

from sqlalchemy import text

from app.testing.database import transaction

COMPANY, CHAT, MESSAGE = "/api/v1/crm/company", "/api/v1/ai/chat", "/api/v1/ai/message"
MODELS = {"crm/company": COMPANY, "ai/chat": CHAT, "ai/message": MESSAGE}
GRANTS = [
    {
        "models": ["crm/company"],
        "operations": ["list", "read"],
        "where": {"industry": "food"},
        "fields": ["id", "name"],
    },
    {"models": ["ai/message"], "operations": ["list", "read"]},
]


class Copy:
    """What one caller knows of the world from what is told to them alone. What is to be read anew is read one by one,
    and so is what it is held against."""

    def __init__(self, actor, known):
        self.actor, self.known, self.records = actor, known, {}
        self.heard = ["crm/company", "ai/message"] if actor.user_id is None else list(MODELS)

    def take(self, change):
        key = change["model"], change["recordId"]
        if change["operation"] == "delete":
            assert change.keys() == {"id", "model", "recordId", "operation"}
            self.records.pop(key, None)
        else:
            self.records[key] = change["record"]

    def read_anew(self, model):
        self.records = {key: record for key, record in self.records.items() if key[0] != model}
        self.records |= {key: record for key, record in self.readable().items() if key[0] == model}

    def readable(self):
        answers = {key: self.actor.get(f"{MODELS[key[0]]}/{key[1]}") for key in self.known if key[0] in self.heard}
        return {key: answer.json for key, answer in answers.items() if answer.status_code == 200}


class World:
    """Two owners, of whom each writes what is theirs; a colleague comes and goes."""

    def __init__(self, cast, chance):
        self.chance, self.known = chance, []
        self.owners = [cast.user(), cast.user()]
        self.colleague = cast.user()

    def step(self):
        owner = self.chance.choice(self.owners)
        self.chance.choice((self.make, self.make, self.change, self.change, self.publish, self.remove, self.join))(
            owner
        )

    def make(self, owner):
        model = self.chance.choice(list(MODELS))
        body = {"name": "Harbour Works", "industry": self.chance.choice(("food", "shipping"))}
        if model != "crm/company":
            body = {"title": "Quay 4"}
        if model == "ai/message":
            chat = self.some(owner, "ai/chat")
            if chat is None:
                return
            body = {"chatId": chat, "role": "user", "content": "Two cranes"}
        self.known.append((model, owner.post(MODELS[model], body).json["id"]))

    def change(self, owner):
        model = self.chance.choice(list(MODELS))
        number = self.chance.randint(1, 99)
        bodies = {
            "crm/company": [{"name": f"Works {number}"}, {"industry": "food"}, {"industry": "shipping"}],
            "ai/chat": [{"title": f"Quay {number}"}],
            "ai/message": [{"content": f"{number} cranes"}],
        }
        if (identifier := self.some(owner, model)) is not None:
            owner.put(f"{MODELS[model]}/{identifier}", self.chance.choice(bodies[model]))

    def publish(self, owner):
        model = self.chance.choice(("crm/company", "ai/chat"))
        if (identifier := self.some(owner, model)) is not None:
            owner.put(f"{MODELS[model]}/{identifier}", {"visibility": self.chance.choice(("public", "private"))})

    def remove(self, owner):
        model = self.chance.choice(list(MODELS))
        if (identifier := self.some(owner, model)) is not None:
            owner.delete(f"{MODELS[model]}/{identifier}")

    def join(self, owner):
        with owner.app.app_context(), transaction() as session:
            names = {"user": self.colleague.user_id, "organization": owner.organization_id}
            gone = session.execute(
                text("DELETE FROM auth_member WHERE user_id = :user AND organization_id = :organization"), names
            )
            if not gone.rowcount:
                session.execute(
                    text(
                        "INSERT INTO auth_member (id, created_at, updated_at, organization_id, user_id, role)"
                        " VALUES (gen_random_uuid(), now(), now(), :organization, :user, 'member')"
                    ),
                    names,
                )

    def some(self, owner, model):
        """A record of ``model`` that ``owner`` may write, if there is one."""
        data = owner.get(MODELS[model], query_string={"take": 100}).json["data"]
        return self.chance.choice(data)["id"] if data else None
