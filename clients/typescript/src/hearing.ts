/**
 * What has changed, told to all who listen in a program: over one stream, which the tabs of a browser share, or by pages
 * where something on the way keeps streams back.
 */
import { read } from "./collection.js";
import { type Connection, address, credentials } from "./connection.js";
import { RowgateError } from "./errors.js";
import { events } from "./events.js";
import { backoff, waited } from "./pauses.js";

/** A change of a record. Of one that is out of sight now, nothing is told but which it was. */
export interface Heard {
  model: string;
  recordId: string;
  operation: "create" | "update" | "delete";
  changed?: readonly string[];
  actor?: { type: "user" | "key" | "job" | "system"; id: string | null };
}

/** What is new: models of which something has changed, or null where all is to be read anew, and the changes that are known. */
export interface News {
  models: readonly string[] | null;
  changes: readonly Heard[];
}

interface Listener {
  onNews: (news: News) => void;
  onError: (error: unknown) => void;
}

/** What a tab tells the others: a place in the log, and what has changed before it. */
interface Message {
  place?: string | undefined;
  news?: News;
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

  hears(listener: Listener): boolean {
    return this.listeners.has(listener);
  }

  private fail(error: unknown): void {
    if (this.over.signal.aborted) return;
    const told = [...this.listeners];
    this.listeners.clear();
    this.begin();
    this.begun = this.place = undefined;
    for (const { onError } of told) onError(error);
  }

  private take({ place, news }: Message): void {
    this.heardAt = Date.now();
    if (place !== undefined) this.place = place;
    this.begin();
    if (news !== undefined) for (const { onNews } of [...this.listeners]) onNews(news);
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
        if (event === "reset") tell({ place: id, news: ALL });
        else if (event === "resync") tell({ place: id, news: news([], (JSON.parse(data) as { models: string[] }).models) });
        else if (event === "ready" || event === "place") tell({ place: id });
        else if (event === "create" || event === "update" || event === "delete") tell({ place: id, news: news([JSON.parse(data) as Heard]) });
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
          data: Heard[];
          meta: { next: string; more: boolean; reset?: boolean; resync?: string[] };
        };
        const told = meta.reset ? ALL : news(data, meta.resync);
        tell({ place: meta.next, ...(told.models?.length !== 0 && { news: told }) });
        if (!meta.more) return;
      } catch (error) {
        if (error instanceof RowgateError && error.status < 500 && error.status !== 429) throw error;
        await waited(backoff(failures, 1000, 30_000), signal);
      }
    }
  }
}

const ALL: News = { models: null, changes: [] };

function news(heard: readonly Heard[], others: readonly string[] = []): News {
  const changes = heard.map(({ model, recordId, operation, changed, actor }) => ({ model, recordId, operation, ...(changed && { changed }), ...(actor && { actor }) }));
  return { models: [...new Set([...changes.map(({ model }) => model), ...others])], changes };
}

/** What the tabs of a browser that ask in the name of the same caller share a stream by; nothing where none can. */
async function shared(connection: Connection): Promise<string | undefined> {
  if (typeof document === "undefined" || !globalThis.navigator?.locks || !globalThis.crypto?.subtle || typeof BroadcastChannel === "undefined") return undefined;
  const who = (await connection.caller?.()) ?? (await credentials(connection));
  const caller = new TextEncoder().encode(JSON.stringify([address(connection, STREAM).href, who]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", caller));
  return `rowgate ${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
