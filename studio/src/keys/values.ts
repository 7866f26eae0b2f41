/** What the forms of keys hold, and what of it the service is sent. */
import type { Values } from "../organizations/FormDialog";

/** What a key may do, each with what those before it may. */
export const LEVELS = ["read", "write", "admin"] as const;
export type Level = (typeof LEVELS)[number];

export function levelOf(scopes: readonly string[]): Level {
  return [...LEVELS].reverse().find((level) => scopes.includes(level)) ?? "read";
}

export const scopesOf = (level: unknown) => LEVELS.slice(0, LEVELS.indexOf(level as Level) + 1);

/** Days that a new key may last; otherwise a date says until when. */
export const LIVES = [7, 30, 90, 365] as const;
export const ON_A_DATE = "date";

const DAY = 86_400_000;

/** The moment when a key ends: a day counts to its end, where the reader is. */
export function endOf(life: unknown, date: unknown): string | undefined {
  const end = life === ON_A_DATE ? new Date(`${String(date)}T23:59:59`) : new Date(Date.now() + Number(life) * DAY);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** The addresses of a text with one a line. */
export const linesOf = (text: unknown) => (typeof text === "string" ? text : "").split(/[\n,]/).map((line) => line.trim()).filter(Boolean);

/** Whether the service takes this for an address or a network. */
export function isAddress(text: string): boolean {
  const [address = "", mask, ...more] = text.split("/");
  if (more.length > 0) return false;
  if (address.includes(":")) return isIp6(address) && (mask === undefined || isUpTo(mask, 128));
  return isIp4(address) && (mask === undefined || isUpTo(mask, 32) || isIp4(mask));
}

const isUpTo = (text: string, most: number) => /^\d{1,3}$/.test(text) && Number(text) <= most;
const isIp4 = (text: string) => /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256);
// Browsers know what an address is in a URL.
const isIp6 = (text: string) => /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`);

/** What of a form both a new key and a change take. */
export function settingsOf({ ipAllowList, metadata }: Values): Values {
  return { ipAllowList: linesOf(ipAllowList), metadata: metadata ?? {} };
}

/** A number that somebody entered; nothing where they entered none. */
export const limitOf = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
