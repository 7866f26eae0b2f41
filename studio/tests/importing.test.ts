// @vitest-environment happy-dom
/** Files that are imported: read as what they say, their columns named after fields, and sent. */
import { strToU8, zipSync } from "fflate";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { Refusal } from "../src/api/sentences";
import { isSettable } from "../src/catalogue/catalogue";
import type { Field, Model } from "../src/catalogue/types";
import { ended } from "../src/changes/undo";
import { humanized } from "../src/i18n/words";
import { type Mapping, columnOf, guessed, lookupsOf, remember, remembered, unmapped } from "../src/importing/mapping";
import { type Job, type Options, type Report, faultsOf, followed, importSheet } from "../src/importing/sending";
import { readSheet } from "../src/importing/sheets";
import { type Writing, converter, writingsOf } from "../src/importing/written";
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
    expect(await readSheet(file(text))).toEqual({ name: "people.csv", encoding: "utf-8", columns: ["name", "website"], rows: [{ name: "Müller", website: "" }], isText: true });
  });

  it.each([["people.json", '[{"name": "Ada"}, {"age": 36}]'], ["people.ndjson", '{"name": "Ada"}\n\n{"age": 36}\n'], ["people.jsonl", '{"name": "Ada"}\n{"age": 36}']])("%s is read as objects", async (name, text) => {
    expect(await readSheet(file(text, name))).toEqual({ name, encoding: "utf-8", columns: ["name", "age"], rows: [{ name: "Ada" }, { age: 36 }], isText: false });
  });

  const refused = (content: BlobPart, name?: string) => readSheet(file(content, name)).then(() => undefined, (error: unknown) => (error instanceof Refusal ? [error.key, error.words] : error));

  const utf16 = (text: string, isLittle: boolean) => new Uint8Array([...text].flatMap((letter) => (isLittle ? [letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8] : [letter.charCodeAt(0) >> 8, letter.charCodeAt(0) & 255])));
  const table = "name,city\nMüller,Köln\n";

  it.each([
    ["windows-1252", Uint8Array.from(table, (letter) => letter.charCodeAt(0))], ["utf-16le", utf16(`\ufeff${table}`, true)], ["utf-16be", utf16(`\ufeff${table}`, false)],
    ["utf-16le", utf16(table, true)], ["utf-16be", utf16(table, false)], ["utf-8", new TextEncoder().encode(table)],
  ] as const)("in %s are read, and say so", async (encoding, bytes) => {
    expect(await readSheet(file(bytes))).toMatchObject({ encoding, columns: ["name", "city"], rows: [{ name: "Müller", city: "Köln" }] });
  });

  it("are read in the encoding that is named", async () => {
    expect((await readSheet(file(new TextEncoder().encode(table)), "windows-1252")).rows[0]).toEqual({ name: "MÃ¼ller", city: "KÃ¶ln" });
  });

  const spreadsheet = (cells: string) => {
    const parts = {
      "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
      "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      "xl/styles.xml": '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
      "xl/worksheets/sheet1.xml": `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${cells}</sheetData></worksheet>`,
    };
    return file(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))), "people.xlsx");
  };
  const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;

  it("of spreadsheets are read, with days, numbers and truths as text", async () => {
    const header = ["name", "since", "amount", "", "name"].map((name, at) => text(`${"ABCDE"[at]}1`, name)).join("");
    const row = `${text("A2", "Müller")}<c r="B2" s="1"><v>46387</v></c><c r="C2"><v>12.5</v></c><c r="D2" t="b"><v>1</v></c>${text("E2", "x")}`;
    const read = await readSheet(spreadsheet(`<row r="1">${header}</row><row r="2">${row}</row>`));
    expect(read).toEqual({ name: "people.xlsx", columns: ["name", "since", "amount", "# 4", "name 5"], rows: [{ name: "Müller", since: "2026-12-31", amount: "12.5", "# 4": "true", "name 5": "x" }], isText: true });
  });

  it("that only look like spreadsheets are refused in words", async () => {
    expect(await refused("name", "people.xlsx")).toEqual(["studio.transfer.no_spreadsheet", {}]);
    expect(await refused("name", "people.xls")).toEqual(["studio.transfer.old_spreadsheet", {}]);
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
    expect(unmapped(model, Object.fromEntries(required.map((name) => [`Column ${name}`, { field: name }])), [])).toEqual([]);
    const [lookup] = lookupsOf(model, catalogue).filter(({ reference }) => required.includes(reference));
    if (lookup) expect(unmapped(model, { Column: { field: lookup.source } }, [lookup]).map(({ name }) => name)).not.toContain(lookup.reference);
  });
});

describe("what is sent", () => {
  const people = { name: "a.csv", columns: ["Surname", "Note"], rows: [{ Surname: "By;ron, A", Note: "x" }], isText: true };
  const mapping: Mapping = { Surname: { field: "lastName" }, Note: { field: "" } };
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
    await importSheet(modelOf("crm/contact"), { ...people, columns: ["a"], rows: [{ a: 1 }, { b: 2 }], isText: false }, { a: { field: "lastName" } }, OPTIONS, noted);
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

describe("what people write", () => {
  const deal = modelOf("crm/deal");
  const [amount, date] = ["amount", "expectedCloseAt"];
  const column = (field: string, values: readonly string[], locale: string, encoding?: "utf-8") => {
    const read = { name: "a.csv", columns: ["c"], rows: values.map((value) => ({ c: value })), isText: true, ...(encoding && { encoding }) };
    return { read, found: columnOf(deal, read, "c", field, locale) };
  };
  const sent = async (field: string, values: readonly string[], locale: string, encoding?: "utf-8") => {
    const { read, found } = column(field, values, locale, encoding);
    await importSheet(deal, read, { c: found }, OPTIONS, () => undefined);
    const [, , body] = vi.mocked(ask).mock.calls.at(-1)!;
    return (await (body as Blob).text()).split("\r\n").slice(1).map((cell) => cell.replaceAll('"', ""));
  };

  it.each<[string, readonly string[], string, readonly string[]]>([
    ["points", ["1,250.00", "12.5"], "de", ["125000", "1250"]],
    ["commas", ["1.250,00 €", "12,5"], "en", ["125000", "1250"]],
    ["spaces", ["1\u202f250,00", "-3,05"], "en", ["125000", "-305"]],
    ["apostrophes", ["1'250.00", "7"], "de", ["125000", "700"]],
    ["currencies", ["EUR 12.50", "$3.00"], "de", ["1250", "300"]],
    ["thousands of the reader's language", ["1.250", "2.000"], "de", ["125000", "200000"]],
    ["hundredths, as exports have them", ["1250", "-5"], "de", ["1250", "-5"]],
    ["more digits than are kept, for the service to refuse", ["1.005", "1,000.00"], "en", ["100.5", "100000"]],
    ["words, for the service to refuse", ["12.50", "cheap"], "en", ["1250", "cheap"]],
  ])("as amounts with %s becomes hundredths", async (_, values, locale, expected) => {
    expect(await sent(amount, values, locale, "utf-8")).toEqual(expected);
  });

  it("as whole amounts of a spreadsheet are no hundredths", async () => expect(await sent(amount, ["1250", "7"], "de")).toEqual(["125000", "700"]));

  it.each<[string, readonly string[], string, Writing]>([
    ["31.12.2026", ["31.12.2026", "1.2.2026"], "en-US", "dmy"], ["12/31/2026", ["12/31/2026", "1/2/2026"], "de", "mdy"], ["31/12/2026", ["31/12/2026", "1/2/2026"], "en-US", "dmy"],
    ["1/2/2026 for Americans", ["1/2/2026"], "en-US", "mdy"], ["1/2/2026 for Britons", ["1/2/2026"], "en-GB", "dmy"], ["2026-12-31 08:30", ["2026-12-31 08:30"], "de", "ymd"],
    ["moments of the service", ["2026-12-31T08:30:00.000Z"], "de", "stored"],
  ])("as days like %s is known", (_, values, locale, writing) => expect(column(date, values, locale).found.writing).toBe(writing));

  it("as a time is one of the reader's zone, and what is no day stays for the service to refuse", async () => {
    const there = (...parts: [number, number, number, number?, number?]) => new Date(parts[0], parts[1], parts[2], parts[3] ?? 0, parts[4] ?? 0).toISOString();
    expect(await sent(date, ["31.12.2026 08:30", "1.2.26", "31.2.2026", "soon"], "de")).toEqual([there(2026, 11, 31, 8, 30), there(2026, 1, 1), "31.2.2026", "soon"]);
    expect(await sent(date, ["12/31/2026 8:30 PM"], "en-US")).toEqual([there(2026, 11, 31, 20, 30)]);
  });

  it("as a truth is known by its word, in English and German", () => {
    const truth: Field = { name: "isDone", type: "boolean", settable: ["create"] };
    const values = ["yes", "Nein", "x", "0", "perhaps", ""];
    const writing = writingsOf(truth)!.guess(values, "en");
    expect(values.map(converter(truth, writing))).toEqual(["true", "false", "true", "false", "perhaps", ""]);
    expect(writingsOf(truth)!.guess(["true", "false"], "en")).toBe("stored");
  });

  it("is remembered by person, model and columns, as long as the model takes it", () => {
    const mapping: Mapping = { Betrag: { field: amount, writing: "comma" }, Notiz: { field: "" } };
    remember("ada", deal, ["Betrag", "Notiz"], mapping);
    expect(remembered("ada", deal, ["Betrag", "Notiz"], [])).toEqual(mapping);
    expect([remembered("bob", deal, ["Betrag", "Notiz"], []), remembered("ada", modelOf("crm/contact"), ["Betrag", "Notiz"], []), remembered("ada", deal, ["Betrag"], [])]).toEqual([undefined, undefined, undefined]);
    remember("ada", deal, ["Betrag"], { Betrag: { field: "gone" } });
    expect(remembered("ada", deal, ["Betrag"], [])).toBeUndefined();
  });
});

describe("faults", () => {
  const contact = modelOf("crm/contact");
  const report = (...lines: number[]): Report => ({ meta: { rows: 3, created: 0, updated: 0, ignored: 0, failed: lines.length }, data: lines.map((line) => ({ line, code: "VALIDATION_ERROR", error: "", fields: {} })) });
  const people = { name: "a.csv", columns: ["Surname", "Note"], rows: [{ Surname: "one\ntwo", Note: "not\nsent" }, { Surname: "" }, { Surname: "three" }], isText: true };

  it("are found in their rows, though cells have several lines", () => {
    expect(faultsOf(report(2, 4, 5), contact, people, { Surname: { field: "lastName" }, Note: { field: "" } }).map(({ row }) => row)).toEqual([0, 1, 2]);
  });

  it("of objects are found by their line", () => {
    expect(faultsOf(report(3), contact, { ...people, isText: false }, { Surname: { field: "lastName" } }).map(({ row }) => row)).toEqual([2]);
  });
});

describe("an undo that a job does", () => {
  const begun = { id: "1", task: "undo", status: "waiting", progress: 0, message: null, createdAt: "2026-11-29T08:59:00.000Z", endedAt: null, result: null, errorMessage: null };
  const over = { ...begun, endedAt: "2026-11-29T09:00:00.000Z" };
  const result = { deleted: 30_000, changed: 0, restored: 0, kept: [] };

  it("is waited for, and tells what it has done", async () => {
    vi.useFakeTimers();
    vi.mocked(ask).mockResolvedValueOnce({ ...begun, status: "running" }).mockResolvedValueOnce({ ...over, status: "succeeded", result });
    const done = ended(begun);
    await vi.runAllTimersAsync();
    expect(await done).toEqual(result);
    vi.useRealTimers();
  });

  it.each([["failed", "Resource not found", "Resource not found"], ["cancelled", null, "studio.changes.undo_cancelled"]])("that has %s says why", async (status, errorMessage, said) => {
    await expect(ended({ ...over, status, errorMessage })).rejects.toThrow(said);
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
