// The records of one model: search, filter, sort, page, open, make.
import { call } from "../api.js";
import { conditionForm, identifiersLast, nextSort, searchForm, sortHead } from "./asking.js";
import { modelAt } from "./description.js";
import { edit, upload } from "./dialog.js";
import { h, keepFocus } from "../elements.js";

const TAKE = 20;
const UPLOADS = "/api/v1/storage/upload";

export async function showRecords(page, path) {
  const model = await modelAt(path);
  const table = h("table", { ariaLabel: model.name });
  const count = h("span", { className: "soft", role: "status" });
  const back = h("button", { type: "button", className: "quiet", onclick: () => load({ skip: Math.max(0, shown.skip - TAKE) }) }, "Back");
  const next = h("button", { type: "button", className: "quiet", onclick: () => load({ skip: shown.skip + TAKE }) }, "Next");
  let shown = { filters: {}, search: "", sort: "", skip: 0 };
  let newest = shown;

  const load = async (changed = {}) => {
    const wanted = (newest = { ...newest, ...changed });
    const answer = await call("GET", `${path}?${parameters(wanted)}`).catch((error) => {
      if (wanted === newest) newest = shown;
      throw error;
    });
    // A later question is on its way: its answer is the one to show.
    if (wanted !== newest) return;
    shown = wanted;
    const { data, meta, total = meta.count } = answer;
    refill(table, contents(model, data, wanted.sort, turn, (record) => edit(page, model, record, load)));
    count.textContent = data.length ? `${wanted.skip + 1} to ${wanted.skip + data.length} of ${total}` : "No records.";
    back.disabled = wanted.skip === 0;
    next.disabled = wanted.skip + data.length >= total;
    keepFocus(page);
  };
  const turn = (name) => load({ sort: nextSort(newest.sort, name), skip: 0 });

  await load();
  const make = () => (path === UPLOADS ? upload(page, load) : edit(page, model, null, load));
  page.append(h("section", { className: "card" },
    h("div", { className: "row" }, h("h2", {}, path.split("/").slice(3).join(" / ")),
      model.create ? h("button", { type: "button", onclick: make, "aria-label": `New ${model.name}` }, "New") : null),
    ...asking(model, load),
    h("div", { className: "scroll" }, table),
    h("div", { className: "row" }, back, count, next)));
}

/** The forms of what can be asked of the table. */
function asking({ isSearchable, operators }, load) {
  return [
    isSearchable ? searchForm((search) => load({ search, skip: 0 })) : null,
    Object.keys(operators).length ? conditionForm(operators, (filters) => load({ filters, skip: 0 })) : null,
  ];
}

function parameters({ filters, search, sort, skip }) {
  return new URLSearchParams({ take: TAKE, skip, ...(search && { search }), ...(sort && { sort }), ...filters });
}

/** Replace what is in the table; the head of a column that was focused stays so. */
function refill(table, contents) {
  const { sort } = document.activeElement.dataset;
  table.replaceChildren(...contents);
  if (sort) table.querySelector(`[data-sort="${sort}"]`)?.focus();
}

function contents({ sortable }, records, sort, turn, open) {
  const columns = told(records[0] ?? {});
  const heads = columns.map((name) => (sortable.includes(name) ? sortHead(name, sort, turn) : h("th", { scope: "col" }, name)));
  const rows = records.map((record) => h("tr", {},
    h("td", {}, h("button", {
      type: "button", className: "quiet", onclick: () => open(record),
      "aria-label": `Open ${record.name ?? record.title ?? record.id}`,
    }, "Open")),
    ...columns.map((name) => h("td", { title: String(record[name] ?? "") }, String(record[name] ?? "")))));
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { className: "unseen" }, "Actions")), ...heads);
  return [h("thead", {}, head), h("tbody", {}, ...rows)];
}

/** The columns that say most: plain values. */
function told(record) {
  const names = Object.keys(record).filter((name) => typeof record[name] !== "object" || record[name] === null);
  return identifiersLast(names).slice(0, 8);
}
