/** Calls of all kinds by a client that @hey-api/openapi-ts generates. */
import { PASSWORD, address, called, email, finish, having, same } from "./checks.js";
import { client } from "./client/client.gen.js";
import * as api from "./client/index.js";

client.setConfig({ baseUrl: address });
const must = { throwOnError: true } as const;

const account = await called(api.signUp({ ...must, body: { email, password: PASSWORD } }));
const token = account.data.token ?? "";
// All ways to authenticate are asked for, and one may be taken.
client.setConfig({ auth: ({ scheme }) => (scheme === "bearer" ? token : undefined) });

const works = await called(api.createCrmCompany({ ...must, body: { name: "Harbour Works", industry: "shipping" } }));
const company = having(works.data, "name");
same(company.industry, "shipping");
const { data: one } = await called(api.readCrmCompany({ ...must, path: { id: company.id } }));
same(one.name, "Harbour Works");
const tag = (await called(api.updateCrmCompany({ ...must, path: { id: one.id }, body: { employees: 11 } }))).response.headers.get("ETag");
const etag = tag ?? "";
const patched = await called(api.patchCrmCompany({ ...must, path: { id: one.id }, body: { name: "Dock Works" }, query: { ifMatch: etag } }));
same(patched.data.name, "Dock Works");
const stale = await called(api.patchCrmCompany({ path: { id: one.id }, body: { name: "Pier" }, query: { ifMatch: etag } }));
same(stale.response?.status, 412);

const person = (name: string) => ({ firstName: name, lastName: "Hopper", email: `${name}@example.com`, companyId: company.id });
const two = await called(api.createCrmContact({ ...must, body: [person("ada"), person("bea")] }));
const [ada, bea] = having(two.data, "meta").data.map(({ id }) => id);
const brief = await called(api.createCrmContact({ ...must, body: person("cleo"), query: { return: "minimal" } }));
same(having(brief.data, "version").version, 1);
const briefs = await called(api.createCrmContact({ ...must, body: [person("dora")], query: { return: "minimal" } }));
same(having(briefs.data, "data").data.length, 1);
const merged = await called(api.createCrmContact({ ...must, body: [{ ...person("ada"), title: "Dr" }], query: { onConflict: "email" } }));
same([merged.response.status, having(merged.data, "meta").meta.updated], [200, 1]);
const left = await called(api.createCrmContact({ ...must, body: [person("ada"), person("eve")], query: { onConflict: "email", resolution: "ignore" } }));
same([left.response.status, having(left.data, "meta").meta.ignored, having(left.data, "meta").meta.created], [201, 1, 1]);

const sale = { name: "Cranes", amount: 3000, companyId: company.id, contactId: ada };
const once = { ...must, body: sale, query: { idempotencyKey: `once-${email}` } };
const deal = having((await called(api.createCrmDeal(once))).data, "stage");
same(having((await called(api.createCrmDeal(once))).data, "stage").id, deal.id);
await called(api.createCrmDeal({ ...must, body: { name: "Buoys", amount: 500, stage: "won", companyId: company.id } }));

const names = async (query: NonNullable<api.ListCrmDealData["query"]>) =>
  (await called(api.listCrmDeal({ ...must, query }))).data.data.map(({ name }) => name);
same(await names({ "company.industry": "shipping", "contact.email": "ada@example.com" }), ["Cranes"]);
same(await names({ "amount[eq]": 500 }), ["Buoys"]);
same(await names({ "amount[gte]": 500, stage: "lead", sort: "-amount" }), ["Cranes"]);
same(await names({ where: JSON.stringify({ company: { name: "Dock Works" } }), sort: "name" }), ["Buoys", "Cranes"]);
const related = await called(api.listCrmDeal({ ...must, query: { expand: "company,contact.company", search: "cran" } }));
same([related.data.data[0]?.company?.name, related.data.data[0]?.contact?.company?.id], ["Dock Works", company.id]);
const walk = await called(api.listCrmDeal({ ...must, query: { cursor: "", take: 1, count: "exact" } }));
same([walk.data.meta.count, typeof walk.data.meta.next], [2, "string"]);
const whole = await called(api.readCrmCompany({ ...must, path: { id: company.id }, query: { expand: "deals" } }));
same(whole.data.deals?.length, 2);
const page = await called(api.listCrmCompany({ ...must, query: { "industry[in]": "shipping,mining" } }));
same([page.data.total, page.data.hasMore], [1, false]);
const asked = await called(api.queryCrmDeal({ ...must, body: { where: { company: { industry: "shipping" }, amount: { lt: 1000 } }, sort: ["name"] } }));
same(asked.data.data.map(({ name }) => name), ["Buoys"]);
const sums = await called(api.aggregateCrmDeal({ ...must, query: { group: "stage", sum: "amount", sort: "stage" } }));
same(sums.data.data.map(({ sum }) => sum), [{ amount: 3000 }, { amount: 500 }]);
const counted = await called(api.queryAggregateCrmDeal({ ...must, body: { measures: { count: true } } }));
same(counted.data.data[0]?.count, 2);
const exported = await called(api.exportCrmDeal({ ...must, query: { as: "json", sort: "name" } }));
same(exported.data.map(({ name }) => name), ["Buoys", "Cranes"]);

const file = `firstName,lastName,email,companyId\nFay,Hopper,fay@example.com,${company.id}\n`;
const csv = { headers: { "Content-Type": "text/csv" }, bodySerializer: null };
const report = await called(api.importCrmContact({ ...must, ...csv, body: file }));
same(having(report.data, "meta").meta.created, 1);
const batch = await called(api.batch({ ...must, body: { requests: [{ method: "GET", path: `/api/v1/crm/deal/${deal.id}` }] } }));
same(batch.data.data[0]?.status, 200);

const changed = await called(api.updateManyCrmContact({ ...must, body: [{ id: ada ?? "", title: "Prof" }] }));
same(changed.data.data[0]?.id, ada);
const again = await called(api.patchManyCrmContact({ ...must, body: [{ id: ada ?? "", title: "Dr" }], query: { return: "minimal" } }));
same(again.data.data, [{ id: ada, version: 4 }]);
const matching = { where: { amount: { gte: 1000 } }, max: 10 };
const dry = await called(api.updateMatchingCrmDeal({ ...must, body: { ...matching, set: { nextStep: "Call" }, dryRun: true } }));
same(dry.data.meta.count, 1);
same((await called(api.deleteMatchingCrmDeal({ ...must, body: { ...matching, where: { stage: "won" } } }))).data.meta.count, 1);
same((await called(api.deleteManyCrmContact({ ...must, query: { ids: bea } }))).data.data.length, 1);
same((await called(api.deleteCrmDeal({ ...must, path: { id: deal.id } }))).data.deleted, true);
const gone = await called(api.readCrmDeal({ path: { id: deal.id } }));
same(gone.error?.code, "NOT_FOUND");
finish();
