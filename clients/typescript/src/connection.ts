/** Where the service is, and who asks: an API key or a session token, or what returns one. */
export interface Connection {
  baseUrl: string;
  token?: string | null | (() => string | Promise<string>);
  /** Milliseconds after which an attempt of a write is given up and made again; a minute without it. */
  timeout?: number;
  /** Says who asks where the token changes meanwhile: tabs of a browser in which the same one asks share a stream. */
  caller?: () => string | Promise<string>;
  /** Sends the requests in place of the platform's `fetch`, for programs that renew credentials or wait for a network. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Send a request. */
export function send(connection: Connection, request: Request): Promise<Response> {
  return (connection.fetch ?? fetch)(request);
}

/** The full address of a path; throws TypeError where `baseUrl` is none. In browsers it may be empty. */
export function address({ baseUrl }: Connection, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, "") + path, globalThis.location?.href);
}

/** The headers that say who asks. */
export async function credentials({ token }: Connection): Promise<Record<string, string>> {
  const current = typeof token === "function" ? await token() : token;
  return current ? { Authorization: `Bearer ${current}` } : {};
}
