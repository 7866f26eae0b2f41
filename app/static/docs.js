// The description of one domain. What an operation refers to is resolved when it is opened.
const CONDITIONS = /(Where|Many)$/;
const ui = document.getElementById("ui");

function* references(value) {
  if (typeof value !== "object" || value === null) return;
  if (typeof value.$ref === "string") yield value.$ref;
  for (const each of Object.values(value)) yield* references(each);
}

/** What of the description is at `path`, and what that reaches. */
function reached({ openapi, info, servers, ...rest }, path) {
  const kept = { openapi, info, servers, paths: {} };
  const waiting = [[...path]];
  while (waiting.length) {
    const names = waiting.pop();
    const last = names.pop();
    const from = names.reduce((found, name) => found?.[name], rest);
    const to = names.reduce((made, name) => (made[name] ??= {}), kept);
    if (from?.[last] === undefined || last in to) continue;
    to[last] = from[last];
    for (const each of references(to[last])) {
      const further = each.split("/").slice(1);
      const other = further.at(-1);
      if (isOfAnother(last, other)) to[other] ??= { type: "object", description: `Conditions on related records: ${other}.` };
      else waiting.push(further);
    }
  }
  return kept;
}

/** Conditions lead from each model to all others, and the UI writes out every way through them: it is shown the first step. */
function isOfAnother(schema, other) {
  return CONDITIONS.test(schema) && CONDITIONS.test(other) && schema !== other;
}

/** The UI normalizes all that it is given whenever it resolves a part of it: give it no more than that part reaches. */
const resolvesLittle = {
  afterLoad({ fn }) {
    const { resolveSubtree } = fn;
    this.fn.resolveSubtree = (description, path, options) => resolveSubtree(reached(description, path), path, options);
  },
};

/** The page of another domain, where the operation in the address is of that one. */
function elsewhere() {
  const tag = decodeURIComponent(location.hash.split("/")[1] ?? "");
  const link = [...document.querySelectorAll("nav a[data-tags]")].find(({ dataset }) => dataset.tags.split(" ").includes(tag));
  return link && !link.hasAttribute("aria-current") ? link.href + location.hash : undefined;
}

const other = elsewhere();
if (other) location.replace(other);
else
  SwaggerUIBundle({
    domNode: ui,
    url: ui.dataset.description,
    plugins: [resolvesLittle],
    deepLinking: true,
    docExpansion: "list",
    filter: true,
    persistAuthorization: true,
    defaultModelsExpandDepth: 0,
  });
