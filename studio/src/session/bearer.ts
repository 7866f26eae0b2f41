/**
 * The bearer of the browser's session. It is in memory alone; tabs of one browser share it, since the service replaces
 * it whenever one of them gets another.
 */

export interface Bearer {
  token: string;
  userId: string;
}

interface Told {
  kind: "asks" | "has" | "signed-in" | "signed-out";
  bearer?: Bearer;
}

export class SignedOut extends Error {
  constructor() {
    super("Nobody is signed in");
    this.name = "SignedOut";
  }
}

/** Milliseconds that another tab has to answer. */
const PATIENCE = 120;
const LOCK = "rowgate-bearer";
/** Seconds that a bearer is good for; whoever takes one from this page has it no longer than that. */
const LIFE = 900;

let bearer: Bearer | undefined;
/** Whose data this tab shows. */
let userId: string | undefined;
let renewing: Promise<Bearer> | undefined;
const channel = new BroadcastChannel("rowgate-session");
const waiting = new Set<(bearer: Bearer) => void>();
const arriving = new Set<() => void>();
const leaving = new Set<() => void>();

channel.onmessage = ({ data }: MessageEvent<Told>) => {
  if (data.kind === "asks" && bearer) tell({ kind: "has", bearer });
  if (data.kind === "has" && data.bearer) take(data.bearer);
  if (data.kind === "signed-in") for (const each of arriving) each();
  if (data.kind === "signed-out") leave();
};

function tell(told: Told): void {
  channel.postMessage(told);
}

/** Whether the bearer is for the person of this tab. What the tab shows is nobody else's: it is loaded anew. */
function take(given: Bearer): boolean {
  if (userId !== undefined && userId !== given.userId) {
    location.reload();
    return false;
  }
  bearer = given;
  userId = given.userId;
  for (const resolve of waiting) resolve(given);
  return true;
}

function leave(): void {
  bearer = undefined;
  for (const each of leaving) each();
}

/** The bearer as it is, or a new one; throws SignedOut. */
export async function current(): Promise<Bearer> {
  return bearer ?? renew(undefined);
}

/** A bearer in place of one that the service refused; throws SignedOut. Callers at the same time share it. */
export async function renew(refused: string | undefined): Promise<Bearer> {
  if (bearer && bearer.token !== refused) return bearer;
  renewing ??= exclusively(() => another(refused)).finally(() => (renewing = undefined));
  return renewing;
}

async function another(refused: string | undefined): Promise<Bearer> {
  const shared = await ofAnotherTab(refused);
  if (shared) return shared;
  const asked = await fetch(`/api/auth/token?expiresIn=${LIFE}`, { method: "POST" });
  if (asked.status === 401) {
    bearer = undefined;
    throw new SignedOut();
  }
  if (!asked.ok) throw new TypeError("The service gives no token at this moment");
  const { token } = (await asked.json()) as { token: string };
  const known = await fetch("/api/auth/session", { headers: { Authorization: `Bearer ${token}` } });
  const session = known.ok ? ((await known.json()) as { user: { id: string } } | null) : null;
  if (session === null) throw new TypeError("The session was replaced meanwhile");
  const made = { token, userId: session.user.id };
  // What waits is not sent for somebody else.
  if (!take(made)) return new Promise(() => undefined);
  tell({ kind: "has", bearer: made });
  return made;
}

function ofAnotherTab(refused: string | undefined): Promise<Bearer | undefined> {
  if (bearer && bearer.token !== refused) return Promise.resolve(bearer);
  return new Promise((resolve) => {
    const answered = (given?: Bearer) => {
      if (given?.token === refused && given !== undefined) return;
      waiting.delete(answered);
      clearTimeout(timer);
      resolve(given);
    };
    const timer = setTimeout(() => answered(), PATIENCE);
    waiting.add(answered);
    tell({ kind: "asks" });
  });
}

/** One tab at a time. Pages that came by plain HTTP have no locks. */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? (navigator.locks.request(LOCK, work) as Promise<T>) : work();
}

/** End the session of the browser, in all tabs. */
export async function signOut(): Promise<void> {
  await fetch("/api/auth/signout", { method: "POST" });
  tell({ kind: "signed-out" });
  leave();
}

/** Tell the tabs of this browser that somebody has signed in. */
export function tellOfSignIn(): void {
  tell({ kind: "signed-in" });
}

/** Call `then` when somebody has signed in in a window that the studio opened for it. */
export function onSignIn(then: () => void): () => void {
  arriving.add(then);
  return () => arriving.delete(then);
}

/** Call `then` when the session ends in another tab, or here. */
export function onSignOut(then: () => void): () => void {
  leaving.add(then);
  return () => leaving.delete(then);
}
