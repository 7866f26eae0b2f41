// What the TypeScript client does not compile: the lines that end in "refused", and no others.
import { createRowgate, grant } from "@rowgate/client";

const { access, ai, aiAgent, auth, batch, changes, crm, undo } = createRowgate({ baseUrl: "" });

crm.deal.list({ where: { amount: { gte: 1 }, stage: "won", company: { name: { contains: "x" } } } });
crm.deal.list({ where: { amuont: 1 } }); // refused
crm.deal.list({ where: { amount: { gtt: 1 } } }); // refused
crm.deal.list({ where: { amount: "1" } }); // refused
crm.deal.list({ where: { stage: "wonn" } }); // refused
crm.deal.list({ where: { stage: { in: ["lead", "lst"] } } }); // refused
crm.deal.list({ where: { stage: { contains: "le" } } }); // refused
crm.deal.list({ where: { description: "x" } }); // refused
crm.deal.list({ where: { company: { industri: "x" } } }); // refused
crm.deal.list({ where: { or: [{ name: "x" }, { not: { nme: "x" } }] } }); // refused
crm.deal.list({ where: { deliverables: { status: "approved" } } }); // refused
crm.deal.list({ where: { deliverables: { some: { status: "aproved" } } } }); // refused

crm.deal.list({ sort: ["-amount", "name", "company.name", "-owner.name"] });
crm.deal.list({ sort: ["-amuont"] }); // refused
crm.deal.list({ sort: ["company.nme"] }); // refused
crm.deal.list({ sort: ["deliverables.title"] }); // refused

for await (const { changed, before } of crm.deal.history("")) console.log(changed.includes("stage"), before?.amount);
for await (const { before } of crm.deal.history("")) console.log(before?.amuont); // refused
auth.passkey.history("");
auth.passkey.restore(""); // refused
for await (const { data } of changes({ models: ["crm/deal", "crm/company"], fields: ["name"] })) {
  for (const change of data) {
    if (change.operation !== "delete" && change.model === "crm/deal") console.log(change.record.stage);
    console.log(change.changed); // refused
  }
}
changes({ models: ["crm/dael"] }); // refused
changes({ models: ["crm/deal"], where: { amuont: 1 } }); // refused
undo("", { onTransaction: (transaction) => transaction.length });

crm.deal.list({ fields: ["name"], count: "none", take: 5 });
crm.deal.list({ fields: ["nme"] }); // refused
crm.deal.list({ count: "exactly" }); // refused
crm.deal.list({ taek: 5 }); // refused
crm.deal.each({ skip: 5 }); // refused
crm.deal.ranked({ search: "x", searchMode: "vector", fields: ["name"], where: { stage: "won" } }).then(({ data }) => data[0]!.score + 1);
crm.deal.ranked({ search: "x", searchMode: "best" }); // refused
crm.deal.ranked({ search: "x", sort: ["name"] }); // refused
crm.deal.ranked({ where: { stage: "won" } }); // refused

crm.deal.list({ expand: ["company", "contact.company", "deliverables"] });
crm.deal.list({ expand: ["compny"] }); // refused
crm.deal.list({ expand: ["company", "contact.compny"] }); // refused
crm.deal.list({ expand: { compny: {} } }); // refused
crm.deal.list({ expand: { company: { fields: ["nme"] } } }); // refused
crm.deal.list({ expand: { company: { take: 2 } } }); // refused
crm.deal.list({ expand: { deliverables: { where: { status: "approved" }, sort: ["-createdAt"], take: 2 } } });
crm.deal.list({ expand: { deliverables: { where: { status: "approved", titel: "x" } } } }); // refused
crm.deal.list({ expand: { deliverables: { where: { title: { contains: "x", contain: "x" } } } } }); // refused
crm.deal.list({ expand: { deliverables: { sort: ["-titel"] } } }); // refused
crm.deal.list({ expand: { company: { expand: { dael: {} } } } }); // refused
crm.deal.get("id", { fields: ["name"], expand: ["company"] });
crm.deal.get("id", { fields: ["nme"] }); // refused
crm.deal.get("id", { expand: ["compny"] }); // refused

crm.deal.sum({ group: ["stage", { field: "createdAt", by: "month" }], measures: { sum: ["amount"] }, sort: ["-sum.amount"] });
crm.deal.sum({ group: ["stge"] }); // refused
crm.deal.sum({ group: ["createdAt"] }); // refused
crm.deal.sum({ group: [{ field: "createdAt", by: "moth" }] }); // refused
crm.deal.sum({ group: [{ field: "stage", by: "month" }] }); // refused
crm.deal.sum({ measures: { sum: ["name"] } }); // refused
crm.deal.sum({ measures: { count: true, summ: ["amount"] } }); // refused
crm.deal.sum({ measures: { count: true }, sort: ["-sum.amount"] }); // refused

crm.deal.create({ name: "x", companyId: "id", contactId: "id" });
crm.deal.create({ name: "x" }); // refused
crm.deal.create({ name: "x", companyId: "id", amuont: 1 }); // refused
crm.deal.createMany([{ name: "x", companyId: "id", stage: "wonn" }]); // refused
crm.deal.update("id", { stage: "won" });
crm.deal.update("id", { stge: "won" }); // refused
crm.deal.update("id", { createdAt: "2026-01-01T00:00:00.000Z" }); // refused
crm.deal.update({ name: "x" }, { stage: "won" }); // refused
crm.deal.updateMany([["id", { stage: "won" }]]);
crm.deal.updateMany([["id", { stage: "wonn" }]]); // refused
crm.deal.modify("id", (deal) => ({ amount: (deal.amount ?? 0) + 1 }));
crm.deal.modify("id", (deal) => ({ amount: deal.name })); // refused
crm.deal.updateMatching({ where: { stage: "lead" }, set: { stage: "won" }, max: 5 });
crm.deal.updateMatching({ where: { stage: "lead" }, set: { stage: "won" } }); // refused
crm.deal.deleteMatching({ where: { stge: "lead" }, max: 5 }); // refused
crm.deal.upsert([], { onConflict: "name" }); // refused
crm.contact.upsert([], { onConflict: "email", resolution: "ignore" });
crm.contact.upsert([], { onConflict: "phone" }); // refused
crm.deal.export({ take: 5 }); // refused
batch([{ method: "POST", path: "/api/v1/crm/company", body: { name: "x" } }]);
batch([{ method: "PSOT", path: "/api/v1/crm/company" }]); // refused
auth.session.create({}); // refused
auth.apiKey.delete("id"); // refused

aiAgent.deliverable.list();
ai.provider.list({ where: { capabilities: { has: "text" } } });
ai.provider.list({ where: { capabilities: { has: "txt" } } }); // refused
auth.apiKey.sum(); // refused
crm.dael.list(); // refused

const plain = (await crm.deal.list()).data[0]!;
plain.amount;
plain.company; // refused
const chosen = (await crm.deal.list({ fields: ["name"], expand: ["company"] })).data[0]!;
[chosen.id, chosen.name, chosen.company?.industry];
chosen.amount; // refused
chosen.company.name; // refused
const nested = (await crm.company.list({ expand: { deals: { fields: ["name"], expand: { owner: {} } } } })).data[0]!;
nested.deals.map((deal) => deal.name + deal.owner?.name);
nested.deals[0]!.amount; // refused
const sum = (await crm.deal.sum({ group: ["stage"], measures: { sum: ["amount"] } })).data[0]!;
[sum.group.stage, sum.sum.amount];
sum.group.source; // refused
sum.count; // refused
(await crm.deal.list()).total; // refused
(await crm.company.list()).total;

crm.deal.list({ where: { ownerId: { is: "me" }, not: { ownerId: { is: "me" } } } });
crm.deal.list({ where: { ownerId: { is: "you" } } }); // refused
crm.deal.list({ where: { ownerId: { is: null } } }); // refused
crm.deal.list({ where: { companyId: { is: "me" } } }); // refused

access.createApiKey({ name: "x" });
access.createApiKey({ name: "x", scopes: ["read"], access: null });
access.createApiKey({ name: "x", access: [] });
access.createApiKey({ access: [{ models: ["crm/deal"], fields: ["name", "stage"], where: { stage: "won", ownerId: { is: "me" } } }] });
access.createApiKey({ access: [{ models: ["crm/deal"] }, { models: ["crm/contact"], fields: ["email"], operations: ["list", "create"] }] });
access.createApiKey({ nme: "x" }); // refused
access.createApiKey({ access: [{ models: ["crm/dael"] }] }); // refused
access.createApiKey({ access: [{ models: [] }, { modles: ["crm/deal"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], feilds: ["name"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], operations: ["lst"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], fields: ["nme"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"] }, { models: ["crm/contact"], fields: ["stage"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], where: { stge: "won" } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], where: { stage: "wonn" } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], where: { company: { industri: "x" } } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal"], where: { ownerId: { is: "you" } } }] }); // refused

access.createApiKey({ access: [{ models: ["crm/deal", "crm/company"], fields: ["name"], where: { name: { contains: "x" } } }] });
access.createApiKey({ access: [{ models: ["crm/deal", "crm/contact"], where: { company: { industry: "x" }, or: [{ companyId: "id" }] } }] });
access.createApiKey({ access: [{ models: ["crm/deal", "crm/company"], fields: ["name", "stage"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal", "crm/company"], where: { stage: "won" } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal", "crm/company"], where: { or: [{ name: "x" }, { stage: "won" }] } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/deal", "crm/contact"], where: { company: { industri: "x" } } }] }); // refused
access.createApiKey({ access: [{ models: ["crm/*"], fields: ["name"], where: { name: "x" } }, { models: ["*"], fields: ["id"] }] });
access.createApiKey({ access: [{ models: ["crm/deal", "storage/*"], fields: ["whatever"] }] });
access.createApiKey({ access: [{ models: ["crn/*"] }] }); // refused
access.createApiKey({ access: [{ models: ["crm/*"], fields: [1] }] }); // refused

access.updateApiKey("id", { access: [{ models: ["crm/deal"], fields: ["name"] }] });
access.updateApiKey("id", { access: [{ models: ["crm/deal"], fields: ["nme"] }] }); // refused
access.setOfMember("id", [{ models: ["crm/deal"], where: { ownerId: { is: "me" } } }]);
access.setOfMember("id", null);
access.setOfMember("id", [{ models: ["crm/deal"], where: { owner: "me" } }]); // refused
access.setOfTeam("id", [{ models: ["storage/upload"], operations: ["create"], fields: ["contentBase64"] }]);
access.setOfTeam("id", [{ models: ["crm/deal"], fields: ["nme"] }]); // refused
auth.invitation.create({ email: "ada@example.com", access: [grant({ models: ["crm/deal"], fields: ["name"] })] });
auth.invitation.create({ email: "ada@example.com", access: [grant({ models: ["crm/deal"], fields: ["nme"] })] }); // refused
auth.invitation.create({ email: "ada@example.com", access: [{ models: ["crm/dael"], operations: ["list"] }] }); // refused
(await access.ofMember("id")).teamAccess?.[0]?.models;
(await access.read()).models[0]?.operations;
(await access.explain({ model: "crm/deal", operation: "update", id: "id", as: { keyId: "id" } })).because;
access.explain({ model: "crm/dael", operation: "update" }); // refused
access.explain({ model: "crm/deal", operation: "updat" }); // refused
(await access.createApiKey({ name: "x" })).kye; // refused
