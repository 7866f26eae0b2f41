// @vitest-environment happy-dom
/** Records by themselves: what forms begin with and send, drafts, conflicts, what went wrong, files, and what pages offer. */
import { RowgateError, VERSION, VersionConflict } from "@rowgate/client/react-admin";
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { ResourceContextProvider } from "react-admin";
import { Route, Routes } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Refusal, sentenceOf } from "../src/api/sentences";
import { createWithFile } from "../src/api/uploads";
import { fieldOf, isSettable, movesFrom } from "../src/catalogue/catalogue";
import { createI18nProvider } from "../src/i18n/provider";
import { forgetAll, recent, remember } from "../src/layout/recent";
import CreatePage from "../src/records/CreatePage";
import ShowPage from "../src/records/ShowPage";
import { canMove } from "../src/records/StateMoves";
import { dropDraft, dropDrafts, keepDraft, readDraft } from "../src/records/drafts";
import { compared, copyOf, defaultsOf, given, inputsOf, writable } from "../src/records/values";
import { MODELS, modelOf } from "./service";
import { place, shown, told } from "./studio";

const ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";

beforeEach(() => (localStorage.clear(), sessionStorage.clear()));
afterEach(cleanup);

/** A record with something in each field. */
const full = (model: (typeof MODELS)[number]["model"]) => ({ ...Object.fromEntries(model.fields.map(({ name }) => [name, `${name} of it`])), id: ID, [VERSION]: 3 });

describe("forms", () => {
  it.each(MODELS)("of $name have each field that may be set once, and what is required at once", ({ model }) => {
    for (const on of ["create", "update"] as const) {
      const settable = model.fields.filter((field) => isSettable(field, on) && !field.returnedOnce);
      for (const brief of [false, true]) {
        const { usual, further } = inputsOf(model, on, brief);
        expect([...usual, ...further].map(({ name }) => name).sort()).toEqual(settable.map(({ name }) => name).sort());
        expect(further.filter((field) => field.required)).toEqual([]);
        expect(further.filter(({ name }) => model.label?.includes(name))).toEqual([]);
      }
    }
  });

  it.each(MODELS)("of $name begin with the defaults that are known before, and send what may be changed", ({ model }) => {
    const defaults = defaultsOf(model);
    for (const [name, value] of Object.entries(defaults)) {
      expect(fieldOf(model, name)!.default).toEqual(value);
      expect(isSettable(fieldOf(model, name)!, "create")).toBe(true);
    }
    expect(Object.values(defaults).filter((value) => String(value).startsWith("$"))).toEqual([]);
    expect(Object.keys(writable(model, full(model))).sort()).toEqual([VERSION, "id", ...model.fields.filter((field) => isSettable(field, "update")).map(({ name }) => name)].sort());
  });

  it("begin with what their address gives", () => {
    expect([given('{"name": "Crane"}'), given(null), given("{"), given("7"), given("null")]).toEqual([{ name: "Crane" }, {}, {}, {}, {}]);
    expect(defaultsOf(modelOf("crm/deal"))).toMatchObject({ stage: "lead" });
  });
});

describe("copies", () => {
  it.each(MODELS.filter(({ model }) => model.operations.create))("of $name have what may be set and can be read, but what is unique", ({ model }) => {
    const copied = Object.keys(copyOf(model, full(model)));
    for (const name of copied) expect(fieldOf(model, name)).toMatchObject({ readable: true, settable: expect.arrayContaining(["create"]) });
    expect(copied.filter((name) => fieldOf(model, name)!.unique || ["id", "createdAt"].includes(name))).toEqual([]);
  });

  it("leave out what is empty", () => expect(copyOf(modelOf("crm/company"), { id: ID, name: "Harbour Works", website: null })).toMatchObject({ name: "Harbour Works" }));
});

describe("two changes of one record", () => {
  it.each(MODELS.filter(({ model }) => model.operations.update && model.fields.some((field) => isSettable(field, "update") && field.readable)))("of $name are told apart by field", ({ model }) => {
    const base = full(model);
    const [field] = model.fields.filter((each) => isSettable(each, "update") && each.readable);
    const mine = { ...base, [field!.name]: "mine" };
    const named = (stored: Parameters<typeof compared>[3]) => Object.values(compared(model, base, mine, stored)).map((fields) => fields.map(({ name }) => name));
    expect(named({ ...base, [field!.name]: "theirs" })).toEqual([[field!.name], [field!.name]]);
    expect(named({ ...base, [VERSION]: 4 })).toEqual([[field!.name], []]);
    expect(named(mine)).toEqual([[field!.name], []]);
    expect(named(undefined)).toEqual([[field!.name], []]);
    expect(compared(model, base, base, mine).changed).toEqual([]);
  });
});

describe("moves of a state", () => {
  const STATES = MODELS.flatMap(({ name, model }) => Object.keys(model.transitions ?? {}).map((state) => ({ name: `${name}.${state}`, model, field: fieldOf(model, state)! })));

  it.each(STATES)("$name are offered where there are any, to whoever may make them", ({ model, field }) => {
    for (const [value, moves] of Object.entries(model.transitions![field.name]!)) {
      const record = { id: ID, [field.name]: value };
      const mayMove = Boolean(model.operations.update) && isSettable(field, "update");
      expect(canMove({ model, field, record })).toBe(mayMove && moves.length > 0);
      expect(canMove({ model: { ...model, operations: {} }, field, record })).toBe(false);
      expect(movesFrom(model, field, value)).toHaveLength(moves.length + 1);
    }
    expect(canMove({ model, field, record: { id: ID, [field.name]: null } })).toBe(false);
  });
});

describe("drafts", () => {
  it("are kept in this tab until they are dropped", () => {
    keepDraft("crm/company/create", { name: "Harbour Works" });
    keepDraft(`crm/company/${ID}`, { name: "Other" });
    sessionStorage.setItem("other", "stays");
    expect(readDraft("crm/company/create")).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), values: { name: "Harbour Works" } });
    dropDraft("crm/company/create");
    expect([readDraft("crm/company/create"), readDraft(`crm/company/${ID}`)?.values]).toEqual([undefined, { name: "Other" }]);
    dropDrafts();
    expect([readDraft(`crm/company/${ID}`), sessionStorage.getItem("other")]).toEqual([undefined, "stays"]);
  });

  it("that cannot be kept or read do not stop the form", () => {
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("", "QuotaExceededError");
    });
    expect(() => keepDraft("a", {})).not.toThrow();
    full.mockRestore();
    sessionStorage.setItem("rowgate.draft:a", "{");
    expect(readDraft("a")).toBeUndefined();
  });
});

it("remembers the records that were opened last, each once", () => {
  for (const number of [...Array(14).keys(), 3]) remember({ resource: "crm/company", id: String(number), label: `Company ${number}` });
  expect(recent().map(({ id }) => id)).toEqual(["3", "13", "12", "11", "10", "9", "8", "7", "6", "5", "4", "2"]);
  forgetAll();
  expect(recent()).toEqual([]);
});

/** An answer of the service that refuses. */
async function refusal(status: number, { code = "CODE", error = "Told by the service", details = {}, headers = {} }: { code?: string; error?: string; details?: object; headers?: Record<string, string> } = {}) {
  return RowgateError.of(new Response(JSON.stringify({ error, code, details }), { status, headers: { "Content-Type": "application/json", "X-Request-Id": "request-7", ...headers } }));
}

async function sentence(error: unknown, locale = "en", fields: readonly string[] = []) {
  localStorage.setItem("rowgate.locale", locale);
  const { translate } = await createI18nProvider();
  return sentenceOf(error, translate, fields);
}

describe("what went wrong", () => {
  it.each([
    [400, {}, "The service does not take this: Told by the service"], [403, {}, "You may not do this: Told by the service"], [404, {}, "This record does not exist, or you may not see it."],
    [409, {}, "This meets something that is there already: Told by the service"], [413, {}, "This is more than the service takes: Told by the service"],
    [429, { headers: { "Retry-After": "7" } }, "That was too much at once. Try again in 7 seconds."], [429, { headers: { "Retry-After": "1" } }, "That was too much at once. Try again in 1 second."],
    [503, {}, "The service cannot do this right now. Try again in a moment."], [403, { code: "REAUTHENTICATION_REQUIRED" }, "This needs a sign-in that is not older than ten minutes. Sign in again, then repeat it."],
  ])("by %d %j is a sentence, with the request by which the logs know it", async (status, answer, said) => expect(await sentence(await refusal(status, answer))).toBe(`${said} (Request request-7)`));

  const lost = () => refusal(400, { error: "Invalid lostReason: Is required when a deal is lost.", details: { fields: { lostReason: ["Is required when a deal is lost."] } } });

  it("with a field is said by its label, in the language of the reader", async () => {
    expect(await sentence(await lost())).toContain("Lost reason: Is required when a deal is lost.");
    expect(await sentence(await lost(), "de")).toContain("Grund des Verlusts: Wird benötigt, wenn ein Geschäft verloren ist.");
  });

  it("is not said once more where it stands at its field", async () => {
    expect(await sentence(await lost(), "en", ["lostReason"])).toBe("The service does not take this: see what is said at the fields. (Request request-7)");
    expect(await sentence(await lost(), "en", ["name"])).toContain("Lost reason");
  });

  it("without the service is said, too", async () => {
    expect(await sentence(new Refusal("studio.transfer.broken", { row: 3 }))).toContain("Row 3");
    expect(await sentence(new Error("No network"))).toContain("No network");
  });

  it("because somebody was quicker is no fault of the entry", async () => {
    const stale = await refusal(412);
    expect(await sentence(Object.setPrototypeOf(stale, VersionConflict.prototype))).toMatch(/^Somebody has changed this record/);
  });
});

describe("records with a file", () => {
  const writer = () => ({ create: vi.fn(async () => ({ data: { id: ID } })), update: vi.fn(async () => ({ data: { id: ID } })), delete: vi.fn(async () => undefined) });
  const large = new File([new Uint8Array(512 * 1024 + 1)], "large.txt");

  it("go as they are where they hold none", async () => {
    const to = writer();
    const meta = { onTransaction: () => undefined };
    await createWithFile(to, "storage/upload", { filename: "a.txt" }, meta);
    expect(to.create).toHaveBeenCalledWith("storage/upload", { data: { filename: "a.txt" }, meta });
  });

  it("have a small one in them, in base64", async () => {
    const to = writer();
    await createWithFile(to, "storage/upload", { contentBase64: new File(["Quay 4"], "a.txt"), filename: "a.txt" });
    expect(to.create).toHaveBeenCalledWith("storage/upload", { data: { contentBase64: btoa("Quay 4"), filename: "a.txt" }, meta: {} });
  });

  it("with a larger one for a bucket of its own are refused with the reason, before anything is sent", async () => {
    const to = writer();
    const refused = await createWithFile(to, "storage/upload", { contentBase64: large, bucketId: ID }).catch((error: unknown) => error);
    expect(await sentence(refused)).toBe("Files of more than 512 KiB go to the default bucket: leave the bucket empty.");
    expect(to.create).not.toHaveBeenCalled();
  });
});

describe("the page of a new record", () => {
  const open = (resource: string, setting: Parameters<typeof shown>[1] = {}) => shown(<ResourceContextProvider value={resource}><CreatePage /></ResourceContextProvider>, setting);
  const input = (name: string) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)!;
  const save = () => fireEvent.click(screen.getByRole("button", { name: "Save" }));

  it("tells that a new person gets a mail", async () => {
    await open("auth/user");
    expect(screen.getByText(/gets a mail with a link/)).toBeTruthy();
    cleanup();
    await open("crm/company");
    expect(screen.queryByText(/gets a mail with a link/)).toBeNull();
  });

  it("sends what was entered, leads to the record and forgets the draft", async () => {
    const create = vi.fn(async () => ({ data: { id: ID, name: "Harbour Works" } }));
    await open("crm/company", { data: { create: create as never } });
    fireEvent.change(input("name"), { target: { value: "Harbour Works" } });
    await waitFor(() => expect(readDraft("crm/company/create")?.values).toEqual({ name: "Harbour Works" }));
    save();
    await waitFor(() => expect(place()).toBe(`/crm/company/${ID}/show`));
    expect(create).toHaveBeenCalledWith("crm/company", expect.objectContaining({ data: expect.objectContaining({ name: "Harbour Works" }) }));
    expect(readDraft("crm/company/create")).toBeUndefined();
  });

  it("has what the service refuses at its field, once", async () => {
    const taken = await refusal(400, { error: "Invalid name: Is taken.", details: { fields: { name: ["Is taken."] } } });
    await open("crm/company", { data: { create: () => Promise.reject(Object.assign(taken, { body: { errors: { name: "Is taken." } } })) } });
    fireEvent.change(input("name"), { target: { value: "Harbour Works" } });
    save();
    expect(await screen.findAllByText("Is taken.")).toHaveLength(1);
    expect(told()).toContain("The service does not take this: see what is said at the fields. (Request request-7)");
    expect(input("name").getAttribute("aria-invalid")).toBe("true");
  });

  it("offers what was entered before, but no secrets", async () => {
    keepDraft("crm/company/create", { name: "Harbour Works" });
    await open("crm/company");
    fireEvent.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(input("name").value).toBe("Harbour Works"));
    cleanup();
    await open("ai/provider");
    fireEvent.click(screen.getByRole("button", { name: "More fields" }));
    await waitFor(() => expect(input("apiKey")).toBeTruthy());
    for (const [name, value] of [["apiKey", "secret"], ["name", "Mine"]] as const) fireEvent.change(input(name), { target: { value } });
    await waitFor(() => expect(readDraft("ai/provider/create")?.values).toEqual({ name: "Mine" }));
  });

  it("has one asterisk at what is required", async () => {
    await open("crm/company");
    expect(document.querySelector(`label[for="${input("name").id}"]`)!.textContent).toMatch(/^Name\s\*$/);
  });
});

it("says that a record is gone, with the way back to the list", async () => {
  const missing = await refusal(404);
  const page = <Routes><Route path="/crm/company/:id/show" element={<ResourceContextProvider value="crm/company"><ShowPage /></ResourceContextProvider>} /></Routes>;
  await shown(page, { at: `/crm/company/${ID}/show`, data: { getOne: () => Promise.reject(missing) } });
  expect((await screen.findByRole("alert")).textContent).toContain("This record does not exist, or you may not see it.");
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toContain("/crm/company");
});
