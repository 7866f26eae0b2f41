// @vitest-environment happy-dom
/** Assistants: what clients are configured with, what is connected, and tools that are tried, as far as no service is needed. */
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Configurations } from "../src/assistants/Configurations";
import { ConnectedApps } from "../src/assistants/ConnectedApps";
import { TryTool } from "../src/assistants/TryTool";
import { CLIENTS, PLACEHOLDER } from "../src/assistants/configurations";
import { type Parameter, type Schema, argumentsOf, faultOf, firstEntries, kindOf, parametersOf } from "../src/assistants/parameters";
import { type Tool, writes } from "../src/assistants/tools";
import { german } from "../src/i18n/languages/de";
import { english } from "../src/i18n/languages/en";
import { ask, send } from "../src/session/transport";
import { shown, told } from "./studio";

vi.mock("../src/session/transport", () => ({ send: vi.fn(), ask: vi.fn() }));

afterEach(() => (cleanup(), vi.resetAllMocks()));

const URL_ = "https://rowgate.example/mcp";
const HEADERS = { Authorization: "Bearer <API key>" };
const configured = (name: string, hasKey: boolean) => CLIENTS.find((each) => each.name === name)!.configured!(URL_, hasKey);
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("a configuration", () => {
  it("of Claude Code is a command", () => {
    expect(configured("Claude Code", false)).toBe(`claude mcp add --transport http rowgate ${URL_}`);
    expect(configured("Claude Code", true)).toBe(`claude mcp add --transport http rowgate ${URL_} --header "Authorization: Bearer <API key>"`);
  });

  it.each<[string, (server: object) => object, object]>([
    ["Cursor", (rowgate) => ({ mcpServers: { rowgate } }), { url: URL_ }],
    ["VS Code", (rowgate) => ({ servers: { rowgate } }), { type: "http", url: URL_ }],
    ["Gemini CLI", (rowgate) => ({ mcpServers: { rowgate } }), { httpUrl: URL_ }],
  ])("of %s is the JSON that it reads", (name, file, server) => {
    expect(JSON.parse(configured(name, false))).toEqual(file(server));
    expect(JSON.parse(configured(name, true))).toEqual(file({ ...server, headers: HEADERS }));
  });

  it("of Codex is the TOML that it reads", () => {
    expect(configured("Codex", false)).toBe(`[mcp_servers.rowgate]\nurl = "${URL_}"`);
    expect(configured("Codex", true)).toBe(`[mcp_servers.rowgate]\nurl = "${URL_}"\nhttp_headers = { Authorization = "Bearer <API key>" }`);
  });

  it.each(CLIENTS)("of $name says in both languages what is done with it", ({ id, configured: text }) => {
    for (const { studio } of [english.messages, german.messages]) {
      const words = studio.assistants as Record<string, string>;
      for (const key of text ? [`then_${id}`] : [1, 2, 3].map((step) => `step_${id}_${step}`)) expect(words[key]).toEqual(expect.any(String));
    }
  });

  it("has a place for a key on demand, with the way to the keys", async () => {
    await shown(<Configurations />);
    const text = () => screen.getByRole("group", { name: /^Configuration of/ }).textContent;
    expect(text()).toBe(`claude mcp add --transport http rowgate ${location.origin}/mcp`);
    fireEvent.click(screen.getByRole("switch", { name: "With an API key instead" }));
    expect(text()).toContain(PLACEHOLDER);
    expect(screen.getByRole("link", { name: "Open API keys" }).getAttribute("href")).toBe("/keys");
    fireEvent.click(screen.getByRole("tab", { name: "ChatGPT" }));
    expect(screen.getByText("ChatGPT takes no key: it connects by a sign-in.")).toBeTruthy();
    expect(within(screen.getByRole("tabpanel")).getAllByRole("listitem")).toHaveLength(3);
  });
});

describe("a connected app", () => {
  const APP = {
    id: "7", clientId: "https://app.example/client.json", name: "Desk", scopes: ["read", "write"], organization: "Harbour Works", narrowed: true,
    createdAt: "2026-03-01T00:00:00Z", lastUsedAt: null, expiresAt: "2026-06-01T00:00:00Z",
  };

  it("is listed with what it may do, and disconnected once somebody has said so", async () => {
    vi.mocked(ask).mockResolvedValue({ data: [APP], meta: { count: 1 } });
    await shown(<ConnectedApps />);
    const link = await screen.findByRole("link", { name: "Desk" });
    expect(link.getAttribute("href")).toBe("/keys/7");
    expect(link.closest("tr")!.textContent).toMatch(/^DeskReadWriteNarrowedHarbour Works.*Never/);
    press("Disconnect: Desk");
    expect(vi.mocked(ask).mock.calls.map(([method]) => method)).toEqual(["GET"]);
    await act(async () => press("Disconnect"));
    expect(ask).toHaveBeenCalledWith("DELETE", "/api/auth/clients/7");
    await waitFor(() => expect(told()).toContain("disconnected"));
  });

  it("is none where nobody has let one in", async () => {
    vi.mocked(ask).mockResolvedValue({ data: [], meta: { count: 0 } });
    await shown(<ConnectedApps />);
    expect(await screen.findByText("No app is connected")).toBeTruthy();
  });
});

describe("an argument", () => {
  it.each<[Schema, string]>([
    [{ type: "string" }, "text"], [{ type: "string", enum: ["a", "b"] }, "choice"], [{ enum: ["a"] }, "choice"], [{ type: "integer" }, "integer"], [{ type: "number" }, "number"],
    [{ type: "boolean" }, "switch"], [{ type: "array", items: { type: "string" } }, "texts"], [{ type: "array", items: { type: "object" } }, "json"], [{ type: "array" }, "json"],
    [{ type: "object" }, "json"], [{ enum: [1, 2] }, "json"], [{ type: ["string", "null"] }, "json"], [{}, "json"],
  ])("with the schema %j is entered as %s", (schema, kind) => expect(kindOf(schema)).toBe(kind));

  const of = (schema: Schema, isRequired = false): Parameter => ({ name: "it", kind: kindOf(schema), isRequired, schema });
  const sent = (schema: Schema, entry: string | boolean | undefined, isRequired = false) => argumentsOf([of(schema, isRequired)], { it: entry });

  it.each<[Schema, string | boolean, unknown]>([
    [{ type: "string" }, " a ", " a "], [{ type: "integer" }, "3", 3], [{ type: "number" }, "1.5", 1.5], [{ type: "boolean" }, false, false],
    [{ type: "array", items: { type: "string" } }, "name, -stage,,", ["name", "-stage"]], [{ type: "object" }, '{"a": 1}', { a: 1 }], [{}, "null", null],
  ])("with the schema %j and %j in its input goes out as %j", (schema, entry, value) => expect(sent(schema, entry)).toEqual({ it: value }));

  it("is left out where nothing was entered, but a switch that is required", () => {
    for (const type of ["string", "integer", "object", "boolean"]) expect(sent({ type }, undefined)).toEqual({});
    expect([sent({ type: "string" }, " "), sent({ type: "boolean" }, undefined, true)]).toEqual([{}, { it: false }]);
  });

  it("begins with what the schema presumes", () => {
    const properties: Record<string, Schema> = {
      take: { type: "integer", default: 20 }, atomic: { type: "boolean", default: true }, sort: { type: "array", items: { type: "string" }, default: ["a", "b"] }, where: { type: "object", default: { a: 1 } }, id: { type: "string" },
    };
    const parameters = parametersOf({ properties });
    expect(argumentsOf(parameters, firstEntries(parameters))).toEqual({ take: 20, atomic: true, sort: ["a", "b"], where: { a: 1 } });
  });

  it.each<[Schema, string, string]>([
    [{ type: "object" }, "{oops", "studio.input.json_invalid"], [{ type: "object" }, "[]", "studio.input.json_object"], [{ type: "array" }, "{}", "studio.input.json_array"],
    [{ type: "integer" }, "1.5", "studio.assistants.no_integer"], [{ type: "number" }, "x", "studio.input.no_decimal"],
  ])("with the schema %j is wrong with %s in it", (schema, entry, key) => expect(faultOf(of(schema), entry)?.key).toBe(key));

  it("is wanted where it is required alone", () => expect([faultOf(of({}, true), ""), faultOf(of({}), "")]).toEqual([{ key: "ra.validation.required" }, undefined]));
});

it.each<[Tool["annotations"], boolean]>([[{ readOnlyHint: true, destructiveHint: false }, false], [{ readOnlyHint: false }, true], [{ readOnlyHint: true, destructiveHint: true }, true], [{}, true], [undefined, true]])(
  "a tool with the hints %j is asked about first: %s", (annotations, asks) => expect(writes({ name: "it", inputSchema: {}, annotations: annotations! })).toBe(asks));

describe("a tool that is tried", () => {
  const STRINGS = { type: "array", items: { type: "string" } };
  const READS: Tool = {
    name: "query_records", title: "Query records", description: "Finds records.", annotations: { readOnlyHint: true, destructiveHint: false },
    inputSchema: { properties: { model: { type: "string", enum: ["crm/contact", "crm/deal"] }, where: { type: "object" }, fields: STRINGS, take: { type: "integer" }, exact: { type: "boolean" } }, required: ["model"] },
  };
  const WRITES: Tool = { name: "delete_record", title: "Delete a record", inputSchema: { properties: {} }, annotations: { readOnlyHint: false, destructiveHint: true } };

  let calls: { request: Request; body: { method: string; params: Record<string, unknown> } }[];
  let answer: () => Response;
  const replied = (reply: object, status = 200) => () => new Response(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }), { status });

  beforeEach(() => {
    calls = [];
    vi.mocked(send).mockImplementation(async (request) => {
      const body = await request.json();
      calls.push({ request, body });
      return body.method === "tools/list" ? replied({ result: { tools: [READS, WRITES] } })() : answer();
    });
  });

  async function tried() {
    await shown(<TryTool />);
    await screen.findByRole("button", { name: "Run" });
  }
  const choose = (label: RegExp, option: string) => {
    fireEvent.mouseDown(screen.getByRole("combobox", { name: label }));
    fireEvent.click(screen.getByRole("option", { name: option }));
  };
  const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
  const alert = async () => (await screen.findByRole("alert")).textContent;

  it("is called with what its form holds, and its answer is shown", async () => {
    answer = replied({ result: { content: [{ type: "text", text: "no" }], structuredContent: { data: [{ firstName: "Ada" }] } } });
    await tried();
    choose(/^model/, "crm/contact");
    enter("where", '{"firstName": "Ada"}');
    enter("fields", "firstName, email");
    enter("take", "3");
    fireEvent.click(screen.getByRole("switch", { name: "exact" }));
    press("Run");
    expect((await screen.findByRole("group", { name: "Answer" })).textContent).toBe(JSON.stringify({ data: [{ firstName: "Ada" }] }, null, 2));
    expect(screen.getByText("The tool has answered.").getAttribute("role")).toBe("status");
    const { request, body } = calls.at(-1)!;
    expect(body).toMatchObject({ jsonrpc: "2.0", method: "tools/call", params: { name: "query_records", arguments: { model: "crm/contact", where: { firstName: "Ada" }, fields: ["firstName", "email"], take: 3, exact: true } } });
    expect(body.params._meta).toMatchObject({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    expect(["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"].map((name) => request.headers.get(name))).toEqual(["2026-07-28", "tools/call", "query_records"]);
  });

  it("is not called while something is missing or no JSON, which is said at its input", async () => {
    await tried();
    enter("where", "{oops");
    fireEvent.blur(screen.getByLabelText("where"));
    expect(screen.getByText(/^This is not JSON/)).toBeTruthy();
    press("Run");
    expect(screen.getByText("Required")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: /^model/ }));
    expect(calls.map(({ body }) => body.method)).toEqual(["tools/list"]);
  });

  it.each<[string, () => Response, RegExp]>([
    ["by the tool", replied({ result: { isError: true, content: [{ type: "text", text: "INVALID_FILTER: Unknown field" }] } }), /The tool could not do this.*INVALID_FILTER: Unknown field/],
    ["by the protocol", replied({ error: { code: -32602, message: "No tool has this name" } }, 400), /The call was refused: No tool has this name/],
    ["by the service", () => new Response(JSON.stringify({ error: "Too many requests", code: "RATE_LIMITED" }), { status: 429, headers: { "Retry-After": "7" } }), /Try again in 7 seconds/],
    ["without JSON", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), /Something went wrong/],
  ])("says in words that it was refused %s", async (_, given, said) => {
    answer = given;
    await tried();
    choose(/^model/, "crm/deal");
    press("Run");
    expect(await alert()).toMatch(said);
    expect(screen.queryByRole("group", { name: "Answer" })).toBeNull();
  });

  it("that writes says so, and asks before", async () => {
    answer = replied({ result: { content: [{ type: "text", text: "Gone." }] } });
    await tried();
    choose(/^Tool/, "Delete a record");
    expect(screen.getByText("Changes or deletes")).toBeTruthy();
    press("Run");
    const dialog = within(screen.getByRole("dialog", { name: "Delete a record: really?" }));
    expect(calls).toHaveLength(1);
    await act(async () => void fireEvent.click(dialog.getByRole("button", { name: "Run" })));
    expect((await screen.findByText("Gone.")).textContent).toBe("Gone.");
    expect(calls.at(-1)!.body.params).toMatchObject({ name: "delete_record", arguments: {} });
  });
});
