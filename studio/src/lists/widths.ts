/** How wide columns are until somebody draws them: as what they hold. */
import { labelOf, typeOf, valuesOf } from "../catalogue/catalogue";
import type { Catalogue } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";

export const NUMERIC = ["integer", "number", "decimal", "money", "duration"];

/** Pixels: of a letter on average, of what stands around a text, and the bounds of a column. */
const [LETTER, AROUND, NARROWEST, WIDEST] = [7.4, 28, 84, 340];
/** So many records say how wide a column is. */
const LOOKED_AT = 100;

/** Types whose values are all about as long. */
const LETTERS: Readonly<Record<string, number>> = { timestamp: 13, date: 12, time: 6, boolean: 4, color: 9, image: 6, file: 16, integer: 8, number: 8, decimal: 9, money: 12, duration: 10 };

type Row = Readonly<Record<string, unknown>>;

/** The width of each column in pixels. Few values that are much longer than the others make none wider. */
export function fittedWidths(catalogue: Catalogue, model: Model, fields: readonly Field[], rows: readonly Row[], label: (field: Field) => string): Readonly<Record<string, number>> {
  const looked = rows.slice(0, LOOKED_AT);
  return Object.fromEntries(fields.map((field) => {
    const letters = Math.max(label(field).length, lettersOf(catalogue, model, field, looked));
    return [field.name, Math.round(Math.min(WIDEST, Math.max(NARROWEST, letters * LETTER + AROUND)))];
  }));
}

function lettersOf(catalogue: Catalogue, model: Model, field: Field, rows: readonly Row[]): number {
  const type = typeOf(field);
  if (type === "enum") return Math.max(...valuesOf(field).map(({ length }) => length)) + 3;
  if (field.display === "money" || field.display === "micros") return LETTERS.money!;
  const lengths = rows.map((row) => textOf(catalogue, model, field, row).length).filter((length) => length > 0).sort((one, other) => one - other);
  const usual = lengths[Math.floor((lengths.length - 1) * 0.9)] ?? 0;
  return type in LETTERS && !NUMERIC.includes(type) ? LETTERS[type]! : Math.max(usual, LETTERS[type] ?? 8);
}

function textOf(catalogue: Catalogue, model: Model, field: Field, row: Row): string {
  const value = row[field.name];
  if (value === null || value === undefined) return "";
  const relation = catalogue.relationOf(model, field);
  const beside = relation && (row[relation.name] as Row | null | undefined);
  const target = relation && catalogue.get(relation.model);
  if (beside && target) return labelOf(target, beside) ?? "00000000";
  if (field.references) return "00000000";
  return typeof value === "string" ? value : Array.isArray(value) ? value.join("  ") : String(value);
}
