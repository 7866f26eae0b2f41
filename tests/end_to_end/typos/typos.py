"""What mypy does not accept of the Python client: the lines that end in "refused", and no others."""

from rowgate_client import AuthenticatedClient
from rowgate_client.models import CrmDealFields, Rowgate

rowgate = Rowgate(AuthenticatedClient("http://127.0.0.1:9", token=""))
deal = rowgate.crm.deal

deal.list(where={"amount": {"gte": 1}, "stage": "won", "company": {"name": {"contains": "x"}}, "source": None})
deal.list(where={"amuont": 1})  # refused
deal.list(where={"amount": {"gtt": 1}})  # refused
deal.list(where={"amount": "1"})  # refused
deal.list(where={"stage": "wonn"})  # refused
deal.list(where={"stage": {"in": ["lead", "lst"]}})  # refused
deal.list(where={"stage": {"contains": "le"}})  # refused
deal.list(where={"description": "x"})  # refused
deal.list(where={"company": {"industri": "x"}})  # refused
deal.list(where={"or": [{"name": "x"}, {"not": {"nme": "x"}}]})  # refused
deal.list(where={"deliverables": {"status": "approved"}})  # refused
deal.list(where={"deliverables": {"some": {"status": "aproved"}}})  # refused

deal.list(sort=["-amount", "name", "company.name", "-owner.name"])
deal.list(sort=["-amuont"])  # refused
deal.list(sort=["company.nme"])  # refused
deal.list(sort=["deliverables.title"])  # refused

for version in deal.history(""):
    print("stage" in version["changed"], (version["before"] or {}).get("amount"))
    print((version["before"] or {})["amuont"])  # refused
rowgate.auth.passkey.history("")
rowgate.auth.passkey.restore("")  # refused
rowgate.changes(["crm/deal"], since="", where={"stage": "won"})
rowgate.changes(["crm/dael"])  # refused

deal.list(fields=["name"], count="none", take=5)
deal.list(fields=["nme"])  # refused
deal.list(fields=["name"], where={"amuont": 1})  # refused
deal.list(count="exactly")  # refused
deal.list(taek=5)  # refused
deal.each(skip=5)  # refused
best = deal.ranked("x", "vector", fields=["name"], where={"stage": "won"})["data"][0]["score"] + 1
deal.ranked("x", "best")  # refused
deal.ranked("x", sort=["name"])  # refused
deal.ranked(where={"stage": "won"})  # refused

deal.list(expand=["company", "contact.company", "deliverables"])
deal.list(expand=["compny"])  # refused
deal.list(expand=["company", "contact.compny"])  # refused
deal.list(expand={"compny": {}})  # refused
deal.list(expand={"company": {"fields": ["nme"]}})  # refused
deal.list(expand={"company": {"take": 2}})  # refused
deal.list(expand={"deliverables": {"where": {"status": "approved"}, "sort": ["-createdAt"], "take": 2}})
deal.list(expand={"deliverables": {"where": {"status": "approved", "titel": "x"}}})  # refused
deal.list(expand={"deliverables": {"sort": ["-titel"]}})  # refused
deal.list(expand={"company": {"expand": {"dael": {}}}})  # refused
deal.get("id", fields=["name"], expand=["company"])
deal.get("id", fields=["nme"])  # refused
deal.get("id", expand=["compny"])  # refused

deal.sum(group=["stage", {"field": "createdAt", "by": "month"}], measures={"sum": ["amount"]}, sort=["-sum.amount"])
deal.sum(group=["stge"])  # refused
deal.sum(group=["createdAt"])  # refused
deal.sum(group=[{"field": "createdAt", "by": "moth"}])  # refused
deal.sum(group=[{"field": "stage", "by": "month"}])  # refused
deal.sum(measures={"sum": ["name"]})  # refused
deal.sum(measures={"summ": ["amount"]})  # refused
deal.sum(sort=["-summ.amount"])  # refused

deal.create({"name": "x", "companyId": "id", "contactId": "id"})
deal.create({"name": "x"})  # refused
deal.create({"name": "x", "companyId": "id", "amuont": 1})  # refused
deal.create_many([{"name": "x", "companyId": "id", "stage": "wonn"}])  # refused
deal.update("id", {"stage": "won"})
deal.update("id", {"stge": "won"})  # refused
deal.update("id", {"createdAt": "2026-01-01T00:00:00.000Z"})  # refused
deal.update({"name": "x"}, {"stage": "won"})  # refused
deal.update_many([("id", {"stage": "won"})])
deal.update_many([("id", {"stage": "wonn"})])  # refused
deal.modify("id", lambda deal: {"amount": (deal["amount"] or 0) + 1})
deal.modify("id", lambda deal: {"amount": deal["name"]})  # refused
deal.update_matching(where={"stage": "lead"}, set={"stage": "won"}, max=5)
deal.update_matching(where={"stage": "lead"}, set={"stage": "won"})  # refused
deal.delete_matching(where={"stge": "lead"}, max=5)  # refused
deal.upsert([], on_conflict="name")  # refused
rowgate.crm.contact.upsert([], on_conflict="email", resolution="ignore")
rowgate.crm.contact.upsert([], on_conflict="phone")  # refused
deal.export(take=5)  # refused
rowgate.batch([{"method": "POST", "path": "/api/v1/crm/company", "body": {"name": "x"}}])
rowgate.batch([{"method": "PSOT", "path": "/api/v1/crm/company"}])  # refused
rowgate.auth.session.create({})  # refused
rowgate.auth.api_key.delete("id")  # refused

rowgate.ai_agent.deliverable.list()
rowgate.ai.provider.list(where={"capabilities": {"has": "text"}})
rowgate.ai.provider.list(where={"capabilities": {"has": "txt"}})  # refused
rowgate.auth.api_key.sum()  # refused
rowgate.crm.dael.list()  # refused

page = deal.list(expand=["company", "deliverables"])
name: str = page["data"][0]["name"]
amount: str = page["data"][0]["amount"]  # refused
plain: CrmDealFields = page["data"][0]
titles: list[str] = [each["title"] for each in page["data"][0]["deliverables"]]
wrong = page["data"][0]["amuont"]  # refused
unchecked = page["data"][0]["company"]["name"]  # refused
total = page["total"]  # refused
companies: int = rowgate.crm.company.list()["total"]
part: CrmDealFields = deal.list(fields=["name"])["data"][0]  # refused
sums = deal.sum(group=["stage"])["data"][0]
number: float | None = sums["sum"]["amount"]
none = sums["sum"]["name"]  # refused

deal.list(where={"ownerId": {"is": "me"}, "not": {"ownerId": {"is": "me"}}})
deal.list(where={"ownerId": {"is": "you"}})  # refused
deal.list(where={"companyId": {"is": "me"}})  # refused

access, invitation = rowgate.access, rowgate.auth.invitation
access.create_api_key({"name": "x", "scopes": ["read"], "access": None})
access.create_api_key({"access": [{"models": ["crm/deal"], "fields": ["name"], "where": {"stage": "won"}}]})
access.create_api_key({"access": [{"models": ["crm/deal"]}, {"models": ["crm/contact"], "operations": ["list"]}]})
access.create_api_key({"nme": "x"})  # refused
access.create_api_key({"access": [{"models": ["crm/dael"]}]})  # refused
access.create_api_key({"access": [{"modles": ["crm/deal"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "feilds": ["name"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "operations": ["lst"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "fields": ["nme"]}]})  # refused
access.create_api_key({"access": [{"models": ["*"]}, {"models": ["crm/contact"], "fields": ["stage"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "where": {"stge": "won"}}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "where": {"stage": "wonn"}}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "where": {"company": {"industri": "x"}}}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal"], "where": {"ownerId": {"is": "you"}}}]})  # refused

access.create_api_key({"access": [{"models": ["crm/deal", "crm/company"], "fields": ["id", "createdAt"]}]})
access.create_api_key({"access": [{"models": ["crm/deal", "storage/upload"], "where": {"id": "x"}}]})
access.create_api_key({"access": [{"models": ["crm/deal", "crm/company"], "fields": ["stage"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/deal", "crm/company"], "where": {"stage": "won"}}]})  # refused
access.create_api_key({"access": [{"models": ["crm/*"], "fields": ["x"], "where": {"x": "y"}}, {"models": ["*"]}]})
access.create_api_key({"access": [{"models": ["crn/*"]}]})  # refused
access.create_api_key({"access": [{"models": ["crm/*"], "fields": [1]}]})  # refused

access.update_api_key("id", {"access": [{"models": ["crm/deal"], "fields": ["name"]}]})
access.update_api_key("id", {"access": [{"models": ["crm/deal"], "fields": ["nme"]}]})  # refused
access.set_of_member("id", [{"models": ["crm/deal"], "where": {"ownerId": {"is": "me"}}}])
access.set_of_member("id", None)
access.set_of_member("id", [{"models": ["crm/deal"], "where": {"owner": "me"}}])  # refused
access.set_of_team("id", [{"models": ["storage/upload"], "operations": ["create"], "fields": ["contentBase64"]}])
access.set_of_team("id", [{"models": ["crm/deal"], "fields": ["nme"]}])  # refused
invitation.create({"email": "a@b.com", "access": [{"models": ["crm/deal"], "fields": ["name"]}]})
invitation.create({"email": "a@b.com", "access": [{"models": ["crm/deal"], "fields": ["x"]}]})  # refused
why: list[str] = access.explain({"model": "crm/deal", "operation": "update", "as": {"keyId": "id"}})["because"]
access.explain({"model": "crm/dael", "operation": "update"})  # refused
access.explain({"model": "crm/deal", "operation": "updat"})  # refused
may: list[str] | None = access.read()["models"][0]["fields"]
kye = access.create_api_key({"name": "x"})["kye"]  # refused
