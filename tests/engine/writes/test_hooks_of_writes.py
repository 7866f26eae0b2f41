"""What hooks find in the database, set on records and add beside them."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import delete, select
from uuid_utils.compat import uuid7

from app.crm.models import CrmCompany, CrmContact
from app.engine.write import hooks
from tests.engine.writes.conftest import forget


def test_what_hooks_of_many_set_before_a_query_of_theirs_makes_no_version_of_its_own(owner, registry):
    seen = []

    @hooks.on_update(CrmCompany, many=True)
    def mark(companies, writes):
        companies[0].industry = "shipping"
        seen.append(writes[0].unit.session.scalar(select(CrmCompany.name).where(CrmCompany.id == companies[0].id)))
        companies[0].website = "https://example.com"

    forget()
    path = f"/api/v1/crm/company/{owner.post('/api/v1/crm/company', {'name': 'Acme'}).json['id']}"
    changed = owner.patch(path, {"name": "Crane"})
    assert (seen, changed.headers["ETag"][:3]) == (["Acme"], '"2-')
    found = owner.get(path).json
    assert (found["name"], found["industry"], found["website"]) == ("Crane", "shipping", "https://example.com")


def test_a_hook_of_one_finds_its_change_by_queries(owner, registry):
    seen = []

    @hooks.on_update(CrmCompany)
    def look(company, write):
        seen.append(write.unit.session.scalar(select(CrmCompany.name).where(CrmCompany.id == company.id)))

    forget()
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    assert owner.patch(f"/api/v1/crm/company/{company}", {"name": "Crane"}).headers["ETag"][:3] == '"2-'
    assert seen == ["Crane"]


def test_rows_that_a_hook_adds_name_the_record_or_are_named_by_it(owner, registry):
    @hooks.on_create(CrmContact)
    def employ(contact, write):
        company = CrmCompany(id=uuid7(), organization_id=contact.organization_id, name="Own")
        write.unit.session.add(company)
        contact.company_id = company.id
        write.unit.session.add(contact)

    forget()
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    body = {"firstName": "Ada", "lastName": "L", "email": f"{uuid4().hex}@hooks.example", "companyId": company}
    made = owner.post("/api/v1/crm/contact", body)
    assert made.status_code == 201, made.json
    assert owner.get(f"/api/v1/crm/company/{made.json['companyId']}").json["name"] == "Own"
    assert owner.get(f"/api/v1/crm/contact/{made.json['id']}").json == made.json


def test_a_hook_that_adds_a_record_of_its_own_model_is_not_asked_about_it(app, owner, registry):
    asked = []

    @hooks.on_create(CrmCompany)
    def add_another(company, write):
        asked.append(company.name)
        write.unit.session.add(CrmCompany(organization_id=company.organization_id, name=f"{company.name} 2"))

    forget()
    assert owner.post("/api/v1/crm/company", {"name": "Acme"}).status_code == 201
    assert asked == ["Acme"]
    assert owner.get("/api/v1/crm/company").json["total"] == 2


def test_a_hook_that_reads_its_record_anew_loses_the_change(owner, registry):
    @hooks.on_update(CrmCompany)
    def reload(company, write):
        with write.unit.session.no_autoflush:
            write.unit.session.refresh(company)

    forget()
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    changed = owner.patch(f"/api/v1/crm/company/{company}", {"name": "Crane"})
    assert (changed.status_code, changed.json["name"]) == (200, "Acme")


def test_what_breaks_in_a_hook_of_removals_is_still_referred_to(owner, registry):
    company = owner.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    body = {"firstName": "Ada", "lastName": "L", "email": f"{uuid4().hex}@hooks.example", "companyId": company}
    assert owner.post("/api/v1/crm/deal", {"name": "Crane", "companyId": company}).status_code == 201
    assert owner.post("/api/v1/crm/contact", body).status_code == 201
    plain = owner.delete(f"/api/v1/crm/company/{company}")

    @hooks.on_delete(CrmCompany)
    def remove(record, write):
        write.unit.session.execute(delete(CrmCompany).where(CrmCompany.id == record.id))

    forget()
    hooked = owner.delete(f"/api/v1/crm/company/{company}")
    assert (hooked.status_code, hooked.json) == (plain.status_code, plain.json)
