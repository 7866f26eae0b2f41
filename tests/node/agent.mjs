// The official clients of the Model Context Protocol: node agent.mjs PACKAGE MODE ADDRESS TOKEN COMPANY.
// Prints one line of JSON with what they were told: by "client" (MODE auto or legacy), or by the older "sdk".
const modules = `${process.env.NODE_MODULES}/@modelcontextprotocol`;
const [kind, mode, address, token, company] = process.argv.slice(2);
const old = kind === "sdk";
const { Client } = await import(`${modules}/${old ? "sdk/dist/esm/client/index.js" : "client/dist/index.mjs"}`);
const { StreamableHTTPClientTransport } = await import(
  `${modules}/${old ? "sdk/dist/esm/client/streamableHttp.js" : "client/dist/index.mjs"}`
);
const client = new Client({ name: "tests", version: "1" }, old ? {} : { versionNegotiation: { mode } });
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
const uri = `rowgate://crm/company/${company}`;
const call = (name, given) => client.callTool({ name, arguments: given });

const told = {
  version: old ? "2025-11-25" : client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion().name,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  prompts: (await client.listPrompts()).prompts.length > 0,
  resource: JSON.parse((await client.readResource({ uri })).contents[0].text).name,
  record: (await call("get_record", { model: "crm/company", id: company })).structuredContent.record.name,
  refused: (await call("get_record", { model: "crm/company", id: "x" })).isError,
};
if (mode === "auto") {
  const { promise, resolve } = Promise.withResolvers();
  client.setNotificationHandler("notifications/resources/updated", (sent) => resolve(sent.params.uri));
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  const values = { name: "Harbour Works 2" };
  await call("update_record", { model: "crm/company", id: company, values });
  told.heard = (await promise) === uri;
  await subscription.close();
}
console.log(JSON.stringify(told));
await client.close();
