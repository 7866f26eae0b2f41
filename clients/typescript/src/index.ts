import createFetchClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./schema.js";

export { streamChat, type ChatAnswer, type ChatQuestion } from "./chat.js";
export { followNotifications, type Follow, type Notification } from "./notifications.js";
export type { components, paths } from "./schema.js";

/** A record or body by its name in the description, such as `Schema<"CrmDeal">`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** Where the service is, and who asks: an API key or a session token, or what returns one. */
export interface Connection {
  baseUrl: string;
  token?: string | null | (() => string | Promise<string>);
}

export type RowgateClient = Client<paths>;

/** A client with a method for each HTTP method, typed by path. */
export function createClient(connection: Connection): RowgateClient {
  const client = createFetchClient<paths>({ baseUrl: connection.baseUrl });
  client.use({
    async onRequest({ request }) {
      for (const [name, value] of Object.entries(await credentials(connection))) request.headers.set(name, value);
      return request;
    },
  });
  return client;
}

/** The headers that say who asks. */
export async function credentials({ token }: Connection): Promise<Record<string, string>> {
  const current = typeof token === "function" ? await token() : token;
  return current ? { Authorization: `Bearer ${current}` } : {};
}

/** An answer that is no success, of a route that streams. */
export class RowgateError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "RowgateError";
  }

  /** Read the error body of an answer, in the shape of any route family. */
  static async of(response: Response): Promise<RowgateError> {
    const body: unknown = await response.json().catch(() => null);
    const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown };
    const message = typeof error === "string" ? error : response.statusText;
    return new RowgateError(response.status, typeof code === "string" ? code : "UNKNOWN_ERROR", message);
  }
}
