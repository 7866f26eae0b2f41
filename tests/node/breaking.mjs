// Names what breaks clients between two descriptions of the API: node breaking.mjs OLD NEW. Prints a line for each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { apiDiff } = createRequire(`${process.env.NODE_MODULES}/`)("api-smart-diff");
const [released, current] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));

/** Bodies are read strictly, so a field that went is one that is refused; a client reads an answer by its types. */
function isBreaking({ type, action, path }) {
  if (path[0] !== "paths") return false; // What is shared is told where it is used.
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
