// The table of models that the typed lists stand on: what the generic types of src/queries.ts cannot read from src/schema.ts.

const QUERY = "/_query";
const JSON_BODY = "application/json";

/** The query parameter by which an operation says that it takes an idempotency key. */
const KEY = "#/components/parameters/idempotencyKey";

const camel = (name) => name.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const lower = (name) => name[0].toLowerCase() + name.slice(1);
// What a model is called within its domain; classes of plugins need not begin with it.
const within = (name, domain) =>
  name.length > domain.length && name.toLowerCase().startsWith(domain.toLowerCase()) ? name.slice(domain.length) : name;
const union = (names) => names.map((name) => JSON.stringify(name)).join(" | ") || "never";
const nameOf = (schema) => (schema.$ref ?? schema.oneOf[0].$ref).split("/").pop();
const answerOf = (operation) => operation.responses["200"].content[JSON_BODY].schema;

/** The models that can be queried: what they are called, where they are, and what can be asked of each. */
export function readModels({ paths, components }) {
  const models = Object.keys(paths).filter((path) => path.endsWith(QUERY)).map((path) => {
    const operation = paths[path].post;
    const query = nameOf(operation.requestBody.content[JSON_BODY].schema);
    const name = query.slice(0, -"Query".length);
    const collection = path.slice(0, -QUERY.length);
    const domain = camel(collection.split("/")[3]);
    const read = paths[`${collection}/{id}`]?.get;
    const chooses = (read?.parameters ?? []).some(({ $ref }) => $ref === "#/components/parameters/fields");
    // What has no sums has routes of its own for writes.
    const isPlain = paths[`${collection}/_aggregate`] !== undefined;
    const model = lower(within(name, domain));
    const [, , , root, last = kebab(model)] = collection.split("/");
    return {
      name, domain, path: collection, granted: `${root}/${last}`,
      model,
      ways: ["list", "each", ...(components.schemas[query].properties.searchMode ? ["ranked"] : []), ...(paths[`${collection}/_export`] ? ["export"] : []), ...(chooses ? ["get"] : []), ...(isPlain ? ["sum", ...waysOfWriting(paths, collection)] : [])],
      unique: (isPlain && paths[collection].post?.["x-upsert"]) || [],
      page: nameOf(answerOf(operation)),
      fields: fieldsOf(components.schemas[name], components.schemas[query]),
      sorts: components.schemas[query]["x-sortable"] ?? [],
      relations: components.schemas[query]["x-relations"] ?? {},
    };
  });
  const known = new Set(models.map(({ name }) => name));
  for (const model of models) {
    model.relations = Object.fromEntries(Object.entries(model.relations).filter(([, to]) => known.has(to.model)));
  }
  return models;
}

/** The fields of a record, without the relations that may stand beside them. */
function fieldsOf({ properties }, query) {
  const related = query["x-relations"] ?? {};
  return Object.fromEntries(Object.entries(properties).filter(([name, each]) => !(name in related) && !each["x-ranked"]));
}

/**
 * The description with writes of whole records alone, one where there might be many: the typed layer has the others,
 * and an answer that may be one or many has to be told apart by every caller.
 */
export function narrowed(description) {
  const { paths, ...rest } = structuredClone(description);
  for (const [path, { post, put, patch }] of Object.entries(paths)) {
    if (paths[path + QUERY] === undefined) continue;
    for (const { requestBody, responses } of [post, put, patch].filter(Boolean)) {
      if (responses["201"]) delete responses["200"];
      for (const { content } of [requestBody, ...Object.values(responses)]) {
        for (const each of Object.values(content ?? {})) each.schema = each.schema?.oneOf?.[0] ?? each.schema;
      }
    }
  }
  return { ...rest, paths };
}

/** What can be written of the records at `collection`. */
function waysOfWriting(paths, collection) {
  const { post, put, delete: removal } = paths[collection];
  const item = paths[`${collection}/{id}`] ?? {};
  const at = (path) => paths[collection + path] !== undefined;
  return [
    ...(post ? ["create", "createMany"] : []),
    ...(post?.["x-upsert"] ? ["upsert"] : []),
    ...(item.put ? ["update", "modify"] : []),
    ...(put ? ["updateMany"] : []),
    ...(at("/_matching/_update") ? ["updateMatching"] : []),
    ...(item.delete ? ["delete"] : []),
    ...(removal ? ["deleteMany"] : []),
    ...(at("/_matching/_delete") ? ["deleteMatching"] : []),
    ...(at("/{id}/_history") ? ["history", "subscribe", "live"] : []),
    ...(at("/{id}/_revert") ? ["revert"] : []),
    ...(at("/_deleted") ? ["deleted"] : []),
    ...(at("/_deleted/{id}/_restore") ? ["restore"] : []),
  ];
}

/** The methods that take an idempotency key, by path. */
export function readKeyed({ paths }) {
  const takesKey = (operation) => (operation.parameters ?? []).some(({ $ref }) => $ref === KEY);
  const found = Object.entries(paths).map(([path, operations]) => {
    const taking = Object.keys(operations).filter((method) => method !== "parameters" && takesKey(operations[method]));
    return [path, taking.map((method) => method.toUpperCase())];
  });
  return Object.fromEntries(found.filter(([, methods]) => methods.length > 0));
}

const isMoment = ({ format }) => format === "date-time";
const isDay = ({ format }) => format === "date";
const isTime = ({ format }) => format === "time-local";
const isMoney = ({ $ref, anyOf }) => [$ref, ...(anyOf ?? []).map((each) => each.$ref)].includes("#/components/schemas/Money");
/** Numbers that are texts, as floats would not be exact. */
const isExact = (schema) => ["decimal", "duration"].includes(schema.format) || isMoney(schema);
const isNumber = ({ type, ...schema }) => isExact(schema) || [type].flat().some((each) => each === "integer" || each === "number");

/** The text of src/models.ts. */
export function writeModels(models, keyed) {
  const entries = models.map((each) => {
    const having = (test) => union(Object.keys(each.fields).filter((name) => test(each.fields[name])));
    const leading = (many) => Object.entries(each.relations).filter(([, to]) => to.many === many)
      .map(([name, to]) => `${name}: ${JSON.stringify(to.model)}`).join("; ");
    return [
      `  ${each.name}: {`,
      `    record: Pick<Schemas["${each.name}"], ${union(Object.keys(each.fields))}>; page: Schemas["${each.page}"]; where: Schemas["${each.name}Where"];`,
      `    create: ${each.ways.includes("create") ? `Schemas["${each.name}Create"]` : "never"};`,
      `    update: ${each.ways.includes("update") ? `Schemas["${each.name}Update"]` : "never"};`,
      `    unique: ${union(each.unique)};`,
      `    ways: ${union(each.ways)};`,
      `    sorts: ${union(each.sorts)};`,
      `    moments: ${having(isMoment)};`,
      `    days: ${having(isDay)};`,
      `    times: ${having(isTime)};`,
      `    numbers: ${having(isNumber)};`,
      `    exact: ${having(isExact)};`,
      `    one: { ${leading(false)} };`,
      `    many: { ${leading(true)} };`,
      "  };",
    ].join("\n");
  });
  const domains = [...new Set(models.map(({ domain }) => domain))].map((domain) => {
    const own = models.filter((each) => each.domain === domain);
    const lines = own.map(({ name, model, path, granted }) => `    ${model}: { name: "${name}", path: "${path}", model: "${granted}" },`);
    return [`  ${domain}: {`, ...lines, "  },"].join("\n");
  });
  const granted = models.map((each) => `  ${JSON.stringify(each.granted)}: ${JSON.stringify(each.name)};`);
  const keys = Object.entries(keyed).map(([path, methods]) => `  ${JSON.stringify(path)}: ${JSON.stringify(methods)},`);
  return [
    "// Generated from the description of the API.",
    'import type { components } from "./schema.js";\n',
    'type Schemas = components["schemas"];\n',
    "/** What can be asked and written of each model. */",
    `export interface Models {\n${entries.join("\n")}\n}\n`,
    "/** What grants call each model. */",
    `export interface Granted {\n${granted.join("\n")}\n}\n`,
    "/** Where each model is. */",
    `export const MODELS = {\n${domains.join("\n")}\n} as const;\n`,
    "/** The methods that take an idempotency key, by path. */",
    `export const KEYED: Readonly<Record<string, readonly string[]>> = {\n${keys.join("\n")}\n};\n`,
  ].join("\n");
}
