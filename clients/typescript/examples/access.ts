/** A key that may do little, and what it says of itself: `node access.js http://localhost:3001 ada@example.com`. */
import { RowgateError, createClient, createRowgate } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com"] = process.argv.slice(2);

const visitor = createClient({ baseUrl });
const account = await visitor.POST("/api/auth/signup", { body: { email, password: "correct horse battery" } });
if (account.data === undefined) throw new Error(JSON.stringify(account.error));
const { access, crm } = createRowgate({ baseUrl, token: account.data.token });

const works = await crm.company.create({ name: "Harbour Works" });
const grace = await crm.contact.create({
  firstName: "Grace", lastName: "Hopper", email: "grace@example.com", companyId: works.id,
});
const ids = { companyId: works.id, contactId: grace.id, ownerId: account.data.user.id };
await crm.deal.create({ name: "Cranes", amount: 3000, stage: "won", ...ids });
await crm.deal.create({ name: "Docks", amount: 2000, stage: "lead", ...ids });

const made = await access.createApiKey({
  name: "Partner",
  access: [{ models: ["crm/deal"], fields: ["name", "stage"], where: { stage: "won", ownerId: { is: "me" } } }],
});

const partner = createRowgate({ baseUrl, token: made.key });
for await (const deal of partner.crm.deal.each()) console.log(`deal: ${deal.name} ${"amount" in deal}`);
const may = await partner.access.read();
for (const { model, operations, fields } of may.models) console.log(`may: ${model} ${operations.join()} ${fields?.join()}`);
try {
  await partner.crm.contact.list();
} catch (error) {
  if (!(error instanceof RowgateError)) throw error;
  console.log(`refused: ${error.status} ${error.code}`);
}
const asked = { model: "crm/deal", operation: "update", as: { keyId: made.id } } as const;
console.log(`update: ${(await access.explain(asked)).allowed}`);

await access.updateApiKey(made.id, { access: [{ models: ["crm/deal"], fields: ["name"] }] });
console.log(`now: ${(await partner.crm.deal.list({ where: { name: { contains: "D" } } })).data.map(({ name }) => name).join()}`);
