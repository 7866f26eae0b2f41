// Models and their records, as the description of the API tells them: filter, page, open, edit, make, delete.
import { call, h, say } from "./api.js";

const TAKE = 20;
let description;

async function described() {
  return (description ??= await call("GET", "/api/v1/openapi.json"));
}

/** A schema with its reference followed. */
function followed(schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? description.components.schemas[name] : schema;
}

function body(operation) {
  return followed(operation?.requestBody?.content?.["application/json"]?.schema);
}

function isModel(path) {
  const list = description.paths[path].get?.responses?.["200"]?.content?.["application/json"]?.schema;
  return /^\/api\/v1\/[a-z-]+(\/[a-z-]+)?$/.test(path) && followed(list)?.properties?.data?.type === "array";
}

export async function showModels(view) {
  await described();
  const domains = Map.groupBy(Object.keys(description.paths).filter(isModel), (path) => path.split("/")[3]);
  const sections = [...domains].map(([domain, paths]) =>
    h("section", { className: "card" }, h("h2", {}, domain),
      h("ul", { className: "models" }, ...paths.map((path) =>
        h("li", {}, h("a", { href: `#/models${path}` }, path.split("/").slice(4).join("/") || domain))))));
  view.replaceChildren(...sections);
}

export async function showRecords(view, path, { filters = {}, skip = 0 } = {}) {
  await described();
  if (!isModel(path)) throw new Error("There is no such model.");
  const query = new URLSearchParams({ take: TAKE, skip, ...filters });
  const { data, meta } = await call("GET", `${path}?${query}`);
  const total = meta?.total ?? meta?.count ?? data.length;
  const one = description.paths[`${path}/{id}`] ?? {};
  const again = (changed) => showRecords(view, path, { filters, skip, ...changed });
  const open = (record) => edit(path, record, one, again);
  const columns = told(data[0] ?? {});
  const rows = data.map((record) => h("tr", {},
    h("td", {}, h("button", { type: "button", className: "quiet", onclick: () => open(record) }, "Open")),
    ...columns.map((name) => h("td", { title: String(record[name] ?? "") }, String(record[name] ?? "")))));
  const create = description.paths[path].post;
  view.replaceChildren(h("section", { className: "card" },
    h("div", { className: "row" }, h("h2", {}, path.split("/").slice(3).join(" / ")),
      create ? h("button", { type: "button", onclick: () => edit(path, null, { post: create }, again) }, "New") : null),
    filterForm(path, filters, (chosen) => again({ filters: chosen, skip: 0 })),
    h("div", { className: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("td", {}), ...columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows))),
    h("div", { className: "row" },
      h("button", { type: "button", className: "quiet", disabled: skip === 0, onclick: () => again({ skip: Math.max(0, skip - TAKE) }) }, "Back"),
      h("span", { className: "soft" }, data.length ? `${skip + 1} to ${skip + data.length} of ${total}` : "No records."),
      h("button", { type: "button", className: "quiet", disabled: skip + data.length >= total, onclick: () => again({ skip: skip + TAKE }) }, "Next"))));
}

/** The columns that say most: plain values, identifiers last. */
function told(record) {
  const names = Object.keys(record).filter((name) => typeof record[name] !== "object" || record[name] === null);
  const isIdentifier = (name) => /^id$|Id$/.test(name);
  return [...names.filter((name) => !isIdentifier(name)), ...names.filter(isIdentifier)].slice(0, 8);
}

function filterForm(path, filters, apply) {
  const known = (description.paths[path].get.parameters ?? []).filter(({ name }) => !["take", "skip"].includes(name));
  const [current] = Object.entries(filters);
  const field = h("select", { ariaLabel: "Field" }, ...known.map(({ name }) => h("option", { selected: name === current?.[0] }, name)));
  const value = h("input", { ariaLabel: "Value", placeholder: "is exactly", value: current?.[1] ?? "" });
  const submit = (event) => {
    event.preventDefault();
    return apply(value.value ? { [field.value]: value.value } : {});
  };
  return h("form", { className: "row", onsubmit: submit }, field, value, h("button", { className: "quiet" }, "Filter"));
}

/** A dialog over one record, or a new one. Only what was changed is sent. */
function edit(path, record, operations, again) {
  const schema = body(record ? operations.patch : operations.post);
  const dialog = h("dialog", { ariaLabel: record ? "Record" : "New record" });
  const fields = schema ? Object.entries(schema.properties).filter(([name]) => !["id", "createdAt", "updatedAt"].includes(name)) : [];
  const inputs = fields.map(([name, about]) => input(name, about, record?.[name], !record && schema.required?.includes(name)));
  const save = async (event) => {
    event.preventDefault();
    const changed = Object.fromEntries(inputs.filter(({ changed }) => changed()).map(({ name, read }) => [name, read()]));
    await call(record ? "PATCH" : "POST", record ? `${path}/${record.id}` : path, changed).catch((error) => {
      dialog.querySelector("[role=alert]").textContent = error.message;
      throw error;
    });
    say("Saved.");
    dialog.close();
    await again();
  };
  const remove = async () => {
    if (!confirm("Delete this record?")) return;
    await call("DELETE", `${path}/${record.id}`);
    say("Deleted.");
    dialog.close();
    await again();
  };
  const shown = record ? h("details", {}, h("summary", {}, "As JSON"), h("pre", { className: "scroll" }, JSON.stringify(record, null, 2))) : null;
  dialog.append(h("form", { onsubmit: save }, ...inputs.map(({ label }) => label), h("p", { role: "alert" }), h("div", { className: "row" },
    schema ? h("button", {}, "Save") : null,
    record && operations.delete ? h("button", { type: "button", className: "quiet", onclick: remove }, "Delete") : null,
    h("button", { type: "button", className: "quiet", onclick: () => dialog.close() }, "Close"))), ...(shown ? [shown] : []));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function input(name, about, value, required) {
  const types = [about.type ?? []].flat();
  const choices = about.enum?.filter((each) => each !== null);
  const plain = ["string", "integer", "number"].some((type) => types.includes(type));
  const before = value === undefined || value === null ? "" : plain || choices ? String(value) : JSON.stringify(value);
  const field = choices || types.includes("boolean")
    ? h("select", {}, h("option", { value: "" }, ""), ...(choices ?? [true, false]).map((each) => h("option", { value: String(each), selected: String(each) === before }, String(each))))
    : h((about.maxLength ?? 0) > 500 || !plain ? "textarea" : "input", { value: before });
  field.required = Boolean(required);
  const read = () => {
    if (field.value === "") return null;
    if (plain && types.includes("string")) return field.value;
    return choices ? field.value : JSON.parse(field.value);
  };
  return { name, read, changed: () => field.value !== before, label: h("label", {}, `${name}${required ? " *" : ""}`, field) };
}
