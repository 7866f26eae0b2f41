/** From nothing to a notification: `node tour.js http://localhost:3001 ada@example.com`. */
import { createClient, followNotifications, streamChat } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com", wanted = "2"] = process.argv.slice(2);

/** The data of an answer, or its error as an exception. */
function good<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const visitor = createClient({ baseUrl });
const { token } = good(await visitor.POST("/api/auth/signup", { body: { email, password: "correct horse battery" } }));
const session = createClient({ baseUrl, token });
const made = good(await session.POST("/api/v1/auth/api-key", { body: { name: "Tour", scopes: ["read", "write"] } }));
if (!("key" in made)) throw new Error("That key is an anonymous one");

const api = createClient({ baseUrl, token: made.key });
const company = good(await api.POST("/api/v1/crm/company", { body: { name: "Harbour Works" } }));
const contact = good(
  await api.POST("/api/v1/crm/contact", {
    body: { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", companyId: company.id },
  }),
);
good(
  await api.POST("/api/v1/crm/deal", {
    body: { name: "New cranes", amount: 1250000, companyId: company.id, contactId: contact.id },
  }),
);
const deals = good(await api.GET("/api/v1/crm/deal", { params: { query: { contactId: contact.id, take: 5 } } }));
console.log(`deals: ${deals.data.map((deal) => deal.name).join(", ")}`);

const plan = new File(["The crane may be 40 m high."], "plan.txt", { type: "text/plain" });
const uploaded = good(await session.POST("/api/upload", { body: { file: plan } }));
const form = new FormData();
form.set("file", plan);
const again = good(await session.POST("/api/upload", { body: form }));
for (const { url } of [uploaded, again]) console.log(`uploaded: ${url.split("/").pop()}`);

const answer = await streamChat({ baseUrl, token }, {
  messages: [{ role: "user", content: "How high may the crane be?" }],
});
let text = "";
for await (const piece of answer) text += piece;
console.log(`chat ${answer.chatId}: ${text.trim()}`);

let left = Number(wanted);
const following = new AbortController();
const options = { signal: following.signal, onPlace: (place: string) => console.log(`place: ${place}`) };
for await (const notification of followNotifications({ baseUrl, token }, options)) {
  console.log(`notification: ${notification.title}`);
  left -= 1;
  if (left === 0) break;
}
