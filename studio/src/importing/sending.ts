/** Sheets that are sent, what the service says of them, and of which row. */
import { pathOf } from "../api/provider";
import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { ask } from "../session/transport";
import type { Mapping } from "./mapping";
import type { Cells, Sheet } from "./sheets";
import { converter } from "./written";

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

/** The columns that are mapped, by the name of their field, and what the service takes of their cells. */
function chosen(model: Model, sheet: Sheet, mapping: Mapping) {
  const fields = new Map(model.fields.map((field) => [field.name, field]));
  return Object.entries(mapping).filter(([, { field }]) => field !== "").map(([column, { field, writing }]) => {
    const convert = converter(fields.get(field), writing);
    return { column, field, cell: (row: Cells) => (sheet.isText ? convert(String(row[column] ?? "")) : row[column]) };
  });
}

/** The file as the service takes it: the columns that are mapped, called like their fields. */
async function body(model: Model, sheet: Sheet, mapping: Mapping): Promise<Blob> {
  const columns = chosen(model, sheet, mapping);
  if (!sheet.isText) {
    const rows = sheet.rows.map((row) => JSON.stringify(Object.fromEntries(columns.filter(({ column }) => column in row).map(({ field, cell }) => [field, cell(row)]))));
    return new Blob([rows.join("\n")], { type: "application/x-ndjson" });
  }
  const { default: Papa } = await import("papaparse");
  const rows = sheet.rows.map((row) => columns.map(({ cell }) => cell(row)));
  return new Blob([Papa.unparse({ fields: columns.map(({ field }) => field), data: rows })], { type: "text/csv" });
}

/** What is wrong with a row of a sheet, by field. */
export interface Fault {
  row: number;
  error: string;
  fields: Readonly<Record<string, readonly string[]>>;
}

/** The faults of a report by their row; the service tells the line in which a row begins. */
export function faultsOf(report: Report, model: Model, sheet: Sheet, mapping: Mapping): readonly Fault[] {
  if (report.data.length === 0) return [];
  const columns = chosen(model, sheet, mapping);
  const rows = new Map<number, number>();
  let line = sheet.isText ? 2 : 1;
  sheet.rows.forEach((row, at) => {
    rows.set(line, at);
    const breaks = sheet.isText ? columns.map(({ cell }) => String(cell(row)).match(/\r\n|\r|\n/g)?.length ?? 0).reduce((sum, each) => sum + each, 0) : 0;
    line += 1 + breaks;
  });
  return report.data.flatMap(({ line: told, error, fields }) => (rows.has(told) ? [{ row: rows.get(told)!, error, fields: fields ?? {} }] : []));
}

export interface Options {
  by: string;
  resolution: "error" | "merge" | "ignore";
  partial: boolean;
  dryRun: boolean;
}

/** Import a sheet: a report, or a job where it is long. A dry run counts the good rows, whatever the others are. */
export async function importSheet(model: Model, sheet: Sheet, mapping: Mapping, options: Options, onTransaction: (transaction: string) => void): Promise<Report | Job> {
  const search = new URLSearchParams({ as: sheet.isText ? "csv" : "ndjson" });
  if (options.dryRun) search.set("dryRun", "true");
  if (options.partial || options.dryRun) search.set("partial", "true");
  if (options.resolution !== "error" && options.by) {
    search.set("onConflict", options.by);
    search.set("resolution", options.resolution);
  }
  return ask("POST", `${pathOf(nameOf(model))}/_import?${search}`, await body(model, sheet, mapping), undefined, onTransaction);
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
