// The description of the API: which models there are, and what their routes take.
import { call, isAdmin } from "../api.js";

const DESCRIPTION = "/api/v1/openapi.json";
const LIST = /^\/api\/v1\/[a-z-]+(\/[a-z-]+)?$/;
const STAMPS = ["id", "createdAt", "updatedAt"];
// Parameters of lists that are conditions on no field.
const ASKING = ["take", "skip", "where", "search", "sort", "fields", "expand", "cursor", "count", "versions"];
const known = {};

/** The description, whole or of the domain alone. */
async function described(domain) {
  const path = domain ? `${DESCRIPTION}?${new URLSearchParams({ domain })}` : DESCRIPTION;
  return (known[path] ??= await call("GET", path));
}

/** The paths of all models. */
export async function modelPaths() {
  const description = await described();
  return Object.keys(description.paths).filter((path) => isModel(description, path));
}

/** What the routes of the model at `path` take; throws where there is none. */
export async function modelAt(path) {
  const [description, admin] = await Promise.all([described(path.split("/")[3]), isAdmin()]);
  if (!isModel(description, path)) throw new Error("There is no such model.");
  const { paths } = description;
  const one = paths[`${path}/{id}`] ?? {};
  const query = sent(description, paths[`${path}/_query`]?.post);
  return {
    path,
    operators: operators(description, paths[path].get),
    sortable: query?.["x-sortable"] ?? [],
    isSearchable: Boolean(query?.["x-searchable"]),
    name: path.split("/").slice(3).join(" "),
    create: body(description, permitted(paths[path].post, admin)),
    update: body(description, permitted(one.patch, admin)),
    canDelete: Boolean(permitted(one.delete, admin)),
  };
}

/** The operation, when whoever is signed in may do it. */
function permitted(operation, admin) {
  return operation?.["x-access"] === "admin" && !admin ? undefined : operation;
}

function isModel(description, path) {
  const list = description.paths[path]?.get?.responses?.["200"]?.content?.["application/json"]?.schema;
  return LIST.test(path) && followed(description, list)?.properties?.data?.type === "array";
}

/** The operators that a list takes, by field: `amount[gte]` is one, and `amount` alone is equality. */
function operators(description, { parameters = [] }) {
  const found = {};
  for (const parameter of parameters) {
    const [field, operator = "eq"] = followed(description, parameter).name.split(/[[\]]/);
    if (!ASKING.includes(field)) (found[field] ??= []).push(operator);
  }
  return found;
}

/** The fields of a body as `{name, about, required}`; undefined where it is not an object with fields of its own. */
function body(description, operation) {
  const schema = sent(description, operation);
  if (!schema?.properties) return undefined;
  const fields = Object.entries(schema.properties).filter(([name]) => !STAMPS.includes(name));
  return fields.map(([name, about]) => ({ name, about, required: schema.required?.includes(name) ?? false }));
}

/** The schema of the body that an operation takes. */
function sent(description, operation) {
  return followed(description, operation?.requestBody?.content?.["application/json"]?.schema);
}

/** What is meant, where it is a reference. */
function followed(description, value) {
  return value?.$ref ? value.$ref.split("/").slice(1).reduce((found, name) => found[name], description) : value;
}
