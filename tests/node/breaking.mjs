// Names what breaks clients between two descriptions of the API: node breaking.mjs OLD NEW. Prints a line for each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { apiDiff } = createRequire(`${process.env.NODE_MODULES}/`)("api-smart-diff");
const [released, current] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
[released, current].forEach(({ components: { schemas } }) => closeRelations(schemas));

/**
 * Related records, and conditions on them, are told of where they are records of their own: relations lead from each to
 * every other and back.
 */
function closeRelations(schemas) {
  for (const [name, query] of Object.entries(schemas)) {
    const own = name.replace(/Query$/, "");
    for (const { properties } of [schemas[own], schemas[`${own}Where`]].filter((each) => each?.properties)) {
      for (const relation of Object.keys(query["x-relations"] ?? {})) {
        if (relation in properties) properties[relation] = {};
      }
    }
  }
}

const RETURN = "#/components/parameters/return";

/** What comes only where a request asks for it: an array for an array, ids and versions for `return=minimal`. */
function isAskedFor({ action, path: [, route, method, ...place] }) {
  const takesForms = current.paths[route]?.[method]?.parameters?.some(({ $ref }) => $ref === RETURN);
  return action === "add" && takesForms && place[0] === "responses" && place.at(-2) === "oneOf";
}

/** Whether no more was said of a content than that it is bytes; what these are breaks nobody. */
function wasBytes({ path }) {
  return path.slice(0, -1).reduce((found, step) => found?.[step], released)?.format === "binary";
}

/** Bodies are read strictly, so a field that went is one that is refused; a client reads an answer by its types. */
function isBreaking(difference) {
  const { type, action, path } = difference;
  if (path[0] !== "paths") return false; // What is shared is told where it is used.
  if (isAskedFor(difference) || wasBytes(difference)) return false;
  const [holder, name] = path.slice(-2);
  return type === "breaking" || (action === "remove" && holder === "properties") || (action === "replace" && name === "type");
}

/** `POST /api/v1/crm/deal: remove requestBody … stage` */
function told({ action, path, before, after }) {
  const [, route, method, ...place] = path;
  const what = [before, after].filter((value) => typeof value === "string").join(" → ");
  const where = place.filter((step) => !["content", "application/json", "schema", "properties"].includes(step)).join(" ");
  return [`${method ? `${String(method).toUpperCase()} ` : ""}${route}: ${action}`, where, what && `(${what})`].filter(Boolean).join(" ");
}

const lines = new Set(apiDiff(released, current).filter(isBreaking).map(told));
for (const line of [...lines].sort()) console.log(line);
