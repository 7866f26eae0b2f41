/** The tools of the endpoint, which the studio calls as any client does. */
import { RowgateError } from "@rowgate/client/react-admin";
import { useQuery } from "@tanstack/react-query";

import { Refusal } from "../api/sentences";
import { send } from "../session/transport";
import type { Schema } from "./parameters";
import { endpoint } from "./configurations";

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Schema;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean };
}

/** What a tool answers. */
export interface Result {
  content?: readonly { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

interface Reply {
  result?: unknown;
  error?: { message?: string };
}

const VERSION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
/** What each request tells of who asks: there are no sessions. */
const META = {
  [`${PREFIX}protocolVersion`]: VERSION,
  [`${PREFIX}clientInfo`]: { name: "Studio", version: "1" },
  [`${PREFIX}clientCapabilities`]: {},
};

let last = 0;

export function useTools() {
  return useQuery({
    queryKey: ["tools"],
    queryFn: async ({ signal }) => (await message<{ tools: readonly Tool[] }>("tools/list", {}, signal)).tools,
  });
}

export function callTool(name: string, given: Record<string, unknown>): Promise<Result> {
  return message<Result>("tools/call", { name, arguments: given });
}

/** Whether a tool does more than read; one that says nothing of it may. */
export const writes = ({ annotations = {} }: Tool) => !annotations.readOnlyHint || Boolean(annotations.destructiveHint);

/** What the answer of a tool says, as far as it is text. */
export const textOf = ({ content = [] }: Result) => content.flatMap(({ text }) => text ?? []).join("\n");

/** The result of a message; throws a Refusal with the words of JSON-RPC, or RowgateError. */
async function message<T>(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json", Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": VERSION, "Mcp-Method": method,
  };
  if (typeof params.name === "string") headers["Mcp-Name"] = params.name;
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params: { ...params, _meta: META } });
  const response = await send(new Request(endpoint(), { method: "POST", headers, body, signal }));
  const { result, error } = ((await response.clone().json().catch(() => ({}))) ?? {}) as Reply;
  // Refusals of HTTP have a text there.
  if (typeof error?.message === "string") throw new Refusal("studio.assistants.refused", { message: error.message });
  if (!response.ok) throw await RowgateError.of(response);
  return result as T;
}
