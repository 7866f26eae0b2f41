/** Files that are imported: read, their columns named after fields, and sent. */
import { pathOf } from "../api/provider";
import { Refusal } from "../api/sentences";
import { type Catalogue, nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { ask } from "../session/transport";
import { fieldLabel, humanized } from "../i18n/words";

export interface Sheet {
  name: string;
  columns: readonly string[];
  rows: readonly Record<string, unknown>[];
  isText: boolean;
}

export interface Report {
  meta: { rows: number; created: number; updated: number; ignored: number; failed: number };
  data: readonly { line: number; code: string; error: string; fields: Record<string, readonly string[]> }[];
}

/** An import that a job does. */
export interface Job extends Omit<Report, "meta"> {
  id: string;
  status: string;
  total: number | null;
  rows: number;
  created: number;
  updated: number;
  ignored: number;
  failed: number;
  error: string | null;
}

/** The text of a file in UTF-8, without its byte order mark; throws Refusal for bytes that would be read as something else. */
async function textOf(file: File): Promise<string> {
  const content = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new Refusal("studio.transfer.encoding");
  }
}

/** Read a file of CSV (whatever parts its cells), JSON or NDJSON; throws Refusal, and SyntaxError. */
export async function readSheet(file: File): Promise<Sheet> {
  const text = await textOf(file);
  if (/\.(json|ndjson|jsonl)$/i.test(file.name) || file.type.includes("json")) return ofObjects(file.name, objects(text));
  const { default: Papa } = await import("papaparse");
  const { data, meta, errors } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: "greedy" });
  // What is read in spite of these is not what the file says.
  const broken = errors.find(({ type, code }) => type === "Quotes" || code === "TooManyFields");
  if (broken) throw new Refusal("studio.transfer.broken", { row: (broken.row ?? 0) + (broken.type === "Quotes" ? 1 : 2) });
  return { name: file.name, columns: meta.fields ?? [], rows: data, isText: true };
}

function objects(text: string): Record<string, unknown>[] {
  const given: unknown = text.trimStart().startsWith("[") ? JSON.parse(text) : text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line) as unknown);
  const isObject = (each: unknown): each is Record<string, unknown> => typeof each === "object" && each !== null && !Array.isArray(each);
  if (!Array.isArray(given) || !given.every(isObject)) throw new Refusal("studio.transfer.no_objects");
  return given;
}

function ofObjects(name: string, rows: Record<string, unknown>[]): Sheet {
  return { name, columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows, isText: false };
}

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

/** The fields that a record needs and no column becomes. */
export function unmapped(model: Model, mapping: Record<string, string>, lookups: readonly Lookup[]): readonly Field[] {
  const mapped = new Set(Object.values(mapping).map((source) => lookups.find((lookup) => lookup.source === source)?.reference ?? source));
  return model.fields.filter(({ name, required, settable }) => required && settable.includes("create") && !mapped.has(name));
}

/** The file as the service takes it: the columns that are mapped, called like their fields. */
async function body(sheet: Sheet, mapping: Record<string, string>): Promise<Blob> {
  const chosen = Object.entries(mapping).filter(([, field]) => field !== "");
  if (!sheet.isText) {
    const rows = sheet.rows.map((row) => JSON.stringify(Object.fromEntries(chosen.filter(([column]) => column in row).map(([column, field]) => [field, row[column]]))));
    return new Blob([rows.join("\n")], { type: "application/x-ndjson" });
  }
  const { default: Papa } = await import("papaparse");
  const rows = sheet.rows.map((row) => chosen.map(([column]) => row[column] ?? ""));
  return new Blob([Papa.unparse({ fields: chosen.map(([, field]) => field), data: rows })], { type: "text/csv" });
}

export interface Options {
  by: string;
  resolution: "error" | "merge" | "ignore";
  partial: boolean;
  dryRun: boolean;
}

/** Import a sheet: a report, or a job where it is long. A dry run counts the good rows, whatever the others are. */
export async function importSheet(model: Model, sheet: Sheet, mapping: Record<string, string>, options: Options, onTransaction: (transaction: string) => void): Promise<Report | Job> {
  const search = new URLSearchParams({ as: sheet.isText ? "csv" : "ndjson" });
  if (options.dryRun) search.set("dryRun", "true");
  if (options.partial || options.dryRun) search.set("partial", "true");
  if (options.resolution !== "error" && options.by) {
    search.set("onConflict", options.by);
    search.set("resolution", options.resolution);
  }
  return ask("POST", `${pathOf(nameOf(model))}/_import?${search}`, await body(sheet, mapping), undefined, onTransaction);
}

/** Wait for the job, and tell how far it is. */
export async function followed(job: Job, advance: (job: Job) => void): Promise<Report> {
  let state = job;
  while (["pending", "running"].includes(state.status)) {
    advance(state);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    state = await ask<Job>("GET", `/api/v1/_imports/${job.id}`);
  }
  if (state.error) throw new Error(state.error);
  const { rows, created, updated, ignored, failed, data } = state;
  return { meta: { rows, created, updated, ignored, failed }, data };
}
