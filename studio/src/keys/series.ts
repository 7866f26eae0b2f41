/** The series that charts and tables of use show, and how their times read. */
import type { Interval, Latency, Point } from "./keys";

/** In the order in which bars stand upon each other. */
const OUTCOMES = ["VALID", "RATE_LIMITED", "USAGE_EXCEEDED", "INSUFFICIENT_PERMISSIONS", "FORBIDDEN", "DISABLED", "EXPIRED", "REVOKED", "NOT_FOUND"];

/** The latencies that are shown, each with its word. */
export const LATENCIES: readonly { name: keyof Latency; word: string }[] = [
  { name: "average", word: "studio.keys.latency_median" }, { name: "p95", word: "studio.keys.latency_p95" }, { name: "max", word: "studio.keys.latency_slowest" },
];

/** The outcomes that there were; those that are not known yet come last. */
export function outcomesIn(points: readonly Point[]): readonly string[] {
  const found = new Set(points.flatMap(({ outcomes }) => Object.keys(outcomes)));
  const place = (outcome: string) => (OUTCOMES.indexOf(outcome) + OUTCOMES.length + 1) % (OUTCOMES.length + 1);
  return [...found].sort((one, other) => place(one) - place(other));
}

// Days are those of UTC, by which the service counts them; hours are the reader's.
export function timeOf(time: string, interval: Interval, locale: string): string {
  const options: Intl.DateTimeFormatOptions = interval === "hour" ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", timeZone: "UTC" };
  return new Intl.DateTimeFormat(locale, options).format(new Date(time));
}

export function exactTimeOf(time: string, interval: Interval, locale: string): string {
  const options: Intl.DateTimeFormatOptions =
    interval === "hour" ? { dateStyle: "medium", timeStyle: "short" } : { day: "numeric", month: "short", year: "numeric", timeZone: "UTC", timeZoneName: "short" };
  return new Intl.DateTimeFormat(locale, options).format(new Date(time));
}
