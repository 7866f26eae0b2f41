/** Writes that are sent again when no answer comes: with an idempotency key, the service does the work once. */
import { type Connection, send } from "./connection.js";
import { retryAfter } from "./errors.js";
import { backoff, waited } from "./pauses.js";

const RETRIES = 3;
const TIMEOUT = 60_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;
/** Seconds; who asks for a longer wait gets none, and the caller the answer. */
const LONGEST_WISH = 60;
const TRANSIENT = [408, 502, 503, 504];

/** What headers and query parameters say in the same words. */
const NAMES = { "Idempotency-Key": "idempotencyKey", "If-Match": "ifMatch" } as const;
type Name = keyof typeof NAMES;

/** Whether the running page is of another origin: the service's preflight lets it send none of these headers. */
function isForeign(url: URL): boolean {
  return globalThis.location !== undefined && globalThis.location.origin !== url.origin;
}

/** Say `name` in the header, or in the query for pages of other origins. */
export function mark(url: URL, headers: Headers, name: Name, value: string): void {
  if (isForeign(url)) url.searchParams.set(NAMES[name], value);
  else headers.set(name, value);
}

export function hasKey(url: URL, headers: Headers): boolean {
  return headers.has("Idempotency-Key") || url.searchParams.has(NAMES["Idempotency-Key"]);
}

/** A new idempotency key. Pages that came by plain HTTP have no `randomUUID`. */
export function newKey(): string {
  if (globalThis.crypto.randomUUID !== undefined) return globalThis.crypto.randomUUID();
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The same request with an idempotency key of its own. */
export async function keyed(request: Request): Promise<Request> {
  const url = new URL(request.url);
  if (!isForeign(url)) {
    request.headers.set("Idempotency-Key", newKey());
    return request;
  }
  mark(url, request.headers, "Idempotency-Key", newKey());
  const { method, headers, mode, credentials, cache, redirect, referrer, referrerPolicy, keepalive, signal } = request;
  const body = await request.arrayBuffer();
  return new Request(url, {
    method, headers, mode, credentials, cache, redirect, referrer, referrerPolicy, keepalive, signal, body,
  });
}

/** The answer to a request; one with an idempotency key is sent again where that may help. */
export async function sent(connection: Connection, request: Request): Promise<Response> {
  const isRead = ["GET", "HEAD"].includes(request.method);
  if (isRead || !hasKey(new URL(request.url), request.headers)) return send(connection, request);
  const body = await request.arrayBuffer();
  const { signal } = request;
  for (let failures = 1; ; failures += 1) {
    let wish = 0;
    try {
      const patience = AbortSignal.timeout(connection.timeout ?? TIMEOUT);
      const attempt = new Request(request, { body, signal: AbortSignal.any([signal, patience]) });
      const response = await whole(await send(connection, attempt));
      wish = retryAfter(response) ?? 0;
      if (failures > RETRIES || wish > LONGEST_WISH || !isTransient(response)) return response;
    } catch (error) {
      if (signal.aborted || failures > RETRIES) throw error;
    }
    await waited(Math.max(backoff(failures, FIRST_PAUSE, LONGEST_PAUSE), wish * 1000), signal);
    signal.throwIfAborted();
  }
}

/** An answer with all of its body: what breaks off is no answer. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  return new Response(await response.arrayBuffer(), response);
}

/** Whether the same request may well get another answer: 409 only of a key that another attempt still holds. */
function isTransient({ status, headers }: Response): boolean {
  return TRANSIENT.includes(status) || (status === 409 && headers.has("Retry-After"));
}
