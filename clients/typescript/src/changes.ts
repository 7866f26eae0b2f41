/** What has changed: versions of records, deleted ones, the feed, and the way back. */
import type { Call, Target, WriteCall } from "./calls.js";
import { read, write } from "./collection.js";
import { type Connection, address } from "./connection.js";
import { RowgateError } from "./errors.js";
import { type Follow, events } from "./events.js";
import type { Granted } from "./models.js";
import { waited } from "./pauses.js";
import type { Field, Model, RecordOf, Where } from "./queries.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
type Values<M extends Model> = { [F in Field<M>]?: RecordOf<M>[F] };

/** A version of a record: the fields that it changed, before and after; all of them where it was made or deleted. */
export type Version<M extends Model> = Omit<Schemas["Version"], "changed" | "before" | "after"> & {
  changed: Field<M>[];
  /** Nothing where the caller could not read what was before. */
  before: Values<M> | null;
  after: Values<M> | null;
};

/** A record that is gone, as it was, and who has deleted it. */
export type DeletedRecord<M extends Model> = Omit<Schemas["DeletedRecord"], "record"> & { record: Values<M> };

/** What can be asked of versions of the records of a model, and taken back. */
export interface Histories<M extends Model> {
  /** The versions of a record, newest first. */
  history(id: string, call?: Call): AsyncGenerator<Version<M>, void, undefined>;
  /** Write the values that a version had, as a change like any other; gives the record as it is then. */
  revert(target: Target, version: number, call?: WriteCall): Promise<RecordOf<M>>;
  /** What the caller could have deleted, the latest first. */
  deleted(call?: Call): AsyncGenerator<DeletedRecord<M>, void, undefined>;
  /** Bring a deleted record back, with what was deleted along with it. */
  restore(id: string, call?: WriteCall): Promise<RecordOf<M>>;
  /** Have `onChange` told what changes, as it happens, until the function is called that this gives. */
  subscribe(subscribed: Subscribed<M>, onChange: (news: News<M>) => void, subscription?: Subscription): () => void;
}

/** A change of a record of one of the models `P`. */
export type Change<P extends keyof Granted = keyof Granted> = P extends keyof Granted ? { model: P } & Told<Granted[P]> : never;
type Told<M extends Model> = { id: string; recordId: string } & (
  | { operation: "delete" }
  | (Omit<Schemas["Version"], "operation" | "changed" | "before" | "after"> & {
      operation: "create" | "update";
      changed: Field<M>[];
      /** As the caller reads it now. */
      record: Values<M>;
    })
);

/** Changes in their order. Keep `meta.next`, once what is in `data` is dealt with: the next page begins there. */
export interface Changes<P extends keyof Granted> {
  data: Change<P>[];
  /** `resync` names models to read anew; with `reset` everything is to be. */
  meta: Schemas["ChangesMeta"];
}

/** What a stream of changes tells: a change, or what is to be read anew: some models, or everything. */
export type Heard<P extends keyof Granted = keyof Granted> = Change<P> | { operation: "resync"; models: P[] } | { operation: "reset" };

/** What a subscription tells of the records of a model: a change, or that all are to be read anew. */
export type News<M extends Model> = Told<M> | { operation: "resync" } | { operation: "reset" };

/** Of which records of a model, with which fields, behind which page. */
export interface Subscribed<M extends Model> {
  readonly where?: Where<M>;
  readonly fields?: readonly Field<M>[];
  readonly since?: string;
}

export interface Subscription extends Follow {
  /** Is given what ends the subscription, such as a refusal; without it that is thrown as what nobody catches. */
  onError?: (error: unknown) => void;
}

/** Of which models, behind which page, and of one model which records and fields. */
export interface Following<P extends keyof Granted> {
  readonly models?: readonly P[];
  /** `meta.next` of an earlier page; without it, the only page is empty, and `next` is now. */
  readonly since?: string;
  readonly take?: number;
  readonly where?: Where<Granted[P]>;
  readonly fields?: readonly Field<Granted[P]>[];
}

export interface Log {
  /** What has changed behind `since`, page by page, until now. */
  changes<const P extends keyof Granted>(following?: Following<P>, call?: Call): AsyncGenerator<Changes<P>, void, undefined>;
  /**
   * What changes, as it happens, for ever: from now on, or behind `since`. A stream that breaks is taken up again where
   * it was. Keep the place that `onPlace` is given; `lastEventId`, or `since`, goes on there.
   */
  follow<const P extends keyof Granted>(following?: Omit<Following<P>, "take">, options?: Follow): AsyncGenerator<Heard<P>, void, undefined>;
  /** Take back all that one request has written, or nothing. What takes long a job does, which is waited for. */
  undo(transaction: string, call?: WriteCall): Promise<Schemas["Undone"]>;
}

const UNDO = "/api/v1/_undo";
const CHANGES = "/api/v1/_changes";
/** Milliseconds between two looks at a job. */
const LOOKS = 1000;

export function log(connection: Connection): Log {
  return {
    changes: (following = {}, call) => pages(connection, following, call),
    follow: (following = {}, options) => heard(connection, following, options),
    undo: (transaction, call) => undone(connection, transaction, call),
  };
}

async function undone(connection: Connection, transaction: string, call?: WriteCall): Promise<Schemas["Undone"]> {
  const answer = await write(connection, { method: "POST", path: UNDO, body: { transaction } }, call);
  if (answer.status !== 202) return answer.json();
  let job: Schemas["FollowedJob"] = await answer.json();
  while (job.endedAt === null) {
    await waited(LOOKS, call?.signal);
    call?.signal?.throwIfAborted();
    job = await (await read(connection, `/api/v1/_jobs/${job.id}`, undefined, call)).json();
  }
  if (job.status === "succeeded") return job.result as Schemas["Undone"];
  throw new RowgateError(409, "CONFLICT", job.errorMessage ?? "The job was cancelled.", undefined, job.result);
}

/** The method of a model by which it is subscribed to. */
export function subscribing(connection: Connection, model: keyof Granted): Histories<Model>["subscribe"] {
  return (subscribed, onChange, { onError, signal, ...options } = {}) => {
    const over = new AbortController();
    const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const listen = async () => {
      const following = { ...subscribed, models: [model] } as Following<typeof model>;
      for await (const told of heard(connection, following, { ...options, signal: ended })) onChange(told as News<Model>);
    };
    listen().catch((error: unknown) => {
      if (ended.aborted) return;
      if (onError) onError(error);
      else queueMicrotask(() => { throw error; });
    });
    return () => over.abort();
  };
}

async function* pages<P extends keyof Granted>(connection: Connection, following: Following<P>, call?: Call): AsyncGenerator<Changes<P>, void, undefined> {
  const url = asked(connection, CHANGES, following);
  for (;;) {
    const page = (await (await read(connection, url, undefined, call)).json()) as Changes<P>;
    yield page;
    if (!page.meta.more) return;
    url.searchParams.set("since", page.meta.next);
  }
}

async function* heard<P extends keyof Granted>(connection: Connection, following: Following<P>, options: Follow = {}): AsyncGenerator<Heard<P>, void, undefined> {
  const { since, ...rest } = following;
  const place = options.lastEventId ?? since;
  for await (const { event, data } of events(connection, asked(connection, `${CHANGES}/stream`, rest), place === undefined ? options : { ...options, lastEventId: place })) {
    if (event === "reset") yield { operation: "reset" };
    else if (event === "resync") yield { operation: "resync", ...(JSON.parse(data) as { models: P[] }) };
    else if (event === "create" || event === "update" || event === "delete") yield JSON.parse(data) as Change<P>;
  }
}

/** The address with what is asked for. */
function asked<P extends keyof Granted>(connection: Connection, path: string, { models, since, take, where, fields }: Following<P>): URL {
  if (models?.length === 0) throw new TypeError("Name models, or leave them out for all");
  const url = address(connection, path);
  const named = { models: models?.join(","), since, take: take?.toString(), where: where && JSON.stringify(where), fields: fields?.join(",") };
  for (const [name, value] of Object.entries(named)) if (value) url.searchParams.set(name, value);
  return url;
}
