/** What the pages of keys make of entries and of counts. */
import { describe, expect, it, vi } from "vitest";

import { EXAMPLES } from "../src/keys/examples";
import { exactTimeOf, outcomesIn, timeOf } from "../src/keys/series";
import { ON_A_DATE, endOf, isAddress, levelOf, limitOf, linesOf, scopesOf, settingsOf } from "../src/keys/values";

describe("examples", () => {
  it.each([["curl", "curl"], ["TypeScript", "createRowgate"], ["Python", "AuthenticatedClient"]])("in %s name this service, and read the key from the environment", (language, mark) => {
    const code = EXAMPLES.find((each) => each.language === language)!.code("https://rowgate.example");
    for (const part of [mark, "https://rowgate.example", "ROWGATE_KEY"]) expect(code).toContain(part);
    expect(code).not.toMatch(/rg_key_/);
  });
});

describe("addresses", () => {
  it.each(["10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.0.0", "0.0.0.0/0", "::1", "2001:db8::/32", "::ffff:10.0.0.1/128"])("%s is one", (text) => expect(isAddress(text)).toBe(true));
  it.each(["", "nowhere", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", "2001:db8::/129", ":::", "fe80::1%eth0"])("%s is none", (text) => expect(isAddress(text)).toBe(false));

  it("are one a line, or between commas", () => expect(linesOf(" 10.0.0.1,\n\n10.0.0.2 \n")).toEqual(["10.0.0.1", "10.0.0.2"]));
  it("are none where nothing was entered", () => expect([linesOf(undefined), settingsOf({})]).toEqual([[], { ipAllowList: [], metadata: {} }]));
});

describe("what a key may do", () => {
  it.each([["read", ["read"]], ["write", ["read", "write"]], ["admin", ["read", "write", "admin"]]])("%s has what is below it, too", (level, scopes) => {
    expect([scopesOf(level), levelOf(scopes)]).toEqual([scopes, level]);
  });

  it("is to read where nothing is known", () => expect([levelOf([]), levelOf(["other"])]).toEqual(["read", "read"]));
});

describe("the end of a key", () => {
  it("is so many days from now, or the end of a day", () => {
    vi.useFakeTimers({ now: new Date("2026-03-01T12:00:00Z") });
    expect(endOf(7, undefined)).toBe("2026-03-08T12:00:00.000Z");
    expect(endOf(ON_A_DATE, "2026-03-31")).toBe(new Date("2026-03-31T23:59:59").toISOString());
    expect(endOf(ON_A_DATE, undefined)).toBeUndefined();
    vi.useRealTimers();
  });
});

it("counts nothing that is no number as a limit", () => expect([5, 0, NaN, "", "5", null].map(limitOf)).toEqual([5, 0, null, null, null, null]));

describe("series", () => {
  const point = (outcomes: Record<string, number>) => ({ time: "2026-03-01T00:00:00Z", requests: 1, outcomes, latencyMs: { average: 1, p95: 1, max: 1 } });

  it("stand in the order of outcomes, those that nobody knows last", () => {
    expect(outcomesIn([point({ NEW: 1, NOT_FOUND: 1 }), point({ VALID: 2, RATE_LIMITED: 1, NOT_FOUND: 3 })])).toEqual(["VALID", "RATE_LIMITED", "NOT_FOUND", "NEW"]);
  });

  it("have days of UTC, wherever the reader is", () => {
    expect([timeOf("2026-03-01T00:00:00Z", "day", "en"), exactTimeOf("2026-03-01T00:00:00Z", "day", "en")]).toEqual(["Mar 1", "Mar 1, 2026, UTC"]);
  });
});
