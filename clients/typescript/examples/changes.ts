/** What was, what has changed, and the way back: `node changes.js http://localhost:3001 ada@example.com`. */
import { RowgateError, createClient, createRowgate } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com"] = process.argv.slice(2);

const visitor = createClient({ baseUrl });
const account = await visitor.POST("/api/auth/signup", { body: { email, password: "correct horse battery" } });
if (account.data === undefined) throw new Error(JSON.stringify(account.error));
const { crm, changes, follow, undo } = createRowgate({ baseUrl, token: account.data.token });

const start = await changes().next();
let since = start.value?.meta.next ?? "";

const works = await crm.company.create({ name: "Harbour Works" });
const moment = new Date();
const foods = await crm.company.update(works, { name: "Harbour Foods" });
for await (const { version, changed, before, after } of crm.company.history(works.id)) {
  console.log(`version ${version}: ${changed.join()} ${before?.name ?? "nothing"} to ${after?.name}`);
}
console.log(`then: ${(await crm.company.get(works.id, { asOf: moment })).name}`);
console.log(`reverted: ${(await crm.company.revert(foods, 1)).name}`);

await crm.company.delete(works.id);
for await (const { record, actor } of crm.company.deleted()) console.log(`deleted: ${record.name} by a ${actor.type}`);
console.log(`restored: ${(await crm.company.restore(works.id)).name}`);

let written = "";
await crm.company.createMany([{ name: "One" }, { name: "Two" }], { onTransaction: (transaction) => (written = transaction) });
console.log(`undone: ${(await undo(written)).deleted} deleted`);
await undo(written).catch((error: unknown) => {
  if (!(error instanceof RowgateError)) throw error;
  console.log(`again: ${error.status}`);
});

for await (const { data, meta } of changes({ models: ["crm/company"], since, take: 3 })) {
  console.log(`changes: ${data.map((change) => (change.operation === "delete" ? "delete" : `${change.operation} ${change.record.name}`)).join()}`);
  since = meta.next;
}

await crm.company.create({ name: "Heard" });
for await (const heard of follow({ models: ["crm/company"], since })) {
  if (heard.operation !== "create") continue;
  console.log(`heard: ${heard.record.name}`);
  break;
}

await new Promise<void>((resolve) => {
  const end = crm.company.subscribe({ since, where: { name: "Heard" } }, (news) => {
    if (news.operation !== "create") return;
    console.log(`subscribed: ${news.record.name}`);
    end();
    resolve();
  });
});

await new Promise<void>((resolve) => {
  const end = crm.company.live({ where: { name: "Kept" }, fields: ["name"] }, ({ data }) => {
    if (data.length === 0) return void crm.company.create({ name: "Kept" });
    console.log(`live: ${data.length}`);
    end();
    resolve();
  });
});
