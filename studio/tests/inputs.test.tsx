// @vitest-environment happy-dom
/** Which input a field gets, what it sends of what somebody enters, and what it says meanwhile. */
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import { isSettable, typeOf, valuesOf } from "../src/catalogue/catalogue";
import { FieldInput } from "../src/inputs/FieldInput";
import { type Input, inputOf } from "../src/inputs/choice";
import { hundredths } from "../src/inputs/MoneyInput";
import { type Named, SETTABLE, distinct, fieldNamed } from "./service";
import { entered } from "./studio";

const ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";
const OF_TYPE: Record<string, readonly Input[]> = {
  string: ["line", "file"], text: ["markdown"], integer: ["quantity", "amount"], number: ["quantity", "amount"], boolean: ["switch", "choice"], timestamp: ["moment"],
  uuid: ["reference", "person", "line"], enum: ["state"], "array<string>": ["strings"], json: ["json"], vector: ["json"],
};

vi.mock("../src/api/provider", () => ({
  provider: { getList: () => Promise.resolve({ data: [{ user: { id: "2", name: "Ines Roth" } }, { user: null }, { user: { id: "2", name: "Ines Roth" } }] }) }, pathOf: (name: string) => name,
}));
// The editor of code is a page of its own; what it makes of a text is in json.test.ts.
vi.mock("@uiw/react-codemirror", () => ({
  default: ({ value, onChange, onBlur }: { value: string; onChange: (text: string) => void; onBlur: () => void }) => <textarea aria-label="JSON" value={value} onChange={(event) => onChange(event.target.value)} onBlur={onBlur} />,
  EditorView: { lineWrapping: [], cspNonce: { of: () => [] }, contentAttributes: { of: () => [] } },
}));

afterEach(cleanup);

describe("the input", () => {
  it.each(SETTABLE)("of $name is one for its type", ({ field }) => {
    const own = field.references ? ["reference", "person"] : OF_TYPE[typeOf(field)];
    for (const isAdmin of [true, false]) expect(own).toContain(inputOf(field, isAdmin));
  });

  it.each<[string, boolean, Input]>([
    ["crm/deal.amount", false, "amount"], ["crm/deal.companyId", false, "reference"], ["crm/deal.stage", false, "state"], ["crm/deal.description", false, "markdown"], ["crm/deal.expectedCloseAt", false, "moment"],
    ["crm/deal.ownerId", false, "person"], ["crm/deal.ownerId", true, "reference"], ["storage/upload.contentBase64", false, "file"], ["auth/organization.metadata", false, "json"],
    ["storage/bucket.quotaBytes", true, "quantity"], ["auth/organization.requireTwoFactor", false, "switch"],
  ])("of %s (an admin: %s) is %s", (name, isAdmin, input) => expect(inputOf(fieldNamed(name).field, isAdmin)).toBe(input));
});

const control = (name: string) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
const type = (element: Element, value: string) => fireEvent.change(element, { target: { value } });

/** Those of types that no model of the service has are in kinds.test.tsx. */
type Exact = "plain" | "price" | "code" | "point" | "upload";

/** How somebody enters something into each input, and what is sent of it. */
const HANDS: Record<Exclude<Input, Exact>, (field: Named["field"]) => unknown> = {
  line: ({ name, constraints, readable }) => {
    const text = constraints?.format === "url" ? "https://harbour.example" : constraints?.format === "email" ? "ada@byron.example" : constraints?.pattern ? ["EUR", "quay-4", "quay_4"].find((each) => new RegExp(constraints.pattern!, "u").test(each))! : "x".repeat(Math.max(8, constraints?.minLength ?? 0));
    type(control(name), text);
    expect(control(name).type ?? "textarea").toBe(!readable ? "password" : ["email", "url"].includes(constraints?.format ?? "") ? constraints!.format : control(name).tagName === "TEXTAREA" ? "textarea" : "text");
    return text;
  },
  markdown: ({ name }) => (type(control(name), "Two **cranes**"), "Two **cranes**"),
  amount: ({ name }) => (type(control(name), "1.234,5"), 123450),
  quantity: ({ name, type: kind, constraints }) => {
    const value = kind === "integer" ? Math.max(Number(constraints?.minimum ?? 1), 1) : 0.5;
    type(control(name), String(value));
    return value;
  },
  moment: ({ name }) => (type(control(name), "2026-03-01T12:30"), "2026-03-01T12:30:00.000Z"),
  switch: ({ name }) => {
    fireEvent.click(control(name));
    return control(name).checked;
  },
  choice: (field) => (chosen(field.name, "Yes"), true),
  state: (field) => {
    const value = valuesOf(field).at(-1)!;
    open(field.name);
    fireEvent.click(document.querySelector(`[role=option][data-value="${value}"]`)!);
    return value;
  },
  strings: ({ constraints }) => {
    const input = screen.getByRole("combobox");
    if (!constraints?.items) {
      for (const each of ["north", "south"]) (type(input, each), fireEvent.keyDown(input, { key: "Enter" }));
      return ["north", "south"];
    }
    fireEvent.mouseDown(input);
    fireEvent.click(screen.getByRole("option", { name: constraints.items[0]! }));
    return [constraints.items[0]];
  },
  json: ({ type: kind, constraints }) => {
    const value = kind === "vector" ? [0.5] : constraints?.shape === "array" ? [{ a: 1 }] : { a: 1 };
    type(screen.getByRole("textbox", { name: "JSON" }), JSON.stringify(value));
    return value;
  },
  file: () => {
    const file = new File(["Quay 4"], "plan.txt", { type: "text/plain" });
    fireEvent.change(document.querySelector("input[type=file]")!, { target: { files: [file] } });
    return file;
  },
  reference: () => ID,
  person: () => "2",
};

/** Open a choice, which lists its options. */
const open = (name: string) => fireEvent.mouseDown(within(control(name).parentElement!).getByRole("combobox"));
function chosen(name: string, option: string) {
  open(name);
  fireEvent.click(screen.getByRole("option", { name: option }));
}

/** Fields that differ in what their inputs are made of. */
const ALIKE = ({ field }: Named) => {
  const { format, items, shape, pattern, maxLength = 0 } = field.constraints ?? {};
  return [inputOf(field, true), typeOf(field), field.display, field.nullable, field.readable, field.required, format, items?.length, shape, pattern, maxLength > 300];
};
const KINDS = distinct(SETTABLE.filter(({ field }) => !field.references), ALIKE).map((each) => ({ ...each, input: inputOf(each.field, true) }));

describe("what is entered", () => {
  it.each(KINDS)("into $name, a $input, is what is sent", async ({ model, field, input }) => {
    const on = isSettable(field, "create") ? "create" : "update";
    const send = await entered(<FieldInput model={model} field={field} on={on} />, {});
    if (input === "json") await screen.findByRole("textbox", { name: "JSON" });
    const value = HANDS[input as keyof typeof HANDS](field);
    expect((await send())?.[field.name]).toEqual(value);
  });

  it.each(KINDS.filter(({ field, input }) => field.required && isSettable(field, "create") && !["switch"].includes(input) && !(input === "markdown" && !field.constraints?.minLength)))("into $name is asked for", async ({ model, field, input }) => {
    const send = await entered(<FieldInput model={model} field={field} on="create" />, { [field.name]: null });
    if (input === "json") await screen.findByRole("textbox", { name: "JSON" });
    expect(await send()).toBeUndefined();
    expect(screen.getByText("Required")).toBeTruthy();
    expect(document.body.textContent).toMatch(/\*/);
  });

  it.each(KINDS.filter(({ field, input }) => field.nullable && ["line", "amount", "quantity", "moment"].includes(input)))("into $name and taken away again is nothing", async ({ model, field, input }) => {
    const value = { line: "https://a.example", amount: 100, quantity: 1, moment: "2026-03-01T12:30:00.000Z" }[input as "line"];
    const send = await entered(<FieldInput model={model} field={field} on={isSettable(field, "update") ? "update" : "create"} />, { [field.name]: value });
    type(control(field.name), "");
    expect((await send())?.[field.name]).toBeNull();
  });

  it("that is wrong is said at its field until it is right", async () => {
    const { model, field } = fieldNamed("crm/company.website");
    const send = await entered(<FieldInput model={model} field={field} on="create" />, {});
    const input = control("website");
    type(input, "javascript:alert(1)");
    fireEvent.blur(input);
    expect(await screen.findByText(/^This is no address/)).toBeTruthy();
    expect([input.getAttribute("aria-invalid"), await send()]).toEqual(["true", undefined]);
    type(input, "https://harbour.example");
    await waitFor(() => expect(screen.queryByText(/^This is no address/)).toBeNull());
    expect(await send()).toEqual({ website: "https://harbour.example" });
  });

  it("as JSON is checked while it is typed", async () => {
    const { model, field } = fieldNamed("auth/organization.metadata");
    await entered(<FieldInput model={model} field={field} on="update" />, { metadata: { floor: 3 } });
    const editor = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "JSON" });
    expect(editor.value).toBe('{\n  "floor": 3\n}');
    type(editor, "{broken");
    fireEvent.blur(editor);
    expect(await screen.findByText(/^This is not JSON/)).toBeTruthy();
    type(editor, "[]");
    expect(await screen.findByText("This has to be an object, in braces.")).toBeTruthy();
  });
});

describe("amounts", () => {
  it.each([["12", 1200], ["12.5", 1250], ["12,50", 1250], ["1,234.56", 123456], ["1.234,56", 123456], ["1'234", 123400], ["1 234,5", 123450], ["-3", -300], [" ", null], ["1.234", 123400]])("%j is %j hundredths", (text, value) => expect(hundredths(text)).toBe(value));
  it.each(["a", "1.2.3a", "12,x", "--1"])("%j is none", (text) => expect(hundredths(text)).toBeNaN());

  it("name the currency that the form says", async () => {
    const { model, field } = fieldNamed("crm/deal.amount");
    await entered(<FieldInput model={model} field={field} on="create" />, { amount: 12345, currency: "EUR" });
    expect([control("amount").value, document.body.textContent]).toEqual(["123.45", expect.stringContaining("Amount in EUR")]);
  });
});

describe("states", () => {
  const { model, field } = fieldNamed("crm/deal.stage");
  const offered = () => (open("stage"), screen.getAllByRole("option").map(({ textContent }) => textContent));

  it("offer the moves that the one of the record allows", async () => {
    await entered(<FieldInput model={model} field={field} on="update" />, { stage: "won" });
    expect(offered()).toEqual(["Won", "Negotiation"]);
  });

  it("offer all to a new record", async () => {
    await entered(<FieldInput model={model} field={field} on="create" />, { stage: "won" });
    expect(offered()).toHaveLength(valuesOf(field).length);
  });
});

describe("files", () => {
  const { model, field } = fieldNamed("storage/upload.contentBase64");
  const choose = (file: File) => act(async () => void fireEvent.change(document.querySelector("input[type=file]")!, { target: { files: [file] } }));

  it("beyond what the service takes are refused before they are sent, as are empty ones", async () => {
    const send = await entered(<FieldInput model={model} field={field} on="create" />, {}, { uploadMaxBytes: 1024 });
    expect(screen.getByText("At most 1 KiB.")).toBeTruthy();
    await choose(new File([new Uint8Array(1025)], "huge.txt"));
    expect(await screen.findByText("This file is larger than files may be: at most 1 KiB.")).toBeTruthy();
    expect(await send()).toBeUndefined();
    await choose(new File([], "none.txt"));
    expect(await screen.findByText("This file is empty.")).toBeTruthy();
  });

  it("say their name and type, unless somebody has", async () => {
    const send = await entered(<FieldInput model={model} field={field} on="create" />, { filename: "", contentType: "text/markdown" });
    await choose(new File(["Quay 4"], "plan.txt", { type: "text/plain" }));
    expect(await send()).toMatchObject({ filename: "plan.txt", contentType: "text/markdown" });
  });
});

describe("references", () => {
  const { model, field } = fieldNamed("crm/contact.companyId");

  it("are found by their words, and send their id", async () => {
    const getList = vi.fn(() => Promise.resolve({ data: [{ id: ID, name: "Harbour Works" }], total: 1 }));
    const send = await entered(<FieldInput model={model} field={field} on="create" />, {}, { data: { getList: getList as never } });
    type(screen.getByRole("combobox"), "harb");
    await waitFor(() => expect(getList).toHaveBeenCalledWith("crm/company", expect.objectContaining({ filter: { q: "harb" } })));
    fireEvent.click(await screen.findByRole("option", { name: "Harbour Works" }));
    expect(await send()).toEqual({ companyId: ID });
  });

  it("to people are chosen among colleagues, each once, by whoever is no admin", async () => {
    const owner = fieldNamed("crm/deal.ownerId");
    const send = await entered(<FieldInput model={owner.model} field={owner.field} on="create" />, {}, { isAdmin: false });
    fireEvent.mouseDown(screen.getByRole("combobox"));
    expect(await screen.findAllByRole("option")).toHaveLength(1);
    fireEvent.click(screen.getByRole("option", { name: "Ines Roth" }));
    expect(await send()).toMatchObject({ ownerId: "2" });
  });
});

describe("what an input says", () => {
  it("is what the service notes of the field, in the language of the reader", async () => {
    const { model, field } = fieldNamed("ai/chat.indexId");
    await entered(<FieldInput model={model} field={field} on="create" />, {}, { locale: "de" });
    expect(document.body.textContent).toContain("Wissensbasis, auf die sich die Antworten stützen");
  });

  it.each(distinct(SETTABLE.filter(({ field }) => !field.readable && field.display !== "file" && field.type === "string"), ({ field }) => field.name))("of the secret $name is that it replaces the one before, without showing it", async ({ model, field }) => {
    await entered(<FieldInput model={model} field={field} on={isSettable(field, "update") ? "update" : "create"} />, {});
    expect(document.body.textContent).toContain("Kept secret");
    expect([control(field.name).type, control(field.name).autocomplete]).toEqual(["password", "new-password"]);
  });

  it("of long texts is how they look, and how long they are", async () => {
    const { model, field } = fieldNamed("crm/deal.description");
    await entered(<FieldInput model={model} field={{ ...field, constraints: { maxLength: 20 } }} on="create" />, { description: "Two **cranes** here" });
    expect(document.body.textContent).toContain("19 of 20 characters");
    fireEvent.click(screen.getByRole("tab", { name: "Preview" }));
    expect(await screen.findByText("cranes")).toMatchObject({ tagName: "STRONG" });
  });
});
