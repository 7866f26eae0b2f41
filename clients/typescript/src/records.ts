/** The lists of every model, by domain and name: `rowgate.crm.deal.list({ where: { amount: { gte: 1000 } } })`. */
import { type Connection, address, credentials } from "./connection.js";
import { RowgateError } from "./errors.js";
import { MODELS, type Models } from "./models.js";
import type { Expand, Field, Model, Page, Path, Query, Selected, Walk } from "./queries.js";
import type { Group, Measures, SumQuery, Sums } from "./sums.js";

/** Aborts a call. */
export interface Call {
  signal?: AbortSignal;
}

/** What can be asked of the records of a model. Each throws RowgateError when the service refuses. */
export interface Records<M extends Model> {
  /** A page of the list. */
  list<const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
    query?: Query<M, F, E>,
    call?: Call,
  ): Promise<Page<M, Selected<M, F, E>>>;

  /** Every record of the list, page by page; one that is there throughout comes exactly once. */
  each<const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
    query?: Walk<M, F, E>,
    call?: Call,
  ): AsyncGenerator<Selected<M, F, E>, void, undefined>;

  /** One record. */
  get<const F extends Field<M> = never, const P extends Path<M> = never>(
    id: string,
    wanted?: { readonly fields?: readonly F[]; readonly expand?: readonly P[] },
    call?: Call,
  ): Promise<Selected<M, F, readonly P[]>>;

  /** Groups of the records of the list, with measures of each. */
  sum<const G extends Group<M> = never, const Q extends Measures<M> = Record<never, never>>(
    query?: SumQuery<M, G, Q>,
    call?: Call,
  ): Promise<Sums<M, G, Q>>;
}

type Table = typeof MODELS;
type Asking<M> = M extends Model ? Pick<Records<M>, Models[M]["ways"]> : never;

/** Every model with what can be asked of it, by domain. */
export type Rowgate = {
  readonly [D in keyof Table]: {
    readonly [N in keyof Table[D]]: Table[D][N] extends { readonly name: infer M } ? Asking<M> : never;
  };
};

/** The lists of a service, typed by model. */
export function createRowgate(connection: Connection): Rowgate {
  const domains = Object.entries(MODELS).map(([domain, models]) => {
    const known = Object.entries(models).map(([name, { path }]) => [name, new Collection(connection, path)] as const);
    return [domain, Object.fromEntries(known)] as const;
  });
  return Object.fromEntries(domains) as unknown as Rowgate;
}

/** An answer of a list: `next` stands in `meta`, or beside the data. */
interface Answered {
  data: unknown[];
  next?: string | null;
  meta?: { next?: string | null };
}

/** What sends the requests; the interfaces above say what goes in and comes out. */
class Collection {
  constructor(
    private readonly connection: Connection,
    private readonly path: string,
  ) {}

  list(query: object = {}, call?: Call): Promise<Answered> {
    return this.ask<Answered>("/_query", query, call);
  }

  async *each(query: object = {}, call?: Call): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | null | undefined = "";
    while (typeof cursor === "string") {
      const page: Answered = await this.list({ ...query, cursor }, call);
      yield* page.data;
      cursor = page.next ?? page.meta?.next;
    }
  }

  get(id: string, wanted: Record<string, readonly string[] | undefined> = {}, call?: Call): Promise<unknown> {
    const url = address(this.connection, `${this.path}/${encodeURIComponent(id)}`);
    for (const name of ["fields", "expand"]) {
      const names = wanted[name];
      if (names?.length) url.searchParams.set(name, names.join(","));
    }
    return this.send(url, {}, call);
  }

  sum(query: object = {}, call?: Call): Promise<unknown> {
    return this.ask("/_aggregate", query, call);
  }

  /** By POST: pages of other origins can send no QUERY. */
  private ask<T>(path: string, query: object, call?: Call): Promise<T> {
    return this.send(address(this.connection, this.path + path), { method: "POST", body: JSON.stringify(query) }, call);
  }

  private async send<T>(url: URL, request: RequestInit, call: Call = {}): Promise<T> {
    const headers = await credentials(this.connection);
    if (request.body) headers["Content-Type"] = "application/json";
    const response = await fetch(url, { ...request, ...call, headers });
    if (!response.ok) throw await RowgateError.of(response);
    return (await response.json()) as T;
  }
}
