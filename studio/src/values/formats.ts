/** Numbers, amounts and moments in the reader's language and zone. */
import type { Model } from "../catalogue/types";
import { fieldOf } from "../catalogue/catalogue";

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

/** How many digits a currency has behind the point. The service counts all in hundredths. */
export function money(hundredths: number, currency: string, locale: string): string {
  try {
    return numbers(locale, { style: "currency", currency }).format(hundredths / 100);
  } catch {
    return `${numbers(locale, { minimumFractionDigits: 2 }).format(hundredths / 100)} ${currency}`;
  }
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
export function distance(value: string, locale: string, now = Date.now()): string {
  const difference = new Date(value).getTime() - now;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(difference) >= step) ?? ["second", 1000];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(difference / size), unit);
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
