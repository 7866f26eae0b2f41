// The records of one model: filter, page, open, make.
import { call } from "../api.js";
import { modelAt } from "./description.js";
import { edit, upload } from "./dialog.js";
import { h, keepFocus } from "../elements.js";

const TAKE = 20;
const UPLOADS = "/api/v1/storage/upload";

export async function showRecords(page, path) {
  const model = await modelAt(path);
  const table = h("table", { ariaLabel: model.name });
  const count = h("span", { className: "soft", role: "status" });
  const back = h("button", { type: "button", className: "quiet", onclick: () => load({ skip: Math.max(0, state.skip - TAKE) }) }, "Back");
  const next = h("button", { type: "button", className: "quiet", onclick: () => load({ skip: state.skip + TAKE }) }, "Next");
  const state = { filters: {}, skip: 0 };
  let newest;

  const load = async (changed = {}) => {
    const wanted = { ...state, ...changed };
    const asked = (newest = call("GET", `${path}?${new URLSearchParams({ take: TAKE, skip: wanted.skip, ...wanted.filters })}`));
    const { data, meta, total = meta.count } = await asked;
    // A later question is on its way: its answer is the one to show.
    if (asked !== newest) return;
    Object.assign(state, wanted);
    table.replaceChildren(...contents(data, (record) => edit(page, model, record, load)));
    count.textContent = data.length ? `${wanted.skip + 1} to ${wanted.skip + data.length} of ${total}` : "No records.";
    back.disabled = wanted.skip === 0;
    next.disabled = wanted.skip + data.length >= total;
    keepFocus(page);
  };

  await load();
  const make = () => (path === UPLOADS ? upload(page, load) : edit(page, model, null, load));
  page.append(h("section", { className: "card" },
    h("div", { className: "row" }, h("h2", {}, path.split("/").slice(3).join(" / ")),
      model.create ? h("button", { type: "button", onclick: make, "aria-label": `New ${model.name}` }, "New") : null),
    model.filters.length ? filterForm(model.filters, (filters) => load({ filters, skip: 0 })) : null,
    h("div", { className: "scroll" }, table),
    h("div", { className: "row" }, back, count, next)));
}

function contents(records, open) {
  const columns = told(records[0] ?? {});
  const rows = records.map((record) => h("tr", {},
    h("td", {}, h("button", {
      type: "button", className: "quiet", onclick: () => open(record),
      "aria-label": `Open ${record.name ?? record.title ?? record.id}`,
    }, "Open")),
    ...columns.map((name) => h("td", { title: String(record[name] ?? "") }, String(record[name] ?? "")))));
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { className: "unseen" }, "Actions")), ...columns.map((name) => h("th", { scope: "col" }, name)));
  return [h("thead", {}, head), h("tbody", {}, ...rows)];
}

/** The columns that say most: plain values. */
function told(record) {
  const names = Object.keys(record).filter((name) => typeof record[name] !== "object" || record[name] === null);
  return identifiersLast(names).slice(0, 8);
}

function identifiersLast(names) {
  const isIdentifier = (name) => /^id$|Id$/.test(name);
  return [...names.filter((name) => !isIdentifier(name)), ...names.filter(isIdentifier)];
}

function filterForm(names, apply) {
  const field = h("select", { ariaLabel: "Field" }, ...identifiersLast(names).map((name) => h("option", {}, name)));
  const value = h("input", { ariaLabel: "Value", placeholder: "is exactly" });
  const submit = (event) => {
    event.preventDefault();
    return apply(value.value ? { [field.value]: value.value } : {});
  };
  return h("form", { className: "row", onsubmit: submit }, field, value, h("button", { className: "quiet" }, "Filter"));
}
