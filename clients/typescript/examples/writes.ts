/** What can be written, and how nothing is lost or done twice: `node writes.js http://localhost:3001 ada@example.com`. */
import { RowgateError, VersionConflict, createClient, createRowgate, reference, versionOf } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com"] = process.argv.slice(2);

const visitor = createClient({ baseUrl });
const account = await visitor.POST("/api/auth/signup", { body: { email, password: "correct horse battery" } });
if (account.data === undefined) throw new Error(JSON.stringify(account.error));
const connection = { baseUrl, token: account.data.token };
const { crm, batch } = createRowgate(connection);

const [company, contact] = await batch([
  { ref: "works", method: "POST", path: "/api/v1/crm/company", body: { name: "Harbour Works" } },
  {
    ref: "grace",
    method: "POST",
    path: "/api/v1/crm/contact",
    body: { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", companyId: reference("works") },
  },
]);
console.log(`batch: ${company?.status} ${contact?.status}`);
const works = (await crm.company.list()).data[0]!;
const grace = (await crm.contact.list()).data[0]!;
const ids = { companyId: works.id, contactId: grace.id };

const cranes = await crm.deal.create({ name: "Cranes", amount: 3000, ...ids });
console.log(`created: ${cranes.name}, version ${versionOf(cranes)}`);

// By the record, only while nobody has changed it since; by its id, whatever became of it.
const dearer = await crm.deal.update(cranes, { amount: 3500 });
console.log(`updated: ${dearer.amount}, version ${versionOf(dearer)}`);
try {
  await crm.deal.update(cranes, { amount: 2500 });
} catch (error) {
  if (!(error instanceof VersionConflict)) throw error;
  console.log(`conflict: ${error.status} ${error.code}, version ${error.version}`);
}
console.log(`anyway: ${(await crm.deal.update(cranes.id, { amount: 4000 })).amount}`);

// Many at once add to the same number, and none is lost.
await Promise.all(
  Array.from({ length: 8 }, () => crm.deal.modify(cranes.id, (deal) => ({ amount: (deal.amount ?? 0) + 1 }))),
);
console.log(`modified: ${(await crm.deal.get(cranes.id)).amount}`);

const made = await crm.deal.createMany(["Buoys", "Docks", "Ferries"].map((name) => ({ name, amount: 10, ...ids })));
console.log(`made: ${made.map(({ name }) => name).join()}`);
const listed = await crm.deal.list({ where: { amount: 10 }, sort: ["name"], versions: true });
const changed = await crm.deal.updateMany(listed.data.map((deal) => [deal, { nextStep: `Call about ${deal.name}` }]));
console.log(`changed: ${changed.map(({ nextStep }) => nextStep).join()}`);
const matching = { where: { amount: { lte: 10 } }, max: 10 };
console.log(`counted: ${await crm.deal.updateMatching({ ...matching, set: { priority: "high" }, dryRun: true })}`);
console.log(`matched: ${await crm.deal.updateMatching({ ...matching, set: { priority: "high" } })}`);
await crm.deal.delete(changed[0]!.id);
console.log(`deleted: ${await crm.deal.deleteMany([changed[1]!.id])}`);
console.log(`removed: ${await crm.deal.deleteMatching(matching)}`);

const dear = { where: { amount: { gt: 0 } }, fields: ["name", "amount"], sort: ["name"] } as const;
for await (const { name, amount } of crm.deal.export(dear)) {
  console.log(`exported: ${name} ${amount}`);
}

const people = [
  { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", title: "Admiral", companyId: works.id },
  { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", companyId: works.id },
];
const { meta } = await crm.contact.upsert(people, { onConflict: "email" });
console.log(`upserted: ${meta.created} created, ${meta.updated} updated`);

try {
  await crm.deal.createMany([{ name: "Good", ...ids }, { name: "", ...ids }]);
} catch (error) {
  if (!(error instanceof RowgateError)) throw error;
  const { items } = error.details as { items: { index: number; code: string }[] };
  console.log(`refused: ${error.status}, ${items.map(({ index, code }) => `${index} ${code}`).join()}`);
}
