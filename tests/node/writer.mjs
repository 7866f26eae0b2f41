// Makes companies with the TypeScript client, and prints what came of it: node writer.mjs ADDRESS TOKEN WAY NAME.
import { RowgateError, createClient, createRowgate } from "../../clients/typescript/dist/index.js";

const [baseUrl, token, way, name] = process.argv.slice(2);
const connection = { baseUrl, token, timeout: 2000 };
const { crm, batch } = createRowgate(connection);

const WAYS = {
  records: async () => [await crm.company.create({ name })],
  generated: async () => [(await createClient(connection).POST("/api/v1/crm/company", { body: { name } })).data],
  batch: async () => (await batch([{ method: "POST", path: "/api/v1/crm/company", body: { name } }])).map(({ body }) => body),
  // Too many for the service to keep all of the answer.
  many: () => crm.company.createMany(
    Array.from({ length: 200 }, () => ({ name, website: `https://example.com/${"x".repeat(1900)}` }))),
  aborted: () => crm.company.create({ name }, { signal: AbortSignal.timeout(500) }).then((made) => [made]),
};

try {
  const made = await WAYS[way]();
  console.log(`made: ${made.length} ${[...new Set(made.map((company) => company?.name))].join()}`);
} catch (error) {
  if (error instanceof RowgateError) console.log(`refused: ${error.status} ${error.code}`);
  else console.log(`broken: ${error.name}`);
}
