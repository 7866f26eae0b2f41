/** How requests leave: with the bearer, again after a lost connection, and again once somebody has signed in anew. */
import { RowgateError } from "@rowgate/client/react-admin";

import { SignedOut, current, renew } from "./bearer";

export type State = "connected" | "lost" | "signed-out";

/** What the service has no room for is sent again so often, where it asks to wait no longer than this. */
const TRIES_MORE = 3, BRIEF_SECONDS = 3;

let state: State = "connected";
const listeners = new Set<() => void>();
let healing: Promise<void> | undefined;
let returning: Promise<void> | undefined;
let returned: (() => void) | undefined;

export const connection = {
  get: () => state,
  subscribe(then: () => void) {
    listeners.add(then);
    return () => listeners.delete(then);
  },
};

function become(next: State): void {
  state = next;
  for (const each of listeners) each();
}

/** Where the window ends up in which somebody signs in again. */
export const SIGNED_IN = "/console/signed-in";

/** The path where people sign in, which leads back to where they were. */
export function signInPath(): string {
  return `/account/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Somebody has signed in again, in another window. */
export async function tryAgain(): Promise<boolean> {
  try {
    await renew(undefined);
  } catch {
    return false;
  }
  become("connected");
  returned?.();
  returning = returned = undefined;
  return true;
}

/** Send a request of the studio. It waits while the connection is lost or nobody is signed in, and briefly where the service has no room. */
export async function send(request: Request): Promise<Response> {
  for (let refused = 0; ; ) {
    const { token } = await signedIn();
    const attempt = new Request(request.clone(), {});
    attempt.headers.set("Authorization", `Bearer ${token}`);
    const response = await delivered(attempt);
    if (response === undefined) continue;
    const pause = refused < TRIES_MORE && isRepeatable(request) ? briefPause(response) : undefined;
    if (pause !== undefined) {
      refused += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
      request.signal.throwIfAborted();
      continue;
    }
    if (response.status !== 401) return response;
    await renew(token).catch((error: unknown) => {
      if (!(error instanceof SignedOut)) throw error;
      return signedOut();
    });
  }
}

/** How long to wait, in milliseconds, where the service has no room for a request and soon will; a used-up limit takes longer. */
function briefPause(response: Response): number | undefined {
  const seconds = Number(response.headers.get("Retry-After") ?? Infinity);
  return [429, 503].includes(response.status) && seconds <= BRIEF_SECONDS ? seconds * 1000 : undefined;
}

/** The bearer, once somebody is signed in. */
export async function signedIn() {
  for (;;) {
    try {
      return await current();
    } catch (error) {
      if (error instanceof SignedOut) await signedOut();
      else await healed();
    }
  }
}

function signedOut(): Promise<void> {
  if (state !== "signed-out") become("signed-out");
  returning ??= new Promise((resolve) => (returned = resolve));
  return returning;
}

/** The answer; nothing where the connection was lost and is there again, and the request may be sent once more. */
async function delivered(request: Request): Promise<Response | undefined> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted || !isRepeatable(request)) throw error;
    await healed();
    request.signal.throwIfAborted();
    return undefined;
  }
}

/** Whether the service does the same for two of these as for one. */
function isRepeatable(request: Request): boolean {
  const reads = request.method === "GET" || /\/_(query|aggregate)$/.test(new URL(request.url).pathname);
  return reads || request.headers.has("Idempotency-Key");
}

function healed(): Promise<void> {
  healing ??= heal().finally(() => (healing = undefined));
  return healing;
}

async function heal(): Promise<void> {
  become("lost");
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      addEventListener("online", () => (clearTimeout(timer), resolve(undefined)), { once: true });
    });
    const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => undefined);
    if (answer?.ok) break;
  }
  if (state === "lost") become("connected");
}

/** What a route answers as JSON, and of a write its transaction; throws RowgateError. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, onTransaction?: (transaction: string) => void): Promise<T> {
  const headers: Record<string, string> = method === "GET" ? {} : { "Idempotency-Key": crypto.randomUUID?.() ?? newKey() };
  const isForm = body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  const sent = body === undefined ? null : isForm ? body : JSON.stringify(body);
  const response = await send(new Request(new URL(path, location.href), { method, headers, body: sent, signal }));
  if (!response.ok) throw await RowgateError.of(response);
  const transaction = response.headers.get("Transaction-Id");
  if (transaction) onTransaction?.(transaction);
  return (await response.json()) as T;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
