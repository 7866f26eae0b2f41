/** The records of every model, by domain and name: `rowgate.crm.deal.list({ where: { amount: { gte: 1000 } } })`. */
import { type Access, access } from "./access.js";
import { type BatchCall, type BatchReply, type BatchRequest, batch } from "./batch.js";
import { type Histories, type Log, log, subscribing } from "./changes.js";
import { Collection } from "./collection.js";
import type { Connection } from "./connection.js";
import { type Keeping, living } from "./live.js";
import { type Granted, MODELS, type Models } from "./models.js";
import type { Expand, Export, Field, Model, Page, Path, Query, Ranked, Ranking, Selected, Walk } from "./queries.js";
import type { Group, Measures, SumQuery, Sums } from "./sums.js";
import type { Call, Writing } from "./writes.js";

/** What can be asked of the records of a model. Each throws RowgateError when the service refuses. */
export interface Records<M extends Model> extends Writing<M>, Histories<M> {
  /** A page of the list. */
  list<const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
    query?: Query<M, F, E>,
    call?: Call,
  ): Promise<Page<M, Selected<M, F, E>>>;

  /** The records that answer a search best, by its words and its meaning. */
  ranked<const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
    query: Ranking<M, F, E>,
    call?: Call,
  ): Promise<Page<M, Ranked<Selected<M, F, E>>>>;

  /** Every record of the list, page by page; one that is there throughout comes exactly once. */
  each<const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
    query?: Walk<M, F, E>,
    call?: Call,
  ): AsyncGenerator<Selected<M, F, E>, void, undefined>;

  /** Every record of the list as it was at one moment, while it comes. Throws what breaks it off. */
  export<const F extends Field<M> = never>(
    query?: Export<M, F>,
    call?: Call,
  ): AsyncGenerator<Selected<M, F, readonly []>, void, undefined>;

  /** One record, or with `asOf` as it was then. */
  get<const F extends Field<M> = never, const P extends Path<M> = never>(
    id: string,
    wanted?: { readonly fields?: readonly F[] } & ({ readonly expand?: readonly P[]; readonly asOf?: never } | { readonly expand?: never; readonly asOf: Date }),
    call?: Call,
  ): Promise<Selected<M, F, readonly P[]>>;

  /** Groups of the records of the list, with measures of each. */
  sum<const G extends Group<M> = never, const Q extends Measures<M> = Record<never, never>>(
    query?: SumQuery<M, G, Q>,
    call?: Call,
  ): Promise<Sums<M, G, Q>>;

  /** The page of a list, kept as it is by now: over one stream for all lists, which tabs share. */
  live: Live<M>;
}

/** Have `onPage` given a page of the list whenever it is another one, until the function is called that this gives. */
export type Live<M extends Model> = <const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
  query: Query<M, F, E>,
  onPage: (page: Page<M, Selected<M, F, E>>) => void,
  keeping?: Keeping,
) => () => void;

type Table = typeof MODELS;
type Asking<M> = M extends Model ? Pick<Records<M>, Models[M]["ways"]> : never;

/** Every model with what can be asked of it, by domain. */
export type Rowgate = {
  readonly [D in keyof Table]: {
    readonly [N in keyof Table[D]]: Table[D][N] extends { readonly name: infer M } ? Asking<M> : never;
  };
} & Log & {
  /** Carry out requests about several models in order, in one transaction; gives their answers, one for one. */
  batch(requests: readonly BatchRequest[], call?: BatchCall): Promise<BatchReply[]>;
  /** What callers may do, and what narrows keys, members and teams. */
  readonly access: Access;
};

/** The records of a service, typed by model. */
export function createRowgate(connection: Connection): Rowgate {
  const domains = Object.entries(MODELS).map(([domain, models]) => {
    const known = Object.entries(models).map(([name, { path, model }]) => {
      const records = new Collection(connection, path);
      const subscribe = subscribing(connection, model as keyof Granted);
      return [name, Object.assign(records, { subscribe, live: living(connection, model, records) })] as const;
    });
    return [domain, Object.fromEntries(known)] as const;
  });
  return {
    ...Object.fromEntries(domains),
    batch: (requests: readonly BatchRequest[], call?: BatchCall) => batch(connection, requests, call),
    access: access(connection),
    ...log(connection),
  } as unknown as Rowgate;
}
