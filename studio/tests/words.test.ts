// @vitest-environment happy-dom
/** The words of the studio: each model, field, value, note and refusal of the service has one, and none is left over. */
import { beforeEach, describe, expect, it } from "vitest";

import { typeOf, valuesOf } from "../src/catalogue/catalogue";
import { german } from "../src/i18n/languages/de";
import { english } from "../src/i18n/languages/en";
import { createI18nProvider } from "../src/i18n/provider";
import { translated } from "../src/i18n/refusals";
import { fieldLabel, humanized } from "../src/i18n/words";
import { operatorKey, operatorsOf } from "../src/lists/conditions";
import { toneOf } from "../src/values/tones";
import { FIELDS, MODELS, SETTABLE, catalogue, distinct, refusals } from "./service";

const { names } = german;
const VALUES = distinct(FIELDS.flatMap(({ field }) => valuesOf(field).map((value) => ({ name: `${field.name}.${value}`, field: field.name, value }))), ({ name }) => name);
const NOTES = distinct(SETTABLE.filter(({ field }) => field.note), ({ field }) => field.note);

async function speaking(locale: string) {
  localStorage.setItem("rowgate.locale", locale);
  const { translate } = await createI18nProvider();
  return translate;
}

beforeEach(() => localStorage.clear());

describe("German", () => {
  it.each(catalogue.domains.map(({ name }) => name))("names the domain %s", (name) => expect(names.domains).toHaveProperty([name]));
  it.each(MODELS)("names $name, one and many", ({ name }) => expect(names.models[name]).toEqual([expect.any(String), expect.any(String)]));
  it.each(distinct(FIELDS, ({ field }) => field.name))("has a label for the field $field.name", ({ field }) => expect(names.fields).toHaveProperty([field.name]));
  it.each(VALUES)("has a word for the value $name", ({ name, value }) => expect(names.values[name] ?? names.values[value]).toEqual(expect.any(String)));
  it.each(NOTES)("says the note of $name", ({ field }) => expect(names.notes).toHaveProperty([field.note!]));
  it.each(refusals)("says: %s", (said) => expect(names.refusals).toHaveProperty([said]));

  it("is asked for enough to tell anything", () => {
    expect([VALUES.length > 100, NOTES.length > 80, refusals.length > 90]).toEqual([true, true, true]);
  });

  it("is what pages say once it is chosen", async () => {
    const translate = await speaking("de");
    expect(translate("resources.crm/company.name", { smart_count: 2 })).toBe(names.models["crm/company"]![1]);
    expect(translate("resources.crm/deal.fields.amount")).toBe(names.fields.amount);
    expect(translate("value.stage.lead")).toBe("Interessent");
    expect(translate("domain.storage")).toBe("Ablage");
    expect(translate("note.knowledge base used to ground the answers")).toBe("Wissensbasis, auf die sich die Antworten stützen");
    expect(translate("studio.record.save")).toBe(german.messages.studio.record.save);
    expect(document.documentElement.lang).toBe("de");
  });
});

describe("English", () => {
  it.each(MODELS)("$name has a name for one and another for many", async ({ name }) => {
    const translate = await speaking("en");
    const [one, many] = [1, 2].map((count) => translate(`resources.${name}.name`, { smart_count: count }));
    for (const said of [one, many]) expect(said).toMatch(/^[A-Z]/);
    expect(many).not.toBe(one);
  });

  it("makes labels of names", () => {
    expect(["expectedCloseAt", "companyId", "isActive", "ipAllowList", "latencyMs", "id", "sha256"].map(fieldLabel)).toEqual(["Expected close", "Company", "Active", "IP allow list", "Latency", "ID", "SHA-256"]);
    expect(humanized("chain-provider")).toBe("Chain provider");
  });

  it("makes values of enumerations readable, those in capitals too", async () => {
    const translate = await speaking("en");
    expect(["value.status.in_progress", "value.outcome.RATE_LIMITED", "value.kind.openai_compatible"].map((key) => translate(key))).toEqual(["In progress", "Rate limited", "OpenAI-compatible"]);
  });

  it("has no text that nobody reads", () => {
    const code = Object.values(import.meta.glob<string>(["../src/**/*.{ts,tsx}", "!../src/i18n/languages/**"], { query: "?raw", import: "default", eager: true })).join("");
    const made = [...code.matchAll(/`studio\.([\w.]*)\$\{/g)].map(([, start]) => start!);
    const keys = keysOf(english.messages.studio);
    expect(keys.length).toBeGreaterThan(300);
    expect(keys.filter((key) => !code.includes(`studio.${key}`) && !made.some((start) => key.startsWith(start) && !key.slice(start.length).includes(".")))).toEqual([]);
  });
});

describe("refusals", () => {
  it("are filled with what the service filled in, by its label", () => {
    expect(translated("Must be one of: lead, won.", names)).toBe("Muss eines davon sein: lead, won.");
    expect(translated("Missing data for required field. Is already taken.", names)).toBe("Wird benötigt. Ist bereits vergeben.");
    expect(translated("Nobody has ever said this", names)).toBeUndefined();
  });
});

describe("conditions", () => {
  it.each(distinct(FIELDS.filter(({ field }) => field.filterable), ({ field }) => [typeOf(field), Boolean(field.references), field.nullable]))("on fields like $name are told in both languages", async ({ field }) => {
    for (const locale of ["en", "de"]) {
      const translate = await speaking(locale);
      for (const operator of operatorsOf(field)) {
        const key = operatorKey(field, operator, operator === "isNull" ? false : undefined);
        expect(translate(key)).not.toBe(key);
      }
    }
  });
});

it("colours states by what they mean", () => {
  expect(["won", "LOST", "PENDING", "running", "lead", "nothing known"].map(toneOf)).toEqual(["success", "error", "warning", "info", "primary", "default"]);
  expect(VALUES.filter(({ value }) => toneOf(value) !== "default").length).toBeGreaterThan(50);
});

/** The keys of texts, such as `list.filter`. */
function keysOf(texts: object, group = ""): string[] {
  return Object.entries(texts).flatMap(([name, text]) => (typeof text === "string" ? [group + name] : keysOf(text as object, `${group}${name}.`)));
}
