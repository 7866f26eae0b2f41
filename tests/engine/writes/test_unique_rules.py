"""A value that is taken: the refusal names the fields of the rule that callers write."""

from __future__ import annotations

import pytest

from app.ai_rag.models import AiRagMetadata
from app.ai_research.models import AiResearchSource
from app.auth.models.organizations import AuthTeam
from app.crm.models import CrmContact


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (AiResearchSource, ["projectId", "url"]),
        (AiRagMetadata, ["documentId", "key"]),
        # Theirs is the organization unless they say otherwise.
        (CrmContact, ["email"]),
        (AuthTeam, ["name"]),
    ],
)
def test_a_rule_over_two_fields_names_both(workshop, model, names):
    body = workshop.body(model, full=True)
    assert workshop.owner.post(model.collection_path(), body).status_code == 201
    taken = workshop.owner.post(model.collection_path(), body)
    assert (taken.status_code, list(taken.json["details"]["fields"])) == (409, names)
    assert taken.json["error"] == f"A record with this {' and '.join(names)} already exists"
