/** Calls of all kinds by a client that openapi-generator makes as typescript-fetch. */
import { PASSWORD, address, called, email, finish, having, same } from "./checks.js";
import * as api from "./client/index.js";

/** The status of a call that is refused. */
async function refused(call: Promise<unknown>): Promise<number> {
  try {
    await called(call);
  } catch (error) {
    if (error instanceof api.ResponseError) return error.response.status;
    throw error;
  }
  throw new Error("not refused");
}

const visitor = new api.SignInApi(new api.Configuration({ basePath: address }));
const account = await called(visitor.signUp({ signUp: { email, password: PASSWORD } }));
const setup = new api.Configuration({ basePath: address, accessToken: account.token ?? "" });
const [companies, crm, batches] = [new api.CompanyApi(setup), new api.CrmApi(setup), new api.BatchApi(setup)];

const works = { name: "Harbour Works", industry: "shipping" };
const company = having(await called(companies.createCrmCompany({ createCrmCompanyRequest: works })), "name");
const id = company.id;
same(company.industry, "shipping");
same((await called(companies.readCrmCompany({ id }))).name, "Harbour Works");
const updated = await called(companies.updateCrmCompanyRaw({ id, crmCompanyUpdate: { employees: 11 } }));
const ifMatch = updated.raw.headers.get("ETag") ?? "";
same((await called(companies.patchCrmCompany({ id, crmCompanyUpdate: { name: "Dock Works" }, ifMatch }))).name, "Dock Works");
same(await refused(companies.patchCrmCompany({ id, crmCompanyUpdate: { name: "Pier" }, ifMatch })), 412);

const person = (name: string) => ({ firstName: name, lastName: "Hopper", email: `${name}@example.com`, companyId: id });
const create = (createCrmContactRequest: api.CreateCrmContactRequest, how: object = {}) =>
  called(crm.createCrmContact({ createCrmContactRequest, ...how }));
const two = having(await create([person("ada"), person("bea")]), "meta");
const [ada = "", bea = ""] = two.data.map((each) => each.id);
same(having(await create(person("cleo"), { _return: "minimal" }), "version").version, 1);
same(having(await create([person("dora")], { _return: "minimal" }), "data").data.length, 1);
const merged = having(await create([{ ...person("ada"), title: "Dr" }], { onConflict: "email" }), "meta");
same((merged as api.CrmContactWritten).meta.updated, 1);
const left = having(await create([person("ada"), person("eve")], { onConflict: "email", resolution: "ignore" }), "meta");
same([left.meta.ignored, left.meta.created], [1, 1]);

const sale = { name: "Cranes", amount: 3000, companyId: id, contactId: ada };
const once = { createCrmDealRequest: sale, idempotencyKey: `once-${email}` };
const deal = having(await called(crm.createCrmDeal(once)), "stage");
same(having(await called(crm.createCrmDeal(once)), "stage").id, deal.id);
await called(crm.createCrmDeal({ createCrmDealRequest: { name: "Buoys", amount: 500, stage: "won", companyId: id } }));

const names = async (query: api.CrmApiListCrmDealRequest) => (await called(crm.listCrmDeal(query))).data.map(({ name }) => name);
same(await names({ companyIndustry: "shipping", contactEmail: "ada@example.com" }), ["Cranes"]);
same(await names({ amountEq: 500 }), ["Buoys"]);
same(await names({ amountGte: 500, stage: "lead", sort: "-amount" }), ["Cranes"]);
same(await names({ where: JSON.stringify({ company: { name: "Dock Works" } }), sort: "name" }), ["Buoys", "Cranes"]);
const [related] = (await called(crm.listCrmDeal({ expand: "company,contact.company", search: "cran" }))).data;
same([related?.company?.name, related?.contact?.company?.id], ["Dock Works", id]);
const walk = await called(crm.listCrmDeal({ cursor: "", take: 1, count: "exact" }));
same([walk.meta.count, typeof walk.meta.next], [2, "string"]);
same((await called(companies.readCrmCompany({ id, expand: "deals" }))).deals?.length, 2);
const page = await called(companies.listCrmCompany({ industryIn: "shipping,mining" }));
same([page.total, page.hasMore], [1, false]);
const where = { company: { industry: { eq: "shipping" } }, amount: { lt: 1000 } };
same((await called(crm.queryCrmDeal({ crmDealQuery: { where, sort: ["name"] } }))).data.map(({ name }) => name), ["Buoys"]);
const sums = await called(crm.aggregateCrmDeal({ group: "stage", sum: "amount", sort: "stage" }));
same(sums.data.map(({ sum }) => sum), [{ amount: 3000 }, { amount: 500 }]);
same((await called(crm.queryAggregateCrmDeal({ sumQuery: { measures: { count: true } } }))).data[0]?.count, 2);
const exported = await called(crm.exportCrmDeal({ as: "json", sort: "name" }));
same(exported.map(({ name }) => name), ["Buoys", "Cranes"]);

const read = { method: "GET", path: `/api/v1/crm/deal/${deal.id}` } as const;
same((await called(batches.batch({ batch: { requests: [read] } }))).data[0]?.status, 200);
const changed = await called(crm.updateManyCrmContact({ crmContactChange: [{ id: ada, title: "Prof" }] }));
same(changed.data[0]?.id, ada);
const again = await called(crm.patchManyCrmContact({ crmContactChange: [{ id: ada, title: "Dr" }], _return: "minimal" }));
// Forms of an answer are told apart by the members that they require, and both require `data` and `meta`.
same(again.data.map((each) => each.id), [ada]);
const matching = { where: { amount: { gte: 1000 } }, max: 10 };
const set = { ...matching, set: { nextStep: "Call" }, dryRun: true };
same((await called(crm.updateMatchingCrmDeal({ updateMatchingCrmDealRequest: set }))).meta.count, 1);
const won = { ...matching, where: { stage: { eq: "won" } } };
same((await called(crm.deleteMatchingCrmDeal({ deleteMatchingCrmDealRequest: won }))).meta.count, 1);
same((await called(crm.deleteManyCrmContact({ ids: bea }))).data.length, 1);
same((await called(crm.deleteCrmDeal({ id: deal.id }))).deleted, true);
same(await refused(crm.readCrmDeal({ id: deal.id })), 404);
finish();
