/** A data provider for react-admin: its lists, records and writes over a Rowgate service. */
import { Collection } from "./collection.js";
import type { Connection } from "./connection.js";
import { RowgateError, VersionConflict } from "./errors.js";
import { type Heard, type News, hearing } from "./hearing.js";
import { versionOf } from "./versions.js";

export { RowgateError, VersionConflict };
export type { Heard, News };

/** The version of a record stands beside its fields: react-admin copies records, and a copy has to know it too. */
export const VERSION = "_version";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
/** A record of any model. */
export interface Row {
  id: string;
  [name: string]: any;
}

/** What `filter` may hold: conditions and words; any other member is an equality. */
export interface Filter {
  where?: object;
  q?: string;
  [field: string]: unknown;
}

/** What `meta` may ask of a read. */
export interface Wanted {
  /** Only these fields. */
  fields?: readonly string[];
  /** Related records beside their reference. */
  expand?: readonly string[] | Record<string, unknown>;
  /** Several keys of order, descending with a minus, in place of `sort`. */
  sort?: readonly string[];
  /** Empty for the first page of a walk; then the `next` of the page before. In place of `pagination.page`. */
  cursor?: string;
  count?: "exact" | "bounded" | "none";
  /** Rank by what is searched for, at most 200 records: without a cursor, a count and any other order. */
  searchMode?: "hybrid" | "keyword" | "vector";
}

/** What `meta` may ask of a write: to be told its transaction, by which `_undo` takes it back. */
export interface Noted {
  onTransaction?: (transaction: string) => void;
}

interface Listening {
  onBegin?: () => void;
  onError?: (error: unknown) => void;
}

interface Reading {
  pagination?: { page: number; perPage: number };
  sort?: { field: string; order: string };
  filter?: Filter;
  meta?: Wanted;
  signal?: AbortSignal;
}

export interface Listed {
  data: Row[];
  total?: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
  /** A ranked list is `degraded` where no vector of the question came in time: by words alone. */
  meta: { next: string | null; counted: string; degraded?: boolean };
}

interface Counted {
  count?: number;
  next?: string | null;
  counted?: string;
}

/** Where the records of a resource are; `crm/deal` is at `/api/v1/crm/deal`, as all are but `ai/provider`. */
export type PathOf = (resource: string) => string;
const usual: PathOf = (resource) => (resource === "ai/provider" ? "/api/v1/ai" : `/api/v1/${resource}`);

/**
 * What react-admin asks a data provider for. Resources are called by domain and model, such as `crm/deal`. A change
 * is carried out only while the stored version is that of `previousData`, and throws VersionConflict otherwise, unless
 * `meta.force` says so. Errors have `body.errors` by field, which forms show.
 */
export function createDataProvider(connection: Connection, pathOf: PathOf = usual) {
  const collection = (resource: string) => new Collection(connection, pathOf(resource));

  async function ranked(resource: string, { filter, meta, pagination, signal }: Reading): Promise<Listed> {
    const query = { ...conditions(filter), searchMode: meta?.searchMode, take: pagination?.perPage ?? 20, versions: true, ...chosen(meta) };
    const answer = await collection(resource).ranked(query, { signal });
    const degraded = answer.degraded ?? answer.meta?.degraded ?? false;
    const pageInfo = { hasNextPage: false, hasPreviousPage: false };
    return { data: answer.data.map(row), total: answer.data.length, pageInfo, meta: { next: null, counted: "none", degraded } };
  }

  async function list(resource: string, asked: Reading): Promise<Listed> {
    if (asked.meta?.searchMode) return ranked(resource, asked);
    const { page = 1, perPage = 20 } = asked.pagination ?? {};
    const cursor = asked.meta?.cursor;
    const query = {
      ...conditions(asked.filter),
      ...ordered(asked.meta?.sort ?? sortKeys(asked.sort)),
      take: perPage,
      ...(cursor === undefined ? { skip: (page - 1) * perPage } : { cursor }),
      count: asked.meta?.count ?? (cursor === undefined ? "exact" : "none"),
      versions: true,
      ...chosen(asked.meta),
    };
    const answer = await collection(resource).list(query, { signal: asked.signal });
    const about: Counted & { total?: number } = { ...answer, ...answer.meta };
    const counted = about.counted ?? "exact";
    const total = counted === "none" ? undefined : (about.count ?? about.total);
    const isFull = answer.data.length === perPage;
    const hasNextPage = cursor === undefined ? (total === undefined ? isFull : page * perPage < total) : about.next !== null;
    return {
      data: answer.data.map(row),
      ...(total === undefined ? {} : { total }),
      pageInfo: { hasNextPage, hasPreviousPage: page > 1 },
      meta: { next: about.next ?? null, counted },
    };
  }

  return {
    supportAbortSignal: true,

    /**
     * Be told what changes, of all models, until the function is called that this gives. What was read before `onBegin`
     * is called may be old already; after it nothing is missed, also where the connection is lost for a while. What
     * ends it, such as a refusal, is given to `onError`.
     */
    listen(onNews: (news: News) => void, { onBegin, onError = () => undefined }: Listening = {}): () => void {
      const heard = hearing(connection);
      const listener = { onNews, onError };
      void heard.listen(listener).then(() => heard.hears(listener) && onBegin?.());
      return () => heard.leave(listener);
    },

    getList: (resource: string, asked: Reading = {}) => told(list(resource, asked)),

    getManyReference: (resource: string, { target, id, ...asked }: Reading & { target: string; id: string }) =>
      told(list(resource, { ...asked, filter: { ...asked.filter, [target]: id } })),

    async getOne(resource: string, { id, meta, signal }: { id: string; meta?: Wanted; signal?: AbortSignal }) {
      return { data: row(await told(collection(resource).get(id, narrowed(meta), { signal }))) };
    },

    async getMany(resource: string, { ids, meta, signal }: { ids: readonly string[]; meta?: Wanted; signal?: AbortSignal }) {
      const pages = [];
      for (let start = 0; start < ids.length; start += 100) {
        const pagination = { page: 1, perPage: 100 };
        const filter = { where: { id: { in: ids.slice(start, start + 100) } } };
        pages.push(list(resource, { pagination, filter, meta: { ...meta, count: "none" }, signal }));
      }
      return { data: (await told(Promise.all(pages))).flatMap(({ data }) => data) };
    },

    async create(resource: string, { data, meta }: { data: object; meta?: Noted }) {
      return { data: row(await told(collection(resource).create(clean(data), meta))) };
    },

    async update(
      resource: string,
      { id, data, previousData, meta }: { id: string; data: object; previousData?: Row; meta?: Noted & { force?: boolean } },
    ) {
      const given = changes(data, previousData);
      if (previousData !== undefined && Object.keys(given).length === 0) return { data: previousData };
      const version = meta?.force ? undefined : previousData?.[VERSION];
      return { data: row(await told(collection(resource).updateAt(id, version, given, meta))) };
    },

    async updateMany(resource: string, { ids, data, meta }: { ids: readonly string[]; data: object; meta?: Noted }) {
      const given = clean(data);
      for (const some of portions(ids)) await told(collection(resource).updateMany(some.map((id) => [id, given]), meta));
      return { data: [...ids] };
    },

    async delete(resource: string, { id, previousData, meta }: { id: string; previousData?: Row; meta?: Noted }) {
      await told(collection(resource).deleteAt(id, previousData?.[VERSION], meta));
      return { data: previousData ?? { id } };
    },

    async deleteMany(resource: string, { ids, meta }: { ids: readonly string[]; meta?: Noted }) {
      for (const some of portions(ids)) await told(collection(resource).deleteMany(some, meta));
      return { data: [...ids] };
    },

    /** Write the values that a version had. */
    async revert(
      resource: string,
      { id, version, previousData, meta }: { id: string; version: number; previousData?: Row; meta?: Noted },
    ) {
      return { data: row(await told(collection(resource).revertAt(id, previousData?.[VERSION], version, meta))) };
    },

    /** Bring a deleted record back. */
    async restore(resource: string, { id, meta }: { id: string; meta?: Noted }) {
      return { data: row(await told(collection(resource).restore(id, meta))) };
    },

    /** Sums over a list, as `_aggregate` takes and gives them. */
    aggregate: (resource: string, query: object, signal?: AbortSignal) =>
      told(collection(resource).sum(query, { signal })) as Promise<{ data: Row[]; meta: { more: boolean } }>,
  };
}

/** What `createDataProvider` makes. */
export type RowgateDataProvider = ReturnType<typeof createDataProvider>;

/** An error as react-admin's forms read it: `body.errors` by field. */
export interface FormError extends RowgateError {
  body: { message: string; errors: Record<string, string> };
}

const PORTION = 1000;

function portions(ids: readonly string[]): string[][] {
  const found = [];
  for (let start = 0; start < ids.length; start += PORTION) found.push(ids.slice(start, start + PORTION));
  return found;
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RowgateError) Object.assign(error, { body: { message: error.message, errors: fieldErrors(error) } });
    throw error;
  }
}

/** What is wrong with which field, in either of the shapes that errors have. */
export function fieldErrors({ details }: RowgateError): Record<string, string> {
  if (Array.isArray(details)) {
    return Object.fromEntries(details.map(({ field, message }: { field: string; message: string }) => [field, message]));
  }
  const fields = (details as { fields?: Record<string, readonly string[]> } | undefined)?.fields ?? {};
  return Object.fromEntries(Object.entries(fields).map(([name, messages]) => [name, messages.join(" ")]));
}

function conditions({ where, q, ...equal }: Filter = {}): object {
  const asked = [...(where === undefined ? [] : [where]), ...(Object.keys(equal).length > 0 ? [equal] : [])];
  return {
    ...(asked.length > 1 ? { where: { and: asked } } : asked.length > 0 ? { where: asked[0] } : {}),
    ...(q?.trim() ? { search: q.trim() } : {}),
  };
}

function sortKeys(sort?: { field: string; order: string }): string[] {
  if (sort === undefined || sort.field === "") return [];
  return [sort.order === "DESC" ? `-${sort.field}` : sort.field];
}

function ordered(keys: readonly string[]): object {
  return keys.length > 0 ? { sort: keys } : {};
}

function chosen({ fields, expand }: Wanted = {}): object {
  return { ...(fields === undefined ? {} : { fields }), ...(expand === undefined ? {} : { expand }) };
}

/** What of `meta` one record can be asked for. */
function narrowed({ fields, expand }: Wanted = {}): Record<string, readonly string[] | undefined> {
  return { fields, expand: Array.isArray(expand) ? expand : Object.keys(expand ?? {}) };
}

/** A record with its version in it. */
function row(record: object): Row {
  const version = versionOf(record);
  return (version === undefined ? record : { ...record, [VERSION]: version }) as Row;
}

function clean(data: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name, value]) => name !== VERSION && value !== undefined));
}

/** The fields that differ from those before; all where nothing was before. */
function changes(data: object, before?: Row): Record<string, unknown> {
  const given = Object.entries(clean(data));
  return Object.fromEntries(given.filter(([name, value]) => before === undefined || !same(value, before[name])));
}

/** Whether two values are the same as JSON, in whatever order their members stand. */
function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  const at = (value: object, name: string) => (value as Record<string, unknown>)[name];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === others.length &&
    names.every((name) => name in other && same(at(one, name), at(other, name)))
  );
}
