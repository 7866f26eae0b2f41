// @vitest-environment happy-dom
/** Fields of exact values: what somebody enters and what is sent of it, what is refused, and how values are read. */
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import type { Constraints, Field } from "../src/catalogue/types";
import { FieldInput } from "../src/inputs/FieldInput";
import { operatorKey, operatorsOf } from "../src/lists/conditions";
import { codesOf } from "../src/values/codes";
import { decimalOf, durationOf, secondsOf } from "../src/values/exact";
import { exact } from "../src/values/formats";
import { Value } from "../src/values/Value";
import { modelOf } from "./service";
import { entered, shown } from "./studio";

afterEach(cleanup);

const EVERY = ["eq", "ne", "in", "nin", "isNull", "gt", "gte", "lt", "lte", "within", "near"] as const;
const made = (type: string, constraints: Constraints = {}): Field => ({
  name: "sort", type, settable: ["create", "update"], readable: true, filterable: true, nullable: true, constraints, operators: EVERY,
});
const control = (name = "sort") => document.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
const type = (element: Element, value: string) => fireEvent.change(element, { target: { value } });
const form = (field: Field, value?: unknown) => entered(<FieldInput model={modelOf("crm/deal")} field={field} on="create" />, value === undefined ? {} : { sort: value });

describe("what is entered", () => {
  it.each<[string, string, string]>([
    ["date", "2026-11-23", "2026-11-23"], ["time", "08:30", "08:30:00"], ["duration", "1:30", "PT1H30M"], ["duration", "2 days", "P2D"], ["duration", "pt45m", "PT45M"],
    ["decimal", "1.234,50", "1234.50"], ["decimal", "-0,5", "-0.5"], ["color", "#0A7D5C", "#0a7d5c"], ["ip", "10.0.0.1", "10.0.0.1"],
  ])("into a %s as %s is %s", async (kind, text, value) => {
    const send = await form(made(kind));
    type(control(), text);
    expect(await send()).toEqual({ sort: value });
  });

  it.each<[string, string, Constraints]>([["decimal", "12.345", { scale: 2 }], ["decimal", "-1", { minimum: "0" }], ["decimal", "one", {}], ["duration", "soon", {}], ["color", "red", {}]])("into a %s as %s is refused before it is sent", async (kind, text, constraints) => {
    const send = await form(made(kind, constraints));
    type(control(), text);
    expect(await send()).toBeUndefined();
  });

  it("as a price has its currency, and that of the service until another is chosen", async () => {
    const send = await form(made("money", { minimum: "0" }));
    type(control(), "12,5");
    expect(await send()).toEqual({ sort: { amount: "12.5", currency: "USD" } });
    const currency = screen.getByRole("combobox");
    act(() => currency.focus());
    fireEvent.mouseDown(currency);
    type(currency, "Euro");
    fireEvent.click(screen.getByRole("option", { name: "EUR · Euro" }));
    expect(await send()).toEqual({ sort: { amount: "12.5", currency: "EUR" } });
    type(control(), "-1");
    expect(await send()).toBeUndefined();
    type(control(), "");
    expect(await send()).toEqual({ sort: null });
  });

  it("as a color may be picked", async () => {
    const send = await form(made("color"));
    type(screen.getByLabelText("Pick a color"), "#112233");
    expect(await send()).toEqual({ sort: "#112233" });
    expect(control().value).toBe("#112233");
  });

  it("as a country is found by its name", async () => {
    const send = await form(made("country"));
    const country = screen.getByRole("combobox");
    fireEvent.mouseDown(country);
    type(country, "Germ");
    fireEvent.click(screen.getByRole("option", { name: "Germany (DE)" }));
    expect(await send()).toEqual({ sort: "DE" });
  });

  it("as a point has two numbers", async () => {
    const send = await form(made("point"), { lat: 1, lng: 2 });
    type(control(), "52,52");
    type(control("sort.lng"), "13.405");
    expect(await send()).toEqual({ sort: { lat: 52.52, lng: 13.405 } });
    type(control(), "north");
    expect(await send()).toBeUndefined();
    for (const name of ["sort", "sort.lng"]) type(control(name), "");
    expect(await send()).toEqual({ sort: null });
  });

  it("is shown as it came from a record", async () => {
    await act(() => form(made("duration"), "PT1H30M"));
    expect(control().value).toBe("PT1H30M");
    expect(document.body.textContent).toContain("1 hr 30 min");
  });
});

describe("a text", () => {
  it.each<[string, string | undefined]>([
    ["12", "12"], ["1,234,567", "1234567"], ["1.234.567,89", "1234567.89"], ["1'234.5", "1234.5"], ["007", "7"], ["", undefined], ["1.2.3,4,5", undefined], ["1e3", undefined], ["12.", undefined],
  ])("%j is the decimal %s", (text, value) => expect(decimalOf(text)).toBe(value));

  it.each<[string, string | undefined]>([
    ["90m", "PT90M"], ["1h 30min", "PT1H30M"], ["2 d 4 h", "P2DT4H"], ["0:00", "PT0S"], ["P1W", "P1W"], ["", undefined], ["P", undefined], ["PT", undefined], ["1 month", undefined],
  ])("%j is the duration %s", (text, value) => expect(durationOf(text)).toBe(value));

  it("of a duration has seconds", () => expect(["P1DT1H1M1.5S", "P1W"].map(secondsOf)).toEqual([90_061.5, 604_800]));
});

describe("a value", () => {
  it.each<[string, unknown, string, string]>([
    ["date", "2026-01-01", "Jan 1, 2026", "01.01.2026"], ["decimal", "1234.50", "1,234.50", "1.234,50"], ["money", { amount: "12345678901234.50", currency: "EUR" }, "€12,345,678,901,234.50", "12.345.678.901.234,50 €"],
    ["country", "DE", "Germany", "Deutschland"], ["language", "fr", "French", "Französisch"], ["duration", "P1DT2H", "1 day 2 hr", "1 Tg. 2 Std."], ["time", "08:30:00", "8:30 AM", "08:30"],
  ])("of a %s is told in the reader's language", (kind, value, english, german) => {
    const plain = (text?: string) => text?.replace(/\s/g, " ");
    expect(plain(exact(kind, value, "en"))).toBe(english);
    expect(plain(exact(kind, value, "de"))).toBe(german);
  });

  it.each([["money", "<b>"], ["point", { lat: "x" }], ["color", "red;x:y"], ["date", "<i>"], ["duration", "soon"], ["decimal", "x"], ["country", "<script>"]])("of a %s that is none stays text", async (kind, value) => {
    await shown(<Value model={modelOf("crm/deal")} field={made(kind)} record={{ sort: value }} />);
    expect(document.querySelector("b, i, script, [style*='red']")).toBeNull();
  });
});

describe("conditions", () => {
  it.each<[string, string, string]>([["date", "gte", "studio.operators.since"], ["decimal", "gte", "studio.operators.gte"], ["money", "gte", "studio.operators.gte"], ["country", "eq", "studio.operators.eq"], ["ip", "within", "studio.operators.within"], ["point", "near", "studio.operators.near"]])(
    "of a %s begin with %s", (kind, operator, key) => {
      const field = made(kind);
      expect(operatorsOf(field)[0]).toBe(operator);
      expect(operatorKey(field, operatorsOf(field)[0]!)).toBe(key);
    });
});

it("codes are those that the service takes", () => {
  expect(codesOf("country")).toContain("FR");
  for (const none of ["EU", "UN", "ZZ"]) expect(codesOf("country")).not.toContain(none);
  expect(codesOf("language")).toEqual(expect.arrayContaining(["de", "pt-BR"]));
  expect(codesOf("currency")).toContain("EUR");
});
