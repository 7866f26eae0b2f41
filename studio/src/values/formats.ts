/** Numbers, amounts and moments in the reader's language and zone. */
import type { Model } from "../catalogue/types";
import { fieldOf } from "../catalogue/catalogue";
import { codeName } from "./codes";
import { type Money, isMoney, isPoint, secondsOf } from "./exact";

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const MINUTE = 60_000;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Formatters take long to make and are asked for each cell of a table. */
function kept<Options, Formatter>(make: (locale: string, options?: Options) => Formatter) {
  const made = new Map<string, Formatter>();
  return (locale: string, options?: Options): Formatter => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const formatter = made.get(key) ?? make(locale, options);
    made.set(key, formatter);
    return formatter;
  };
}

const numbers = kept((locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const distances = kept((locale, options?: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options));
const moments = kept((locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));

export function bytes(value: number, locale: string): string {
  let [amount, unit] = [value, 0];
  while (amount >= 1024 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${numbers(locale, { maximumFractionDigits: 1 }).format(amount)} ${UNITS[unit]}`;
}

export function milliseconds(value: number, locale: string): string {
  const [amount, unit] =
    value < 1000 ? [value, "millisecond"] : value < 2 * MINUTE ? [value / 1000, "second"] : [value / MINUTE, "minute"];
  const options = { style: "unit", unit: unit as string, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return numbers(locale, options).format(amount as number);
}

/** A day of the calendar, whatever the reader's zone. */
export function day(value: string, locale: string): string {
  const at = new Date(`${value}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? value : moments(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at);
}

export function timeOfDay(value: string, locale: string): string {
  const at = new Date(`2000-01-01T${value}Z`);
  return Number.isNaN(at.getTime()) ? value : moments(locale, { timeStyle: value.endsWith(":00") ? "short" : "medium", timeZone: "UTC" }).format(at);
}

const SPANS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;

export function duration(iso: string, locale: string): string {
  let rest = secondsOf(iso);
  if (rest === undefined) return iso;
  const parts: string[] = [];
  for (const [unit, size] of SPANS) {
    const amount = unit === "second" ? rest : Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0 || (unit === "second" && parts.length === 0)) parts.push(numbers(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 3 }).format(amount));
  }
  return parts.join(" ");
}

/** A decimal number with all of its digits, as many as a float would have or more. */
export function decimal(value: string, locale: string): string {
  const digits = value.split(".")[1]?.length ?? 0;
  return numbers(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value as `${number}`);
}

export function price({ amount, currency }: Money, locale: string): string {
  const digits = amount.split(".")[1]?.length ?? 0;
  try {
    return numbers(locale, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount as `${number}`);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** A value of a type that is written in its own way; undefined of the others. */
export function exact(type: string, value: unknown, locale: string): string | undefined {
  if (type === "money" && isMoney(value)) return price(value, locale);
  if (type === "point" && isPoint(value)) return `${number(value.lat, locale)} / ${number(value.lng, locale)}${"km" in value ? ` ± ${String(value.km)} km` : ""}`;
  if (typeof value !== "string") return undefined;
  if (type === "country" || type === "language" || type === "currency") return codeName(type, value, locale);
  return TEXTS[type]?.(value, locale);
}

const TEXTS: Record<string, (value: string, locale: string) => string> = { date: day, time: timeOfDay, duration, decimal };

/** How many digits a currency has behind the point. The service counts all in hundredths. */
export function money(hundredths: number, currency: string, locale: string): string {
  try {
    return numbers(locale, { style: "currency", currency }).format(hundredths / 100);
  } catch {
    return `${numbers(locale, { minimumFractionDigits: 2 }).format(hundredths / 100)} ${currency}`;
  }
}

/** An amount of a currency in few letters. */
export function compactMoney(amount: number, currency: string, locale: string): string {
  return numbers(locale, { style: "currency", currency, notation: "compact", maximumFractionDigits: 1 }).format(amount);
}

export function micros(value: number, currency: string, locale: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  return numbers(locale, { style: "currency", currency, ...digits }).format(value / 1_000_000);
}

export function number(value: number, locale: string): string {
  return numbers(locale, { maximumFractionDigits: 6 }).format(value);
}

export function percent(value: number, locale: string): string {
  return numbers(locale, { style: "percent", maximumFractionDigits: 2 }).format(value / 100);
}

export function moment(value: string, locale: string): string {
  return moments(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(value));
}

export function exactMoment(value: string, locale: string): string {
  return moments(locale, { dateStyle: "full", timeStyle: "long" }).format(new Date(value));
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_557_600_000], ["month", 2_629_800_000], ["week", 604_800_000], ["day", 86_400_000], ["hour", 3_600_000], ["minute", MINUTE],
];

/** How long ago, or until, something is. */
export function distance(value: string, locale: string, now = Date.now(), style: Intl.RelativeTimeFormatStyle = "long"): string {
  const difference = new Date(value).getTime() - now;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(difference) >= step) ?? ["second", 1000];
  return distances(locale, { numeric: "auto", style }).format(Math.round(difference / size), unit);
}

/** Days in which a time is told by how far it is. */
const NEAR = 7 * 86_400_000;

/** A time in few letters: how far it is where it is near, and otherwise its day. */
export function shortMoment(value: string, locale: string, now = Date.now()): string {
  const at = new Date(value);
  if (Math.abs(at.getTime() - now) < NEAR) return distance(value, locale, now, "short");
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  return moments(locale, { day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }) }).format(at);
}

/** The currency of an amount: that of its record, or the service's own. */
export function currencyOf(model: Model, record: Readonly<Record<string, unknown>> | undefined, usual: string): string {
  const own = fieldOf(model, "currency") ? record?.currency : undefined;
  return typeof own === "string" && own !== "" ? own : usual;
}

/** A local time as `datetime-local` inputs have it, of a moment, and back. */
export function toLocal(value: unknown): string {
  if (typeof value !== "string" || value === "") return "";
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

export function fromLocal(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
