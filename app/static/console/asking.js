// What is asked of a table: words to search for, a condition on a field, and an order.
import { h } from "../elements.js";

const MEANINGS = {
  eq: "is exactly", ne: "is not", gt: "is above", gte: "is at least", lt: "is below", lte: "is at most",
  in: "is one of", nin: "is none of", contains: "contains", startsWith: "starts with", endsWith: "ends with",
  has: "holds", hasAny: "holds one of", hasAll: "holds all of",
};
const OF_SEVERAL = ["in", "nin", "hasAny", "hasAll"];
const EMPTY = { "isNull=true": "is empty", "isNull=false": "is not empty" };
const ARROWS = { ascending: "▲", descending: "▼", none: "↕" };

/** Identifiers say least: they come last. */
export function identifiersLast(names) {
  const isIdentifier = (name) => /^id$|Id$/.test(name);
  return [...names.filter((name) => !isIdentifier(name)), ...names.filter(isIdentifier)];
}

/** The box whose words `apply` gets. */
export function searchForm(apply) {
  const words = h("input", { type: "search", ariaLabel: "Search", placeholder: "Words" });
  const onsubmit = (event) => {
    event.preventDefault();
    return apply(words.value.trim());
  };
  return h("form", { className: "row", role: "search", onsubmit }, words, h("button", { className: "quiet" }, "Search"));
}

/** The choice of a field, one of its operators and a value, which `apply` gets as a parameter; of none to clear it. */
export function conditionForm(operators, apply) {
  const field = h("select", { ariaLabel: "Field", onchange: () => offer() }, ...identifiersLast(Object.keys(operators)).map((name) => option(name)));
  const operator = h("select", { ariaLabel: "Operator", onchange: () => ask() });
  const value = h("input", { ariaLabel: "Value" });
  const ask = () => {
    value.hidden = operator.value in EMPTY;
    value.placeholder = OF_SEVERAL.includes(operator.value) ? "comma-separated" : "";
  };
  const offer = () => {
    const chosen = operator.value;
    operator.replaceChildren(...operators[field.value].flatMap(choices));
    operator.value = chosen;
    if (!operator.value) operator.selectedIndex = 0;
    ask();
  };
  const onsubmit = (event) => {
    event.preventDefault();
    return apply(condition(field.value, operator.value, value.value));
  };
  const clear = () => {
    value.value = "";
    return apply({});
  };
  offer();
  return h("form", { className: "row", onsubmit }, field, operator, value,
    h("button", { className: "quiet" }, "Filter"), h("button", { type: "button", className: "quiet", onclick: clear }, "Clear"));
}

function condition(field, operator, value) {
  if (operator in EMPTY) return { [`${field}[isNull]`]: operator.split("=")[1] };
  if (!value) return {};
  return { [operator === "eq" ? field : `${field}[${operator}]`]: value };
}

function choices(operator) {
  if (operator === "isNull") return Object.entries(EMPTY).map(([value, text]) => option(text, value));
  return [option(MEANINGS[operator] ?? operator, operator)];
}

function option(text, value = text) {
  return h("option", { value }, text);
}

/** The head of a column by which rows can be sorted; `turn` is called to have them sorted in the next way. */
export function sortHead(name, sort, turn) {
  const order = { [name]: "ascending", [`-${name}`]: "descending" }[sort] ?? "none";
  const arrow = h("span", { "aria-hidden": "true", className: "soft" }, ` ${ARROWS[order]}`);
  return h("th", { scope: "col", "aria-sort": order },
    h("button", { type: "button", "data-sort": name, onclick: () => turn(name) }, name, arrow));
}

/** What comes after `sort` when the head of `name` is pressed: ascending, descending, and none again. */
export function nextSort(sort, name) {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? "" : name;
}
