// @vitest-environment happy-dom
/** Dashboards by themselves: what a definition holds, what is asked for, and how answers are shown. */
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { PanelForm } from "../src/dashboards/PanelForm";
import { answerOf, csvOf, dividing, isKnown, measured, newPanel, panelsOf, queryOf, since, usualPanels } from "../src/dashboards/panels";
import { ZONE } from "../src/values/formats";
import { MODELS, catalogue, modelOf } from "./service";
import { shown } from "./studio";

const DEAL = modelOf("crm/deal");
const BARS = newPanel({ id: "1", kind: "bar", model: "crm/deal", measure: "sum", of: "amount", group: "stage" });

afterEach(cleanup);

describe("a definition", () => {
  it("comes back as it was kept", () => {
    const panels = [BARS, newPanel({ kind: "text", text: "Hello" }), newPanel({ kind: "list", model: "crm/contact", conditions: [["firstName", "eq", "Ada"]] })];
    expect(panelsOf(JSON.parse(JSON.stringify({ panels })))).toEqual(panels);
  });

  it.each([[undefined], [null], [{}], [{ panels: "x" }], [{ panels: [null, 3] }]])("%j has no panels", (given) => expect(panelsOf(given)).toEqual([]));

  it("of somebody else breaks nothing", () => {
    const [panel] = panelsOf({ panels: [{ kind: "pie", model: "crm/deal", conditions: [["nothing", "eq", 1], "x"], measure: "median", by: 7, isWide: "yes" }] });
    expect(panel).toMatchObject({ kind: "text", measure: "count", by: "month", isWide: false });
    expect(isKnown(catalogue, { ...BARS, conditions: panel!.conditions })).toBe(false);
  });
});

describe("a panel", () => {
  it("is known where its model and fields may be read", () => {
    const changed = [{}, { model: "crm/nothing" }, { of: "name" }, { group: "companyId" }, { kind: "figure" as const, group: "" }];
    expect(changed.map((each) => isKnown(catalogue, { ...BARS, ...each }))).toEqual([true, false, false, false, true]);
  });

  it("asks for states by their measure", () =>
    expect(queryOf(DEAL, BARS, { stage: "won" })).toEqual({ where: { stage: "won" }, group: ["stage"], timeZone: ZONE, measures: { sum: ["amount"] }, sort: ["-sum.amount"], take: 12 }));

  it("asks for times by their spans", () =>
    expect(queryOf(DEAL, { ...BARS, measure: "count", of: "", group: "createdAt", by: "week" }, undefined)).toEqual({ group: [{ field: "createdAt", by: "week" }], timeZone: ZONE, measures: { count: true }, sort: ["-createdAt"], take: 100 }));

  it("that is a figure asks for one", () => expect(queryOf(DEAL, { ...BARS, kind: "figure" }, undefined)).toEqual({ group: [], timeZone: ZONE, measures: { sum: ["amount"] } }));

  it("shows states in their own order, and times in theirs", () => {
    const rows = [{ group: { stage: "won" }, sum: { amount: 5 } }, { group: { stage: "lead" }, sum: { amount: 3 } }];
    expect(answerOf(DEAL, BARS, { data: rows, meta: { more: true } })).toEqual({ points: [{ key: "lead", value: 3 }, { key: "won", value: 5 }], hasMore: true });
    const times = ["2027-02-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"].map((createdAt) => ({ group: { createdAt }, count: 1 }));
    const byTime = { ...BARS, measure: "count" as const, group: "createdAt" };
    expect(answerOf(DEAL, byTime, { data: times, meta: {} }).points.map(({ key }) => key)).toEqual([...times].reverse().map(({ group }) => group.createdAt));
  });

  it.each(MODELS)("of $name is divided and measured by fields that the service takes", ({ model }) => {
    for (const field of dividing(model)) expect([field.filterable, field.references]).toEqual([true, undefined]);
    for (const field of measured(model)) expect(["integer", "number", "decimal"]).toContain(field.type);
  });

  it("of the last days begins at a full minute", () => {
    const now = Date.parse("2027-01-31T12:00:30.500Z");
    expect([since(DEAL, 30, now), since(DEAL, 0, now)]).toEqual([[["createdAt", "gte", "2027-01-01T12:00:00.000Z"]], []]);
  });
});

describe("what everybody begins with", () => {
  it("is what they may read", () => expect(usualPanels(catalogue, (key) => key).map(({ id }) => id)).toEqual(["deals", "contacts", "keys"]));
});

describe("a table that is saved", () => {
  it("is CSV, in which nothing is a formula", () =>
    expect(csvOf(["Stage", "Sum"], [["Won, all", 5], ['=1+1"', 2], ["plain", 1]])).toBe('Stage,Sum\r\n"Won, all",5\r\n"\'=1+1""",2\r\nplain,1'));
});

describe("the form of a panel", () => {
  it("keeps none until it says what is shown", async () => {
    const onKeep = vi.fn();
    await shown(<PanelForm panel={newPanel({ kind: "text" })} isNew onKeep={onKeep} onClose={vi.fn()} />);
    const keep = () => screen.getByRole<HTMLButtonElement>("button", { name: "Keep" });
    expect(keep().disabled).toBe(true);
    fireEvent.change(screen.getByLabelText("Text"), { target: { value: "Our goals" } });
    fireEvent.change(screen.getByLabelText("Title"), { target: { value: " Goals " } });
    fireEvent.click(keep());
    expect(onKeep).toHaveBeenCalledWith(expect.objectContaining({ kind: "text", text: "Our goals", title: "Goals" }));
  });
});
