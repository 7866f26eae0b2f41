/** Which field each column becomes: by its name, or as it was chosen the last time. */
import { type Catalogue, nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { fieldLabel, humanized } from "../i18n/words";
import type { Sheet } from "./sheets";
import { SCALES, type Writing, writingsOf } from "./written";

/** Of a column: its field, ``company.name`` of the record that it refers to, or nothing; and how it writes values. */
export interface Column {
  field: string;
  writing?: Writing;
}

export type Mapping = Record<string, Column>;

const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** What may tell a reference: its target's own name, such as that of a company. */
export interface Lookup {
  source: string;
  reference: string;
  target: string;
  field: string;
}

export function lookupsOf(model: Model, catalogue: Catalogue): Lookup[] {
  const settable = new Set(model.fields.filter((field) => field.settable.includes("create")).map(({ name }) => name));
  return model.relations.flatMap(({ name, model: target, reference, many }) => {
    if (many || !settable.has(reference)) return [];
    const found = catalogue.get(target);
    const naming = found?.fields.find((field) => field.name === found.label?.[0] && field.filterable);
    return naming ? [{ source: `${name}.${naming.name}`, reference, target, field: naming.name }] : [];
  });
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** Which field each column becomes, as far as its name tells; empty where it tells nothing. */
export function guessed(model: Model, sheet: Sheet, lookups: readonly Lookup[], label: (name: string) => string): Record<string, string> {
  const names = new Map<string, string>();
  for (const { name, settable } of model.fields) {
    if (settable.includes("create")) for (const known of [name, fieldLabel(name), humanized(name), label(name)]) names.set(plain(known), name);
  }
  const taken = new Set<string>();
  return Object.fromEntries(
    sheet.columns.map((column) => {
      const field = names.get(plain(column)) ?? "";
      const lookup = lookups.find(({ reference }) => reference === field);
      const isNamed = lookup && sheet.rows.some((row) => row[column] && !ID.test(String(row[column])));
      const found = isNamed ? lookup.source : field;
      const isFree = found !== "" && !taken.has(found);
      taken.add(found);
      return [column, isFree ? found : ""];
    }),
  );
}

/** A column that becomes a field, with the way of writing that its values look like. */
export function columnOf(model: Model, sheet: Sheet, column: string, field: string, locale: string): Column {
  const found = model.fields.find(({ name }) => name === field);
  const writing = found && sheet.isText ? writingsOf(found)?.guess(sheet.rows.map((row) => String(row[column] ?? "")), locale) : undefined;
  // Nobody counts in hundredths in a spreadsheet, as our own exports do.
  const isWhole = writing === "stored" && sheet.encoding === undefined && found?.display !== undefined && found.display in SCALES;
  return writing ? { field, writing: isWhole ? "point" : writing } : { field };
}

/** The fields that a record needs and no column becomes. */
export function unmapped(model: Model, mapping: Mapping, lookups: readonly Lookup[]): readonly Field[] {
  const mapped = new Set(Object.values(mapping).map(({ field }) => lookups.find((lookup) => lookup.source === field)?.reference ?? field));
  return model.fields.filter(({ name, required, settable }) => required && settable.includes("create") && !mapped.has(name));
}

const MEMORY = "rowgate.mappings";
/** Kinds of files that are remembered, of all models. */
const REMEMBERED = 30;

type Kept = readonly (readonly [key: string, mapping: Mapping])[];

function kept(person: string): Kept {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(`${MEMORY}:${person}`) ?? "[]");
    return Array.isArray(found) ? (found as Kept) : [];
  } catch {
    return [];
  }
}

const keyOf = (model: Model, columns: readonly string[]) => JSON.stringify([nameOf(model), ...columns]);

/** What a person has made of a file with these columns before, as far as the model still takes it. */
export function remembered(person: string, model: Model, columns: readonly string[], lookups: readonly Lookup[]): Mapping | undefined {
  const found = kept(person).find(([key]) => key === keyOf(model, columns))?.[1];
  const sources = new Set(["", ...lookups.map(({ source }) => source), ...model.fields.filter(({ settable }) => settable.includes("create")).map(({ name }) => name)]);
  return found && columns.every((column) => sources.has(found[column]?.field ?? "?")) ? found : undefined;
}

/** Remember in this browser what a person made of a file with these columns. */
export function remember(person: string, model: Model, columns: readonly string[], mapping: Mapping): void {
  const key = keyOf(model, columns);
  const others = kept(person).filter(([each]) => each !== key);
  try {
    localStorage.setItem(`${MEMORY}:${person}`, JSON.stringify([[key, mapping], ...others].slice(0, REMEMBERED)));
  } catch {
    // Where a browser has no room, the next file is mapped anew: what was imported has been.
  }
}
