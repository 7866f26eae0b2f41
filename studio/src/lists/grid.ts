/** Cells of a list as those of a spreadsheet: which are chosen, what they say, and what a block of text makes of them. */
import type { Row } from "@rowgate/client/react-admin";

import { Refusal } from "../api/sentences";
import { typeOf, valuesOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { columnOf } from "../importing/mapping";
import { SCALES, answered, converter } from "../importing/written";
import { isMoney } from "../values/exact";

export interface Place {
  row: number;
  column: number;
}

/** From where cells were chosen, to where one is. */
export interface Range {
  anchor: Place;
  head: Place;
}

export interface Size {
  rows: number;
  columns: number;
  /** Rows in sight. */
  page: number;
}

/** The id of a cell in the page. */
export const cellId = (grid: string, { row, column }: Place) => `${grid}${row}-${column}`;

/** The words for fields and their values. */
export interface Words {
  field: (name: string) => string;
  value: (name: string, value: string) => string;
}

const within = (value: number, most: number) => Math.min(Math.max(value, 0), most);

/** Where a key leads to; nothing for those that lead nowhere. */
export function moved({ anchor, head }: Range, key: string, isExtending: boolean, isFar: boolean, size: Size): Range | undefined {
  const [bottom, right] = [size.rows - 1, size.columns - 1];
  const steps: Record<string, Place> = {
    ArrowUp: { row: isFar ? 0 : head.row - 1, column: head.column }, ArrowDown: { row: isFar ? bottom : head.row + 1, column: head.column },
    ArrowLeft: { row: head.row, column: isFar ? 0 : head.column - 1 }, ArrowRight: { row: head.row, column: isFar ? right : head.column + 1 },
    PageUp: { row: head.row - size.page, column: head.column }, PageDown: { row: head.row + size.page, column: head.column },
    Home: { row: isFar ? 0 : head.row, column: 0 }, End: { row: isFar ? bottom : head.row, column: right },
  };
  const step = steps[key];
  if (!step) return undefined;
  const next = { row: within(step.row, bottom), column: within(step.column, right) };
  return { anchor: isExtending ? anchor : next, head: next };
}

export function boundsOf({ anchor, head }: Range) {
  return {
    top: Math.min(anchor.row, head.row), bottom: Math.max(anchor.row, head.row), left: Math.min(anchor.column, head.column), right: Math.max(anchor.column, head.column),
  };
}

/** The text of a cell, which a spreadsheet reads as what it is and a cell takes back. */
export function textOf(field: Field, value: unknown): string {
  if (value === null || value === undefined) return "";
  const scale = SCALES[field.display ?? ""];
  if (scale && typeof value === "number") return (value / 10 ** scale).toFixed(scale === 2 ? 2 : 6);
  if (isMoney(value)) return `${value.amount} ${value.currency}`;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** What of one record is changed, by the place of its row. */
export type Changes = ReadonlyMap<number, Record<string, unknown>>;

/** Records that one request changes. */
export const MOST = 1000;
const TYPED_ELSEWHERE = ["json", "vector", "point", "file", "image", "position"];

/**
 * What a block of texts changes that is put over cells from their upper left one on. One text fills all cells that are chosen.
 * Throws Refusal where it reaches over the list, or into what cannot be changed here.
 */
export function changesOf(model: Model, fields: readonly Field[], count: number, range: Range, block: readonly (readonly string[])[], locale: string, words: Words): Changes {
  const { top, left, bottom, right } = boundsOf(range);
  const isOne = block.length === 1 && block[0]!.length === 1;
  const filled = isOne ? Array.from({ length: bottom - top + 1 }, () => Array.from({ length: right - left + 1 }, () => block[0]![0]!)) : block;
  if (filled.length > MOST) throw new Refusal("studio.grid.too_many", { smart_count: MOST });
  const columns = Math.max(...filled.map(({ length }) => length));
  if (top + filled.length > count || left + columns > fields.length) throw new Refusal("studio.grid.too_large", { rows: filled.length, columns });
  const changes = new Map<number, Record<string, unknown>>(filled.map((_, at) => [top + at, {}]));
  for (let at = 0; at < columns; at++) {
    const field = fields[left + at]!;
    if (!isSettable(model, field)) throw new Refusal("studio.grid.fixed", { field: words.field(field.name) });
    const read = readerOf(model, field, filled.map((row) => row[at] ?? ""), locale, (value) => words.value(field.name, value));
    filled.forEach((row, place) => (changes.get(top + place)![field.name] = read(row[at] ?? "")));
  }
  return changes;
}

export const isSettable = (model: Model, field: Field) => Boolean(model.operations.update) && field.settable.includes("update") && !TYPED_ELSEWHERE.includes(typeOf(field));

/** Returns what a text means for a field, written as the column of it looks like; what it cannot mean is for the service to refuse. */
function readerOf(model: Model, field: Field, column: readonly string[], locale: string, label: (value: string) => string): (text: string) => unknown {
  const sheet = { name: "", columns: ["c"], rows: column.map((c) => ({ c })), isText: true };
  const convert = converter(field, columnOf(model, sheet, "c", field.name, locale).writing);
  const choices = new Map(typeOf(field) === "enum" ? valuesOf(field).flatMap((value) => [[value.toLowerCase(), value], [label(value).toLowerCase(), value]] as const) : []);
  return (given) => {
    const text = given.trim();
    if (text === "") return null;
    const value = convert(text);
    if (field.type === "integer" || field.type === "number") return Number.isFinite(Number(value)) ? Number(value) : value;
    if (field.type === "array<string>") return text.split(/\s*[,;\n]\s*/).filter(Boolean);
    if (choices.size > 0) return choices.get(text.toLowerCase()) ?? text;
    return field.type === "boolean" || field.type === "money" ? (answered(field, value) || value) : value;
  };
}

/** The first row of what is chosen, for all that are below it: as they are, not as texts. */
export function filledDown(model: Model, fields: readonly Field[], rows: readonly Row[], range: Range, words: Words): Changes {
  const { top, left, bottom, right } = boundsOf(range);
  if (bottom - top > MOST) throw new Refusal("studio.grid.too_many", { smart_count: MOST });
  const chosen = fields.slice(left, right + 1);
  const fixed = chosen.find((field) => !isSettable(model, field));
  if (fixed) throw new Refusal("studio.grid.fixed", { field: words.field(fixed.name) });
  const values = Object.fromEntries(chosen.map(({ name }) => [name, rows[top]![name] ?? null]));
  return new Map(Array.from({ length: bottom - top }, (_, at) => [top + 1 + at, values]));
}
