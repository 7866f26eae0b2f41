// @vitest-environment happy-dom
/** How values are shown: of every field of every model, whatever somebody has written into it. */
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import { fieldOf, typeOf, valuesOf } from "../src/catalogue/catalogue";
import type { Field, Model } from "../src/catalogue/types";
import { bytes, currencyOf, distance, fromLocal, micros, milliseconds, moment, money, number, percent, toLocal } from "../src/values/formats";
import Markdown from "../src/values/Markdown";
import { mailAddress, safeAddress } from "../src/values/links";
import { Value } from "../src/values/Value";
import { FIELDS, MODELS, catalogue, distinct, modelOf } from "./service";
import { shown } from "./studio";

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script> [run](javascript:alert(3)) <a href='javascript:alert(4)'>x</a>`;
const ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";

afterEach(cleanup);

/** What somebody may have written into a field; undefined where the service lets nobody write a text. */
function planted(field: Field): unknown {
  if (field.references) return undefined;
  const type = typeOf(field);
  if (["string", "text"].includes(type)) return field.constraints?.format === "url" ? "javascript:alert(1)" : HOSTILE;
  if (type === "array<string>") return [HOSTILE];
  return type === "json" ? { [HOSTILE]: HOSTILE } : undefined;
}

const expectHarmless = (place: Element) => expect([...place.querySelectorAll("img, script, iframe, [onerror], a[href^='javascript']")]).toEqual([]);

describe("records that people have written markup into", () => {
  it.each(MODELS)("of $name are shown as text, in lists and by themselves", async ({ model }) => {
    const record = Object.fromEntries(model.fields.map((field) => [field.name, planted(field)]));
    const texts = model.fields.filter((field) => field.readable && record[field.name] !== undefined);
    const { container } = await shown(<>{texts.map((field) => [true, false].map((brief) => <p key={`${field.name} ${brief}`}><Value model={model} field={field} record={record} brief={brief} /></p>))}</>);
    expectHarmless(container);
    for (const place of container.querySelectorAll("p")) expect(place.textContent).toMatch(/alert\(1\)/);
  });

  it("name what refers to them by text, too", async () => {
    const deal = modelOf("crm/deal");
    const { container } = await shown(<Value model={deal} field={fieldOf(deal, "companyId")!} record={{ companyId: ID, company: { name: HOSTILE } }} />);
    expect(container.textContent).toContain(HOSTILE);
    expectHarmless(container);
  });

  it("stay text in Markdown", () => {
    const { container } = render(<Markdown text={`${HOSTILE}\n\n![picture](https://a.example/b.png)\n\n[mail](data:text/html,x)`} />);
    expectHarmless(container);
    expect(container.textContent).toContain("<script>");
    expect([...container.querySelectorAll("a")].map(({ href }) => href)).toEqual(["https://a.example/b.png"]);
  });
});

/** What is shown of a value. */
async function text(model: Model, name: string, value: unknown, more: object = {}, locale = "en", brief = true) {
  const { container } = await shown(<p><Value model={model} field={fieldOf(model, name)!} record={{ [name]: value, ...more }} brief={brief} /></p>, { locale });
  const said = container.querySelector("p")!.textContent;
  cleanup();
  return said;
}

/** A value of a field, and what people read of it. */
const SAMPLES: Record<string, (field: Field) => [unknown, RegExp]> = {
  string: ({ constraints }) => [constraints?.format === "email" ? "ada@byron.example" : "Quay 4", /Quay 4|ada@byron/],
  text: () => ["Quay 4", /Quay 4/],
  integer: ({ display }) => [1536, { money: /15\.36/, micros: /0\.0015/, percent: /1,536%/, bytes: /1\.5 KiB/, milliseconds: /1\.5 sec/, file: /./, none: /^1,536$/ }[display ?? "none"]],
  number: ({ display }) => [0.5, { money: /0\.01/, micros: /\$0\.00/, percent: /0\.5%/, bytes: /0\.5 B/, milliseconds: /0\.5 ms/, file: /./, none: /^0\.5$/ }[display ?? "none"]],
  boolean: () => [true, /^Yes$/],
  timestamp: () => ["2026-03-01T12:30:00.000Z", /^Mar 1/],
  uuid: () => [ID, /0192f0c1|6f2d8e11/],
  enum: (field) => [valuesOf(field)[0], /^\S/],
  "array<string>": () => [["north", "south"], /north.*south/],
  json: () => [{ floor: 4 }, /\{"floor":4\}/],
  vector: () => [[0.5, 0.25], /\[0\.5,0\.25\]/],
};

describe("values", () => {
  it.each(distinct(FIELDS.filter(({ field }) => field.readable), ({ field }) => [typeOf(field), field.display, Boolean(field.references), field.constraints?.format]))("like $name are shown for people", async ({ model, field }) => {
    const [value, read] = field.references ? [ID, /6f2d8e11$/] as const : SAMPLES[typeOf(field)]!(field);
    expect(await text(model, field.name, value)).toMatch(read);
    for (const nothing of [null, undefined, ""]) expect(await text(model, field.name, nothing)).toBe("–Empty");
  });

  const deal = modelOf("crm/deal");

  it("are amounts in the currency of their record", async () => {
    expect(await text(deal, "amount", 30_000)).toBe("$300.00");
    expect(await text(deal, "amount", 30_000, { currency: "EUR" })).toBe("€300.00");
    expect(await text(deal, "amount", 30_000, { currency: "EUR" }, "de")).toBe("300,00\u00a0€");
    expect([currencyOf(deal, { currency: "" }, "USD"), currencyOf(modelOf("crm/company"), { currency: "EUR" }, "USD")]).toEqual(["USD", "USD"]);
  });

  it("are states in words, and moments with how long ago they were", async () => {
    expect([await text(deal, "stage", "won"), await text(deal, "stage", "lead", {}, "de")]).toEqual(["Won", "Interessent"]);
    expect(await text(deal, "createdAt", "2020-03-01T12:30:00.000Z", {}, "en", false)).toMatch(/^Mar 1, 2020, 12:30 PM \(\d+ years ago\)$/);
    expect(await text(deal, "createdAt", "no moment")).toBe("no moment");
  });

  it("are links where they are addresses, or related records by their names", async () => {
    const company = modelOf("crm/company");
    await shown(<><Value model={company} field={fieldOf(company, "website")!} record={{ website: "https://harbour.example" }} /><Value model={deal} field={fieldOf(deal, "companyId")!} record={{ companyId: ID, company: { name: "Harbour Works" } }} /></>);
    expect(screen.getByRole("link", { name: "https://harbour.example" }).getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(screen.getByRole("link", { name: "Harbour Works" }).getAttribute("href")).toBe(`/crm/company/${ID}/show`);
  });

  it("that are related are told of where somebody rests on their link", async () => {
    const getOne = () => Promise.resolve({ data: { id: ID, name: "Harbour Works", industry: "Freight" } });
    await shown(<Value model={deal} field={fieldOf(deal, "companyId")!} record={{ companyId: ID, company: { name: "Harbour Works" } }} />, { data: { getOne: getOne as never } });
    fireEvent.mouseEnter(screen.getByRole("link", { name: "Harbour Works" }));
    const card = await screen.findByRole("tooltip");
    await waitFor(() => expect(card.textContent).toMatch(/^CompanyHarbour Works.*Freight/));
    fireEvent.keyDown(screen.getByRole("link", { name: "Harbour Works" }), { key: "Escape" });
    expect(screen.queryByRole("tooltip")).toBeNull();
  });

  it("are counted where they are long rows of numbers", async () => {
    const [vector] = FIELDS.filter(({ field }) => field.type === "vector" && field.readable);
    if (vector) expect(await text(vector.model, vector.field.name, Array.from({ length: 20 }, () => 0.5))).toBe("20 numbers");
    expect(catalogue.models.size).toBeGreaterThan(20);
  });
});

describe("formats", () => {
  it.each([[0, "0 B"], [1023, "1,023 B"], [1024, "1 KiB"], [10 * 1024 ** 2, "10 MiB"], [1.5 * 1024 ** 4, "1.5 TiB"], [2048 * 1024 ** 4, "2,048 TiB"]])("%d bytes are %s", (value, said) => expect(bytes(value, "en")).toBe(said));
  it.each([[12, "12 ms"], [1500, "1.5 sec"], [119_000, "119 sec"], [180_000, "3 min"]])("%d milliseconds are %s", (value, said) => expect(milliseconds(value, "en")).toBe(said));

  it("of numbers are those of the reader", () => {
    expect([number(1234.5, "en"), number(1234.5, "de"), percent(12.5, "en"), micros(1_500_000, "USD", "en"), micros(12, "USD", "en")]).toEqual(["1,234.5", "1.234,5", "12.5%", "$1.50", "$0.000012"]);
  });

  it("of amounts say a currency that nobody knows", () => expect([money(12345, "EUR", "en"), money(-5, "USD", "en"), money(12345, "??", "en")]).toEqual(["€123.45", "-$0.05", "123.45 ??"]));

  it("of distances take the largest unit", () => {
    const now = Date.parse("2026-03-01T00:00:00Z");
    expect(["2026-02-28T23:59:30Z", "2026-03-01T02:00:00Z", "2026-02-28T00:00:00Z", "2025-12-31T00:00:00Z"].map((value) => distance(value, "en", now))).toEqual(["30 seconds ago", "in 2 hours", "yesterday", "2 months ago"]);
  });

  it("of moments go into inputs and back", () => {
    const value = "2026-03-01T12:30:00.000Z";
    expect(fromLocal(toLocal(value))).toBe(value);
    expect([toLocal(null), toLocal("x"), fromLocal(""), fromLocal("x"), moment(value, "de")]).toEqual(["", "", null, null, "01.03.2026, 12:30"]);
  });
});

describe("links", () => {
  it.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc", "blob:https://a/b", "nowhere", "//a.example"])("do not lead to %s", (address) => expect(safeAddress(address)).toBeUndefined());
  it.each(["https://a.example/b?c=d#e", "http://a.example/"])("lead to %s", (address) => expect(safeAddress(address)).toBe(address));
  it("to mail hold nothing but the address", () => expect(mailAddress("a@b.example?bcc=all@c.example&body=x")).toBe("mailto:a@b.example%3Fbcc%3Dall%40c.example%26body%3Dx"));
});

describe("Markdown", () => {
  it("puts headings below that of the page, one level at a time", () => {
    render(<Markdown text={"### Plan\n\nTwo **cranes**.\n\n# Next\n\n##### Last\n\n| a | b |\n| - | - |\n| 1 | 2 |"} />);
    expect(screen.getAllByRole("heading").map(({ tagName, textContent }) => `${tagName} ${textContent}`)).toEqual(["H2 Plan", "H2 Next", "H3 Last"]);
    expect([document.querySelector("strong")!.textContent, document.querySelectorAll("td").length]).toEqual(["cranes", 2]);
  });
});
