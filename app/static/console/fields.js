// A control for one field of a record, by what the description says of it.
import { h } from "../elements.js";

const LONG = 500;

/** The control in its label, what it reads as, and whether its user has changed it. */
export function field(name, about, value, required) {
  const types = [about.type ?? []].flat();
  const choices = types.includes("boolean") ? [true, false] : about.enum?.filter((each) => each !== null);
  const kind = choices ? "choice" : ["string", "integer", "number"].find((type) => types.includes(type)) ?? "json";
  const text = written(kind, value);
  const control = choices ? choice(choices.map(String), text) : writable(kind, text, about.maxLength);
  control.name = name;
  control.required = Boolean(required);
  // Browsers normalise what they are given, line ends above all: what they made of it is what has not been changed.
  const shown = control.value;
  return {
    name,
    read: () => (control.value === "" ? null : read(name, types.includes("boolean") ? "json" : kind, control.value)),
    changed: () => control.value !== shown,
    label: h("label", {}, `${name}${required ? " *" : ""}`, control),
  };
}

function written(kind, value) {
  if (value === undefined || value === null) return "";
  return kind === "json" || typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A value that the description does not know stays one of the choices, so that it is not lost. */
function choice(known, text) {
  const choices = [...new Set(["", ...known, text])];
  return h("select", {}, ...choices.map((each) => h("option", { value: each, selected: each === text }, each)));
}

function writable(kind, text, maxLength = 0) {
  const isLong = kind === "json" || maxLength > LONG || /[\r\n]/.test(text);
  return h(isLong ? "textarea" : "input", { value: text });
}

function read(name, kind, text) {
  if (kind === "string" || kind === "choice") return text;
  if (kind === "json") return parsed(name, text);
  const number = Number(text);
  if (!Number.isFinite(number)) throw wrong(name, "Is not a number.");
  return number;
}

function parsed(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(name, "Is not JSON.");
  }
}

function wrong(name, text) {
  return Object.assign(new Error(`${name}: ${text}`), { fields: [[name, text]] });
}
