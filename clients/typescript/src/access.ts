/** What callers may do, and the grants that narrow keys, members and teams: typed by what the models have. */
import type { Call, WriteCall } from "./calls.js";
import { read, write } from "./collection.js";
import type { Connection } from "./connection.js";
import type { Granted } from "./models.js";
import type { Field, Model, WhereOfAll } from "./queries.js";
import type { components } from "./schema.js";
import type { Draft } from "./writes.js";

type Schemas = components["schemas"];
type Loose = Schemas["Grant"];
/** A model such as `crm/deal`, all of a domain as `crm/*`, or `*`. */
type Named = Loose["models"][number];
type Several = Extract<Named, `${string}*`>;
/** The models behind the names, or none where one of them stands for several. */
type ModelOf<P> = [Extract<P, Several>] extends [never] ? Granted[Extract<P, keyof Granted>] : never;
/** What each of the models shows or takes. */
type FieldOfAll<M extends Model> = keyof (M extends Model ? Record<Field<M> | Taken<Draft<M>>, unknown> : never);
type Taken<D> = [D] extends [never] ? never : keyof D & string;

/** What is opened of the models `P`: of their fields those that each of them has, under conditions that each knows. */
export interface Grant<P extends Named = Named> {
  readonly models: readonly P[];
  /** `list` and `read` without it. */
  readonly operations?: Loose["operations"];
  /** What is seen and may be sent, all without it. */
  readonly fields?: readonly ([ModelOf<P>] extends [never] ? string : FieldOfAll<ModelOf<P>>)[];
  /** Of which rows, all without it. */
  readonly where?: [ModelOf<P>] extends [never] ? Readonly<Record<string, unknown>> : WhereOfAll<ModelOf<P>>;
}

/** A list of grants, each with the names `P` of its models. */
export type Grants<P extends NamesOfGrants> = { readonly [I in keyof P]: Grant<P[I]> };
export type NamesOfGrants = readonly Named[];

/** What makes a key. */
export type KeyDraft<P extends NamesOfGrants> = Omit<Schemas["AuthApiKeyCreate"], "access" | "anonymous"> & {
  readonly access?: Grants<P> | null;
};
/** What is changed of a key. */
export type KeyChanges<P extends NamesOfGrants> = Omit<Schemas["AuthApiKeyUpdate"], "access"> & {
  readonly access?: Grants<P> | null;
};

/** The rights of the caller, and those that the caller gives. */
export interface Access {
  /** What the calling credential may do. */
  read(call?: Call): Promise<Schemas["AccessOverview"]>;
  /** Whether something is allowed, and because of what: to oneself, one's own key or a member whom one manages. */
  explain(question: Question, call?: Call): Promise<Schemas["AccessExplanation"]>;

  /** Make a key of the caller. */
  createApiKey<const P extends NamesOfGrants = readonly []>(key: KeyDraft<P>, call?: WriteCall): Promise<Schemas["AuthApiKeyMade"]>;
  updateApiKey<const P extends NamesOfGrants = readonly []>(
    id: string,
    changes: KeyChanges<P>,
    call?: WriteCall,
  ): Promise<Schemas["AuthApiKey"]>;

  /** What narrows a member, and what the member's teams add. */
  ofMember(id: string, call?: Call): Promise<Schemas["MemberAccess"]>;
  /** Narrow a member to `grants`; to nothing by none, and no longer by null. */
  setOfMember<const P extends NamesOfGrants>(id: string, grants: Grants<P> | null, call?: WriteCall): Promise<Schemas["MemberAccess"]>;
  ofTeam(id: string, call?: Call): Promise<Schemas["AccessList"]>;
  /** Narrow the members of a team. */
  setOfTeam<const P extends NamesOfGrants>(id: string, grants: Grants<P> | null, call?: WriteCall): Promise<Schemas["AccessList"]>;
}

type Question = Omit<Schemas["AccessQuestion"], "model"> & { readonly model: keyof Granted };

/** A grant for what takes any, such as `access` of an invitation: checked by what its models have. */
export function grant<const P extends Named>(given: Grant<P>): Loose {
  return given as unknown as Loose;
}

const KEYS = "/api/v1/auth/api-key";
const at = (root: string, id: string) => `${root}/${encodeURIComponent(id)}`;
const listOf = (kind: "member" | "team", id: string) => `${at(`/api/v1/auth/${kind}`, id)}/_access`;

export function access(connection: Connection): Access {
  const json = async (answer: Promise<Response>) => (await answer).json();
  const put = (path: string, body: object, call?: WriteCall) => json(write(connection, { method: "PUT", path, body }, call));
  const got = (path: string, call?: Call) => json(read(connection, path, undefined, call));
  return {
    read: (call) => got("/api/v1/_access", call),
    explain: (question, call) => json(read(connection, "/api/v1/_access", question, call)),
    createApiKey: (body, call) => json(write(connection, { method: "POST", path: KEYS, body }, call)),
    updateApiKey: (id, changes, call) => put(at(KEYS, id), changes, call),
    ofMember: (id, call) => got(listOf("member", id), call),
    setOfMember: (id, grants, call) => put(listOf("member", id), { access: grants }, call),
    ofTeam: (id, call) => got(listOf("team", id), call),
    setOfTeam: (id, grants, call) => put(listOf("team", id), { access: grants }, call),
  };
}
