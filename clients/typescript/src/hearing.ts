/**
 * What has changed, told to all who listen in a program: over one stream, which the tabs of a browser share, or by pages
 * where something on the way keeps streams back.
 */
import { read } from "./collection.js";
import { type Connection, address, credentials } from "./connection.js";
import { RowgateError } from "./errors.js";
import { events } from "./events.js";
import { backoff, waited } from "./pauses.js";

/** Models of which something has changed; nothing where all is to be read anew. */
export type Told = readonly string[] | null;

interface Listener {
  onChange: (models: Told) => void;
  onError: (error: unknown) => void;
}

/** What a tab tells the others: a place in the log, and what has changed before it. */
interface Message {
  place?: string | undefined;
  models?: Told;
}

const STREAM = "/api/v1/_changes/stream";
const PAGES = "/api/v1/_changes";
/** Milliseconds until a stream that has begun says something, and until one that was heard is taken for lost. */
const FIRST_WORD = 10_000;
const LAST_WORD = 60_000;
/** How often pages are asked for where there is no stream, and for how long until one is tried again. */
const ASKED_EVERY = 5000;
const ASKED_FOR = 60_000;

const hearings = new WeakMap<Connection, Hearing>();

/** The one of a connection. */
export function hearing(connection: Connection): Hearing {
  const known = hearings.get(connection) ?? new Hearing(connection);
  hearings.set(connection, known);
  return known;
}

export class Hearing {
  private readonly listeners = new Set<Listener>();
  private over = new AbortController();
  private place: string | undefined;
  private begun: Promise<void> | undefined;
  private begin: () => void = () => undefined;
  private heardAt = 0;

  constructor(private readonly connection: Connection) {}

  /** Have changes told from the moment on that this resolves, until the function is called that it gives. */
  async listen(listener: Listener): Promise<() => void> {
    this.listeners.add(listener);
    if (this.begun === undefined) {
      this.begun = new Promise((resolve) => (this.begin = resolve));
      this.over = new AbortController();
      this.hear(this.over.signal).catch((error: unknown) => this.fail(error));
    }
    await this.begun;
    return () => this.leave(listener);
  }

  leave(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.over.abort();
    this.begun = this.place = undefined;
  }

  private fail(error: unknown): void {
    if (this.over.signal.aborted) return;
    const told = [...this.listeners];
    this.listeners.clear();
    this.begin();
    this.begun = undefined;
    for (const { onError } of told) onError(error);
  }

  private take({ place, models }: Message): void {
    this.heardAt = Date.now();
    if (place !== undefined) this.place = place;
    this.begin();
    if (models !== undefined) for (const { onChange } of [...this.listeners]) onChange(models);
  }

  private async hear(signal: AbortSignal): Promise<void> {
    const name = await shared(this.connection);
    if (name === undefined) return this.lead(signal, (message) => this.take(message));
    const channel = new BroadcastChannel(name);
    signal.addEventListener("abort", () => channel.close());
    let isLeader = false;
    const tell = (message: Message) => {
      this.take(message);
      channel.postMessage(message);
    };
    channel.onmessage = ({ data }: MessageEvent<Message | "where">) => {
      if (data !== "where") this.take(data);
      else if (isLeader && this.place !== undefined) channel.postMessage({ place: this.place });
    };
    channel.postMessage("where");
    const leading = navigator.locks.request(name, { signal }, () => ((isLeader = true), this.lead(signal, tell)));
    // Whoever leads may be a tab that the browser has put to sleep.
    const waiting = this.wait(signal, () => isLeader);
    await Promise.race([leading, waiting]).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Ask for pages whenever the tab that leads says nothing for long. */
  private async wait(signal: AbortSignal, isLeader: () => boolean): Promise<void> {
    this.heardAt = Date.now();
    while (!signal.aborted) {
      await waited(ASKED_EVERY, signal);
      const patience = this.place === undefined ? FIRST_WORD : LAST_WORD;
      if (!signal.aborted && !isLeader() && Date.now() - this.heardAt > patience) await this.askOnce((message) => this.take(message), signal);
    }
  }

  /** Follow the stream, and ask for pages for a while whenever that says nothing. */
  private async lead(signal: AbortSignal, tell: (message: Message) => void): Promise<void> {
    while (!signal.aborted) {
      await this.stream(signal, tell);
      for (const end = Date.now() + ASKED_FOR; !signal.aborted && Date.now() < end; await waited(ASKED_EVERY, signal)) await this.askOnce(tell, signal);
    }
  }

  /** Tell what the stream says, until it says nothing for too long. */
  private async stream(signal: AbortSignal, tell: (message: Message) => void): Promise<void> {
    const silent = new AbortController();
    let alarm = setTimeout(() => silent.abort(), FIRST_WORD);
    try {
      const options = { signal: AbortSignal.any([signal, silent.signal]), ...(this.place !== undefined && { lastEventId: this.place }) };
      for await (const { event, id, data } of events(this.connection, address(this.connection, STREAM), options)) {
        clearTimeout(alarm);
        alarm = setTimeout(() => silent.abort(), LAST_WORD);
        if (event === "reset") tell({ place: id, models: null });
        else if (event === "resync") tell({ place: id, models: (JSON.parse(data) as { models: string[] }).models });
        else if (event === "ready" || event === "place") tell({ place: id });
        else if (event === "create" || event === "update" || event === "delete") tell({ place: id, models: [(JSON.parse(data) as { model: string }).model] });
      }
    } finally {
      clearTimeout(alarm);
    }
  }

  /** Tell what pages say has changed until now. */
  private async askOnce(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const url = address(this.connection, PAGES);
        url.searchParams.set("take", "1000");
        if (this.place !== undefined) url.searchParams.set("since", this.place);
        const { data, meta } = (await (await read(this.connection, url, undefined, { signal })).json()) as {
          data: { model: string }[];
          meta: { next: string; more: boolean; reset?: boolean; resync?: string[] };
        };
        const models = [...new Set([...data.map(({ model }) => model), ...(meta.resync ?? [])])];
        tell({ place: meta.next, ...(meta.reset ? { models: null } : models.length > 0 && { models }) });
        if (!meta.more) return;
      } catch (error) {
        if (error instanceof RowgateError && error.status < 500 && error.status !== 429) throw error;
        await waited(backoff(failures, 1000, 30_000), signal);
      }
    }
  }
}

/** What the tabs of a browser that ask in the name of the same caller share a stream by; nothing where none can. */
async function shared(connection: Connection): Promise<string | undefined> {
  if (typeof document === "undefined" || !globalThis.navigator?.locks || !globalThis.crypto?.subtle || typeof BroadcastChannel === "undefined") return undefined;
  const caller = new TextEncoder().encode(JSON.stringify([address(connection, STREAM).href, await credentials(connection)]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", caller));
  return `rowgate ${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
