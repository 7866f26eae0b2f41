/** What forms of records begin with, which inputs they have, and what of them is sent. */
import { VERSION } from "@rowgate/client/react-admin";

import { isSettable } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";

export type Row = Record<string, unknown> & { id: string };

/** The defaults that a form can show: those that the service works out are its own. */
export function defaultsOf(model: Model): Record<string, unknown> {
  const usual = model.fields.filter((field) => isSettable(field, "create") && field.default !== undefined);
  const isKnown = (value: unknown) => !(typeof value === "string" && value.startsWith("$"));
  return Object.fromEntries(usual.filter(({ default: value }) => isKnown(value)).map(({ name, default: value }) => [name, value]));
}

/** The values that an address gives to a new record. */
export function given(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What a copy of the record begins with: what may be set, but for what is unique. */
export function copyOf(model: Model, record: Row): Record<string, unknown> {
  const copied = model.fields.filter((field) => isSettable(field, "create") && field.readable && !field.unique && record[field.name] !== null);
  return Object.fromEntries(copied.map(({ name }) => [name, record[name]]));
}

/** What of a form is sent: the fields that may be changed. */
export function writable(model: Model, data: Row): Row {
  const names = new Set(model.fields.filter((field) => isSettable(field, "update")).map(({ name }) => name));
  return Object.fromEntries(Object.entries(data).filter(([name]) => names.has(name) || name === "id" || name === VERSION)) as Row;
}

/** Whether a field is left to its default as a rule. */
function isOptional(model: Model, field: Field): boolean {
  if (field.required || model.label?.includes(field.name)) return false;
  return ["json", "vector"].includes(field.type) || field.name === model.scope.column || !field.readable;
}

/** The fields of a form: those that are shown at once, and those behind a button. */
export function inputsOf(model: Model, on: "create" | "update", brief = false): { usual: readonly Field[]; further: readonly Field[] } {
  const settable = model.fields.filter((field) => isSettable(field, on) && !field.returnedOnce);
  const usual = settable.filter((field) => (brief ? field.required || model.label?.includes(field.name) : !isOptional(model, field)));
  return { usual, further: settable.filter((field) => !usual.includes(field)) };
}

const differ = (one: unknown, other: unknown) => JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);

/** What of a record somebody has changed, and what of that somebody else has changed meanwhile, to something else. */
export function compared(model: Model, base: Row, mine: Row, stored: Row | undefined): { changed: readonly Field[]; contested: readonly Field[] } {
  const changed = model.fields.filter((field) => isSettable(field, "update") && field.readable && differ(mine[field.name], base[field.name]));
  const isContested = ({ name }: Field) => stored !== undefined && differ(stored[name], base[name]) && differ(stored[name], mine[name]);
  return { changed, contested: changed.filter(isContested) };
}
