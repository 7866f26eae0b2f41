// @vitest-environment happy-dom
/** What stands beside a record and around lists: names in comments, tabs, pins, widths of columns, accents, short times. */
import { act, renderHook } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { getContrastRatio } from "@mui/material";

import { fieldOf } from "../src/catalogue/catalogue";
import { colours } from "../src/design/tokens";
import { accentOf, keepAccent, useAccent } from "../src/layout/accent";
import { forgetVisits, togglePin, usePins, useVisits, visit } from "../src/layout/pins";
import { readable } from "../src/layout/theme";
import { fittedWidths } from "../src/lists/widths";
import { inOrder } from "../src/records/ShowPage";
import { mentionedIn, namedAt } from "../src/records/commenting";
import { shortMoment } from "../src/values/formats";
import { catalogue, modelOf } from "./service";

const PEOPLE = [{ id: "1", name: "Ada" }, { id: "2", name: "Ada Byron" }, { id: "3", name: "Grace" }];

beforeEach(() => localStorage.clear());

describe("a comment", () => {
  it("names the people behind an @, by the longest name that fits", () => {
    expect(["@Ada Byron, look", "(@Ada) look", "mail@Grace", "Grace", "@grace", "@Adam"].map((text) => mentionedIn(text, PEOPLE))).toEqual([["2"], ["1"], [], [], [], []]);
    expect(mentionedIn("@Ada", [...PEOPLE, { id: "4", name: "Ada" }], ["4"])).toEqual(["4"]);
    expect(mentionedIn("@Grace and @Ada and @Grace", PEOPLE)).toEqual(["3", "1"]);
  });

  it("offers names while one is written, and not within a word", () => {
    expect([namedAt("Hi @Ad", 6), namedAt("@", 1), namedAt("ada@ex", 6), namedAt("no name", 7), namedAt("@Ada\nhi", 7)]).toEqual([{ start: 3, words: "Ad" }, { start: 0, words: "" }, undefined, undefined, undefined]);
  });
});

describe("tabs of what refers to a record", () => {
  it("begin with what one uses, and then with the same domain", () => {
    const related = ["ai-agent/deliverable", "crm/contact", "storage/upload"].map((name) => ({ target: modelOf(name) }));
    const order = (visits: readonly string[]) => inOrder(modelOf("crm/company"), related, visits).map(({ target }) => target.name);
    expect([order([]), order(["storage/upload"])]).toEqual([["contact", "deliverable", "upload"], ["upload", "contact", "deliverable"]]);
  });
});

describe("the navigation", () => {
  it("keeps what each person has pinned, and the last four lists until somebody signs out", () => {
    const { result } = renderHook(() => [usePins("1"), useVisits()]);
    act(() => (togglePin("1", "crm/deal"), togglePin("1", "crm/contact"), togglePin("1", "crm/deal"), togglePin("2", "crm/company")));
    act(() => ["a", "b", "c", "b", "d", "e"].forEach(visit));
    expect(result.current).toEqual([["crm/contact"], ["e", "d", "b", "c"]]);
    act(forgetVisits);
    expect(result.current).toEqual([["crm/contact"], []]);
  });

  it("breaks at nothing that another program has left there", () => {
    localStorage.setItem("rowgate.pins:1", '{"a":1}');
    localStorage.setItem("rowgate.visits", "x");
    expect(renderHook(() => [usePins("1"), useVisits()]).result.current).toEqual([[], []]);
  });
});

describe("columns", () => {
  const model = modelOf("crm/company");
  const widths = (names: readonly string[], rows: readonly Record<string, unknown>[]) => fittedWidths(catalogue, model, names.map((name) => fieldOf(model, name)!), rows, ({ name }) => name);

  it("are as wide as what they hold, within bounds", () => {
    const { name, industry } = widths(["name", "industry"], [{ name: "Harbour Works and Sons", industry: "ships" }]) as { name: number; industry: number };
    expect(name).toBeGreaterThan(industry);
    expect(widths(["name"], [{ name: "x".repeat(500) }]).name).toBe(340);
    expect(widths(["name"], []).name).toBeGreaterThanOrEqual(84);
  });

  it("are made no wider by the few long values", () => {
    const short = Array.from({ length: 50 }, () => ({ name: "Harbour" }));
    expect(widths(["name"], [...short, { name: "x".repeat(90) }])).toEqual(widths(["name"], short));
  });
});

describe("the accent of an organization", () => {
  it.each([[{ accent: "#0A7D5C" }, "#0a7d5c"], [{ accent: "red" }, undefined], [{ accent: 3 }, undefined], [null, undefined], [{}, undefined]])("of %j is %s", (metadata, accent) => expect(accentOf(metadata)).toBe(accent));

  it.each(["#ffff00", "#0a7d5c", "#000000", "#ffffff", "#ff9d94"])("%s can be read in both themes", (accent) => {
    for (const mode of ["light", "dark"] as const) expect(getContrastRatio(readable(accent, mode), colours[mode].paper)).toBeGreaterThanOrEqual(4.5);
  });

  it("is known at the next visit, and goes with another organization", () => {
    const { result } = renderHook(useAccent);
    act(() => keepAccent("#0a7d5c"));
    expect(result.current).toBe("#0a7d5c");
    act(() => keepAccent(undefined));
    expect(result.current).toBeUndefined();
  });
});

describe("a time in a table", () => {
  const now = Date.parse("2027-06-15T12:00:00Z");
  it.each([["2027-06-15T11:00:00Z", "1 hr. ago"], ["2027-06-14T12:00:00Z", "yesterday"], ["2027-03-02T12:00:00Z", "Mar 2"], ["2026-03-02T12:00:00Z", "Mar 2, 2026"]])("%s is told as %s", (value, told) => expect(shortMoment(value, "en", now)).toBe(told));
});
