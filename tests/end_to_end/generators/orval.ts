/** Calls of all kinds by a client that orval generates. */
import { PASSWORD, called, email, finish, having, same } from "./checks.js";
import * as api from "./client.js";

/** What comes with one of the statuses of an answer. */
async function given<A extends { status: number; data: unknown }, S extends A["status"]>(call: Promise<A>, status: S) {
  const answer = await called(call);
  same(answer.status, status);
  return (answer as Extract<A, { status: S }>).data as Extract<A, { status: S }>["data"];
}

const account = await given(api.signUp({ email, password: PASSWORD }), 200);
const by = { headers: { Authorization: `Bearer ${account.token}` } };

const works = await given(api.createCrmCompany({ name: "Harbour Works", industry: "shipping" }, {}, by), 201);
const company = having(works, "name");
same(company.industry, "shipping");
same((await given(api.readCrmCompany(company.id, {}, by), 200)).name, "Harbour Works");
const updated = await called(api.updateCrmCompany(company.id, { employees: 11 }, {}, by));
const ifMatch = updated.headers.get("ETag") ?? "";
same((await given(api.patchCrmCompany(company.id, { name: "Dock Works" }, { ifMatch }, by), 200)).name, "Dock Works");
await given(api.patchCrmCompany(company.id, { name: "Pier" }, { ifMatch }, by), 412);

const person = (name: string) => ({ firstName: name, lastName: "Hopper", email: `${name}@example.com`, companyId: company.id });
const two = await given(api.createCrmContact([person("ada"), person("bea")], {}, by), 201);
const [ada = "", bea = ""] = having(two, "meta").data.map(({ id }) => id);
const brief = await given(api.createCrmContact(person("cleo"), { return: "minimal" }, by), 201);
same(having(brief, "version").version, 1);
const briefs = await given(api.createCrmContact([person("dora")], { return: "minimal" }, by), 201);
same(having(briefs, "data").data.length, 1);
const merged = await given(api.createCrmContact([{ ...person("ada"), title: "Dr" }], { onConflict: "email" }, by), 200);
same(having(merged, "meta").meta.updated, 1);
const ignoring = { onConflict: "email", resolution: "ignore" } as const;
const left = having(await given(api.createCrmContact([person("ada"), person("eve")], ignoring, by), 201), "meta");
same([left.meta.ignored, left.meta.created], [1, 1]);

const sale = { name: "Cranes", amount: 3000, companyId: company.id, contactId: ada };
const once = { idempotencyKey: `once-${email}` };
const deal = having(await given(api.createCrmDeal(sale, once, by), 201), "stage");
same(having(await given(api.createCrmDeal(sale, once, by), 201), "stage").id, deal.id);
await given(api.createCrmDeal({ name: "Buoys", amount: 500, stage: "won", companyId: company.id }, {}, by), 201);

const page = (query: api.ListCrmDealParams) => given(api.listCrmDeal(query, by), 200);
const names = async (query: api.ListCrmDealParams) => (await page(query)).data.map(({ name }) => name);
same(await names({ "company.industry": "shipping", "contact.email": "ada@example.com" }), ["Cranes"]);
same(await names({ "amount[eq]": 500 }), ["Buoys"]);
same(await names({ "amount[gte]": 500, stage: "lead", sort: "-amount" }), ["Cranes"]);
same(await names({ where: JSON.stringify({ company: { name: "Dock Works" } }), sort: "name" }), ["Buoys", "Cranes"]);
const [related] = (await page({ expand: "company,contact.company", search: "cran" })).data;
same([related?.company?.name, related?.contact?.company?.id], ["Dock Works", company.id]);
const walk = await page({ cursor: "", take: 1, count: "exact" });
same([walk.meta.count, typeof walk.meta.next], [2, "string"]);
same((await given(api.readCrmCompany(company.id, { expand: "deals" }, by), 200)).deals?.length, 2);
const companies = await given(api.listCrmCompany({ "industry[in]": "shipping,mining" }, by), 200);
same([companies.total, companies.hasMore], [1, false]);
const where = { company: { industry: "shipping" }, amount: { lt: 1000 } };
const asked = await given(api.queryCrmDeal({ where, sort: ["name"] }, by), 200);
same(asked.data.map(({ name }) => name), ["Buoys"]);
const sums = await given(api.aggregateCrmDeal({ group: "stage", sum: "amount", sort: "stage" }, by), 200);
same(sums.data.map(({ sum }) => sum), [{ amount: 3000 }, { amount: 500 }]);
same((await given(api.queryAggregateCrmDeal({ measures: { count: true } }, by), 200)).data[0]?.count, 2);
// Of what may come line by line, orval gives the stream.
const exported = having(await called(api.exportCrmDeal({ as: "ndjson", sort: "name" }, by)), "stream");
const lines = (await exported.stream.text()).trim().split("\n");
same(lines.map((line) => JSON.parse(line).name), ["Buoys", "Cranes"]);

const batch = await given(api.batch({ requests: [{ method: "GET", path: `/api/v1/crm/deal/${deal.id}` }] }, {}, by), 200);
same(batch.data[0]?.status, 200);
const changed = await given(api.updateManyCrmContact([{ id: ada, title: "Prof" }], {}, by), 200);
same(changed.data[0]?.id, ada);
const again = await given(api.patchManyCrmContact([{ id: ada, title: "Dr" }], { return: "minimal" }, by), 200);
same(again.data, [{ id: ada, version: 4 }]);
const matching = { where: { amount: { gte: 1000 } }, max: 10 };
const dry = await given(api.updateMatchingCrmDeal({ ...matching, set: { nextStep: "Call" }, dryRun: true }, {}, by), 200);
same(dry.meta.count, 1);
same((await given(api.deleteMatchingCrmDeal({ ...matching, where: { stage: "won" } }, {}, by), 200)).meta.count, 1);
same((await given(api.deleteManyCrmContact(undefined, { ids: bea }, by), 200)).data.length, 1);
same((await given(api.deleteCrmDeal(deal.id, {}, by), 200)).deleted, true);
same((await given(api.readCrmDeal(deal.id, {}, by), 404)).code, "NOT_FOUND");
finish();
