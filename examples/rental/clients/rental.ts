/** The rental's items, typed: `node rental.js http://localhost:3001 ada@example.com`. */
import { createClient, createRowgate } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com"] = process.argv.slice(2);
const account = await createClient({ baseUrl }).POST("/api/auth/signup", { body: { email, password: "correct horse battery" } });
if (account.data === undefined) throw new Error(JSON.stringify(account.error));
const { rental } = createRowgate({ baseUrl, token: account.data.token });

const [boat] = await rental.item.createMany([
  { name: "Boat", dailyPrice: { amount: "12.50", currency: "EUR" }, weightKg: "80.5", boughtOn: "2026-11-23", location: { lat: 52.52, lng: 13.405 }, shortest: "PT90M" },
  { name: "Crane", dailyPrice: { amount: "900", currency: "EUR" }, boughtOn: "2026-12-01", shortest: "P2D" },
]);
const near = await rental.item.list({ where: { location: { near: { lat: 52.5, lng: 13.4, km: 10 } }, dailyPrice: { gte: { amount: "10", currency: "EUR" } } }, sort: ["-dailyPrice"] });
for (const { name, dailyPrice, location, shortest } of near.data) console.log(`near: ${name} ${dailyPrice.amount} ${dailyPrice.currency} ${location?.lat} ${shortest}`);
const sums = await rental.item.sum({ group: ["dailyPrice", { field: "boughtOn", by: "month" }], measures: { sum: ["dailyPrice", "shortest"], max: ["boughtOn"] } });
const inNovember = await rental.item.list({ where: { boughtOn: { by: "month", eq: "2026-11" } }, sort: ["boughtOn:week", "name"], timeZone: "Europe/Berlin" });
for (const { name, weeklyPrice } of inNovember.data) console.log(`in November: ${name} ${weeklyPrice?.amount}`);
for (const { group, sum, max } of sums.data) console.log(`sum: ${group.dailyPrice} ${group.boughtOn} ${sum.dailyPrice} ${sum.shortest} ${max.boughtOn}`);
console.log(`first: ${boat!.name}`);
