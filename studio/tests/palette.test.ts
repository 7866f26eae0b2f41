/** What the palette of commands offers first. */
import { describe, expect, it } from "vitest";

import { type Command, ranked, scoreOf } from "../src/layout/ranking";

const COMMANDS: readonly Command[] = [
  { kind: "record", label: "Dealers of Hamburg", path: "/crm/company/1/show", isUsed: true },
  { kind: "record", label: "Müller, Ada", path: "/crm/contact/2/show" },
  { kind: "list", label: "List of Contacts", path: "/crm/contact" },
  { kind: "list", label: "List of Deals", path: "/crm/deal" },
  { kind: "list", label: "List of Ideals", path: "/shop/ideal", isUsed: true },
  { kind: "action", label: "New: Deal", path: "/crm/deal/create" },
  { kind: "setting", label: "API keys", path: "/keys" },
  { kind: "search", label: "Search for “deal” in …" },
];
const labels = (words: string) => ranked(COMMANDS, words).map(({ label }) => label);

describe("the palette", () => {
  it("offers the kind with the best answer first, and searches last", () => {
    expect(labels("deal")).toEqual(["Dealers of Hamburg", "List of Deals", "List of Ideals", "New: Deal", "Search for “deal” in …"]);
    expect(labels("new deal")[0]).toBe("New: Deal");
    expect(labels("api")).toEqual(["API keys", "Search for “deal” in …"]);
  });

  it("puts beginnings of words before their middles, and what is used before what is not", () => {
    expect([scoreOf("Deals", "deals"), scoreOf("Deals of May", "deals"), scoreOf("List of Deals", "deals"), scoreOf("Ideals", "deal"), scoreOf("Deals", "keys")]).toEqual([0, 1, 2, 4, undefined]);
    const twice = [{ kind: "list" as const, label: "List of Deals", path: "/a" }, { kind: "list" as const, label: "List of Deals", path: "/b", isUsed: true }];
    expect(ranked(twice, "deals").map(({ path }) => path)).toEqual(["/b", "/a"]);
  });

  it("finds words in any order, and letters without their marks", () => {
    expect(labels("ada muller")[0]).toBe("Müller, Ada");
    expect(labels("müll")[0]).toBe("Müller, Ada");
  });

  it("offers a few of each kind, what is used first, before anybody types", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ kind: "list" as const, label: `List ${at}`, path: `/${at}`, isUsed: at === 40 }));
    expect(ranked(many, "").map(({ path }) => path)).toEqual(["/40", "/0", "/1", "/2", "/3", "/4", "/5", "/6"]);
  });
});
