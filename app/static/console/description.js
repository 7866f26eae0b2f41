// The description of the API: which models there are, and what their routes take.
import { call, isAdmin } from "../api.js";

const LIST = /^\/api\/v1\/[a-z-]+(\/[a-z-]+)?$/;
const STAMPS = ["id", "createdAt", "updatedAt"];
let description;

async function described() {
  return (description ??= await call("GET", "/api/v1/openapi.json"));
}

/** The paths of all models. */
export async function modelPaths() {
  const { paths } = await described();
  return Object.keys(paths).filter((path) => LIST.test(path) && isList(paths[path].get));
}

/** What the routes of the model at `path` take; throws where there is none. */
export async function modelAt(path) {
  const [known, admin] = await Promise.all([modelPaths(), isAdmin()]);
  if (!known.includes(path)) throw new Error("There is no such model.");
  const { paths } = description;
  const one = paths[`${path}/{id}`] ?? {};
  const parameters = paths[path].get.parameters ?? [];
  return {
    path,
    filters: parameters.map(({ name }) => name).filter((name) => !["take", "skip"].includes(name)),
    name: path.split("/").slice(3).join(" "),
    create: body(permitted(paths[path].post, admin)),
    update: body(permitted(one.patch, admin)),
    canDelete: Boolean(permitted(one.delete, admin)),
  };
}

/** The operation, when whoever is signed in may do it. */
function permitted(operation, admin) {
  return operation?.["x-access"] === "admin" && !admin ? undefined : operation;
}

function isList(operation) {
  const list = operation?.responses?.["200"]?.content?.["application/json"]?.schema;
  return followed(list)?.properties?.data?.type === "array";
}

/** The fields of a body as `{name, about, required}`; undefined where it is not an object with fields of its own. */
function body(operation) {
  const schema = followed(operation?.requestBody?.content?.["application/json"]?.schema);
  if (!schema?.properties) return undefined;
  const fields = Object.entries(schema.properties).filter(([name]) => !STAMPS.includes(name));
  return fields.map(([name, about]) => ({ name, about, required: schema.required?.includes(name) ?? false }));
}

/** A schema with its reference followed. */
function followed(schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? description.components.schemas[name] : schema;
}
