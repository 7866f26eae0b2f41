/** Exact values as people type them, in the one form that the service has. Nothing here goes through a float. */

const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
const CLOCK = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;
const PARTS = /^(?:(\d+)\s*d[a-z]*)?\s*(?:(\d+)\s*(?:h|st)[a-z]*)?\s*(?:(\d+)\s*m(?:in[a-z]*)?)?\s*(?:(\d+)\s*s[a-z]*)?$/;

/** A decimal number with a point or a comma, and with spaces or apostrophes between thousands; undefined for what is none. */
export function decimalOf(text: string): string | undefined {
  const plain = text.trim().replace(/[\s'’]/g, "");
  const separators = plain.match(/[.,]/g) ?? [];
  const last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  // One separator alone is that of the decimals; of several alike, all stand between thousands.
  const isMixed = new Set(separators).size === 2;
  if (isMixed && separators.filter((each) => each === plain[last]).length > 1) return undefined;
  const hasDecimals = separators.length === 1 || isMixed;
  const whole = (hasDecimals ? plain.slice(0, last) : plain).replace(/[.,]/g, "");
  const decimals = hasDecimals ? plain.slice(last + 1) : "";
  if (!/^-?\d+$/.test(whole) || (hasDecimals && !/^\d+$/.test(decimals))) return undefined;
  const short = whole.replace(/^(-?)0+(?=\d)/, "$1");
  return decimals === "" ? short : `${short}.${decimals}`;
}

/** The seconds of a duration of the service; undefined for a text that is none. */
export function secondsOf(iso: string): number | undefined {
  const found = ISO.exec(iso);
  if (!found || iso === "P" || iso.endsWith("T")) return undefined;
  const [weeks, days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  return (((weeks! * 7 + days!) * 24 + hours!) * 60 + minutes!) * 60 + seconds!;
}

/** A duration as somebody types it: `1:30`, `1h 30m`, `2 days`, or as the service has it; undefined for what is none. */
export function durationOf(text: string): string | undefined {
  const given = text.trim();
  if (secondsOf(given.toUpperCase()) !== undefined) return given.toUpperCase();
  const clock = CLOCK.exec(given);
  if (clock) return isoOf(0, Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0));
  const parts = given === "" ? null : PARTS.exec(given.toLowerCase());
  return parts ? isoOf(...(parts.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number])) : undefined;
}

function isoOf(days: number, hours: number, minutes: number, seconds: number): string {
  const time = `${hours ? `${hours}H` : ""}${minutes ? `${minutes}M` : ""}${seconds ? `${seconds}S` : ""}`;
  return days || time ? `P${days ? `${days}D` : ""}${time ? `T${time}` : ""}` : "PT0S";
}

/** A point on the earth. */
export interface Point {
  lat: number;
  lng: number;
}

/** An amount in a currency. */
export interface Money {
  amount: string;
  currency: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
export const isPoint = (value: unknown): value is Point => isRecord(value) && typeof value.lat === "number" && typeof value.lng === "number";
export const isMoney = (value: unknown): value is Money => isRecord(value) && typeof value.amount === "string" && typeof value.currency === "string";
