/** How people write numbers, days and truths in their files, and what the service takes of them. */
import type { Field } from "../catalogue/types";

/** ``stored``: as the service writes it. */
export type Writing = "stored" | "point" | "comma" | "dmy" | "mdy" | "ymd" | "words";

export interface Writings {
  choices: readonly Writing[];
  guess: (values: readonly string[], locale: string) => Writing;
  convert: (value: string, writing: Writing) => string;
}

/** Amounts that the service counts in hundredths and in millionths: as digits behind the point. */
export const SCALES: Readonly<Record<string, number>> = { money: 2, micros: 6 };
/** Cells that are looked at to guess how a column writes its values. */
const LOOKED_AT = 1000;

/** The ways in which values of a field are written; undefined of those that are written in one way. */
export function writingsOf(field: Field): Writings | undefined {
  if (["integer", "number", "decimal"].includes(field.type)) return numbers(SCALES[field.display ?? ""] ?? 0, false);
  if (field.type === "money") return numbers(0, true);
  if (field.type === "date" || field.type === "timestamp") return days(field.type === "timestamp");
  return field.type === "boolean" ? TRUTHS : undefined;
}

/** Returns what the service takes of a cell; one that is not written so stays as it is, for the service to refuse. */
export function converter(field: Field | undefined, writing: Writing | undefined): (cell: string) => string {
  const writings = field && writing && writing !== "stored" ? writingsOf(field) : undefined;
  return (cell) => (writings && cell.trim() !== "" ? writings.convert(cell.trim(), writing!) : cell);
}

const STORED = /^-?\d+(\.\d+)?$/;
const SEPARATED = { point: /^[-+]?(\d{1,3}([,'’ \u00a0\u202f]\d{3})+|\d+)?(\.\d+)?$/, comma: /^[-+]?(\d{1,3}([.'’ \u00a0\u202f]\d{3})+|\d+)?(,\d+)?$/ };
/** A currency or a percent sign, before or behind. */
const UNITS = /^([€$£¥%]|[A-Z]{3}\b)?\s*(.*?)\s*([€$£¥%]|\b[A-Z]{3})?$/;
const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", "£": "GBP" };

/** Numbers, which the service counts in parts where they have a ``scale``, and keeps with a currency where they are amounts of one. */
function numbers(scale: number, isPriced: boolean): Writings {
  const parts = (value: string) => {
    const [, before = "", bare = value, behind = ""] = UNITS.exec(value) ?? [];
    return { bare, unit: before || behind };
  };
  const fits = (writing: "point" | "comma") => (value: string) => SEPARATED[writing].test(parts(value).bare);
  return {
    choices: ["stored", "point", "comma"],
    guess(values, locale) {
      const looked = sample(values);
      const isStored = (value: string) => (isPriced ? /^-?\d+(\.\d+)? [A-Z]{3}$/ : STORED).test(value) && !(scale && value.includes("."));
      const mayBeThousands = usual(locale) === "comma" && looked.every((value) => /^\d{1,3}\.\d{3}$/.test(value));
      if (looked.every(isStored) && !(looked.length && mayBeThousands)) return "stored";
      return best(looked, { point: fits("point"), comma: fits("comma") }, usual(locale));
    },
    convert(value, writing) {
      const { bare, unit } = parts(value);
      if (!/\d/.test(bare) || !fits(writing as "point" | "comma")(bare)) return value;
      const plain = shifted(bare.replace(writing === "point" ? /[,'’ \u00a0\u202f+]/g : /[.'’ \u00a0\u202f+]/g, "").replace(",", "."), scale);
      return isPriced && unit ? `${plain} ${SIGNS[unit] ?? unit}` : plain;
    },
  };
}

/** A number with its point so many digits further to the right, exactly. */
function shifted(text: string, digits: number): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  const rest = fraction.slice(digits).replace(/0+$/, "");
  const all = `${whole}${fraction.slice(0, digits).padEnd(digits, "0")}`.replace(/^0+(?=\d)/, "") || "0";
  if (digits === 0) return `${sign}${all}${fraction && `.${fraction}`}`;
  return `${sign}${all}${rest && `.${rest}`}`;
}

const ISO_DAY = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,]+(.+))?$/;
const DAY = /^(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4}|\d{2})(?:[T ,]+(.+))?$/;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([ap])?\.?m?\.?$/i;
const MOMENT = /^\d{4}-\d{2}-\d{2}T.*(Z|[-+]\d{2}:?\d{2})$/;

function days(isMoment: boolean): Writings {
  const isStored = isMoment ? MOMENT : /^\d{4}-\d{2}-\d{2}$/;
  return {
    choices: ["stored", "ymd", "dmy", "mdy"],
    guess(values, locale) {
      const looked = sample(values);
      if (looked.every((value) => isStored.test(value))) return "stored";
      const fits = (writing: Writing) => (value: string) => read(value, writing) !== undefined;
      return best(looked, { ymd: fits("ymd"), dmy: fits("dmy"), mdy: fits("mdy") }, looked.some((value) => value.includes(".")) ? "dmy" : firstOf(locale));
    },
    convert(value, writing) {
      const found = read(value, writing);
      if (!found || isStored.test(value)) return value;
      const [year, month, day, hour, minute, second] = found;
      if (!isMoment) return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
      return new Date(year, month - 1, day, hour, minute, second).toISOString();
    },
  };
}

type Parts = [year: number, month: number, day: number, hour: number, minute: number, second: number];

const pad = (value: number, length = 2) => String(value).padStart(length, "0");

/** The parts of a day, and of a time of the reader's zone; undefined of what is not written so, or is no day. */
function read(value: string, writing: Writing): Parts | undefined {
  const [, first, second, third, time] = (writing === "ymd" ? ISO_DAY : DAY).exec(value.replace(/Z$/, "")) ?? [];
  if (!first || !second || !third) return undefined;
  const [year, month, day] = writing === "ymd" ? [first, second, third] : writing === "dmy" ? [third, second, first] : [third, first, second];
  const at = time === undefined ? [0, 0, 0] : clock(time);
  const parts = [year.length === 2 ? century(Number(year)) : Number(year), Number(month), Number(day)] as const;
  const date = new Date(Date.UTC(parts[0], parts[1] - 1, parts[2]));
  return at && date.getUTCMonth() === parts[1] - 1 && date.getUTCDate() === parts[2] ? [...parts, at[0]!, at[1]!, at[2]!] : undefined;
}

function clock(text: string): number[] | undefined {
  const [, hour, minute, second = "0", half] = TIME.exec(text.trim()) ?? [];
  if (hour === undefined) return undefined;
  const at = [half ? (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hour), Number(minute), Number(second)];
  return at[0]! < 24 && at[1]! < 60 && at[2]! < 60 ? at : undefined;
}

/** Years of two digits lie in the past, but for the next twenty. */
function century(year: number): number {
  const now = new Date().getFullYear();
  return year + 2000 > now + 20 ? year + 1900 : year + 2000;
}

const TRUE = new Set(["true", "yes", "y", "x", "1", "on", "ja", "j", "wahr", "✓"]);
const FALSE = new Set(["false", "no", "n", "-", "0", "off", "nein", "falsch"]);

const TRUTHS: Writings = {
  choices: ["stored", "words"],
  guess: (values) => (sample(values).every((value) => value === "true" || value === "false") ? "stored" : "words"),
  convert(value) {
    const word = value.toLowerCase();
    return TRUE.has(word) ? "true" : FALSE.has(word) ? "false" : value;
  },
};

/** What the service takes of a cell, as it would answer it; to be shown. */
export function answered(field: Field, text: string): unknown {
  if (field.type === "boolean") return text === "true" ? true : text === "false" ? false : "";
  if (field.type === "money") {
    const [amount, currency] = text.split(" ");
    return { amount, currency };
  }
  return text;
}

const sample = (values: readonly string[]) => values.map((value) => value.trim()).filter(Boolean).slice(0, LOOKED_AT);

/** The writing that fits most values, and of several the usual one. */
function best<Name extends Writing>(values: readonly string[], fits: Record<Name, (value: string) => boolean>, usually: Name): Name {
  const count = (name: Name) => values.filter(fits[name]).length;
  return (Object.keys(fits) as Name[]).reduce((found, name) => (count(name) > count(found) ? name : found), usually);
}

/** What stands before the fraction in a language. */
function usual(locale: string): "point" | "comma" {
  return new Intl.NumberFormat(locale).formatToParts(1.5).some(({ type, value }) => type === "decimal" && value === ",") ? "comma" : "point";
}

/** What a day begins with in a language. */
function firstOf(locale: string): "ymd" | "dmy" | "mdy" {
  const first = new Intl.DateTimeFormat(locale).formatToParts(new Date(2000, 0, 1)).find(({ type }) => type !== "literal")?.type;
  return first === "year" ? "ymd" : first === "month" ? "mdy" : "dmy";
}
