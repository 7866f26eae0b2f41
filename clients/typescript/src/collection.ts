/** What sends the requests about the records of a model; src/records.ts and src/writes.ts say what goes in and comes out. */
import type { Call, Target, WriteCall } from "./calls.js";
import { type Connection, address, credentials, send } from "./connection.js";
import { RowgateError, VersionConflict } from "./errors.js";
import { backoff, waited } from "./pauses.js";
import { mark, newKey, sent } from "./sending.js";
import { decoder, lines } from "./streams.js";
import { versionIn, versionOf, versioned } from "./versions.js";

/** How often a change is tried on a record that others keep changing. */
const TRIES = 25;
/** How many records are read at once. */
const CHUNK = 100;

interface Known {
  id: string;
}
type Versions = Record<string, number>;

/** An answer of a list: all but `data` stands in `meta`, or beside the data. */
interface Answered {
  data: Known[];
  next?: string | null;
  versions?: Versions;
  degraded?: boolean;
  meta?: { next?: string | null; versions?: Versions; degraded?: boolean };
}

interface Written {
  data: Known[];
  meta: { count: number };
}

interface Exported {
  where?: object;
  search?: string;
  timeZone?: string;
  sort?: readonly string[];
  fields?: readonly string[];
}

interface Wanted {
  fields?: readonly string[];
  expand?: readonly string[];
  asOf?: Date;
}

/** A write as it goes out. */
interface Write {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  query?: Record<string, string>;
  version?: number;
}

/** Send a write, in the name of a caller with an idempotency key. */
export async function write(connection: Connection, asked: Write, call: WriteCall = {}): Promise<Response> {
  const url = address(connection, asked.path);
  for (const [name, value] of Object.entries(asked.query ?? {})) url.searchParams.set(name, value);
  const headers = new Headers(await credentials(connection));
  if (headers.has("Authorization")) mark(url, headers, "Idempotency-Key", call.idempotencyKey ?? newKey());
  if (asked.version !== undefined) mark(url, headers, "If-Match", `"${asked.version}"`);
  if (asked.body !== undefined) headers.set("Content-Type", "application/json");
  const body = asked.body === undefined ? null : JSON.stringify(asked.body);
  const response = await sent(connection, new Request(url, { method: asked.method, headers, body, signal: call.signal }));
  if (!response.ok) throw await RowgateError.of(response);
  const transaction = response.headers.get("Transaction-Id");
  if (transaction) call.onTransaction?.(transaction);
  return response;
}

/** Read what is at `path`, or the answer to a question in a body: by POST, as pages of other origins can send no QUERY. */
export async function read(connection: Connection, path: string | URL, question?: object, { signal }: Call = {}): Promise<Response> {
  const url = typeof path === "string" ? address(connection, path) : path;
  const headers = await credentials(connection);
  const asked = question === undefined ? {} : { method: "POST", body: JSON.stringify(question) };
  if (question !== undefined) headers["Content-Type"] = "application/json";
  const response = await send(connection, new Request(url, { ...asked, signal, headers }));
  if (!response.ok) throw await RowgateError.of(response);
  return response;
}

export class Collection {
  constructor(
    private readonly connection: Connection,
    private readonly path: string,
  ) {}

  async list(query: object = {}, call?: Call): Promise<Answered> {
    const page = await this.ask<Answered>("/_query", query, call);
    const versions = page.versions ?? page.meta?.versions ?? {};
    for (const record of page.data) versioned(record, versions[record.id]);
    return page;
  }

  async ranked(query: object, call?: Call): Promise<Answered> {
    return this.list({ searchMode: "hybrid", ...query }, call);
  }

  async *each(query: object = {}, call?: Call): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | null | undefined = "";
    while (typeof cursor === "string") {
      const page: Answered = await this.list({ ...query, cursor }, call);
      yield* page.data;
      cursor = page.next ?? page.meta?.next;
    }
  }

  async *export(query: Exported = {}, { signal }: Call = {}): AsyncGenerator<unknown, void, undefined> {
    const url = address(this.connection, `${this.path}/_export`);
    url.searchParams.set("as", "ndjson");
    if (query.where) url.searchParams.set("where", JSON.stringify(query.where));
    for (const name of ["search", "timeZone"] as const) if (query[name]) url.searchParams.set(name, query[name]);
    for (const name of ["fields", "sort"] as const) {
      const names = query[name];
      if (names?.length) url.searchParams.set(name, names.join(","));
    }
    const response = await read(this.connection, url, undefined, { signal });
    if (response.body === null) return;
    for await (const line of lines(response.body.pipeThrough(decoder()))) yield JSON.parse(line);
  }

  async get(id: string, wanted: Wanted = {}, call?: Call): Promise<Known> {
    const url = address(this.connection, this.item(id));
    for (const name of ["fields", "expand"] as const) {
      const names = wanted[name];
      if (names?.length) url.searchParams.set(name, names.join(","));
    }
    if (wanted.asOf) url.searchParams.set("asOf", wanted.asOf.toISOString());
    return record(await read(this.connection, url, undefined, call));
  }

  async sum(query: object = {}, call?: Call): Promise<unknown> {
    return this.ask("/_aggregate", query, call);
  }

  async create(body: object, call?: WriteCall): Promise<Known> {
    return this.writtenOne({ method: "POST", path: this.path, body }, call);
  }

  async createMany(body: readonly object[], call?: WriteCall): Promise<Known[]> {
    if (body.length === 0) return [];
    return (await this.written({ method: "POST", path: this.path, body }, call)).data;
  }

  async upsert(body: readonly object[], by: Record<string, string>, call?: WriteCall): Promise<Written> {
    return this.written({ method: "POST", path: this.path, body, query: { ...by } }, call);
  }

  async update(target: Target, body: object, call?: WriteCall): Promise<Known> {
    const { id, version } = aimed(target);
    return this.updateAt(id, version, body, call);
  }

  async updateAt(id: string, version: number | undefined, body: object, call?: WriteCall): Promise<Known> {
    return this.writtenOne({ method: "PUT", path: this.item(id), body, version }, call);
  }

  async updateMany(changes: readonly (readonly [Target, object])[], call?: WriteCall): Promise<Known[]> {
    if (changes.length === 0) return [];
    const body = changes.map(([target, given]) => {
      const { id, version } = aimed(target);
      return { ...given, id, ...(version === undefined ? {} : { ifMatch: `"${version}"` }) };
    });
    return (await this.written({ method: "PUT", path: this.path, body }, call)).data;
  }

  updateMatching(matching: object, call?: WriteCall): Promise<number> {
    return this.matched("update", matching, call);
  }

  async delete(target: Target, call?: WriteCall): Promise<void> {
    const { id, version } = aimed(target);
    await this.deleteAt(id, version, call);
  }

  async deleteAt(id: string, version: number | undefined, call?: WriteCall): Promise<void> {
    await this.write({ method: "DELETE", path: this.item(id), version }, call);
  }

  async deleteMany(ids: readonly string[], call?: WriteCall): Promise<number> {
    if (ids.length === 0) return 0;
    const response = await this.write({ method: "DELETE", path: this.path, body: { ids } }, call);
    return ((await response.json()) as Written).meta.count;
  }

  deleteMatching(matching: object, call?: WriteCall): Promise<number> {
    return this.matched("delete", matching, call);
  }

  async modify(
    id: string,
    change: (record: Known) => object | undefined | Promise<object | undefined>,
    call: Call = {},
  ): Promise<Known> {
    for (let tries = 1; ; tries += 1) {
      const current = await this.get(id, {}, call);
      const changes = await change(current);
      if (changes === undefined) return current;
      try {
        return await this.update(current, changes, call);
      } catch (error) {
        if (!(error instanceof VersionConflict) || tries === TRIES) throw error;
      }
      await waited(backoff(tries, 10, 500), call.signal);
      call.signal?.throwIfAborted();
    }
  }

  history(id: string, call?: Call): AsyncGenerator<unknown, void, undefined> {
    return this.logged(`${this.item(id)}/_history`, call);
  }

  deleted(call?: Call): AsyncGenerator<unknown, void, undefined> {
    return this.logged(`${this.path}/_deleted`, call);
  }

  async revert(target: Target, version: number, call?: WriteCall): Promise<Known> {
    const { id, version: known } = aimed(target);
    return this.revertAt(id, known, version, call);
  }

  async revertAt(id: string, known: number | undefined, version: number, call?: WriteCall): Promise<Known> {
    return this.writtenOne({ method: "POST", path: `${this.item(id)}/_revert`, body: { version }, version: known }, call);
  }

  async restore(id: string, call?: WriteCall): Promise<Known> {
    return this.writtenOne({ method: "POST", path: `${this.path}/_deleted/${encodeURIComponent(id)}/_restore` }, call);
  }

  /** What the log has at `path`, newest first. */
  private async *logged(path: string, call?: Call): AsyncGenerator<unknown, void, undefined> {
    const url = address(this.connection, path);
    url.searchParams.set("take", String(CHUNK));
    for (let cursor: string | null = ""; cursor !== null; ) {
      if (cursor) url.searchParams.set("cursor", cursor);
      const page = (await (await read(this.connection, url, undefined, call)).json()) as { data: unknown[]; meta: { next: string | null } };
      yield* page.data;
      cursor = page.meta.next;
    }
  }

  private item(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}`;
  }

  private async matched(operation: string, body: object, call?: WriteCall): Promise<number> {
    const path = `${this.path}/_matching/_${operation}`;
    const response = await this.write({ method: "POST", path, body }, call);
    return ((await response.json()) as Written).meta.count;
  }

  private async writtenOne(asked: Write, call?: WriteCall): Promise<Known> {
    return this.complete(await record(await this.write(asked, call)), call);
  }

  private async written(asked: Write, call?: WriteCall): Promise<Written> {
    const answer = (await (await this.write(asked, call)).json()) as Written;
    return { ...answer, data: await this.completed(answer.data, call) };
  }

  private async complete(record: Known, call?: Call): Promise<Known> {
    return isBrief(record) ? this.get(record.id, {}, call) : record;
  }

  /** The records whole: the service keeps of large answers the ids and versions alone, and gives these to a retry. */
  private async completed(records: Known[], call?: Call): Promise<Known[]> {
    const found = new Map(records.map((each) => [each.id, each]));
    const missing = records.filter(isBrief).map(({ id }) => id);
    for (let start = 0; start < missing.length; start += CHUNK) {
      const where = { id: { in: missing.slice(start, start + CHUNK) } };
      const page = await this.list({ where, take: CHUNK, count: "none", versions: true }, call);
      for (const each of page.data) found.set(each.id, each);
    }
    return records.map(({ id }) => {
      const record = found.get(id)!;
      if (isBrief(record)) throw new RowgateError(404, "NOT_FOUND", "A record that was written is gone since");
      return record;
    });
  }

  private write(asked: Write, call?: WriteCall): Promise<Response> {
    return write(this.connection, asked, call);
  }

  private async ask<T>(path: string, query: object, call?: Call): Promise<T> {
    return (await (await read(this.connection, this.path + path, query, call)).json()) as T;
  }
}

/** The record in an answer, whose version is in the entity tag. */
async function record(response: Response): Promise<Known> {
  return versioned((await response.json()) as Known, versionIn(response));
}

/** Whether a record stands for one whose answer was too large to keep. */
function isBrief(record: object): boolean {
  const names = Object.keys(record);
  return names.length === 2 && names.includes("id") && names.includes("version");
}

/** The id that a write is for, and the version of the record where one was given. */
function aimed(target: Target): { id: string; version?: number } {
  if (typeof target === "string") return { id: target };
  const version = versionOf(target);
  if (version !== undefined) return { id: target.id, version };
  throw new TypeError("The version of this record is not known: read it by get, list it with versions, or give its id");
}
