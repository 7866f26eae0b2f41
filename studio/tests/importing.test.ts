/** Files that are imported: read as what they say, their columns named after fields, and sent. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Refusal } from "../src/api/sentences";
import { isSettable } from "../src/catalogue/catalogue";
import type { Model } from "../src/catalogue/types";
import { humanized } from "../src/i18n/words";
import { type Job, type Options, followed, guessed, importSheet, lookupsOf, readSheet, unmapped } from "../src/lists/importing";
import { ask } from "../src/session/transport";
import { MODELS, catalogue, modelOf } from "./service";

vi.mock("../src/session/transport", () => ({ ask: vi.fn() }));
vi.mock("../src/api/provider", () => ({ pathOf: (name: string) => `/api/v1/${name}` }));

const file = (content: BlobPart, name = "people.csv") => new File([content], name);
const OPTIONS: Options = { by: "", resolution: "error", partial: false, dryRun: false };
const settable = (model: Model) => model.fields.filter((field) => isSettable(field, "create"));
const sheet = (...columns: string[]) => ({ name: "a.csv", columns, rows: [Object.fromEntries(columns.map((column) => [column, "a"]))], isText: true });

beforeEach(() => vi.mocked(ask).mockReset());

describe("files", () => {
  it.each([
    ["commas", "name,website\nMüller,\n"], ["semicolons", "name;website\nMüller;\n"], ["tabs", "name\twebsite\nMüller\t\n"], ["a byte order mark", "\ufeffname,website\nMüller,\n"],
    ["lines of Windows", "name,website\r\nMüller,\r\n\r\n"], ["quotes", '"name","website"\n"Müller",""\n'],
  ])("with %s are read", async (_, text) => {
    expect(await readSheet(file(text))).toEqual({ name: "people.csv", columns: ["name", "website"], rows: [{ name: "Müller", website: "" }], isText: true });
  });

  it.each([["people.json", '[{"name": "Ada"}, {"age": 36}]'], ["people.ndjson", '{"name": "Ada"}\n\n{"age": 36}\n'], ["people.jsonl", '{"name": "Ada"}\n{"age": 36}']])("%s is read as objects", async (name, text) => {
    expect(await readSheet(file(text, name))).toEqual({ name, columns: ["name", "age"], rows: [{ name: "Ada" }, { age: 36 }], isText: false });
  });

  const refused = (content: BlobPart, name?: string) => readSheet(file(content, name)).then(() => undefined, (error: unknown) => (error instanceof Refusal ? [error.key, error.words] : error));

  it("that are not UTF-8 are refused, as they would be read as something else", async () => {
    expect(await refused(new Uint8Array([...new TextEncoder().encode("name\nM"), 0xfc]))).toEqual(["studio.transfer.encoding", {}]);
  });

  it("whose cells do not fit their names are refused with the row", async () => {
    expect(await refused("name,website\nGood,https://good.example\nBad,https://bad.example,more\n")).toEqual(["studio.transfer.broken", { row: 3 }]);
    expect(await refused('name,website\nGood,"open')).toEqual(["studio.transfer.broken", { row: expect.any(Number) }]);
  });

  it("of anything but objects are refused", async () => {
    expect(await refused("[1]", "a.json")).toEqual(["studio.transfer.no_objects", {}]);
    expect(await refused("[", "a.json")).toBeInstanceOf(SyntaxError);
  });
});

describe("columns", () => {
  it.each(MODELS.filter(({ model }) => model.operations.create))("that are called like fields of $name become them, whichever way they are written", ({ model }) => {
    const names = settable(model).map(({ name }) => name);
    for (const written of [(name: string) => name, (name: string) => name.toUpperCase(), humanized]) {
      const mapping = guessed(model, sheet(...names.map(written)), [], (name) => `label of ${name}`);
      expect(Object.values(mapping).filter(Boolean)).toEqual(names);
    }
    expect(Object.values(guessed(model, sheet(...names.map((name) => `Label of ${name}`)), [], (name) => `label of ${name}`))).toEqual(names);
    expect(guessed(model, sheet("Something else"), [], (name) => name)).toEqual({ "Something else": "" });
  });

  it("become a field once", () => expect(guessed(modelOf("crm/contact"), sheet("First name", "firstName"), [], (name) => name)).toEqual({ "First name": "firstName", firstName: "" }));

  it("with names become the record of that name, with ids the reference", () => {
    const contact = modelOf("crm/contact");
    const lookups = lookupsOf(contact, catalogue);
    const mapped = (value: string) => guessed(contact, { ...sheet("Company"), rows: [{ Company: value }] }, lookups, (name) => name);
    expect([mapped("Harbour Works"), mapped("01a1fedd-47f3-7536-a333-810773c4a6d4")]).toEqual([{ Company: "company.name" }, { Company: "companyId" }]);
  });

  it.each(MODELS)("may tell what $name refers to by a name that is asked for", ({ model }) => {
    for (const { source, reference, target, field } of lookupsOf(model, catalogue)) {
      expect(source.split(".")[1]).toBe(field);
      expect(settable(model).map(({ name }) => name)).toContain(reference);
      expect(catalogue.get(target)!.fields.find(({ name }) => name === field)!.filterable).toBe(true);
    }
  });

  it.each(MODELS.filter(({ model }) => model.operations.create))("have to be mapped to what $name requires", ({ model }) => {
    const required = settable(model).filter((field) => field.required).map(({ name }) => name);
    expect(unmapped(model, {}, []).map(({ name }) => name)).toEqual(required);
    expect(unmapped(model, Object.fromEntries(required.map((name) => [`Column ${name}`, name])), [])).toEqual([]);
    const [lookup] = lookupsOf(model, catalogue).filter(({ reference }) => required.includes(reference));
    if (lookup) expect(unmapped(model, { Column: lookup.source }, [lookup]).map(({ name }) => name)).not.toContain(lookup.reference);
  });
});

describe("what is sent", () => {
  const people = { name: "a.csv", columns: ["Surname", "Note"], rows: [{ Surname: "By;ron, A", Note: "x" }], isText: true };
  const mapping = { Surname: "lastName", Note: "" };
  const noted = () => undefined;
  const sent = async () => {
    const [method, path, body] = vi.mocked(ask).mock.calls.at(-1)!;
    return { method, path, text: await (body as Blob).text(), type: (body as Blob).type };
  };

  it("is CSV of the mapped columns, called like their fields", async () => {
    await importSheet(modelOf("crm/contact"), people, mapping, OPTIONS, noted);
    expect(await sent()).toEqual({ method: "POST", path: "/api/v1/crm/contact/_import?as=csv", text: 'lastName\r\n"By;ron, A"', type: "text/csv" });
  });

  it("is NDJSON of what was JSON, with the types it had", async () => {
    await importSheet(modelOf("crm/contact"), { ...people, columns: ["a"], rows: [{ a: 1 }, { b: 2 }], isText: false }, { a: "lastName" }, OPTIONS, noted);
    expect(await sent()).toMatchObject({ path: "/api/v1/crm/contact/_import?as=ndjson", text: '{"lastName":1}\n{}' });
  });

  it.each<[string, Partial<Options>, string]>([
    ["a check, of the good rows whatever the others are", { dryRun: true }, "&dryRun=true&partial=true"], ["the good rows", { partial: true }, "&partial=true"],
    ["a merge", { resolution: "merge", by: "email" }, "&onConflict=email&resolution=merge"], ["no merge without a key", { resolution: "merge" }, ""],
  ])("asks for %s", async (_, options, search) => {
    await importSheet(modelOf("crm/contact"), people, mapping, { ...OPTIONS, ...options }, noted);
    expect((await sent()).path).toBe(`/api/v1/crm/contact/_import?as=csv${search}`);
  });
});

describe("a job", () => {
  const job: Job = { id: "1", status: "pending", total: 3, rows: 0, created: 0, updated: 0, ignored: 0, failed: 0, error: null, data: [] };

  it("is followed until it is done, and told as a report", async () => {
    vi.useFakeTimers();
    vi.mocked(ask).mockResolvedValueOnce({ ...job, status: "running", rows: 1 }).mockResolvedValueOnce({ ...job, status: "complete", rows: 3, created: 3 });
    const seen: number[] = [];
    const report = followed(job, ({ rows }) => seen.push(rows));
    await vi.runAllTimersAsync();
    expect(await report).toEqual({ meta: { rows: 3, created: 3, updated: 0, ignored: 0, failed: 0 }, data: [] });
    expect(seen).toEqual([0, 1]);
    vi.useRealTimers();
  });

  it("that failed says why", async () => {
    await expect(followed({ ...job, status: "failed", error: "The file is gone" }, () => undefined)).rejects.toThrow("The file is gone");
  });
});
