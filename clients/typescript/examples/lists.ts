/** What can be asked of lists: `node lists.js http://localhost:3001 ada@example.com`. */
import { RowgateError, createClient, createRowgate } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com"] = process.argv.slice(2);

const visitor = createClient({ baseUrl });
const account = await visitor.POST("/api/auth/signup", { body: { email, password: "correct horse battery" } });
if (account.data === undefined) throw new Error(JSON.stringify(account.error));
const connection = { baseUrl, token: account.data.token };

const api = createClient(connection);
const company = (await api.POST("/api/v1/crm/company", { body: { name: "Harbour Works", industry: "shipping" } })).data!;
const contact = (
  await api.POST("/api/v1/crm/contact", {
    body: { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", companyId: company.id },
  })
).data!;
for (const [name, amount] of [["Buoys", 500], ["Cranes", 3000], ["Docks", 2000], ["Ferries", 1000]] as const) {
  await api.POST("/api/v1/crm/deal", { body: { name, amount, companyId: company.id, contactId: contact.id } });
}

const rowgate = createRowgate(connection);

const large = await rowgate.crm.deal.list({
  where: { amount: { gte: 1000 }, stage: "lead", company: { industry: "shipping" } },
  sort: ["-amount"],
  expand: ["company", "contact.company"],
});
for (const deal of large.data) console.log(`large: ${deal.name} ${deal.company?.name} ${deal.contact?.company?.name}`);
console.log(`counted: ${large.meta.count}`);

const companies = await rowgate.crm.company.list({
  fields: ["name"],
  expand: { deals: { fields: ["name"], where: { amount: { lt: 1000 } }, expand: { contact: { fields: ["lastName"] } } } },
});
for (const { name, deals } of companies.data) {
  console.log(`company: ${name}, ${deals.map((deal) => `${deal.name} by ${deal.contact?.lastName}`).join()}`);
}
console.log(`total: ${companies.total}`);

for await (const deal of rowgate.crm.deal.each({ sort: ["name"], fields: ["name"], take: 2 })) {
  console.log(`each: ${deal.name}`);
}
for await (const { name } of rowgate.crm.company.each({ take: 1 })) console.log(`each: ${name}`);

const one = await rowgate.crm.contact.get(contact.id, { fields: ["email"], expand: ["company"] });
console.log(`one: ${one.email} of ${one.company?.name}`);

const sums = await rowgate.crm.deal.sum({
  group: ["company.name"],
  measures: { count: true, sum: ["amount"], max: ["amount"] },
  sort: ["-sum.amount"],
});
for (const { group, count, sum, max } of sums.data) {
  console.log(`sum: ${group["company.name"]} ${count} ${sum.amount} ${max.amount}`);
}

try {
  await rowgate.crm.deal.list({ take: 100_000 });
} catch (error) {
  if (!(error instanceof RowgateError)) throw error;
  console.log(`refused: ${error.status} ${error.code}`);
}
